"""How results look on a terminal."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

console = Console(highlight=False, soft_wrap=False)
STATUS_STYLE = {
    "published": "bold green",
    "unchanged": "green",
    "blocked": "bold red",
    "failed": "bold red",
    "waiting": "bold yellow",
}
STAGE_NAMES = {
    "scan": "listing sources",
    "start": "starting Prefect",
    "prepare": "documents",
    "embed": "vectors",
    "gate": "checking",
}
REMEDIES = {
    "secret_found": "take the secret out of the document (and change it: it was readable)",
    "no_text": "a scan or an empty file: give a version with text",
    "needs_password": "give a copy without a password, or name that of a PDF or Office file by documents.passwords_env",
    "corrupt": "open and save it again, or give another copy",
    "parse_timeout": "split it, or raise KPREP_DOCUMENT_TIMEOUT_S",
    "out_of_memory": "split it, or raise KPREP_DOCUMENT_MEMORY_MB",
    "too_large": "split it; where its bytes are too many, raise KPREP_DOCUMENT_SIZE_MB",
    "zip_bomb": "give another copy, or exclude it",
    "recursive": "save it with less nesting, or exclude it",
    "parser_crashed": "open and save it again, split it, or raise KPREP_DOCUMENT_MEMORY_MB",
    "source_changed": "run again",
}
SAID_IN_DETAIL = {
    "unsupported_format": "exclude it, or convert it to a supported format",
    "needs_review": "a scan: give a better one; a recording: put a corrected transcript (.vtt, .srt) beside it, "
    "or take it as it is: kprep review accept",
}
"""Remedies that the failure itself names, for where only reasons are listed."""


@contextmanager
def progress() -> Iterator[None]:
    """Progress bars on stderr while a run is at work, when stderr is a terminal."""
    from flows.progress import listen

    if not sys.stderr.isatty():
        yield
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                for other in tasks.values():
                    bars.update(other, visible=bars.tasks[other].total is not None)
                tasks[stage] = bars.add_task(STAGE_NAMES.get(stage, stage), total=total or None)
            if total:
                bars.update(tasks[stage], total=total)
            bars.update(tasks[stage], completed=done)

        stop = listen(show)
        try:
            yield
        finally:
            stop()


def run_summary(summary: Mapping[str, Any]) -> None:
    """What a run did, what failed and why, what the gate said."""
    documents, work, chunks = summary["documents"], summary["work"], summary["chunks"]
    style = STATUS_STYLE.get(summary["status"], "bold")
    line = f"[{style}]{summary['status']}[/]  {escape(summary['knowledge_base'])}  release {summary['release']}"
    if summary["release"] != summary["base_release"]:
        line += f"  (on {summary['base_release']})"
    console.print(line + f"  in {summary['seconds'].get('total', 0):.1f} s")
    shown = [f"{count} {name}" for name, count in documents.items() if count and name != "listed"]
    console.print(f"  documents  {documents.get('listed', 0)} listed: {', '.join(shown) or 'none'}")
    later = "".join(
        f"{count} from {stage} on, "
        for stage, count in work.get("begun", {}).items()
        if stage not in ("parse", "fetch")
    )
    console.print(
        f"  work       {work['parsed']} parsed, {later}{work['embedded']} embedded, "
        f"{work['embedding_cache_hits']} vectors reused"
    )
    suggested(summary["model"])
    if work.get("boilerplate"):
        console.print(f"  repeated   {work['boilerplate']} documents planned again: what their source repeats changed")
    console.print(
        f"  chunks     {chunks['children']} in {chunks['parents']} sections: +{chunks['added']} -{chunks['removed']}"
    )
    if summary["message"]:
        console.print(f"  [yellow]{escape(summary['message'])}[/]")
    failures(summary["failures"])
    gate(summary["gate"])
    found = sorted({(row["uri"], row["kind"], row["found_in"]) for row in summary["second_scan"]["findings"]})
    if found:
        console.print(f"\n[bold red]second scan[/]: {len({uri for uri, _, _ in found})} published documents are hidden")
        for uri, kind, place in found[:20]:
            console.print(f"  {escape(uri)}  [red]{kind}[/] in {place}", soft_wrap=True)
        console.print("  [dim]kprep status says what to do[/]")


def with_remedy(reason: str, detail: str) -> str:
    """What happened to a document, and what helps."""
    advice = REMEDIES.get(reason, "")
    return f"{detail}: {advice}" if advice.rpartition(": ")[2] not in detail else detail


TOLD_FIRST = ("document_uri", "question_id", "view", "class", "was", "is", "reason")
"""What a row of a finding is about, and what is wrong with it, in this order; then all else."""
PLACES = frozenset(("chunk_id", "locator", "ordinal", "text", "other_text", "other_chunk_id"))
"""What helps nobody who reads a row, or is shown on lines of its own."""


def finding_row(sample: Mapping[str, Any]) -> str:
    """A row of a finding in words."""
    order = [name for name in TOLD_FIRST if name in sample] + [name for name in sample if name not in TOLD_FIRST]
    shown = {name: sample[name] for name in order if name not in PLACES}
    return ", ".join(
        f"{name}: {', '.join(map(str, value)) if isinstance(value, list) else value}" for name, value in shown.items()
    )


def failures(rows: Sequence[Mapping[str, Any]], most: int = 20) -> None:
    """Failed documents with reason and remedy; those that the run before has named as a count."""
    new = [row for row in rows if row.get("new", True)]
    known = Counter(row["reason"] for row in rows if not row.get("new", True))
    if new:
        documents = "1 document" if len(new) == 1 else f"{len(new)} documents"
        console.print(
            f"\n[bold]{documents} did not come through[/]; what was published of them before stays, "
            "for those whom their permissions still let in"
        )
    for row in new[:most]:
        console.print(f"  {escape(row['uri'])}  [red]{row['reason']}[/] at {row['stage']}", soft_wrap=True)
        said = with_remedy(row["reason"], row["detail"])
        click.echo(textwrap.fill(said, console.width, initial_indent="      ", subsequent_indent="      "))
    if len(new) > most:
        console.print(f"  ... and {len(new) - most} more: `kprep status --failures`")
    if known:
        reasons = ", ".join(f"{count} {reason}" for reason, count in known.most_common())
        console.print(
            f"  failed     as in the run before: {reasons}; `kprep status --failures` lists them", soft_wrap=True
        )


def suggested(model: dict[str, Any]) -> None:
    """What became of asking a model, where one was."""
    if model["asked"] or model["without"]:
        console.print(f"  model      {model['asked']} asked, {model['refused']} suggestions refused")
    if model["without"]:
        console.print(
            f"  [yellow]{escape(model['reason'])}: {model['without']} documents have what rules say; the next run asks "
            "again[/]"
        )


def gate(report: Mapping[str, Any]) -> None:
    """Checks that failed, and how many passed."""
    checks = report.get("checks", [])
    if not checks:
        return
    bad = [check for check in checks if not check["passed"]]
    passed = len(checks) - len(bad)
    style = "green" if report["status"] == "passed" else "bold red"
    console.print(f"\n[bold]gate[/] [{style}]{report['status']}[/]: {passed} of {len(checks)} checks without finding")
    for check in sorted(bad, key=lambda check: check["level"] != "error"):
        mark = "[bold red]error[/]  " if check["level"] == "error" else "[yellow]warning[/]"
        console.print(f"  {mark} [bold]{check['code']}[/]: {escape(check['message'])}", soft_wrap=True)
        if check["level"] == "error":
            for sample in check["samples"][:5]:
                console.print(f"            {escape(finding_row(sample))}", soft_wrap=True)
            if len(check["samples"]) > 5:
                console.print(f"            ... {len(check['samples']) - 5} more: `kprep review show`")


def hits(answer: Mapping[str, Any], *, full: bool) -> None:
    """Search hits, each with its citation."""
    if answer["degraded"]:
        console.print(f"[yellow]degraded: {', '.join(answer['degraded'])}[/]", style="dim")
    if not answer["hits"]:
        console.print(answer["message"])
        return
    for hit in answer["hits"]:
        path = " > ".join(hit.get("heading_path") or [])
        where = f"[cyan]{escape(hit['citation'])}[/]  [dim]{hit['score']:.3f}[/]"
        console.print(f"[bold]{hit['rank']}.[/] {where}  {escape(path)}", soft_wrap=True)
        text = " ".join((hit.get("text") or "").split())
        shown = text if full or len(text) <= 280 else text[:277].rsplit(" ", 1)[0] + " ..."
        click.echo(textwrap.fill(shown, console.width, initial_indent="   ", subsequent_indent="   "))
        around = hit.get("context") or {}
        for name in ("summary", "before", "after"):
            for part in [around[name]] if isinstance(around.get(name), str) else around.get(name) or []:
                words = " ".join((part if isinstance(part, str) else part["text"]).split())
                if words:
                    console.print(f"   [dim]{name}: {escape(words)}[/]")
        if "explain" in hit:
            made = {**hit["explain"], **hit["explain"]["factors"]}
            shown_factors = ", ".join(f"{name} {value:g}" for name, value in made.items() if name != "factors")
            console.print(f"   [dim]{escape(shown_factors)}[/]")
        for also in hit.get("also_in") or []:
            console.print(f"   [dim]also in {escape(also)}[/]")
    console.print(f"[dim]release {answer['release']}, {answer['seconds'] * 1000:.0f} ms[/]")
