"""What a file is: its bytes say it, its name only breaks ties among formats that look alike."""

from __future__ import annotations

import io
import re
import zipfile

from parsers.decoding import UNSURE, decode
from parsers.structured_type import refine

UNKNOWN = "application/octet-stream"
HEAD_BYTES = 1 << 20
"""Bytes of a file's beginning by which its media type is told."""

_OFFICE = "application/vnd.openxmlformats-officedocument."
DOCX = _OFFICE + "wordprocessingml.document"
XLSX = _OFFICE + "spreadsheetml.sheet"
PPTX = _OFFICE + "presentationml.presentation"
_ZIP = "application/zip"
_OLE = "application/x-ole-storage"

_TEXT_SUFFIXES = {
    "txt": "text/plain",
    "text": "text/plain",
    "log": "text/plain",
    "md": "text/markdown",
    "markdown": "text/markdown",
    "mdx": "text/markdown",
    "html": "text/html",
    "htm": "text/html",
    "xhtml": "text/html",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "ndjson": "application/jsonl",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "toml": "application/toml",
    "ini": "text/x-ini",
    "cfg": "text/x-ini",
    "env": "text/x-dotenv",
    "properties": "text/x-java-properties",
    "graphql": "application/graphql",
    "graphqls": "application/graphql",
    "gql": "application/graphql",
    "ddl": "application/sql",
    "xml": "application/xml",
    "nxml": "application/xml",
    "dbk": "application/xml",
    "xbrl": "application/xml",
    "svg": "image/svg+xml",
    "ipynb": "application/x-ipynb+json",
    "boxnote": "application/json",
    "eml": "message/rfc822",
    "mbox": "application/mbox",
    "vtt": "text/vtt",
    "srt": "application/x-subrip",
    "rst": "text/x-rst",
    "adoc": "text/asciidoc",
    "asciidoc": "text/asciidoc",
    "asc": "text/asciidoc",
    "rest": "text/x-rst",
    "org": "text/x-org",
    "tex": "text/x-tex",
    "rtf": "application/rtf",
    "sql": "application/sql",
    "py": "text/x-python",
    "js": "text/javascript",
    "ts": "text/x-typescript",
    "tsx": "text/x-tsx",
    "mts": "text/x-typescript",
    "cts": "text/x-typescript",
    "pyi": "text/x-python",
    "mjs": "text/javascript",
    "cjs": "text/javascript",
    "hh": "text/x-c++",
    "cxx": "text/x-c++",
    "hxx": "text/x-c++",
    "zsh": "text/x-shellscript",
    "jsx": "text/javascript",
    "java": "text/x-java",
    "go": "text/x-go",
    "rs": "text/x-rust",
    "c": "text/x-c",
    "h": "text/x-c",
    "cpp": "text/x-c++",
    "hpp": "text/x-c++",
    "cc": "text/x-c++",
    "cs": "text/x-csharp",
    "rb": "text/x-ruby",
    "php": "text/x-php",
    "sh": "text/x-shellscript",
    "bash": "text/x-shellscript",
    "css": "text/css",
}
_BINARY_SUFFIXES = {
    "pdf": "application/pdf",
    "docx": DOCX,
    "docm": "application/vnd.ms-word.document.macroenabled.12",
    "xlsx": XLSX,
    "pptx": PPTX,
    "ppsx": _OFFICE + "presentationml.slideshow",
    "potx": _OFFICE + "presentationml.template",
    "pptm": "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    "xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
    "xlsb": "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    "epub": "application/epub+zip",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "zip": _ZIP,
    "doc": "application/msword",
    "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "msg": "application/vnd.ms-outlook",
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "m4a": "audio/mp4",
    "flac": "audio/flac",
    "ogg": "audio/ogg",
    "mp4": "video/mp4",
    "mkv": "video/x-matroska",
    "webm": "video/webm",
    "oga": "audio/ogg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
    "mov": "video/quicktime",
    "avi": "video/x-msvideo",
    "gz": "application/gzip",
}
_SUFFIXES = _TEXT_SUFFIXES | _BINARY_SUFFIXES
_ZIPPED_SUFFIXES = {"docx", "docm", "xlsx", "xlsm", "xlsb", "pptx", "pptm", "ppsx", "potx"}
"""Of Office files that are zip archives, and OLE files around one where they are encrypted."""
_OLE_SUFFIXES = {"doc", "xls", "ppt", "msg"}
_OLE_STREAMS = (
    ("WordDocument", "application/msword"),
    ("Workbook", "application/vnd.ms-excel"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
)
_ENCRYPTED_OFFICE = "EncryptedPackage".encode("utf-16-le")

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"\xff\xf1", "audio/aac"),
    (b"\x1aE\xdf\xa3", "video/x-matroska"),
    (b"\x1f\x8b", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!", "application/vnd.rar"),
    (b"\x7fELF", UNKNOWN),
    (b"MZ\x90\x00", UNKNOWN),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"{\\rtf", "application/rtf"),
)
_RIFF = {b"AVI ": "video/x-msvideo", b"WAVE": "audio/wav", b"WEBP": "image/webp"}
_MEMBERS = (
    ("word/", DOCX),
    ("xl/", XLSX),
    ("ppt/", PPTX),
    ("META-INF/container.xml", "application/epub+zip"),
)
_LOCAL_NAME = re.compile(rb"PK\x03\x04.{22}(..)..", re.DOTALL)
_HTML = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_MAIL = re.compile(
    r"(?:From \S+ [^\n]*\n)?(?:(?:Return-Path|Received|Delivered-To|Date|From|To|Subject|Message-ID|"
    r"MIME-Version|X-[\w-]+):"
    r"[^\n]*\n(?:[ \t][^\n]*\n)*){3}",
    re.IGNORECASE,
)
"""Three header lines of a mail, where the name says nothing else; mail programs name mailboxes `Inbox`."""
_SNIFFED = 65536
_TOLD_APART = 200_000


