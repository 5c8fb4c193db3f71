"""Notes on PDF pages: comments, text typed over a page, remarks on marked words. None of them is text of the page."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from parsers.comments import signed
from parsers.pdf_forms import HIDDEN_FLAGS, string

MARKUP = tuple(
    "Text FreeText Highlight Underline Squiggly StrikeOut Stamp Caret Line Square Circle Polygon PolyLine Ink "
    "FileAttachment".split()
)
"""Kinds of annotations whose `Contents` is what a person wrote."""
_DAY = re.compile(r"(?:D:)?(\d{4})(\d\d)(\d\d)")
_TAG = re.compile(r"<[^<>]*>")
_PARAGRAPH_END = re.compile(r"</p>|<br */?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Note:
    """What somebody wrote on a page: the words, and with who and when."""

    words: str
    text: str
    hidden: bool


def notes_of(page: Any) -> Iterator[Note]:
    """Notes on a page in the order of the file, but for those whose words stand at their place on the page as well:
    marked words that are copied, text that was made a part of the page."""
    import pypdfium2.raw as pdfium

    kinds = {getattr(pdfium, f"FPDF_ANNOT_{name.upper()}") for name in MARKUP}
    text_page = None
    for at in range(pdfium.FPDFPage_GetAnnotCount(page.raw)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, at)
        if pdfium.FPDFAnnot_GetSubtype(annotation) in kinds:
            values = {
                key: string(partial(pdfium.FPDFAnnot_GetStringValue, annotation, key.encode())) for key in SAID_BY
            }
            words = words_of(values)
            if words:
                text_page = text_page or page.get_textpage()
                if not is_said(words, _below(annotation, text_page)):
                    flags = pdfium.FPDFAnnot_GetFlags(annotation)
                    yield Note(words, note_text(values), bool(flags & HIDDEN_FLAGS))
        pdfium.FPDFPage_CloseAnnot(annotation)
    if text_page:
        text_page.close()


SAID_BY = ("Contents", "RC", "T", "M", "StateModel")
"""Keys of an annotation with its text, plain and formatted, who wrote it and when; the last only where it is a mark
such as "accepted" and no text."""


def words_of(values: dict[str, str]) -> str:
    """What an annotation with these values says; "" for a mark."""
    if values["StateModel"]:
        return ""
    text = values["Contents"].strip() or html.unescape(_TAG.sub("", _PARAGRAPH_END.sub("\n", values["RC"])))
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def note_text(values: dict[str, str]) -> str:
    """The note of an annotation with these values, signed as comments of other formats are."""
    day = _DAY.match(values["M"])
    return signed(values["T"].strip(), "-".join(day.groups()) if day else "", words_of(values))


def is_said(words: str, text: str) -> bool:
    """The words stand in the text, however they are spaced."""
    return "".join(words.split()).casefold() in "".join(text.split()).casefold()


def _below(annotation: Any, text_page: Any) -> str:
    """The page's own text inside the rectangle of an annotation."""
    import pypdfium2.raw as pdfium

    box = pdfium.FS_RECTF()
    if not pdfium.FPDFAnnot_GetRect(annotation, box):
        return ""
    return str(text_page.get_text_bounded(box.left - 1, box.bottom - 1, box.right + 1, box.top + 1))
