"""release list | diff | rollback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from kprep.cli import output
from kprep.cli.app import command, print_json, workspace
from kprep.core.errors import RetrievalError


@click.group("release")
def release_group() -> None:
    """See which releases there are, what changed between two, and go back one step."""


@command("list")
def list_command(folder: Path | None, data_dir: Path | None, as_json: bool) -> None:
    """Releases and candidates, newest first; * marks the live one."""
    with workspace(folder, data_dir) as opened, opened.database.begin() as connection:
        from kprep.store import releases

        rows = releases.list_releases(connection, opened.kb)
    if as_json:
        print_json([_row_json(row) for row in rows])
        return
    if not rows:
        output.console.print("no release yet: `kprep run`")
    for row in rows:
        mark = "*" if row.live else " "
        when = (row.published_at or row.created_at).strftime("%Y-%m-%d %H:%M:%SZ")
        figures = row.statistics
        output.console.print(
            f"{mark} {row.release:>4}  {row.status:<10} {when}  on {row.base_release:<4} "
            f"{figures.get('documents', 0)} documents, {figures.get('children', 0)} chunks"
        )


def _row_json(row: Any) -> dict[str, Any]:
    return {
        "release": row.release,
        "live": row.live,
        "status": row.status,
        "base_release": row.base_release,
        "run_id": row.run_id,
        "created_at": row.created_at.isoformat(),
        "published_at": row.published_at.isoformat() if row.published_at else None,
        "statistics": row.statistics,
        "gate": row.report["status"] if row.report else None,
    }


@command("diff")
@click.argument("old", type=int, required=False)
@click.argument("new", type=int, required=False)
@click.option("--text/--no-text", "with_text", default=True, help="Show the text of changed chunks.")
def diff_command(
    folder: Path | None, data_dir: Path | None, as_json: bool, old: int | None, new: int | None, with_text: bool
) -> None:
    """Documents and chunks that differ between two releases (default: the live one and the one it was based on)."""
    with workspace(folder, data_dir) as opened, opened.database.begin() as connection:
        from kprep.store import releases

        live = releases.live_release(connection, opened.kb) or 0
        newer = live if new is None else new
        row = releases.get(connection, opened.kb, newer)
        if row is None or newer == 0:
            raise RetrievalError(f"there is no release {newer}: see `kprep release list`")
        older = row.base_release if old is None else old
        if releases.get(connection, opened.kb, older) is None:
            raise RetrievalError(f"there is no release {older}: see `kprep release list`")
        documents, chunks = releases.diff(connection, opened.kb, older, newer)
    if as_json:
        print_json({"old": older, "new": newer, "documents": documents, "chunks": chunks})
        return
    console = output.console
    console.print(f"[bold]release {older} -> {newer}[/]: {len(documents)} documents, {len(chunks)} chunks differ")
    for document in documents:
        console.print(f"  {document['change']:<9} {escape(document['uri'])}")
    styles = {"added": ("green", "+"), "removed": ("red", "-")}
    for chunk in chunks if with_text else ():
        style, sign = styles[chunk["change"]]
        console.print(f"\n[{style}]{sign} {escape(chunk['uri'])}[/]  {escape(' > '.join(chunk['heading_path']))}")
        said = "(hidden: see `kprep suppressed`)" if chunk["text"] is None else " ".join(chunk["text"].split())
        console.print(f"  {escape(said)}", style=style)


@command("rollback")
@click.argument("release", type=int)
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
def rollback_command(folder: Path | None, data_dir: Path | None, as_json: bool, release: int, dry_run: bool) -> None:
    """Make an earlier published release live again, in one step. Deletions and denials stay in force."""
    with workspace(folder, data_dir) as opened:
        from flows.run import roll_back

        outcome = roll_back(opened, release, dry_run=dry_run)
    if as_json:
        print_json(outcome)
        return
    verb = "would go" if dry_run else "went"
    output.console.print(
        f"{verb} from release {outcome['from']} to {outcome['to']}: +{outcome['added']} -{outcome['removed']} chunks"
    )


for _command in (list_command, diff_command, rollback_command):
    release_group.add_command(_command)

COMMANDS = {"release": release_group}
