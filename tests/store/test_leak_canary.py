"""1,000 random principals, groups and documents: no read path shows what its reader may not see."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from flows.access import suppress
from flows.run import roll_back
from kprep.core.errors import RetrievalError
from kprep.store import principals, search
from retrieval import MODES, Searcher, SearchRequest
from tests.conftest import MakeBase
from tests.fakes.canaries import TODAY, Canary, CanaryChildren, HashEmbedder, Hidden, World, expected, index_text
from tests.fakes.knowledge_base import TestBase
from tests.fakes.sql_reader import SqlReader, sql_reader

SIZE, SEED = 1_000, 20261130
FEWER = 20
"""After the first state one principal in this many looks; in the first all do, one in DEEP of them at everything."""
DEEP = 4
QUALITY = {"short_share": 1.0, "failed_share": 1.0, "duplicate_share": 1.0, "locators_open": 0.0}
CLOSED_FIRST = ("closed", "open")


@pytest.fixture
def reader(database_url: str) -> Iterator[SqlReader]:
    with sql_reader(database_url) as made:
        yield made


class Watch:
    """Reads as everybody by every path, and compares with what is expected."""

    def __init__(self, base: TestBase, world: World, reader: SqlReader) -> None:
        self.base, self.world, self.reader = base, world, reader
        self.tenant = base.workspace.base.config.tenant
        self.words = {c.word(anchor): (n, anchor) for n, c in world.canaries.items() for anchor in CLOSED_FIRST}
        self.reads: Counter[str] = Counter()
        self.leaks: list[Any] = []

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
        for number in range(0, SIZE, every):
            user = f"u{number}"
            may = expected(canaries, self.world.reads_as(user), hidden, day)
            with self.base.connection() as connection:
                reader = self.base.reader(connection, [user], release, day)
                self._listing(reader, user, may)
                if every > 1 or number % DEEP == 0:
                    self._addresses(reader, user, may, canaries)
                    self._search(reader, user, may, canaries, MODES[number // max(every, DEEP) % len(MODES)])
            if sql:
                self._view(user, may)

    def check(self, path: str, user: str, shown: set[tuple[int, str]], may: set[tuple[int, str]]) -> None:
        self.reads[path] += 1
        self.leaks += [(path, user, *leak) for leak in shown - may]

    def _listing(self, reader: Any, user: str, may: set[tuple[int, str]]) -> None:
        ids = list(search.visible_all(reader.connection, reader.scope).values())
        rows = search.chunks(reader.connection, reader.scope, chunk_ids=ids)
        shown = {self.words[row["text"].split()[1]] for row in rows}
        self.check("listing", user, shown, may)
        assert shown == may, (user, may - shown)

    def _view(self, user: str, may: set[tuple[int, str]]) -> None:
        rows = self.reader.read(f"SELECT text FROM published.{self.base.name}__all", self.tenant, [user])
        shown = {self.words[row[0].split()[1]] for row in rows}
        self.check("sql view", user, shown, may)
        assert shown == may, (user, may - shown)

    def _addresses(self, reader: Any, user: str, may: set[tuple[int, str]], canaries: dict[int, Canary]) -> None:
        """`get` and `chunks`: what may be read is, and foreign looks like unknown."""
        chance = self.world.random
        readable = {number for number, _ in may}
        for number in chance.sample(sorted(readable), min(1, len(readable))) + chance.sample(sorted(canaries), 1):
            uri = canaries[number].uri
            shown: set[tuple[int, str]] = set()
            for path, read in (("get", reader.get), ("chunks", reader.chunks)):
                try:
                    found = read(uri)
                except RetrievalError as error:
                    refused = (error.message.replace(uri, ""), error.reason, error.context)
                    with pytest.raises(RetrievalError) as unknown:
                        read("docs/d9999.md")
                    same = unknown.value
                    if number in readable or refused != (
                        same.message.replace("docs/d9999.md", ""),
                        same.reason,
                        same.context,
                    ):
                        pytest.fail(f"{path} of {uri} as {user}: {refused}")
                    continue
                text = str(found)
                shown = {self.words[word] for word in text.replace("\\n", " ").split() if word in self.words}
                self.check(path, user, shown, may)
                assert shown == {place for place in may if place[0] == number}

    def _search(
        self, reader: Any, user: str, may: set[tuple[int, str]], canaries: dict[int, Canary], mode: str
    ) -> None:
        """Questions for a readable and for a foreign canary, by the very words that are indexed."""
        searcher = Searcher(reader, HashEmbedder)
        chance = self.world.random
        everything = {(number, anchor) for number in canaries for anchor in CLOSED_FIRST}
        for places in (may, everything - may):
            if not places:
                continue
            number, anchor = chance.choice(sorted(places))
            answer = searcher.search(SearchRequest(index_text(canaries[number], anchor), None, mode, 100))
            shown = {self.words[hit["text"].split()[1]] for hit in answer["hits"]}
            self.check(mode, user, shown, may)
            if places is may:
                assert (number, anchor) in shown, (mode, user)
            assert canaries[number].word(anchor) not in str(answer) or (number, anchor) in may


def change(world: World, base: TestBase) -> tuple[dict[int, Canary], set[int]]:
    """Other permissions for 150 documents, new closed sections in 50, and 40 deleted; what then is wanted."""
    wanted = copy.deepcopy(world.canaries)
    touched = world.random.sample([n for n, c in wanted.items() if c.by != "source"], 190)
    for number in touched[:150]:
        wanted[number].acl = world.acl()
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
    assert (summary["status"], summary["work"]["embedded"]) == ("published", 0)
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
    assert set(watch.reads) == {"listing", "sql view", "get", "chunks", *MODES}
