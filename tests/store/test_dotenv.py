"""A `.env` is published with its names and harmless values; its secrets are kept nowhere, not even restricted."""

from __future__ import annotations

import contextlib
import os
import zlib
from email.message import EmailMessage

import pytest
from sqlalchemy import text

from flows.kept import Kept
from kprep.core.errors import PrepError
from parsers.dotenv import MARK
from tests.conftest import MakeBase

SECRETS = ("Xk29!pqLmz7w", "hunter2secretX", "qwErTy123456asdFGH7890zx")
FILE = f"""# where the orders are
DB_HOST=db.example.com
DB_PORT=5432
DB_PASSWORD={SECRETS[0]}
DATABASE_URL=postgres://app:{SECRETS[1]}@db:5432/app
PORTAL="{SECRETS[2]}"
"""


@pytest.mark.req("D2.3", "D5.3", "D5.5")
def test_a_dotenv_is_published_and_its_secrets_are_kept_nowhere(make_base: MakeBase) -> None:
    base = make_base({"prod.env": FILE})
    summary = base.run()
    assert (summary["status"], summary["failures"]) == ("published", [])
    opened = next(check for check in summary["gate"]["checks"] if check["code"] == "locator_opens")
    assert not opened["samples"], opened["samples"]
    said = "\n".join(str(row["text"]) for row in base.content())
    assert "DB_PORT: 5432" in said
    assert f"DB_PASSWORD: {MARK}" in said
    data, marked = base.workspace.data_dir, 0
    for path in (path for path in data.rglob("*") if path.is_file() and "postgres" not in path.parts):
        content = path.read_bytes()
        with contextlib.suppress(PrepError):
            kept = Kept.from_bytes(content)
            content = zlib.decompress(kept.parsed) + zlib.decompress(kept.redacted)
        assert not [secret for secret in SECRETS if secret.encode() in content], path
        marked += MARK.encode() in content
    assert marked == 2  # the original, and what is kept of its stages
    with base.connection() as connection:
        names = connection.execute(
            text("SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'kprep'")
        )
        rows = [row for (name,) in names.all() for (row,) in connection.execute(text(f"SELECT t::text FROM {name} t"))]
    assert not [secret for secret in SECRETS if any(secret in row for row in rows)]


@pytest.mark.req("D2.3", "D5.3")
def test_configuration_is_published_without_its_secrets(make_base: MakeBase) -> None:
    base = make_base(
        {
            "app.toml": f'[server]\nport = 8080\npassword = "{SECRETS[1]}"\n',
            "app.ini": f"[db]\nhost = h1\npassword = {SECRETS[0]}\n",
            "secret.yaml": f"apiVersion: v1\nkind: Secret\nstringData:\n  login: {SECRETS[2]}\n",
        }
    )
    summary = base.run()
    assert (summary["status"], summary["failures"]) == ("published", [])
    said = "\n".join(str(row["text"]) for row in base.content())
    assert said.count(MARK) >= 3
    assert not [secret for secret in SECRETS if secret in said]


def test_another_secret_in_its_place_is_no_change(make_base: MakeBase) -> None:
    base = make_base({"prod.env": FILE})
    base.run()
    base.write("prod.env", FILE.replace(SECRETS[0], "another7!Secret"))
    os.utime(base.path("prod.env"), (2e9, 2e9))
    assert base.run()["status"] == "unchanged"


def test_one_that_is_attached_to_a_mail_is_read_without_them_too(make_base: MakeBase) -> None:
    message = EmailMessage()
    message["From"], message["Subject"], message["Message-ID"] = "Ana <ana@example.org>", "Settings", "<1@example.org>"
    message.set_content("Here are the settings of the portal that we spoke about on the phone.")
    message.add_attachment(FILE.encode(), maintype="application", subtype="octet-stream", filename="prod.env")
    base = make_base({"a.eml": message.as_bytes()}, views={"all": {"stores": ["candidate", "formal"]}})
    assert base.run()["failures"] == []
    said = "\n".join(str(row["text"]) for row in base.content())
    assert f"DB_PASSWORD: {MARK}" in said
    assert not [secret for secret in SECRETS if secret in said]
