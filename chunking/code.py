"""Strategy `code`: parents and children are symbols; what is too long is cut between statements."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from chunking.budget import Ruler
from chunking.outline import Section, outline
from chunking.sections import chunk_sections
from chunking.spec import ChunkerSpec
from kprep.core.models import ChunkedDocument, ChunkProfile, CountTokens, Element, RedactedDocument


def chunk(document: RedactedDocument, profile: ChunkProfile, count_tokens: CountTokens) -> ChunkedDocument:
    """One parent a symbol, with one child where it fits. A class or namespace that fits is one symbol, its members are
    symbols where it does not; nothing else is joined and nothing overlaps. Code that belongs to no symbol (imports,
    constants, the script at the end) has an empty heading path. Raises: as `sections`."""
    apart = replace(profile, min_tokens=0, overlap_sentences=0)
    return chunk_sections(document, apart, count_tokens, _symbols)


def _symbols(document: RedactedDocument, profile: ChunkProfile, ruler: Ruler) -> list[Section]:
    """Sections of the headings; a part of the file without an anchor stands below none of them."""
    out: list[Section] = []
    for section in outline(document, profile, ruler):
        loose = [element.locator.anchor is None and element.fragment == "code" for element in section.elements]
        if not section.heading_path or not any(loose):
            out.append(section)
            continue
        at = loose.index(True)
        if at:
            out.append(replace(section, elements=section.elements[:at]))
        out.append(Section((), section.elements[at:]))
    return _whole(out, 0, min(profile.target_tokens, profile.max_tokens // 2), ruler)


def _whole(sections: list[Section], depth: int, limit: int, ruler: Ruler) -> list[Section]:
    """The sections, with those of one symbol made one where it is within `limit` tokens, the outermost first."""
    out: list[Section] = []
    for path, group in groupby(sections, key=lambda section: section.heading_path[: depth + 1]):
        members = list(group)
        elements = [element for member in members for element in member.elements]
        if len(members) == 1 or len(path) <= depth or not all(element.fragment == "code" for element in elements):
            out += members
            continue
        merged = _merged(elements)
        if ruler.size(merged.text) <= limit:
            out.append(Section(path, (merged,), members[0].heading))
        else:
            out += _whole(members, depth + 1, limit, ruler)
    return out


def _merged(elements: list[Element]) -> Element:
    """One element of code that stands one after the other in a file."""
    first, last = elements[0], elements[-1]
    return replace(first, text="\n\n".join(e.text for e in elements), locator=first.locator.through(last.locator))


CHUNKER = ChunkerSpec("code", 7, chunk)
