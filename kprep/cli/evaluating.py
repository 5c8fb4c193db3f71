"""eval."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from kprep.cli import output
from kprep.cli.app import command, print_json, workspace


@command("eval")
@click.option(
    "--questions",
    "files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Question file (repeat for more; each is reported apart). Default: the gate's.",
)
@click.option("--release", type=int, help="Measure this published release instead of the live one.")
@click.option("--compare", type=int, help="Say question by question what is better or worse than in this release.")
@click.option("--report", "page", type=click.Path(path_type=Path), help="Write a page (.html), and JSON beside it.")
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
    apart; latency cold and warm. Tune on one file and keep another that nobody tunes on:

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
        say(f"[bold]{part['name']}[/] on release {found['release']}, {part['questions']} questions")
        say(f"  {'configuration':<18} {'class':<11} {'n':>3}  hit@1  hit@5  recall@5 (95 %)         nDCG@10  MRR")
        for configuration, measures in part["configurations"].items():
            for kind, means in measures["classes"].items():
                recall = means["recall@5"]
                say(
                    f"  {configuration:<18} {kind:<11} {means['n']:>3}  {means['hit@1']['value']:.3f}  "
                    f"{means['hit@5']['value']:.3f}  {recall['value']:.3f} "
                    f"({recall['low']:.3f} to {recall['high']:.3f})  "
                    f"{means['ndcg@10']['value']:.3f}    {means['mrr']['value']:.3f}"
                )
            silent, denied = measures["no_answer"], measures["denied"]
            say(
                f"  {configuration:<18} no answer: {silent['n'] - silent['answered']} of {silent['n']} silent; "
                f"denied: {denied['leaking']} of {denied['n']} leak"
            )
    for row in found["latency"]:
        say(
            f"  {row['configuration']:<18} {row['state']:<5} {row['concurrency']:>2} at a time   "
            f"p50 {row['p50_ms']:.1f} ms   p95 {row['p95_ms']:.1f} ms"
        )
    if found["comparison"]:
        told = found["comparison"]
        counts = ", ".join(f"{told[verdict]} {verdict}" for verdict in ("better", "worse", "same"))
        say(f"against release {told['release']}: {counts}")
        for row in told["questions"]:
            if row["verdict"] != "same":
                say(f"  {row['verdict']:<7} {row['id']}: rank {row['was']['first_rank']} to {row['is']['first_rank']}")
    if page is not None:
        say(f"wrote {page} and {page.with_suffix('.json')}")


COMMANDS = {"eval": eval_command}
