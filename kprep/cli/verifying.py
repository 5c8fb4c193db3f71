"""verify."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from kprep.cli import output
from kprep.cli.app import EXIT_FAILED, command, exits, print_json, workspace


@command("verify")
@click.option("--heal", is_flag=True, help="Repair what can be repaired from what is left. Takes the place of a run.")
def verify_command(folder: Path | None, data_dir: Path | None, as_json: bool, heal: bool) -> None:
    """Compare sources, tables, vectors, keyword index, originals, gate report and views of the live release.

    Reports what differs, by kind, with numbers and examples. Exit code 1 while there is any difference.
    """
    from flows.verifying import verify

    with workspace(folder, data_dir) as opened:
        outcome = verify(opened, heal=heal)
    if as_json:
        print_json(outcome)
    else:
        for kind, count in outcome["healed"].items():
            output.console.print(f"[green]healed[/] {kind}: {count}")
        for drift in outcome["drift"]:
            samples = escape(", ".join(drift["samples"]))
            output.console.print(f"[bold red]{drift['kind']}[/]: {drift['count']} ({samples})", soft_wrap=True)
            if drift["remedy"]:
                output.console.print(f"  {escape(drift['remedy'])}", soft_wrap=True)
        if outcome["ok"]:
            output.console.print(f"release {outcome['release']}: everything that can be compared is the same")
        elif not heal:
            output.console.print("`kprep verify --heal` repairs what can be repaired")
    if not outcome["ok"]:
        exits(EXIT_FAILED)


COMMANDS = {"verify": verify_command}
