"""Names, comments and harmless values of a `.env` stay; what may be a secret is withheld before anything reads it."""

from __future__ import annotations

import pytest

from parsers.dotenv import MARK, without_secrets
from parsers.media_type import detect

SECRETS = r"""
DB_PASSWORD=Xk29!pqLmz7w
STRIPE=sk_live_4eC39HqLyjWDarjtT1zdp7dc
API_TOKEN="qwErTy123456asdFGH7890zx" # of the portal
SMTP_PASS=correct horse battery
DATABASE_URL=postgres://app:hunter2secretX@db:5432/app
REDIS="redis://:p@ss/word@cache:6379/0"
#OLD_SECRET=abcdefgh
export PRIVATE="-----BEGIN KEY-----
MIIEvQIBADANBg==
x=y
-----END KEY-----"
PIN=1234
a line Xk29!pqLmz7w of nothing
QUOTED='it\'s Xk29!pqLmz7w
second Xk29!pqLmz7w line'
MIXED=qwErTyAsdFghJkl
"""
HARMLESS = """# where mail is sent, and by which port
MAIL_HOST="mail.example.com" # the relay
MAIL_PORT=25
DEBUG=false
VERSION=1.2.3
UPLOADS=/var/lib/portal/uploads
ZONE=Europe/Berlin
ALLOWED=["a.example.com","b.example.com"]
NAME='Portal der Größe'
TOKEN_TTL=3600
SESSION_TIMEOUT=30m
AUTH_ENABLED=true
API_KEY=<your-key>
API_SECRET=${VAULT_SECRET}
EMPTY=
"""


def shown(text: str, name: str = "prod.env") -> str:
    return without_secrets(name, text.encode()).decode()


@pytest.mark.req("D2.3", "D5.3")
def test_secrets_are_withheld_and_their_names_stay() -> None:
    found = shown(SECRETS)
    for value in ("Xk29", "sk_live", "qwErTy", "horse", "hunter2", "p@ss", "word@", "abcdefgh", "MIIE", "x=y", "1234"):
        assert value not in found, value
    lines = found.splitlines()
    assert f"DB_PASSWORD={MARK}" in lines
    assert f"API_TOKEN={MARK} # of the portal" in lines
    assert f"DATABASE_URL=postgres://{MARK}@db:5432/app" in lines
    assert f"#OLD_SECRET={MARK}" in lines


def test_lines_keep_their_numbers_and_a_second_time_changes_nothing() -> None:
    found = shown(SECRETS)
    assert found.count("\n") == SECRETS.count("\n")
    assert found.splitlines().index(f"PIN={MARK}") == SECRETS.splitlines().index("PIN=1234")
    assert shown(found) == found
    assert shown("A=Xk29!pqLmz7w\r\nB=1\r\n") == f"A={MARK}\r\nB=1\r\n"


def test_harmless_values_and_comments_stay() -> None:
    assert shown(HARMLESS) == HARMLESS


def test_only_such_files_are_changed() -> None:
    assert shown(SECRETS, ".env.example") != SECRETS
    assert shown(SECRETS, "settings.ini") == SECRETS
    assert shown(SECRETS, "env.md") == SECRETS
    assert without_secrets("logo.env", b"\x89PNG\r\n\x1a\nA=Xk29!pqLmz7w") == b"\x89PNG\r\n\x1a\nA=Xk29!pqLmz7w"


@pytest.mark.req("D2.3", "D5.3")
@pytest.mark.parametrize(
    "name",
    [".env", "prod.env", ".env.local", "env.example", ".envrc", "prod.envrc", ".env-test", ".environment",
     "prod.env_old", "prod.env.bak.2", "prod.env~", "PROD.ENV"],
)  # fmt: skip
def test_all_that_is_read_as_a_dotenv_is_withheld(name: str) -> None:
    text = "export SMTP_LOGIN=zebra42horse\nPLAIN=giraffe77x\n"
    assert detect(name, text.encode()) == "text/x-dotenv"
    assert shown(text, name) == f"export SMTP_LOGIN={MARK}\nPLAIN={MARK}\n"


@pytest.mark.parametrize("name", ["environment.txt", "seven.txt", "env-notes.txt", "env.md"])
def test_other_names_are_no_dotenv(name: str) -> None:
    assert detect(name, b"PLAIN=giraffe77x") != "text/x-dotenv"
