"""What is noise by its words: each function says which elements, or which lines of them, are taken.

A drop rule gives, for each element, "all", a set of line numbers (from 0), or nothing; it never changes a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from kprep.core.bounded import bounded
from kprep.core.models import Element, ElementKind

Drops = Mapping[int, frozenset[int] | None]
"""Index of an element -> the lines of it to take, or None for the whole element."""

TEXT_KINDS = (
    ElementKind.PARAGRAPH,
    ElementKind.LIST_ITEM,
    ElementKind.FOOTNOTE,
    ElementKind.CAPTION,
    ElementKind.QUOTE,
)

_RIGHTS = r"(?:all rights reserved|alle rechte vorbehalten|tous droits réservés|todos los derechos reservados|"
_RIGHTS += r"tutti i diritti riservati|todos os direitos reservados|版权所有|保留所有权利|著作権所有|无断转载禁止)"
_YEAR = r"(?:19|20)\d\d\b"
# Years and names: what follows "Copyright" or "(c)" in a notice, and hardly in a sentence or in item c of a list.
_OWNER = rf"(?:[\s,.;:&+/–-]*(?:{_YEAR}|(?:and|by|of|the|und|et|y|e|de|von|present)\b|(?-i:[^\W\d_a-zß-ÿ])[\w'’&.-]*))"
_NO_NOTICE = r"(?!\s*(?:act|acts|law|laws|directive|office|reform|notice|policy)\b)"
_COPYRIGHT = re.compile(
    rf"(?i)^\W{{0,3}}(?:copyright\W{{0,3}}|urheberrecht\W{{0,3}})?(?:©|&copy;)\W{{0,3}}(?:by\s+)?{_YEAR}[^\n]{{0,120}}$"
    rf"|^(?=.{{0,80}}$)\W{{0,3}}(?:copyright\W{{0,3}})?(?:©|&copy;)[^\n]{{0,60}}\b{_YEAR}[^\n]{{0,40}}$"
    r"|^(?=.{0,60}$)\W{0,3}(?:copyright\W{0,3})?©[^\n]{1,60}$"
    rf"|^(?=.{{0,120}}$)(?=[^\n]*\b{_YEAR})\W{{0,3}}(?:copyright|urheberrecht|\(c\))(?:\W{{0,3}}\(c\))?{_NO_NOTICE}"
    rf"{_OWNER}{{1,12}}(?:[\s.,;|–-]*{_RIGHTS}[^\n]{{0,60}})?[\s.)]*$"
    rf"|^(?:[^\n]{{0,100}}(?:[.,;:|•·–—-]|\b{_YEAR})\s*)?{_RIGHTS}(?:[\s.!)]*|[.!|•·–—-][^\n]{{0,60}})$"
    r"|^[^\n。，]{0,60}(?:版权所有(?![者人权])|保留所有权利)(?:[，,\s]*(?:侵权|翻印|违者|盗版)必究|[^\n。，]{0,60})[。.]?$"
)
_MAKES_NO_SENTENCE = frozenset("and by of the und et y e de von present all rights reserved inc ltd".split())
_MOST_WORDS = 2
"""Words in small letters that a notice without a statement of rights may hold: more of them say something."""
_COOKIE_USE = re.compile(
    r"(?i)(?:site|we|page|app)\s+(?:also\s+)?uses?\s+(?:[\w-]+\s+){0,3}cookies|verwende[nt]\s+(?:\w+\s+){0,3}cookies|cookies\s+verwende|"
    r"utilis(?:e|ons)\s+(?:\w+\s+){0,3}cookies|utiliza(?:mos)?\s+(?:\w+\s+){0,3}cookies|utilizz(?:a|iamo)\s+(?:\w+\s+){0,3}cookie|"
    r"gebrui(?:k|kt|ken)\s+(?:\w+\s+){0,3}cookies|使用\s*cookie|クッキーを使用|cookie\s*を使用"
)
_COOKIE_ACT = re.compile(
    r"(?i)accept|agree|consent|by continuing|continue to (?:use|browse)|preferences|manage|learn more|privacy policy|"
    r"decline|akzeptier|zustimm|einverstanden|einwillig|datenschutz|accepte|consentement|en poursuivant|aceptar|"
    r"continuar|accett|consenso|akkoord|toestemming|同意|接受|继续|許可"
)
_NAV_WORD = (
    r"(?:previous|prev|next|back|up|home|weiter|zurück|vorherige(?:r|s)?|nächste(?:r|s)?|précédent|suivant|anterior|siguiente|"
    r"próximo|precedente|successivo|vorige|volgende|上一页|下一页|上一篇|下一篇|上一章|下一章|前へ|次へ)"
)
_NAV_PAGE = r"(?:\s+(?:page|topic|chapter|section|article|post|seite|kapitel|page|página|capitolo))?"
_NAV_PLAIN = re.compile(
    rf"(?i)^[\s«»‹›←→<>|·•/]*{_NAV_WORD}{_NAV_PAGE}(?:[\s«»‹›←→<>|·•/]+{_NAV_WORD}{_NAV_PAGE})*[\s«»‹›←→<>|·•/]*$"
)
_NAV_NAMED = re.compile(
    rf"(?i)^[\s«‹←<|]*{_NAV_WORD}{_NAV_PAGE}\s*[:：»›→>-]\s*\S.{{0,80}}$|^[«‹←]\s*\S.{{0,80}}$|^\S.{{0,80}}\s*[»›→]$"
)
_SKIP = re.compile(
    r"(?i)^\W*(?:skip to (?:main |the )?(?:content|navigation|search|footer)|jump to (?:content|navigation)|"
    r"(?:back|return|go) to (?:the )?top|"
    r"(?:scroll )?to top|zum (?:haupt)?inhalt(?: springen)?|(?:zurück )?nach oben|zum seitenanfang|"
    r"aller au contenu(?: principal)?|"
    r"(?:retour|revenir) en haut(?: de (?:la )?page)?|haut de (?:la )?page|"
    r"ir al contenido(?: principal)?|saltar al contenido|volver arriba|"
    r"vai al contenuto(?: principale)?|torna su|ir para o conteúdo|voltar ao topo|naar (?:de )?inhoud|terug naar boven|"
    r"跳到(?:主要)?内容|返回顶部|回到顶部|コンテンツへスキップ|ページトップへ|トップへ戻る)\W*$"
)
_PAGE_WORD = (
    r"(?:page|p\.|pg\.?|seite|s\.|página|pagina|pág\.?|pag\.?|blad|sida|side|strona|str\.|стр\.?|страница|sayfa)"
)
_PAGE_NUMBER = re.compile(
    rf"(?i)^\W{{0,3}}{_PAGE_WORD}\s*\d{{1,4}}(?:\s*(?:of|von|de|sur|di|van|av|af|z|из|/|\|)\s*\d{{1,4}})?\W{{0,3}}$"
    r"|^[-–—]\s*\d{1,4}\s*[-–—]$|^第\s*[\d一二三四五六七八九十百]{1,5}\s*[页頁](?:\s*[/,，共]*\s*\d{0,4}\s*[页頁]?)?$|^\d{1,4}\s*ページ$"
)
_BARE_NUMBER = re.compile(r"^\d{1,4}(?:\s*/\s*\d{1,4})?$")
_LEADERS = re.compile(r"^\s*\S.{0,120}?(?:(?:\s?[.·•…_]){4,}|[…]{2,})\s*(?:\d{1,4}|[ivxlc]{1,7})\s*$", re.IGNORECASE)
_TOC_TITLE = re.compile(
    r"(?i)^\W*(?:table of contents|contents|toc|on this page|in this (?:article|page|section)|inhalt(?:sverzeichnis)?|"
    r"auf dieser seite|"
    r"table des matières|sommaire|índice|tabla de contenidos?|"
    r"indice|sommario|inhoud(?:sopgave)?|目录|目次|本页内容)\W*$"
)


def copyright_lines(elements: Sequence[Element]) -> Drops:
    """Elements and lines that are only a copyright notice."""
    return _by_line(elements, _is_copyright)


def _is_copyright(line: str) -> bool:
    if len(line) > 200 or not _COPYRIGHT.match(line):
        return False
    words = [word for word in re.findall(r"(?<![\w./@-])[^\W\d_]+(?![\w/@-])", line) if word.islower()]
    said = [word for word in words if word.isascii() and word not in _MAKES_NO_SENTENCE]
    return len(said) <= _MOST_WORDS or re.search(f"(?i){_RIGHTS}", line) is not None


def cookie_notices(elements: Sequence[Element]) -> Drops:
    """Elements that say that cookies are used and ask to agree."""
    return {
        index: None
        for index, element in enumerate(elements)
        if element.kind in TEXT_KINDS
        and len(element.text) <= 700
        and _COOKIE_USE.search(element.text)
        and _COOKIE_ACT.search(element.text)
    }


def navigation_links(elements: Sequence[Element]) -> Drops:
    """Elements that only lead on or back: "Previous | Next", "Next: Setup" as a link, "Back to top"."""
    drops: dict[int, frozenset[int] | None] = {}
    for index, element in enumerate(elements):
        if element.kind not in TEXT_KINDS or len(element.text) > 200:
            continue
        lines = [line.strip() for line in element.text.split("\n") if line.strip()]
        if lines and all(_leads_away(line, element) for line in lines):
            drops[index] = None
    return drops


def page_numbers(elements: Sequence[Element]) -> Drops:
    """Elements and lines such as "Page 3 of 7"; a bare number only where it is the page's own, first or last on it."""
    drops = dict(_by_line(elements, lambda line: _PAGE_NUMBER.match(line) is not None))
    for index, element in enumerate(elements):
        if element.kind is ElementKind.LIST_ITEM and _PAGE_NUMBER.match(f"{element.marker} {element.text}".strip()):
            drops[index] = None  # "- 3 -" reads like an item
            continue
        page = element.locator.page
        if page is None or element.kind is not ElementKind.PARAGRAPH or not _BARE_NUMBER.match(element.text.strip()):
            continue
        before = elements[index - 1].locator.page if index else None
        after = elements[index + 1].locator.page if index + 1 < len(elements) else None
        if (before != page or after != page) and element.text.split("/")[0].strip() == str(page):
            drops[index] = None
    return drops


