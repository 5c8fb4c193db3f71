"""Strategy `code`: parents and children are symbols; what is too long is cut between statements."""

from __future__ import annotations

from dataclasses import replace

from chunking.budget import Ruler
from chunking.outline import Section, outline
from chunking.sections import chunk_sections
from chunking.spec import ChunkerSpec
from chunking.syntax import cut_at_statements
from kprep.core.models import ChunkedDocument, ChunkProfile, CountTokens, RedactedDocument


def chunk(document: RedactedDocument, profile: ChunkProfile, count_tokens: CountTokens) -> ChunkedDocument:
    """One parent a symbol, with one child where it fits; nothing is joined and nothing overlaps. Code that belongs to
    no symbol (imports, constants, the script at the end) has an empty heading path. Raises: as `sections`."""
    apart = replace(profile, min_tokens=0, overlap_sentences=0)
    return chunk_sections(document, apart, count_tokens, _symbols, cut_at_statements)


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
    return out


CHUNKER = ChunkerSpec("code", 1, chunk)
