"""try: one file through the rooms, nothing stored."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import click

from kprep.cli import output
from kprep.cli.app import EXIT_FAILED, command, exits, print_json, workspace
from kprep.core.errors import SourceError


@command("try")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--stage",
    type=click.Choice(("parse", "clean", "redact", "chunk", "enrich")),
    default="enrich",
    show_default=True,
    help="Last stage to run.",
)
@click.option("--source", help="Take it as a document of this source; default: the one whose folder holds the file.")
@click.option("--doc-type", help="Chunk profile to use; default: that of the source, else `document`.")
def try_command(
    folder: Path | None,
    data_dir: Path | None,
    as_json: bool,
    file: Path,
    stage: str,
    source: str | None,
    doc_type: str | None,
) -> None:
    """Take one file through the rooms with this knowledge base's rules, and store nothing. The way to tune rules.

    Prints elements or chunks, the share of the source that reached them, what is left out, what cleaning removed, what
    redaction replaced (kind and place, never the value), locators, seconds per stage, and the reason code when a room
    refuses the file.
    """
    if not file.exists():
        raise SourceError(f"{file} does not exist")
    if file.is_dir():
        raise SourceError(f"{file} is a folder; `kprep try` takes one file")
    with workspace(folder, data_dir) as opened:
        from flows.trying import try_file

        outcome = try_file(opened, file, stage, source, doc_type)
    if as_json:
        print_json(outcome)
    else:
        _show(outcome)
    if outcome["failure"]:
        exits(EXIT_FAILED)


def _show(outcome: dict[str, Any]) -> None:
    from rich.markup import escape

    console = output.console
    console.print(f"[bold]{escape(outcome['file'])}[/]  {outcome['media_type']}  {outcome['parser']}".rstrip())
    if taken := ", ".join(f"{stage} {seconds:.3f}" for stage, seconds in outcome["seconds"].items()):
        console.print(f"  seconds: {taken}")
    if outcome["coverage"] is not None:
        console.print(f"  {outcome['coverage']:.1%} of the text of the source reached an element")
    left_out = Counter(f"{unit['kind']} in state {unit['state']}" for unit in outcome["units"] if unit["state"] != "ok")
    for unit in (unit for unit in outcome["units"] if unit["state"] == "broken"):
        console.print(f"  cannot be read: {escape(unit['name'])}", soft_wrap=True)
    if left_out:
        console.print("  left out: " + ", ".join(f"{count} x {what}" for what, count in left_out.items()))
    for title, items, name in (("removed", outcome["removals"], "rule"), ("redacted", outcome["redactions"], "kind")):
        if items:
            counted = Counter(item[name] for item in items)
            console.print(f"  {title}: " + ", ".join(f"{count} {what}" for what, count in counted.most_common()))
    for element in outcome["elements"]:
        text = " ".join(element["text"].split())
        console.print(f"  [cyan]{element['kind']:<14}[/] {escape(text[:150])}", soft_wrap=True)
    for chunk in outcome["chunks"]:
        console.print(f"\n[cyan]{escape(' > '.join(chunk['heading_path']))}[/]  {chunk['kind']}  {chunk['locator']}")
        console.print(escape(chunk["text"]), soft_wrap=True)
    failure = outcome["failure"]
    if failure:
        said = escape(output.with_remedy(failure["reason"], failure["detail"]))
        console.print(f"[bold red]{failure['reason']}[/] at {failure['stage']}: {said}", soft_wrap=True)


COMMANDS = {"try": try_command}
