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
_COMMENT_SETTING = re.compile(
    r"[ \t]*#[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_][\w.-]*)[ \t]*(?:=[ \t]*\S|:[ \t]*\S+$)"
)
_AFTER = re.compile(r"[ \t]*(?:#.*)?$")
_NAME_SIGNS = re.compile(r"[\W\d_]+|(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])")
_SECRET_PART = re.compile(
    r"pass|pwd|pw$|secret|token|key|auth|cred|salt|pepper|private|cert|signature|signing|dsn|webhook|seed|session|cookie|"
    r"jwt|bearer|licen[cs]e|mnemonic|kennwort|contrase|clave|senha|wachtwoord|parol"
)
_SECRET_WORD = frozenset("pin pins puk psk pat otp totp mdp sid sess sign hmac pem pfx jks phrase sas".split())
_SECRET_WORDS = re.compile(
    r"(?:access|activation|admin|backup|door|entry|invite|login|recovery|security|unlock)_?codes?|serial(?:_?(?:number|key))?$|"
    r"activation|snmp_community|security_answer"
)
"""Words that say so together: a country has a code, too."""
_HARMLESS_WORD = re.compile(
    r"author(?:s|ed|ity|ities|ing|ship)?|passenger\w*|passiv\w*|passages?|passthrough|(?:en)?compass\w*|bypass\w*|"
    r"(?:over|under|sur|tres)pass\w*|tokeni[sz]\w*|key(?:boards?|words?|spaces?|cloak|notes?|frames?|strokes?)|monkeys?|"
    r"donkeys?|turkey|hockey|jockeys?|whiskey|hotkeys?|secretar\w*|certif(?:y|ied)|concerts?|\w*credit\w*|sacred|"
    r"licen[cs]ed|licen[cs]ees?|parole"
)
_LICENCE = re.compile(
    r"(?i)MIT|ISC|[AL]?GPL[-v\d.+a-z]*|Apache[- ]2\.0|BSD(?:-\d-Clause)?|MPL-2\.0|CC0?(?:-[A-Z\d.]+)*"
)
_WORKING_FOLDER = re.compile(r"(?i)(?:old)?pwd\Z")
_FOLDER = re.compile(r"(?:[A-Za-z]:)?[/\\~$.]")
_FILE = re.compile(r"(?:file|path|dir|directory|folder)\Z")
_FILE_VALUE = re.compile(r".*[/\\].*|[\w-]+(?:\.[\w-]+)+")
_ABOUT = re.compile(
    r"(?:type|alg|algo|algorithm|method|mode|driver|provider|samesite|header|host|hostname|port|domain|version)\Z"
)
"""What a name ends with that is not the secret but how, where or by what it is used."""
_INSIDE = re.compile(
    r"(?:^|[\s,;\"'`\[])"
    r"(?:(?P<option>--?[\w-]+)[\s=]|(?P<name>[\w-]+)[ \t]*[:=]|(?P<dotted>[\w.-]+)[ \t]*[:=](?!\d))[ \t]*\S"
)
_HEADER = re.compile(r"(?i)\b(?:bearer|basic)\s+\S")
_SWITCH = re.compile(r"(?i)true|false|yes|no|on|off|none|null|\$\{?\w+\}?|<[\w .-]+>|")
_DURATION = re.compile(r"\d{1,6}(?:ms|s|m|h|d|days?|hours?|minutes?|seconds?)?")
_TIMES = re.compile(
    r"(?:session|token|cookie|auth|key|password)?(?:ttl|timeout|lifetime|length|size|count)|expir\w*|len|limit|days|hours|"
    r"minutes|seconds|ms"
)
_USER = re.compile(r"(?<=://)[^\s]*@|(?<![^\s\"'`,;])(?:<redacted>|[^\s:/@]+:(?!//)[^\s@]+)@")
_SIGNS = re.compile(r"[\s_.,:;/\\@*%+~\[\]\"'-]+")
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
        if not line.strip() or (line.lstrip().startswith("#") and not _is_setting(line)):
            out.append(line)
        elif setting is None:
            out.append(line if is_plain(line) and not is_secret(line) else MARK)
        else:
            value = line[setting.end() :]
            last = _last(parts, at, value)
            shown = _shown(setting["name"], value) if last == at else MARK
            out.append(setting[0] + shown if is_plain(setting["name"]) else MARK)
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
    if _is_setting(after):
        after = "".join(_lines([after.lstrip()]))
        after = value[len(body) : len(value) - len(value[len(body) :].lstrip())] + after
    bare = body.strip().strip("\"'`")
    if is_harmless(name, bare):
        return body + after
    if (not is_secret(name) or is_about(name, bare)) and is_plain(_USER.sub("", bare)) and not _holds_secret(bare):
        return _USER.sub(f"{MARK}@", body) + after
    return MARK + after


