"""`kprep review retry --stage`: a document goes again from a stage on, with what the stages before it gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

import chunking
import cleaning
import enrichment
import parsers
import redaction
from flows import review
from flows.planning import preview
from kprep.core.errors import ChunkingError, SourceError
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR

ROOMS = ("parse", "clean", "redact", "chunk", "enrich")
DONE = {
    "parse": ROOMS, "clean": ROOMS[1:], "redact": ROOMS[1:], "chunk": ROOMS[3:], "enrich": ROOMS[3:],
}  # fmt: skip
"""Stage -> rooms that work: cleaning before redaction and chunking before enrichment are not kept."""
URI = "docs/travel.md"


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """(room, URI) in the order of the work."""
    seen: list[tuple[str, str]] = []

    def watched(room: str, real: Callable[..., Any], place: int = 0) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            seen.append((room, arguments[place].uri))
            return real(*arguments)

        return call

    monkeypatch.setattr(parsers, "parse", watched("parse", parsers.parse))
    monkeypatch.setattr(cleaning, "clean", watched("clean", cleaning.clean))
    monkeypatch.setattr(redaction.Redactor, "redact", watched("redact", redaction.Redactor.redact, 1))
    monkeypatch.setattr(chunking, "chunk", watched("chunk", chunking.chunk))
    monkeypatch.setattr(enrichment, "enrich", watched("enrich", enrichment.enrich))
    return seen


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    made = make_base({name: content + f"\nOf {name}.\n" for name, content in FOUR.items()})
    assert made.run()["status"] == "published"
    return made


def retry(base: TestBase, *uris: str, stage: str | None = None) -> list[str]:
    done = review.retry(base.workspace, uris, stage, "again", "ann", dry_run=False)
    return [row["uri"] for row in done["documents"]]


@pytest.mark.parametrize("stage", ROOMS)
def test_a_document_goes_again_from_a_stage_on_and_no_other_does(
    base: TestBase, worked: list[tuple[str, str]], stage: str
) -> None:
    before = base.content()
    worked.clear()
    assert retry(base, URI, stage=stage) == [URI]
    (change,) = preview(base.workspace, allow_deletes=False)["changes"]
    assert (change["uri"], change["stage"]) == (URI, stage)
    base.run()
    assert worked == [(room, URI) for room in DONE[stage]]
    assert base.content() == before
    worked.clear()
    assert base.run()["status"] == "unchanged", "once"
    assert worked == []
    retry(base, URI, stage=stage)
    base.run()
    assert worked == [(room, URI) for room in DONE[stage]], "and once more when asked again"


def test_a_failed_document_begins_at_the_stage_named(
    base: TestBase, worked: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = chunking.chunk

    def refuse(document: Any, *rest: Any) -> Any:
        if document.uri == URI:
            raise ChunkingError("refused by the test")
        return real(document, *rest)

    monkeypatch.setattr(chunking, "chunk", refuse)
    base.configure(chunking={"profiles": {"document": {"max_tokens": 64, "target_tokens": 40}}})
    assert [row["uri"] for row in base.run()["failures"]] == [URI]
    monkeypatch.setattr(chunking, "chunk", real)
    worked.clear()
    assert base.run()["work"]["parsed"] == 0
    assert retry(base, stage="redact") == [URI], "all that failed, where none is named"
    base.run()
    assert [room for room, _ in worked if room != "chunk"] == ["clean", "redact", "enrich"]
    assert base.run()["failures"] == []


def test_vectors_of_what_is_not_live_are_computed_anew(base: TestBase) -> None:
    base.configure(quality={"thresholds": {"failed_share": 0.0, "short_share": 1.0, "duplicate_share": 1.0}})
    base.write("travel.md", "# Travel\n\nA ticket of the third class was paid for journeys in the year before.\n")
    assert base.run()["status"] == "published", "so that the first release is one to go back to, and no longer live"
    base.block()
    base.write("travel.md", "# Travel\n\nA ticket of the second class is paid for every journey from now on.\n")
    assert base.run()["status"] == "blocked"
    assert retry(base, URI, "docs/zz-broken.pdf", stage="embed") == [URI, "docs/zz-broken.pdf"]
    again = base.run()
    assert again["work"]["embedded"] == again["chunks"]["added"] > 0
    with base.connection() as connection:
        lost = text(
            "SELECT count(*) FROM kprep.release_members m WHERE m.kb = :kb AND NOT EXISTS "
            "(SELECT FROM kprep.embeddings e WHERE e.content_hash = m.content_hash)"
        )
        assert connection.execute(lost, {"kb": base.name}).scalar_one() == 0


def test_what_failed_and_is_tried_again_already_is_named(base: TestBase) -> None:
    base.write("zz-broken.pdf", b"%PDF-1.4 nothing")
    base.run()
    assert retry(base) == ["docs/zz-broken.pdf"]
    again = review.retry(base.workspace, (), "embed", "again", "ann", dry_run=False)
    assert again["documents"] == []
    assert [(row["uri"], row["stage"]) for row in again["waiting"]] == [("docs/zz-broken.pdf", "parse")]


def test_only_what_is_known_is_done_again(base: TestBase) -> None:
    with pytest.raises(SourceError, match="name a --stage"):
        retry(base, URI)
    with pytest.raises(SourceError, match="is no document"):
        retry(base, "docs/none.md", stage="parse")
    assert retry(base, stage="parse") == []
    assert base.run()["status"] == "unchanged"
