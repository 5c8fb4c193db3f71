"""References by resource, field and error code; data and configuration; knowledge entries."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from kprep.core.errors import CorruptDocument, ParseError, Recursive, TooLarge
from kprep.core.models import Element, ElementKind, Locator, ParsedDocument, RawDocument
from parsers import PARSERS, coverage, graphql, json_schema, openapi, parse, parser_for
from parsers.media_type import detect
from quality.text import share_found
from tests.fakes.by_path import module_at
from tests.fakes.yaml_bombs import BOMBS as BOMBS_OF_YAML

GOLDEN = Path(__file__).parents[2] / "golden" / "parsers"


def case(name: str) -> ParsedDocument:
    (path,) = (GOLDEN / name).glob("input.*")
    return document(path.name, path.read_bytes())


def document(name: str, content: bytes | str, media_type: str = "") -> ParsedDocument:
    raw = content.encode() if isinstance(content, str) else content
    media_type = media_type or detect(name, raw)
    return parse(RawDocument(f"s/{name}", name, raw, media_type), parser_for(media_type))


def of(found: ParsedDocument, fragment: str) -> list[Element]:
    return [element for element in found.elements if element.fragment == fragment]


def headings(found: ParsedDocument) -> list[str]:
    return [element.text for element in found.elements if element.kind is ElementKind.HEADING]


def test_inputs_are_those_of_their_builder() -> None:
    builder = module_at("golden/parsers/build_structured.py")
    assert {name: (GOLDEN / name).read_bytes() for name in builder.CASES} == {
        name: text.encode() for name, text in builder.CASES.items()
    }


@pytest.mark.req("D2.1", "D2.4", "D6.3")
def test_an_operation_is_a_section_with_its_parameters_and_schemas() -> None:
    found = case("openapi-d21_orders")
    assert headings(found)[:3] == ["Orders API", "GET /v1/orders/{id} Get an order", "POST /v1/orders/{id}"]
    operation = [e for e in found.elements if e.locator.anchor == "get-v1-orders-id"]
    tables = [element.rows for element in operation if element.rows]
    assert [row[0] for row in tables[0]] == ["name", "id", "fields"]
    assert [row[0] for row in tables[1]] == ["properties", "id", "parent", "lines", "lines.sku", "lines.order"]
    assert operation[0].locator.line == (11, 23)


@pytest.mark.req("D2.6")
def test_error_codes_are_units_that_say_where_they_come_from() -> None:
    errors = of(case("openapi-d21_orders"), "error")
    assert [e.text.split("\n")[:3] for e in errors[:2]] == [
        ["GET /v1/orders/{id}", "404", "No such order"],
        ["GET /v1/orders/{id}", "429", "Slow down and try again after a minute"],
    ]
    assert errors[0].locator.anchor == "get-v1-orders-id/404"
    codes = of(case("csv_table-d26_codes"), "error")
    assert [e.rows[1][0] for e in codes] == ["ERR_CONN_1045", "ERR_CONN_2003"]


@pytest.mark.req("D2.5")
def test_fields_say_name_type_required_and_meaning() -> None:
    (table,) = (e for e in of(case("openapi-d21_swagger2"), "schema") if e.rows and e.locator.anchor == "schema-pet")
    assert table.rows == (("properties", "type", "required"), ("name", "string", "required"), ("age", "integer", ""))
    fields = of(case("data_dictionary-d22_yaml"), "field")
    assert [e.locator.anchor for e in fields] == ["orders.id", "orders.state", "lines.sku"]


@pytest.mark.req("D2.1")
def test_circular_references_end() -> None:
    found = case("openapi-c17_cycle")
    assert ("paths", "array search_paths") in [row for element in found.elements for row in element.rows]
    schemas: dict[str, object] = {
        f"S{n}": {"allOf": [{"$ref": f"#/definitions/S{n + 1}"}, {"$ref": f"#/definitions/S{n + 1}"}]}
        for n in range(60)
    }
    schemas["S60"] = {"properties": {"x": {}}}
    bomb = json.dumps({"swagger": "2.0", "info": {"title": "t"}, "paths": {}, "definitions": schemas})
    assert len(document("a.json", bomb).elements) < 300


@pytest.mark.req("D2.2", "D2.5")
def test_tables_of_a_database_keep_the_words_of_the_file() -> None:
    found = case("sql_ddl-d22_orders")
    assert headings(found) == ["shop.orders", "open_orders", "one", "legacy"]
    rows = [row for element in found.elements for row in element.rows]
    assert ("customer_id", "INTEGER", "NOT NULL REFERENCES customers (id) ON DELETE CASCADE", "who bought") in rows
    assert ("a", "int(11)", "NOT NULL AUTO_INCREMENT", "it's the a") in rows


@pytest.mark.req("D2.2")
def test_csv_records_survive_quotes_and_odd_line_ends() -> None:
    (table,) = case("csv_table-c21_quotes").elements
    assert [row[0] for row in table.rows] == ["question", "A", "B", '"C lone', "D"]
    content = (GOLDEN / "csv_table-c21_quotes" / "input.csv").read_bytes()
    assert PARSERS["csv_table"].quote(content, Locator(row=5)) == "question\nanswer\nD\ne, f"


@pytest.mark.req("D4.13")
def test_a_long_table_is_cut_into_regions_with_their_header() -> None:
    content = "name,size\n" + "".join(f"n{number},{number}\n" for number in range(250))
    found = document("a.csv", content)
    assert [(e.rows[0], len(e.rows), e.locator.row) for e in found.elements] == [
        (("name", "size"), 101, 1),
        (("name", "size"), 101, 102),
        (("name", "size"), 51, 202),
    ]
    start = content.index("n100,")
    first = Locator(line=(102, 102), char=(start, start + 8), row=102)
    assert found.elements[1].row_places[:2] == (first, first)
    quoted = PARSERS["csv_table"].quote(content.encode(), Locator(row=102))
    assert quoted == "name\nsize\nn100\n100"


@pytest.mark.req("D4.13")
def test_rows_are_counted_as_a_spreadsheet_shows_them() -> None:
    content = 'Report\n\nRegion,Sum\nNorth,1\n\n"So\nuth",2\n\nWest,3\n'
    table = document("a.csv", content).elements[-1]
    assert [(place.row, place.line) for place in table.row_places] == [
        (3, (3, 3)),
        (4, (4, 4)),
        (6, (6, 7)),
        (8, (9, 9)),
    ]
    assert PARSERS["csv_table"].quote(content.encode(), Locator(row=8)) == "Region\nSum\nWest\n3"


@pytest.mark.req("D4.13")
def test_rows_of_a_data_dictionary_are_those_of_its_records() -> None:
    content = "table,column,type,description\norders,id,int,Key\n\norders,total,decimal,Sum\n"
    fields = of(document("a.csv", content), "field")
    assert [(e.locator.row, e.locator.line) for e in fields] == [(2, (2, 2)), (4, (4, 4))]


@pytest.mark.req("D2.5")
def test_what_stands_in_another_file_is_named_and_linked() -> None:
    content = (
        "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets:\n    get:\n"
        "      parameters: [{$ref: 'api/shared.yaml#/components/parameters/Limit'}]\n      responses:\n"
        "        '200': {description: Fine, content: {application/json: {schema: {$ref: 'common.yaml#/Pet'}}}}\n"
        "        '404': {$ref: 'common.yaml#/components/responses/Gone'}\n"
        "components:\n  responses:\n    Bad: {description: Bad, content: {application/json: {schema: "
        "{$ref: 'common.yaml#/Problem'}}}}\n  schemas:\n    Pets: {type: array, items: {$ref: pet.yaml}}\n"
    )
    found = document("api.yaml", content)
    said = "\n".join(element.text for element in found.elements)
    for name in ("Limit (api/shared.yaml)", "Pet (common.yaml)", "Gone (common.yaml)", "Problem (common.yaml)"):
        assert name in said
    assert "array pet.yaml" in said
    targets = {(e.locator.anchor, link.target) for e in found.elements for link in e.links}
    assert targets >= {
        ("get-pets", "common.yaml#Pet"),
        ("get-pets/404", "common.yaml#response-gone"),
        ("response-bad", "common.yaml#Problem"),
        ("schema-pets", "pet.yaml"),
    }


def test_comments_of_a_schema_are_told_where_they_stand() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "Of 2026.",
        "type": "object",
        "properties": {"port": {"type": "integer", "$comment": "Below 1024 only as root."}},
    }
    said = "\n".join(element.text for element in document("a.json", json.dumps(schema)).elements)
    assert "Of 2026." in said
    assert "Below 1024 only as root." in said


@pytest.mark.req("D2.3")
def test_a_record_of_a_list_is_one_unit_that_says_which() -> None:
    found = {e.locator.anchor: e for e in case("yaml_config-d23_records").elements if e.fragment == "setting"}
    assert list(found) == [
        "alerts.DiskFull", "alerts.HighLoad", "teams.Operations", "teams.Operations.members.jr",
        "teams.Operations.members.ab", "teams.Support", "steps.1", "steps.2", "steps.3",
    ]  # fmt: skip
    assert found["alerts.DiskFull"].text == (
        "alerts.DiskFull\nwhen disks fill up\nalert: DiskFull\nexpr: disk_free < 5\n"
        "annotations.summary: Disk is nearly full\nannotations.runbook: RB-17"
    )
    assert found["alerts.DiskFull"].locator.line == (2, 5)
    assert found["teams.Operations"].text == "teams.Operations\nname: Operations\nphone: 12"
    assert found["teams.Operations.members.ab"].locator.line == (13, 13)


@pytest.mark.req("D2.3")
def test_a_record_with_very_many_settings_is_told_one_by_one() -> None:
    record = {"id": "wide", **{f"k{number}": number for number in range(80)}}
    found = document("a.json", json.dumps({"rows": [record]}, indent=1))
    assert [e.text for e in found.elements if e.fragment == "setting"][:2] == ["rows.wide.id: wide", "rows.wide.k0: 0"]


def test_records_of_json_lines_open_with_their_escapes_read() -> None:
    source = '{"text": "Stra\\u00dfe"}\n{"text": "Platz"}\n'
    quote = PARSERS["json_lines"].quote
    assert quote(source.encode(), Locator(line=(1, 1))) == "text: Straße"
    assert quote(source.encode(), Locator(char=(0, len(source)))) == "text: Straße\ntext: Platz"


@pytest.mark.req("D2.3", "D2.5")
@pytest.mark.parametrize(
    ("name", "anchor", "text"),
    [
        ("yaml_config-d23_server", "document-1/server.port", "the port\ndefault\nserver.port: 8080"),
        ("yaml_config-d23_server", "document-1/worker.memory", "worker.memory: 2Gi"),
        ("yaml_config-d23_json", "editor.rulers", "of all languages\neditor.rulers: 80, 120"),
        ("ini_config-d23_ini", "database.url", "where it is\ndatabase.url: postgres://db.example.com/orders"),
        ("ini_config-d23_dotenv", "MAIL_HOST", 'mail\nthe relay\nMAIL_HOST: "mail.example.com"'),
        ("ini_config-d23_toml", "title", 'title: "Orders"'),
        ("ini_config-d23_properties", "server.port", "old style comment\nserver.port: 8080"),
    ],
)
def test_a_setting_stands_with_its_comment(name: str, anchor: str, text: str) -> None:
    settings = {e.locator.anchor: e.text for e in of(case(name), "setting")}
    assert settings[anchor] == text


@pytest.mark.req("A1.1", "A1.2", "A1.3", "A1.4", "A1.5", "A1.6", "A4.1", "A4.2")
def test_the_worked_example_is_typed_fragments() -> None:
    found = case("knowledge_entry-a42_nash")
    assert headings(found) == ["Nash equilibrium"]
    assert [e.fragment for e in found.elements[1:]] == ["def", "int", "ex", "form", "app"]
    facts = found.metadata.front_matter
    assert facts["aliases"] == ["NE", "strategic equilibrium"]
    assert (facts["truth_confidence"], facts["difficulty"], facts["style"]) == (0.98, "intermediate", "formal")
    assert facts["avoid_with"] == ["chemical equilibrium", "thermodynamics"]


@pytest.mark.req("A2.3")
def test_category_and_domain_of_an_entry_are_kept() -> None:
    fields = {"name": "NE", "category": "game theory", "domain": "economics"}
    entry = {**fields, "fragments": [{"type": "def", "text": "A profile."}]}
    raw = RawDocument("s/a.json", "a.json", json.dumps(entry).encode(), "application/vnd.kprep.knowledge+json")
    facts = parse(raw, PARSERS["knowledge_entry"]).metadata.front_matter
    assert {name: facts[name] for name in ("category", "domain")} == {"category": "game theory", "domain": "economics"}


@pytest.mark.req("A4.1")
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"name": "", "fragments": [{"type": "def", "text": "x"}]}', "entry 1 in line 1: an entry is a mapping"),
        ('{"name": "a", "fragments": []}', "fragments"),
        ('[{"name": "a", "fragments": [{"type": "def", "text": ""}]}]', "fragment 1: `text`"),
        ('[{"name": "a", "fragments": [{"type": "def", "text": "x"}]},\n{"name": "b"', "no JSON: .* in line 2"),
        ('{"name": "a", "aliases": "b", "fragments": [{"type": "def", "text": "x"}]}', "aliases"),
    ],
)
def test_a_wrong_entry_is_named_by_number(content: str, problem: str) -> None:
    raw = RawDocument("s/a.json", "a.json", content.encode(), "application/vnd.kprep.knowledge+json")
    with pytest.raises(CorruptDocument, match=problem):
        parse(raw, PARSERS["knowledge_entry"])


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.yaml", "openapi: 3.1.0\ninfo: {title: t}\npaths: {}\n", "application/vnd.oai.openapi"),
        ("a.yml", "swagger: '2.0'\ninfo: {}\n", "application/vnd.oai.openapi"),
        ("a.json", '{"openapi":"3.0.0","paths":{}}', "application/vnd.oai.openapi+json"),
        ("a.json", '{"note": "we use openapi: 3.0"}', "application/json"),
        ("a.yaml", "name: x\n", "application/yaml"),
        ("a.json", '{"type": "object", "properties": {"a": {}}}', "application/schema+json"),
        ("a.json", '{"cells": [{"cell_type": "code"}], "nbformat": 4}', "application/x-ipynb+json"),
        ("a.csv", "field,type,description\na,b,c\n", "text/vnd.kprep.data-dictionary+csv"),
        ("kprep.yaml", "sources:\n  - {name: a}\nviews:\n  v: {fields: [text]}\n", "application/yaml"),
        ("a.ndjson", '{"a": 1}\n', "application/jsonl"),
        ("a.json", '{"a": 1}\n{"a": 2}\n', "application/jsonl"),
        ("a.json", '[{"a": 1},\n{"a": 2}]\n', "application/json"),
        ("a.sql", "SELECT 1;", "text/x-sql"),
        ("a.sql", "CREATE TABLE a (b int);", "application/sql"),
        ("run", "#!/usr/bin/env bash\necho\n", "text/x-shellscript"),
        (".env.example", "A=1\n", "text/x-dotenv"),
        ("a.tsx", "let a = 1", "text/x-tsx"),
    ],
)
def test_the_content_says_which_format_it_is(name: str, content: str, media_type: str) -> None:
    assert detect(name, content.encode()) == media_type


BOMBS = [
    ("application/jsonl", '{"a": 1}\n' + "[" * 300_000, CorruptDocument),
    ("application/json", "[" * 300_000, CorruptDocument),
    ("application/json", " " * 24_000_001, TooLarge),
    ("application/yaml", "\n".join(" " * n + "a:" for n in range(300)), CorruptDocument),
    (
        "application/yaml",
        "\n".join(["a0: &a0 [x,x]", *(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))]),
        TooLarge,
    ),
    (
        "application/yaml",
        "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 400))]),
        CorruptDocument,
    ),
    ("application/x-ipynb+json", '{"cells":' + "[" * 200_000, CorruptDocument),
    ("application/graphql", "type A { a: " + "[" * 50_000, CorruptDocument),
    ("text/csv", "," * 20_000 + "\n1,2\n", TooLarge),
    ("text/x-python", "x = 1\n" * 1_000_000, TooLarge),
]


@pytest.mark.parametrize(("media_type", "content", "error"), BOMBS, ids=range(len(BOMBS)))
def test_bombs_end_with_their_reason(media_type: str, content: str, error: type[ParseError]) -> None:
    with pytest.raises(error):
        parse(RawDocument("s/a", "a", content.encode(), media_type), parser_for(media_type))


@pytest.mark.parametrize("bomb", BOMBS_OF_YAML)
@pytest.mark.parametrize(
    ("media_type", "before"),
    [
        ("application/yaml", ""),
        ("application/vnd.oai.openapi", "openapi: 3.0.0\ninfo: {title: t}\npaths: {}\n"),
        ("application/schema+yaml", "$schema: https://json-schema.org/draft/2020-12/schema\n"),
        ("application/vnd.kprep.data-dictionary+yaml", "models: [{name: a, columns: [{name: b}]}]\n"),
    ],
)
def test_aliases_that_stand_for_too_much_are_told(media_type: str, before: str, bomb: str) -> None:
    content = (before + "\n".join(BOMBS_OF_YAML[bomb])).encode()
    started = time.process_time()
    with pytest.raises((TooLarge, Recursive)):
        parse(RawDocument("s/a", "a", content, media_type), parser_for(media_type))
    assert time.process_time() - started < 20


def test_a_graphql_schema_of_too_many_tokens_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphql, "MAX_TOKENS", 20)
    with pytest.raises(TooLarge, match="split it"):
        document("a.graphql", "type A { a: B }\n" * 4)


@pytest.mark.req("D2.1", "D2.5")
def test_every_word_of_a_schema_reaches_its_fields() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Order",
        "properties": {"kind": {"type": "string", "examples": ["retail"], "x-unit": "none"}},
        "patternProperties": {"^v-": {"description": "Set by the vendor"}},
        "if": {"properties": {"kind": {"const": "gift"}}},
        "then": {"required": ["card"], "description": "Gifts need a card"},
        "oneOf": [
            {"type": "object", "description": "Written by hand", "properties": {"pen": {}}},
            {"required": ["ink"]},
        ],
        "additionalProperties": {"type": "string", "description": "Free notes"},
    }
    content = json.dumps(schema).encode()
    elements = json_schema.parse(RawDocument("s/a.json", "a.json", content, "application/schema+json")).elements
    rows = {row[0]: " ".join(row[1:]).split() for e in elements for row in e.rows}
    assert rows["kind"] == ["string", "examples:", "retail", "x-unit:", "none"]
    assert rows["^v-"] == ["Set", "by", "the", "vendor"]
    assert rows["if.kind"] == ["const:", "gift"]
    assert rows["then"] == ["Gifts", "need", "a", "card", "required:", "card"]
    assert "oneOf: object (description: Written by hand), (required: ink)" in elements[1].text.split("\n")
    assert rows["pen"] == []
    assert rows["additionalProperties"] == ["string", "Free", "notes"]


@pytest.mark.req("D2.1", "D3.9")
def test_alternatives_of_a_value_keep_what_they_say() -> None:
    word = {"type": "string", "maxLength": 5, "pattern": "^[a-z]{2}$", "description": "Two letters"}
    said = "anyOf: string (maxLength: 5; pattern: ^[a-z]{2}$; description: Two letters), null"
    tuple_of = {"type": "array", "prefixItems": [{"type": "string", "title": "Kind"}, {"$ref": "#/x"}]}
    lists = {"type": "array", "items": {"anyOf": [{"type": "array", "items": word}, {"type": "null"}]}}
    fields = {
        "lang": {"anyOf": [word, {"type": "null"}]},
        "pair": tuple_of,
        "old": {"items": [{"minimum": 4711}]},
        "lists": lists,
        "part": {"type": "object", "default": {"unit": "kg"}},
    }
    rows = {row[0]: row[1:] for e in document("a.schema.json", _schema_of(fields)).elements for row in e.rows}
    assert rows["lang"][0] == said
    assert "prefixItems: string (title: Kind), x" in rows["pair"]
    assert "items: minimum: 4711" in rows["old"]
    assert rows["lists"][0] == "array anyOf: array string (maxLength: 5; pattern: ^[a-z]{2}$; Two letters), null"
    assert "default unit: kg" in rows["part"]
    parameters = [
        {"name": "lang", "in": "query", "schema": {"anyOf": [word, {"type": "null"}]}},
        {"name": "filter", "in": "query", "schema": {"properties": {"sku": {"type": "string"}}}},
    ]
    paths = {"/a": {"get": {"parameters": parameters, "responses": {}}}}
    for indent in (None, 1):
        content = json.dumps({"openapi": "3.1.0", "paths": paths}, indent=indent, separators=(",", ":")).encode()
        raw = RawDocument("s/a.json", "a.json", content, openapi.MEDIA_TYPES[0])
        found = parse(raw, openapi.PARSER)
        assert said in [cell for e in found.elements for row in e.rows for cell in row]
        at = next(number for number, e in enumerate(found.elements) if "sku" in [row[0] for row in e.rows])
        assert found.elements[at - 1].text == "filter"
        assert coverage(raw, found) == 1.0
        shares = [share_found(e.text, openapi.quote(content, e.locator)) for e in found.elements if e.rows]
        assert all(share in {None, 1.0} for share in shares)


def _schema_of(fields: dict[str, object]) -> str:
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": fields})


@pytest.mark.req("D2.1", "D3.9")
def test_shared_parameters_of_a_path_are_found_at_its_operations() -> None:
    content = (
        b"openapi: 3.0.3\npaths:\n  /a:\n    parameters:\n      - $ref: '#/components/parameters/Id'\n"
        b"    get:\n      x-team: billing\n      responses: {'200': {description: Fine}}\n"
        b"  /b:\n    $ref: other.yaml#/b\n"
        b"components:\n  parameters:\n    Id: {name: id, in: path, description: Number of the order}\n"
    )
    elements = openapi.parse(RawDocument("s/a.yaml", "a.yaml", content, openapi.MEDIA_TYPES[0])).elements
    table = next(e for e in elements if e.rows)
    assert "Number of the order" in table.rows[1]
    assert "Number of the order" in openapi.quote(content, table.locator)
    assert any("x-team: billing" in e.text for e in elements)
    assert any(e.text == "/b\nb (other.yaml)" for e in elements)


@pytest.mark.parametrize(
    "above",
    [
        ["# Pumps, valves and more of the plant"],
        ["Pumps of the plant"],
        ["Pumps of the plant;;", "Made by: Ann", ""],
        ["sep=;", "Pumps of the plant"],
        ['"Pumps; all of them";;', "# of 2026", ";;"],
    ],
)
def test_what_stands_above_a_table_is_no_header(above: list[str]) -> None:
    content = "\n".join([*above, "name;power;unit", "Alpha;12;kW", "Beta;13;kW", "Gamma;14;kW", ""])
    found = document("a.csv", content)
    (table,) = (element for element in found.elements if element.rows)
    assert (table.header_rows, table.rows[0]) == (1, ("name", "power", "unit"))
    titles = [element.text for element in found.elements if not element.rows]
    assert titles[0] == found.metadata.title == headings(found)[0]
    assert titles[0].startswith("Pumps")
    spec = PARSERS["csv_table"]
    for element in found.elements:
        assert all(word in spec.quote(content.encode(), element.locator) for word in element.text.split(" | "))
    last = len(above) + 4
    assert spec.quote(content.encode(), Locator(row=last)) == "name\npower\nunit\nGamma\n14\nkW"


@pytest.mark.parametrize("content", ["#id,name\n1,a\n2,b\n", "a,,\nb,,\n", "one\ntwo\nthree\n", "x,\ny,\nz,\n"])
def test_a_table_without_a_title_has_none(content: str) -> None:
    found = document("a.csv", content)
    assert not headings(found)
    assert found.metadata.title == ""


def test_of_many_entries_the_broken_one_is_named() -> None:
    entries = [{"name": f"E{n}", "fragments": [{"type": "def", "text": f"Text {n}."}]} for n in range(100)]
    lines = [json.dumps(entry) for entry in entries]
    broken = document("a.jsonl", "\n".join([*lines[:56], '{"name": "E56", "fragments": nope}', *lines[57:]]))
    assert told(broken)[1] == ["entry 57 in line 57: no JSON: a value is missing"]
    entries[56]["fragments"] = [{"type": "definition", "text": "Text."}]
    texts, problems = told(document("a.json", json.dumps(entries)))
    assert problems == ["entry 57 in line 1: fragment 1: `type` is one of def, int, ex, form, app"]
    assert texts == [f"Text {n}." for n in range(100) if n != 56]


def test_json_may_begin_with_a_comment() -> None:
    found = document(
        "tsconfig.json", '/* the compiler */\n// where to\n{"target": "es2020", // new\n "lib": ["dom",],}\n'
    )
    assert [(e.locator.anchor, e.text) for e in of(found, "setting")] == [
        ("target", "where to\nnew\ntarget: es2020"),
        ("lib", "lib: dom"),
    ]
    assert found.elements[0].language == "json"


def test_a_comment_is_not_said_of_what_an_alias_takes_from_its_line() -> None:
    found = document("a.yaml", "# Both hosts\na: &x {one: 1, two: 2} # never\nb: *x\n# Third\nc: 3\n")
    settings = [e.text for e in found.elements if e.kind is ElementKind.PARAGRAPH]
    both = ["Both hosts\nnever\na.one: 1", "Both hosts\nnever\na.two: 2"]
    assert settings == ["Third\nc: 3", *both, "b.one: 1", "b.two: 2"]


@pytest.mark.req("D2.1")
def test_comments_of_a_graphql_schema_stand_with_the_field_of_their_line() -> None:
    schema = """type A @d(x: {a: 1}) { # opens
  # above more
  more(
    # of first
    a: Int # of a
  ): String # kept in cents
  other: Int, third: Int # of third
  "said # so"
  fourth: Int
  # last
} # after
enum E {
  B @deprecated(reason: "no # comment") # of b
}
directive @d(x: I = {a: 1}) on OBJECT
"""
    found = of(document("a.graphql", schema), "schema")
    assert [element.text for element in found if not element.rows] == [
        "type A @d(x: {a: 1})\nopens\nabove more\nlast", "enum E", "directive @d(x: I = {a: 1}) on OBJECT",
    ]  # fmt: skip
    assert [row for element in found for row in element.rows[1:]] == [
        ("more( # of first a: Int # of a )", "String", "kept in cents"),
        ("other", "Int", ""),
        ("third", "Int", "of third"),
        ("fourth", "Int", "said # so"),
        ("B", '@deprecated(reason: "no # comment")', "of b"),
    ]


@pytest.mark.req("D2.2")
@pytest.mark.parametrize("end", ["note varchar(10", "note varchar(10) -- of the clerk", "CHECK (id > 0"])
def test_the_last_item_of_a_table_that_is_never_closed_is_kept(end: str) -> None:
    found = of(document("a.sql", f"CREATE TABLE orders (\n  id int,\n  {end}"), "schema")
    said = "\n".join(element.text for element in found)
    assert all(word in said for word in end.replace("--", "").split()), said


@pytest.mark.req("D2.1")
def test_a_schema_that_depends_on_a_field_is_no_field() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {"card": {"type": "string"}},
        "required": ["card"],
        "dependentSchemas": {
            "card": {
                "description": "The bill goes there",
                "required": ["bill"],
                "properties": {"bill": {"type": "string"}},
            }
        },
    }
    [table] = [element for element in document("a.schema.json", json.dumps(schema)).elements if element.rows]
    assert [tuple(filter(None, row)) for row in table.rows[1:]] == [
        ("card", "string", "required"),
        ("dependentSchemas.card", "The bill goes there", "required: bill"),
        ("dependentSchemas.card.bill", "string", "required"),
    ]


MANIFESTS = """# of the shop
kind: ConfigMap
metadata:
  name: first
