"""Tokens of further services by their prefix, and credentials as command lines and configuration files hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from redaction.secret_values import is_default_password, is_password, is_placeholder
from redaction.spans import Excerpts, Span, token_end

_W = r"[A-Za-z0-9_-]"
_BODIES = {"*": r"[A-Za-z0-9]", "w": _W, "h": "[0-9a-f]", "U": "[A-Z0-9]"}
# Prefix, kind of its characters, least and most of them: from the vendors' pages on tokens and secret scanning.
_PREFIXED = """
glsa_ w 32 64;glc_ w 32 400;sntryu_ h 64 64;sntrys_ w 60 400;ATATT3x w 60 300;ATCTT3x w 60 300;ATBB * 32 32;
lin_api_ * 40 40;lin_oauth_ h 64 64;ntn_ * 40 60;secret_ * 43 43;figd_ w 36 60;figu_ w 36 60;dckr_pat_ w 27 40;
dckr_oat_ w 27 40;pul- h 40 40;dp.pt. * 40 44;dp.st. w 40 70;dp.sa. * 40 44;sbp_ h 40 40;gsk_ * 48 60;r8_ * 37 40;
rubygems_ h 48 48;pscale_tkn_ w 40 64;pscale_pw_ w 40 64;pscale_oauth_ w 40 64;LTAI * 12 26;AKID * 32 36;EAAA w 60 64;
sq0atp- w 22 22;sq0csp- w 43 43;NRAK- U 27 27;HRKU- w 36 70;nfp_ * 36 40;xai- * 70 90;pplx- * 48 56;nvapi- w 60 70;
tskey-auth- w 20 70;tskey-api- w 20 70;xkeysib- w 80 90;xsmtpsib- w 80 90;CFPAT- w 43 43;dt0c01. w 20 30;
lsv2_pt_ w 40 50;lsv2_sk_ w 40 50;pcsk_ w 60 80;tvly- w 28 40;hvs. w 24 200;shippo_live_ h 40 40;rzp_live_ * 14 14;
pat-na1- w 36 36;pat-eu1- w 36 36;phx_ w 40 60;api-key-live_ w 20 60;oy2 * 43 43;cio * 32 32;PMAK- w 59 59;
AIzaSy w 33 33;ya29. w 40 300;sk.eyJ w 60 200;e2b_ h 40 40;jina_ * 60 70;xoxe- w 40 200;github_pat_ w 80 90;
fio-u- w 64 64;sgp_ w 40 80;ops_eyJ w 100 1000;A3- w 32 34;bkua_ h 40 40;clojars_ h 60 60;ddp_ w 36 36;ddw_ w 36 36;
""".replace("\n", "")


def _prefixed(entries: Iterable[str]) -> Iterator[tuple[str, re.Pattern[str]]]:
    for entry in entries:
        prefix, body, least, most = entry.split()
        yield prefix, re.compile(rf"{re.escape(prefix)}{_BODIES[body]}{{{least},{most}}}(?![A-Za-z0-9])")


TOKENS = tuple(_prefixed(entry for entry in _PREFIXED.split(";") if entry.strip()))
"""Pairs of a prefix and the expression of the whole token."""
_LEAST_SIGNS = 8
"""Different characters of a random token; the sample of a manual ("xxxx1111") has fewer."""

# Commands of a login and the option that takes the password.
_PASSWORD_FLAGS = (
    ("redis-cli", "-a "),
    ("ldapsearch", "-w "),
    ("ldapmodify", "-w "),
    ("ldapadd", "-w "),
    ("sqlcmd", "-P "),
    ("mosquitto_pub", "-P "),
    ("mosquitto_sub", "-P "),
    ("ipmitool", "-P "),
    ("docker login", "-p "),
    ("podman login", "-p "),
    ("mongosh", "-p "),
    ("plink", "-pw "),
)
# Terraform: the default of a variable with a name that says what it is.
_VARIABLE = (
    r"variable \"\w*(?:password|passwd|secret|token|api_key)\"\s*\{[^{}\0]{0,300}?"
    r"\bdefault\s*=\s*\"(?P<value>[^\"\n]{6,})\""
)
# kind, literal that must stand in the text, expression whose group `value` is the secret.
_FORMS = tuple(
    (kind, trigger, re.compile(expression, re.MULTILINE))
    for kind, trigger, expression in (
        ("AIRTABLE_TOKEN", "pat", r"(?P<value>pat[A-Za-z0-9]{14}\.[0-9a-f]{64})"),
        ("TERRAFORM_TOKEN", ".atlasv1.", r"(?P<value>[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,})"),
        ("AGE_KEY", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1(?P<value>[A-Z0-9]{58})"),
        (
            "BRAINTREE_TOKEN",
            "access_token$",
            r"(?P<value>access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32})",
        ),
        ("WEBHOOK", "/bot/v2/hook/", r"/bot/v2/hook/(?P<value>[\w-]{30,})"),
        ("WEBHOOK", "/webhook/send?key=", r"/webhook/send\?key=(?P<value>[\w-]{30,})"),
        ("REGISTRY_AUTH", 'auth"', r"auth\"\s*:\s*\"(?P<value>[A-Za-z0-9+/]{12,}={0,2})\""),
        ("PRIVATE_KEY", "key-data", r"client-key-data[\"']?:\s*[\"']?(?P<value>[A-Za-z0-9+/]{40,}={0,2})"),
        ("PRIVATE_KEY", "Key =", r"\bP(?:rivate|reshared)Key\s*=\s*(?P<value>[A-Za-z0-9+/]{43}=)"),
        ("PASSWORD_HASH", ":$", r"(?<![\w$])[\w.-]+:(?P<value>\$(?:1|5|6|y|2[aby]|apr1)\$[\w./$=,-]{20,})(?::\d*){2,}"),
        ("PASSWORD_HASH", ":$", r"(?<![\w$.-])[\w.-]+:(?P<value>\$(?:apr1|2y)\$[\w./$]{20,})(?!\S)"),
        ("PASSWORD_HASH", " secret ", r"secret \d (?P<value>\$[\w$./]{20,})"),
        ("PASSWORD", "sshpass", r"(?<![A-Za-z0-9])sshpass\s+-p\s*(?P<quote>[\"']?)(?P<value>[^\s\"']{6,})"),
        (
            "PASSWORD",
            "mysql",
            r"(?<![A-Za-z0-9])mysql(?:dump|admin|import)?\b[^\n]{0,160}?\s-p(?P<value>[^\s\"'<]{6,})",
        ),
        *(
            (
                "PASSWORD",
                command,
                rf"(?<![A-Za-z0-9]){command}\b[^\n]{{0,160}}?\s{flag}[\"']?(?P<value>[^\s\"'<]{{6,}})",
            )
            for command, flag in _PASSWORD_FLAGS
        ),
        (
            "PASSWORD",
            "echo ",
            r"\becho\s+(?:-n\s+)?[\"']?(?:\w+:)?(?P<value>[^\s\"'|]{6,})[\"']?\s*\|[^\n|]*?(?:-stdin|passwd|sudo -S)",
        ),
        ("URL_PASSWORD", "jdbc:oracle", r"jdbc:oracle:\w+:\w+/(?P<value>[^\s/@\"']{4,})@"),
        ("PASSWORD", 'variable "', _VARIABLE),
        ("PASSWORD", ":5432:", r"(?<![\w.-])[\w.*-]+:5432:[\w*-]+:[\w*-]+:(?P<value>[^\s:\0]{6,})"),
        ("PASSWORD", "bindpw", r"(?<![A-Za-z0-9])bindpw[ :=]+(?P<value>[^\s\"']{6,})"),
    )
)
_HUMAN = frozenset({"PASSWORD"})


def vendor_secrets(text: str, words: Excerpts) -> Iterator[Span]:
    """Secrets of a known form in `text`, in no order. `words`: its `secret_tokens.long_words`."""
    yield from map(words.placed, _prefixed_tokens(words.text))
    for kind, trigger, pattern in _FORMS:
        for match in pattern.finditer(text) if trigger in text else ():
            start, end = match.start("value"), token_end(text, *match.span("value"))
            value = text[start:end]
            if is_placeholder(value) or is_default_password(value):
                continue
            if kind not in _HUMAN or is_password(value):
                yield Span(kind, start, end, 1.0)


def _prefixed_tokens(text: str) -> Iterator[Span]:
    for prefix, pattern in TOKENS:
        place = text.find(prefix)
        while place >= 0:
            match = pattern.match(text, place)
            if match and _is_secret(text, place, match[0].removeprefix(prefix)):
                yield Span("API_TOKEN", place, match.end(), 1.0)
            place = text.find(prefix, place + len(prefix))


def _is_secret(text: str, start: int, body: str) -> bool:
    """Whether a token begins at `start` (no letter or digit before it), and its characters look drawn by chance."""
    if start and (text[start - 1].isalnum() and text[start - 1].isascii()):
        return False
    if is_placeholder(body) or len(set(body)) < _LEAST_SIGNS:
        return False
    parts = [part for part in re.split("[_-]", body) if part]
    worded = sum(len(part) for part in parts if part.isalpha() and (part.islower() or part.isupper() or part.istitle()))
    return any(char.isdigit() for char in body) and worded * 2 <= len(body)
