"""Are tables still tables: with their header, and each cell in its column?"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from quality.samples import MAX_CHARS, first, place, shown, vouched
from quality.spec import Candidate, CandidateChunk, CandidateDocument, CheckSpec, Finding, Passage

LEAST_ROWS = 3
"""Lines one after the other with as many separators that are rows of a table."""
KEPT = 0.5
"""Share of a live table's rows that must still stand somewhere for its header to be missed."""
OF_ONE_KIND = 0.7
"""Share of a column's cells of one kind from which the column is of that kind."""

_DATE = re.compile(
    r"\d{4}-\d\d?-\d\d?(?:[T ].*)?|\d\d?[./]\d\d?[./]\d{2,4}"
    r"|\d{1,2}:\d\d(?::\d\d)?|\d{1,2}\.? \w{3,9} \d{4}|\w{3,9} \d{1,2}, \d{4}"
)
_NUMBER = re.compile(
    r"[<>\u2264\u2265~+\u2212-]?\s?[\u20ac$\u00a3]?\s?\d[\d.,\u00a0']*(?:\s?[^\W\d_]{1,4}|\s?[%\u00b0\u20ac$\u00a3]\w?)?"
)
_IDENTIFIER = re.compile(r"(?=\S*\d)(?=\S*[^\W\d_])\S*|[A-Z]+(?:[_-][A-Z]+)+")
_SUBSTITUTIONS = re.compile(r"(?:\|[^|\s]+\|_?\s*)+")
"""`|name| |other|` of reStructuredText."""

Row = tuple[str, ...]


@dataclass(slots=True)
class Table:
    """A table by its header: its rows, and the chunk that has the first of them."""

    header: Row
    rows: list[Row] = field(default_factory=list)
    chunk: CandidateChunk | None = None


def table_header(candidate: Candidate) -> Sequence[Finding]:
    """Table chunks that go on from the table chunk before them without repeating its header."""
    tables = {(chunk.document_id, chunk.ordinal): chunk for chunk in candidate.chunks if chunk.kind == "table"}
    bare = [
        chunk
        for (document, ordinal), chunk in tables.items()
        if (before := tables.get((document, ordinal - 1))) is not None and _goes_on_bare(before, chunk)
    ]
    message = f"{len(bare)} of {len(tables)} table chunks lack the header of the table they go on from"
    if bare:
        message += ": their cells cannot be told apart; report the document"
    share = len(bare) / len(tables) if tables else 0.0
    samples = first(shown(candidate, chunk) for chunk in bare)
    return [Finding("table_header", "warning", not bare, share, 0.0, message, samples)]


def _goes_on_bare(before: CandidateChunk, chunk: CandidateChunk) -> bool:
    """True when a table has the columns of the one before, under the same heading, and begins with a row of data."""
    header, start = before.text.split("\n")[0], chunk.text.split("\n")[0]
    same_columns = header.count("|") == start.count("|") > 0
    return (
        same_columns
        and before.heading_path == chunk.heading_path
        and header != start
        and not re.search(r"\d", header)
        and bool(re.search(r"\d", start))
    )


def tables_lost(candidate: Candidate) -> Sequence[Finding]:
    """New text that is rows of a table without being one, and tables without the header of their live version."""
    lost = [
        shown(candidate, chunk, f"{rows} lines are rows of a table, which is none")
        for chunk in candidate.chunks
        if chunk.is_new and chunk.kind in ("text", "list") and (rows := _rows_in_text(chunk.text))
    ]
    told = {row["document_uri"] for row in lost}
    for document, now, live in _changed(candidate):
        if document.uri not in told:
            lost += [_told(candidate, table, "its header is gone") for table in _beheaded(now, live)]
    message = f"{len(lost)} tables are no table any more or lost their header"
    if lost:
        message += ": correct the table in its source; a separator or header row may be missing"
    return [Finding("tables_lost", "warning", not lost, float(len(lost)), 0.0, message, first(lost))]


def _rows_in_text(text: str) -> int:
    """Lines of a text that are rows of a table: some, one after the other, with as many pipes or tabs."""
    found = 0
    for (pipes, tabs), lines in groupby(text.split("\n"), lambda line: (line.count("|"), line.strip().count("\t"))):
        count = sum(not _SUBSTITUTIONS.fullmatch(line.strip()) for line in lines)
        if count >= LEAST_ROWS and (pipes >= 2 or tabs >= 1):
            found += count
    return found


def _beheaded(now: Sequence[CandidateChunk], live: Sequence[Passage]) -> list[CandidateChunk]:
    """Table chunks that begin with a row of a live table whose header stands nowhere any more."""
    lines = {_cells(line) for chunk in now for line in chunk.text.split("\n")}
    starts = {
        table.header: table.chunk
        for chunk in now
        if chunk.kind == "table"
        for table in _tables([chunk])
        if table.chunk is not None
    }
    found = []
    for table in _live_tables(live):
        rows = set(table.rows)
        if table.header in lines or len(rows & lines) < max(1.0, KEPT * len(rows)):
            continue
        found += [chunk for header, chunk in starts.items() if header in rows]
    return found


