"""What every kind of source must do, shown on real servers and files, over all registered kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.fetching import request_for
from sources import SOURCES, Listing
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.s3_server import running_server
from tests.fakes.worlds import WORLDS, S3World, World

pytestmark = [pytest.mark.xdist_group("s3"), pytest.mark.req("D10.1")]
WORDS = {
    "refunds": "A refund takes fourteen days after the parcel came back.",
    "travel": "The daily allowance for journeys abroad is forty euros.",
    "heating": "The heating of the workshop is read every Monday morning.",
}
MANY = {
    f"page{number:02}": f"Room number {number} has {number + 3} chairs and a door to the garden."
    for number in range(15)
}
SETTINGS = {
    "embedding": {"provider": "none"},
    "quality": {"thresholds": {"short_share": 1.0, "failed_share": 1.0, "duplicate_share": 1.0}},
}


def test_every_registered_kind_has_a_world() -> None:
    assert {world.partition("-")[0] for world in WORLDS} == set(SOURCES)


@pytest.fixture(scope="module")
def s3_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_server(tmp_path_factory.mktemp("weed"), S3World.bucket) as endpoint:
        yield endpoint


@pytest.fixture
def make_world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str, dict[str, str]], World]]:
    """Makes a world of a kind that holds these documents."""
    made: list[World] = []

    def make(kind: str, documents: dict[str, str]) -> World:
        folder = tmp_path / f"world{len(made)}"
        folder.mkdir()
        more = (request.getfixturevalue("s3_endpoint"),) if kind == "s3" else ()
        world = WORLDS[kind](folder, *more)
        made.append(world)
        world.write_all(documents)
        return world

    yield make
    for world in made:
        world.close()


class Kept:
    """A knowledge base over worlds: `docs` is the first, `more` the second."""

    def __init__(self, base: TestBase, *worlds: World) -> None:
        self.base, self.worlds = base, worlds
        self.acls = (["staff"], ["board"])
        self.configure()

    def configure(self) -> None:
        names = ("docs", "more")
        sources = [
            {"name": name, "acl": acl, **world.config()}
            for name, acl, world in zip(names, self.acls, self.worlds, strict=False)
        ]
        self.base.configure(sources=sources, **SETTINGS)

    def run(self, *, allow_deletes: bool = False) -> dict[str, Any]:
        self.configure()
        return self.base.run(allow_deletes=allow_deletes)

    def names(self, principals: tuple[str, ...] = ("staff",)) -> set[str]:
        """Documents of the first world that are seen, by name."""
        world = self.worlds[0]
        of_path = {world.path(name): name for name in {**WORDS, **MANY, **world.documents, "moved": ""}}
        return {of_path[path] for path in self.base.uris(principals) if not path.startswith("more/")}

    def finds(self, words: str, principals: tuple[str, ...] = ("staff",)) -> bool:
        hits = self.base.search(words, mode="lexical", principals=principals)
        return any(words in hit["text"] for hit in hits)

    def listing(self) -> Listing:
        workspace = self.base.workspace
        source = workspace.base.config.sources[0]
        return SOURCES[source.kind].list_entries(request_for(workspace, source))


@pytest.fixture(params=list(WORLDS))
def kept(
    request: pytest.FixtureRequest, make_base: MakeBase, make_world: Callable[[str, dict[str, str]], World]
) -> Kept:
    return Kept(make_base({}), make_world(request.param, WORDS))


@pytest.mark.req("D2.24", "D2.25")
def test_all_is_listed_and_published_and_a_second_run_reads_nothing(kept: Kept) -> None:
    summary = kept.run()
    assert (summary["status"], summary["failures"]) == ("published", [])
    assert summary["documents"]["added"] == 3
    assert kept.names() == set(WORDS)
    assert all(kept.finds(words) for words in WORDS.values())
    listing = kept.listing()
    assert listing.complete is kept.worlds[0].whole
    assert [entry.uri for entry in listing.entries] == sorted(entry.uri for entry in listing.entries)
    assert all(entry.modified_at is not None and entry.modified_at.tzinfo for entry in listing.entries)
    again = kept.run()
    assert (again["status"], again["work"]["parsed"], again["work"]["hashed"]) == ("unchanged", 0, 0)


def test_an_added_document_alone_is_read(kept: Kept) -> None:
    kept.run()
    kept.worlds[0].write("parking", "Visitors park behind the second gate.")
    summary = kept.run()
    assert (summary["documents"]["added"], summary["work"]["parsed"]) == (1, 1)
    assert kept.finds("Visitors park behind the second gate.")


@pytest.mark.req("D10.2", "D10.3")
def test_an_edit_replaces_the_old_text(kept: Kept) -> None:
    kept.run()
    kept.worlds[0].write("travel", "The daily allowance for journeys abroad is fifty euros.")
    summary = kept.run()
    assert (summary["documents"]["changed"], summary["work"]["parsed"]) == (1, 1)
    assert kept.finds("abroad is fifty euros")
    assert not kept.finds("abroad is forty euros")


@pytest.mark.req("D10.2", "D10.3")
def test_an_edit_under_a_clock_that_went_back_is_seen(kept: Kept) -> None:
    kept.run()
    kept.worlds[0].write(
        "travel", "The daily allowance for journeys abroad is eighty euro.", moved=timedelta(days=-400)
    )
    assert kept.run()["documents"]["changed"] == 1
    assert kept.finds("abroad is eighty euro")


@pytest.mark.req("D10.3")
def test_touched_is_not_changed(kept: Kept) -> None:
    kept.run()
    kept.worlds[0].touch("travel")
    summary = kept.run()
    assert (summary["status"], summary["work"]["parsed"]) == ("unchanged", 0)


def test_a_renamed_document_is_found_under_its_new_name_alone(kept: Kept) -> None:
    kept.run()
    world = kept.worlds[0]
    world.rename("heating", "moved")
    summary = kept.run()
    assert summary["documents"]["retired"] == int(world.named_within)
    assert summary["work"]["parsed"] == int(world.named_within)
    assert kept.names() >= {"refunds", "travel"}
    assert len(kept.names()) == 3
    assert any(path == world.path("moved") for path in kept.base.uris(("staff",)))
    assert kept.finds(WORDS["heating"])


@pytest.mark.req("D10.4")
def test_a_deleted_document_is_gone(kept: Kept) -> None:
    kept.run()
    kept.worlds[0].delete("heating")
    summary = kept.run()
    assert summary["documents"]["retired"] == 1
    assert kept.names() == {"refunds", "travel"}
    assert not kept.finds(WORDS["heating"])


@pytest.mark.req("D10.5")
def test_a_narrowed_permission_acts_without_parsing(kept: Kept) -> None:
    kept.run()
    kept.worlds[0].restrict("travel", ["board"])
    summary = kept.run()
    assert summary["work"]["parsed"] == 0
    assert not kept.finds(WORDS["travel"], ("staff",))
    assert kept.finds(WORDS["travel"], ("board",))
    assert kept.finds(WORDS["refunds"], ("staff",))


def test_a_failure_in_the_middle_deletes_nothing_and_the_next_run_converges(kept: Kept) -> None:
    kept.run()
    world = kept.worlds[0]
    world.write("refunds", "A refund takes nine days after the parcel came back.")
    world.fail("travel")
    summary = kept.run()
    assert summary["documents"]["retired"] == 0
    assert any(item["reason"] in ("source_unavailable", "source_unreadable") for item in summary["failures"])
    if any(item["uri"] == "docs" for item in summary["failures"]):  # as a whole, and there is no other
        assert summary["status"] == "failed"
        assert summary["message"].startswith("source docs")
    assert kept.names() == set(WORDS)
    assert kept.finds(WORDS["travel"])
    world.mend()
    summary = kept.run()
    assert (summary["failures"], kept.names()) == ([], set(WORDS))
    assert kept.finds("A refund takes nine days")


def test_an_empty_listing_is_no_deletion(kept: Kept) -> None:
    kept.run()
    world = kept.worlds[0]
    world.documents.clear()
    world.store()
    summary = kept.run()
    assert summary["status"] == ("waiting" if world.whole else "unchanged")
    assert kept.names() == set(WORDS)
    if world.whole:
        assert kept.run(allow_deletes=True)["documents"]["retired"] == 3
        assert kept.names() == set()


def test_many_deletions_wait_for_an_operator(
    kept: Kept, make_base: MakeBase, make_world: Callable[[str, dict[str, str]], World]
) -> None:
    kind = next(name for name, world in WORLDS.items() if isinstance(kept.worlds[0], world))  # type: ignore[arg-type]
    many = Kept(make_base({}), make_world(kind, MANY))
    many.run()
    many.worlds[0].delete(*list(MANY)[:12])
    summary = many.run()
    assert (summary["status"], summary["documents"]["retired"]) == ("waiting", 12)
    assert many.names() == set(MANY)
    assert many.run(allow_deletes=True)["status"] == "published"
    assert many.names() == set(list(MANY)[12:])


@pytest.mark.req("D10.5")
def test_a_document_of_two_sources_stays_while_one_has_it(
    kept: Kept, make_base: MakeBase, make_world: Callable[[str, dict[str, str]], World]
) -> None:
    kind = next(name for name, world in WORLDS.items() if isinstance(kept.worlds[0], world))  # type: ignore[arg-type]
    both = Kept(make_base({}), kept.worlds[0], make_world(kind, {"travel": WORDS["travel"]}))
    both.run()
    assert both.finds(WORDS["travel"], ("staff",))
    assert both.finds(WORDS["travel"], ("board",))
    both.worlds[0].delete("travel")
    summary = both.run()
    assert (summary["documents"]["retired"], summary["work"]["parsed"]) == (1, 0)
    assert not both.finds(WORDS["travel"], ("staff",))
    assert both.finds(WORDS["travel"], ("board",))
