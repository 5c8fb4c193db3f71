"""From when to when a document holds and what it replaces, where its own first lines say so in a sentence of their own.

Read are the first `HEAD_CHARS` characters. A statement must stand alone: "Effective from 1 March 2026." is one,
"Effective from 1 March 2026 the fee is 40 EUR" speaks of a fee, "A voucher is valid until May" of a voucher. Dates of
which day and month cannot be told apart (3/4/2026), and two statements that differ, give nothing. "Until" a day
includes that day, so that `valid_until`, which is exclusive as in front matter, is the day after.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from kprep.core.models import ChunkedDocument

HEAD_CHARS = 1_500
_MONTHS = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    )
    for number, name in enumerate(names.split(), start=1)
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = (
    r"(?P<iso>\d{4}-\d{2}-\d{2})"
    r"|(?P<dots>\d{1,2}\.\d{1,2}\.\d{4})"
    rf"|(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)?(?: of)? (?P<month>{_MONTH})\.?,? (?P<year>\d{{4}})"
    rf"|(?P<month2>{_MONTH})\.? (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year2>\d{{4}})"
    r"|(?P<year3>\d{4})\s*年\s*(?P<month3>\d{1,2})\s*月\s*(?P<day3>\d{1,2})\s*日"
)
_THIS = (
    r"(?:(?:this|the present) (?:policy|document|version|regulation|guideline|guide|handbook|manual|directive|"
    r"agreement|procedure|standard|edition|revision|page)|(?:diese|dieses|dieser) \w+|(?:cette|ce|cet) \w+|it)"
)
_FROM = (
    r"(?:(?:is|becomes|was) )?(?:effective|valid|applicable|in force|in effect)(?: (?:from|as of|since|starting|on))?",
    r"effective date",
    r"(?:takes|took|comes into|enters into|came into|entered into) (?:effect|force)(?: on| from)?",
    r"(?:applies|apply) (?:from|as of)",
    r"(?:(?:ist|sind) )?(?:gültig|wirksam|in kraft) (?:ab|seit)(?: dem)?",
    r"tritt (?:am|zum)",
    r"(?:est )?(?:en vigueur|valable) (?:depuis|à partir|à compter)(?: du| le)?",
    r"生效日期|实施日期|施行日期",
    r"(?:本\w{1,8})?自",
)
_UNTIL = (
    r"(?:(?:is|remains) )?(?:effective|valid|applicable|in force) (?:until|till|through|up to and including|to)",
    r"(?:expires|expired|ends) on|expir(?:y|ation) date",
    r"(?:(?:ist|sind) )?gültig bis(?: zum)?",
    r"(?:est )?valable jusqu['’]au",
    r"有效期(?:至|到)|截止日期",
)
_AFTER = r"(?: in kraft|\s*起(?:施行|生效|实施|执行))?(?=\s*(?:[.;。；)|]|$))"
_STATEMENTS = tuple(
    (key, re.compile(rf"^\W*(?:{_THIS} )?(?:{'|'.join(words)})\s*[:：]?\s*(?:{_DATE}){_AFTER}", re.IGNORECASE))
    for key, words in (("valid_from", _FROM), ("valid_until", _UNTIL))
)
_REPLACES = re.compile(
    rf"^\W*(?:(?:{_THIS} )?(?:supersedes|replaces|ersetzt|remplace)\b|(?:本\w{{1,8}})?(?:替代|取代))"
    r"[:：]?\s*(?P<what>.+)$",
    re.IGNORECASE,
)
_FILE = re.compile(r"[\w./\-]*\w\.(?:md|html?|docx?|pdf|pptx?|xlsx?|odt|rst|adoc|txt)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"\n|(?<=[^\d][.;!?])\s+|(?<=\d{4}[.;])\s+|(?<=[。；！？])|\s\|\s")
_KEYS = {
    "valid_from": ("valid_from", "effective_from", "effective_date"),
    "valid_until": ("valid_until", "valid_to", "effective_until", "expires"),
    "supersedes": ("supersedes",),
}
"""Names under which front matter says the same; what it says stands."""


def validity_of(document: ChunkedDocument) -> dict[str, Any]:
    """`valid_from`, `valid_until` (ISO dates) and `supersedes` (a path) as far as the text states them and the front
    matter does not; `stated`: key -> the sentence it was read from. Empty where nothing is stated."""
    front_matter = document.metadata.front_matter
    found: dict[str, dict[str, str]] = {}
    for sentence, links in _sentences(document):
        for key, value in _read(sentence, links):
            found.setdefault(key, {}).setdefault(value, sentence)
    sure = {
        key: next(iter(values.items()))
        for key, values in found.items()
        if len(values) == 1 and not any(front_matter.get(name) for name in _KEYS[key])
    }
    if not sure:
        return {}
    return {key: value for key, (value, _) in sure.items()} | {"stated": {key: said for key, (_, said) in sure.items()}}


def _sentences(document: ChunkedDocument) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Sentences of the document's beginning that are no code, each with the links of its chunk: words -> target."""
    left = HEAD_CHARS
    for child in document.children:
        if child.kind != "code":
            links = {link.text: link.target for link in child.links}
            for sentence in _SENTENCE.split(child.text[child.overlap : child.overlap + left]):
                if sentence.strip():
                    yield sentence.strip(), links
        left -= len(child.text)
        if left <= 0:
            return


def _read(sentence: str, links: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key, pattern in _STATEMENTS:
        match = pattern.match(sentence)
        day = _day(match) if match else None
        if day is not None:
            yield key, (day + timedelta(days=key == "valid_until")).isoformat()
    replaces = _REPLACES.match(sentence)
    if replaces:
        named = [
            target for words, target in links.items() if words and words in replaces["what"] and "://" not in target
        ]
        named = named or _FILE.findall(replaces["what"])
        if len(named) == 1:
            yield "supersedes", named[0].split("#")[0]


def _day(match: re.Match[str]) -> date | None:
    """The day a statement names, None for one that no calendar has."""
    got = match.groupdict()
    try:
        if got["iso"]:
            return date.fromisoformat(got["iso"])
        if got["dots"]:
            day, month, year = map(int, got["dots"].split("."))
            return date(year, month, day)
        if got["day"]:
            return date(int(got["year"]), _MONTHS[got["month"].casefold()], int(got["day"]))
        if got["day2"]:
            return date(int(got["year2"]), _MONTHS[got["month2"].casefold()], int(got["day2"]))
        return date(int(got["year3"]), int(got["month3"]), int(got["day3"]))
    except ValueError:
        return None
