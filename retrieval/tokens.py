"""The tokenizer of the lexical index, the same for chunks and questions."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from kprep.core.ids import canonical_json, digest

TOKENIZER_VERSION = 5
TERM_MAX = 200
"""Characters of a word that count; more of a phrase of two do not fit into an entry of an index."""
PHRASE_FIELDS = frozenset(("name", "aliases", "title", "heading_path", "keywords"))
LEAST_STOP_WORDS = 2
DEFAULT_WEIGHTS: Mapping[str, int] = {
    "name": 3, "aliases": 2, "title": 2, "heading_path": 2, "keywords": 0, "text": 1,
}  # fmt: skip
"""Field -> how often its words count. `name`: of a knowledge entry, in place of title and heading that repeat it.
Keywords are words of the text: counting them again cost two points of recall on open questions."""

_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
_TOKEN = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]+)"
    rf"|(?P<identifier>/?[^\W_{_UNSPACED}]+(?:(?:[_./:@#+-]|::)[{{]?[^\W_{_UNSPACED}]+[}}]?)+)"
    rf"|(?P<word>[^\W_{_UNSPACED}]+(?:['’][^\W\d_{_UNSPACED}]+)?)"
)
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_VALUE = re.compile(r"(?<=/)(?:\d+|[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{2,})*|(?=[\w-]*\d)[\w-]{12,})(?=/|$)")
"""A part of a path that stands for any: a number, an id."""
_LETTERS_AND_NUMBER = re.compile(r"([^\W\d_]+)(\d+)")
_PART = re.compile(rf"[^\W_{_UNSPACED}]+")

STOP_WORDS: Mapping[str, frozenset[str]] = {
    "en": frozenset(
        "a about after all also an and any are as at be been before "
        "but by can could did do does for from get gets getting got had has have how "
        "i if in into is it its me may my of on or our "
        "should so some such than that the their them then there these they "
        " this those to was we were what when where which while who whom whose why will with would you your".split()
    ),
    "de": frozenset(
        "aber als am an auch auf aus bei bin bis das dass dem den der des die dies diese dieser ein eine einem einen "
        "einer eines er es für hat haben ich ihr im in ist ja "
        "kann mein mit nach nicht noch nur oder sein sich sie sind über "
        " um und uns unter vom von vor war was welche welcher wenn wer wie wird wir wo zu zum zur".split()
    ),
    "fr": frozenset(
        "à au aux avec ce ces cette comment dans de des du elle en est "
        "et il ils je la le les leur lui mais ne nous on ou "
        "où par pas pour quand que quel quelle qui sa se ses son sont sur un une vous".split()
    ),
    "es": frozenset(
        "a al como con cuál cuándo cómo de del donde dónde el ella en "
        "es esta este ha la las lo los no o para pero por "
        "que qué quién se si sin su sus un una y".split()
    ),
    "zh": frozenset("的了是在和与及为有之于以而其也被将着把吗呢吧啊哪什么谁何些几多少"),
}
STEMMERS: Mapping[str, str] = {"en": "english", "de": "german", "fr": "french", "es": "spanish"}
"""Languages whose words are indexed by their stems -> the Snowball algorithm. Terms carry the language ("refund:en"),
so that a question is cut in each language and meets only chunks of that language."""


def lexicon_id(weights: Mapping[str, int]) -> str:
    """Name of the vocabulary this tokenizer and these field weights make; another name means another index."""
    return f"v{TOKENIZER_VERSION}-{digest(canonical_json(dict(weights)))[:12]}"


def words(text: str, language: str) -> Iterator[tuple[str, bool]]:
    """Terms of a text in order, each with True when it may be half of a phrase with the next.

    Words in lower case without stop words of the language, as its stems where it has a stemmer; identifiers
    (`ERR_CONN_1045`, `/v1/orders/{id}`, `getUserById`) whole and in parts; scripts without spaces as overlapping pairs
    of characters, and Chinese characters alone too.
    """
    code = language[:2]
    return ((stemmed(word, code), phrase) for word, phrase in _words(text, code))


@lru_cache(maxsize=131_072)
def stemmed(term: str, language: str) -> str:
    """The term a word, or a phrase of two, is indexed by in a chunk of this language. Identifiers and numbers, and
    words of languages without a stemmer, are their own."""
    parts = term.split(" ")
    if language not in STEMMERS or not "".join(parts).isalpha() or re.match(f"[{_UNSPACED}]", term):
        return term
    return f"{' '.join(_stemmer(language).stemWords(parts))}:{language}"


@cache
def _stemmer(language: str) -> Any:
    from Stemmer import Stemmer

    return Stemmer(STEMMERS[language], 0)  # its own cache is not for several threads


def _words(text: str, language: str) -> Iterator[tuple[str, bool]]:
    """As `words`, before stemming."""
    return ((word[:TERM_MAX], phrase) for word, phrase in _whole_words(text, language))


def _whole_words(text: str, language: str) -> Iterator[tuple[str, bool]]:
    """As `words`, before stemming, of any length."""
    stop = STOP_WORDS.get(language, frozenset())
    normal = unicodedata.normalize("NFKC", text)
    for match in _TOKEN.finditer(normal):
        token = match.group()
        if match.lastgroup == "unspaced":
            yield from ((char, False) for char in _HAN.findall(token) if char not in STOP_WORDS["zh"])
            yield from ((token[index : index + 2], False) for index in range(len(token) - 1))
            if len(token) == 1 and not _HAN.match(token):
                yield token, False
        elif match.lastgroup == "identifier":
            yield token.casefold(), False
            if "{" in token:
                yield _PLACEHOLDER.sub("{}", token).casefold(), False
            yield from ((part, False) for part in _parts(token) if part not in stop)
        else:
            stem = token.removesuffix("'s").removesuffix("’s")
            parts = _parts(stem)
            whole = stem.casefold()
            if whole not in stop:
                yield whole, True
            if len(parts) > 1:
                yield from ((part, False) for part in parts if part not in stop and part != whole)


def _parts(token: str) -> list[str]:
    """Parts of an identifier: at its punctuation, and at capitals inside a part."""
    found: list[str] = []
    for part in _PART.findall(token):
        inner = _CAMEL.findall(part) if not (part.islower() or part.isupper() or part.isdigit()) else [part]
        found += [part.casefold(), *(piece.casefold() for piece in inner if len(inner) > 1)]
    return list(dict.fromkeys(found))


def identifiers(text: str) -> tuple[str, ...]:
    """Codes, paths, keys and part numbers of a text, case folded, in order: `err_conn_1045`, `hs-7`, `e19`."""
    return tuple(token.casefold() for token in _identifiers(text))


def _identifiers(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text)):
        token = match.group()
        mixed = any(map(str.isdigit, token)) and any(map(str.isalpha, token))
        if match.lastgroup == "identifier" or (match.lastgroup == "word" and mixed):
            yield token


def _spellings(identifier: str) -> Iterator[str]:
    """Other ways to write an identifier: its parts joined otherwise (`err_conn_1045` for `ErrConn1045`, `email` for
    `e-mail`, `bx-12` for `BX12`), a path with its values left open (`/orders/{}` for `/orders/12`), and what is named
    within something else by a name of several parts (`pressure_bar` for `reading.pressure_bar`)."""
    if identifier.startswith("/") or identifier.count("/") > 1:
        opened = _VALUE.sub("{}", _PLACEHOLDER.sub("{}", identifier))
        if "{}" in opened:
            yield opened.casefold()[:TERM_MAX]
        return
    inner = [name for name in re.split(r"[.:#]+", identifier) if name != identifier and len(_pieces(name)) > 1]
    yield from (name.casefold()[:TERM_MAX] for name in inner if not _LETTERS_AND_NUMBER.fullmatch(name))
    parts = _pieces(identifier)
    if len(parts) > 1:
        yield from (joint.join(parts).casefold()[:TERM_MAX] for joint in ("_", "-", ".", ""))


def _pieces(identifier: str) -> list[str]:
    """Parts at punctuation and at capitals; of letters with a number after them, both."""
    if not (identifier.islower() or identifier.isupper()):
        return [piece for part in _PART.findall(identifier) for piece in _CAMEL.findall(part)]
    two = _LETTERS_AND_NUMBER.fullmatch(identifier)
    return list(two.groups()) if two else _PART.findall(identifier)


def terms(text: str, language: str) -> list[str]:
    """Words of a text, then each pair of neighbouring words as one phrase term ("nash equilibrium")."""
    code = language[:2]
    return [stemmed(term, code) for term in _terms(text, code)]


def query_terms(question: str) -> dict[str, str]:
    """Terms to look a question up by -> the word or phrase of the question each of them is a form of: its stem in every
    language, the word itself for chunks of other languages, and the other spellings of an identifier."""
    written = _terms(question, query_language(question))
    found = {stemmed(term, language): term for term in written for language in ("", *STEMMERS)}
    for identifier in _identifiers(question):
        whole = identifier.casefold()[:TERM_MAX]
        for spelling in _spellings(identifier) if whole in found else ():
            for language in ("", *STEMMERS):
                found.setdefault(stemmed(spelling, language), whole)
    return found


def _terms(text: str, language: str) -> list[str]:
    out: list[str] = []
    before = ""
    for word, phrase in _words(text, language):
        out.append(word)
        if phrase and before:
            out.append(f"{before} {word}")
        before = word if phrase else ""
    return out


def weighted_terms(fields: Mapping[str, str], language: str, weights: Mapping[str, int]) -> Counter[str]:
    """Term frequencies of a chunk: each field's terms counted as often as its weight (weighting by repetition).

    Phrases come from the fields that name things. Those of running text are nearly all different: indexing them made
    the index five times as large and its building ten times as slow, for words that the keywords mostly hold anyway.
    """
    counts: Counter[str] = Counter()
    for name, text in fields.items():
        weight = weights.get(name, 0)
        if weight:
            phrases = terms(text, language) if name in PHRASE_FIELDS else (word for word, _ in words(text, language))
            for term in phrases:
                counts[term] += weight
    return counts


def query_language(query: str) -> str:
    """Language whose stop words the question uses most (at least two of them); "en" in doubt."""
    tokens = {token.casefold() for token in re.findall(r"[^\W\d_]+", query)}
    scores = {language: len(tokens & STOP_WORDS[language]) for language in STEMMERS}
    best = max(scores.values())
    leaders = [language for language, score in scores.items() if score == best]
    return "en" if best < LEAST_STOP_WORDS or "en" in leaders else leaders[0]


def is_unspaced(text: str) -> bool:
    """True when most letters of a text belong to "
    "a script written without spaces (Chinese, Japanese, Thai, Korean)."""
    letters = [char for char in text if char.isalpha()]
    return bool(letters) and 2 * len(re.findall(f"[{_UNSPACED}]", "".join(letters))) > len(letters)
