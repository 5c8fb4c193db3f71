"""questions suggest | check."""

from __future__ import annotations

from pathlib import Path

import click
import yaml
from rich.markup import escape

from kprep.cli import output
from kprep.cli.app import EXIT_FAILED, command, exits, print_json, workspace


@click.group("questions")
def questions_group() -> None:
    """Find questions for the gate, and labels that no longer hold."""


@command("suggest")
@click.argument("uris", nargs=-1, required=True)
@click.option("--as", "principals", multiple=True, metavar="PRINCIPAL", help="Ask as this principal (repeat for more).")
@click.option("--most", type=click.IntRange(1, 500), default=20, show_default=True, help="Questions at most.")
def suggest_command(
    folder: Path | None,
    data_dir: Path | None,
    as_json: bool,
    uris: tuple[str, ...],
    principals: tuple[str, ...],
    most: int,
) -> None:
    """Suggest questions from the headings and identifiers of published documents.

    Prints entries for a questions file. Take the real ones, put them into your own words, and leave the rest.
    """
    with workspace(folder, data_dir) as opened:
        from flows.questions import suggest

        found = suggest(opened, uris, principals, most)
    if as_json:
        print_json(found)
    else:
        click.echo(yaml.safe_dump(found, allow_unicode=True, sort_keys=False, width=120) if found else "# nothing new")


@command("check")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
def check_command(folder: Path | None, data_dir: Path | None, as_json: bool, files: tuple[Path, ...]) -> None:
    """Find expected and forbidden quotes that stand nowhere in their document, and what the asker cannot read.

    Without FILES: the gate's questions. Exits 1 when a label does not hold.
    """
    with workspace(folder, data_dir) as opened:
        from flows.questions import check

        wrong = check(opened, files)
    if as_json:
        print_json(wrong)
    for row in () if as_json else wrong:
        where = f"{row['file']} {row['id']}: {row['document']}: {row['reason']}: {row['quote']}"
        output.console.print(escape(where), soft_wrap=True)
    if not wrong and not as_json:
        output.console.print("every label holds")
    exits(EXIT_FAILED if wrong else 0)


for _command in (suggest_command, check_command):
    questions_group.add_command(_command)

COMMANDS = {"questions": questions_group}
