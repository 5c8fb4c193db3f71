"""Confluence storage format as HTML: macros become what they show, links lead to pages of the same export.

Source: "Confluence Storage Format", Atlassian documentation. Macros that only list or navigate (toc, children, ...)
give nothing; of one that is not known the text in it is kept.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

AC, RI = "{ac}", "{ri}"
SHOWN_BY_SERVER = frozenset(
    "toc toc-zone children pagetree pagetreesearch recently-updated contentbylabel livesearch include excerpt-include "
    "gallery attachments change-history contributors blog-posts labels related-labels popular-labels jira "
    "anchor roadmap widget create-from-template".split()
)
PANELS = frozenset("info note warning tip panel expand".split())
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)(\w+;)")


def to_html(title: str, body: str, links: Mapping[str, str]) -> bytes:
    """A page with its title. `links`: title of a page, or `attachment:` and a file's name -> where it leads.

    Exports write the end of a CDATA section within another as `]] >`.
    """
    from lxml import etree

    text = _ENTITY.sub(lambda match: html.unescape(match.group()).replace("&", "&amp;"), body.replace("]] >", "]]>"))
    wrapped = f'<body xmlns:ac="ac" xmlns:ri="ri">{text}</body>'.encode()
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, huge_tree=True, strip_cdata=True)
    root = etree.fromstring(wrapped, parser)
    inner = "" if root is None else _Writer(links).inside(root)
    shown = html.escape(title)
    head = f'<meta charset="utf-8"><title>{shown}</title>'
    return f"<!doctype html>\n<html><head>{head}</head>\n<body>\n<h1>{shown}</h1>\n{inner}\n</body></html>\n".encode()


class _Writer:
    """Writes one page."""

    def __init__(self, links: Mapping[str, str]) -> None:
        self._links = links
        self._special: Mapping[str, Callable[[Any], str]] = {
            f"{AC}structured-macro": self._macro,
            f"{AC}macro": self._macro,
            f"{AC}link": self._link,
            f"{AC}image": self._image,
            f"{AC}task-list": lambda node: f"<ul>{self.inside(node)}</ul>",
            f"{AC}task": lambda node: f"<li>{''.join(self.inside(body) for body in node.iter(f'{AC}task-body'))}</li>",
            f"{AC}emoticon": lambda _: "",
            f"{AC}placeholder": lambda _: "",
            f"{AC}parameter": lambda _: "",
            "time": lambda node: html.escape(node.get("datetime", "") or node.text or ""),
        }

    def inside(self, node: Any) -> str:
        """HTML of what stands in a node."""
        parts = [html.escape(node.text or "", quote=False)]
        for child in node:
            if isinstance(child.tag, str):
                parts.append(self._element(child))
            parts.append(html.escape(child.tail or "", quote=False))
        return "".join(parts)

    def _element(self, node: Any) -> str:
        special = self._special.get(node.tag)
        if special is not None:
            return special(node)
        if node.tag.startswith("{"):
            return self.inside(node)  # layouts and what else only arranges
        names = ("href", "colspan", "rowspan", "src", "alt", "title", "id", "start", "lang")
        kept = "".join(f' {name}="{html.escape(node.get(name))}"' for name in names if node.get(name))
        if node.tag in ("br", "hr", "img", "col"):
            return f"<{node.tag}{kept}>"
        return f"<{node.tag}{kept}>{self.inside(node)}</{node.tag}>"

    def _macro(self, node: Any) -> str:
        name = node.get(f"{AC}name", "")
        parameters = {item.get(f"{AC}name", ""): "".join(item.itertext()) for item in node.findall(f"{AC}parameter")}
        rich = "".join(self.inside(body) for body in node.findall(f"{AC}rich-text-body"))
        plain = "".join(body.text or "" for body in node.findall(f"{AC}plain-text-body"))
        if name in SHOWN_BY_SERVER:
            return ""
        if name in ("code", "noformat"):
            language = html.escape(parameters.get("language", ""))
            marked = f' class="language-{language}"' if language else ""
            title = f"<p>{html.escape(parameters['title'])}</p>\n" if parameters.get("title") else ""
            return f"\n{title}<pre><code{marked}>{html.escape(plain, quote=False)}</code></pre>\n"
        if name == "status":
            return html.escape(parameters.get("title", ""))
        if name in PANELS:
            said = parameters.get("title") or (name.capitalize() if name in ("note", "warning") else "")
            title = f"<p><strong>{html.escape(said)}</strong></p>" if said else ""
            return f"\n<div>{title}{rich}</div>\n"
        return rich + (f"<pre>{html.escape(plain, quote=False)}</pre>" if plain else "")

    def _link(self, node: Any) -> str:
        target, text = "", ""
        for page in node.iter(f"{RI}page", f"{RI}blog-post"):
            text = page.get(f"{RI}content-title", "")
            target = self._links.get(text, "")
        for file in node.iter(f"{RI}attachment"):
            text = file.get(f"{RI}filename", "")
            target = quote(self._links.get(f"attachment:{text}", ""))
        anchor = node.get(f"{AC}anchor", "")
        body = [*node.findall(f"{AC}link-body"), *node.findall(f"{AC}plain-text-link-body")]
        shown = "".join(self.inside(part) for part in body) or html.escape(text or anchor)
        if anchor:
            target += f"#{quote(anchor)}"
        return f'<a href="{html.escape(target)}">{shown}</a>' if target else shown

    def _image(self, node: Any) -> str:
        name = next((item.get(f"{RI}filename") or "" for item in node.iter(f"{RI}attachment")), "")
        said = node.get(f"{AC}alt", "") or node.get(f"{AC}title", "")
        source = html.escape(quote(self._links.get(f"attachment:{name}", "")))
        return f'<img src="{source}" alt="{html.escape(said)}">'
