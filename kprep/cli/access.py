"""principals sync | list | show, suppress, suppressed, forget."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from kprep.cli import output
from kprep.cli.app import command, print_json, workspace


@click.group("principals")
def principals_group() -> None:
    """Say who is in which groups. Permissions name groups; reads look memberships up, so that changes act at once."""


@command("sync")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
def sync_command(folder: Path | None, data_dir: Path | None, as_json: bool, file: Path, dry_run: bool) -> None:
    """Replace the tenant's memberships by those in FILE, all at once.

    \b
    YAML or JSON   {ann: [engineering], engineering: [all-employees]}
    CSV            columns principal, group
    SCIM           {"Resources": [{"userName": "ann", "groups": [{"display": "engineering"}]}, ...]}
    OIDC claims    [{"preferred_username": "ann", "groups": ["engineering"]}]

    Groups may be members of groups. Whoever is not in the file is in no group any more.
    """
    from flows.access import sync_principals

    with workspace(folder, data_dir) as opened:
        outcome = sync_principals(opened, file, dry_run=dry_run)
    if as_json:
        print_json(outcome)
        return
    verb = "would be" if dry_run else "are"
    output.console.print(
        f"{outcome['principals']} principals {verb} listed: {len(outcome['added'])} memberships added, "
        f"{len(outcome['removed'])} removed"
    )
    for sign, name in (("+", "added"), ("-", "removed")):
        for principal, group in outcome[name][:20]:
            output.console.print(f"  {sign} {escape(principal)} in {escape(group)}")
        if len(outcome[name]) > 20:
            output.console.print(f"  ... and {len(outcome[name]) - 20} more (--json lists all)")


@command("list")
def list_command(folder: Path | None, data_dir: Path | None, as_json: bool) -> None:
    """Every principal with the groups it is a direct member of."""
    with workspace(folder, data_dir) as opened, opened.database.begin() as connection:
        from kprep.store import principals

        found = principals.memberships(connection, opened.base.config.tenant)
    if as_json:
        print_json([{"principal": name, "member_of": list(groups)} for name, groups in found.items()])
        return
    for name, groups in found.items():
        output.console.print(f"{escape(name)}: {escape(', '.join(groups)) or '-'}")
    if not found:
        output.console.print("no memberships yet: `kprep principals sync FILE`")


@command("show")
@click.argument("name")
def show_command(folder: Path | None, data_dir: Path | None, as_json: bool, name: str) -> None:
    """Every principal that NAME reads as: itself, its groups, their groups, and public."""
    with workspace(folder, data_dir) as opened, opened.database.begin() as connection:
        from kprep.store import principals

        tenant = opened.base.config.tenant
        direct = principals.memberships(connection, tenant).get(name, ())
        reached = principals.reached(connection, tenant, name)
    if as_json:
        print_json({"principal": name, "member_of": list(direct), "reads_as": list(reached)})
        return
    output.console.print(f"{escape(name)} reads as: {escape(', '.join(reached))}")


for _command in (sync_command, list_command, show_command):
    principals_group.add_command(_command)


@command("suppress")
@click.argument("uri")
@click.option(
    "--reason",
    type=click.Choice(["legal", "operator", "second_scan"]),
    required=True,
    help="Why it must not be read; second_scan only with --lift.",
)
@click.option("--by", "made_by", required=True, metavar="NAME", help="Who decided it; kept with the entry.")
@click.option("--note", default="", help="A word for those who look at it later.")
@click.option("--lift", is_flag=True, help="End the suppression with this reason.")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
def suppress_command(
    folder: Path | None,
    data_dir: Path | None,
    as_json: bool,
    uri: str,
    reason: str,
    made_by: str,
    note: str,
    lift: bool,
    dry_run: bool,
) -> None:
    """Hide a document from every read at once, in every release, until a person lifts it.

    It stays hidden when it changes, is renamed, is published again, or an earlier release is made live. What is
    attached to a mail is hidden, and visible again, with the mail.
    """
    from flows.access import suppress

    if reason == "second_scan" and not lift:
        raise click.UsageError("the second scan itself hides documents; a person says legal or operator")
    with workspace(folder, data_dir) as opened:
        outcome = suppress(opened, uri, reason, made_by, note, lift=lift, dry_run=dry_run)
    if as_json:
        print_json(outcome)
        return
    verb = ("would be " if dry_run else "is ") + ("visible again" if lift else "hidden")
    output.console.print(f"{escape(uri)} {verb}, reason {reason}, by {escape(made_by)}")
    if outcome["attached"]:
        output.console.print(
            f"  and so {'would be' if dry_run else 'is'} what is attached to it: {outcome['attached']} documents"
        )
    for other in outcome["still"]:
        output.console.print(f"  still hidden for reason {other}")


@command("suppressed")
def suppressed_command(folder: Path | None, data_dir: Path | None, as_json: bool) -> None:
    """Documents that no read shows: why, since when, by whom."""
    with workspace(folder, data_dir) as opened, opened.database.begin() as connection:
        from kprep.store import overlay

        rows = overlay.entries(connection, opened.kb)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        since = row["since"].strftime("%Y-%m-%d %H:%M:%SZ")
        note = f": {row['note']}" if row["note"] else ""
        output.console.print(
            f"{escape(row['uri'])}  [bold]{row['reason']}[/] since {since} by {escape(row['made_by'] + note)}",
            soft_wrap=True,
        )
    if not rows:
        output.console.print("nothing is hidden")


@command("forget")
@click.option(
    "--kb-name", "name", required=True, help="Name of the knowledge base, which must be the one that is open."
)
@click.option("--yes", is_flag=True, help="Confirm: nothing of it can be read or restored afterwards.")
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
def forget_command(
    folder: Path | None, data_dir: Path | None, as_json: bool, name: str, yes: bool, dry_run: bool
) -> None:
    """Remove a knowledge base: releases, chunks, vectors, originals, caches of its sources. Its folder stays."""
    from flows.access import forget

    if not (yes or dry_run):
        raise click.UsageError("this cannot be undone: add --yes (or look first with --dry-run)")
    with workspace(folder, data_dir) as opened:
        if name != opened.kb:
            raise click.UsageError(f"the open knowledge base is {opened.kb!r}, not {name!r}: name its folder with --kb")
        outcome = forget(opened, dry_run=dry_run)
    if as_json:
        print_json(outcome)
    else:
        verb = "would go" if dry_run else "are gone"
        output.console.print(f"{outcome['documents']} documents and {outcome['chunks']} chunks of {name} {verb}")


COMMANDS = {
    "principals": principals_group,
    "suppress": suppress_command,
    "suppressed": suppressed_command,
    "forget": forget_command,
}
