"""Wikitext of MediaWiki as HTML: headings, lists, links, tables, emphasis and code.

Templates are not expanded, since an export lacks what they do: the values given to them are kept, each with its name.
Categories become labels; pictures their caption. Footnotes stand where they are cited, in brackets.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

BEHAVIOUR = re.compile(r"__[A-Z]+__")
DROPPED = frozenset(("gallery", "references", "script", "style", "templatestyles", "indicator"))
KEPT = frozenset("b i u s code pre sub sup blockquote big small del ins kbd samp tt var".split())
MARK = "\x02"
"""Begins a line of a list in the text between parsing and joining."""


def to_html(title: str, text: str, href: Callable[[str], str]) -> tuple[bytes, tuple[str, ...]]:
    """(page with its title, categories in order). `href`: title of a page -> where a link leads, "" for nowhere."""
    import mwparserfromhell

    writer = _Writer(href)
    parsed = mwparserfromhell.parse(BEHAVIOUR.sub("", text.replace(MARK, "")))
    inner = "\n".join(_blocks(writer.all(parsed.nodes)))
    shown = html.escape(title)
    head = f'<meta charset="utf-8"><title>{shown}</title>'
    page = f"<!doctype html>\n<html><head>{head}</head>\n<body>\n<h1>{shown}</h1>\n{inner}\n</body></html>\n"
    return page.encode(), tuple(sorted(writer.categories))


class _Writer:
    """Inline HTML of nodes; blocks stand on lines of their own."""

    def __init__(self, href: Callable[[str], str]) -> None:
        self._href = href
        self.categories: set[str] = set()

    def all(self, nodes: Any) -> str:
        return "".join(self._node(node) for node in nodes)

    def _node(self, node: Any) -> str:
        write: Callable[[Any], str] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        return write(node) if write is not None else ""  # comments

    def _text(self, node: Any) -> str:
        return html.escape(str(node.value), quote=False)

    def _heading(self, node: Any) -> str:
        level = min(max(int(node.level), 2), 6)
        return f"\n<h{level}>{self.all(node.title.nodes).strip()}</h{level}>\n"

    def _externallink(self, node: Any) -> str:
        shown = self.all(node.title.nodes) if node.title else html.escape(str(node.url))
        return f'<a href="{html.escape(str(node.url))}">{shown}</a>'

    def _htmlentity(self, node: Any) -> str:
        return html.escape(node.normalize(), quote=False)

    def _argument(self, node: Any) -> str:
        return self.all(node.default.nodes) if node.default else ""

    def _wikilink(self, node: Any) -> str:
        target = str(node.title).strip()
        namespace, _, rest = target.partition(":")
        kind = namespace.strip().lower()
        if kind in ("category", "kategorie") and rest:
            self.categories.add(rest.strip())
            return ""
        if kind in ("file", "image", "datei", "bild"):
            caption = str(node.text or "").rpartition("|")[2].strip()
            return f'<img src="" alt="{html.escape(caption)}">' if caption else ""
        shown = self.all(node.text.nodes) if node.text else html.escape(target.lstrip(":"))
        page, _, anchor = target.lstrip(":").partition("#")
        place = self._href(page.strip()) if page.strip() else ""
        place += f"#{anchor.strip().replace(' ', '_')}" if anchor else ""
        return f'<a href="{html.escape(place)}">{shown}</a>' if place else shown

    def _template(self, node: Any) -> str:
        values = []
        for parameter in node.params:
            value = self.all(parameter.value.nodes).strip()
            if value:
                name = html.escape(str(parameter.name).strip())
                values.append(f"{name}: {value}" if parameter.showkey else value)
        if len(values) > 1 and any(parameter.showkey for parameter in node.params):
            return "\n" + "\n".join(f"{MARK}* {' '.join(value.split())}" for value in values) + "\n"
        return ", ".join(values)

    def _tag(self, node: Any) -> str:
        name = str(node.tag).strip().lower()
        if node.wiki_markup in ("*", "#", ":", ";"):
            return f"{MARK}{node.wiki_markup}"
        if name in ("syntaxhighlight", "source", "pre", "nowiki", "math", "chem"):
            return self._literal(name, node)
        inner = self.all(node.contents.nodes) if node.contents is not None else ""
        if name in ("table", "tr", "td", "th"):
            return _table_part(name, node, inner)
        if name in ("br", "hr"):
            return f"<{name}>"
        if name == "ref":
            return f" [{inner.strip()}]" if inner.strip() else ""
        if name in KEPT:
            return f"<{name}>{inner}</{name}>"
        return "" if name in DROPPED else inner

    def _literal(self, name: str, node: Any) -> str:
        """What is no wikitext: code, formulas."""
        text = html.escape(str(node.contents or ""), quote=False)
        if name in ("nowiki", "math", "chem"):
            return text
        language = next((str(item.value) for item in node.attributes if str(item.name).strip() == "lang"), "")
        marked = f' class="language-{html.escape(language)}"' if language else ""
        lines = text.strip("\n").replace("\n", "&#10;")
        return f"\n<pre><code{marked}>{lines}</code></pre>\n"


def _table_part(name: str, node: Any, inner: str) -> str:
    if name == "table":
        head, row, rest = inner.partition("<tr>")
        first = f"<tr>{''.join(_cells(head))}</tr>" if "<t" in head else ""
        return f"\n<table>{first}{_one_line(row + rest)}</table>\n"
    if name == "tr":
        return f"<tr>{''.join(_cells(inner))}</tr>"
    spans = "".join(
        f' {str(item.name).strip()}="{html.escape(str(item.value))}"'
        for item in node.attributes
        if str(item.name).strip() in ("colspan", "rowspan")
    )
    return f"<{name}{spans}>{_one_line(inner)}</{name}>"


def _cells(text: str) -> Iterator[str]:
    """Cells of a row without what stands between them."""
    yield from re.findall(r"<t[dh][^>]*>.*?</t[dh]>", text, re.DOTALL)


def _one_line(text: str) -> str:
    """A cell's text on one line, its lists with dashes."""
    return re.sub(r"\s*\n\s*", " ", re.sub(rf"(?:{MARK}[*#:;])+\s*", "- ", text)).strip()


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs, lists and what is a block already, of lines."""
    paragraph: list[str] = []
    items: list[tuple[str, str]] = []
    for line in [*text.split("\n"), ""]:
        found = re.match(rf"((?:{MARK}[*#:;])+)\s*(.*)", line)
        block = line.startswith(("<h", "<table", "<pre", "<blockquote"))
        if paragraph and (found or block or not line.strip()):
            yield f"<p>{' '.join(paragraph)}</p>"
            paragraph = []
        if items and not found:
            yield _list(items)
            items = []
        if found:
            items.append((found.group(1).replace(MARK, ""), found.group(2)))
        elif block:
            yield line
        elif line.strip():
            paragraph.append(line.strip())


def _list(items: list[tuple[str, str]]) -> str:
    """Nested lists of (marks, text): the number of marks is the depth, the last one the kind."""
    out: list[str] = []
    opened: list[str] = []
    for marks, text in items:
        kind = "ol" if marks[-1] == "#" else "ul"
        while len(opened) > len(marks) or (len(opened) == len(marks) and opened[-1] != kind):
            out.append(f"</li></{opened.pop()}>")
        if len(opened) == len(marks):
            out.append("</li>")
        while len(opened) < len(marks):
            opened.append(kind if len(opened) + 1 == len(marks) else "ul")
            out.append(f"<{opened[-1]}>")
            if len(opened) < len(marks):
                out.append("<li>")
        out.append(f"<li>{text.strip()}")
    while opened:
        out.append(f"</li></{opened.pop()}>")
    return "".join(out)
