"""1,000 random principals, groups and documents: no read path shows what its reader may not see."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from itertools import cycle, islice
from typing import Any

import pytest

from flows.access import suppress
from flows.review import approve
from flows.run import roll_back
from kprep.core.errors import RetrievalError
from kprep.store import principals, search
from tests.conftest import MakeBase
from tests.fakes import read_paths
from tests.fakes.canaries import (
    ANCHORS,
    TODAY,
    Canary,
    CanaryChildren,
    HashEmbedder,
    Hidden,
    World,
    expected,
    index_text,
)
from tests.fakes.knowledge_base import TestBase
from tests.fakes.sql_reader import SqlReader, sql_reader

SIZE, SEED = 1_000, 20261130
FEWER = 12
"""After the first state one principal in this many looks; in the first all do."""
PATHS_EACH = 1
"""How many paths each principal goes, in turn, beside the listing and the SQL view, which all of them read."""
QUALITY = {"short_share": 1.0, "failed_share": 1.0, "duplicate_share": 1.0, "locators_open": 0.0}
WORD = re.compile(r"(?:open|closed)[0-9a-f]{10}")
LEADS_SOMEWHERE = frozenset(("ok", "older_revision"))
Places = set[tuple[int, str]]


@pytest.fixture
def reader(database_url: str) -> Iterator[SqlReader]:
    with sql_reader(database_url) as made:
        yield made


class Watch:
    """Reads as everybody by every path, and compares with what is expected."""

    def __init__(self, base: TestBase, world: World, reader: SqlReader) -> None:
        self.base, self.world, self.reader = base, world, reader
        self.tenant = base.workspace.base.config.tenant
        self.words = {c.word(anchor): (n, anchor) for n, c in world.canaries.items() for anchor in ANCHORS}
        self.places: dict[str, tuple[int, str]] = {}
        self.reads: Counter[str] = Counter()
        self.leaks: list[Any] = []
        self.permitted: Places = set()
        self.turns = cycle((*read_paths.ADDRESSED, *read_paths.OPENED, *read_paths.ASKED, *read_paths.QUESTIONED))

    def look(
        self,
        canaries: dict[int, Canary],
        hidden: Hidden,
        *,
        every: int,
        release: int | None = None,
        day: date = TODAY,
        sql: bool = True,
    ) -> None:
        timeless = {n: replace(canary, valid_from=None, valid_until=None) for n, canary in canaries.items()}
        for number in range(0, SIZE, every):
            user = f"u{number}"
            may = expected(canaries, self.world.reads_as(user), hidden, day)
            self.permitted = expected(timeless, self.world.reads_as(user), Hidden(narrowed=hidden.narrowed))
            with self.base.connection() as connection:
                reader = self.base.reader(connection, [user], release, day)
                self._listing(reader, user, may)
                for path in islice(self.turns, PATHS_EACH):
                    if path in read_paths.ADDRESSED:
                        read = partial(read_paths.ADDRESSED[path], reader)
                        self._address(path, read, user, may, canaries)
                    elif path in read_paths.ASKED:
                        ask = partial(read_paths.ASKED[path], reader, HashEmbedder)
                        self._ask(path, ask, user, may, canaries)
                    elif release is not None or day != TODAY:
                        continue  # those read the live release of today
                    elif path in read_paths.OPENED:
                        read = partial(read_paths.OPENED[path], self.base, [user])
                        self._address(path, read, user, may, canaries)
                    else:
                        ask = partial(read_paths.QUESTIONED[path], self.base, [user])
                        self._ask(path, ask, user, may, canaries)
            if sql:
                self._view(user, may)

    def check(self, path: str, user: str, shown: Places, may: Places) -> None:
        self.reads[path] += 1
        self.leaks += [(path, user, *leak) for leak in shown - may]

    def _said(self, found: Any) -> Places:
        """Places whose words are anywhere in an answer."""
        return {self.words[word] for word in WORD.findall(str(found))}

    def _listing(self, reader: Any, user: str, may: Places) -> None:
        ids = list(search.visible_all(reader.connection, reader.scope).values())
        rows = search.chunks(reader.connection, reader.scope, chunk_ids=ids)
        self.places |= {row["chunk_id"]: self.words[row["text"].split()[1]] for row in rows}
        shown = {self.places[row["chunk_id"]] for row in rows}
        self.check("listing", user, shown, may)
        assert shown == may, (user, may - shown)

    def _view(self, user: str, may: Places) -> None:
        rows = self.reader.read(f"SELECT text FROM published.{self.base.name}__all", self.tenant, [user])
        shown = self._said(rows)
        self.check("sql view", user, shown, may)
        assert shown == may, (user, may - shown)

    def _address(
        self, path: str, read: Callable[[str], Any], user: str, may: Places, canaries: dict[int, Canary]
    ) -> None:
        """What may be read by its URI is, and foreign looks like unknown."""
        chance = self.world.random
        readable = {number for number, _ in may}
        for number in chance.sample(sorted(readable), min(1, len(readable))) + chance.sample(sorted(canaries), 1):
            uri = canaries[number].uri
            if number not in readable:
                self.reads[path] += 1
                assert refusal(read, uri) == refusal(read, "docs/d9999.md"), (path, user)
                continue
            found = read(uri)
            self.check(path, user, self._said(found), may)
            if path.startswith("relations"):
                self._relations(path, found, number, user, may)
            else:
                assert self._said(found) == {place for place in may if place[0] == number}, (path, user)
            if path == "get":
                self._relations(path, found["relations"], number, user, may)

    def _relations(self, path: str, rows: Sequence[dict[str, Any]], number: int, user: str, may: Places) -> None:
        """Both ends are the reader's; a foreign target is one that there is not, unless only time or the overlay hides
        it from somebody who is permitted to read it."""
        readable, withdrawn = ({f"docs/d{n:04}.md" for n, _ in places} for places in (may, self.permitted - may))
        for row in rows:
            if row["document_uri"] not in readable or (row["chunk_id"] or None) not in {None, *self.places}:
                self.leaks.append((path, user, row["document_uri"], row["chunk_id"]))
            if row["chunk_id"]:
                self.check(path, user, {self.places.get(row["chunk_id"], (-1, ""))}, may)
            known = row["target_uri"] in readable
            hidden = (row["target_title"] in ("", row["written"]), row["anchor_found"]) == (True, False)
            revoked = row["state"] == "target_revoked" and row["target_uri"] in withdrawn
            if not known and not revoked and (row["state"] != "target_missing" or not hidden):
                self.leaks.append((path, user, number, row))
            assert not known or row["state"] in LEADS_SOMEWHERE
        if not path.endswith("incoming"):
            own = {self.places[row["chunk_id"]] for row in rows if row["chunk_id"]}
            assert own == {place for place in may if place[0] == number}
            assert sum(row["chunk_id"] is None for row in rows) == 1

    def _ask(self, path: str, ask: Callable[[str], Any], user: str, may: Places, canaries: dict[int, Canary]) -> None:
        """Questions for a readable and for a foreign canary, by the very words that are indexed."""
        chance = self.world.random
        everything = {(number, anchor) for number in canaries for anchor in ANCHORS}
        for places in (may, everything - may):
            if not places:
                continue
            number, anchor = chance.choice(sorted(places))
            answer = ask(index_text(canaries[number], anchor))
            self.check(path, user, self._said(answer), may)
            if places is may:
                assert (number, anchor) in self._said(answer), (path, user)


def refusal(read: Callable[[str], Any], uri: str) -> tuple[str, str, Any]:
    """What a reader is told who asks for something that is not there, but for its URI."""
    with pytest.raises(RetrievalError) as caught:
        read(uri)
    return caught.value.message.replace(uri, "URI"), caught.value.reason, caught.value.context


def change(world: World, base: TestBase) -> tuple[dict[int, Canary], set[int]]:
    """Other permissions for 150 documents, one of them now for everybody, new closed sections in 50, and 40 deleted;
    what then is wanted."""
    wanted = copy.deepcopy(world.canaries)
    touched = world.random.sample([n for n, c in wanted.items() if c.by != "source"], 190)
    for number in touched[:150]:
        wanted[number].acl = world.acl()
    wanted[touched[0]].acl = frozenset(["public"])
    for number in world.random.sample(sorted(set(wanted) - set(touched)), 50):
        if wanted[number].section is None:
            wanted[number].section = world.acl()
    gone = set(touched[150:])
    for number in gone:
        base.delete(wanted[number].name)
        if wanted[number].sidecar():
            base.delete(wanted[number].name + ".acl.yaml")
        del wanted[number]
    write(base, wanted, world.canaries)
    return wanted, gone


def write(base: TestBase, wanted: dict[int, Canary], before: dict[int, Canary]) -> None:
    """Write what differs."""
    for number, canary in wanted.items():
        old = before.get(number)
        if old is None or old.content() != canary.content():
            base.write(canary.name, canary.content())
        sidecar = canary.sidecar()
        if sidecar is not None and (old is None or old.sidecar() != sidecar):
            base.write(canary.name + ".acl.yaml", sidecar)


def run(base: TestBase) -> dict[str, Any]:
    base.workspace.__dict__["embedder"] = HashEmbedder()
    return base.run(allow_deletes=True, children=CanaryChildren())


def narrowings(before: dict[int, Canary], after: dict[int, Canary]) -> dict[int, frozenset[str]]:
    """For whom a document of the older release still is: whoever it was taken from is out at once, and for good.

    With a new closed section the older text, which has it in the open, is for those who may read the section.
    """
    out = {}
    for number, canary in after.items():
        old = before[number]
        if canary.section != old.section:
            out[number] = canary.section or frozenset()
        elif not old.acl <= canary.acl:
            out[number] = canary.acl
    return out


@pytest.mark.req("D1.15", "D7.17", "D7.24", "D8.2", "D9.10", "D10.4", "D10.5", "D10.6", "C6.15", "C7.4", "C7.5")
@pytest.mark.timeout(1800)
def test_no_read_path_leaks(make_base: MakeBase, reader: SqlReader) -> None:
    world = World.make(SEED, SIZE)
    source = {"name": "docs", "kind": "filesystem", "path": "docs", "include": ["**/*"], "acl": ["source-group"]}
    world.groups_of["g0"].append("source-group")
    base = make_base(
        {}, sources=[source], tenant="canaries", quality={"thresholds": QUALITY}, views={"all": {"fields": ["text"]}}
    )
    write(base, world.canaries, {})
    assert run(base)["status"] == "published"
    with base.connection() as connection:
        principals.replace(connection, "canaries", world.groups_of)
    watch = Watch(base, world, reader)
    first, nothing = world.canaries, Hidden()
    watch.look(first, nothing, every=1)
    tomorrow = TODAY + timedelta(days=1)
    watch.look(first, nothing, every=FEWER, day=tomorrow, sql=False)

    wanted, gone = change(world, base)
    suppressed = world.random.choice(sorted(wanted))
    suppress(base.workspace, wanted[suppressed].uri, "legal", "a person", "", lift=False, dry_run=False)
    base.block()
    base.configure(quality={"thresholds": QUALITY | {"failed_share": 0.0}})
    assert run(base)["status"] == "blocked"
    hidden = Hidden(frozenset(gone | {suppressed}), narrowings(first, wanted))
    watch.look(first, hidden, every=FEWER)

    base.unblock()
    base.configure(quality={"thresholds": QUALITY})
    summary = run(base)
    assert (summary["status"], summary["work"]["embedded"]) == ("blocked", 0)
    refused = {
        check["code"] for check in summary["gate"]["checks"] if check["level"] == "error" and not check["passed"]
    }
    assert refused == {"permissions_widened"}, "a document is for everybody now, which a person has to approve"
    approve(base.workspace, None, "the new permissions are meant", "a person", dry_run=False)
    watch.look(wanted, Hidden(frozenset({suppressed})), every=FEWER)
    watch.look(first, hidden, every=FEWER, release=1, sql=False)

    roll_back(base.workspace, 1, dry_run=False)
    watch.look(first, hidden, every=FEWER)

    world.groups_of = {name: [] for name in world.groups_of}  # everybody leaves every group
    with base.connection() as connection:
        principals.replace(connection, "canaries", world.groups_of)
    watch.look(first, hidden, every=FEWER)
    print(dict(watch.reads), "leaks:", len(watch.leaks))  # noqa: T201 -- the figures of this test
    assert watch.leaks == []
    assert set(watch.reads) == read_paths.PATHS
