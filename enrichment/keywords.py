"""Keywords of a chunk, best first, words of its own text."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

from kprep.core.models import ChildChunk

MOST = 6
LONGEST_CHARS = 48
REPEATS = 3
"""Japanese: so many times a group of characters must occur to be taken for a word."""

YAKE_LANGUAGES = frozenset(
    re.findall(
        r"\w+", "ar bg br cz da de el en es et fa fi fr hi hr hu hy id it lt lv nl no pl pt ro ru sk sl sv tr uk"
    )
)
_YAKE_CODES = {"cs": "cz", "nb": "no", "nn": "no"}

_DEFINITION = re.compile(
    r"^[ \t]*(?:(?:export|public|private|protected|static|async|abstract|final|pub|default)\s+)*"
    r"(?:def|class|function|func|fn|interface|struct|enum|trait|type|module|CREATE TABLE)\s+([A-Za-z_][\w.]*)",
    re.MULTILINE,
)
_IDEOGRAPHS = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\u30a0-\u30ff]+")
_TELLING = ("n", "vn", "eng", "j", "l", "i")
"""Tags of nouns and names, verbs used as nouns, foreign words, abbreviations, set phrases."""
_FUNCTION_CHARS = frozenset("的了是在和有我他她它这那不也就都而及与或一个为于以之其等被把对到从会能可要上下中很")
_PLACEHOLDER = re.compile(r"<[A-Z_]+_[0-9a-f]{6}>")  # left by redaction
_NOT_A_KEYWORD = re.compile(r"^[\W\d_]+$|[<>\[\]{}|]")


def keywords_of(child: ChildChunk, language: str) -> tuple[str, ...]:
    """Up to six keywords; code gives the names it defines; a language without a method gives none."""
    if child.kind == "code":
        return tuple(dict.fromkeys(match.group(1) for match in _DEFINITION.finditer(child.text)))[:MOST]
    if language == "zh":
        return _chinese_terms(child.text[len(child.lead) :])
    if language == "ja":
        return _frequent_groups(child.text)
    code = _YAKE_CODES.get(language, language)
    if code not in YAKE_LANGUAGES:
        return ()
    text = child.text[len(child.lead) :]
    legible = _PLACEHOLDER.sub(". ", text)
    return _apart(text, [phrase for phrase, _ in _yake(code).get_n_best(legible, n=MOST * 4)])


@cache
def _yake(language: str) -> Any:
    from yake_rust import Yake

    return Yake(language=language, ngrams=2)


def _apart(text: str, phrases: list[str]) -> tuple[str, ...]:
    """The best phrases of which none holds all words of another, written as the text has them first."""
    low = text.casefold()
    same_length = len(low) == len(text)
    kept: list[str] = []
    words: list[set[str]] = []
    for phrase in phrases:
        at = low.find(phrase.casefold())
        if at < 0 or len(phrase) < 3 or len(phrase) > LONGEST_CHARS or _NOT_A_KEYWORD.search(phrase):
            continue
        own = set(phrase.casefold().split())
        if any(own <= other or other <= own for other in words):
            continue
        kept.append(text[at : at + len(phrase)] if same_length else phrase)
        words.append(own)
        if len(kept) == MOST:
            break
    return tuple(kept)


def _chinese_terms(text: str) -> tuple[str, ...]:
    """Names, nouns and foreign words of at least two characters (jieba), and verbs that stand twice, by how often they
    stand times their length; among equals the first ones."""
    from rjieba import tag

    counts: Counter[str] = Counter()
    verbs = set()
    for word, kind in tag(_PLACEHOLDER.sub("。", text)):
        if len(word) > 1 and kind.startswith((*_TELLING, "v")) and not _NOT_A_KEYWORD.search(word):
            counts[word] += 1
            verbs |= {word} if kind == "v" else set()
    kept = [word for word, count in counts.items() if count > 1 or word not in verbs]
    return tuple(sorted(kept, key=lambda word: -counts[word] * len(word))[:MOST])


def _frequent_groups(text: str) -> tuple[str, ...]:
    """Groups of 2 to 4 ideographs or katakana that occur at least three times; longer ones swallow their parts."""
    counts: Counter[str] = Counter()
    for run in _IDEOGRAPHS.findall(text):
        for size in (2, 3, 4):
            counts.update(run[at : at + size] for at in range(len(run) - size + 1))
    frequent = {
        group: count for group, count in counts.items() if count >= REPEATS and not _FUNCTION_CHARS & set(group)
    }
    ranked = sorted(frequent, key=lambda group: (-frequent[group] * len(group), -len(group), text.find(group)))
    kept: list[str] = []
    for group in ranked:
        if len(set(group)) > 1 and not any(group in other or other in group for other in kept):
            kept.append(group)
    return tuple(kept[:MOST])
