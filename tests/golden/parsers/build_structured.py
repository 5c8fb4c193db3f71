"""Writes the inputs of the golden cases of structured references, code and notebooks. Same output on every run."""

# ruff: noqa: E501
from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).parent

FAQ = """\
{"id": 1.10, "question": "How long is a refund?", "answer": "14 days.\\nBank transfers: 20 days.", "tags": ["refund", "bank"]}

{"id": "2", "question": "W\\u00e9r zahlt?", "answer": null, "by": {"team": "Sales", "seen": true}, "steps": [{"do": "ask"}, {"do": "pay"}]}
["alone", 7]
"""

OPENAPI = """\
openapi: 3.0.3
info:
  title: Orders API
  version: "1.2"
  description: Everything about orders.
servers: [{url: https://api.example.com/v1}]
paths:
  /v1/orders/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string, format: uuid}, description: The order}
    get:
      summary: Get an order
      operationId: getOrder
      tags: [orders]
      parameters:
        - $ref: '#/components/parameters/Fields'
      responses:
        "200":
          description: The order as it is now
          content: {application/json: {schema: {$ref: '#/components/schemas/Order'}, example: {"id": "o-1"}}}
        "404":
          $ref: '#/components/responses/NotFound'
        "429": {description: Slow down and try again after a minute}
    post:
      deprecated: true
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [quantity], properties: {quantity: {type: integer, minimum: 1, description: How many}}}}}}
      responses: {"201": {description: Created}}
components:
  parameters:
    Fields: {name: fields, in: query, schema: {type: array, items: {type: string}}, description: Which fields to return}
    Unused: {name: trace, in: header, schema: {type: string}}
  responses:
    NotFound: {description: No such order, content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}
  schemas:
    Order:
      type: object
      required: [id]
      properties:
        id: {type: string, format: uuid}
        parent: {$ref: '#/components/schemas/Order'}
        lines: {type: array, items: {$ref: '#/components/schemas/Line'}}
    Line: {type: object, properties: {sku: {type: string, description: Article}, order: {$ref: '#/components/schemas/Order'}}}
    Error: {type: object, properties: {code: {type: string, enum: [ORDER_NOT_FOUND, RATE_LIMITED]}}}
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
"""

SWAGGER = {
    "swagger": "2.0",
    "info": {"title": "Pets", "version": "1"},
    "basePath": "/v2",
    "paths": {
        "/pets": {
            "post": {
                "summary": "Add a pet",
                "consumes": ["application/json"],
                "parameters": [
                    {"name": "body", "in": "body", "description": "The pet", "schema": {"$ref": "#/definitions/Pet"}},
                    {"name": "dry", "in": "query", "type": "boolean", "description": "Try only"},
                ],
                "responses": {
                    "200": {"description": "Added", "schema": {"$ref": "#/definitions/Pet"}},
                    "default": {"description": "Something went wrong"},
                },
            }
        }
    },
    "definitions": {
        "Pet": {
            "allOf": [{"$ref": "#/definitions/Named"}, {"type": "object", "properties": {"age": {"type": "integer"}}}]
        },
        "Named": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
    },
}

CYCLE = {
    "openapi": "3.1.0",
    "info": {"title": "Search", "version": "0"},
    "paths": {
        "/s": {
            "get": {
                "responses": {
                    "200": {
                        "description": "ok",
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/search_paths"}}},
                    }
                }
            }
        }
    },
    "components": {
        "schemas": {
            "search_paths": {
                "type": "object",
                "properties": {"paths": {"type": "array", "items": {"$ref": "#/components/schemas/search_paths"}}},
            },
            "loop": {"$ref": "#/components/schemas/loop"},
        }
    },
}

JSON_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Service configuration",
    "description": "What a service may set.",
    "type": "object",
    "required": ["port"],
    "properties": {
        "port": {"type": "integer", "minimum": 1, "maximum": 65535, "description": "Where to listen"},
        "tls": {"type": "object", "properties": {"cert": {"type": "string"}, "mode": {"enum": ["strict", "off"]}}},
        "next": {"$ref": "#/$defs/Target"},
    },
    "$defs": {
        "Target": {
            "type": "object",
            "description": "Where to go on",
            "properties": {"again": {"$ref": "#/$defs/Target"}},
        }
    },
}

