"""explain."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from kprep.cli.app import command, print_json, workspace

MOST_SHOWN, SHOWN_BEFORE = 300, 60
"""Characters of a text that are shown; of them, those before the first difference where that stands late."""


@command("explain")
@click.argument("uri")
def explain_command(folder: Path | None, data_dir: Path | None, as_json: bool, uri: str) -> None:
    """Show what each cleaning rule takes from a document, before and after, and what redaction replaces.

    Reads the document from its source and shows its text as it is there: for operators who may read the source.
    """
    with workspace(folder, data_dir) as opened:
        from flows.explaining import explain

        outcome = explain(opened, uri)
    if as_json:
        print_json(outcome)
        return
    click.secho(f"{outcome['uri']}  {outcome['parser']}", bold=True)
    click.echo(f"{outcome['coverage']:.1%} of the text of the source reached an element")
    for unit in outcome["excluded"]:
        named = f" ({unit['name']})" if unit["name"] else ""
        click.echo(f"  {unit['kind']} {unit['number']}{named}: {unit['state']}")
    click.echo(f"cleaning takes {outcome['removed_share']:.1%} of the characters")
    for step in outcome["steps"]:
        click.secho(f"\n{step['rule']}", fg="cyan")
        for change in step["changes"]:
            show_change(change["before"], change["after"])
    counts = Counter(item["kind"] for item in outcome["redactions"])
    said = ", ".join(f"{count} {kind}" for kind, count in counts.most_common()) or "nothing"
    click.echo(f"\nredaction replaces {said}")


def show_change(before: list[str], after: list[str]) -> None:
    """Texts as they were and as they are, line breaks as a sign; of long ones the part that differs."""
    pairs = list(zip(before, after, strict=True)) if len(before) == len(after) else []
    starts = [_start(old, new) for old, new in pairs]
    for sign, color, texts in (("-", "red", before), ("+", "green", after)):
        for text, start in zip(texts, starts or [0] * len(texts), strict=True):
            shown = f"{'… ' if start else ''}{text[start : start + MOST_SHOWN]}"
            click.secho(f"  {sign} {' '.join(shown.replace(chr(10), ' ⏎ ').split())}", fg=color)


def _start(old: str, new: str) -> int:
    """Where to begin so that the first difference is seen: 0 where it stands early."""
    differing = (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    same = next(differing, min(len(old), len(new)))
    return same - SHOWN_BEFORE if same > MOST_SHOWN - SHOWN_BEFORE else 0


COMMANDS = {"explain": explain_command}
