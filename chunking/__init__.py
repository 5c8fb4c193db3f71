"""Cuts a redacted document into parents (full context) and children (units of retrieval). Pure: no I/O, no clock.

In: RedactedDocument, ChunkProfile, the embedder's own token counter. Out: ChunkedDocument, in reading order.

- Parents are sections: the elements between two headings, with their heading path. Text before the first heading is a
  parent with an empty path. A heading without a body joins the path of the next section; one at the very end, or a
  document of headings only, becomes text. Sections under `min_tokens` without table or code are joined with a
  neighbour below the same heading, their headings becoming lines of the text; sections of different parents never are.
  A slide or sheet is a parent of its own. No child spans places that one locator cannot cite (two slides, messages,
  notebook cells).
- Children are paragraphs, list items, table rows, code and quotes of one section, packed up to `target_tokens`, or to
  the words or characters that `target` wants for the document's language. A question and its answer are a child of
  their own. Tables and code stand alone, with the paragraph that introduces them; the short command of a step stays in
  its list. A "Note:" stays with what it notes. Tables are
  cut between rows and repeat their header in `lead`; code is cut between statements where its language has a grammar,
  else at top-level blank lines, else at line ends; prose
  between sentences; only a row, line or sentence that alone is over the limit is cut inside.
- Limit: the tokens of the exact `index_text` (heading line, lead, overlap and a reserve for keywords included) are at
  most `max_tokens`, checked on the final string with the real tokenizer. Characters are bounded too (8 per token):
  WordPiece counts a run of 5,000 Thai letters as one unknown token.
- `child.text == child.lead + parent.text[child.start:child.end]`; children tile their parent, only white space lies
  between them. Offsets are carried from the elements on, never searched.
- Keys are content-addressed: H(kind, heading path, text, occurrence among equals). Where to cut is decided by the
  content near the cut, so an edit changes the chunks it touches and cuts fall back into step soon after; it never
  reaches another section (but where the edit makes a section so small, or no longer so small, that it is joined).
- Overlap repeats boundary sentences between text children only, and only where it fits; never for code or tables,
  nor for what was said or written at a time of its own (recordings, conversations).

Strategies: `auto` (the default) chooses by the elements among `sections`, all of the above; `openapi`, for reference
units, which are never joined; `code`, one child a symbol, longer ones cut between statements. Elements that name their
fragment (an operation, an error code, a definition) stay apart from those of another fragment or anchor everywhere.

Never: text lost, a chunk over the limit, a file name in the text. A document without text raises ChunkingError.
"""

from __future__ import annotations

from chunking import auto, code, openapi, sections
from chunking.spec import Chunk, ChunkerSpec
from kprep.core.errors import ConfigError
from kprep.core.models import ChunkedDocument, ChunkProfile, CountTokens, RedactedDocument
from kprep.core.registry import by_name

CHUNKERS = by_name((auto.CHUNKER, sections.CHUNKER, openapi.CHUNKER, code.CHUNKER))


def chunk(document: RedactedDocument, profile: ChunkProfile, count_tokens: CountTokens) -> ChunkedDocument:
    """Parents and children of the document, cut by the strategy the profile names.

    Raises: ConfigError (unknown strategy, impossible sizes), ChunkingError (no text, a limit that cannot be met)."""
    if profile.strategy not in CHUNKERS:
        known = ", ".join(CHUNKERS)
        raise ConfigError(f"chunk strategy {profile.strategy!r} is unknown (known: {known})", key="chunking.strategy")
    return CHUNKERS[profile.strategy].chunk(document, profile, count_tokens)


__all__ = ["CHUNKERS", "Chunk", "ChunkerSpec", "chunk"]
