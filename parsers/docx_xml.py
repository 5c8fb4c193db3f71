"""The XML parts of an Office file, addressed by local names so that transitional and strict files read alike."""

from __future__ import annotations

import posixpath
from typing import Any

from kprep.core.errors import CorruptDocument, Recursive
from parsers.archive import Archive
from parsers.docx_fields import drop_codes
from parsers.typeset import spell_runs

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


MAX_DEPTH = 1000
"""Elements inside one another; nothing an office program writes comes near."""


def xml_root(content: bytes, where: str) -> Node:
    """Root of an XML part: no entity, no network. Raises: CorruptDocument (not well-formed), Recursive."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        if "Excessive depth" in str(error):
            raise Recursive(f"{where} is nested too deep") from error
        raise CorruptDocument(f"{where} is not well-formed XML") from error
    if content.count(b"<") > MAX_DEPTH and _is_deep(root):
        raise Recursive(f"{where} is nested too deep")
    return root


def _is_deep(root: Node) -> bool:
    from lxml import etree

    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            return True
    return False


class Package:
    """XML parts and relations of one Office file. `main`: name of its main part where no relation names it.

    Raises: see `Archive`; CorruptDocument for what is not XML, or without a main part."""

    def __init__(self, content: bytes, uri: str, main: str = "word/document.xml") -> None:
        self.uri = uri
        self._archive = Archive(content, uri)
        self.main = self._main_part(main)

    def bytes(self, name: str) -> bytes:
        """Bytes of a part. Raises: CorruptDocument."""
        return self._archive.read(name)

    def names(self) -> list[str]:
        """Names of all parts, sorted."""
        return self._archive.names()

    def _main_part(self, default: str) -> str:
        """Name of the document part, from the package's relations."""
        targets = self.relations("")
        found = next((target for kind, target in targets.values() if kind == "officeDocument"), default)
        if found not in self._archive:
            raise CorruptDocument(f"{self.uri}: the archive has no document of its kind in it", uri=self.uri)
        return found

    def xml(self, name: str) -> Node | None:
        """Root of a part, its scripts in signs, without the codes of fields; None when the file has no such part."""
        if name not in self._archive:
            return None
        root = xml_root(self._archive.read(name), f"{self.uri}: {name}")
        drop_codes(root)
        spell_runs(root)
        return root

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
