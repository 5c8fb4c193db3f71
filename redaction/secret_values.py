"""Whether a value is a secret, a placeholder, a reference to a secret, or plain words."""

from __future__ import annotations

import math
import re
from collections import Counter

_PLACEHOLDER = re.compile(
    r"(?i)^[\"'`]?(?:<.*|\[.*\]|\{\{?.*|\$(?:[{(].*|[A-Za-z_]\w*)|%[\w(].*|@.*@|#\{.*|\.{2,}.*|…+.*|[x*•.#_-]{3,}|x+(?:[-_]x+)*)[\"'`]?$|"
    r"x{4,}|\*{3,}|•{3,}|\.\.\.|…|example|sample|dummy|placeholder|change[-_ ]?(?:me|it|this)|"
    r"your[-_ .]?(?:own|api|secret|access|password|token|key|client|private|account|real|actual|db|user|strong|super)|"
    r"(?:access|secret|api|private)[-_ ]?(?:key|token)|"
    r"replace[-_ ]?(?:me|this|with)|insert[-_ ]|redacted|removed|todo|\\u2026|<[\w .-]+>|\$\{|\{\{|\[(?:your|redacted)"
)
# A variable, a call, a path or a URL; or words, constants and names as code and prose write them.
_REFERENCE = re.compile(
    r"(?i:os\.|process\.|env[.(\[:]|env$|getenv|config[.(\[]|settings[.(\[]|secrets?[.(\[]|vault[.:(]|self\.|this\.|args\.|"
    r"params?\.|props\.|request\.|credentials?\.|options?\.|context\.|var\.|local\.|data\.|ref[+:(]|arn:|ssm:|op://|file:|"
    r"https?:|/|\./|~/|[A-Z]:\\)|[A-Za-z_.]{2,}[(\[].*|[A-Za-z_][\w.]*[(\[](?:.*[)\]])?$|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|[a-z]+(?:[A-Z][a-z]+)+\d?$|"
    r"[A-Z]+(?:_[A-Z0-9]+)+$|(?:[a-z]+|[A-Z]+)(?:[-_./ ](?:[a-z]+|[A-Z]+|[a-z]\d[a-z]|\d{1,4}))*$|"
    r"[A-Z][a-z]+(?:[-_ ]?[A-Z]?[a-z]+)*$"
)
_TECHNICAL = re.compile(
    r"(?i)^(?:sha-?\d+|md5|hmac[-_]?sha\d*|[hrep]s\d{3}|aes-?\d*(?:-\w+)*|(?:rsa|(?:ec)?dsa|ecc)-?\d*|oauth-?\d?(?:\.\d)?|base64|utf-?\d+|bcrypt|argon2\w*|"
    r"pbkdf2\w*|scrypt|ed25519|x509|x\.509|int\d+|float\d+|uint\d+|varchar\W?\d*\W?|char\W?\d*\W?|string\W?\d*\W?|v\d[\w.]*|\d{1,5}|"
    r"true|false|null|none|nil|abc123|test123|foo123|password123?|pass123|secret123|\d+(?:[.,:/-]\d+)+|\d+\s?[a-z]{1,7})$"
)
_DEFAULTS = frozenset(
    re.findall(
        r"\w+",
        "password pass passwd pwd secret admin root user postgres test guest mysql default changeit token mypassword "
        "mysecret secretkey apikey key xxx foo bar abc tiger",
    )
)
_EMAIL = re.compile(r"[\w.+-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+$")
_SYMBOL = re.compile(r"[!@$%^&*+~|§€£]")  # not those that build paths, URLs and lists


def is_placeholder(value: str) -> bool:
    """Whether the value only stands for one: `<your-password>`, `${VAR}`, `xxxx`, `****`, `changeme`, "...EXAMPLE"."""
    return (
        (not value.strip("\"'`\0 ") and not value.strip())
        or _PLACEHOLDER.search(value) is not None
        or len(set(value)) < 3
    )


def is_default_password(value: str) -> bool:
    """Whether the value is the word an example uses for a password ("password", "postgres", "password1")."""
    word = re.sub(r"[\W_]|\d{1,3}\Z", "", value.lower())
    return word in _DEFAULTS or re.sub(r"^(?:my|the|some|db|test)", "", word) in _DEFAULTS


def is_password(value: str) -> bool:
    """Whether a value given to a secret-like name is a secret: mixed signs, not words, a reference or a setting."""
    if (
        len(value) < 6
        or "://" in value
        or "](" in value
        or is_placeholder(value)
        or _REFERENCE.match(value)
        or _TECHNICAL.match(value)
    ):
        return False
    if _EMAIL.match(value) or is_default_password(value):
        return False
    has_letter = any(char.isalpha() for char in value)
    has_digit = any(char.isdigit() for char in value)
    has_symbol = _SYMBOL.search(value) is not None
    if has_letter and (has_digit or has_symbol):
        return True
    if has_digit:
        return len(value) >= 6 and len(set(value)) > 3
    return len(value) >= 16 and entropy(value) > 3.7


def is_certain_password(value: str) -> bool:
    """Whether a value is a secret even in the middle of a sentence: several kinds of signs, and not only a few."""
    if len(value) < 8 or not is_password(value):
        return False
    kinds = (
        any(char.islower() for char in value),
        any(char.isupper() for char in value),
        any(char.isdigit() for char in value),
        _SYMBOL.search(value[:-1]) is not None,
    )
    digits = sum(char.isdigit() for char in value)
    return (sum(kinds) >= 3 and (digits > 1 or kinds[3])) or is_token(value)


def is_token(value: str) -> bool:
    """Whether a value looks random: long, letters and digits mixed, high entropy."""
    plain = re.sub(r"[^A-Za-z0-9]", "", value)
    if len(plain) < 16 or is_placeholder(value) or not any(char.isdigit() for char in plain):
        return False
    if not any(char.isalpha() for char in plain):
        return False
    # Words joined by hyphens ("recallNotices-validation-group-1297083594-1") are names, however long.
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", value) if part]
    worded = sum(len(part) for part in parts if part.isalpha() or part.isdigit())
    if len(parts) > 2 and worded * 2 > len(plain):
        return False
    return entropy(plain) > (2.9 if re.fullmatch("[0-9a-fA-F]+", plain) else 3.3)


def entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    counts = Counter(value)
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
