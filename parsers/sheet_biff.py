"""Number formats of the cells of workbooks that are no XML: records of XLS ([MS-XLS]) and of XLSB ([MS-XLSB])."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import NamedTuple

from parsers.docx_xml import Package
from parsers.number_formats import BUILT_IN, as_shown
from parsers.sheet_grid import Cell

CellFormats = dict[Cell, str]

_BEGIN, _END, _SHEET, _FORMAT, _STYLE, _ROW_OF_NUMBERS = 0x0809, 0x000A, 0x0085, 0x041E, 0x00E0, 0x00BD
_NUMBERS = frozenset((0x0203, 0x027E, 0x0006))
"""Records of XLS with one number: as it is, packed, and of a formula."""
_EXCEL_5, _EXCEL_97 = 0x0500, 0x0600
_SHORTEST = {_BEGIN: 2, _SHEET: 8, _FORMAT: 5, _STYLE: 4, _ROW_OF_NUMBERS: 6, **dict.fromkeys(_NUMBERS, 6)}

_BINARY_ROW, _BINARY_FORMAT, _BINARY_STYLE, _BINARY_SHEET = 0, 44, 47, 156
_BINARY_STYLES_BEGIN, _BINARY_STYLES_END = 617, 618
_BINARY_NUMBERS = frozenset((2, 5, 9))
"""Records of XLSB with one number: packed, as it is, and of a formula."""
_NO_TEXT = 0xFFFFFFFF


class _Record(NamedTuple):
    kind: int
    body: bytes


def xls_formats(content: bytes) -> list[CellFormats]:
    """Formats of the sheets of an XLS in their order, of cells whose format shows more than digits. Empty for workbooks
    of before Excel 5, and for what no record of a workbook says."""
    import olefile

    with olefile.OleFileIO(BytesIO(content)) as container:
        name = next((name for name in ("Workbook", "Book") if container.exists(name)), "")
        stream = container.openstream(name).read() if name else b""
    version = _EXCEL_97
    codes, styles, starts = dict(BUILT_IN), list[int](), list[int]()
    for kind, body in _records(stream, 0):
        if kind == _BEGIN:
            version = int.from_bytes(body[:2], "little")
        elif kind == _FORMAT:
            codes[int.from_bytes(body[:2], "little")] = _format_code(body, version)
        elif kind == _STYLE:
            styles.append(int.from_bytes(body[2:4], "little"))
        elif kind == _SHEET:
            starts.append(int.from_bytes(body[:4], "little"))
    telling = _telling(styles, codes)
    if version not in {_EXCEL_5, _EXCEL_97} or not telling:
        return []
    return [dict(_cells(stream, start, telling)) for start in starts]


def xlsb_formats(package: Package) -> dict[str, CellFormats]:
    """Formats of the sheets of an XLSB by their names, of cells whose format shows more than digits."""
    targets = {key: target for key, (_, target) in package.relations(package.main).items()}
    part = next(iter(package.related("styles")), "")
    telling = _binary_styles(package.bytes(part)) if part in package.names() else {}
    found: dict[str, CellFormats] = {}
    for record in _binary_records(package.bytes(package.main)) if telling else ():
        if record.kind == _BINARY_SHEET:
            relation, end = _wide_string(record.body, 8)
            sheet = targets.get(relation, "")
            if sheet in package.names():
                found[_wide_string(record.body, end)[0]] = dict(_binary_cells(package.bytes(sheet), telling))
    return found


def _telling(styles: list[int], codes: Mapping[int, str]) -> dict[int, str]:
    """Number of a cell's style -> its format, of formats that show more than digits."""
    named = ((at, codes.get(number, "")) for at, number in enumerate(styles))
    return {style: code for style, code in named if code and as_shown(1.0, code) is not None}


def _records(stream: bytes, start: int) -> Iterator[_Record]:
    """Records from a place to the end of what begins there; those of what is embedded in it (charts) are left out, and
    so are those too short to be what they claim."""
    depth, at = 0, start
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        body = stream[at + 4 : at + 4 + length]
        at += 4 + length
        depth += (kind == _BEGIN) - (kind == _END)
        if depth < 1:
            return
        if depth == 1 and len(body) >= _SHORTEST.get(kind, 0):
            yield _Record(kind, body)


def _format_code(body: bytes, version: int) -> str:
    if version != _EXCEL_97:
        return body[3 : 3 + body[2]].decode("cp1252", "replace")
    count, wide = int.from_bytes(body[2:4], "little"), body[4] & 1
    return body[5 : 5 + count * (1 + wide)].decode("utf-16-le" if wide else "latin-1", "replace")


def _cells(stream: bytes, start: int, telling: Mapping[int, str]) -> Iterator[tuple[Cell, str]]:
    for kind, body in _records(stream, start):
        if kind in _NUMBERS:
            row, column, style = struct.unpack_from("<HHH", body)
            if style in telling:
                yield (row, column), telling[style]
        elif kind == _ROW_OF_NUMBERS:
            row, column = struct.unpack_from("<HH", body)
            for at in range((len(body) - 6) // 6):
                style = int.from_bytes(body[4 + 6 * at : 6 + 6 * at], "little")
                if style in telling:
                    yield (row, column + at), telling[style]


def _binary_styles(part: bytes) -> dict[int, str]:
    codes, styles, inside = dict(BUILT_IN), list[int](), False
    for kind, body in _binary_records(part):
        if kind in {_BINARY_STYLES_BEGIN, _BINARY_STYLES_END}:
            inside = kind == _BINARY_STYLES_BEGIN
        elif kind == _BINARY_FORMAT:
            codes[int.from_bytes(body[:2], "little")] = _wide_string(body, 2)[0]
        elif kind == _BINARY_STYLE and inside:
            styles.append(int.from_bytes(body[2:4], "little"))
    return _telling(styles, codes)


def _binary_cells(part: bytes, telling: Mapping[int, str]) -> Iterator[tuple[Cell, str]]:
    row = 0
    for kind, body in _binary_records(part):
        if kind == _BINARY_ROW:
            row = int.from_bytes(body[:4], "little")
        elif kind in _BINARY_NUMBERS and (style := int.from_bytes(body[4:7], "little")) in telling:
            yield (row, int.from_bytes(body[:4], "little")), telling[style]


def _binary_records(part: bytes) -> Iterator[_Record]:
    at = 0
    while at < len(part):
        kind, at = _number(part, at, 2)
        length, at = _number(part, at, 4)
        yield _Record(kind, part[at : at + length])
        at += length


def _number(part: bytes, at: int, longest: int) -> tuple[int, int]:
    """A number in groups of seven bits, lowest first, and where it ends."""
    value = 0
    for count, byte in enumerate(part[at : at + longest]):
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return value, at + count + 1
    return value, at + longest


def _wide_string(body: bytes, at: int) -> tuple[str, int]:
    """A text after its length, and where it ends."""
    count = int.from_bytes(body[at : at + 4], "little")
    end = at + 4 + 2 * (count if count != _NO_TEXT else 0)
    return body[at + 4 : end].decode("utf-16-le", "replace"), end
