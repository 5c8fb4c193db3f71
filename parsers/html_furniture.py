"""Which parts of a page are not its content: navigation, headers, footers, cookie notices, tables of contents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kprep.core.models import ElementKind, Link

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_BY_ROLE = {
    "navigation": ElementKind.NAVIGATION,
    "menu": ElementKind.NAVIGATION,
    "menubar": ElementKind.NAVIGATION,
    "search": ElementKind.NAVIGATION,
    "banner": ElementKind.HEADER,
    "contentinfo": ElementKind.FOOTER,
    "doc-toc": ElementKind.TABLE_OF_CONTENTS,
}
_BY_WORD = (
    (re.compile(r"cookie|consent|gdpr"), ElementKind.COOKIE_NOTICE),
    (re.compile(r"^(?:toc|table-of-contents|tableofcontents|contents-list)$"), ElementKind.TABLE_OF_CONTENTS),
    (
        re.compile(
            r"^(?:nav|navbar|navigation|navbox|breadcrumbs?|menu|menubar|sidebar|pagination|pager|prev-?next|"
            r"skip-?(?:link|nav|to-content)|skiplink|site-?nav|top-?bar|language-switcher|share|social|related)$"
        ),
        ElementKind.NAVIGATION,
    ),
    (re.compile(r"^(?:footer|site-?footer|page-?footer|colophon|copyright)$"), ElementKind.FOOTER),
    (re.compile(r"^(?:site-?header|page-?header|masthead|banner)$"), ElementKind.HEADER),
)
_COOKIE_BANNER = re.compile(
    r"^(?:cookies?|gdpr)$|(?:cookie|consent|gdpr)[\w-]*(?:consent|banner|notice|bar|pop-?up|modal|dialog|message|overlay|"
    r"law|wall|layer|sdk|settings)|(?:banner|notice|bar|pop-?up|modal|dialog)-?(?:cookie|consent|gdpr)"
)
_CONTENT_ASIDES = re.compile(r"note|admonition|warning|callout|tip|info|hint|alert|caution|important|footnote|endnote")
_NOTE_ROLES = {"note", "doc-footnote", "doc-endnotes", "doc-tip", "alert"}
_WHOLE_PAGE = {"html", "body", "main", "article"}
_SHORT_NOTICE = 2000
_MENU_SHARE = 0.5
"""Share of its words in links from which an aside is a menu."""
_STEP = re.compile(
    r"^\W*(?:previous|prev|next|zur\u00fcck|weiter|vorige|n\u00e4chste|pr\u00e9c\u00e9dent|suivant|anterior|siguiente|"
    r"\u4e0a\u4e00\u9875|\u4e0b\u4e00\u9875|\u4e0a\u4e00\u7bc7|\u4e0b\u4e00\u7bc7)\b",
    re.IGNORECASE,
)
_SKIP = re.compile(
    r"^\W*(?:skip|jump) (?:(?:directly )?to (?:the )?"
    r"(?:main|page|content|nav|menu|search|sidebar|footer|header|top|end)|nav)",
    re.IGNORECASE,
)


class Furniture:
    """Decides for one page; knows how much text the page has. `in_book`: it is a chapter, so all of it an article."""

    def __init__(self, root: HtmlElement, *, in_book: bool = False) -> None:
        self._in_book = in_book
        self._page_chars = max(_chars(root), 1)
        self._has_main = next(root.iter("main", "article"), None) is not None
        self._sole_heading = len(list(root.iter("h1"))) == 1

    def kind(self, node: HtmlElement) -> ElementKind | None:
        """The kind of everything inside `node`, None for content.

        A class name alone never condemns the body: what holds the main part, the only `h1`, or half of the page's
        text without being mostly links, is content.
        """
        tag = node.tag
        by_tag = self._by_tag(node, tag)
        if by_tag is not None:
            return by_tag
        role = (node.get("role") or "").lower()
        if role in _BY_ROLE:
            return _BY_ROLE[role]
        if tag in _WHOLE_PAGE or tag in {"h1", "h2", "h3", "h4", "h5", "h6", "p", "pre", "code", "td", "th", "tr", "a"}:
            return None
        found = self._by_words(node)
        if found is None and self._is_link_list(node, tag):
            return ElementKind.NAVIGATION
        return found

    def _by_tag(self, node: HtmlElement, tag: str) -> ElementKind | None:
        if tag == "nav":
            return ElementKind.NAVIGATION
        if tag == "aside":
            marks = f"{node.get('class') or ''} {node.get('id') or ''}".lower()
            is_note = _CONTENT_ASIDES.search(marks) or (node.get("role") or "").lower() in _NOTE_ROLES
            is_note = is_note or node.get("epub:type")
            return None if is_note or self._is_box(node, marks) else ElementKind.NAVIGATION
        is_page = not self._in_book and not _inside(node, {"main", "article", "section", "blockquote"})
        if tag in {"header", "footer"} and is_page:
            return ElementKind.HEADER if tag == "header" else ElementKind.FOOTER
        return None

    def _is_box(self, aside: HtmlElement, marks: str) -> bool:
        """An aside amid the text of an article, a section or a chapter that neither its marks nor its links make a
        menu."""
        if not self._in_book and not _inside(aside, {"article", "section"}):
            return False
        words = marks.replace("_", "-").split()
        return not any(pattern.search(word) for word in words for pattern, _ in _BY_WORD) and (
            _link_share(aside, _chars(aside)) < _MENU_SHARE
        )

    def _by_words(self, node: HtmlElement) -> ElementKind | None:
        words = f"{node.get('class') or ''} {node.get('id') or ''}".lower().replace("_", "-").split()
        found = next((kind for word in words for pattern, kind in _BY_WORD if pattern.search(word)), None)
        if found is None:
            return None
        if next(node.iter("main", "article", "h1"), None) is not None:
            return None
        chars = _chars(node)
        if found is ElementKind.COOKIE_NOTICE:
            # "cookie-recipes" and "informed-consent" are content; what asks to agree has something to press.
            asks = any(map(_COOKIE_BANNER.search, words)) or next(node.iter("button", "input"), None) is not None
            is_short = chars < min(_SHORT_NOTICE, self._page_chars * 0.7)
            return found if asks and is_short and not _inside(node, {"article"}) else None
        if found in {ElementKind.NAVIGATION, ElementKind.TABLE_OF_CONTENTS} and _link_share(node, chars) < 0.5:
            return found if chars < self._page_chars * 0.2 and not _inside(node, {"main", "article"}) else None
        return found if chars < self._page_chars * 0.5 or _link_share(node, chars) > 0.8 else None

    def _is_link_list(self, node: HtmlElement, tag: str) -> bool:
        """A list of nothing but short links outside the main part of a page that has one."""
        if tag not in {"ul", "ol"} or not self._has_main or _inside(node, {"main", "article"}):
            return False
        links = list(node.iter("a"))
        chars = _chars(node)
        return len(links) >= 3 and _link_share(node, chars) > 0.9 and chars / len(links) < 60

    def keeps_heading(self, kind: ElementKind | None, tag: str) -> bool:
        """The page's only `h1` is content wherever it stands."""
        return kind is ElementKind.HEADER and tag == "h1" and self._sole_heading


