"""candidates list | show | confirm | reject."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from kprep.cli import output
from kprep.cli.app import command, print_json, workspace


@click.group("candidates")
def candidates_group() -> None:
    """Look at what waits in the candidate store, and confirm or reject it.

    Conversations go there by default. No search, view or SQL reader sees them unless a view has `stores: [candidate]`.
    They are confirmed by `sources[].confirm`, or here by a person; the next run takes them into the formal store.
    """


@command("list")
@click.option("--all", "everything", is_flag=True, help="Also what was confirmed or rejected.")
def list_command(folder: Path | None, data_dir: Path | None, as_json: bool, everything: bool) -> None:
    """Documents of the candidate store in the live release: until when they are kept and what speaks against them."""
    from flows.confirming import listed

    with workspace(folder, data_dir) as opened:
        rows = listed(opened, everything=everything)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        state = row["store"] if row["decision"] is None else f"{row['store']}, {row['decision']} by {row['made_by']}"
        until = f"  until {row['valid_until']}" if row["valid_until"] else ""
        output.console.print(f"{escape(row['uri'])}  [bold]{escape(state)}[/]{until}", soft_wrap=True)
        for uri in row["outdated_by"]:
            output.console.print(f"  contradicted by {escape(uri)}")
    if not rows:
        output.console.print("nothing waits in the candidate store")


@command("show")
@click.argument("uri")
@click.option("--as", "principals", multiple=True, metavar="PRINCIPAL", help="Read as this principal; may be repeated.")
def show_command(
    folder: Path | None, data_dir: Path | None, as_json: bool, uri: str, principals: tuple[str, ...]
) -> None:
    """The chunks of a document of the candidate store, as far as the principals may read them."""
    from flows.confirming import shown

    with workspace(folder, data_dir) as opened:
        chunks = shown(opened, uri, principals)
    if as_json:
        print_json(chunks)
        return
    for chunk in chunks:
        mark = "  [bold]outdated[/]" if chunk["fragment"] == "outdated" else ""
        output.console.print(f"[bold]{escape(chunk['citation'])}[/]{mark}")
        output.console.print(escape(chunk["text"]))


def _decide(decision: str, done: str, summary: str) -> click.Command:
    @command("confirm" if decision == "confirmed" else "reject", help=summary)
    @click.argument("uris", nargs=-1, required=True, metavar="URI...")
    @click.option("--by", "made_by", required=True, metavar="NAME", help="Who decided it; kept with the entry.")
    @click.option("--note", default="", help="A word for those who look at it later.")
    @click.option("--dry-run", is_flag=True, help="Only show what would change.")
    def decide(
        folder: Path | None,
        data_dir: Path | None,
        as_json: bool,
        uris: tuple[str, ...],
        made_by: str,
        note: str,
        dry_run: bool,
    ) -> None:
        from flows.confirming import decide as keep

        with workspace(folder, data_dir) as opened:
            outcome = keep(opened, uris, decision, made_by, note, dry_run=dry_run)
        if as_json:
            print_json(outcome)
            return
        verb = "would be" if dry_run else "is"
        for uri in outcome["uris"]:
            output.console.print(f"{escape(uri)} {verb} {done}; `kprep run` takes it up")

    return decide


candidates_group.add_command(list_command)
candidates_group.add_command(show_command)
candidates_group.add_command(
    _decide(
        "confirmed",
        "confirmed",
        "Let documents into the formal store, as they are now; a later change has to be confirmed again.",
    )
)
candidates_group.add_command(
    _decide("rejected", "rejected", "Keep documents out of every read, as they are now, whatever the rules say.")
)

COMMANDS = {"candidates": candidates_group}