def columns_shifted(candidate: Candidate) -> Sequence[Finding]:
    """Tables with the header of their live version whose cells stand in other columns than there."""
    shifted = [
        _told(candidate, table.chunk, reason)
        for _, now, live in _changed(candidate)
        for before in [{table.header: table for table in _live_tables(live)}]
        for table in _joined(_tables(chunk for chunk in now if chunk.kind == "table"))
        if table.header in before and table.chunk and (reason := _shifted(before[table.header].rows, table.rows))
    ]
    message = f"{len(shifted)} tables have cells in other columns than in their live version"
    if shifted:
        message += ": look whether the columns were shifted; `kprep release diff` shows the rows"
    return [Finding("columns_shifted", "warning", not shifted, float(len(shifted)), 0.0, message, first(shifted))]


def _shifted(live: Sequence[Row], now: Sequence[Row]) -> str:
    """How the cells of a table stand in other columns, "" where they do not: rows with the same cells in another order,
    or at least two columns of another kind."""
    known = set(live)
    by_cells: dict[Row, set[Row]] = defaultdict(set)
    for row in live:
        by_cells[tuple(sorted(row))].add(row)
    moved = [row for row in set(now) - known if by_cells.get(tuple(sorted(row)))]
    if len(moved) >= 2 or (moved and len(moved) == len(set(now))):
        return f"{len(moved)} rows have their cells in another order"
    if min(len(live), len(now)) < LEAST_ROWS:
        return ""
    kinds = list(zip(_kinds(live), _kinds(now), strict=False))
    other = [number for number, (was, is_) in enumerate(kinds, start=1) if was and is_ and was != is_]
    return f"columns {', '.join(map(str, other))} hold another kind of values" if len(other) >= 2 else ""


def _kinds(rows: Sequence[Row]) -> list[str]:
    """What each column holds: "date", "number", "identifier", "words", or "" for of everything."""
    found = []
    for column in zip(*rows, strict=False):
        kinds = Counter(_kind(cell) for cell in column if cell)
        kind, count = kinds.most_common(1)[0] if kinds else ("", 0)
        found.append(kind if count >= OF_ONE_KIND * kinds.total() and count >= LEAST_ROWS else "")
    return found


def _kind(cell: str) -> str:
    for name, pattern in (("date", _DATE), ("number", _NUMBER), ("identifier", _IDENTIFIER)):
        if pattern.fullmatch(cell):
            return name
    return "words"


def _changed(
    candidate: Candidate,
) -> Iterator[tuple[CandidateDocument, list[CandidateChunk], Sequence[Passage]]]:
    """Documents with something new in them and a live version: their chunks now, and their text there."""
    held = candidate.by_document()
    for document in candidate.documents:
        own = held.get(document.document_id, [])
        if document.live and any(chunk.is_new and "|" in chunk.text for chunk in own):
            yield document, own, candidate.live_text(document.document_id)


def _cells(line: str) -> Row:
    """Cells of a row, written as a table chunk has them or as Markdown."""
    return tuple(" ".join(cell.split()) for cell in line.strip().removeprefix("|").removesuffix("|").split("|"))


def _tables(chunks: Any) -> Iterator[Table]:
    for chunk in chunks:
        rows = _table_rows(chunk.text)
        if rows:
            yield Table(rows[0], rows[1:], chunk)


def _live_tables(live: Sequence[Passage]) -> list[Table]:
    """Tables among passages of which the kind is not known: several rows and nothing after them."""
    return _joined(Table(rows[0], rows[1:]) for _, text in live if len(rows := _table_rows(text)) >= 2)


def _joined(tables: Any) -> list[Table]:
    """One table for each header: a long one stands in many chunks."""
    found: dict[Row, Table] = {}
    for table in tables:
        known = found.setdefault(table.header, Table(table.header, [], table.chunk))
        known.rows += table.rows
    return list(found.values())


def _table_rows(text: str) -> list[Row]:
    """Rows at the end of a text, all with as many cells; what introduces them stands before an empty line."""
    lines = text.rpartition("\n\n")[2].split("\n")
    rows = [_cells(line) for line in lines]
    return rows if len(rows[0]) >= 2 and all(len(row) == len(rows[0]) for row in rows) else []


def _told(candidate: Candidate, chunk: CandidateChunk, reason: str) -> dict[str, Any]:
    """Where a table begins, with its first row."""
    line = chunk.text.rpartition("\n\n")[2].split("\n")[0]
    return place(chunk, reason) | ({"text": line[:MAX_CHARS]} if vouched(candidate, chunk.text) else {})


CHECKS = (
    CheckSpec("table_header", table_header),
    CheckSpec("tables_lost", tables_lost),
    CheckSpec("columns_shifted", columns_shifted),
)