GRAPHQL = '''\
# Orders of the shop
"""An order of a customer"""
type Order implements Node @key(fields: "id") {
  "The order's id"
  id: ID!
  # paid in cents
  lines(first: Int = 10, after: String): [Line!]! @deprecated(reason: "use items")
}

enum Status { OPEN "Gone for good" CLOSED }
union Found = Order | Line
input NewOrder { quantity: Int = 1 }
extend type Query { order(id: ID!): Order }
schema { query: Query }
query One { order(id: 1) { id } }
'''

SQL = """\
-- Orders placed by customers
CREATE TABLE IF NOT EXISTS shop.orders (  -- one row an order
  id BIGINT PRIMARY KEY, -- the order's id
  -- who bought
  customer_id INTEGER NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
  state VARCHAR(20) DEFAULT 'open; or not' CHECK (state IN ('open', 'closed')),
  price NUMERIC(10, 2),
  -- no two of one state
  CONSTRAINT one_state UNIQUE (customer_id, state)
);
COMMENT ON COLUMN shop.orders.state IS 'open or closed';
CREATE INDEX orders_state ON shop.orders (state);
CREATE VIEW open_orders AS SELECT * FROM shop.orders WHERE state = 'open';
CREATE FUNCTION one() RETURNS int AS $$ BEGIN; RETURN 1; END $$ LANGUAGE plpgsql;
CREATE TABLE `legacy` (
  `a` int(11) NOT NULL AUTO_INCREMENT COMMENT 'it''s the a',
  PRIMARY KEY (`a`)
) ENGINE=InnoDB COMMENT='All that is old';
-- the end
"""

CSV = 'question,answer\nA,"first\nsecond"\nB,"say ""yes""\u2028now"\n"C lone,quote here\nD,"e, f"\n'
CSV_CODES = (
    "code,meaning,what to do\nERR_CONN_1045,Access denied,Check the password\nERR_CONN_2003,No answer,Check the port\n"
)
TSV = "unit\tvalue\nmetre\t1\nfoot\t0.3048\n"
DICTIONARY_CSV = "table,column,type,description\norders,id,bigint,Number of the order\norders,state,text,open or closed\nlines,sku,text,Article\n"
DICTIONARY_YAML = """\
version: 2
models:
  - name: orders
    description: One row an order
    columns:
      - name: id
        description: Number of the order
        tests: [unique, not_null]
      - name: state
        data_type: text
        description: open or closed
  - name: lines
    columns:
      - {name: sku, description: Article}
"""

YAML = """\
# Where the server listens
server:
  # the port
  port: 8080  # default
  hosts: [a.example.com, b.example.com]
  tls:
    cert: |
      first line
      second line
limits: &limits {memory: 2Gi}
worker:
  <<: *limits
  threads: 4
debug: true
---
second: document
"""
RECORDS = """alerts:
  # when disks fill up
  - alert: DiskFull
    expr: disk_free < 5
    annotations: {summary: Disk is nearly full, runbook: RB-17}
  - alert: HighLoad # of one minute
    expr: load > 8
teams:
  - name: Operations
    phone: 12
    members:
      - {id: jr, role: lead}
      - {id: ab, role: on call}
  - name: Support
    members: []
steps:
  - run: same
  - run: same
  - plain
"""
JSON_CONFIG = '{\n\t"editor": {"tabSize": 4, "rulers": [80, 120]}, // of all languages\n\t"files.exclude": {"**/.git": true},\n}\n'
INI = """\
; of everything
debug = true ; only here
[database]
# where it is
url = postgres://db.example.com/orders
options =
    first
    second
"""
TOML = """\
title = "Orders"
[tool."x y"]
# names
list = [
  "a", # the first
  "b",
]
text = \"\"\"
several
lines
\"\"\"
"""
DOTENV = '# mail\nexport MAIL_HOST="mail.example.com" # the relay\nMAIL_PORT=25\n'
PROPERTIES = "! old style comment\nserver.port: 8080\npath = a \\\n  b\n"

