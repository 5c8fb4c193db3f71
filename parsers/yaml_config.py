"""Configuration and other data in YAML and JSON: the file as code, and each setting by its dotted name."""

from __future__ import annotations

from collections.abc import Sequence

from kprep.core.errors import CorruptDocument
from kprep.core.models import Element, Locator, ParsedDocument, ParserSpec, RawDocument
from parsers.decoding import decode
from parsers.settings import Setting, quote_settings, setting_elements
from parsers.source_text import document, read
from parsers.source_text import quote as quote_text
from parsers.tree import MAX_BYTES, Node
from parsers.tree_text import is_json, load
from parsers.yaml_tree import load_all

NAME = "yaml_config"
VERSION = 3
MEDIA_TYPES = ("application/yaml", "application/json")

_TEMPLATE = ("{{", "{%", "<%")


def parse(raw: RawDocument) -> ParsedDocument:
    """The file as one code element, then its settings in order, those of all YAML documents in it.

    A template that is no YAML before it is filled in stays code alone.
    Raises: TooLarge, CorruptDocument (no YAML, no JSON, too deep)."""
    source = read(raw, MAX_BYTES)
    elements: Sequence[Element] = list(
        setting_elements(source, _settings(source.text, raw.uri), "json" if is_json(source.text) else "yaml")
    )
    return document(raw, f"{NAME}@{VERSION}", elements)


def quote(content: bytes, locator: Locator) -> str:
    """The lines at the place, after the full names of the settings in them; with an anchor alone, of that setting."""
    text = decode(content).text
    settings = _settings(text, "quote")
    span = locator.char
    if span is None and locator.anchor:
        named = [s for s in settings if ".".join(s.path) == locator.anchor]
        span = (named[0].start, named[-1].end) if named else None
    return quote_settings(text, span, settings) if span else quote_text(content, locator)


def _settings(text: str, where: str) -> list[Setting]:
    roots: list[Node]
    if is_json(text):
        roots = [load(text, where)]
    else:
        try:
            roots = load_all(text, where)
        except CorruptDocument:
            if not any(mark in text for mark in _TEMPLATE):
                raise
            return []
    return [setting for root in roots for setting in _below(root, (), root.start)]


def _below(node: Node, path: tuple[str, ...], start: int) -> list[Setting]:
    """Settings of a tree: scalars, lists of scalars as one, each at the key that holds it."""
    if node.kind == "scalar" or (node.kind == "list" and all(item.kind == "scalar" for item in node.items)):
        value = ", ".join(item.text for item in node.items) if node.kind == "list" else node.text
        return [Setting(path, start, node.end, value)] if path else []
    if node.kind == "map" and not node.entries:
        return [Setting(path, start, node.end, "")] if path else []
    out: list[Setting] = []
    for entry in node.entries:
        out += _below(entry.value, (*path, entry.key), entry.start)
    for item in node.items:
        out += _below(item, path, item.start)
    return out


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
