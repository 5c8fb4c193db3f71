"""Names, comments and harmless values of a `.env` stay; what may be a secret is withheld before anything reads it."""

from __future__ import annotations

import pytest

from parsers.dotenv import MARK
from parsers.media_type import detect
from parsers.withheld import without_secrets

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


SECRET_NAMES = """PW DB_PW PWD MYSQL_PWD PASS DBPASS PASSWD PASSPHRASE PASSCODE PIN CARD_PIN LICENSE LICENCE
LICENSE_KEY LICENSE_FILE AUTH BASIC_AUTH AUTHORIZATION AUTHOR_TOKEN TOKEN ACCESSTOKEN BEARER COOKIE SESSION SESSION_ID
SALT SIGNATURE SIGNING_PHRASE PRIVATE CREDENTIAL CREDENTIALS CREDS DSN KEY APIKEY apiKey OTP PSK SEED MNEMONIC KENNWORT
INVITE_CODE SNMP_COMMUNITY SERIAL_NUMBER"""
LOOK_ALIKES = """PASSENGER_COUNT=12
PASSENGERS=many
PASSIVE_PORTS=20
BYPASS_HOSTS=blue
AUTHOR=Jane Doe
AUTHORITY=north
TOKENIZER=bert
MAX_TOKENS=4096
PINNED=blue
SPIN=left
MONKEY=blue
KEYBOARD=german
SECRETARY=Jane
CREDIT_LIMIT=100
COUNTRY_CODE=DE
LICENSE=MIT
LICENSE=Apache-2.0
LICENSE_FILE=/etc/app/licence.txt
SSL_KEY_FILE=certs/key.pem
PWD=/home/app
OLDPWD=~/work
PASSWORD_MIN_LENGTH=12
TOKENTIMEOUT=30m
JWT_ALGORITHM=HS256
SESSION_DRIVER=redis
COOKIE_SAMESITE=lax
AUTH_HOST=auth.example.com
SERIAL_PORT=/dev/ttyS0
MAIL_HOST=key.example.com:8443
IMAGE=registry/auth:latest
# the password is in the vault
# key: see the wiki
PORT=25 # token of the portal
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


@pytest.mark.req("D2.3", "D5.3")
@pytest.mark.parametrize(
    "line",
    [
        *(f"{name}=sunflower" for name in SECRET_NAMES.split()),
        *(f"{name}=1234" for name in "PIN ACCOUNT_PIN PIN_ADMIN ADMIN_PASSWORD PASSCODE".split()),
        "LICENCE=ABCD-TULIP-EFGH",
        "DATABASE=app:sunflower@db:3306/app",
        "DATABASE=mysql://app:sunflower@db:3306/app",
        "OPTIONS=--user app --password sunflower",
        "HEADER=Authorization: Bearer sunflower",
        "LOGIN=Basic sunflower",
        "SETTINGS=db.password:sunflower",
        "setenv PW sunflower",
        '"PW": "sunflower"',
        "# PW = sunflower",
        "#PW: sunflower",
        "PORT=25 # PW=sunflower",
    ],
)
def test_a_plain_word_is_withheld_where_its_name_says_what_it_is(line: str) -> None:
    found = shown(f"{line}\nPORT=25\n")
    assert MARK in found
    assert not [value for value in ("sunflower", "1234", "TULIP") if value in found]
    assert found.endswith("\nPORT=25\n")
    assert shown(found) == found


def test_a_name_that_only_looks_like_one_hides_nothing() -> None:
    assert shown(LOOK_ALIKES) == LOOK_ALIKES
