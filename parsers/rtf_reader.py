"""Rich Text Format read token by token: paragraphs with their style, cells, notes, and what stands in which font."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kprep.core.errors import Recursive

_TOKEN = re.compile(
    r"\\([a-z]{1,32})(-?\d{1,9})? ?|\\'([0-9a-fA-F]{2})|\\([^a-z])|([{}])|([\r\n]+)|([^\\{}\r\n]+)", re.DOTALL
)
_MAX_DEPTH = 1000
_HEADERS = frozenset("header headerl headerr headerf".split())
_FOOTERS = frozenset("footer footerl footerr footerf".split())
_SKIPPED = frozenset(
    "fonttbl colortbl filetbl pict objdata objclass objname nonshppict themedata colorschememapping datastore "
    "latentstyles listtable listoverridetable rsidtbl generator xmlnstbl sp falt panose bkmkstart bkmkend fldtype "
    "operator category keywords comment doccomm subject company manager hlinkbase atnid atntime atndate "
    "atnref atnparent picprop blipuid private formfield ffname passwordhash protusertbl xe tc".split()
)
_KNOWN_STARRED = frozenset("shpinst fldinst annotation atnauthor listtext pntext shptxt footnote ud".split())
_SIGNS = {
    "emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022", "lquote": "\u2018", "rquote": "\u2019",
    "ldblquote": "\u201c", "rdblquote": "\u201d", "tab": "\t", "line": "\n", "emspace": " ", "enspace": " ",
    "qmspace": " ",
}  # fmt: skip
_SYMBOLS = {"~": "\u00a0", "_": "-", "\n": "\n", "\\": "\\", "{": "{", "}": "}"}
_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250",
}  # fmt: skip


@dataclass(slots=True)
class Paragraph:
    """`style`: number of its style; `outline`: level from 0 where it says one; `level`: depth in a list from 0.
    `cell`: it stands in a table. `links`: (words, target). `notes`: texts of footnotes.
    `comments`: (who, text) of those about it."""

    text: str = ""
    hidden: str = ""
    style: int = 0
    outline: int | None = None
    level: int = 0
    marker: str = ""
    cell: bool = False
    links: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    comments: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of a table row; `header`: it repeats on every page."""

    cells: tuple[str, ...]
    header: bool


@dataclass(slots=True)
class _Group:
    """What holds inside a pair of braces. `place`: where text goes ("" = nowhere)."""

    place: str = "body"
    hidden: bool = False
    deleted: bool = False
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
        self._cells: list[str] = []
        self._cell_lines: list[str] = []
        self._header_row = False
        self._side: dict[str, list[str]] = {}
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
            self._now.links.append((self._now.text[start:].strip(), target))

    def _end_side(self, place: str) -> None:
        """A destination beside the text is complete."""
        text = "".join(self._side.pop(place, [])).strip()
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
            self._end_cell()
        elif word in {"row", "nestrow"}:
            self._end_row()
        elif word in {"v", "deleted"}:
            setattr(group, "hidden" if word == "v" else "deleted", number != 0)
        elif word == "plain":
            group.hidden = group.deleted = False
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

    def _paragraph_word(self, word: str, number: int | None) -> None:
        now = self._now
        if word == "pard":
            now.style, now.outline, now.level, now.cell = 0, None, 0, False
        elif word == "s" and self._group.place == "styles":
            self._say(f"\x00{number or 0}\x01")
        elif word == "s":
            now.style = number or 0
        elif word == "outlinelevel":
            now.outline = number
        elif word == "ilvl":
            now.level = min(max(number or 0, 0), 8)
        elif word == "intbl":
            now.cell = True
        elif word == "trowd":
            self._header_row = False
        elif word == "trhdr":
            self._header_row = True
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
        if word in _SKIPPED or (group.starred and word not in _KNOWN_STARRED):
            group.place = ""
        elif word == "upr":
            group.outer, group.place = group.place, ""
        elif word == "ud":
            group.place = group.outer
        elif word in known and (group.place or word in {"title", "author"}):
            group.place = known[word]()
            if group.place == "inst":
                self._side["inst"] = []
        elif word == "fldrslt" and group.place == "body":
            found = re.search(r"HYPERLINK\s+(?:\\l\s+)?\"?([^\"\s]+)", "".join(self._side.pop("inst", [])))
            group.link = (found.group(1), len(self._now.text)) if found else None
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
            self._side.setdefault(group.place, []).append(text)
        elif group.hidden:
            self._now.hidden += text
        else:
            self._now.text += text

    def _end_paragraph(self) -> None:
        now = self._now
        self._now = Paragraph(style=now.style, outline=now.outline, level=now.level, cell=now.cell)
        now.text, now.hidden = (_joined_surrogates(text) for text in (now.text, now.hidden))
        if now.cell:
            self._cell_lines.append(now.text)
            self.flow.extend([replace(now, text="", cell=False)] if now.hidden or now.notes or now.comments else [])
        elif now.text.strip() or now.hidden.strip() or now.notes or now.comments:
            self.flow.append(now)

    def _end_cell(self) -> None:
        self._now.cell = True
        self._end_paragraph()
        self._cells.append("\n".join(line.strip() for line in self._cell_lines if line.strip()))
        self._cell_lines = []

    def _end_row(self) -> None:
        if self._cells:
            self.flow.append(Row(tuple(self._cells), self._header_row))
        self._cells = []


def _joined_surrogates(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _codec(number: int) -> str:
    import codecs

    name = {10000: "mac_roman", 936: "gb18030", 65001: "utf-8"}.get(number, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
