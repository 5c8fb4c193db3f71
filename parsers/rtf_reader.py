"""Rich Text Format read token by token: paragraphs with their style, cells, notes, and what stands in which font."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kprep.core.errors import Recursive
from parsers.typeset import Line

_TOKEN = re.compile(
    r"\\([a-z]{1,32})(-?\d{1,9})? ?|\\'([0-9a-fA-F]{2})|\\([^a-z])|([{}])|([\r\n]+)|([^\\{}\r\n]+)", re.DOTALL
)
_MAX_DEPTH = 1000
_MAX_TABLES = 50
_HEADERS = frozenset("header headerl headerr headerf".split())
_FOOTERS = frozenset("footer footerl footerr footerf".split())
_SKIPPED = frozenset(
    "fonttbl colortbl filetbl pict objdata objclass objname nonshppict themedata colorschememapping datastore "
    "nonesttables latentstyles listtable listoverridetable rsidtbl generator xmlnstbl sp falt panose bkmkstart "
    "bkmkend fldtype "
    "operator category keywords comment doccomm subject company manager hlinkbase atnid atntime atndate "
    "atnref atnparent picprop blipuid private formfield ffname passwordhash protusertbl xe tc".split()
)
_KNOWN_STARRED = frozenset("shpinst fldinst annotation atnauthor listtext pntext shptxt footnote ud".split())
_SIGNS = {
    "emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022", "lquote": "\u2018", "rquote": "\u2019",
    "ldblquote": "\u201c", "rdblquote": "\u201d", "tab": "\t", "line": "\n", "emspace": " ", "enspace": " ",
    "qmspace": " ",
}  # fmt: skip
_HEIGHTS = {"super": 1, "sub": -1, "nosupersub": 0, "up": 1, "dn": -1}
_LOOKS = frozenset(("v", "deleted", "plain", *_HEIGHTS))
_SYMBOLS = {"~": "\u00a0", "_": "-", "\n": "\n", "\\": "\\", "{": "{", "}": "}"}
_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250",
}  # fmt: skip


@dataclass(slots=True)
class Paragraph:
    """`style`: number of its style; `outline`: level from 0 where it says one; `level`: depth in a list from 0.
    `depth`: of the table it stands in, from 1; 0 outside. `links`: (words, target). `notes`: texts of footnotes.
    `comments`: (who, text) of those about it."""

    text: str = ""
    hidden: str = ""
    style: int = 0
    outline: int | None = None
    level: int = 0
    marker: str = ""
    depth: int = 0
    links: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    comments: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of a table row; `header`: it repeats on every page. `inner`: tables inside its cells, and `hanging`: notes,
    comments and hidden words of these, in order."""

    cells: tuple[str, ...]
    header: bool
    inner: tuple[tuple[Row, ...], ...] = ()
    hanging: tuple[Paragraph, ...] = ()


@dataclass(slots=True)
class _Table:
    """What has been read of a table: whole rows (of an inner one; those of an outer one are in the flow), and of the
    row after them its cells, the lines of the last one, its tables and what hangs on it."""

    rows: list[Row] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    inner: list[tuple[Row, ...]] = field(default_factory=list)
    hanging: list[Paragraph] = field(default_factory=list)
    header: bool = False

    def end_cell(self) -> None:
        self.cells.append("\n".join(line.strip() for line in self.lines if line.strip()))
        self.lines = []

    def end_row(self) -> None:
        if any(self.lines):
            self.end_cell()
        if self.cells or self.inner or self.hanging:
            self.rows.append(Row(tuple(self.cells), self.header, tuple(self.inner), tuple(self.hanging)))
        self.cells, self.inner, self.hanging = [], [], []


@dataclass(slots=True)
class _Group:
    """What holds inside a pair of braces. `place`: where text goes ("" = nowhere)."""

    place: str = "body"
    hidden: bool = False
    deleted: bool = False
    inner_row: bool = False
    """It says how a row of an inner table is set."""
    height: int = 0
    """1 where words stand above the line, -1 below it."""
    fallback: int = 1
    encoding: str = "cp1252"
    starred: bool = False
    outer: str = ""
    """Where the text of a destination with a reading in Unicode (`upr`) goes: only that reading is said."""
    link: tuple[str, int] | None = None
    """Target of the link this group shows, and where its words begin in the paragraph."""


