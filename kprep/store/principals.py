"""Groups: which principals are members of which, per tenant; looked up by every read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from kprep.store.sql import jsonb, load

SQL = load(__file__)


def expand(connection: Connection, kb: str, given: Sequence[str]) -> tuple[str, ...]:
    """The principals, all groups of the knowledge base's tenant they are in, and `public`; sorted."""
    return tuple(connection.execute(SQL["expand"], {"kb": kb, "given": list(given)}).scalar_one())


def memberships(connection: Connection, tenant: str) -> dict[str, tuple[str, ...]]:
    """Principal -> groups it is a direct member of, by name."""
    return {row[0]: tuple(row[1]) for row in connection.execute(SQL["members"], {"tenant": tenant})}


def reached(connection: Connection, tenant: str, principal: str) -> tuple[str, ...]:
    """The principal and every group it is in, directly or through others, and `public`; sorted."""
    return tuple(connection.execute(SQL["reached"], {"tenant": tenant, "given": [principal]}).scalars())


def replace(connection: Connection, tenant: str, groups_of: Mapping[str, Sequence[str]]) -> None:
    """Make these the tenant's memberships, in the caller's transaction: readers see all old ones or all new ones."""
    connection.execute(SQL["serialise"], {"tenant": tenant})
    connection.execute(SQL["clear"], {"tenant": tenant})
    rows = [{"principal": name, "member_of": sorted(set(groups))} for name, groups in sorted(groups_of.items())]
    connection.execute(SQL["add"], {"tenant": tenant, "rows": jsonb(rows)})
