"""Recognizers of postal addresses: a street with a house number, and what places it, in the forms of several countries.

A form that could be something else ("3 New Place", "Via Porto 80") needs a postcode behind it or a word such as "lives
at" before it. Each form is looked for around literals that it cannot lack, since most texts hold none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from redaction.policy import RedactionPolicy
from redaction.spans import UPPER, Span, folded, places

_CAP = UPPER
_WORD = rf"{_CAP}[\w.'’-]*"
_TOWN_WORD = rf"{_CAP}(?:[^\W\d_A-Z]|['’-]|\.(?=[ ]{_CAP}))+"
_TOWN = rf"{_TOWN_WORD}(?:[ -](?:am|an[ ]der|im|upon|{_TOWN_WORD})){{0,3}}"
_BREAK = r"(?:[ \t]*,[ \t]*|[ \t]*,?[ \t]*\n[ \t]*)"
_LINE = rf"(?:{_BREAK}|[ \t]+)"


def _form(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.VERBOSE)


# "Lindenstraße 12a, 50667 Köln": the ending shows that it is a street.
_DE_ENDINGS = ("straße ", "strasse ", "str. ", "Str. ", "Straße ", "Strasse ", "gasse ", "Gasse ", "allee ", "Allee ")
_DE_STREET = _form(rf"""
    (?<![\w-]) (?:{_WORD}[ -]){{0,3}}
    (?:{_CAP}[\wß-]*(?:straße|strasse|str\.|gasse|allee) | Straße | Strasse | Str\. | Gasse | Allee)
    [ ]\d{{1,4}} (?:[ ]?[a-z](?!\w))? (?:[ ]?[-–/][ ]?\d{{1,4}}[a-z]?)? (?![\w.]\d)
    (?:{_LINE}(?:D-|A-|CH-)?\d{{4,5}}[ ]{_TOWN})?""")
# "Am Alten Markt 5, 50667 Köln": a postcode and a town show it.
_DE_POSTCODE = re.compile(r"\d(?<!\d\d)\d{4} [A-ZÄÖÜ][a-zäöüß]")
_NO_STREET = (
    "Chapter|Section|Table|Figure|Fig|Page|Step|Part|Version|Release|Line|Row|Column|Item|Note|Appendix|Issue|Volume|"
    "Vol|Phase|Level|Tier|Kapitel|Abschnitt|Tabelle|Abbildung|Seite|Schritt|Teil|Nummer|Nr|Artikel|Absatz|Satz|Zeile|"
    "Anlage|Anhang|Stufe|January|February|March|April|May|June|July|August|September|October|November|December|"
    "Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember"
)
_DE_TOWN = _form(rf"""
    (?<![\w-]) (?!(?:{_NO_STREET})\b)
    (?:(?:Am|An|Auf|Im|In|Zum|Zur|Unter|Hinter)[ ](?:de[rnm][ ])?)? {_WORD}(?:[ -]{_WORD}){{0,2}}
    [ ]\d{{1,4}}[ ]?[a-z]? {_BREAK}(?:D-|A-|CH-)?\d{{5}}[ ]{_TOWN}""")

_STREETS = "Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Parkway|Pkwy|Highway|Hwy"
_OTHER_STREETS = (
    "Drive|Dr|Court|Ct|Way|Place|Pl|Circle|Cir|Terrace|Ter|Square|Sq|Trail|Crescent|Close|Mews|Gardens|Grove|Row|Hill|"
    "Wharf"
)
_FLAT = r"(?:Apt|Apartment|Suite|Ste|Unit|Floor|Flat|\#)\.?[ ]?[\w-]{1,6}"
_EN_KINDS = re.compile(rf" (?=[A-Z])(?:{_STREETS}|{_OTHER_STREETS})\b")
_EN_STREET = _form(rf"""
    (?<![\w.$€£#/-]) \d{{1,5}}[A-Za-z]? (?:[ ]\d{{1,4}})? (?:[ ][NSEW]{{1,2}}\.?)?
    (?:[ ](?:{_WORD}|\d{{1,3}}(?:st|nd|rd|th))){{1,4}}? [ ](?P<kind>{_STREETS}|{_OTHER_STREETS})\b\.?
    (?:[ ][NSEW]{{1,2}}\b)? (?:{_LINE}{_FLAT})? (?:{_BREAK}{_TOWN})?
    (?:{_LINE}(?:[A-Z]{{2,3}}[ ]\d{{5}}(?:-\d{{4}})? | [A-Z]{{1,2}}\d[A-Z\d]?[ ]?\d[A-Z]{{2}}))?""")

# "93 Koskikatu 25 Apt. 864": number, street and flat, in any language; further lines of an address after it.
_FLATS = ("Apt. ", "Apt ", "apt. ", "Suite ", "suite ", "Flat ", "Apartment ")
_QUOTED = r"[>?|#*]{0,3}[ \t]*"
_QUOTED_BREAK = rf"(?:[ ,\t]*\n?[ \t]*{_QUOTED})"
# Further parts of an address: town, state, country, postcode; each on a line of its own, or after a comma.
_PART = r"(?:[^\W\d_][^\W\d_.'’-]*\.?(?:[ '’-]\(?[^\W\d_]+[)’'-]?){0,3}|[A-Z]{2,3})"
_TAIL = rf"""
    (?:(?:[ \t]*[,\n][\s,]*{_QUOTED}(?={_CAP}|nan\b){_PART} | [ ](?={_CAP}{{4}}){_PART})(?:[ ]\d{{4,6}}\b)?){{0,4}}
    (?:\s{{1,3}},?\s{{0,2}}{_QUOTED}\d{{4,6}}\b)?"""
# A word of a street's name; none of those that join the words of a sentence.
_NAME_WORD = r"(?!(?:and|or|in|on|at|to|with|for|from|has|have|is|are|was|than|times|by)\b)[^\W\d_][\w.'’/-]*"
_NUMBER = r"\d{1,6}[A-Za-z]?(?:[ ]\d{1,4})?"
_FLAT_STREET = _form(rf"""
    (?<![\w.$€£#/-]) {_NUMBER} (?:(?:[ ]{_NAME_WORD}){{1,5}} (?:[ ]\d{{1,5}}\.?)? {_QUOTED_BREAK} [Aa]pt |
      [ ](?={_CAP})(?:{_NAME_WORD}[ ]){{0,4}}{_NAME_WORD} (?:[ ]\d{{1,5}}\.?)? {_QUOTED_BREAK} (?:Suite|Flat|Apartment))
    \.?[ ]\d{{1,4}}\b (?:[ ,]{{1,2}}(?:Apt|Suite|Flat|Unit)\.?[ ]\d{{1,4}}\b)? {_TAIL}""")
_CORNER = _form(rf"""
    \b(?P<value>(?:the[ ])?[Cc]orner[ ]of[ ](?:\d{{1,4}}[ ])?(?:{_NAME_WORD}[ ]){{0,2}}{_WORD}(?:[ ]{_NAME_WORD}){{0,4}}
    (?:[ ]\d{{1,5}}\.?)?(?:[ ](?:St|Str|Ave|Rd)\.)?[ ]and[ ](?:{_NAME_WORD}[ ])?{_WORD}(?:[ ]{_WORD}){{0,3}})""")
# "lives at 93 Koskikatu 25": after a word that announces an address.
_CUED_STREET = _form(rf"""
    [\s:]{{1,6}} (?P<value>
    {_NUMBER}[ ](?={_CAP}){_NAME_WORD}(?:[ ]{_NAME_WORD}){{0,4}}[ ]\d{{1,5}}\b\.? {_TAIL}
    | (?!(?:{_NO_STREET})\b){_WORD}(?:[ ]{_WORD}){{0,3}}[ ]\d{{1,5}}\b(?![.,:]\d) )""")
_ANNOUNCED = re.compile(
    r"(?i)\b(?:addresse?s?(?:\s(?:is|with|of\s\S+(?:\s\S+)?\sis|changed\sto))?|live[sd]?\s(?:at|on|in)|living\s(?:at|on)|"
    r"resid(?:es|ing)\sat|located\sat|offices?\s(?:is|are)\sat|sent\sto|return\sto|taxi\sto|send\s(?:it|them|\S+\s\S+\s\S+)\sto|shipped\sto|delivered\sto|meet\s(?:me|you)\sat|"
    r"arrived\sat|moved\sto|visit\sus\sat)(?=[\s:])"
)
_ANNOUNCED_STEMS = (
    *("address", "live", "living at", "living on", "resid", "located at", "office", "sent to", "shipped to"),
    *("delivered to", "return to", "taxi to", "send ", "meet ", "arrived at", "moved to", "visit us at"),
)
_MILITARY = re.compile(r"(?:\bUS[A-Z]{1,3} \w+[ ,\n]{1,3})?\b(?:APO|FPO|DPO) A[AEP] \d{5}\b")
_ZIP = re.compile(r"\b(?:zip|Zip|ZIP)(?:[ -][Cc]ode)?(?::| is)[ \t]{1,6}(?P<value>\d{3} ?\d{1,3}(?:-\d{4})?)\b")
_BOX_WORDS = ("Box ", "BOX ", "Postfach ")
_BOX = _form(rf"""
    (?:\b[Pp]\.?[ ]?[Oo]\.?[ ](?:Box|BOX) | \bPostfach | \b(?:PSC|Unit|CMR)[ ]\d{{1,5}},?[ ]Box)[ ]\d{{1,6}}
    (?:{_BREAK}(?:(?:APO|FPO|DPO)[ ]A[AEP][ ]\d{{5}} | (?:\d{{4,5}}[ ])?{_TOWN}(?:{_LINE}[A-Z]{{2}}[ ]\d{{5}})?))?""")

# French, Spanish, Italian, Portuguese.
_ROMANCE_WORDS = (
    *re.findall(r"\w+", "rue avenue boulevard place chemin allée impasse quai"),
    *re.findall(r"\S+", "alle C/ c/ venida laza aseo Via via iale iazza orso Rua rua ravessa argo"),
)
_OF = r"(?:d(?:e|u|es|el|i|ella|a|o|os|as)[ ](?:la[ ]|los[ ])?|l['’]|d['’])?"
_ROMANCE = _form(rf"""
    (?<!\w) (?:
    \d{{1,4}}(?:[ ]?(?:bis|ter))?,?[ ](?:rue|avenue|boulevard|place|chemin|allée|impasse|quai)[ ]{_OF}
    {_WORD}(?:[ -](?:de|du|des|la|{_CAP})[\w'’-]*){{0,4}} (?:{_LINE}\d{{5}}[ ]{_TOWN})?
    |
    (?:[Cc]alle|[Cc]/|[Aa]venida|[Pp]laza|[Pp]aseo|[Vv]ia|[Vv]iale|[Pp]iazza|[Cc]orso|[Rr]ua|[Tt]ravessa|[Ll]argo)[ ]
    {_OF}{_WORD}(?:[ ](?:de|del|la|di|da|do|e|y|{_CAP})[\w'’-]*){{0,4}},?[ ](?:n[.º°o]?[ ]?)?\d{{1,4}}(?![\w.]\d)
    (?:{_LINE}\d{{4,5}}(?:-\d{{3}})?[ ]{_TOWN})?)""")
_POSTCODE_AND_TOWN = re.compile(r"\d{4,5}(?:-\d{3})? [A-Z]")

_CN_NUMBER = _form(r"""
    (?:(?<![公铁])路|街|大道|巷|弄|胡同)\s?\d{1,5}\s?[号號弄](?:院)?(?!线)
    (?:[\u4e00-\u9fffA-Z\d-]{0,12}?\d{1,5}[A-Z]?(?:室|楼|单元|栋|层|号楼|幢|房)){0,4}""")
_CN_BEFORE = re.compile(r"[\u4e00-\u9fff]{2,24}\Z")
_CN_LEAD = re.compile(r".*?(?:地址|住址|住所|位于|住在|居住于|寄往|寄到|邮寄至|送至|搬到|在|于|至|到|为|是)")
_CN_PLACE = re.compile("[省市区县州镇乡]")

_CUE = re.compile(
    r"(?i)(?:\baddress|\blives?\b|\bliving\b|\bresid|\bship(?:ped|ping)?\b|\bdeliver|\bmail(?:ed|ing)?\b|\blocated|"
    r"\boffice is|anschrift|adresse|wohn|indirizzo|residen|dirección|domicilio|morada|habita|domicili|demeur|abita)"
    r"[^\n\d]{0,40}\Z"
)


def romance(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """French, Spanish, Italian and Portuguese addresses; without postcode only after a word such as "dirección"."""
    for start, end in _around(text, _ROMANCE_WORDS, 12, 120):
        for match in _ROMANCE.finditer(text, start, end):
            certain = _POSTCODE_AND_TOWN.search(match[0]) is not None
            if certain or _has_cue(text, match):
                yield Span("ADDRESS", match.start(), match.end(), 0.6, by_context=not certain)


def german(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """German, Austrian and Swiss addresses."""
    for start, end in _around(text, _DE_ENDINGS, 60, 90):
        for match in _DE_STREET.finditer(text, start, end):
            yield Span("ADDRESS", match.start(), match.end(), 0.65)
    for town in _DE_POSTCODE.finditer(text):
        for match in _DE_TOWN.finditer(text, max(0, town.start() - 70), town.end() + 60):
            if match.start() < town.start() < match.end():
                yield Span("ADDRESS", match.start(), match.end(), 0.6)


def english(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """American and British addresses, flats in any language; `by_context` where a street stands alone."""
    for start, end in _around(text, _EN_KINDS, 60, 120):
        for match in _EN_STREET.finditer(text, start, end):
            rest = match[0][match.end("kind") - match.start() :]
            if match["kind"] in _STREETS.split("|") or re.search(r"\d", rest) or _has_cue(text, match):
                yield Span("ADDRESS", match.start(), match.end(), 0.6, by_context=True)
    for start, end in _around(text, _FLATS, 80, 160):
        for match in _FLAT_STREET.finditer(text, start, end):
            yield Span("ADDRESS", match.start(), match.end(), 0.6, by_context=True)
    for place in sorted(places(folded(text), _ANNOUNCED_STEMS)):
        cue = _ANNOUNCED.match(text, place)
        announced = cue and _CUED_STREET.match(text, cue.end(), cue.end() + 160)
        if announced:
            yield Span("ADDRESS", *announced.span("value"), 0.6, by_context=True)


def english_without_street(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """Boxes, corners of two streets, military post offices, and ZIP codes after that word."""
    for match in _CORNER.finditer(text) if "orner of" in text else ():
        yield Span("ADDRESS", *match.span("value"), 0.6, by_context=True)
    for match in _MILITARY.finditer(text) if "PO A" in text else ():
        yield Span("ADDRESS", *match.span(), 0.6)
    for match in _ZIP.finditer(text) if "zip" in text or "Zip" in text or "ZIP" in text else ():
        yield Span("ADDRESS", *match.span("value"), 0.55, by_context=True)
    for start, end in _around(text, _BOX_WORDS, 16, 80):
        for match in _BOX.finditer(text, start, end):
            yield Span("ADDRESS", match.start(), match.end(), 0.6)


def chinese(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """Chinese addresses with street and house number; `by_context` without a province, city or district."""
    for match in (m for part in _around(text, ("号", "號", "弄"), 16, 60) for m in _CN_NUMBER.finditer(text, *part)):
        before = _CN_BEFORE.search(text, max(0, match.start() - 24), match.start())
        if before is None:
            continue
        lead = _CN_LEAD.match(before[0])
        start = before.start() + (lead.end() if lead and lead.end() < len(before[0]) else 0)
        certain = _CN_PLACE.search(text, start, match.start()) is not None
        yield Span("ADDRESS", start, match.end(), 0.6, by_context=not certain)


def _has_cue(text: str, match: re.Match[str]) -> bool:
    return _CUE.search(text, max(0, match.start() - 60), match.start()) is not None


def _around(
    text: str, literals: tuple[str, ...] | re.Pattern[str], before: int, after: int
) -> Iterator[tuple[int, int]]:
    """Parts of the text around the literals, not overlapping, in order."""
    found = places(text, literals) if isinstance(literals, tuple) else (m.start() for m in literals.finditer(text))
    start, end = 0, -1
    for place in sorted(found):
        if place - before > end:
            if end >= 0:
                yield start, min(end, len(text))
            start = max(0, place - before)
        end = place + after
    if end >= 0:
        yield start, min(end, len(text))
