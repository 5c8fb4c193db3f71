"""Configuration and other data in YAML and JSON: the file as code, each setting by its dotted name, each record of a
list by the name of the list and its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kprep.core.errors import CorruptDocument
from kprep.core.models import Element, Locator, ParsedDocument, ParserSpec, RawDocument, SourceUnit
from parsers.broken import Broken
from parsers.decoding import decode
from parsers.settings import Setting, quote_settings, setting_elements, span_of, withheld_lines
from parsers.source_text import document, read
from parsers.source_text import quote as quote_text
from parsers.tree import MAX_BYTES, Node, names_of
from parsers.tree_text import is_json, load_all, load_parts

NAME = "yaml_config"
VERSION = 7
MEDIA_TYPES = ("application/yaml", "application/json")

_LONGEST_TITLE = 80
_MEMBERS = 60
"""Settings of one record."""
_TEMPLATE = ("{{", "{%", "<%")


def parse(raw: RawDocument) -> ParsedDocument:
    """The file as one code element, then its settings in order; of several YAML documents each below a heading.

    A template that is no YAML before it is filled in stays code alone. A document of several that cannot be read is a
    unit "document" in state "broken": it stands in the code, but has no settings.
    Raises: TooLarge, CorruptDocument (no YAML, no JSON, too deep)."""
    source = read(raw, MAX_BYTES)
    settings, titles, left_out = _settings(source.text, raw.uri)
    language = "json" if is_json(source.text) else "yaml"
    elements: Sequence[Element] = list(setting_elements(source, settings, language, titles))
    units = [replace(unit, char=None) for unit in left_out]  # their words are in the code
    return document(raw, f"{NAME}@{VERSION}", elements, left_out=[*units, *withheld_lines(source)])


def quote(content: bytes, locator: Locator) -> str:
    """The lines at the place, after the titles of the YAML documents they stand in, where there are several, and the
    full names of the settings in them; with an anchor alone, of that setting."""
    text = decode(content).text
    settings, titles, _ = _settings(text, "quote")
    span = locator.char or span_of(settings, titles, locator.anchor)
    if not span:
        return quote_text(content, locator)
    parts = dict.fromkeys(setting.part for setting in settings if setting.start < span[1] and span[0] < setting.end)
    return "\n".join((*(titles[part] for part in parts if titles), quote_settings(text, span, settings)))


def _settings(text: str, where: str) -> tuple[list[Setting], list[str], list[SourceUnit]]:
    """Settings of all YAML documents in a text; a title of each document, where there are several; and those that
    cannot be read."""
    may_be_template = not is_json(text) and any(mark in text for mark in _TEMPLATE)
    try:
        roots, left_out = (load_all(text, where), Broken()) if may_be_template else load_parts(text, where)
    except CorruptDocument:
        if not may_be_template:
            raise
        return [], [], []
    found = [settings for number, root in enumerate(roots) if (settings := _below(root, (), root.start, number))]
    if len(found) < 2:
        return [setting for settings in found for setting in settings], [], left_out.units
    titles = [_title(root, number) for number, root in enumerate(roots, 1)]
    return [setting for settings in found for setting in settings], titles, left_out.units


def _title(root: Node, number: int) -> str:
    """What a document calls itself: kind and name of a manifest, else its name or title; else its number."""
    about = root.get("metadata")
    names = [root.text_of("kind"), about.text_of("name") if about is not None else ""]
    names = names if all(names) else [root.text_of(key) for key in ("title", "name", "id")]
    said = " ".join(" ".join(name for name in names if name).split())
    return said[:_LONGEST_TITLE] or f"Document {number}"


def _below(node: Node, path: tuple[str, ...], start: int, part: int) -> list[Setting]:
    """Settings of a tree: scalars, lists of scalars as one, each at the key that holds it; and the records of lists."""
    if node.kind == "scalar" or (node.kind == "list" and all(item.kind == "scalar" for item in node.items)):
        value = ", ".join(item.text for item in node.items) if node.kind == "list" else node.text
        return [Setting(path, start, node.end, value, part)] if path else []
    if node.kind == "map" and not node.entries:
        return [Setting(path, start, node.end, "", part)] if path else []
    out: list[Setting] = []
    for entry in node.entries:
        out += _below(entry.value, (*path, entry.key), entry.start, part)
    for item, name in zip(node.items, names_of(node.items), strict=True):
        inner = (*path, name)
        found = _record(item, inner, part) if item.kind == "map" else _below(item, inner, item.start, part)
        out += [replace(setting, apart=True) for setting in found]
    return out


def _record(item: Node, path: tuple[str, ...], part: int) -> list[Setting]:
    """A mapping in a list: its settings as one, then what stands in lists inside it. Of one with very many settings
    each stands for itself."""
    found = _below(item, path, item.start, part)
    own = tuple(setting for setting in found if not setting.apart)
    if not item.entries or not 1 <= len(own) <= _MEMBERS:
        return found
    end = max((setting.end for setting in own if item.start <= setting.start < item.end), default=item.end)
    record = Setting(path, item.start, end, "", part, members=own)
    return [record, *(setting for setting in found if setting.apart)]


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