PYTHON = '''\
# \U0001f923 orders \u8ba2\u5355
"""Prices of orders."""
import decimal

RATE = 1  # \u4e2d\u6587\u6ce8\u91ca


# about total
@cached(1)
def total(lines):
    """The sum of all lines."""
    return sum(lines)


class Order(Base):
    """One order."""

    state = "open"

    # \U0001f600 closing
    @property
    def closed(self):
        return self.state != "open"

    limit = 3

    class Line:
        def price(self): return 1


if __name__ == "__main__":
    total([1])
'''
TYPESCRIPT = """\
import x from "y";
/** A cart. */
export class Cart<T> {
  items = 1;
  // adds one
  add(item: T): void { this.items++ }
  get size() { return 1 }
}
export const load = async (id: string) => {
  return id;
};
export interface Priced { price: number; }
type Id = string;
"""
BROKEN = "def good():\n    return 1\n\ndef broken(:\n  x = = 2\n\nclass Half\n    def m(self) return\n\ndef last():\n    pass\n"
C_SOURCE = "#ifndef A_H\n#define A_H\n#include <a.h>\n/* adds */\nint *add(int a, int b) { return 0; }\nstruct point { int x; };\nint g(void);\n#endif\n"

NOTEBOOK = {
    "cells": [
        {
            "cell_type": "markdown",
            "metadata": {},
            "source": ["# Prices\n", "\n", "How prices grow ![p](data:image/png;base64,iVBORw0KGgo=).\n"],
        },
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "source": "import math\nprint(math.pi)",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["3.14159\n"]},
                {
                    "output_type": "display_data",
                    "data": {"image/png": "iVBORw0KGgo" * 40, "text/plain": ["<Figure size 640x480>"]},
                    "metadata": {},
                },
            ],
        },
        {
            "cell_type": "code",
            "execution_count": 2,
            "metadata": {},
            "source": ["frame"],
            "outputs": [
                {
                    "output_type": "execute_result",
                    "execution_count": 2,
                    "metadata": {},
                    "data": {
                        "text/html": [
                            "<div><style>td {}</style><table><thead><tr><th></th><th>price</th></tr></thead><tbody><tr><th>0</th><td>12</td></tr></tbody></table></div>"
                        ],
                        "text/plain": ["   price\n0  12"],
                    },
                },
            ],
        },
        {
            "cell_type": "code",
            "execution_count": 3,
            "metadata": {},
            "source": ["1 / 0"],
            "outputs": [
                {
                    "output_type": "error",
                    "ename": "ZeroDivisionError",
                    "evalue": "division by zero",
                    "traceback": [
                        "\u001b[0;31m-----\u001b[0m",
                        "\u001b[0;31mZeroDivisionError\u001b[0m: division by zero",
                    ],
                },
            ],
        },
        {
            "cell_type": "code",
            "execution_count": 4,
            "metadata": {},
            "source": ["widget"],
            "outputs": [
                {
                    "output_type": "display_data",
                    "metadata": {},
                    "data": {
                        "application/vnd.jupyter.widget-view+json": {"model_id": "abc"},
                        "text/plain": ["IntSlider()"],
                    },
                },
                {"output_type": "stream", "name": "stdout", "text": "row\n" * 900},
            ],
        },
        {"cell_type": "markdown", "metadata": {}, "source": "## What follows\n\n- one\n- two"},
        {"cell_type": "code", "execution_count": None, "metadata": {}, "source": "", "outputs": []},
    ],
    "metadata": {"kernelspec": {"language": "python", "name": "python3"}, "widgets": {"state": {"a": "b" * 1000}}},
    "nbformat": 4,
    "nbformat_minor": 5,
}

NASH = {
    "name": "Nash equilibrium",
    "aliases": ["NE", "strategic equilibrium"],
    "fragments": [
        {
            "type": "def",
            "text": "A Nash equilibrium is a set of strategies, one for each player, in which no player gains by changing only their own.",
        },
        {
            "type": "int",
            "text": "Everybody already answers best to what the others do, so nobody has a reason to switch.",
        },
        {
            "type": "ex",
            "text": "In the prisoner's dilemma both confess: whoever stays silent alone gets the longer sentence.",
        },
        {"type": "form", "text": "u_i(s_i*, s_-i*) \u2265 u_i(s_i, s_-i*) for every player i and every strategy s_i"},
        {
            "type": "app",
            "text": "Used to predict prices in a duopoly, bids in auctions and routes in traffic networks.",
        },
    ],
    "metadata": {
        "truth_confidence": 0.98,
        "source_confidence": 0.9,
        "difficulty": "intermediate",
        "style": "formal",
        "avoid_with": ["chemical equilibrium", "thermodynamics"],
    },
}
PARETO = {
    "name": "Pareto efficiency",
    "aliases": [],
    "domain": "economics",
    "fragments": [
        {"type": "def", "text": "Nobody can be better off without somebody being worse off."},
        {"type": "ex", "text": "First example."},
        {"type": "ex", "text": 'Second "quoted" example.'},
    ],
}


def dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


OPENAPI_COLLISIONS = """\
openapi: 3.1.0
info: {title: Bills}
paths:
  /bills/{id}: {get: {summary: One bill, responses: {"404": {description: No such bill}}}}
  /bills/id: {get: {summary: The next id, responses: {"404": {description: No id is left}}}}
webhooks:
  bills id: {get: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/bill'}}}}}}
components:
  schemas:
    Bill: {type: object, properties: {id: {type: string}}}
    bill: {type: object, properties: {sum: {type: integer}}}
"""

CASES = {
    "openapi-d21_orders/input.yaml": OPENAPI,
    "openapi-d21_swagger2/input.json": dump(SWAGGER),
    "openapi-c17_cycle/input.json": dump(CYCLE),
    "openapi-d21_collisions/input.yaml": OPENAPI_COLLISIONS,
    "openapi-c17_truncated/input.json": dump(SWAGGER)[:700],
    "json_schema-d21_configuration/input.json": dump(JSON_SCHEMA),
    "graphql-d21_orders/input.graphql": GRAPHQL,
    "graphql-broken/input.graphql": "type Order {\n  id: ID!\n",
    "sql_ddl-d22_orders/input.sql": SQL,
    "csv_table-c21_quotes/input.csv": CSV,
    "csv_table-d26_codes/input.csv": CSV_CODES,
    "csv_table-tabs/input.tsv": TSV,
    "data_dictionary-d22_csv/input.csv": DICTIONARY_CSV,
    "data_dictionary-d22_yaml/input.yml": DICTIONARY_YAML,
    "yaml_config-d23_server/input.yaml": YAML,
    "yaml_config-d23_records/input.yaml": RECORDS,
    "yaml_config-d23_json/input.json": JSON_CONFIG,
    "yaml_config-d23_template/input.yaml": "port: {{ .Values.port }}\n{{- if .Values.tls }}\ntls: true\n{{- end }}\n",
    "yaml_config-one_broken/input.yaml": "kind: A\nport: 1\n---\nkind: [B\n---\nkind: C\nport: 3\n",
    "yaml_config-broken/input.json": '{"a": [1, 2',
    "ini_config-d23_ini/input.ini": INI,
    "ini_config-d23_toml/input.toml": TOML,
    "ini_config-d23_dotenv/input.env": DOTENV,
    "ini_config-d23_properties/input.properties": PROPERTIES,
    "code-c14_python/input.py": PYTHON,
    "code-broken/input.py": BROKEN,
    "code-typescript/input.ts": TYPESCRIPT,
    "code-c_header/input.h": C_SOURCE,
    "code-crlf/input.py": PYTHON.replace("\n", "\r\n"),
    "notebook-c12_outputs/input.ipynb": dump(NOTEBOOK),
    "json_lines-faq/input.jsonl": FAQ,
    "json_lines-broken/input.ndjson": FAQ.rstrip()[:-5],
    "knowledge_entry-a42_nash/input.json": dump(NASH),
    "knowledge_entry-lines/input.jsonl": json.dumps(NASH) + "\n" + json.dumps(PARETO, ensure_ascii=False) + "\n",
    "knowledge_entry-list/input.json": dump([NASH, PARETO]),
    "knowledge_entry-one_broken/input.json": dump(
        [NASH, {"name": "Broken", "fragments": [{"type": "story", "text": "Not a type."}]}, PARETO]
    ),
    "knowledge_entry-broken/input.json": dump(
        {"name": "X", "fragments": [{"type": "def", "text": "Fine."}, {"type": "story", "text": "Not a type."}]}
    ),
}


def main() -> None:
    for name, text in CASES.items():
        path = HERE / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode("utf-8"))


if __name__ == "__main__":
    main()
