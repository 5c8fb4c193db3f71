"""Bytes of one document to the one intermediate representation. Specification of this room:

In: a `RawDocument` whose media type `media_type.detect` read from the bytes (the name only breaks ties).
Out: a `ParsedDocument`: every block in reading order, its kind, its place, the units of the original, what the
document says of itself. Later rooms know no format.

Always:
- Nothing of the original's text is dropped but scripts, styles, comments in markup and deleted revisions; files sent
  with a mail are documents of their own (`spec.attached`); embedded files are `SourceUnit`s with state
  `not_extracted`. Navigation, running headers, cookie notices and the like are kept and named by their kind; cleaning
  decides about them.
- Text the reader of the original does not see is kept and marked `hidden`.
- Every element has a locator, and `spec.quote(content, locator)` reads the place afresh, without the parse result.
- Of a `.env` what may be a secret is withheld from the bytes themselves (`dotenv`), before they are parsed or kept.
- Code is kept byte for byte (line ends apart); a table's text is `table_text(rows)`; what a merged cell says
  stands in each row and column it is for (`merged_cells`).
- `char` counts code points of the decoded original without its byte order mark; lines end at CR LF, CR or LF.
- One exit for all formats (`exit.py`): no NUL, lone surrogate, bidi override or invisible control leaves this room.
- The same bytes give the same result. No network, no clock, no file system, no external entity.

Never an empty success: raises `UnsupportedFormat` (no parser for the media type), `CorruptDocument` (damaged, or not
what it claims), `EncryptedDocument` (needs a password), `TooLarge` (unpacks beyond the limits), `NoText` (opens but
holds no visible text; a scan), `NeedsReview` (a scan recognised too badly), `WrongEncoding` (bytes that are no text).
Pages without text inside a document that has some are `SourceUnit`s with state `no_text`, `needs_review` or
`unreadable_font`; single glyphs without a meaning are units `glyphs` of their page. Of a file of many independent parts
(entries, lines, YAML documents, messages) those that cannot be read are units in state `broken`, named by what is
wrong; a file of which none can is refused.

Time and memory are the caller's to limit: parse in a single-threaded child process (PDFium is not thread-safe).
A changed output of a format is its `version` + 1.

Adding a format: `parsers/<format>.py` with `PARSER`, an entry below, a golden case `<name>-<case>`.
"""

from __future__ import annotations

from dataclasses import replace

from kprep.core.errors import NoText, UnsupportedFormat
from kprep.core.models import Locator, ParsedDocument, ParserSpec, RawDocument
from kprep.core.registry import by_name
from parsers import (
    asciidoc,
    boxnote,
    code,
    conversation,
    csv_table,
    data_dictionary,
    docx,
    eml,
    epub,
    graphql,
    html,
    ini_config,
    json_lines,
    json_schema,
    knowledge_entry,
    markdown,
    mbox,
    msg,
    notebook,
    openapi,
    opendocument,
    pdf,
    pptx,
    recording,
    rst,
    rtf,
    spreadsheet,
    sql_ddl,
    text_plain,
    transcript,
    xml_text,
    yaml_config,
)
from parsers.accounted import share_reached
from parsers.exit import clean_text, leave
from parsers.passwords import unlocked

PARSERS = by_name(
    (
        text_plain.PARSER,
        markdown.PARSER,
        html.PARSER,
        pdf.PARSER,
        docx.PARSER,
        pptx.PARSER,
        spreadsheet.PARSER,
        opendocument.PARSER,
        rtf.PARSER,
        rst.PARSER,
        asciidoc.PARSER,
        epub.PARSER,
        openapi.PARSER,
        json_schema.PARSER,
        graphql.PARSER,
        sql_ddl.PARSER,
        csv_table.PARSER,
        data_dictionary.PARSER,
        yaml_config.PARSER,
        json_lines.PARSER,
        ini_config.PARSER,
        code.PARSER,
        notebook.PARSER,
        boxnote.PARSER,
        knowledge_entry.PARSER,
        xml_text.PARSER,
        eml.PARSER,
        mbox.PARSER,
        msg.PARSER,
        transcript.PARSER,
        conversation.PARSER,
        recording.PARSER,
    )
)


OFFICE = frozenset((docx.PARSER.name, pptx.PARSER.name, spreadsheet.PARSER.name))
"""Parsers of files that Office encrypts as a whole."""
MAY_NEED_PASSWORD = frozenset(kind for name in (*OFFICE, pdf.PARSER.name) for kind in PARSERS[name].media_types)
"""Media types of documents on which known passwords are tried."""

_REMEDIES = {
    "image": "save it as a PDF, of which words are recognised where the extra `ocr` is installed",
    "application/msword": "open it in Word or LibreOffice and save it as .docx",
    "application/vnd.ms-powerpoint": "open it in PowerPoint or LibreOffice and save it as .pptx",
    "application/x-ole-storage": "save it in a current Office format; with a password, without one",
}


def parser_for(media_type: str) -> ParserSpec:
    """The parser of a media type (parameters such as `; charset=` are ignored).

    Raises: UnsupportedFormat, naming the media type and the remedy.
    """
    wanted = media_type.partition(";")[0].strip().lower()
    for spec in PARSERS.values():
        if wanted in spec.media_types:
            return spec
    remedy = _REMEDIES.get(wanted) or _REMEDIES.get(wanted.partition("/")[0]) or "save it in another format"
    raise UnsupportedFormat(
        f"no parser takes {wanted or 'an empty media type'}: {remedy}, or leave it out by `exclude`", media_type=wanted
    )


def parse(raw: RawDocument, spec: ParserSpec) -> ParsedDocument:
    """The document, cleaned of characters no later room can take. Raises: a ParseError, see above; NoText for a file of
    no bytes, whatever its name says."""
    if not raw.content:
        raise NoText(f"{raw.uri}: the file is empty, it has no bytes", uri=raw.uri, units=[["file", 1, "no_text"]])
    return leave(spec.parse(_opened(raw, spec)))


def quote(media_type: str, content: bytes, locator: Locator) -> str:
    """Text of an original at a place, cleaned as its elements are, so that their words stand there as they do in them.
    Raises: a ParseError."""
    spec = parser_for(media_type)
    return clean_text(spec.quote(_opened(RawDocument("the document", "", content, media_type), spec).content, locator))


def coverage(raw: RawDocument, document: ParsedDocument) -> float:
    """Share [0, 1] of the source's letters and digits that reached an element of `document`, which `parse` gave for
    `raw`; see `accounted`. Raises: a ParseError when the source cannot be read again."""
    spec = parser_for(raw.media_type)
    return share_reached(_opened(raw, spec), document, spec)


def _opened(raw: RawDocument, spec: ParserSpec) -> RawDocument:
    """An encrypted Office file as what is inside it, any other document as it is. Raises: see `unlocked`."""
    if spec.name not in OFFICE:
        return raw
    content = unlocked(raw.content, raw.uri)
    return raw if content is raw.content else replace(raw, content=content)
