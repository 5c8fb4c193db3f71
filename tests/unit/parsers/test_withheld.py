"""Configuration without its secrets: values under the names of secrets are withheld, all else stays as it is."""

from __future__ import annotations

import json

import pytest

from kprep.core.models import RawDocument
from parsers import PARSERS, parse
from parsers.dotenv import MARK
from parsers.withheld import without_secrets

YAML = """db:
  password: &pw "hun'ter2X" # of the portal
  again: *pw
  url: postgres://app:hunter2secretX@db:5432/app
  options: Server=x;Password=hunter2;Timeout=5
  secret: |
    line one X9!
    line two
  client_secret: changeme
env:
  - name: API_TOKEN
    value: Xk29!pqLmz7w
  - DB_PASSWORD=Xk29pqLmz7w
  - {name: MODE, value: prod}
# old_password: Xk29!pqLmz7w
passwords: [Abc12345x, "Second9x!"]
---
apiVersion: v1
kind: Secret
metadata: {name: portal}
data: {user: YWRtaW4=}
stringData:
  password: Tr0ub4dor&3zz
"""
HARMLESS = """primary_key: id
key: special.how
password_file: /run/secrets/db
passwordMinLength: 12
token: ${TOKEN}
secretName: db-cred
labels: {password: Enter the password of your account}
valueFrom: {secretKeyRef: {name: db, key: password}}
author: Jane Doe
kind: Secret
data: {a: b}
homepage: https://example.com/a@b
password: "{{ vault_password }}"
# the password is in the vault
"""


def shown(name: str, text: str) -> str:
    return without_secrets(name, text.encode()).decode()


@pytest.mark.req("D2.3", "D5.3")
def test_values_of_yaml_under_names_of_secrets_are_withheld() -> None:
    found = shown("app.yaml", YAML)
    for value in (
        "hun'ter2X",
        "hunter2",
        "X9!",
        "line two",
        "changeme",
        "Xk29",
        "Abc12345x",
        "Second9",
        "YWRt",
        "Tr0ub",
    ):
        assert value not in found, value
    lines = found.splitlines()
    assert len(lines) == len(YAML.splitlines())
    assert lines[1:5] == [
        f'  password: &pw "{MARK}" # of the portal',
        "  again: *pw",
        f"  url: postgres://app:{MARK}@db:5432/app",
        f"  options: Server=x;Password={MARK};Timeout=5",
    ]
    assert shown("app.yaml", found) == found


@pytest.mark.req("D2.3", "D5.3")
@pytest.mark.parametrize(
    ("name", "text", "kept"),
    [
        (
            "a.toml",
            '[db]\nport = 1\npassword = "hunter2secretX" # old\n',
            f'[db]\nport = 1\npassword = "{MARK}" # old\n',
        ),
        ("a.toml", 'api_key = """ab\nX9!x"""\nz = 1\n', f'api_key = """{MARK}\n"""\nz = 1\n'),
        ("a.ini", "[db]\nhost = h1\npassword = Tr0ub4dor&3zz\n", f"[db]\nhost = h1\npassword = {MARK}\n"),
        ("a.ini", ";password=Xk29!pqLmz7w\n[a]\nb=1\n", f";password={MARK}\n[a]\nb=1\n"),
        ("a.properties", "mail.password: Xk29!pq\nmail.host: h\n", f"mail.password: {MARK}\nmail.host: h\n"),
    ],
)
def test_values_of_configuration_by_lines_are_withheld(name: str, text: str, kept: str) -> None:
    assert shown(name, text) == kept


def test_json_stays_json() -> None:
    text = '{"db": {"password": "x\\"y9Z!kk", "pw": 123456, "secret": {"value": "Xk29!pq"}, "password_hint": "dog"}}'
    assert json.loads(shown("a.json", text)) == {
        "db": {"password": MARK, "pw": MARK, "secret": {"value": MARK}, "password_hint": "dog"}
    }


@pytest.mark.parametrize("name", ["a.yaml", "a.yml"])
def test_what_only_speaks_of_secrets_stays(name: str) -> None:
    assert shown(name, HARMLESS) == HARMLESS


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "password: Xk29!pqLmz7w\n"),
        ("a.py", "password = 'Xk29!pqLmz7w'\n"),
        ("a.yaml", "note: the password is Xk29!pqLmz7w\n"),
        ("a.yaml", "tls_key: |\n  -----BEGIN PRIVATE KEY-----\n  MIIE\n"),
        ("a.yaml", "password: [Xk29!pqLmz7w\n"),
    ],
)
def test_elsewhere_a_secret_still_refuses_the_document(name: str, text: str) -> None:
    assert shown(name, text) == text


def test_what_is_withheld_is_recorded_by_line() -> None:
    for name, kind, text in (
        ("a.yaml", "yaml_config", YAML),
        ("a.ini", "ini_config", "[db]\nhost = h1\npassword = Tr0ub4dor&3zz\n"),
    ):
        content = without_secrets(name, text.encode())
        found = parse(RawDocument(name, name, content, PARSERS[kind].media_types[0]), PARSERS[kind])
        withheld = [unit.number for unit in found.units if unit.state == "withheld"]
        assert withheld == [n for n, line in enumerate(content.decode().splitlines(), 1) if MARK in line]
