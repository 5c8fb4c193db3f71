"""The parts of an OpenDocument file and what its styles say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kprep.core.errors import CorruptDocument, EncryptedDocument
from parsers.archive import Archive
from parsers.docx_xml import Node, attribute, child, local, xml_root

_LENGTH = re.compile(r"(-?\d+(?:\.\d+)?)(cm|mm|in|pt|px)?$")
_POINTS = {"cm": 28.35, "mm": 2.835, "in": 72.0, "pt": 1.0, "px": 0.75, None: 1.0}


@dataclass(frozen=True, slots=True)
class Style:
    """`names`: the style's own display name and those it is based on, lower case. `list_style`: of its paragraphs.
    `height`: 1 of words above the line, -1 below it, 0 on it; None where the style does not say."""

    names: tuple[str, ...] = ()
    hidden: bool = False
    list_style: str = ""
    height: int | None = None


class OdfPackage:
    """Content and styles of one file. Raises: see `Archive`; CorruptDocument; EncryptedDocument."""

    def __init__(self, content: bytes, uri: str) -> None:
        self.uri = uri
        self._archive = Archive(content, uri)
        if b"encryption-data" in self._bytes("META-INF/manifest.xml"):
            raise EncryptedDocument(f"{uri}: the document needs a password", uri=uri)
        content_root = self.xml("content.xml")
        if content_root is None:
            raise CorruptDocument(f"{uri}: the archive has no content.xml", uri=uri)
        self.content = content_root
        self.styles_root = self.xml("styles.xml")
        self._nodes = self._style_nodes()
        self._numbered = self._numbered_levels()

    def body(self, kind: str) -> Node | None:
        """The `office:text`, `office:presentation` or `office:spreadsheet` of the file."""
        return child(self.content, "body", kind)

    def names(self) -> list[str]:
        """Names of all parts, sorted."""
        return self._archive.names()

    def xml(self, name: str) -> Node | None:
        """Root of a part, None when the file has no such part."""
        return xml_root(self._archive.read(name), f"{self.uri}: {name}") if name in self._archive else None

    def _bytes(self, name: str) -> bytes:
        return self._archive.read(name) if name in self._archive else b""

    def _style_nodes(self) -> dict[tuple[str, str], Node]:
        roots = [root for root in (self.styles_root, self.content) if root is not None]
        styles = (node for root in roots for node in root.iter() if local(node) == "style")
        return {(attribute(node, "family") or "", attribute(node, "name") or ""): node for node in styles}

    def style(self, family: str, name: str | None) -> Style:
        """What a style and those it is based on say."""
        names: list[str] = []
        hidden, list_style = False, ""
        height: int | None = None
        node = self._nodes.get((family, name or ""))
        for _ in range(20):  # bases may form a circle
            if node is None:
                break
            names.append(
                (attribute(node, "display-name") or attribute(node, "name") or "").replace("_20_", " ").lower()
            )
            hidden = hidden or attribute(child(node, "text-properties"), "display") == "none"
            if height is None:
                height = _height(attribute(child(node, "text-properties"), "text-position"))
            list_style = list_style or attribute(node, "list-style-name") or ""
            node = self._nodes.get((family, attribute(node, "parent-style-name") or ""))
        return Style(tuple(names), hidden, list_style, height)

    def is_shown(self, family: str, name: str | None) -> bool:
        """Whether a sheet or slide of that style is shown."""
        node = self._nodes.get((family, name or ""))
        table, page = child(node, "table-properties"), child(node, "drawing-page-properties")
        return attribute(table, "display") != "false" and attribute(page, "visibility") != "hidden"

    def _numbered_levels(self) -> set[tuple[str, int]]:
        roots = [root for root in (self.styles_root, self.content) if root is not None]
        lists = (node for root in roots for node in root.iter() if local(node) == "list-style")
        return {
            (attribute(style, "name") or "", int(attribute(level, "level") or 1))
            for style in lists
            for level in style
            if local(level) == "list-level-style-number" and (attribute(level, "level") or "1").isdigit()
        }

    def is_numbered(self, list_style: str, level: int) -> bool:
        """Whether items of that level count."""
        return (list_style, level) in self._numbered


def _height(position: str | None) -> int | None:
    """Of `super 58%`, `-33% 58%`: how words of that position stand to the line."""
    said = (position or "").split()
    if not said:
        return None
    if said[0] in {"super", "sub"}:
        return 1 if said[0] == "super" else -1
    return 0 if not said[0].strip("-0.%") else -1 if said[0].startswith("-") else 1


def points(text: str | None) -> int:
    """A length in points, 0 for none."""
    match = _LENGTH.match(text or "")
    return round(float(match.group(1)) * _POINTS[match.group(2)]) if match else 0
