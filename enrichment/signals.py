"""What a chunk's metadata says of how it may be used: estimated by rule, or stated by the knowledge entry it is of.

Estimates (empty where a rule has too little to go by):

- `difficulty`, 0 (easy) to 1 (hard), of at least 20 words of a language written with spaces: LIX (Bjoernsson 1968:
  words per sentence plus per cent of words over six letters), from 20 (very easy) to 60 (very hard) made 0 to 1; for
  English mixed with the rarity of its terms, 3 to 2. Rarity: pieces per word that the embedder's vocabulary, which
  holds the frequent words whole, cuts the words into, from 1.0 to 1.6 made 0 to 1.
- `style`: "technical" (code, an interface, an error), "conversational" (English: at least one word in twenty is of the
  first or second person or a contraction), "formal" (English: a word such as "shall" or "hereby"); else "".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kprep.core.models import ChildChunk, ChunkedDocument, CountTokens
from kprep.core.signals import signals_of

LEAST_WORDS = 20
SPACED = frozenset(re.findall(r"\w+", "en de fr es it nl pt sv da nb nn no fi pl cs ro"))
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SENTENCE_END = re.compile(r"[.!?;:](?:\s|$)|\n")
_PERSONAL = re.compile(r"(?:i|we|you|your|my|our|me|us|let's)|\w+['’](?:s|re|ve|ll|d|m|t)", re.IGNORECASE)
_FORMAL = re.compile(r"\b(?:shall|hereby|herein|thereof|pursuant|hereinafter|notwithstanding)\b", re.IGNORECASE)
_TECHNICAL = frozenset(("code", "api", "schema", "field", "error", "setting"))


def estimate(child: ChildChunk, language: str, fragment: str, count_tokens: CountTokens) -> dict[str, Any]:
    """Estimated signals of a chunk, those a rule is sure of."""
    words = _WORD.findall(child.text[len(child.lead) :])
    out: dict[str, Any] = {}
    if child.kind not in ("code", "table") and language in SPACED and len(words) >= LEAST_WORDS:
        out["difficulty"] = round(_difficulty(child.text, words, language, count_tokens), 2)
    style = _style(child, language, fragment, words)
    return out | ({"style": style} if style else {})


def _difficulty(text: str, words: Sequence[str], language: str, count_tokens: CountTokens) -> float:
    sentences = max(1, sum(1 for part in _SENTENCE_END.split(text) if _WORD.search(part)))
    lix = len(words) / sentences + 100 * sum(len(word) > 6 for word in words) / len(words)
    readability = _clip((lix - 20) / 40)
    if language != "en":
        return readability
    plain = [word.replace("'", "").replace("’", "") for word in words]
    pieces = (count_tokens(" ".join(plain)) - count_tokens("")) / len(plain)
    return 0.6 * readability + 0.4 * _clip((pieces - 1) / 0.6)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))


def _style(child: ChildChunk, language: str, fragment: str, words: Sequence[str]) -> str:
    if child.kind == "code" or fragment in _TECHNICAL:
        return "technical"
    if language != "en" or len(words) < LEAST_WORDS:
        return ""
    if _FORMAL.search(child.text):
        return "formal"
    return "conversational" if sum(_PERSONAL.fullmatch(word) is not None for word in words) * 20 >= len(words) else ""


def names(document: ChunkedDocument) -> Mapping[str, dict[str, Any]]:
    """What the document, or an entry of it, is called beside its headings: first heading -> `name` of an entry ("" of
    other documents) and `aliases`. The heading "" stands for all that have no entry of their own."""
    front = document.metadata.front_matter
    entries = front.get("entries")
    found = {}
    for fields in entries if isinstance(entries, list) else [front]:
        if not isinstance(fields, Mapping):
            continue
        aliases = fields.get("aliases")
        known = [alias for alias in aliases if isinstance(alias, str)] if isinstance(aliases, list) else []
        name = fields.get("name")
        entry = isinstance(name, str) and isinstance(aliases, list)
        if entry or known:
            found[str(name) if entry else ""] = {"name": name if entry else "", "aliases": known}
    return found


def stated(document: ChunkedDocument) -> Mapping[str, dict[str, Any]]:
    """Signals by entry, of a file with several knowledge entries: name of the entry -> what it states of itself. Those
    of a file with one entry, as of any front matter, are the document's."""
    entries = document.metadata.front_matter.get("entries")
    if not isinstance(entries, list):
        return {}
    named = [entry for entry in entries if isinstance(entry, Mapping) and entry.get("name")]
    return {str(entry["name"]): signals_of(entry)[0] for entry in named}
