"""explain."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from kprep.cli.app import command, print_json, workspace


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
    """Texts as they were and as they are."""
    for text in before:
        click.secho(f"  - {' '.join(text.split())[:300]}", fg="red")
    for text in after:
        click.secho(f"  + {' '.join(text.split())[:300]}", fg="green")


COMMANDS = {"explain": explain_command}