def hidden(elements: Sequence[Element]) -> Drops:
    """Elements the reader of the original does not see."""
    return {index: None for index, element in enumerate(elements) if element.hidden}


def tables_of_contents(elements: Sequence[Element]) -> Drops:
    """Lines with dot leaders (three or more together), and lists that only link to headings of this document, with the
    title above them."""
    headings = {_plain(element.text) for element in elements if element.kind is ElementKind.HEADING}
    drops: dict[int, frozenset[int] | None] = {}
    run: list[int] = []
    for index, element in enumerate([*elements, None]):
        if element is not None and _is_contents(element, headings):
            run.append(index)
            continue
        entries = sum(elements[item].text.count("\n") + 1 for item in run)
        titled = bool(run) and run[0] > 0 and _TOC_TITLE.match(elements[run[0] - 1].text) is not None
        if entries >= 3 or (run and titled):
            drops.update(dict.fromkeys(run))
            if titled:
                drops[run[0] - 1] = None
        run = []
    return drops


def _is_contents(element: Element, headings: set[str]) -> bool:
    if element.kind not in TEXT_KINDS and element.kind is not ElementKind.TABLE_OF_CONTENTS:
        return False
    lines = [line for line in element.text.split("\n") if line.strip()]
    if lines and all(len(line) <= 300 and _LEADERS.match(line) for line in lines):
        return True
    if not element.links or len(element.text) > 2000 or any(not link.target.startswith("#") for link in element.links):
        return False
    linked = _plain(" ".join(link.text for link in element.links))
    return _plain(element.text) == linked and all(_plain(link.text) in headings for link in element.links)