def is_harmless(name: str, value: str) -> bool:
    """Whether a value is a switch, a placeholder, or a number where the name asks for one."""
    return _SWITCH.fullmatch(value) is not None or (_is_number(name) and _DURATION.fullmatch(value) is not None)


def words_of(name: str) -> list[str]:
    """The words of a name, in small letters: `dbPassword_2` is `db` and `password`."""
    return [word.lower() for word in _NAME_SIGNS.split(name) if word]


def is_secret(name: str) -> bool:
    """Whether a name says that its value opens something, by its words: `DB_PW`, `apiKey`, but not `AUTHOR`."""
    words = words_of(name)
    return _SECRET_WORDS.search("_".join(words)) is not None or any(
        word in _SECRET_WORD or (_SECRET_PART.search(word) and not _HARMLESS_WORD.fullmatch(word)) for word in words
    )


def _is_number(name: str) -> bool:
    """Whether a name says how long, how often or how much."""
    words = words_of(name)
    return bool(words) and (_TIMES.fullmatch(words[-1]) is not None or not {"max", "min"}.isdisjoint(words))


def is_about(name: str, value: str) -> bool:
    """Whether a value under the name of a secret is none: where its file is, how it is made, the shell's folder."""
    words = words_of(name)
    if _WORKING_FOLDER.match(name):
        return _FOLDER.match(value) is not None
    if _FILE.match(words[-1]):
        return _FILE_VALUE.fullmatch(value) is not None
    if any(word.startswith(("license", "licence")) for word in words) and _LICENCE.fullmatch(value):
        return True
    return len(words) > 1 and _ABOUT.match(words[-1]) is not None


def _holds_secret(value: str) -> bool:
    """Whether a value holds a setting or an option whose name says so, or what follows in a header."""
    named = (found["option"] or found["name"] or found["dotted"] for found in _INSIDE.finditer(value))
    return _HEADER.search(value) is not None or any(is_secret(name) for name in named)


def _is_setting(comment: str) -> bool:
    """Whether a comment is a setting that is switched off; one with a colon only where its name is that of a secret."""
    found = _COMMENT_SETTING.match(comment)
    return found is not None and ("=" in found[0] or is_secret(found["name"]))


def _parted(value: str) -> tuple[str, str]:
    """A value and the comment after it with the space between."""
    if value[:1] in {'"', "'", "`"}:
        close = value.find(value[0], 1)
        if close > 0 and _AFTER.match(value, close + 1):
            return value[: close + 1], value[close + 1 :]
        return value, ""
    found = re.search(r"\s+#(?:\s.*)?$", value)
    return (value[: found.start()], value[found.start() :]) if found else (value, "")


def is_plain(text: str) -> bool:
    """Whether a text is of words, short numbers, hosts, paths and the like: nothing in it looks made up."""
    return all(_is_plain_part(part) for part in _SIGNS.split(text) if part)


def _is_plain_part(part: str) -> bool:
    if part.isdecimal():
        return len(part) <= _NUMBER
    if _WORD.fullmatch(part):
        return len(part) >= 5 * len(_HUMP.findall(part))
    return part.isalnum() and len(part) <= _SHORT
