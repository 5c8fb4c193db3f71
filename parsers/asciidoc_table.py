"""Tables of AsciiDoc: cells that start at `|`, with their spans, until the row is full; rows of CSV, TSV and DSV."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kprep.core.errors import TooLarge
from parsers.asciidoc_inline import inline
from parsers.merged_cells import Span, spread
from parsers.records import plain_rows

_SPEC = r"(?:(?:(\d+)\*|(\d+)?(?:\.(\d+))?\+)?[<^>]?(?:\.[<^>])?[adehlmsv]?)"
_FORMAT = re.compile(r"format=[\"']?(psv|csv|tsv|dsv)|%(csv)")
_SEPARATOR = re.compile(r"separator=(?:\"([^\"]+)\"|([^,\]]+))")
_HEADER = re.compile(r"(?<!no)header")
_FORMATS = {",": "csv", ":": "dsv"}
_SEPARATORS = {"csv": ",", "tsv": "\t", "dsv": ":"}
_WIDEST = 500
MAX_REPEATED = 200_000
"""Cells of one table that its source does not write out, but repeats or merges."""

Rows = tuple[tuple[str, ...], ...]


def table_rows(lines: Sequence[str], attributes: str, sign: str = "|") -> tuple[Rows, int]:
    """Rows of equal length and how many are header. `attributes`: what stands in brackets above the table; `sign`: what
    its fence begins with.

    Raises: TooLarge, before a repeated cell is written out."""
    said, named = _FORMAT.search(attributes), _SEPARATOR.search(attributes)
    form = (said.group(1) or said.group(2)) if said else _FORMATS.get(sign, "psv")
    separator = (named.group(1) or named.group(2)).replace("\\t", "\t") if named else _SEPARATORS.get(form, sign)
    header = bool(_HEADER.search(attributes)) or (_blank_after_first(lines) and "noheader" not in attributes)
    if form != "psv":
        rows = [[inline(cell)[0] for cell in row] for row in _written(lines, form, separator)]
        return _squared(rows), int(header and len(rows) > 1)
    cells = _cells(lines, separator)
    repeated = sum(times * columns - 1 for _, times, columns, _, _ in cells)
    if repeated > MAX_REPEATED:
        raise TooLarge(f"a table repeats {repeated} cells, at most {MAX_REPEATED} are read: split it", cells=repeated)
    width = _columns(attributes) or _first_row(lines, separator)
    rows, spans, styles = _placed(cells, min(max(width, 1), _WIDEST))
    header = header or (bool(styles) and all(style == "h" for style in styles[: max(width, 1)]))
    header_rows = int(header and sum(map(any, rows)) > 1)
    return spread(rows, spans, header_rows), header_rows


def _written(lines: Sequence[str], form: str, separator: str) -> list[list[str]]:
    """Rows of which each is a line, or goes over several in quotes; a separator behind a backslash is a letter."""
    if form != "dsv" and len(separator) == 1:
        return plain_rows(lines, separator)
    escaped = re.compile(rf"(?<!\\){re.escape(separator)}")
    filled = [line for line in lines if line.strip()]
    return [[cell.strip().replace(f"\\{separator}", separator) for cell in escaped.split(line)] for line in filled]


def _cells(lines: Sequence[str], separator: str) -> list[tuple[str, int, int, int, str]]:
    """(text, times, columns, rows, style) of each cell in order; words before the first separator are a cell."""
    sign = re.escape(separator)
    marked, any_mark = re.compile(rf"(?:(?<=\s)|^){_SPEC}(?<!\\){sign}"), re.compile(rf"(?<!\\){sign}")
    found: list[tuple[str, int, int, int, str]] = []

    def go_on(text: str) -> None:
        if text and found:
            found[-1] = (f"{found[-1][0]}\n{text}".strip(), *found[-1][1:])
        elif text:
            found.append((text, 1, 1, 1, ""))

    for line in lines:
        specs = {match.end(): match for match in marked.finditer(line)}
        marks = [(specs.get(bar.end()), bar) for bar in any_mark.finditer(line)]
        begins = [*((spec or bar).start() for spec, bar in marks), len(line)]
        go_on(inline(line[: begins[0]].strip())[0])
        for (spec, bar), stop in zip(marks, begins[1:], strict=True):
            text = inline(line[bar.end() : stop].strip().replace(f"\\{separator}", separator))[0]
            times, columns, rows = (min(int(spec.group(g) or 1), _WIDEST) if spec else 1 for g in (1, 2, 3))
            found.append((text, times, columns, rows, spec.group()[: -len(separator)][-1:] if spec else ""))
    return found


def _columns(attributes: str) -> int:
    """Number of columns that `cols=` names, 0 without."""
    match = re.search(r"cols=(?:\"([^\"]*)\"|(\d+\*?|[^\s,\]]+))", attributes)
    if not match:
        return 0
    said = (match.group(1) or match.group(2) or "").replace(";", ",")
    total = 0
    for part in said.split(","):
        times = re.match(r"\s*(\d+)\*", part)
        total += int(times.group(1)) if times else 1
    return total


def _first_row(lines: Sequence[str], separator: str) -> int:
    first = next((line for line in lines if line.strip()), "")
    return sum(columns * times for _, times, columns, _, _ in _cells([first], separator)) or 1


def _blank_after_first(lines: Sequence[str]) -> bool:
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return len(filled) > 1 and filled[0] == 0 and filled[1] > 1


def _placed(
    cells: Sequence[tuple[str, int, int, int, str]], width: int
) -> tuple[list[list[str]], list[Span], list[str]]:
    """Rows of `width` columns, a merged cell in its first place; the merged cells; the styles of all in order."""
    rows: list[list[str]] = [[]]
    spans: list[Span] = []
    taken: dict[tuple[int, int], bool] = {}
    styles: list[str] = []
    for text, times, columns, tall, style in cells:
        for _ in range(times):
            _skip_taken(rows, taken, width)
            if tall > 1 or columns > 1:
                spans.append((len(rows) - 1, len(rows[-1]), tall, columns))
            for offset in range(columns):
                at = len(rows[-1])
                rows[-1].append(text if offset == 0 else "")
                taken.update({(len(rows) - 1 + below, at): True for below in range(1, tall)})
            styles.append(style)
    return rows, spans, styles


def _skip_taken(rows: list[list[str]], taken: dict[tuple[int, int], bool], width: int) -> None:
    """Go to the next free place, over cells that a cell above covers."""
    while True:
        if len(rows[-1]) >= width:
            rows.append([])
        if not taken.pop((len(rows) - 1, len(rows[-1])), False):
            return
        rows[-1].append("")


def _squared(rows: Sequence[Sequence[str]]) -> Rows:
    width = max(map(len, rows), default=0)
    return tuple((*row, *[""] * (width - len(row))) for row in rows)
