"""Tables as short sentences "field: value", for an index that reads words; the table itself stays a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

_CODE = re.compile(r"(?:[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+|[A-Z]{1,8}[-_ ]?\d{2,8}|[1-5]\d\d|0x[0-9A-Fa-f]+|-?\d{3,6})$")
_ERROR_COLUMN = re.compile(r"error|status|fault|alarm|fehler|störung|erreur|错误|故障|报警", re.IGNORECASE)
_CODE_COLUMN = re.compile(r"code|代码", re.IGNORECASE)
_EXPLAINED = re.compile(
    r"meaning|message|description|explanation|cause|reason|action|remedy|solution|what to do|bedeutung|ursache|abhilfe|"
    r"beschreibung|signification|含义|说明|原因|处理",
    re.IGNORECASE,
)
_GOODS = re.compile(r"price|unit|qty|quantity|stock|amount|preis|menge|prix|单价|价格|数量|单位", re.IGNORECASE)

Rows = Sequence[Sequence[str]]


def explains_codes(header: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether each row of a table explains an error or status: `cells`, its first column, holds distinct codes (one
    that goes over several rows stands in each), and is named for errors, or for codes while another column says what
    they mean and none speaks of goods."""
    name, others = (header[0], " | ".join(header[1:])) if header else ("", "")
    explained = _CODE_COLUMN.search(name) and _EXPLAINED.search(others) and not _GOODS.search(others)
    if not (_ERROR_COLUMN.search(name) or explained):
        return False
    filled = [cell for cell, _ in groupby(cell.strip() for cell in cells if cell.strip())]
    codes = sum(bool(_CODE.match(cell)) for cell in filled)
    return codes >= 0.8 * len(filled) > 0 and len(set(filled)) >= 0.9 * len(filled)


def sentences(rows: Rows, header_rows: int) -> tuple[str, ...]:
    """One sentence for each row of the body, in order: "Model: P-7; Flow (l/min): 40." Empty cells are left out.

    A header of several rows is read from top to bottom ("Price / net"), a title over all of it left out; a cell of its
    upper rows that is empty belongs to the one left of it, as merged cells are written. Without a header, a table of
    two columns is one of names and values; in others the cells stand alone. Raises: ValueError for a negative number of
    header rows.
    """
    if header_rows < 0:
        raise ValueError("a table cannot have a negative number of header rows")
    body = rows[header_rows:]
    width = max((len(row) for row in rows), default=0)
    fields = _fields(rows[:header_rows], width)
    if not header_rows and width == 2:
        pairs = [(_plain(row[0]), _plain(row[1]) if len(row) > 1 else "") for row in body]
        return tuple(_sentence([pair]) for pair in pairs if any(pair))
    lines = ([(fields[column], _plain(cell)) for column, cell in enumerate(row) if _plain(cell)] for row in body)
    return tuple(_sentence(line) for line in lines if line)


def _fields(header: Rows, width: int) -> list[str]:
    """For each column, what its header cells say."""
    columns: list[list[str]] = [[] for _ in range(width)]
    for number, row in enumerate(header):
        if width > 1 and number < len(header) - 1 and not any(map(_plain, row[1:])):
            continue  # a title
        last = ""
        for column in range(width):
            cell = _plain(row[column]) if column < len(row) else ""
            if not cell and number < len(header) - 1:
                cell = last
            last = cell
            if cell and cell not in columns[column]:
                columns[column].append(cell)
    return [" / ".join(column) for column in columns]


def _sentence(pairs: Sequence[tuple[str, str]]) -> str:
    said = "; ".join(f"{field}: {value}" if field and value else field or value for field, value in pairs)
    return said if said.endswith((".", "!", "?", "。")) else f"{said}."


def _plain(cell: str) -> str:
    return " ".join(cell.split()).rstrip(":")
