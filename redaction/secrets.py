"""All secrets of a text: tokens of a known form, and values given to secret-like names."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator

from redaction.secret_tokens import long_words, tokens
from redaction.secret_values import is_certain_password, is_password, is_placeholder
from redaction.secret_vendors import vendor_secrets
from redaction.secret_words import is_worded_pair, worded
from redaction.secret_wraps import wrapped_tokens
from redaction.spans import UNSPACED, Span, folded, places, token_end

_KEYWORD = (
    r"pass(?:word|wd|code|phrase)|(?<![a-z])pass|pwd|secret|token|api[_\- ]?key|"
    r"(?:access|auth|private|encryption|signing|account|master|storage|service|shared|subscription|functions?|"
    r"license|app|secret|consumer)[_\- ]?key|[_-]pat(?![a-z])|"
    r"credentials?|kennwort|passwort|mot de passe|contraseña|senha|wachtwoord|hasło|пароль|密码|密碼|口令|密钥|密鑰|"
    r"パスワード|비밀번호|암호|รหัสผ่าน"
)
_NAME_END = re.compile(rf"(?i)(?:{_KEYWORD})[\]\"'`*_]*\s*\Z")
_ASSIGNMENT = re.compile(
    rf"(?i)(?P<name>(?:{_KEYWORD}))(?P<more>[_.-]?\d{{0,2}})(?:\\?[\"'`*\]]){{0,3}}"
    r"(?P<sign>\s{0,3}\0?\s{0,3}(?::=|=>|==?|:{1,2}|：|\b(?:ist?|lautet|est?|é)\b:?|[是为為は은는]:?|</?[a-z]+>)\s{0,4}\0?\s{0,3}[“‘「『«]?|"
    r"(?<=\w)\s+(?=[\"'])|>\s*|\s*,\s*(?=[\"'])|\s+[\"']?value[\"']?\s*[:=]\s*|"
    rf"\s{{0,2}}[:=]?\s{{0,2}}[{UNSPACED}]{{1,12}}[:=]?\s{{0,2}}|[ \t])"
    rf"(?:(?P<quote>\\?[\"'`])(?P<quoted>[^\"'`\n\0]{{4,200}}?)(?P=quote)|(?P<bare>[^\s\0\"'`<>,{UNSPACED}][^\s\0\"'`<>,]{{3,199}}))"
)
_IDENTIFIED = re.compile(
    r"(?i)identified\s+(?:with\s+\w+\s+)?by\s+(?:password\s+)?[\"'](?P<bare>[^\"'\n\0]{6,200})[\"']"
)
_OPTION = re.compile(
    r"(?i)-(?:password|passwd|pass|pwd|token|api-?key|secret(?:-key)?|access-key)[= ][\"']?(?P<bare>[^\s\"'<>\0]{6,})"
)
# "The password for the pump is ...", "le mot de passe du réseau est ...": words between the name and the value.
_SAID_STEMS = ("passwor", "passcode", "passphrase", "kennwort", "mot de passe", "contraseña", "senha", "wachtwoord")
_SAID = re.compile(
    r"(?i)(?:password|passwort|passcode|passphrase|kennwort|mot de passe|contraseña|senha|wachtwoord)"
    r"(?:[ \n][^\s\0.,;:!?]{1,20}){1,6}?(?:\s(?:is|ist|lautet|est|es|é|è):?|:)"
    r"\s{1,2}[\"'`“‘]?(?P<bare>[^\s\0\"'`<>]{8,200})"
)
# What a name can start with, looked for before any expression is tried.
_STEMS = (
    "mot de passe",
    *re.findall(
        r"\S+",
        "pass pwd secret token api access auth private encryption signing account master storage service shared "
        "license app consumer _pat -pat subscription function credential kennwort contraseña senha "
        "wachtwoord hasło пароль 密码 密碼 口令 密钥 密鑰 パスワード 비밀번호 암호 รหัสผ่าน",
    ),
)
# Tokens that page through results or guard a form, and keys of rows.
_NO_CREDENTIAL = re.compile(r"(?i)(?:next|page|prev|sync|continuation|cursor|resume|csrf|delta|start)[_-]?\Z")
_FILE = re.compile(r"/(?:etc|bin|sbin|pam\.d|\.vnc)/\Z")  # `/etc/passwd` is a file of Unix, `/usr/bin/passwd` a command
_IN_QUERY = re.compile(r"[?&][\w-]{0,24}\Z")  # part of a URL: `secret_tokens` decides
_CLUSTER_VALUE = re.compile(r"^[ \t]+[\w.-]+:[ \t]*[\"']?(?P<value>[A-Za-z0-9+/]{8,}={0,2})[\"']?[ \t]*$", re.MULTILINE)
_MANIFEST = 2_000
"""Characters that a manifest may hold between its kind and a value."""
_OPTIONS = ("-pass", "-pwd", "-token", "-api", "-secret", "-access")
_LINE_REST = re.compile(rf"[ \t]*(?:$|[\0;#,)}}\]\"'`|&<]|//|--)|[{UNSPACED}]", re.MULTILINE)
# A verb, or words of a script without spaces, but not one of the signs that only say "is".
_IN_SENTENCE = re.compile(rf"(?i)\b(?:ist?|est?|é)\b|(?![是为為は은는]:?\s*\Z)[{UNSPACED}]")
_ONE_WORD = re.compile(rf"([^\s{UNSPACED}（]+)(?:（[^（）]*）)?")
_QUOTES = " \t\n\0“”‘’「『«»"
_CLOSING = ".,;:!?)]}>'\"`|&"
_INTEGRITY = re.compile(r"(?i)(?:sha\d{3}[-:]|md5[-:])")


def find_secrets(text: str) -> list[Span]:
    """Spans of secrets in `text`; kinds such as AWS_KEY, PRIVATE_KEY, PASSWORD. Look-alikes are left out."""
    words = long_words(text)
    found = [*tokens(text, words), *vendor_secrets(text, words), *wrapped_tokens(text, words)]
    return [*found, *_assigned(text), *_in_commands(text), *worded(text)]


def is_secret_pair(name: str, value: str) -> bool:
    """Whether `value`, standing beside or under `name` in a table, is a secret of that name."""
    if len(name) > 60 or len(value) > 300 or not _NAME_END.search(name.strip(" :*`")):
        return False
    if _FILE.search(name, 0, max(name.rfind("passwd"), 0)):
        return False
    value = value.strip().strip("`\"'")
    if is_worded_pair(name, value):
        return True
    word = _ONE_WORD.fullmatch(value)
    return word is not None and not _INTEGRITY.match(value) and is_password(word[1])


def _assigned(text: str) -> Iterator[Span]:
    lower = folded(text)
    for place in places(lower, _STEMS):
        match = _ASSIGNMENT.match(text, place)
        if match is None or _NO_CREDENTIAL.search(text, max(0, place - 16), place):
            continue
        if _IN_QUERY.search(text, max(0, place - 26), place) or _FILE.search(text, max(0, place - 8), place):
            continue
        group = "quoted" if match["quoted"] is not None else "bare"
        end = match.end(group) if group == "quoted" else token_end(text, *match.span(group))
        value = text[match.start(group) : end]
        if group == "bare":
            value = value.rstrip(_CLOSING)
        if _INTEGRITY.match(value) or is_placeholder(match[group]) or not is_password(value):
            continue
        if group == "quoted" and re.search(r"\s", value):
            continue
        if match["sign"].strip() == ">" and not text.startswith("</", match.end()):
            continue  # "<password>@localhost" is a placeholder, "<password>x</password>" is not
        if group == "quoted" or _stands_alone(text, match["sign"], end) or is_certain_password(value):
            yield Span("PASSWORD", match.start(group), match.start(group) + len(value), 0.9)


def _in_commands(text: str) -> Iterator[Span]:
    lower = folded(text)
    for place in places(lower, ("identified",)):
        match = _IDENTIFIED.match(text, place)
        if match and is_password(match["bare"]):
            yield Span("PASSWORD", match.start("bare"), match.end("bare"), 0.9)
    for place in places(lower, _SAID_STEMS):
        if match := _SAID.match(text, place):
            value = match["bare"].rstrip(_CLOSING)
            if is_certain_password(value) and not _INTEGRITY.match(value):
                yield Span("PASSWORD", match.start("bare"), match.start("bare") + len(value), 0.8)
    for place in places(lower, ("kind: secret",)):
        yield from _of_cluster(text, place)
    for place in places(lower, _OPTIONS):
        if match := _OPTION.match(text, place):
            start, end = match.start("bare"), token_end(text, *match.span("bare"))
            if is_password(text[start:end]) and not _INTEGRITY.match(match["bare"]):
                yield Span("PASSWORD", start, end, 0.9)


def _of_cluster(text: str, place: int) -> Iterator[Span]:
    """Values of a Kubernetes Secret, in base64, whose kind is said at `place`, before or after its data."""
    around = max(0, place - _MANIFEST), min(len(text), place + _MANIFEST)
    for match in _CLUSTER_VALUE.finditer(text, *around):
        try:
            value = b64decode(match["value"], validate=True).decode()
        except ValueError:
            continue
        manifest = text[min(place, match.start()) : max(place, match.end())]
        if "\n---" not in manifest and "\0" not in manifest and not re.search(r"\s", value) and is_password(value):
            yield Span("PASSWORD", *match.span("value"), 0.9)


def _stands_alone(text: str, sign: str, end: int) -> bool:
    """Whether the value that ends at `end` is all that is said: after a tight "=", or nothing but a comment follows."""
    said = sign.strip(_QUOTES)
    if not said or _IN_SENTENCE.search(said):
        return False
    return sign in {"=", ":="} or _LINE_REST.match(text, end) is not None