class RtfReader:
    """Reads a whole file; then `flow` holds paragraphs and rows in order, the rest what the file says of itself."""

    def __init__(self, content: bytes, uri: str) -> None:
        self.flow: list[Paragraph | Row] = []
        self.styles: dict[int, str] = {}
        self.furniture: list[tuple[str, str]] = []
        self.info: dict[str, str] = {}
        self.pictures = self.objects = 0
        self._commenter = ""
        self._uri = uri
        self._source = content.decode("latin-1")
        self._groups = [_Group()]
        self._codepage = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._bytes = bytearray()
        self._skip = 0
        self._now = Paragraph()
        self._line = Line()
        self._tables = [_Table()]
        """Open ones, the outermost first."""
        self._side: dict[str, Line] = {}
        self._read()

    def _read(self) -> None:
        at = 0
        while match := _TOKEN.match(self._source, at):
            at = match.end()
            word, number, code, symbol, brace, _, text = match.groups()
            if word == "bin":
                at += int(number or 0)
            elif word:
                self._word(word, int(number) if number else None)
            elif code:
                self._say_byte(int(code, 16))
            elif symbol:
                self._symbol(symbol)
            elif brace == "{":
                self._flush_bytes()
                if len(self._groups) >= _MAX_DEPTH:
                    raise Recursive(f"{self._uri}: groups nested too deep", uri=self._uri)
                self._groups.append(replace(self._groups[-1], starred=False))
            elif brace == "}":
                self._close()
            elif text:
                self._say_text(text)
        self._end_paragraph()
        self._end_row(1)

    @property
    def _group(self) -> _Group:
        return self._groups[-1]

    def _close(self) -> None:
        self._flush_bytes()
        done = self._groups.pop() if len(self._groups) > 1 else self._group
        self._skip = 0
        if done.place != self._group.place and done.place not in {"", "body", "inst"}:
            self._end_side(done.place)
        if done.link and done.link != self._group.link:
            target, start = done.link
            self._now.links.append((self._line.text[start:].strip(), target))

    def _end_side(self, place: str) -> None:
        """A destination beside the text is complete."""
        text = self._side.pop(place, Line()).spelled().strip()
        if place in {"title", "author"}:
            self.info[place] = text
        elif place in {"header", "footer"} and text and (place, text) not in self.furniture:
            self.furniture.append((place, text))
        elif place == "footnote" and text:
            self._now.notes.append(text)
        elif place == "atnauthor":
            self._commenter = text
        elif place == "annotation" and text:
            self._now.comments.append((self._commenter, text))
        elif place == "marker":
            self._now.marker = text
        elif place == "styles":
            self._styles_of(text)

    def _styles_of(self, text: str) -> None:
        for number, name in re.findall(r"\x00(\d+)\x01([^;\x00]*);", text):
            self.styles[int(number)] = name.strip().lower()

    def _word(self, word: str, number: int | None) -> None:
        self._flush_bytes()
        group = self._group
        if word == "u":
            self._say_unicode(number or 0)
        elif word in _SIGNS:
            self._say(_SIGNS[word])
        elif word in {"par", "sect", "page"}:
            self._end_paragraph() if group.place == "body" else self._say("\n")
        elif word in {"cell", "nestcell"}:
            self._end_cell(1 if word == "cell" else max(self._now.depth, 2))
        elif word in {"row", "nestrow"}:
            self._end_row(1 if word == "row" else max(len(self._tables), 2))
        elif word in _LOOKS:
            self._look(word, is_on=number != 0)
        elif word == "uc":
            group.fallback = min(max(number or 0, 0), 16)
        elif word == "f":
            self._font = number or 0
            group.encoding = self._fonts.get(self._font, self._codepage)
        elif word == "fcharset":
            self._fonts[self._font] = _CHARSETS.get(number or 0, self._codepage)
        elif word == "ansicpg":
            self._codepage = group.encoding = _codec(number or 1252)
        else:
            self._paragraph_word(word, number)

    def _look(self, word: str, *, is_on: bool) -> None:
        group = self._group
        if word == "plain":
            group.hidden, group.deleted, group.height = False, False, 0
        elif word in _HEIGHTS:
            group.height = _HEIGHTS[word] * is_on
        else:
            setattr(group, "hidden" if word == "v" else "deleted", is_on)

    def _paragraph_word(self, word: str, number: int | None) -> None:
        now = self._now
        if word == "pard":
            now.style, now.outline, now.level, now.depth = 0, None, 0, 0
        elif word == "s" and self._group.place == "styles":
            self._say(f"\x00{number or 0}\x01")
        elif word == "s":
            now.style = number or 0
        elif word == "outlinelevel":
            now.outline = number
        elif word == "ilvl":
            now.level = min(max(number or 0, 0), 8)
        elif word == "intbl":
            now.depth = max(now.depth, 1)
        elif word == "itap":
            now.depth = min(max(number or 0, 0), _MAX_TABLES)
        elif word in {"trowd", "trhdr"}:
            self._table(len(self._tables) if self._group.inner_row else 1).header = word == "trhdr"
        else:
            self._destination(word)

    def _destination(self, word: str) -> None:
        group = self._group
        if word == "pict" and group.place:
            self.pictures += 1
        if word == "objdata":
            self.objects += 1
        known: dict[str, Callable[[], str]] = {
            **dict.fromkeys(_HEADERS, lambda: "header"),
            **dict.fromkeys(_FOOTERS, lambda: "footer"),
            **dict.fromkeys(("listtext", "pntext"), lambda: "marker"),
            **dict.fromkeys(("title", "author"), lambda: word),
            "footnote": lambda: "footnote", "stylesheet": lambda: "styles", "fldinst": lambda: "inst",
            "info": lambda: "", "annotation": lambda: word, "atnauthor": lambda: word,
        }  # fmt: skip
        if word == "nesttableprops":
            group.inner_row = True
        if word in _SKIPPED or (group.starred and word not in _KNOWN_STARRED):
            group.place = ""
        elif word == "upr":
            group.outer, group.place = group.place, ""
        elif word == "ud":
            group.place = group.outer
        elif word in known and (group.place or word in {"title", "author"}):
            group.place, group.height = known[word](), 0
            if group.place == "inst":
                self._side["inst"] = Line()
        elif word == "fldrslt" and group.place == "body":
            found = re.search(r"HYPERLINK\s+(?:\\l\s+)?\"?([^\"\s]+)", self._side.pop("inst", Line()).text)
            group.link = (found.group(1), len(self._line)) if found else None
        group.starred = False

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._group.starred = True
            return
        self._flush_bytes()
        if symbol in "\r\n" and self._group.place == "body":
            self._end_paragraph()
        else:
            self._say(_SYMBOLS.get(symbol, ""))

    def _say_byte(self, value: int) -> None:
        if self._skip:
            self._skip -= 1
        else:
            self._bytes.append(value)

    def _say_unicode(self, number: int) -> None:
        self._say(chr(number % 65536))
        self._skip = self._group.fallback

    def _say_text(self, text: str) -> None:
        skipped = min(self._skip, len(text))
        self._skip -= skipped
        text = text[skipped:]
        if self._bytes:  # the second half of a double-byte letter may be plain
            self._bytes.extend(text.encode("latin-1"))
            self._flush_bytes()
        elif text.isascii():
            self._say(text)
        else:
            self._bytes.extend(text.encode("latin-1"))
            self._flush_bytes()

    def _flush_bytes(self) -> None:
        if self._bytes:
            text = bytes(self._bytes).decode(self._group.encoding, "replace")
            self._bytes.clear()
            self._say(text)

    def _say(self, text: str) -> None:
        group = self._group
        if not text or not group.place or group.deleted:
            return
        if group.place != "body":
            self._side.setdefault(group.place, Line()).say(text, group.height)
        elif group.hidden:
            self._now.hidden += text
        else:
            self._line.say(text, group.height)

    def _end_paragraph(self) -> None:
        now = self._now
        self._now = Paragraph(style=now.style, outline=now.outline, level=now.level, depth=now.depth)
        now.text, self._line = self._line.spelled(), Line()
        now.text, now.hidden = (_joined_surrogates(text) for text in (now.text, now.hidden))
        if now.depth:
            if now.text.strip():
                self._close_inner(now.depth)
            table = self._table(now.depth)
            table.lines.append(now.text)
            table.hanging += [replace(now, text="")] if now.hidden or now.notes or now.comments else []
        elif now.text.strip() or now.hidden.strip() or now.notes or now.comments:
            self.flow.append(now)

    def _table(self, depth: int) -> _Table:
        """The open table of a depth, those around it opened too."""
        while len(self._tables) < depth:
            self._tables.append(_Table())
        return self._tables[depth - 1]

    def _end_cell(self, depth: int) -> None:
        self._now.depth = depth
        self._end_paragraph()
        self._close_inner(depth)
        self._table(depth).end_cell()

    def _end_row(self, depth: int) -> None:
        self._close_inner(depth)
        table = self._table(depth)
        table.end_row()
        if depth == 1:
            self.flow += table.rows
            table.rows = []

    def _close_inner(self, depth: int) -> None:
        """Tables deeper than a depth are complete: each belongs to the row around it."""
        while len(self._tables) > depth:
            done = self._tables.pop()
            done.end_row()
            self._tables[-1].inner += [tuple(done.rows)] if done.rows else []


def _joined_surrogates(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _codec(number: int) -> str:
    import codecs

    name = {10000: "mac_roman", 936: "gb18030", 65001: "utf-8"}.get(number, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