---
kind: Secret
metadata: {name: second}
---
# nothing
---
replicas: 3
"""


@pytest.mark.req("D2.3")
def test_each_document_of_a_yaml_file_stands_for_itself() -> None:
    found = document("a.yaml", MANIFESTS)
    told = [(e.level, e.text, e.locator.anchor) for e in found.elements[1:]]
    assert told == [
        (1, "ConfigMap first", "configmap-first"),
        (0, "of the shop\nkind: ConfigMap", "configmap-first/kind"),
        (2, "metadata", "configmap-first/metadata"),
        (0, "metadata.name: first", "configmap-first/metadata.name"),
        (1, "Secret second", "secret-second"),
        (0, "kind: Secret", "secret-second/kind"),
        (2, "metadata", "secret-second/metadata"),
        (0, "metadata.name: second", "secret-second/metadata.name"),
        (1, "Document 3", "document-3"),
        (0, "replicas: 3", "document-3/replicas"),
    ]
    quote = PARSERS["yaml_config"].quote
    assert "second" in quote(MANIFESTS.encode(), Locator(anchor="secret-second/metadata.name"))
    said = quote(MANIFESTS.encode(), Locator(anchor="secret-second"))
    assert "kind Secret" in said
    assert "first" not in said


@pytest.mark.req("D2.1", "D2.2", "D2.3")
@pytest.mark.parametrize(
    ("name", "content", "anchors"),
    [
        (
            "a.ini",
            "[server]\nport=1\n[client]\nport=2\n[server]\nport=3\nport=4\n",
            ["server", "server.port", "client", "client.port", "server~2", "server~2.port", "server~2.port~2"],
        ),
        (
            "a.toml",
            "[[products]]\nname = 'a'\n[[products]]\nname = 'b'\n",
            ["products", "products.name", "products~2", "products~2.name"],
        ),
        ("a.json", '{"a": {"x": 1}, "b": 2, "a": {"x": 3}, "b": 4}', ["b", "b~2", "a", "a.x", "a.x~2"]),
        ("a.yaml", "steps:\n- run: one\n- run: two\n", ["steps", "steps.one", "steps.two"]),
        ("a.yaml", "steps:\n- run: one\n- run: one\n", ["steps", "steps.1", "steps.2"]),
        ("a.json", '[{"id": "a", "x": [{"n": 1}]}, {"id": "b"}]', ["a", "a.x.1", "b"]),
        ("a.graphql", "type A { x: Int }\nextend type A { y: Int }\n", ["A", "A", "A", "A~2", "A~2", "A~2"]),
        (
            "a.sql",
            "CREATE TABLE a (x int);\nCREATE TABLE b (x int);\nALTER TABLE a ADD y int;\nCREATE INDEX i ON a (y);\n",
            ["a", "a", "a", "b", "b", "b", "a~2", "a~2", None],
        ),
        (
            "a.csv",
            "table,column,type,description\na,x,int,One\nb,x,int,Two\na,x,int,Three\n",
            ["a", "a.x", "b", "b.x", "a~2", "a.x~2"],
        ),
        (
            "a.schema.json",
            json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {"Bill": {}, "bill": {}}}),
            ["schema-bill", "schema-bill~2"],
        ),
    ],
)
def test_what_is_there_twice_has_two_anchors(name: str, content: str, anchors: list[str | None]) -> None:
    found = document(name, content).elements
    start = 1 if found[0].kind is ElementKind.CODE and found[0].locator.anchor is None else 0
    assert [element.locator.anchor for element in found[start:]] == anchors


COLLIDING = """openapi: 3.1.0
info: {title: Orders, get-a: {b: 1}}
paths:
  /a/{id}:
    get: {responses: {"404": {description: No such a}, "200": {$ref: '#/components/responses/gone'}}}
  /a/id:
    get: {responses: {"404": {description: No id}}}
  /a.id: {$ref: other.yaml#/a}
  /aid: {$ref: other.yaml#/b}
webhooks:
  a id: {get: {requestBody: {content: {text/plain: {schema: {$ref: '#/components/schemas/bill'}}}}}}
components:
  schemas:
    Bill: &bill {type: object, properties: {next: {$ref: '#/components/schemas/bill'}}}
    bill: *bill
  responses: {Gone: {description: Gone}, gone: {description: Gone too}}
  parameters: {A: {name: a}, a: {name: b}}
  x-more: {c: 1}
x-more: {d: 1}
"""


@pytest.mark.req("D2.1")
def test_units_of_an_api_whose_names_differ_in_signs_only_have_anchors_of_their_own() -> None:
    found = document("a.yaml", COLLIDING).elements
    places = {(e.locator.anchor, e.locator.char) for e in found}
    anchors = [anchor for anchor, _ in sorted(places, key=lambda place: place[1] or (0, 0))]
    assert len(anchors) == len(set(anchors))
    assert {"get-a-id", "get-a-id~2", "get-a-id~3", "get-a-id/404", "get-a-id~2/404", "aid", "aid~2"} < set(anchors)
    assert {"schema-bill", "schema-bill~2", "response-gone~2", "parameters-a~2", "x-more", "x-more~2"} < set(anchors)
    headed = {e.locator.anchor: e.text for e in found if e.kind is ElementKind.HEADING}
    assert (headed["schema-bill"], headed["schema-bill~2"]) == ("Bill", "bill")
    (hook,) = (e for e in found if e.locator.anchor == "get-a-id~3" and e.links)
    assert [link.target for link in hook.links] == ["#schema-bill~2"]
    assert "No id" in PARSERS["openapi"].quote(COLLIDING.encode(), Locator(anchor="get-a-id~2/404"))


def test_links_of_a_schema_lead_to_the_definition_meant() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Bills",
        "properties": {"a": {"$ref": "#/$defs/bill"}, "b": {"$ref": "b.json#/$defs/bill"}},
        "$defs": {"Bill": {"type": "string"}, "bill": {"type": "integer"}},
    }
    links = [link.target for e in document("a.schema.json", json.dumps(schema)).elements for link in e.links]
    assert sorted(links) == ["#schema-bill~2", "b.json#schema-bill"]


@pytest.mark.parametrize(
    "before",
    ["openapi: 3.0.0\ninfo: {title: Orders}\n", "$schema: https://json-schema.org/draft/2020-12/schema\ntitle: A\n"],
)
def test_a_reference_of_several_documents_is_to_be_split(before: str) -> None:
    with pytest.raises(CorruptDocument, match="2 YAML documents in one file: split it"):
        document("a.yaml", f"{before}---\nwhat: else\n")
    document("a.yaml", f"---\n{before}---\n")


@pytest.mark.req("D2.2")
def test_a_dictionary_of_several_documents_is_read_whole() -> None:
    one = "models:\n- name: {}\n  columns:\n  - name: id\n    description: {}\n"
    found = document("a.yaml", one.format("a", "One") + "---\n" + one.format("b", "Two"))
    assert [e.text for e in of(found, "field")] == ["id\ndescription: One", "id\ndescription: Two"]


@pytest.mark.req("A1.1")
@pytest.mark.parametrize(
    "entry",
    [
        {"name": "Nash", "fragments": [{"type": "definition", "text": "No player gains."}]},
        {"name": "Nash", "fragments": [{"text": 'It is "\\frac{a}{b}".', "type": "formula"}]},
        {"fragments": [{"type": "", "text": "No player gains."}], "name": "Nash"},
        {"entries": [{"name": "Nash", "fragments": [{"type": "DEF", "text": "No player gains."}]}]},
    ],
)
def test_an_entry_whose_first_fragment_is_of_no_known_type_is_refused(entry: dict[str, object]) -> None:
    with pytest.raises(
        CorruptDocument, match=r"entry 1 in line [12]: fragment 1: `type` is one of def, int, ex, form, app"
    ):
        document("a.json", json.dumps(entry))


def entry(name: str, text: str = "Words.", **more: object) -> dict[str, object]:
    return {"name": name, "fragments": [{"type": "def", "text": text}], **more}


def told(found: ParsedDocument) -> tuple[list[str], list[str]]:
    """Texts of the fragments of a document, and what is broken in it."""
    return [e.text for e in found.elements if e.fragment], [u.name for u in found.units if u.state == "broken"]


@pytest.mark.req("A1.1")
@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (entry("B", " "), "entry 2 in line 1: fragment 1: `text` is missing or empty"),
        ({"name": "B", "fragments": []}, "entry 2 in line 1: `fragments` is a list of at least one {type, text}"),
        (entry("", "b"), "entry 2 in line 1: an entry is a mapping with a `name`"),
        ("B", "entry 2 in line 1: an entry is a mapping with a `name`"),
        (entry("B", aliases="b"), "entry 2 in line 1: `aliases` is a list of names"),
        (
            entry("B", metadata={"truth_confidence": "high"}),
            "entry 2 in line 1: `truth_confidence` cannot be read: write a number from 0 to 1",
        ),
    ],
)
def test_a_broken_entry_leaves_the_others(wrong: object, problem: str) -> None:
    content = json.dumps([entry("A", "First words."), wrong, entry("C", "Last words.")])
    found = document("a.json", content)
    assert told(found) == (["First words.", "Last words."], [problem])
    assert [fields["name"] for fields in found.metadata.front_matter["entries"]] == ["A", "C"]
    raw = RawDocument("s/a.json", "a.json", content.encode(), found.media_type)
    assert coverage(raw, found) == 1.0
    with pytest.raises(ParseError, match=f"s/a.json: {re.escape(problem.replace('2', '1', 1))}"):
        document("a.json", json.dumps({"entries": [wrong, wrong]}), "application/vnd.kprep.knowledge+json")


def test_mending_an_entry_moves_no_other() -> None:
    broken, mended = ([entry("A", text), entry("A", "Last.")] for text in ("", "First."))
    anchors = [e.locator.anchor for e in document("a.json", json.dumps(broken)).elements]
    assert anchors == [e.locator.anchor for e in document("a.json", json.dumps(mended)).elements][2:]


def test_a_line_that_is_no_entry_leaves_the_others() -> None:
    lines = [json.dumps(entry("A", "One.")), '{"name": "B", "fragments": [', json.dumps(entry("C", "Three.")) + ' "x"']
    found = document("a.jsonl", "\n".join(lines), "application/vnd.kprep.knowledge+json")
    assert told(found) == (
        ["One.", "Three."],
        [
            "entry 2 in line 2: no JSON: a comma or a closing bracket is missing",
            "entry 4 in line 3: an entry is a mapping with a `name`",
        ],
    )
    with pytest.raises(CorruptDocument, match="no JSON"):
        document("a.json", json.dumps([entry("A"), entry("B")])[:-9], "application/vnd.kprep.knowledge+json")


def test_a_line_that_is_no_json_leaves_the_others() -> None:
    content = '{"a": "one"}\n{"a": \n{"a": "three"}\n'
    found = document("a.jsonl", content)
    assert [e.text for e in found.elements] == ["a: one", "a: three"]
    (line,) = (unit for unit in found.units if unit.state == "broken")
    assert (line.kind, line.number, line.char) == ("line", 2, (13, 19))
    assert line.name.startswith("line 2: no JSON: ")
    raw = RawDocument("s/a.jsonl", "a.jsonl", content.encode(), found.media_type)
    assert coverage(raw, found) == 1.0
    assert PARSERS["json_lines"].quote(content.encode(), Locator(line=(1, 3))).split("\n") == ["a: one", "", "a: three"]


@pytest.mark.parametrize("content", ['{"a": 1\n{"a": 2\n', '[\n"one",\n"two"\n]\n', '{"a": 1}\n{"a": '])
def test_a_file_of_which_half_the_lines_are_no_json_is_refused(content: str) -> None:
    with pytest.raises(CorruptDocument, match=r"s/a.jsonl: line [12]: no JSON"):
        document("a.jsonl", content)


@pytest.mark.req("D2.2", "D2.3")
def test_a_broken_yaml_document_leaves_the_others() -> None:
    content = MANIFESTS.replace("metadata: {name: second}", "metadata: {name: second")
    found = document("a.yaml", content)
    assert [e.text for e in of(found, "setting")] == [
        "of the shop\nkind: ConfigMap",
        "metadata.name: first",
        "replicas: 3",
    ]
    (problem,) = told(found)[1]
    assert problem.startswith("document 2 from line 5: no YAML: ")
    assert "in line 8" in problem
    (replicas,) = (e for e in found.elements if e.text == "replicas: 3")
    assert replicas.locator.char is not None
    assert content[slice(*replicas.locator.char)] == "replicas: 3"
    assert "replicas 3" in PARSERS["yaml_config"].quote(content.encode(), replicas.locator)
    with pytest.raises(CorruptDocument, match="no YAML"):
        document("a.yaml", "a: [1\n---\nb: [2\n")
    with pytest.raises(Recursive, match="an alias stands inside what it names"):
        document("a.yaml", "a: 1\n---\nb: &x [*x]\n---\nc: [2\n")


@pytest.mark.req("D2.2")
def test_a_broken_document_of_a_dictionary_leaves_the_others() -> None:
    one = "models:\n- name: {}\n  columns:\n  - name: id\n    description: {}\n"
    content = one.format("a", "One") + "---\nmodels: [b\n---\n" + one.format("c", "Three")
    found = document("a.yaml", content)
    assert [e.text for e in of(found, "field")] == ["id\ndescription: One", "id\ndescription: Three"]
    assert [u.number for u in found.units if u.state == "broken"] == [2]
    raw = RawDocument("s/a.yaml", "a.yaml", content.encode(), found.media_type)
    assert coverage(raw, found) == 1.0


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (
            '{"name": "a", "fragments": [{"text": "\\\\frac{a}{b}", "type": "form"}]}',
            "application/vnd.kprep.knowledge+json",
        ),
        ('{"name": "a", "fragments": [{"type": "head", "text": "b", "size": 3}]}', "application/json"),
        ('{"name": "a", "fragments": [{"type": "head", "src": "b"}]}', "application/json"),
        ('{"fragments": [{"type": "head", "text": "b"}]}', "application/json"),
    ],
)
def test_what_has_fragments_of_its_own_is_no_entry(content: str, media_type: str) -> None:
    assert detect("a.json", content.encode()) == media_type
