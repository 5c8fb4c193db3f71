"""The types that travel between rooms, in the order of the pipeline. Frozen; tuples, not lists; datetimes carry a zone.

Each room takes one type and gives the next, so that a skipped step is a type error:
RawDocument -> ParsedDocument -> CleanDocument -> RedactedDocument -> ChunkedDocument -> EnrichedDocument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Locator:
    """Where in the original a text stands. Lines, pages, slides and rows count from 1; spans are half-open.

    `char` counts Unicode code points of the decoded original (only where the original is text).
    `page_end`, `message_end` and `line` are inclusive, as people cite them. `time` is in seconds.
    `page_label`, `page_end_label`: what is printed as the number of `page` and `page_end`, where it differs ("iii").
    `row`: of a file of records (CSV, TSV), as spreadsheets count: the header and blank lines are rows, too.
    `sheet_number` counts all sheets of the file; it takes the place of a `sheet` whose name cannot be shown.
    """

    page: int | None = None
    page_end: int | None = None
    page_label: str | None = None
    page_end_label: str | None = None
    slide: int | None = None
    line: tuple[int, int] | None = None
    time: tuple[float, float] | None = None
    anchor: str | None = None
    sheet: str | None = None
    sheet_number: int | None = None
    cell: str | None = None
    row: int | None = None
    message: str | None = None
    message_end: str | None = None
    char: tuple[int, int] | None = None

    def to_json(self) -> dict[str, Any]:
        """Only the fields that are set; tuples as lists. The number of a sheet only where its name is not there."""
        out: dict[str, Any] = {}
        for item in fields(self):
            value = getattr(self, item.name)
            if value is not None and not (item.name == "sheet_number" and self.sheet is not None):
                out[item.name] = list(value) if isinstance(value, tuple) else value
        return out

    @classmethod
    def from_json(cls, value: JsonObject) -> Locator:
        """Inverse of `to_json`; unknown fields are ignored (they may be added later)."""
        known = {item.name for item in fields(cls)}
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in value.items() if k in known}
        return cls(**values)

    def through(self, last: Locator) -> Locator:
        """The place from the start of this locator to the end of `last` (which comes later in the same original, or
        inside this place)."""
        page_end = last.page_end or last.page
        label = last.page_end_label if last.page_end else last.page_label
        message_end = last.message_end or last.message
        return replace(
            self,
            page_end=page_end if page_end != self.page else None,
            page_end_label=label if page_end != self.page else None,
            line=(min(self.line[0], last.line[0]), max(self.line[1], last.line[1]))
            if self.line and last.line
            else self.line,
            message_end=message_end if message_end != self.message else None,
            time=(self.time[0], last.time[1]) if self.time and last.time else self.time,
            char=(min(self.char[0], last.char[0]), max(self.char[1], last.char[1]))
            if self.char and last.char
            else self.char,
        )


class ElementKind(StrEnum):
    """What an element is. Those from HEADER on are furniture: cleaning decides about them."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    CODE = "code"
    QUOTE = "quote"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    HEADER = "header"
    FOOTER = "footer"
    PAGE_NUMBER = "page_number"
    NAVIGATION = "navigation"
    COOKIE_NOTICE = "cookie_notice"
    TABLE_OF_CONTENTS = "table_of_contents"
    QUOTED_REPLY = "quoted_reply"
    SIGNATURE = "signature"
    DISCLAIMER = "disclaimer"
    GREETING = "greeting"
    CHATTER = "chatter"
    REPEATED = "repeated"
    WATERMARK = "watermark"


@dataclass(frozen=True, slots=True)
class Link:
    """A link as the source has it: the visible words and the target as written."""

    text: str
    target: str


def table_text(rows: tuple[tuple[str, ...], ...]) -> str:
    """Text of a table: one line a row, cells joined by " | ", line breaks inside cells as spaces."""
    return "\n".join(map(_row_text, rows))


def _row_text(row: tuple[str, ...]) -> str:
    line = " | ".join(row)
    if " ".join(line.split()) == line:  # no cell is empty or has white space to join
        return line
    return " | ".join([" ".join(cell.split()) for cell in row])


