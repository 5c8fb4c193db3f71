"""OpenAPI 3 and Swagger 2: one section an operation, a schema, a shared response; error codes are units of their own.

Every word of an element stands in the file: labels are the keys of the specification itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kprep.core.errors import CorruptDocument
from kprep.core.models import (
    DocumentMetadata,
    Element,
    ElementKind,
    Link,
    Locator,
    ParsedDocument,
    ParserSpec,
    RawDocument,
)
from parsers.anchors import Distinct, slug
from parsers.decoding import decode
from parsers.schema_fields import (
    Resolver,
    even,
    extensions,
    field_rows,
    links_of,
    read_place,
    reference_name,
    schema_lines,
    without_keywords,
)
from parsers.source_text import SourceText, document, heading, read, table
from parsers.source_text import quote as quote_text
from parsers.tree import MAX_BYTES, Entry, Node, outline
from parsers.tree_text import load

NAME = "openapi"
VERSION = 8
MEDIA_TYPES = ("application/vnd.oai.openapi", "application/vnd.oai.openapi+json")

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_SHOWN = frozenset(
    "summary description operationId tags deprecated consumes produces parameters requestBody responses".split()
)
"""Keys of an operation that its heading, text and tables say; the others are outlined."""
_ABOUT = ("version", "summary", "description", "termsOfService")
_SECTIONS = frozenset("openapi swagger info paths webhooks components definitions parameters responses".split())
"""Keys of the file that are read by sections; the others, but extensions, are outlined."""
_PARAMETER = frozenset("name in required description schema content $ref".split())
"""Keys of a parameter that have a column; the others are outlined."""
_MAX_OPERATION_ROWS = 24
"""Rows of a request or response table inside an operation; the schema's own section has all."""


def parse(raw: RawDocument) -> ParsedDocument:
    """Elements in the order of the file's paths, then schemas. `anchor` of an operation is `<method>-<path>` as a slug,
    of its error codes `<operation>/<code>`, of a schema `schema-<name>`, of a second unit of that anchor `...~2`;
    `line` and `char` are those of the definition in the file. `fragment`: "api", "schema" or "error".

    References inside the file are resolved, each cycle once; references to other files are named and
    linked.
    Raises: TooLarge, CorruptDocument (no JSON or YAML, no specification, too deep)."""
    source = read(raw, MAX_BYTES)
    root = load(source.text, raw.uri)
    if not is_specification(root):
        raise CorruptDocument(f"{raw.uri}: neither `openapi` nor `swagger` names a version at the top of the file")
    writer = _Writer(source, root, Resolver(root))
    writer.write()
    info = root.get("info") or Node("map", 0, 0)
    facts = {key: info.text_of(key) for key in ("version",) if info.text_of(key)}
    facts |= {key: root.text_of(key) for key in ("openapi", "swagger") if root.text_of(key)}
    return document(
        raw, f"{NAME}@{VERSION}", writer.elements, DocumentMetadata(title=info.text_of("title"), front_matter=facts)
    )


def is_specification(root: Node) -> bool:
    """Whether the tree is an API description."""
    return root.kind == "map" and bool(root.text_of("openapi") or root.text_of("swagger"))


def quote(content: bytes, locator: Locator) -> str:
    """What the file says at the place, after the method and path it belongs to, followed by the definitions it refers
    to. With an anchor alone, of the operation or schema of that name."""
    text = decode(content).text
    root = load(text, "quote")
    span = locator.char or (_span_of(content, locator.anchor) if locator.anchor else None)
    if span is None:
        return quote_text(content, locator)
    pieces = [f"{method.upper()} {path.key}" for path, method, node in _operations(root) if _meets(node, span)]
    shared = [path.value for path, _, node in _operations(root) if _meets(node, span)]
    for entry in (entry for path in shared[:1] for entry in path.entries if entry.key not in METHODS):
        pieces += read_place(text, root, (entry.start, entry.value.end))
    return "\n".join([*pieces, *read_place(text, root, span), *map(without_keywords, pieces)])


def _span_of(content: bytes, anchor: str) -> tuple[int, int] | None:
    found = parse(RawDocument("", "", content, MEDIA_TYPES[0])).elements
    return next((e.locator.char for e in found if e.locator.anchor == anchor), None)


def _meets(entry: Entry, span: tuple[int, int]) -> bool:
    return entry.start < span[1] and span[0] < entry.value.end


def _operations(root: Node) -> Iterator[tuple[Entry, str, Entry]]:
    """(path, method, operation) in the order of the file."""
    for group in ("paths", "webhooks"):
        for path in root.entries_of(group):
            for entry in path.value.entries:
                if entry.key in METHODS and entry.value.kind == "map":
                    yield path, entry.key, entry