def _plain(text: str) -> str:
    """Letters and digits only, without a leading section number, to compare a contents entry with its heading."""
    return "".join(re.findall(r"[^\W_]+", re.sub(r"^[\s\d.]+(?=\D)", "", text).lower()))


def _leads_away(line: str, element: Element) -> bool:
    if _SKIP.match(line) or _NAV_PLAIN.match(line):
        return True
    return bool(
        element.links and _NAV_NAMED.match(line) and any(_plain(link.text) in _plain(line) for link in element.links)
    )


def _by_line(elements: Sequence[Element], is_noise: Callable[[str], bool]) -> Drops:
    drops: dict[int, frozenset[int] | None] = {}
    for index, element in enumerate(elements):
        if element.kind not in TEXT_KINDS:
            continue
        lines = element.text.split("\n")
        noisy = frozenset(number for number, line in enumerate(lines) if line.strip() and is_noise(line.strip()))
        if noisy:
            filled = sum(1 for line in lines if line.strip())
            drops[index] = None if len(noisy) == filled else noisy
    return drops


def matching_lines(name: str, pattern: re.Pattern[str]) -> Callable[[Sequence[Element]], Drops]:
    """A drop rule, with a name for its error, for lines that match `pattern` as a whole. Raises: RuleTooSlow."""

    def drops(elements: Sequence[Element]) -> Drops:
        with bounded(f"{name} of the cleaning rules"):
            return _by_line(elements, lambda line: pattern.fullmatch(line) is not None)

    return drops
