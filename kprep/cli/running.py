"""plan, run, status."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from kprep.cli import output
from kprep.cli.app import (
    EXIT_FAILED,
    EXIT_REFUSED,
    EXIT_WAITING,
    command,
    exits,
    explain_error,
    print_json,
    workspace,
)
from kprep.cli.explaining import show_change
from kprep.core.errors import PrepError

EXIT_OF = {"published": 0, "unchanged": 0, "blocked": EXIT_REFUSED, "waiting": EXIT_WAITING, "failed": EXIT_FAILED}

BROKEN_SHOWN = 20
"""Parts of documents that cannot be read, listed by `status`."""

ONLY = click.option(
    "--only",
    multiple=True,
    metavar="PATH",
    help="Look at this file or folder (path or URI) and nothing else; repeatable. For events of a source.",
)


@command("plan")
@click.option("--allow-deletes", is_flag=True, help="Plan as if an operator had confirmed the deletions.")
@ONLY
@click.option("--rules", type=click.Path(path_type=Path), help="Compare with these rules: a file, or a folder of them.")
def plan_command(
    folder: Path | None,
    data_dir: Path | None,
    as_json: bool,
    allow_deletes: bool,
    only: tuple[str, ...],
    rules: Path | None,
) -> None:
    """Show what a run would do, document by document. Writes nothing.

    Lists the sources, hashes what may have changed, and compares with the live release: what is added, rebuilt (and
    from which stage), renamed, given other permissions or retired, and about how many chunks would be embedded.

    With --rules, says instead how many documents other cleaning or redaction rules would alter, with samples.
    """
    if rules is not None:
        with workspace(folder, data_dir) as opened, output.progress():
            from flows.explaining import compare_rules

            compared = compare_rules(opened, rules)
        _show_rules(compared, as_json=as_json)
        return
    with workspace(folder, data_dir) as opened:
        from flows.planning import preview

        outcome = preview(opened, allow_deletes=allow_deletes, only=only)
    if as_json:
        print_json(outcome)
    else:
        _show_plan(outcome)
    if outcome["guard"]:
        exits(EXIT_WAITING)
    if outcome["in_vain"]:
        exits(EXIT_FAILED)


def _show_rules(compared: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(compared)
        return
    console = output.console
    console.print(f"{compared['rules']} would alter {len(compared['altered'])} of {compared['documents']} documents")
    for item in compared["refused"]:
        console.print(f"  {item['uri']} would be refused: [red]{item['reason']}[/]")
    for sample in compared["samples"]:
        click.secho(f"\n{sample['uri']}", fg="cyan")
        show_change(sample["before"], sample["after"])


def _show_plan(outcome: dict[str, Any]) -> None:
    counts = {name: count for name, count in outcome["documents"].items() if count and name != "listed"}
    shown = ", ".join(f"{count} {name}" for name, count in counts.items())
    output.console.print(
        f"[bold]plan[/] on release {outcome['base_release']}: {outcome['documents']['listed']} listed: {shown}"
    )
    for item in outcome["changes"][:50]:
        detail = (
            f"from {item['renamed_from']}"
            if item["renamed_from"]
            else (f"from {item['stage']} on" if item["stage"] else "")
        )
        output.console.print(f"  {item['action']:<13} {item['uri']}  [dim]{detail}[/]", soft_wrap=True)
    if len(outcome["changes"]) > 50:
        output.console.print(f"  ... and {len(outcome['changes']) - 50} more (--json lists all)")
    for problem in outcome["problems"][:50]:
        said = f"  [red]{problem['reason']}[/]  {escape(problem['uri'])}  [dim]{escape(problem['detail'])}[/]"
        output.console.print(said, soft_wrap=True)
    later = {stage: count for stage, count in outcome["stages"].items() if stage != "parse"}
    if later:
        begun = ", ".join(f"{count} from {stage} on" for stage, count in outcome["stages"].items())
        output.console.print(f"  work begins: {begun}")
    _show_passed_over(outcome["passed_over"])
    if outcome["index_anew"]:
        output.console.print("  every document is indexed anew: model, retrieval, views or the lexicon changed")
    elif not outcome["changes"]:
        output.console.print("  nothing to do")
    elif outcome["estimated_embeddings"]:
        output.console.print(f"  about {outcome['estimated_embeddings']} chunks to embed")
    if outcome["expiring"]:
        first = outcome["expiring"][0]
        output.console.print(
            f"  retention hides {len(outcome['expiring'])} documents within 30 days, first {first['uri']} "
            f"at {first['at']} (--json lists all)",
            soft_wrap=True,
        )
    if outcome["message"]:
        output.console.print(f"  [yellow]{escape(outcome['message'])}[/]", soft_wrap=True)
    if outcome["in_vain"]:
        output.console.print("[bold red]no source can be listed[/]: a run fails")
    if outcome["guard"]:
        output.console.print(f"[bold yellow]waits for an operator:[/] {outcome['guard']}")


@command("run")
@click.option("--allow-deletes", is_flag=True, help="Confirm deletions the mass-delete guard stopped at.")
@ONLY
@click.option("--dry-run", is_flag=True, help="Only show the plan, like `kprep plan`.")
@click.option("--watch", is_flag=True, help="Run again whenever files of the sources on this machine have changed.")
@click.option(
    "--every",
    type=click.FloatRange(0.1, 3600),
    default=2.0,
    show_default=True,
    help="With --watch: seconds between two looks at the files; one that changes is waited for.",
)
@click.pass_context
def run_command(
    ctx: click.Context,
    folder: Path | None,
    data_dir: Path | None,
    as_json: bool,
    allow_deletes: bool,
    only: tuple[str, ...],
    dry_run: bool,
    watch: bool,
    every: float,
) -> None:
    """Prepare what changed, check it, and publish it whole or not at all.

    Exits 0 when a release was published or nothing changed, 3 when the gate refused the candidate (the old release
    stays live), 4 when deletions wait for an operator, 1 when the run failed. Failed documents keep their last
    published version and are listed with the reason.

    With --only the sources are not listed: the files named are taken up (or retired, where they are gone), and all else
    stays as it is live. It needs a live release of a whole run under the same rules.

    With --watch it stays, and runs when files of filesystem, archive, export and local git sources, or kprep.yaml and
    its rules, changed and stood still. A run that fails or waits is shown, and the next change tried. End with Ctrl-C.
    """
    if watch and (dry_run or only or allow_deletes):
        raise click.UsageError("--watch goes with none of --dry-run, --only and --allow-deletes")
    if watch:
        _watch(folder, data_dir, as_json=as_json, every_s=every)
    if dry_run:
        given = {"folder": folder, "data_dir": data_dir, "as_json": as_json, "allow_deletes": allow_deletes}
        ctx.invoke(plan_command, **given, only=only, rules=None)
        return
    with workspace(folder, data_dir) as opened, output.progress():
        from flows.start import start

        summary = start(opened, allow_deletes=allow_deletes, only=only)
    if as_json:
        print_json(summary)
    else:
        output.run_summary(summary)
    exits(EXIT_OF[summary["status"]])


def _watch(folder: Path | None, data_dir: Path | None, *, as_json: bool, every_s: float) -> None:
    """Run after each change of files, until interrupted."""
    with workspace(folder, data_dir) as looked_at:
        from flows.start import start
        from flows.watching import changes

        for _ in changes(looked_at, every_s):
            try:
                with workspace(folder, data_dir) as opened, output.progress():
                    summary = start(opened, allow_deletes=False)
            except PrepError as error:
                explain_error(error, as_json=as_json)
                continue
            if as_json:
                click.echo(json.dumps(summary, ensure_ascii=False, default=str))
            else:
                output.run_summary(summary)


@command("status")
@click.option("--failures", "all_failures", is_flag=True, help="List every failed document with its reason.")
@click.option("--reason", help="Only failures with this reason code.")
def status_command(
    folder: Path | None, data_dir: Path | None, as_json: bool, all_failures: bool, reason: str | None
) -> None:
    """Show what is live, the last runs, and which documents failed and why."""
    with workspace(folder, data_dir) as opened:
        from flows.planning import status

        outcome = status(opened)
    if reason:
        outcome["failures"] = [row for row in outcome["failures"] if row["reason"] == reason]
    if as_json:
        print_json(outcome)
        return
    console = output.console
    live = outcome["live"]
    if live["release"]:
        console.print(
            f"[bold]{outcome['knowledge_base']}[/] release {live['release']} live since {live['published_at']}: "
            f"{live['documents']} documents, {live['children']} chunks"
        )
    else:
        console.print(f"[bold]{outcome['knowledge_base']}[/] nothing is published yet: `kprep run`")
    _show_coverage(outcome["coverage"])
    for row in outcome["left_out"]:
        output.console.print(
            f"  {row['units']} x {row['kind']} in state {row['state']}, of {row['documents']} documents such as "
            f"{row['example']}",
            soft_wrap=True,
            markup=False,
        )
    _show_broken(outcome["broken"])
    _show_passed_over(outcome["passed_over"])
    if outcome["suppressed"]:
        console.print(f"  {outcome['suppressed']} documents hidden by the overlay")
    if outcome["time_to_invisible_s"] is not None:
        console.print(f"  last denials acted {outcome['time_to_invisible_s']:.3f} s after the scan saw them")
    for row in outcome["second_scan"]["withdrawn"]:
        console.print(
            f"  [bold red]withdrawn[/] {escape(row['uri'])}: the second scan found {escape(row['found'])}",
            soft_wrap=True,
        )
        console.print(f"      [dim]{escape(row['remedy'])}[/]", soft_wrap=True)
    for row in outcome["runs"]:
        console.print(
            f"  run {row['run_id']}  {row['started_at']}  {row['status']:<10} {row['message']}", soft_wrap=True
        )
    if all_failures or reason:
        output.failures(outcome["failures"], most=10_000)
    elif outcome["failures"]:
        reasons = Counter(row["reason"] for row in outcome["failures"])
        console.print("  failed documents: " + ", ".join(f"{count} {name}" for name, count in reasons.most_common()))
        console.print("  [dim]kprep status --failures lists them[/]")


_PASSED_OVER = {
    "hidden": "hidden files or folders",
    "not_included": "files that no pattern of `include` names",
    "excluded": "files that `exclude` names",
}


def _show_broken(parts: list[dict[str, Any]]) -> None:
    for part in parts[:BROKEN_SHOWN]:
        output.console.print(f"  left out: {part['uri']}: {part['problem']}", soft_wrap=True, markup=False)
    if len(parts) > BROKEN_SHOWN:
        output.console.print(f"  and {len(parts) - BROKEN_SHOWN} more: `kprep status --json` lists all")


def _show_passed_over(rows: list[dict[str, Any]] | None) -> None:
    """What sources did not list, and why."""
    for row in rows or ():
        said = f"  source {row['source']} passes over {row['files']} {_PASSED_OVER[row['reason']]}"
        output.console.print(said, soft_wrap=True, markup=False)


def _show_coverage(coverage: dict[str, Any]) -> None:
    """Mean over the live documents, and the lowest ones by name."""
    if coverage["mean"] is None:
        return
    output.console.print(
        f"  {coverage['mean']:.1%} of the text of {coverage['documents']} documents reached their elements (mean)"
        + (", the least of:" if coverage["lowest"] else "")
    )
    for row in coverage["lowest"]:
        output.console.print(f"    {row['coverage']:.1%}  {row['uri']}", soft_wrap=True)


COMMANDS = {"plan": plan_command, "run": run_command, "status": status_command}