@dataclass
class _Writer:
    """Writes the elements of one specification."""

    source: SourceText
    root: Node
    resolver: Resolver
    elements: list[Element] = field(default_factory=list)
    distinct: Distinct = field(default_factory=Distinct)

    def write(self) -> None:
        """All elements, in order."""
        components = self.root.get("components") or Node("map", 0, 0)
        schemas = [*components.entries_of("schemas"), *self.root.entries_of("definitions")]
        responses = [*components.entries_of("responses"), *self.root.entries_of("responses")]
        for kind, entries in (("schema", schemas), ("response", responses)):
            for entry in entries:  # before all else: operations link to them
                self.resolver.anchors[id(entry)] = self.distinct.take(f"{kind}-{slug(entry.key)}")
        self._info()
        for path, method, operation in _operations(self.root):
            self._operation(path, method, operation)
        for path in self.root.entries_of("paths"):
            if reference := reference_name(path.value):
                links = links_of(path.value, self.resolver)
                self._text(f"{path.key}\n{reference}", self._place(path, slug(path.key)), "api", links)
        for entry in schemas:
            self._schema(entry)
        for entry in responses:
            self._shared_response(entry)
        self._leftover(components)

    def _place(self, entry: Entry, anchor: str) -> Locator:
        """Place of a unit, under an anchor that no other has."""
        return self.source.place(entry.start, entry.value.end, self.distinct.take(anchor or "section"))

    def _text(self, text: str, place: Locator, fragment: str, links: tuple[Link, ...] = ()) -> None:
        if text.strip():
            self.elements.append(Element(ElementKind.PARAGRAPH, text.strip(), place, fragment=fragment, links=links))

    def _info(self) -> None:
        info = self.root.entry("info")
        if info is None:
            return
        place = self._place(info, "info")
        title = info.value.text_of("title")
        if title:
            self.elements.append(heading(title, place, 1))
        self._text(_lines(info.value, _ABOUT), place, "api")
        told = [entry for entry in info.value.entries if entry.key not in ("title", *_ABOUT)]
        told += [entry for entry in self.root.entries if entry.key not in _SECTIONS and not entry.key.startswith("x-")]
        for entry in told:
            self._text(_outline(entry), self._place(entry, entry.key), "api")

    def _operation(self, path: Entry, method: str, entry: Entry) -> None:
        operation = entry.value
        name = f"{method.upper()} {path.key}"
        place = self._place(entry, anchor_of(method, path.key))
        summary = operation.text_of("summary") or path.value.text_of("summary")
        self.elements.append(heading(f"{name} {summary}", place, 2))
        about = _lines(path.value, ("description",)) + "\n" + _lines(operation, ("summary", "description"))
        facts = [
            f"{key}: {', '.join(operation.texts_of(key))}"
            for key in ("operationId", "tags", "deprecated", "consumes", "produces")
            if operation.texts_of(key)
        ]
        facts += [_outline(found) for found in operation.entries if found.key not in _SHOWN]
        self._text("\n".join([f"{name}\n{about}".strip(), *facts]), place, "api", links_of(operation, self.resolver))
        self._parameters([*path.value.items_of("parameters"), *operation.items_of("parameters")], place)
        body = operation.get("requestBody")
        if body is not None:
            self._content((name, "requestBody"), self.resolver.resolve(body), place)
        for response in operation.entries_of("responses"):
            self._response(response, place, name)

    def _parameters(self, nodes: list[Node], place: Locator) -> None:
        rows: list[tuple[str, ...]] = [("name", "in", "required", "type", "description")]
        bodies = []
        for node in map(self.resolver.resolve, nodes):
            if node.text_of("in") == "body":
                bodies.append(node)
                continue
            kind, *facts = schema_lines(node.get("schema") or _first_schema(node) or node, self.resolver) or [""]
            required = "required" if node.text_of("required") == "true" else ""
            if node.get("schema"):
                facts += [" ".join(outline(entry)) for entry in node.entries if entry.key not in _PARAMETER]
            rows.append(
                (
                    node.text_of("name") or reference_name(node),
                    node.text_of("in"),
                    required,
                    kind,
                    node.text_of("description"),
                    *facts,
                )
            )
        if len(rows) > 1:
            self.elements.append(table(even(rows), place, "api"))
        for node in map(self.resolver.resolve, nodes):
            schema = node.get("schema") or _first_schema(node)
            if schema and node.text_of("in") != "body" and len(field_rows(schema, self.resolver, 1)) > 1:
                self._text(node.text_of("name"), place, "api")
                self._fields(schema, place, "api")
        for node in bodies:
            self._text("\n".join((node.text_of("name"), node.text_of("description"))), place, "api")
            if schema := node.get("schema"):
                self._fields(schema, place, "api")

    def _content(self, labels: tuple[str, ...], body: Node, place: Locator) -> None:
        """A request or a response: its description and, by media type, its schema and examples."""
        said = [
            *labels,
            reference_name(body),
            body.text_of("description"),
            "required" if body.text_of("required") == "true" else "",
        ]
        contents = body.entries_of("content")
        for number, media in enumerate(contents):
            schema = media.value.get("schema")
            kind = schema_lines(schema, self.resolver) if schema else []
            opening = said if number == 0 else labels
            self._text("\n".join(filter(None, (*opening, media.key, *kind))), place, "api")
            if schema:
                self._fields(schema, place, "api")
            for key in ("example", "examples"):
                if found := media.value.entry(key):
                    self._example(found, place)
            if found := media.value.entry("encoding"):
                self._text(_outline(found), place, "api")
        if not contents:
            self._text("\n".join(filter(None, said)), place, "api")
        if schema := body.get("schema"):
            self._fields(schema, place, "api")
        for key in ("headers", "examples", "links"):
            if found := body.entry(key):
                self._text(_outline(found), place, "api")

    def _example(self, entry: Entry, place: Locator) -> None:
        written = self.source.text[entry.value.start : entry.value.end].rstrip()
        language = "json" if written[:1] in {"{", "["} else "yaml"
        self.elements.append(Element(ElementKind.CODE, written, place, language=language, fragment="api"))

    def _fields(self, schema: Node, place: Locator, fragment: str) -> None:
        rows = field_rows(schema, self.resolver, _MAX_OPERATION_ROWS)
        if len(rows) > 1:
            self.elements.append(table(rows, place, fragment))

    def _response(self, entry: Entry, place: Locator, operation: str) -> None:
        """A success joins its operation; an error is a unit of its own."""
        response = self.resolver.resolve(entry.value)
        if not is_error(entry.key):
            self._content((operation, entry.key), response, place)
            return
        links = links_of(entry.value, self.resolver)
        self._error((operation, entry.key), response, self._place(entry, f"{place.anchor}/{entry.key}"), links)

    def _error(self, labels: tuple[str, ...], response: Node, place: Locator, links: tuple[Link, ...]) -> None:
        lines = [*labels, reference_name(response), response.text_of("description")]
        for media in response.entries_of("content"):
            schema = media.value.get("schema")
            lines += [media.key, *(schema_lines(schema, self.resolver) if schema else ())]
            lines += [_outline(found) for key in ("example", "examples") if (found := media.value.entry(key))]
        if schema := response.get("schema"):
            lines += schema_lines(schema, self.resolver)
        lines += [_outline(found) for key in ("headers", "examples", "links") if (found := response.entry(key))]
        self._text("\n".join(filter(None, lines)), place, "error", links)

    def _shared_response(self, entry: Entry) -> None:
        place = self.source.place(entry.start, entry.value.end, self.resolver.anchors[id(entry)])
        self.elements.append(heading(entry.key, place, 2))
        links = links_of(entry.value, self.resolver)
        self._error((entry.key,), self.resolver.resolve(entry.value), place, links)

    def _schema(self, entry: Entry) -> None:
        place = self.source.place(entry.start, entry.value.end, self.resolver.anchors[id(entry)])
        self.elements.append(heading(entry.key, place, 2))
        node = entry.value
        about = [entry.key, *schema_lines(node, self.resolver, name=False)]
        about += [_lines(node, ("title", "description"))]
        self._text("\n".join(filter(None, about)), place, "schema", links_of(node, self.resolver))
        rows = field_rows(node, self.resolver, max_rows=2_000, depth=1)
        if len(rows) > 1:
            self.elements.append(table(rows, place, "schema"))
        for key in ("example", "examples", "discriminator", "xml"):
            if found := node.entry(key):
                self._text(_outline(found), place, "schema")
        self._text("\n".join(extensions(node, "externalDocs")), place, "schema")

    def _leftover(self, components: Node) -> None:
        """What the sections above do not show: security schemes, shared headers, links, extensions of the file."""
        shown = {"schemas", "responses", "parameters", "requestBodies", "examples"}
        rest = [entry for entry in components.entries if entry.key not in shown]
        rest += [entry for entry in self.root.entries if entry.key.startswith("x-")]
        for entry in rest:
            place = self._place(entry, slug(entry.key))
            self.elements.append(heading(entry.key, place, 2))
            self._text(_outline(entry), place, "api")
        used = self.resolver.used
        for key in ("parameters", "requestBodies", "examples"):
            for entry in [*components.entries_of(key), *self.root.entries_of(key)]:
                if id(entry.value) not in used:
                    place = self._place(entry, f"{key.lower()}-{slug(entry.key)}")
                    self.elements.append(heading(entry.key, place, 2))
                    self._text(_outline(entry), place, "api")


def anchor_of(method: str, path: str) -> str:
    """`get-v1-orders-id` for GET /v1/orders/{id}."""
    words = "".join(letter if letter.isalnum() or letter in "_-" else " " for letter in path).split()
    return "-".join([method.lower(), *words]).lower()


def is_error(code: str) -> bool:
    """Whether a response stands for failure: 4xx, 5xx, `default`."""
    return code[:1] in {"4", "5"} or code == "default"


def _first_schema(node: Node) -> Node | None:
    content = node.entries_of("content")
    return content[0].value.get("schema") if content else None


def _lines(node: Node, keys: tuple[str, ...]) -> str:
    return "\n".join(node.text_of(key).strip() for key in keys if node.text_of(key).strip())


def _outline(entry: Entry) -> str:
    return "\n".join(outline(entry))


PARSER = ParserSpec(NAME, VERSION, MEDIA_TYPES, parse, quote)
