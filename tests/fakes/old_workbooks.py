"""Small workbooks that are no XML, made by hand: XLS ([MS-XLS], or as Excel 5 had it) and XLSB ([MS-XLSB])."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence

from tests.fakes.outlook import compound_file

REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
Cells = Sequence[tuple[float, str]]


def xls(sheets: Mapping[str, Cells], *, excel_97: bool = True, chart: bool = False) -> bytes:
    """Each sheet a row of numbers, each in its format ("" is none). `chart`: the first sheet holds one, whose records
    are none of the sheet's."""
    codes = list(dict.fromkeys(code for cells in sheets.values() for _, code in cells))
    begin = _record(0x0809, struct.pack("<HHHH", 0x0600 if excel_97 else 0x0500, 5, 0, 0) + bytes(8 if excel_97 else 0))
    formats = b"".join(_format(164 + at, code, excel_97=excel_97) for at, code in enumerate(codes))
    styles = b"".join(_record(0x00E0, struct.pack("<HH", 0, 164 + at) + bytes(16)) for at in range(len(codes)))
    bodies = []
    for number, cells in enumerate(sheets.values()):
        inside = begin + _record(0x0203, struct.pack("<HHHd", 0, 0, 0, 9.0)) + _record(0x000A, b"")
        body = begin + (inside if chart and number == 0 else b"")
        bodies.append(body + _numbers(cells, codes) + _record(0x000A, b""))
    names = [_sheet_name(name, excel_97=excel_97) for name in sheets]
    start = len(begin + formats + styles) + sum(len(_record(0x0085, bytes(6) + name)) for name in names) + 4
    places = [start + sum(map(len, bodies[:at])) for at in range(len(bodies))]
    listed = [_record(0x0085, struct.pack("<IH", at, 0) + name) for at, name in zip(places, names, strict=True)]
    stream = b"".join([begin, formats, styles, *listed, _record(0x000A, b""), *bodies])
    return compound_file({"Workbook" if excel_97 else "Book": stream})


def _record(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def _format(number: int, code: str, *, excel_97: bool) -> bytes:
    if not excel_97:
        return _record(0x041E, struct.pack("<HB", number, len(code)) + code.encode("cp1252"))
    return _record(0x041E, struct.pack("<HHB", number, len(code), 1) + code.encode("utf-16-le"))


def _sheet_name(name: str, *, excel_97: bool) -> bytes:
    return bytes([len(name), 0]) + name.encode("latin-1") if excel_97 else bytes([len(name)]) + name.encode("cp1252")


def _numbers(cells: Cells, codes: Sequence[str]) -> bytes:
    """The first as it is, the second of a formula, the others packed, all of one row in one record."""
    style = [codes.index(code) for _, code in cells]
    out = _record(0x0203, struct.pack("<HHHd", 0, 0, style[0], cells[0][0]))
    if len(cells) > 1:
        out += _record(0x0006, struct.pack("<HHHdHIH", 0, 1, style[1], cells[1][0], 0, 0, 0))
    packed = b"".join(struct.pack("<HI", style[at], _packed(value)) for at, (value, _) in enumerate(cells) if at > 1)
    return out + (
        _record(0x00BD, struct.pack("<HH", 0, 2) + packed + struct.pack("<H", len(cells) - 1)) if packed else b""
    )


def _packed(value: float) -> int:
    """A number of at most 30 bits, or a hundredth of one."""
    packed = int(value) << 2 | 2 if value == int(value) else round(value * 100) << 2 | 3
    return packed & 0xFFFFFFFF


def xlsb(sheets: Mapping[str, Cells]) -> bytes:
    """Each sheet a row of numbers, each in its format."""
    codes = list(dict.fromkeys(code for cells in sheets.values() for _, code in cells))
    formats = b"".join(_binary(44, struct.pack("<H", 164 + at) + _wide(code)) for at, code in enumerate(codes))
    own = b"".join(_binary(47, struct.pack("<HH", 0, 164 + at) + bytes(12)) for at in range(len(codes)))
    count, single = struct.pack("<I", len(codes)), struct.pack("<I", 1)
    styles = b"".join(
        [
            *(_binary(278, b""), _binary(615, count), formats, _binary(616, b"")),
            *(_binary(626, single), _binary(47, bytes(16)), _binary(627, b"")),
            *(_binary(617, count), own, _binary(618, b""), _binary(279, b"")),
        ]
    )
    bundle = b"".join(
        _binary(156, struct.pack("<II", 0, at) + _wide(f"r{at}") + _wide(name)) for at, name in enumerate(sheets, 1)
    )
    links = [
        ("styles", "styles.bin"),
        *(("worksheet", f"worksheets/sheet{at}.bin") for at in range(1, len(sheets) + 1)),
    ]
    members: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Override PartName="/xl/workbook.bin" '
        'ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>',
        "_rels/.rels": _relations([("officeDocument", "xl/workbook.bin")]),
        "xl/_rels/workbook.bin.rels": _relations(links),
        "xl/workbook.bin": _binary(131, b"") + _binary(143, b"") + bundle + _binary(144, b"") + _binary(132, b""),
        "xl/styles.bin": styles,
    }
    for number, cells in enumerate(sheets.values(), 1):
        row = _binary(0, struct.pack("<I", 0) + bytes(21))
        values = b"".join(
            _binary(5, struct.pack("<II", at, codes.index(code)) + struct.pack("<d", value))
            for at, (value, code) in enumerate(cells)
        )
        size = _binary(148, struct.pack("<IIII", 0, 0, 0, len(cells) - 1))
        members[f"xl/worksheets/sheet{number}.bin"] = b"".join(
            [_binary(129, b""), size, _binary(145, b""), row, values, _binary(146, b""), _binary(130, b"")]
        )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def _relations(links: Sequence[tuple[str, str]]) -> str:
    rows = "".join(
        f'<Relationship Id="r{at}" Type="{REL}/{kind}" Target="{target}"/>' for at, (kind, target) in enumerate(links)
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{rows}</Relationships>'


def _binary(kind: int, body: bytes) -> bytes:
    head = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    length = len(body)
    return head + (bytes([length]) if length < 0x80 else bytes([length & 0x7F | 0x80, length >> 7])) + body


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")
