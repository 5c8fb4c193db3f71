"""The XML parts of a Word file, addressed by local names so that transitional and strict files read alike."""

from __future__ import annotations

import posixpath
from typing import Any

from kprep.core.errors import CorruptDocument
from parsers.archive import Archive

Node = Any  # lxml ships no types


def local(node: Node) -> str:
    """Tag without namespace; "" for comments and processing instructions."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def attribute(node: Node | None, name: str) -> str | None:
    """Value of the attribute of that local name, None when node or attribute is missing."""
    if node is None:
        return None
    return next((str(value) for key, value in node.attrib.items() if key.rpartition("}")[2] == name), None)


def child(node: Node | None, *path: str) -> Node | None:
    """The first child of a name, its first child of the next name, and so on; None when one is missing."""
    for name in path:
        node = next((inner for inner in node if local(inner) == name), None) if node is not None else None
    return node


def value(node: Node | None, *path: str) -> str | None:
    """The `val` of the node at the path."""
    return attribute(child(node, *path), "val")


def whole(text: str | None, default: int) -> int:
    """A number of an attribute, within what Word can mean; other producers write all sorts of things."""
    digits = (text or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 7 else default


def is_on(node: Node | None, name: str) -> bool:
    """A switch such as `vanish` is there and not turned off."""
    switch = child(node, name)
    return switch is not None and (attribute(switch, "val") or "true").lower() not in {"0", "false", "off", "none"}


class Package:
    """XML parts and relations of one Word file. Raises: see `Archive`; CorruptDocument for what is not XML."""

    def __init__(self, content: bytes, uri: str) -> None:
        self.uri = uri
        self._archive = Archive(content, uri)
        self.main = self._main_part()

    def _main_part(self) -> str:
        """Name of the document part, from the package's relations."""
        targets = self.relations("")
        found = next((target for kind, target in targets.values() if kind == "officeDocument"), "word/document.xml")
        if found not in self._archive:
            raise CorruptDocument(f"{self.uri}: the archive has no Word document in it", uri=self.uri)
        return found

    def xml(self, name: str) -> Node | None:
        """Root of a part, None when the file has no such part."""
        from lxml import etree

        if name not in self._archive:
            return None
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
        try:
            return etree.fromstring(self._archive.read(name), parser)
        except etree.XMLSyntaxError as error:
            raise CorruptDocument(f"{self.uri}: {name} is not well-formed XML", uri=self.uri) from error

    def document(self) -> Node:
        """Root of the document part, whose name `main` holds."""
        root = self.xml(self.main)
        assert root is not None
        return root

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Of a part ("" is the package): relation id -> (kind, target); external targets as written."""
        folder, _, name = part.rpartition("/")
        root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
        found: dict[str, tuple[str, str]] = {}
        for relation in root if root is not None else ():
            target = relation.get("Target") or ""
            if (relation.get("TargetMode") or "").lower() != "external":
                target = posixpath.normpath(posixpath.join(folder, target)) if target[:1] != "/" else target[1:]
            found[relation.get("Id") or ""] = ((relation.get("Type") or "").rpartition("/")[2], target)
        return found

    def related(self, kind: str) -> list[str]:
        """Names of the parts of a kind ("styles", "footnotes", "header") the document refers to, in order of name."""
        return sorted({target for found, target in self.relations(self.main).values() if found == kind})
