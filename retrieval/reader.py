"""Published chunks and parents by address, within what the caller may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from kprep.core.errors import RetrievalError
from kprep.core.signals import SIGNALS
from kprep.store import principals as groups
from kprep.store import relations, releases, search
from kprep.store.search import Scope
from kprep.store.sql import Connection


class Reader:
    """One release of one knowledge base, as some principals."""

    def __init__(
        self,
        connection: Connection,
        kb: str,
        release: int | None,
        principals: Sequence[str],
        as_of: date,
        *,
        unpublished: bool = False,
    ) -> None:
        """`unpublished` lets the gate read a candidate.

        Raises: RetrievalError when nothing is published, or there is no such published release.
        """
        self.connection = connection
        search.plan_anew(connection)
        self.row = resolve_release(connection, kb, release, unpublished=unpublished)
        # Groups are looked up anew for every read, so that a membership that was taken away is gone at once.
        self.scope = Scope(kb, self.row.release, groups.expand(connection, kb, principals), as_of)

    @property
    def release(self) -> int:
        """The release that is read."""
        return self.row.release

    def within(self, view: str | None) -> tuple[Scope, Mapping[str, Any]]:
        """Scope narrowed to a view's filter, and the view's definition: `fields` shown, `boost` (no view: {}).

        Raises: RetrievalError naming the views there are.
        """
        if view is None:
            return self.scope, {}
        views = releases.views(self.connection, self.scope.kb, self.row.release)
        if view not in views:
            raise RetrievalError(f"release {self.release} has no view {view!r}; it has: {', '.join(views) or 'none'}")
        return self.scope.within(views[view]), views[view]

    def chunks(self, uri: str) -> list[dict[str, Any]]:
        """Published chunks of one document in order. Raises: RetrievalError, the same for foreign and unknown."""
        rows = search.chunks(self.connection, self.scope, uri=uri)
        if not rows:
            raise RetrievalError(f"no document {uri!r} in release {self.release} that you may read")
        newer = self._superseded_by(rows[0])
        return [{**chunk_json(row), **newer} for row in rows]

    def _superseded_by(self, row: Mapping[str, Any]) -> dict[str, list[str]]:
        """What supersedes the document of a chunk, as far as the caller may read it: foreign and unknown look alike."""
        uris = row["metadata"].get("superseded_by", [])
        # A successor may begin after the day of reading: it is looked for on the day this document ends, too.
        days = {self.scope.as_of, row["valid_until"] or self.scope.as_of, date.max} if uris else set()
        known: set[str] = set()
        for day in days:
            known |= set(search.readable_uris(self.connection, replace(self.scope, as_of=day), uris))
        return {"superseded_by": sorted(known)} if known else {}

    def relations(self, uri: str, *, incoming: bool = False) -> list[dict[str, Any]]:
        """What a document refers to, or, with `incoming`, what refers to it: as `store.relations.of_source` gives it.

        Raises: RetrievalError, the same for foreign and unknown."""
        self._require(uri)
        found = relations.of_target if incoming else relations.of_source
        return found(self.connection, self.scope, uri=uri)

    def _require(self, uri: str) -> None:
        if not search.readable_uris(self.connection, self.scope, [uri]):
            raise RetrievalError(f"no document {uri!r} in release {self.release} that you may read")

    def get(self, address: str) -> dict[str, Any]:
        """A document by URI, a section by `URI#anchor`, or a chunk by id, with its full text and place.

        Raises: RetrievalError, the same for foreign and unknown.
        """
        found = search.chunks(self.connection, self.scope, chunk_ids=[address])
        if found:
            row = chunk_json(found[0]) | {"relations": self._relations(found)}
            return {"release": self.release, "kind": "chunk", **row, "parent": self._parents(found)[0]}
        uri, _, anchor = address.partition("#")
        rows = search.chunks(self.connection, self.scope, uri=address) or search.chunks(
            self.connection, self.scope, uri=uri
        )
        if anchor and not search.chunks(self.connection, self.scope, uri=address):
            rows = at_anchor(rows, anchor)
        if not rows:
            raise RetrievalError(f"nothing at {address!r} in release {self.release} that you may read")
        first = rows[0]
        return {
            "release": self.release,
            "kind": "section" if anchor else "document",
            "document_uri": first["document_uri"],
            "title": first["document_title"],
            "metadata": {**public_metadata(first), **self._superseded_by(first)},
            "sections": self._parents(rows),
            "relations": self._relations(rows),
        }

    def _relations(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        return relations.of_source(self.connection, self.scope, chunk_ids=[row["chunk_id"] for row in rows])

    def _parents(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        ids = list(dict.fromkeys(row["parent_id"] for row in rows))
        found = search.parents(self.connection, self.scope, ids)
        return [
            {
                "parent_id": row["parent_id"],
                "heading_path": row["heading_path"],
                "summary": row["summary"],
                "text": row["text"],
                "citation": citation(row["document_uri"], row["locator"]),
            }
            for row in found
        ]


def at_anchor(rows: Sequence[dict[str, Any]], anchor: str) -> list[dict[str, Any]]:
    """The chunks of a place: those that have its anchor; else those with its heading as a line, as tiny sections are
    joined; else those below it, as it has no text of its own."""
    wanted = _letters(anchor)
    exact = [row for row in rows if row["locator"].get("anchor") == anchor]
    return (
        exact
        or [row for row in rows if wanted in map(_letters, row["text"].split("\n"))]
        or [row for row in rows if wanted in map(_letters, row["heading_path"])]
        if wanted
        else exact
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def resolve_release(
    connection: Connection, kb: str, release: int | None, *, unpublished: bool = False
) -> releases.ReleaseRow:
    """The live release, or the one asked for if it was published. Raises: RetrievalError with the remedy."""
    live = releases.live_release(connection, kb) or 0
    if not live and not unpublished:
        raise RetrievalError(f"nothing is published in knowledge base {kb!r} yet: run `kprep run` first")
    row = releases.get(connection, kb, live if release is None else release)
    if row is not None and row.status == "retired":
        raise RetrievalError(f"release {release} was collected: `kprep release list` shows those that are kept")
    if row is None or row.release == 0 or (row.published_at is None and not unpublished):
        raise RetrievalError(f"there is no published release {release}: see `kprep release list`")
    return row


def citation(uri: str, locator: Mapping[str, Any]) -> str:
    """A citation a person can follow: `uri#anchor`, `uri, page 3 (printed iii)`, `uri, lines 4-9`, `uri, 04:12-04:40`,
    `uri, message 7`."""
    if locator.get("time"):
        return f"{uri}, {_clock(locator['time'][0])}-{_clock(locator['time'][1])}"
    if locator.get("message"):
        last = locator.get("message_end")
        return f"{uri}, messages {locator['message']}-{last}" if last else f"{uri}, message {locator['message']}"
    if locator.get("page"):
        return f"{uri}, {_pages(locator)}"
    if locator.get("anchor"):
        return f"{uri}#{locator['anchor']}"
    if locator.get("line"):
        first, last = locator["line"]
        return f"{uri}, line {first}" if first == last else f"{uri}, lines {first}-{last}"
    return uri


def _pages(locator: Mapping[str, Any]) -> str:
    page, last = locator["page"], locator.get("page_end")
    label, last_label = locator.get("page_label"), locator.get("page_end_label")
    if not last:
        return f"page {page} (printed {label})" if label else f"page {page}"
    printed = f"{label or page}-{last_label}" if last_label else label
    return f"pages {page}-{last} (printed {printed})" if printed else f"pages {page}-{last}"


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def public_metadata(row: Mapping[str, Any]) -> dict[str, Any]:
    """What a consumer may act on: type, sensitivity, validity, owner, confidence, times, the version of the source."""
    kept = (
        "doc_type",
        "owner",
        "sensitivity",
        *SIGNALS,
        "valid_from",
        "valid_until",
        "supersedes",
        "updated_at",
        "source_title",
        "url",
        "parent",
        "labels",
        "confirmed_by",
        "outdated_by",
    )
    metadata = row["metadata"]
    said = {name: metadata[name] for name in kept if metadata.get(name) not in (None, "")}
    return {**said, "source": row["source"], "store": row["store"], "version_id": row["version_id"]}


def chunk_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """A chunk as it leaves the store."""
    return {
        "chunk_id": row["chunk_id"],
        "doc_id": row["document_id"],
        "version_id": row["version_id"],
        "parent_id": row["parent_id"],
        "document_uri": row["document_uri"],
        "source_uri": row["document_uri"],
        "document_title": row["document_title"],
        "text": row["text"],
        "index_text": row["index_text"],
        "heading_path": list(row["heading_path"]),
        "locator": row["locator"],
        "citation": citation(row["document_uri"], row["locator"]),
        "kind": row["kind"],
        "fragment": row["fragment"],
        "fragment_confidence": row["fragment_confidence"],
        "title": row["title"],
        "generated": list((row["generated"] or {}).get("used", ())),
        "keywords": list(row["keywords"]),
        "entities": row["entities"],
        "language": row["language"],
        "acl": list(row["acl"]),
        "sensitivity": row["sensitivity"],
        "store": row["store"],
        "doc_type": row["doc_type"],
        **{name: row["metadata"].get(name) for name in SIGNALS},
        "updated_at": row["updated_at"].isoformat() if row["updated_at"] else None,
        "valid_from": row["valid_from"].isoformat() if row["valid_from"] else None,
        "valid_until": row["valid_until"].isoformat() if row["valid_until"] else None,
        "content_hash": row["content_hash"],
        "tokens": row["tokens"],
        "links": row["links"],
    }


def hit_of(row: Mapping[str, Any], score: float) -> dict[str, Any]:
    """A chunk as a hit; its rank is known later."""
    return {
        "rank": 0,
        "score": round(score, 6),
        "chunk_id": row["chunk_id"],
        "parent_id": row["parent_id"],
        "document_uri": row["document_uri"],
        "title": row["document_title"] or row["title"],
        "text": row["text"],
        "kind": row["kind"],
        "heading_path": list(row["heading_path"]),
        "locator": row["locator"],
        "citation": citation(row["document_uri"], row["locator"]),
        "fragment": row["fragment"],
        "metadata": {**public_metadata(row), "language": row["language"], "keywords": list(row["keywords"])},
        "links": row["links"],
    }
