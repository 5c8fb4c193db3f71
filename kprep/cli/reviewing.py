"""review list | show | approve | reject | retry | accept | exclude | include."""

from __future__ import annotations

import getpass
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from kprep.cli import output
from kprep.cli.app import command, print_json, workspace

STAGES = ("parse", "clean", "redact", "chunk", "enrich", "embed")


@click.group("review")
def review_group() -> None:
    """See what waits for a person and why, and decide it. Decisions are recorded and later runs honour them."""


def _said(_: click.Context, parameter: click.Parameter, value: str) -> str:
    """What stands in an option of a decision. Raises: BadParameter when it says nothing."""
    if not value.strip():
        what = "say why, in a few words" if parameter.name == "reason" else "name who decides"
        raise click.BadParameter(f"it is empty: {what}; it is recorded with the decision")
    return value.strip()


def decides(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options of everything that is a decision."""
    for option in (
        click.option("--dry-run", is_flag=True, help="Only show what would be decided."),
        click.option(
            "--by",
            "made_by",
            default=getpass.getuser,
            callback=_said,
            help="Who decides (default: the user logged in).",
        ),
        click.option("--reason", required=True, callback=_said, help="Why; recorded with the decision."),
    ):
        function = option(function)
    return function


@command("list")
def list_command(folder: Path | None, data_dir: Path | None, as_json: bool) -> None:
    """Candidates the gate refused, deletions that wait, failed documents by reason, and the last decisions."""
    with workspace(folder, data_dir) as opened:
        from flows import review

        found = review.waiting(opened)
    if as_json:
        print_json(found)
        return
    say = output.console.print
    for row in found["candidates"]:
        old = "" if row["current"] else f"  [yellow]made on release {row['base_release']}: run again[/]"
        refused = f"candidate {row['release']} on {row['base_release']}, refused by {', '.join(row['refused_by'])}"
        say(f"{refused}{old}", soft_wrap=True)
    if found["candidates"]:
        say(
            "[dim]  `kprep review show` says why; approve or reject it, or repair the cause and run again[/]",
            soft_wrap=True,
        )
    if found["deletions"]:
        say(f"[yellow]deletions wait:[/] {escape(found['deletions'])}; `kprep plan` names them", soft_wrap=True)
    for item in found["review"]:
        say(f"waits for review: {escape(item['detail'])}", soft_wrap=True)
    for reason, count in found["failures"].items():
        remedy = (output.REMEDIES | output.SAID_IN_DETAIL).get(reason)
        advice = f": {remedy}" if remedy else ""
        say(f"{count} {'document' if count == 1 else 'documents'} failed: {reason}{advice}", soft_wrap=True)
    if found["failures"]:
        say("[dim]  each with its reason: kprep status --failures[/]")
    for uri in found["excluded"]:
        say(f"excluded: {escape(uri)}")
    if not (found["candidates"] or found["deletions"] or found["failures"]):
        say("nothing waits")
    for made in found["decisions"][:10]:
        about = escape(made["uri"] or f"candidate {made['release']}")
        say(
            f"  [dim]{made['made_at'][:16]}  {made['made_by']}  {made['decision']} {about}: {escape(made['reason'])}[/]"
        )


@command("show")
@click.argument("release", type=int, required=False)
def show_command(folder: Path | None, data_dir: Path | None, as_json: bool, release: int | None) -> None:
    """Why a candidate was refused: checks with value, threshold and rows, and questions before and after.

    Without RELEASE: the newest that waits.
    """
    with workspace(folder, data_dir) as opened:
        from flows import review

        found = review.show(opened, release)
    if as_json:
        print_json(found)
        return
    say = output.console.print
    say(f"[bold]candidate {found['release']}[/] on release {found['base_release']}: {found['status']}")
    if made := found["decision"]:
        say(f"{made['kind']} by {escape(made['made_by'])}: {escape(made['reason'])}", soft_wrap=True)
    for check in sorted(found["checks"], key=lambda check: str(check["level"] != "error")):
        style = "bold red" if check["level"] == "error" else "yellow"
        figures = [f"{name} {check[name]:.4g}" for name in ("value", "threshold") if check[name] is not None]
        say(f"\n[{style}]{check['level']}[/] [bold]{check['code']}[/] {', '.join(figures)}")
        say(f"  {escape(check['message'])}", soft_wrap=True)
        for sample in check["samples"]:
            say(f"  {escape(output.finding_row(sample))}", soft_wrap=True)
            for name in ("text", "other_text"):
                if sample.get(name):
                    say(f"    [dim]{escape(' '.join(sample[name].split())[:300])}[/]", soft_wrap=True)
    for question in found["questions"]:
        say(f"\n[bold]{escape(question['question'])}[/] ({question['class']}, {question['id']})", soft_wrap=True)
        for span in question["expected"]:
            say(f"  expected {escape(span['document'])}: {escape(span['quote'])}", soft_wrap=True)
        for name in ("before", "after"):
            for hit in question[name]:
                text = " ".join(hit["text"].split())[:160]
                say(f"  {name:<6} {escape(hit['document_uri'])}: {escape(text)}", soft_wrap=True)
            if not question[name]:
                say(f"  {name:<6} no hit")
    output.failures(found["failures"])


@command("approve")
@click.argument("release", type=int, required=False)
@decides
def approve_command(
    folder: Path | None, data_dir: Path | None, as_json: bool, release: int | None, **decision: Any
) -> None:
    """Publish a refused candidate as it is. You answer for what the gate found.

    Of a candidate that was rejected it takes the rejection back: the next run publishes the same changes.

    The decision holds for these changes: if something else was published meanwhile, run again, and the run publishes
    them.
    """
    with workspace(folder, data_dir) as opened:
        from flows import review

        done = review.approve(opened, release, **decision)
    live = f"candidate {done['release']} is live, against {', '.join(done['overruled'])}"
    back = f"the rejection of candidate {done['release']} is taken back: `kprep run` publishes the same changes"
    _say(done, live if done["published"] else back, as_json=as_json)


@command("reject")
@click.argument("release", type=int, required=False)
@decides
def reject_command(
    folder: Path | None, data_dir: Path | None, as_json: bool, release: int | None, **decision: Any
) -> None:
    """Refuse a candidate for good. A run that would publish the very same changes stops as well."""
    with workspace(folder, data_dir) as opened:
        from flows import review

        done = review.reject(opened, release, **decision)
    _say(done, f"candidate {done['release']} is rejected", as_json=as_json)


@command("retry")
@click.argument("uris", nargs=-1)
@click.option("--stage", type=click.Choice(STAGES), help="Again from this stage on, also what did not fail.")
@decides
def retry_command(
    folder: Path | None,
    data_dir: Path | None,
    as_json: bool,
    uris: tuple[str, ...],
    stage: str | None,
    **decision: Any,
) -> None:
    """Let the next run try documents again: all that failed, or those named.

    Without --stage they go on from the stage that failed. With it they go again from there, whether they failed or
    not: what earlier stages gave is taken up where it was kept, all later work is done anew. `embed` computes
    the vectors anew that no published release shows.

    \b
    kprep review retry --reason "the share is back"
    kprep review retry docs/plan.pdf --stage parse --reason "another OCR model is installed"
    """
    with workspace(folder, data_dir) as opened:
        from flows import review

        done = review.retry(opened, uris, stage, **decision)
    if done["documents"] or as_json:
        named = ", ".join(row["uri"] for row in done["documents"])
        where = f" from {stage} on" if stage else ""
        _say(done, f"the next run tries again{where}: {named}", as_json=as_json)
    elif done["waiting"]:
        counts = Counter(row["stage"] for row in done["waiting"])
        named = ", ".join(f"{count} in {name}" for name, count in sorted(counts.items()))
        output.console.print(
            f"nothing to try again: what failed in the last run ({named}) is tried by the next one already: `kprep run`"
        )
    else:
        output.console.print("nothing to try again: no document failed, in whatever stage")


@command("accept")
@click.argument("uri")
@decides
def accept_command(folder: Path | None, data_dir: Path | None, as_json: bool, uri: str, **decision: Any) -> None:
    """Take a recording as it was recognised, uncertain words too. Holds until the recording changes."""
    with workspace(folder, data_dir) as opened:
        from flows import review

        done = review.accept(opened, uri, **decision)
    _say(done, f"{uri} is taken as it was recognised by the next run", as_json=as_json)


@command("exclude")
@click.argument("uri")
@decides
def exclude_command(folder: Path | None, data_dir: Path | None, as_json: bool, uri: str, **decision: Any) -> None:
    """Keep a document out: the next run leaves it, and takes it from what is live."""
    with workspace(folder, data_dir) as opened:
        from flows import review

        done = review.exclude(opened, uri, back=False, **decision)
    _say(done, f"{uri} is left out by the next run", as_json=as_json)


@command("include")
@click.argument("uri")
@decides
def include_command(folder: Path | None, data_dir: Path | None, as_json: bool, uri: str, **decision: Any) -> None:
    """Let an excluded document in again with the next run."""
    with workspace(folder, data_dir) as opened:
        from flows import review

        done = review.exclude(opened, uri, back=True, **decision)
    _say(done, f"{uri} is taken in by the next run", as_json=as_json)


def _say(done: dict[str, Any], sentence: str, *, as_json: bool) -> None:
    if as_json:
        print_json(done)
    else:
        output.console.print(escape(f"would be decided: {sentence}" if done["dry_run"] else sentence))


for _command in (
    list_command, show_command, approve_command, reject_command, retry_command, accept_command, exclude_command,
    include_command,
):  # fmt: skip
    review_group.add_command(_command)

COMMANDS = {"review": review_group}
