"""Files of settings without their secrets, before anything is read of them, hashed or kept.

Of a `.env` every value that is not harmless is withheld (`dotenv`). Of other configuration (YAML, JSON, TOML, INI,
properties) it is the value whose name says that it is a secret, what a Kubernetes Secret holds, and the password of a
user in an address. A secret that stands elsewhere, and a private key, still refuse the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kprep.core.errors import PrepError
from parsers import dotenv
from parsers.decoding import UNSURE, decode
from parsers.dotenv import MARK, is_about, is_harmless, is_plain, is_secret, words_of
from parsers.ini_config import settings_of
from parsers.media_type import HEAD_BYTES, detect, media_type_of_name
from parsers.source_text import SourceText
from parsers.tree import Node

_TREES = frozenset(("application/yaml", "application/json"))
_LINES = frozenset(("application/toml", "text/x-ini", "text/x-java-properties"))
_MAY_HOLD = re.compile(
    r"(?i)pass|pwd|pw\b|secret|token|key|auth|cred|private|cert|dsn|session|cookie|kennwort|contrase|senha|wachtwoord|"
    r"parol|://[^\s/@]+@"
)
_STRONG = re.compile(
    r"pass(?:w(?:or)?[dt]|phrase|code)?s?|\w*passwor[dt]s?|pwd|pw|secrets?|credentials?|kennwort|senha|wachtwoord"
)
"""Words of a name that nothing but a secret has."""
_STRONG_PAIR = re.compile(
    r"(?:api|access|account|app|auth|client|consumer|encryption|master|private|service|shared|signing|storage|secret)"
    r"_?(?:key|token|secret)s?"
)
_NO_VALUE = re.compile(
    r"(?:names?|refs?|env|var(?:iable)?|fields?|labels?|hints?|polic(?:y|ies)|rules?|ur[il]s?|endpoint|description|prompt|"
    r"title|required|enabled|disabled|manager|store|stores|provider|class|prefix|suffix|format|pattern|columns?)\Z"
)
"""What a name ends with that tells about a secret."""
_HOLDS = frozenset("value default current content text example".split())
"""Keys under the name of a secret below which the secret itself stands."""
_NOT_SAID = re.compile(
    r"\{\{.*\}\}|\$\{?[\w.:-]*\}?.*|%\(?\w+\)?[s%]?|\*+|x+|\.\.\.|string|str|text|password|secret|required|optional"
)
_NAMED = re.compile(
    r"(?<![\w-])-{0,2}(?P<name>[A-Za-z][\w.-]{1,60})[ \t]?=[ \t]?(?P<quote>\\?[\"']?)(?P<value>[^\s;,\"'&\\]+)"
)
_USER = re.compile(r"(?<=://)(?P<user>[^\s/@:\"'<>]*):(?P<value>[^\s/@\"']+)(?=@)")
_COMMENT = re.compile(r"(?m)^[ \t]*(?:[#;!]|//)+[ \t]*(?P<name>[\w.-]+)[ \t]*[:=][ \t]*(?P<value>\S+)[ \t]*$")
_PROPERTIES = re.compile(r"(?:[&!]\S+\s+)+")
_NUMBER = re.compile(r"-?\d[\d.eE+-]*")
_KEY_BLOCK = "-----BEGIN"


def without_secrets(name: str, content: bytes) -> bytes:
    """The bytes to work with in place of a file's: with `MARK` for what is withheld, on the same lines. A file in which
    nothing is withheld is the same bytes."""
    if media_type_of_name(name) not in _TREES | _LINES:
        return dotenv.without_secrets(name, content)
    media_type = detect(name, content[:HEAD_BYTES])
    decoded = decode(content)
    text = decoded.text
    if media_type not in _TREES | _LINES or decoded.encoding == UNSURE or not _MAY_HOLD.search(text):
        return content
    spans = {*(_in_tree(text) if media_type in _TREES else _in_lines(text)), *_in_comments(text)}
    kept = _marked(text, sorted(spans), in_quotes=media_type == "application/json")
    return content if kept == text else kept.encode("utf-8", "surrogatepass")


def _marked(text: str, spans: list[tuple[int, int]], *, in_quotes: bool) -> str:
    """The text with the mark in place of the spans; the lines below keep their numbers. `in_quotes`: also in place of a
    number, which has none."""
    parts: list[str] = []
    at = 0
    for start, end in spans:
        if start >= at:
            is_number = in_quotes and _NUMBER.fullmatch(text, start, end) and text[start - 1] in ": \t\n[,"
            mark = f'"{MARK}"' if is_number else MARK
            parts += [text[at:start], mark, "\n" * text.count("\n", start, end)]
            at = end
    return "".join((*parts, text[at:]))


def _in_lines(text: str) -> Iterator[tuple[int, int]]:
    for setting in settings_of(SourceText(text)):
        written = text[setting.start : setting.end]
        start = setting.start + written.find(setting.value.split("\n")[0], len(setting.path[-1]))
        above = setting.path[-2] if len(setting.path) > 1 else ""
        yield from _of_value(text, start, setting.end, setting.path[-1], above)


def _in_tree(text: str) -> Iterator[tuple[int, int]]:
    from parsers.tree_text import load_parts

    try:
        roots, _ = load_parts(text, "the file")
    except PrepError:
        return  # its parser says what is wrong
    for root in roots:
        yield from _below(text, root, "", "")


def _below(text: str, node: Node, name: str, above: str) -> Iterator[tuple[int, int]]:
    """Spans of the values below a node that stands under `name`, which stands under `above`."""
    if node.kind == "scalar":
        yield from _of_value(text, node.start, node.end, name, above)
    for item in node.items:
        yield from _below(text, item, name, above)
    is_manifest = node.text_of("kind") == "Secret" and node.get("apiVersion") is not None
    named = node.text_of("name") if node.get("value") is not None else ""
    for entry in node.entries:
        if is_manifest and entry.key in {"data", "stringData"}:
            yield from (
                span for _, leaf in entry.value.leaves() if leaf.text for span in _whole(text, leaf.start, leaf.end)
            )
        else:
            key = named if entry.key == "value" and named else entry.key
            yield from _below(text, entry.value, key, name)


def _of_value(text: str, start: int, end: int, name: str, above: str) -> Iterator[tuple[int, int]]:
    """Spans of a value that are withheld: all of it, or the secrets it names itself."""
    (start, end), written = _body(text, start, end)
    if text.startswith("*", start) or _KEY_BLOCK in written or not written.strip():
        return
    if _is_withheld(name, written) or (above and name in _HOLDS and _is_withheld(above, written)):
        yield start, end
        return
    for found in _NAMED.finditer(written):
        if _is_withheld(found["name"], found["value"]):
            yield start + found.start("value"), start + found.end("value")
    for found in _USER.finditer(written):
        if not _NOT_SAID.fullmatch(found["value"]) and found["value"][0] not in "<{$":
            yield start + found.start("value"), start + found.end("value")


def _whole(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    (start, end), written = _body(text, start, end)
    if not text.startswith("*", start) and _KEY_BLOCK not in written:
        yield start, end


def _body(text: str, start: int, end: int) -> tuple[tuple[int, int], str]:
    """The characters of a value without quotes, tags and the name it is given for aliases, and the words in them."""
    if found := _PROPERTIES.match(text, start, end):
        start = found.end()
    end = start + len(text[start:end].rstrip())
    for quote in ('"""', "'''", '"', "'"):
        if text.startswith(quote, start) and text.endswith(quote, start + len(quote), end):
            start, end = start + len(quote), end - len(quote)
            break
    written = text[start:end]
    return (start, end), re.sub(r"\A[|>][-+\d]*[ \t]*\n", "", written)


def _in_comments(text: str) -> Iterator[tuple[int, int]]:
    """Values of settings that are switched off."""
    for found in _COMMENT.finditer(text):
        value = found["value"].strip("\"'")
        if _is_withheld(found["name"], value) and not is_plain(value):
            yield found.span("value")


def _is_withheld(name: str, value: str) -> bool:
    """Whether a value is the secret that its name speaks of. Several plain words are a text about it."""
    bare = value.strip().strip("\"'")
    words = words_of(name)
    if not words or not is_secret(name) or is_harmless(name, bare) or is_about(name, bare):
        return False
    if _NO_VALUE.match(words[-1]) or _NOT_SAID.fullmatch(bare) or bare == MARK:
        return False
    is_strong = any(_STRONG.fullmatch(word) for word in words) or _STRONG_PAIR.search("_".join(words)) is not None
    return not is_plain(bare) or (is_strong and not re.search(r"\s", bare))
