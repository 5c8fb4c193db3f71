"""Named statements, loaded once from the `.sql` file beside a module: `-- name: publish` starts a block."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from psycopg.types.json import Jsonb
from sqlalchemy import Connection, TextClause, text

__all__ = ["Connection", "jsonb", "load"]

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


def load(module_file: str) -> Mapping[str, TextClause]:
    """Statements of `<module>.sql` by name. Raises: ValueError for a name given twice."""
    parts = _NAME.split(Path(module_file).with_suffix(".sql").read_text(encoding="utf-8"))
    statements: dict[str, TextClause] = {}
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if name in statements:
            raise ValueError(f"two statements are named {name!r} beside {module_file}")
        statements[name] = text(body.strip().rstrip(";"))
    return statements


def jsonb(value: Any) -> Jsonb:
    """A value to be sent as JSON."""
    return Jsonb(value)
