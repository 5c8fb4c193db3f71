"""Named statements, loaded once from the `.sql` file beside a module: `-- name: publish` starts one, `-- part: filters`
what several of them have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import BaseRowFactory, Row, dict_row, tuple_row
from psycopg.types.json import Jsonb
from sqlalchemy import Connection, TextClause, text
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.exc import DBAPIError

__all__ = ["Connection", "binary_mappings", "binary_rows", "jsonb", "load"]

_BLOCK = re.compile(r"^-- (name|part): (\w+)\s*$", re.MULTILINE)
_WITH = re.compile(r"^ *-- with: (\w+);?$", re.MULTILINE)


def load(module_file: str) -> Mapping[str, TextClause]:
    """Statements of `<module>.sql` by name, each `-- with: filters` replaced by the block `-- part: filters`, which
    stands above. Raises: ValueError for a name given twice, KeyError for a part that is not there."""
    blocks = _BLOCK.split(Path(module_file).with_suffix(".sql").read_text(encoding="utf-8"))
    statements: dict[str, TextClause] = {}
    parts: dict[str, str] = {}
    for kind, name, body in zip(blocks[1::3], blocks[2::3], blocks[3::3], strict=True):
        if name in statements or name in parts:
            raise ValueError(f"two blocks are named {name!r} beside {module_file}")
        if kind == "part":
            parts[name] = body.strip("\n").rstrip()
        else:
            whole = _WITH.sub(lambda found: parts[found.group(1)], body)
            statements[name] = text(whole.strip().rstrip(";"))
    return statements


def binary_rows(connection: Connection, statement: TextClause, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Rows of a statement of a search, sent as bytes and not as digits, in one piece: half the time for a megabyte of
    `bytea`, or a thousand rows."""
    return _binary(connection, statement, values, tuple_row)


def binary_mappings(connection: Connection, statement: TextClause, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """As `binary_rows`, each row by the names of its columns."""
    return _binary(connection, statement, values, dict_row)


def _binary(
    connection: Connection, statement: TextClause, values: Mapping[str, Any], shape: BaseRowFactory[Row]
) -> list[Row]:
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    try:
        with driver.cursor(binary=True, row_factory=shape) as cursor:
            return cursor.execute(_command(statement), values).fetchall()
    except psycopg.Error as error:
        said = DBAPIError.instance(statement.text, None, error, psycopg.Error, dialect=connection.dialect)
        raise said from error


@lru_cache(maxsize=512)
def _command(statement: TextClause) -> bytes:
    """The statement as the driver takes it: `%(name)s` for `:name`."""
    return str(statement.compile(dialect=PGDialect_psycopg())).encode()  # type: ignore[no-untyped-call]


def jsonb(value: Any) -> Jsonb:
    """A value to be sent as JSON."""
    return Jsonb(value)