def is_step_link(text: str, link_text: str, target: str) -> bool:
    """A block that is nothing but a "previous", "next" or "skip to content" link. "Jump to section 2" is content."""
    if not link_text.strip() or len(text) > 150:
        return False
    if _SKIP.match(text):
        return target.startswith("#")
    return bool(_STEP.match(text)) and len("".join(link_text.split())) > 0.6 * len("".join(text.split()))


def is_sentence_in_menu(kind: ElementKind, text: str, links: Sequence[Link]) -> bool:
    """Whether a block of what only a class calls navigation says something: a sentence with a full stop and few links.
    Menus are made of links."""
    if kind is not ElementKind.NAVIGATION or len(text.split()) < 5 or text.rstrip()[-1] not in ".!?。":
        return False
    return sum(len(link.text) for link in links) < 0.5 * len(text)


def is_hidden(node: HtmlElement) -> bool:
    """The reader of the page does not see this node."""
    style = (node.get("style") or "").lower().replace(" ", "")
    return (
        "hidden" in node.attrib
        or (node.get("aria-hidden") or "").lower() == "true"
        or "display:none" in style
        or "visibility:hidden" in style
        or "font-size:0" in style.replace("font-size:0.", "")
        or re.search(r"(?:^|;)opacity:0(?:\.0+)?(?:;|$)", style) is not None
    )


def _inside(node: HtmlElement, tags: set[str]) -> bool:
    return any(parent.tag in tags for parent in node.iterancestors())


def _chars(node: HtmlElement) -> int:
    return sum(len(text.strip()) for text in node.itertext(with_tail=False)) - sum(
        len(text.strip()) for unseen in node.iter("script", "style", "template") for text in unseen.itertext()
    )


def _link_share(node: HtmlElement, chars: int) -> float:
    return sum(_chars(link) for link in node.iter("a")) / max(chars, 1)
