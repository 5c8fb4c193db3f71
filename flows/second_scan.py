"""The published text read again, right after it is published, and what follows from a finding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from flows.progress import report
from flows.rooms import redactor_of
from flows.workspace import Workspace
from kprep.core.ids import canonical_json
from kprep.store import releases, second_scan
from kprep.store.second_scan import Shown, ShownDocument
from quality import SecondScanner

REMEDY = (
    "extend the redaction policy or correct the document, then run again; if it is none, add it to `allow` of the "
    "policy and lift with `kprep suppress URI --reason second_scan --by NAME --lift`"
)
MADE_BY = "second scan"


def look_again(workspace: Workspace) -> dict[str, Any]:
    """Scan what the live release added, unless that was done; {chunks, findings: [{uri, chunk_id, kind, found_in}]}.

    A document with a finding is hidden at once, in every release, until one is published in which it has none. The
    outcome is kept with the release's gate report. A run that died before this is made up for by the next one.
    """
    kb = workspace.kb
    with workspace.database.begin() as connection:
        release = releases.live_release(connection, kb) or 0
        row = releases.get(connection, kb, release)
    if row is None or not release or row.report is None or "second_scan" in row.report:
        return {"chunks": 0, "findings": []}
    report("second scan", 0, 0)
    scanner = scanner_of(workspace)
    with workspace.database.begin() as connection:
        chunks = _Counted(second_scan.added(connection, kb, row.base_release, release))
        findings = list(_findings(scanner, second_scan.documents(connection, kb, release), chunks))
        hidden = second_scan.withdrawn(connection, kb)
        still = list(_findings(scanner, *second_scan.of_documents(connection, kb, release, hidden)))
    found = {item["document_id"] for item in (*findings, *still)}
    outcome = {
        "chunks": chunks.count,
        "findings": [{name: item[name] for name in ("uri", "chunk_id", "kind", "found_in")} for item in findings],
    }
    with workspace.writing() as connection:
        second_scan.withdraw(connection, kb, _rows(findings), f"{MADE_BY} of release {release}")
        second_scan.readmit(connection, kb, [key for key in hidden if key not in found], MADE_BY)
        status = str(row.report.get("status", ""))
        releases.save_report(connection, kb, release, status, {**row.report, "second_scan": outcome})
    return outcome


def scanner_of(workspace: Workspace) -> SecondScanner:
    """Lets pass what persons said may stand: allowed domains, addresses and patterns, released secrets."""
    policy, redactor = workspace.rules.redaction.of_any_source(), redactor_of(workspace.rules)
    patterns = [re.compile(pattern) for pattern in policy.allow_patterns]

    def allowed(kind: str, value: str) -> bool:
        if kind == "EMAIL" and policy.allows_email(value):
            return True
        return any(pattern.search(value) for pattern in patterns) or redactor.is_released(value)

    return SecondScanner(allowed)


class _Counted:
    """Chunks, counted as they are read."""

    def __init__(self, chunks: Iterator[Shown]) -> None:
        self._chunks = chunks
        self.count = 0

    def __iter__(self) -> Iterator[Shown]:
        for chunk in self._chunks:
            self.count += 1
            yield chunk


def _findings(
    scanner: SecondScanner, documents: Iterable[ShownDocument], chunks: Iterable[Shown]
) -> Iterator[dict[str, Any]]:
    uris = {}
    for document in documents:
        uris[document.document_id] = document.uri
        said = {"title": document.title, "metadata": canonical_json(_readable(document.metadata))}
        for kind, place in _places(scanner, said):
            yield _finding(document.document_id, document.uri, None, kind, place)
    for chunk in chunks:
        said = {
            "text": chunk.text,
            "title": chunk.title,
            "heading_path": "\n".join(chunk.heading_path),
            "keywords": "\n".join(chunk.keywords),
            "entities": canonical_json(chunk.entities),
            "locator": canonical_json(chunk.locator),
            "links": canonical_json(chunk.links),
        }
        for kind, place in _places(scanner, said):
            yield _finding(chunk.document_id, uris.get(chunk.document_id, ""), chunk.chunk_id, kind, place)


def _places(scanner: SecondScanner, said: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(kind, field); the fields are scanned one by one only where all together show something."""
    if scanner.scan("\n".join(said.values())):
        for place, text in said.items():
            yield from ((kind, place) for kind in scanner.scan(text))


def _readable(metadata: dict[str, Any]) -> dict[str, Any]:
    """Metadata without principals, which are names of people by their nature."""
    return {name: value for name, value in metadata.items() if name not in ("acl", "sections", "narrowest")}


def _finding(document_id: str, uri: str, chunk_id: str | None, kind: str, place: str) -> dict[str, Any]:
    return {"document_id": document_id, "uri": uri, "chunk_id": chunk_id, "kind": kind, "found_in": place}


def _rows(findings: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for item in findings:
        row = rows.setdefault(item["document_id"], {"chunk_ids": set(), "said": set()})
        row["said"].add(f"{item['kind']} in {item['found_in']}")
        if item["chunk_id"] is not None:
            row["chunk_ids"].add(item["chunk_id"])
    return [
        {"document_id": key, "chunk_ids": sorted(row["chunk_ids"]), "note": ", ".join(sorted(row["said"]))}
        for key, row in sorted(rows.items())
    ]
