"""Passwords made of letters only: passphrases and plain words, told from prose by how they are assigned."""

from __future__ import annotations

import re
from collections.abc import Iterator

from redaction.secret_values import is_default_password, is_placeholder
from redaction.spans import Span, folded, places

_STEMS = ("passphrase", "password", "passwd", "passwort", "kennwort", "contraseña", "senha", "wachtwoord")
_ASSIGNED = re.compile(
    rf"(?i)(?:{'|'.join(_STEMS)})\\?[\"'`\]]{{0,3}}[ \t]{{0,2}}(?P<sign>:=|[:=])[ \t]{{0,2}}"
    r"(?:(?P<quote>\\?[\"'])(?P<quoted>[A-Za-z][A-Za-z _-]{6,80})(?P=quote)"
    r"|(?P<bare>[A-Za-z][A-Za-z _-]{6,80}?)(?=[ \t]*(?:$|[#`\0])))",
    re.MULTILINE,
)
_PREFIX = re.compile(r"(?:^|[^\w])((?:[a-z0-9]+[_.-])*|(?:[A-Z0-9]+[_.-])*)\Z")
_NETRC = re.compile(r"(?<![A-Za-z0-9])machine\s+\S+\s+login\s+\S+\s+password\s+(?P<value>[^\s\0]{6,})")

# Words of which sentences, labels and settings are made; a passphrase holds none of them.
_PROSE = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be by can for from has have if in is it its may must new no not of off on or our please
        should some that the their them then there these this to was were when which will with you your
        der die das ein eine ist und oder nicht mit von zu le la les un une de du des et ou est pas el los las y o es
        access account active admin administrator again allowed always any anything app application apply argument
        authentication auto automatic available basic bearer been blank bytes cannot case change changed characters
        check choose cleartext client code column complex confidential config configuration confirm contains
        create created credential credentials current custom data database default defined deprecated description
        different digits disabled does empty enable enabled encoded encrypted encryption enter error example expired
        expires external failed false field file flow forgot forgotten found generate generated given global grant hash
        hashed hidden ignored incorrect input internal invalid key label least length less letters link local login
        long lost mandatory manual masked match maximum method minimum missing mixed more name needed never none null
        number obfuscated only optional option original output parameter parser part password passwords permanent plain
        plaintext policy private prompt protected provided public random read recovery removed repeat replace required
        reset restricted safe same scheme secret secrets secure sensitive sent service session set settings short show
        skip stored string strong successfully system temporary text token true type typed undefined unique unknown
        unset unspecified update use used user username using valid validation value variable verify visible weak
        whatever wrong write
        erforderlich optional vergessen notwendig geheim obligatoire requis oublié obligatorio requerido olvidado""",
    )
)
_LEAST_LETTERS = 8
_PHRASE_WORDS = 4


def worded(text: str) -> Iterator[Span]:
    """Passwords of letters only, given to a name that says password or passphrase; and passwords of .netrc files."""
    lower = folded(text)
    for place in places(lower, _STEMS):
        match = _ASSIGNED.match(text, place)
        prefix = _PREFIX.search(text, max(0, place - 60), place) if match else None
        if match is None or prefix is None:
            continue
        group = "quoted" if match["quoted"] else "bare"
        tight = group == "quoted" or match["sign"] != ":" or bool(prefix[1])
        if _is_secret(match[group].strip(), tight=tight, phrase=lower.startswith("passphrase", place)):
            yield Span("PASSWORD", match.start(group), match.end(group), 0.8)
    if "machine" in text:
        for match in _NETRC.finditer(text):
            if not is_placeholder(match["value"]):
                yield Span("PASSWORD", match.start("value"), match.end("value"), 0.9)


def is_worded_pair(name: str, value: str) -> bool:
    """Whether letters in the cell beside `name` are a password: only where the name is written as in a program."""
    name = name.strip(" :*`").lower()
    if not name.endswith(_STEMS) or not re.fullmatch(r"[\w.-]+", name):
        return False
    if not re.fullmatch(r"[A-Za-z][A-Za-z _-]{6,80}", value):
        return False
    phrase = name.endswith("passphrase")
    return (phrase or "_" in name) and _is_secret(value, tight="_" in name, phrase=phrase)


def _is_secret(value: str, *, tight: bool, phrase: bool) -> bool:
    """`tight`: assigned as programs do, not as "Password: x" in a text. `phrase`: the name says passphrase."""
    words = [word for word in re.split("[ _-]", value) if word]
    if any(word.lower() in _PROSE for word in words) or is_placeholder(value) or is_default_password(value):
        return False
    if len(words) >= _PHRASE_WORDS - phrase:
        return (tight or phrase) and all(word.islower() and len(word) > 2 for word in words)
    return len(words) == 1 and len(value) >= _LEAST_LETTERS and tight and (value.islower() or value.isupper())