@dataclass(frozen=True, slots=True)
class Element:
    """One block of a document.

    `text`: its words; for a table always `table_text(rows)`; for code the bytes between the fences, unchanged.
    `level`: heading 1..6, list depth from 1, else 0. `marker`: "3." or "-" of a list item. `language`: of a code block.
    `rows`: cells of a table, the first `header_rows` of them being its header.
    `row_starts`: line and character (as in `Locator.line` and `.char`) at which each row begins, where rows follow one
    another in a text; of a sheet, its row (from 1) and 0; else empty. `row_places`: where each row stands, where a
    table runs over pages or rows have numbers; else empty.
    `hidden`: the reader of the original does not see it (white text, display:none).
    `fragment`: what kind of knowledge it is where the format itself says so ("def", "ex", "api", "schema", "field",
    "error", ...), else "". Elements of a fragment stay apart from those of another one or at another anchor.
    """

    kind: ElementKind
    text: str
    locator: Locator
    level: int = 0
    marker: str = ""
    language: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    header_rows: int = 0
    links: tuple[Link, ...] = ()
    hidden: bool = False
    confidence: float | None = None
    fragment: str = ""
    row_starts: tuple[tuple[int, int], ...] = ()
    row_places: tuple[Locator, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceUnit:
    """One unit of the original that must be accounted for: a page, slide, sheet, or the whole file.

    `state`: "ok" or a reason code ("no_text", "needs_review", "broken", ...). `chars`: characters of text it gave.
    `name`: of an embedded file, as the original has it, or the place of a picture without a name; of a broken part what
    is wrong with it and where; else "". `char`: as in `Locator`, of what is left out of a text; else None.
    """

    kind: str
    number: int
    state: str
    chars: int
    name: str = ""
    char: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class DocumentMetadata:
    """What a document says of itself. Empty when it says nothing; nothing is guessed.

    `front_matter`: values as read (strings, numbers, booleans, lists, ISO dates as strings).
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    created_at: datetime | None = None
    modified_at: datetime | None = None
    language: str = ""
    front_matter: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RawDocument:
    """Bytes of one document as a source delivered them.

    `uri`: canonical, `<source>/<relative path>` in NFC with forward slashes. `name`: the last part of the path.
    """

    uri: str
    name: str
    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The intermediate representation: one for all formats; later rooms know no format."""

    uri: str
    media_type: str
    parser: str
    elements: tuple[Element, ...]
    units: tuple[SourceUnit, ...]
    metadata: DocumentMetadata


@dataclass(frozen=True, slots=True)
class Removal:
    """What a cleaning rule took: rule name, place, SHA-256 and length of the text taken."""

    rule: str
    locator: Locator
    text_hash: str
    chars: int


@dataclass(frozen=True, slots=True)
class CleanDocument:
    """A parsed document without noise."""

    uri: str
    media_type: str
    parser: str
    elements: tuple[Element, ...]
    units: tuple[SourceUnit, ...]
    metadata: DocumentMetadata
    removals: tuple[Removal, ...]


@dataclass(frozen=True, slots=True)
class Redaction:
    """A value that was replaced: its kind ("EMAIL", "PHONE", ...) and place; never the value."""

    kind: str
    locator: Locator


@dataclass(frozen=True, slots=True)
class RedactedDocument:
    """A clean document whose text, tables, links and metadata hold no personal data and no secret."""

    uri: str
    media_type: str
    parser: str
    elements: tuple[Element, ...]
    units: tuple[SourceUnit, ...]
    metadata: DocumentMetadata
    removals: tuple[Removal, ...]
    redactions: tuple[Redaction, ...]


@dataclass(frozen=True, slots=True)
class ParentChunk:
    """A section with its full context. `key`: content-addressed and unique within the document."""

    key: str
    heading_path: tuple[str, ...]
    text: str
    locator: Locator


@dataclass(frozen=True, slots=True)
class ChildChunk:
    """The unit of retrieval: `text == lead + parent.text[start:end]`.

    `lead`: text repeated from elsewhere in the parent (a table header), else "". `start`, `end`: characters, half-open.
    Consecutive children tile their parent: only white space lies between them; `overlap` characters at the start
    repeat the end of the child before (0 = none). `kind`: "text", "list", "table", "code".
    `key`: content-addressed and unique within the document; edits elsewhere do not change it.
    `fragment`: of its elements, "" where they name none. `header_rows`: of a table it begins with or goes on, how many
    of its rows in `text` are header; None where that is not known.
    """

    key: str
    parent_key: str
    kind: str
    heading_path: tuple[str, ...]
    text: str
    lead: str
    start: int
    end: int
    overlap: int
    locator: Locator
    links: tuple[Link, ...]
    code_language: str = ""
    fragment: str = ""
    header_rows: int | None = None


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """Parents and children in reading order. `anchors`: (anchor, its heading or "") of every place that has one."""

    uri: str
    metadata: DocumentMetadata
    title: str
    parents: tuple[ParentChunk, ...]
    children: tuple[ChildChunk, ...]
    anchors: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """What a document refers to. `kind`: "link", "citation", "import", "ref", "depends_on", "related_to", "supersedes".

    `written`: as the source has it. `targets`: references it may mean, best first, relative to the document.
    `child`: index of the child that holds it, None for the document as a whole. `title`: of the document meant, where
    it is named by its title."""

    kind: str
    written: str
    targets: tuple[str, ...]
    child: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing. `kind`: "api", "api_path", "error_code", "policy", "module", "symbol". `origin`: what says so: a
    "pattern", or the document's own "heading", "operation", "schema" or "code". `confidence`: 0..1."""

    kind: str
    value: str
    origin: str
    confidence: float


@dataclass(frozen=True, slots=True)
class EnrichedChunk:
    """A child chunk with what retrieval needs. Only `index_text` is embedded and indexed; `text` is what is cited.

    `key` covers everything here but the place, so that a chunk's row never changes once written.
    `content_hash`: digest of `index_text`. `tokens`: of `index_text`, by the embedder's own tokenizer.
    `fragment_confidence`: 0..1, how sure the fragment is. `signals`: "rule" and "entry" -> estimated and stated signals
    (`kprep.core.signals`); those of the document as a whole are not in it.
    """

    key: str
    parent_key: str
    kind: str
    text: str
    index_text: str
    heading_path: tuple[str, ...]
    title: str
    keywords: tuple[str, ...]
    language: str
    content_hash: str
    tokens: int
    locator: Locator
    start: int
    end: int
    links: tuple[Link, ...]
    fragment: str = ""
    fragment_confidence: float = 0.0
    signals: JsonObject = field(default_factory=dict)
    entities: tuple[Entity, ...] = ()


@dataclass(frozen=True, slots=True)
class EnrichedParent:
    """A parent chunk with its short extractive summary and its language."""

    key: str
    heading_path: tuple[str, ...]
    text: str
    summary: str
    locator: Locator


@dataclass(frozen=True, slots=True)
class EnrichedDocument:
    """What preparation gives for one document."""

    uri: str
    title: str
    language: str
    metadata: DocumentMetadata
    parents: tuple[EnrichedParent, ...]
    children: tuple[EnrichedChunk, ...]
    anchors: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class ParserSpec:
    """A format. `parse` gives the document or raises a ParseError; `quote` opens a locator in the original bytes.

    `quote(content, locator)` returns the text of the original at the place, read without the parser's result, so that
    a citation can be checked; white space and markup may differ from the chunk's text.
    `options()`: what beside the version shapes the outcome, such as an extra that is installed.
    `attached(content)`: files sent along with the document, each a document of its own: (name, bytes), no name twice.
    """

    name: str
    version: int
    media_types: tuple[str, ...]
    parse: Callable[[RawDocument], ParsedDocument]
    quote: Callable[[bytes, Locator], str]
    options: Callable[[], JsonObject] = dict
    attached: Callable[[bytes], list[tuple[str, bytes]]] | None = None


@dataclass(frozen=True, slots=True)
class SpeechSettings:
    """How recordings are transcribed. `model`: "bundled", or a folder with a CTranslate2 Whisper model.

    `language`: as in "en"; "" detects it. `budget_s`: seconds of speech of one recording that are transcribed at most.
    `min_confidence`: mean probability of a segment's words under which it is left to a person. `accepted`: a person
    said that such segments of this recording are used.
    """

    model: str = "bundled"
    language: str = ""
    budget_s: float = 3600.0
    min_confidence: float = 0.45
    accepted: bool = False


CountTokens = Callable[[str], int]

UNSPACED = frozenset(("zh", "ja", "th", "lo", "km", "my", "yue", "wuu"))
"""Languages written without spaces between words."""


@dataclass(frozen=True, slots=True)
class ChunkProfile:
    """How documents of one type are cut. Sizes count tokens of the exact text sent to the embedder.

    `max_tokens` is a hard limit; `target_tokens` is where a chunk is full; below `min_tokens` neighbours of one
    section and kind are joined. `overlap_sentences`: boundary sentences repeated between narrative children.
    `target`: language ("*": every other) -> (number, "words" | "characters" | "tokens") that takes the place of
    `target_tokens` for documents in it; words do not count where a language is written without spaces.
    """

    strategy: str = "auto"
    max_tokens: int = 256
    target_tokens: int = 224
    min_tokens: int = 24
    overlap_sentences: int = 0
    target: Mapping[str, tuple[int, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """What one document became on its way from bytes to enriched chunks. Holds no unredacted text.

    `seconds`: room -> seconds. `removed_share`: of the text's characters that cleaning took, 0..1.
    `coverage`: share of the source's letters and digits that reached an element, 0..1; None where it cannot be told.
    """

    document: EnrichedDocument
    media_type: str
    parser: str
    units: tuple[SourceUnit, ...]
    removals: tuple[Removal, ...]
    redactions: tuple[Redaction, ...]
    seconds: Mapping[str, float]
    removed_share: float = 0.0
    coverage: float | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A document that did not come through: at which stage and why. `context` holds places and counts, no text."""

    stage: str
    reason: str
    detail: str
    retryable: bool
    context: JsonObject = field(default_factory=dict)
