"""Strategy `auto`: the document says by its elements which strategy fits."""

from __future__ import annotations

from chunking import code, openapi, sections
from chunking.spec import ChunkerSpec
from kprep.core.models import ChunkedDocument, ChunkProfile, CountTokens, ElementKind, RedactedDocument

_SAID = frozenset(("conclusion", "outdated"))
"""Fragments of conversations: they mark single messages, which stay in the context of their thread."""
_CHOICES = (sections.CHUNKER, openapi.CHUNKER, code.CHUNKER)


def chunk(document: RedactedDocument, profile: ChunkProfile, count_tokens: CountTokens) -> ChunkedDocument:
    """The document cut by the strategy that `choose` names. Raises: as `sections`."""
    return choose(document).chunk(document, profile, count_tokens)


def choose(document: RedactedDocument) -> ChunkerSpec:
    """`code` if at least half of the elements are code symbols, `openapi` if at least half are units that the format
    names (operations, schemas, fields, error codes, settings, knowledge fragments), else `sections`."""
    units = [element.fragment for element in document.elements if element.kind is not ElementKind.HEADING]
    named = [fragment for fragment in units if fragment and fragment not in _SAID]
    if not named or len(named) * 2 < len(units):
        return sections.CHUNKER
    return code.CHUNKER if named.count("code") * 2 >= len(named) else openapi.CHUNKER


CHUNKER = ChunkerSpec("auto", sum(choice.version for choice in _CHOICES), chunk)
"""Its version goes up with that of each strategy it may choose."""
