"""What a document refers to: links, citations, imports, schema references, and what its metadata names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from enrichment.imports import imports_of
from kprep.core.models import ChildChunk, ChunkedDocument, Relation

NAMED_KINDS = ("depends_on", "related_to", "supersedes")
MOST_PER_CHUNK = 60
_SECTION = re.compile(
    r"(?:\b(?:sections?|chapter|clause|abschnitt|kapitel|ziffer)\s+|§{1,2}\s*|第)(?P<number>\d+(?:\.\d+)*)(?:\s*[节章条])?"
    r"(?:\s+of\s+(?:the\s+)?(?P<of>(?:[A-Z][\w&-]*\s+){1,6}(?:Policy|Guide|Handbook|Manual|Directive|Regulation|Procedure|"
    r"Standard|Agreement|Plan)))?",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:[Ss]ee|[Rr]efer to|[Aa]ccording to|[Dd]efined in|[Dd]escribed in)\s+(?:also\s+)?(?:the\s+)?"
    r"(?P<of>(?:[A-Z][\w&-]*\s+){1,6}(?:Policy|Guide|Handbook|Manual|Directive|Regulation|Procedure|Standard|Agreement|Plan))\b"
)
_RFC = re.compile(r"\bRFC[ -]?(?P<number>\d{1,5})\b")
_NUMBERED_HEADING = re.compile(
    r"\s*(?:(?:section|chapter|clause|abschnitt|kapitel)\s+|§\s*|第)?(\d+(?:\.\d+)*)(?:[.):节章条\s]|$)", re.IGNORECASE
)


def relations_of(document: ChunkedDocument) -> tuple[Relation, ...]:
    """Relations in reading order, those of the whole document first; each once a chunk.

    A citation of a section is kept only where the document has a heading of that number; one of a document by its name
    ("see the Travel Policy") has the name as `title`. Nothing is looked up here: whether a target exists is known at
    assembly."""
    out = list(_named(document))
    numbered = _numbered_headings(document)
    for at, child in enumerate(document.children):
        found = [*_links(child), *_citations(child, numbered), *_imports(child)]
        unique = dict.fromkeys((kind, written, targets, title) for kind, written, targets, title in found)
        out += [
            Relation(kind, written, targets, at, title)
            for kind, written, targets, title in list(unique)[:MOST_PER_CHUNK]
        ]
    return tuple(out)


Found = tuple[str, str, tuple[str, ...], str]
"""(kind, as written, targets, title)."""


def _named(document: ChunkedDocument) -> Iterator[Relation]:
    """`depends_on`, `related_to`, `supersedes` of the front matter and of each entry: one value or a list."""
    facts = document.metadata.front_matter
    entries = facts.get("entries")
    several: Sequence[Any] = [facts, *entries] if isinstance(entries, list) else [facts]
    names = {heading.casefold(): anchor for anchor, heading in document.anchors if heading}
    seen = set()
    for fields in several:
        if not isinstance(fields, Mapping):
            continue
        for kind in NAMED_KINDS:
            value = fields.get(kind)
            for written in value if isinstance(value, list) else [value]:
                if not isinstance(written, str) or not written.strip() or (kind, written) in seen:
                    continue
                seen.add((kind, written))
                own = names.get(written.strip().casefold())
                target = f"#{own}" if own else written.strip()
                yield Relation(kind, written.strip(), (target,), None, "" if own else written.strip())


def _links(child: ChildChunk) -> Iterator[Found]:
    for link in child.links:
        target = link.target.strip()
        if not target or target.startswith(("mailto:", "tel:", "javascript:", "data:")):
            continue
        kind = "ref" if child.fragment in ("api", "schema", "error") else "link"
        yield kind, link.text.strip() or target, (target,), ""


def _numbered_headings(document: ChunkedDocument) -> dict[str, str]:
    """Number of a heading -> its anchor, the first where a number stands twice."""
    out: dict[str, str] = {}
    for anchor, heading in document.anchors:
        match = _NUMBERED_HEADING.match(heading)
        if match:
            out.setdefault(match.group(1), anchor)
    return out


def _citations(child: ChildChunk, numbered: Mapping[str, str]) -> Iterator[Found]:
    if child.kind == "code":
        return
    text = child.text[len(child.lead) :]
    for match in _RFC.finditer(text):
        address = f"https://www.rfc-editor.org/rfc/rfc{int(match['number'])}"
        yield "citation", " ".join(match.group().split()), (address,), ""
    for match in _SECTION.finditer(text):
        written = " ".join(match.group().split())
        if match["of"]:
            yield "citation", written, (), " ".join(match["of"].split())
        elif match["number"] in numbered:
            yield "citation", written, (f"#{numbered[match['number']]}",), ""
    for match in _NAMED.finditer(text):
        name = " ".join(match["of"].split())
        yield "citation", name, (), name


def _imports(child: ChildChunk) -> Iterator[Found]:
    if child.kind != "code" or not child.code_language:
        return
    for written, targets in imports_of(child.text, child.code_language):
        yield "import", written, targets, ""