def media_type_of_name(name: str) -> str:
    """Media type by suffix alone, "application/octet-stream" for a suffix this room does not know."""
    return _SUFFIXES.get(_suffix(name), UNKNOWN)


def detect(name: str, head: bytes) -> str:
    """Media type of a file from its first bytes (the more the better; 64 KiB tell nearly all), then its name.

    Content wins: a PNG named `.pdf` is "image/png"; text named `.pdf` is "text/plain". Among text formats, which look
    alike, the suffix decides, but what starts as an HTML page is one. Unknown binary: "application/octet-stream".
    """
    if not head:
        return media_type_of_name(name)
    binary = _by_magic(name, head)
    if binary:
        return binary
    if not _is_text(head[:_SNIFFED], named=_suffix(name) in _TEXT_SUFFIXES):
        return UNKNOWN
    by_suffix = refine(_TEXT_SUFFIXES.get(_suffix(name), "text/plain"), name, decode(head[:_TOLD_APART]).text)
    if by_suffix != "text/plain":
        return by_suffix
    start = decode(head[:4096]).text
    if _HTML.match(start):
        return "text/html"
    if _suffix(name) not in _TEXT_SUFFIXES and _MAIL.match(start):
        return "application/mbox" if start.startswith("From ") else "message/rfc822"
    return "application/xml" if start.lstrip("\ufeff \t\r\n").startswith("<?xml") else "text/plain"


def _suffix(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def _by_magic(name: str, head: bytes) -> str:
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _zip_kind(name, head)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _ole_kind(name, head)
    if head.startswith(b"RIFF"):
        return _RIFF.get(head[8:12], UNKNOWN)
    if head[4:8] == b"ftyp":
        return {b"M4A": "audio/mp4", b"qt ": "video/quicktime"}.get(head[8:11], "video/mp4")
    found = next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")
    # A PDF may begin with some other bytes; a text may speak of how one begins.
    begins = head.startswith(b"%PDF-") or (b"%PDF-" in head[:1024] and _suffix(name) not in _TEXT_SUFFIXES)
    return found or ("application/pdf" if begins else "")


def _ole_kind(name: str, head: bytes) -> str:
    """Old Office files by suffix; a modern one inside an OLE file is an encrypted one, and its parser says so."""
    suffix = _suffix(name)
    if _ENCRYPTED_OFFICE in head:
        return _BINARY_SUFFIXES[suffix] if suffix in _ZIPPED_SUFFIXES else _OLE
    if suffix in _OLE_SUFFIXES:
        return _BINARY_SUFFIXES[suffix]
    return next((kind for stream, kind in _OLE_STREAMS if stream.encode("utf-16-le") in head), _OLE)


def _zip_kind(name: str, head: bytes) -> str:
    names = _member_names(head)
    if names and names[0] == "mimetype":
        start = head.find(b"mimetype") + len("mimetype")
        declared = re.match(rb"application/[\w.+-]+?(?=PK|[^\w.+-]|$)", head[start : start + 100])
        if declared:
            return declared.group().decode("ascii")
    for prefix, kind in _MEMBERS:
        if any(member.startswith(prefix) for member in names):
            return kind
    by_name = _BINARY_SUFFIXES.get(_suffix(name), "")
    damaged = not zipfile.is_zipfile(io.BytesIO(head))
    is_office = by_name.startswith(_OFFICE) and (damaged or "[Content_Types].xml" in names)
    return by_name if is_office else _ZIP


def _member_names(head: bytes) -> list[str]:
    """Names in the archive's directory, or, when only its beginning is here, in the local headers."""
    try:
        with zipfile.ZipFile(io.BytesIO(head)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        names = []
        for match in _LOCAL_NAME.finditer(head):
            length = int.from_bytes(match.group(1), "little")
            names.append(head[match.end() : match.end() + length].decode("utf-8", "replace"))
        return names


def _is_text(head: bytes, *, named: bool) -> bool:
    """Decoded text holds hardly any control character; a stray NUL in a long text is a flaw, not a format. What is
    `named` as text and only of unknown encoding is text: its parser says so."""
    decoded = decode(head[: len(head) - len(head) % 4] if len(head) == _SNIFFED else head)
    text = decoded.text
    controls = sum(letter < " " and letter not in "\t\n\r\f\x1b\x08" for letter in text)
    broken = 0 if named and decoded.encoding == UNSURE else text[:-1].count("\ufffd")
    return controls + broken <= max(min(2, len(text) // 5), len(text) // 50)
