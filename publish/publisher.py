"""The one transaction that makes a candidate live, and the one step back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from kprep.core.errors import BaseConflict, PublishError
from kprep.store import folders, overlay, releases, views
from kprep.store.sql import Connection


class PassedReport(Protocol):
    """A gate report (`quality.GateReport`)."""

    @property
    def passed(self) -> bool: ...


def publish(connection: Connection, kb: str, release: int, report: PassedReport) -> None:
    """Make the candidate live in the caller's transaction: channel, views, status and overlay together.

    Publishing what is live already changes nothing. Raises: PublishError (not passed, not a candidate), BaseConflict
    (somebody published since it was planned).
    """
    if not report.passed:
        raise PublishError(f"release {release} did not pass its gate")
    row = releases.get(connection, kb, release)
    if row is None:
        raise PublishError(f"there is no release {release}")
    if row.live:
        return
    if row.status not in ("candidate", "blocked"):
        raise PublishError(f"release {release} is {row.status}, not a candidate")
    if not releases.move_channel(connection, kb, row.base_release, release):
        raise BaseConflict(
            f"release {release} was planned on release {row.base_release}, which is no longer live: run again"
        )
    releases.set_status(connection, kb, release, "published")
    overlay.settle(connection, kb, release)
    overlay.follow(connection, kb, release)
    overlay.close_sections(connection, kb, release)
    flip_views(connection, kb, row.base_release, release)
    folders.settle(connection, kb, row.run_id, release, row.configuration.get("scan_rules", ""))


def check_rollback(connection: Connection, kb: str, release: int) -> int:
    """The live release, if this one can be rolled back to. Raises: PublishError naming what can."""
    live = releases.live_release(connection, kb)
    row = releases.get(connection, kb, release) if release > 0 else None
    if row is None or row.published_at is None or row.status == "retired":
        known = [str(item.release) for item in releases.list_releases(connection, kb) if item.status == "published"]
        raise PublishError(f"there is no published release {release}; published: {', '.join(known) or 'none'}")
    if live is None or live == release:
        raise PublishError(f"release {release} is live already")
    return live


def rollback(connection: Connection, kb: str, release: int) -> int:
    """Make an earlier published release live again, in one step; the release that was live. Overlay entries stay.

    Raises: PublishError naming what can be rolled back to, BaseConflict.
    """
    live = check_rollback(connection, kb, release)
    if not releases.move_channel(connection, kb, live, release):
        raise BaseConflict("another release was published meanwhile: look at `kprep release list` again")
    flip_views(connection, kb, live, release)
    return live


def flip_views(connection: Connection, kb: str, old: int, new: int) -> None:
    """SQL views as the new release defines them; those it shares with the old one are left untouched."""
    before: Mapping[str, Mapping[str, Any]] = releases.views(connection, kb, old)
    after: Mapping[str, Mapping[str, Any]] = releases.views(connection, kb, new)
    for name in before.keys() | after.keys():
        if before.get(name) == after.get(name) and views.exists(connection, kb, name):
            continue
        views.drop(connection, kb, name)
        if name in after:
            views.create(connection, kb, name, after[name])
