"""`.env` files without their secrets: names, comments and harmless values stay, every other value is withheld.

This happens to the bytes, before anything is read of them, hashed or kept: what comes after knows no other original.
"""

from __future__ import annotations

import re

from parsers.decoding import decode
from parsers.media_type import HEAD_BYTES, detect
from parsers.structured_type import is_dotenv_name

MARK = "<redacted>"
"""In place of a value, and of a user with a password in an address. Redaction takes it for a placeholder."""

_MEDIA_TYPE = "text/x-dotenv"
_SETTING = re.compile(
    r"(?P<before>[ \t]*(?:#[ \t]*)?(?:export[ \t]+)?)(?P<name>[\w.-]{1,80})(?P<sign>[ \t]*[=:][ \t]*)"
)
_COMMENT_SETTING = re.compile(r"[ \t]*#[ \t]*(?:export[ \t]+)?[A-Za-z_][\w.-]*=\S")
_AFTER = re.compile(r"[ \t]*(?:#.*)?$")
_SECRET_NAME = re.compile(
    r"(?i)pass|pwd|secret|token|key|auth|cred|salt|private|cert|signature|dsn|webhook|seed|session|cookie|jwt|"
    r"(?:^|[_.-])pin(?:$|[_.-])|kennwort|clave|senha"
)
_SWITCH = re.compile(r"(?i)true|false|yes|no|on|off|none|null|\$\{?\w+\}?|<[\w .-]+>|")
_DURATION = re.compile(r"\d{1,6}(?:ms|s|m|h|d|days?|hours?|minutes?|seconds?)?")
_TIMES = re.compile(r"(?i)(?:ttl|timeout|expir\w*|lifetime|length|size|count|max|min|days|hours|minutes|seconds|ms)\Z")
_USER = re.compile(r"(?<=://)[^\s]*@")
_SIGNS = re.compile(r"[\s_.,:;/\\@*%+\[\]\"'-]+")
_WORD = re.compile(r"[^\W\d_]{1,24}")
_HUMP = re.compile("[a-zß-ÿ][A-ZÀ-Þ]")
_SHORT = 6
"""Characters of a part that mixes letters and digits and is no secret: `utf8`, `10MB`, `s3`, `eu2`."""
_NUMBER = 7
"""Digits of a part that is only a number."""


def without_secrets(name: str, content: bytes) -> bytes:
    """The bytes to work with in place of a file's: of a `.env`, with `MARK` for what may be a secret; of any other, the
    same. Lines keep their numbers. A file in which nothing is withheld is the same bytes."""
    if not is_dotenv_name(name) or detect(name, content[:HEAD_BYTES]) != _MEDIA_TYPE:
        return content
    text = decode(content).text
    lines = re.split(r"(\r\n|\r|\n)", text)
    kept = "".join(_lines(lines))
    return content if kept == text else kept.encode("utf-8", "surrogatepass")


def _lines(parts: list[str]) -> list[str]:
    """The lines with what is withheld left out; `parts`: lines and their ends by turns."""
    out: list[str] = []
    at = 0
    while at < len(parts):
        line = parts[at]
        last = at
        setting = _SETTING.match(line)
        if not line.strip() or (line.lstrip().startswith("#") and not _COMMENT_SETTING.match(line)):
            out.append(line)
        elif setting is None:
            out.append(line if _is_plain(line) else MARK)
        else:
            value = line[setting.end() :]
            last = _last(parts, at, value)
            shown = _shown(setting["name"], value) if last == at else MARK
            out.append(setting[0] + shown if _is_plain(setting["name"]) else MARK)
        out += [end if number % 2 else "" for number, end in enumerate(parts[at + 1 : last + 2], at + 1)]
        at = last + 2
    return out


def _last(parts: list[str], at: int, value: str) -> int:
    """Index of the line that ends a value: of one in quotes, that with the closing one, where there is one."""
    quote = value[:1]
    if quote not in {'"', "'", "`"} or re.search(rf"(?<!\\){quote}", value[1:]):
        return at
    return next((n for n in range(at + 2, len(parts), 2) if re.search(rf"(?<!\\){quote}", parts[n])), at)


def _shown(name: str, value: str) -> str:
    """What is shown of a value: itself, itself without a user and password, or the mark; a comment after it stays."""
    body, after = _parted(value)
    bare = body.strip().strip("\"'`")
    if _SWITCH.fullmatch(bare) or (_TIMES.search(name) and _DURATION.fullmatch(bare)):
        return value
    if not _SECRET_NAME.search(name) and _is_plain(_USER.sub("", bare)):
        return _USER.sub(f"{MARK}@", body) + after
    return MARK + after


def _parted(value: str) -> tuple[str, str]:
    """A value and the comment after it with the space between."""
    if value[:1] in {'"', "'", "`"}:
        close = value.find(value[0], 1)
        if close > 0 and _AFTER.match(value, close + 1):
            return value[: close + 1], value[close + 1 :]
        return value, ""
    found = re.search(r"\s+#(?:\s.*)?$", value)
    return (value[: found.start()], value[found.start() :]) if found else (value, "")


def _is_plain(text: str) -> bool:
    """Whether a text is of words, short numbers, hosts, paths and the like: nothing in it looks made up."""
    return all(_is_plain_part(part) for part in _SIGNS.split(text) if part)


def _is_plain_part(part: str) -> bool:
    if part.isdecimal():
        return len(part) <= _NUMBER
    if _WORD.fullmatch(part):
        return len(part) >= 5 * len(_HUMP.findall(part))
    return part.isalnum() and len(part) <= _SHORT
