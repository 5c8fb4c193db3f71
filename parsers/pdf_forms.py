"""Fields of PDF forms: what was filled in is no text of the page, and is read from the fields themselves."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from kprep.core.models import SourceUnit
from parsers.attachments import NOT_EXTRACTED

TICKED, UNTICKED = "\u2612", "\u2610"
_OFF = ("", "Off")
HIDDEN_FLAGS = 0x2 | 0x20
"""Hidden, not viewed."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field as a line of text: `label: value`, or a box to tick and its label."""

    text: str
    hidden: bool


def with_forms(file: Any) -> list[SourceUnit]:
    """Let PDFium read the fields of this file, before its pages are loaded; a recorded exclusion for an XFA form, whose
    pages are made by a program."""
    import pypdfium2.raw as pdfium

    kind = file.get_formtype()
    if kind != pdfium.FORMTYPE_NONE:
        file.init_forms()
    dynamic = kind in (pdfium.FORMTYPE_XFA_FULL, pdfium.FORMTYPE_XFA_FOREGROUND)
    return [SourceUnit("xfa_form", 1, NOT_EXTRACTED, 0)] if dynamic else []


def fields_of(file: Any, page: Any) -> Iterator[Field]:
    """Fields of a page in the order of the file, those that are empty left out, one that is shown twice once.

    A password's value is not read. `label`: what a reader is told of the field, else its name."""
    import pypdfium2.raw as pdfium

    if file.formenv is None:
        return
    seen: set[str] = set()
    for at in range(pdfium.FPDFPage_GetAnnotCount(page.raw)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, at)
        if pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_WIDGET:
            text = _text(file.formenv.raw, annotation)
            if text and text not in seen:
                seen.add(text)
                yield Field(text, bool(pdfium.FPDFAnnot_GetFlags(annotation) & HIDDEN_FLAGS))
        pdfium.FPDFPage_CloseAnnot(annotation)


def _text(form: Any, annotation: Any) -> str:
    import pypdfium2.raw as pdfium

    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    flags = pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation)
    is_password = kind == pdfium.FPDF_FORMFIELD_TEXTFIELD and flags & pdfium.FPDF_FORMFLAG_TEXT_PASSWORD
    if kind in (pdfium.FPDF_FORMFIELD_PUSHBUTTON, pdfium.FPDF_FORMFIELD_SIGNATURE) or is_password:
        return ""
    name = string(partial(pdfium.FPDFAnnot_GetFormFieldName, form, annotation))
    label = string(partial(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation)).strip() or name
    if kind == pdfium.FPDF_FORMFIELD_CHECKBOX:
        return f"{TICKED if pdfium.FPDFAnnot_IsChecked(form, annotation) else UNTICKED} {label}"
    value = _value(form, annotation)
    return "" if value in _OFF else f"{label}: {value}"


def _value(form: Any, annotation: Any) -> str:
    """What a field holds; of a list, all that is chosen."""
    import pypdfium2.raw as pdfium

    count = pdfium.FPDFAnnot_GetOptionCount(form, annotation)
    chosen = [at for at in range(max(count, 0)) if pdfium.FPDFAnnot_IsOptionSelected(form, annotation, at)]
    if chosen:
        return ", ".join(string(partial(pdfium.FPDFAnnot_GetOptionLabel, form, annotation, at)) for at in chosen)
    return string(partial(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)).strip()


def string(ask: Callable[..., int]) -> str:
    """UTF-16 text by PDFium's convention: asked for its size in bytes, then for itself with an ending zero."""
    import pypdfium2.raw as pdfium

    size = ask(None, 0)
    buffer = ctypes.create_string_buffer(max(size, 2))
    ask(ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)
    return buffer.raw[: max(size - 2, 0)].decode("utf-16-le", "replace")
