"""eval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from kprep.cli import output
from kprep.cli.app import command, print_json, workspace


def _page(_: click.Context, __: click.Parameter, value: Path | None) -> Path | None:
    """Where the page goes. Raises: BadParameter, before anything is measured, when it cannot be written there."""
    if value is None:
        return None
    if value.suffix.lower() not in (".html", ".htm"):
        raise click.BadParameter(f"{value} must end in .html")
    if not value.absolute().parent.is_dir():
        raise click.BadParameter(f"there is no folder {value.parent}: make it first")
    return value


@command("eval")
@click.option(
    "--questions",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Question file (repeat for more; each is reported apart). Default: the gate's.",
)
@click.option("--release", type=int, help="Measure this release, published or refused, instead of the live one.")
@click.option("--compare", type=int, help="Say question by question what is better or worse than in this release.")
@click.option(
    "--report",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=_page,
    help="Write a page (.html), and JSON beside it.",
)
@click.option("--no-timing", is_flag=True, help="Leave out the latency, measured alone and at 4 and 16 at a time.")
def eval_command(
    folder: Path | None,
    data_dir: Path | None,
    as_json: bool,
    files: tuple[Path, ...],
    release: int | None,
    compare: int | None,
    page: Path | None,
    no_timing: bool,
) -> None:
    """Measure keyword, dense and hybrid search, and hybrid with references, on the same questions.

    Hit@k, recall@k, nDCG@10 and MRR per class with n and 95 % intervals; questions without answer and denied ones
    apart; latency cold and warm, by class with its cost; the simplest configuration that reaches the thresholds.
    Tune on one file and keep another that nobody tunes on:

    \b
    kprep eval --questions questions.yaml --questions questions_heldout.yaml --report eval.html
    kprep eval --compare 6
    """
    with workspace(folder, data_dir) as opened, output.progress():
        from flows.evaluating import evaluate

        found = evaluate(opened, release, files, compare, timed=not no_timing)
    if page is not None:
        from quality.page import page as page_of

        page.write_text(page_of(found), encoding="utf-8")
        page.with_suffix(".json").write_text(json.dumps(found, ensure_ascii=False, indent=2), encoding="utf-8")
    if as_json:
        print_json(found)
    else:
        _show(found, page)


def _show(found: dict[str, Any], page: Path | None) -> None:
    say = output.console.print
    for part in found["sets"]:
        measured = part["configurations"]
        say(
            f"[bold]{escape(part['name'])}[/] on release {found['release']}, {part['questions']} questions",
            soft_wrap=True,
        )
        say(f"  recall@5     n {''.join(f'{name:>19}' for name in measured)}", soft_wrap=True)
        for kind in dict.fromkeys(kind for each in measured.values() for kind in each["classes"]):
            means = [each["classes"].get(kind) for each in measured.values()]
            n = next(mean["n"] for mean in means if mean)
            cells = "".join(f"{_interval(mean['recall@5']) if mean else '':>19}" for mean in means)
            say(f"  {kind:<11} {n:>2} {cells}", soft_wrap=True)
        for name in ("hit@1", "ndcg@10", "mrr"):
            means = [each["classes"].get("all") for each in measured.values()]
            values = "".join(f"{mean[name]['value']:>19.3f}" if mean else " " * 19 for mean in means)
            say(f"  {name:<7} of all {values}", soft_wrap=True)
        for label, name, wrong in (("no answer", "no_answer", "answered"), ("denied", "denied", "leaking")):
            if any(each[name]["total"] for each in measured.values()):
                told = "".join(_apart(each[name], wrong).rjust(19) for each in measured.values())
                say(f"  {label:<14} {told}", soft_wrap=True)
        _say_more(part)
    for row in found["latency"]:
        say(
            f"  {row['configuration']:<18} {row['state']:<5} {row['concurrency']:>2} at a time   "
            f"p50 {row['p50_ms']:.1f} ms   p95 {row['p95_ms']:.1f} ms"
        )
    if found["comparison"]:
        _say_compared(found["comparison"])
    if page is not None:
        say(f"wrote {page} and {page.with_suffix('.json')}", soft_wrap=True)


def _interval(mean: dict[str, Any]) -> str:
    return f"{mean['value']:.3f} ({mean['low']:.2f}-{mean['high']:.2f})"


def _apart(found: dict[str, Any], wrong: str) -> str:
    return f"{found[wrong]} of {found['n']} {wrong}" if found["n"] else "not asked"


def _say_more(part: dict[str, Any]) -> None:
    """What the means do not say: the simplest configuration, places out of reach, what routing would lose, questions
    missed or not asked."""
    from quality.page import failures, routing

    say = output.console.print
    if part["simplest"]:
        say(f"  simplest that reaches the thresholds: {part['simplest']}")
    for name, reasons in part["passed_over"].items():
        say(f"  not taken: {name}: {'; '.join(reasons)}", soft_wrap=True)
    told, reach = part["candidates"], ("both", "lexical", "dense", "neither")
    counts = ", ".join(f"{told[name]} in {name}" for name in reach)
    say(
        f"  expected places among the first {told['limit']} hits of each arm: {counts}, of {told['spans']}",
        soft_wrap=True,
    )
    if said := routing(part["routing"]):
        say(f"  {escape(said)}", soft_wrap=True)
    name = list(part["configurations"])[-1]
    if part["missed"]:
        say(f"  missed at 5 by {name}:")
    for row in part["missed"]:
        say(f"    {escape(row['id'])}: {escape(row['reason'])}", soft_wrap=True)
    for failed in failures(part):
        say(
            f"  [red]could not be asked[/] by {failed['by']}: {escape(failed['id'])}: {escape(failed['error'])}",
            soft_wrap=True,
        )
    for row in part["stale"]:
        say(
            f"  [yellow]stale label[/]: {escape(row['id'])}: {escape(row['document'])}: {row['reason']}", soft_wrap=True
        )


def _say_compared(told: dict[str, Any]) -> None:
    from quality.page import standing

    say = output.console.print
    counts = ", ".join(f"{told[verdict]} {verdict}" for verdict in ("better", "worse", "same"))
    say(f"against release {told['release']}: {counts}")
    if told["not_compared"]:
        say(f"  [red]could not be compared[/]: {escape(', '.join(told['not_compared']))}", soft_wrap=True)
    for row in told["questions"]:
        if row["verdict"] == "same":
            continue
        say(
            f"  {row['verdict']:<7} {escape(row['id'])}: {standing(row['was'])} to {standing(row['is'])}",
            soft_wrap=True,
        )
        for name in ("before", "after"):
            hits = row.get(name, ())
            for hit in [hit for hit in hits if hit["holds"]] or hits[:1]:
                text = f"{hit['rank']}. {hit['document_uri']}: {' '.join(hit['text'].split())[:100]}"
                say(f"    [dim]{name:<6} {escape(text)}[/]", soft_wrap=True)


COMMANDS = {"eval": eval_command}
