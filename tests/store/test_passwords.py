"""PDFs and Office files that ask for a password, with and without the passwords the installation knows."""

from __future__ import annotations

import io
from typing import Any

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from sqlalchemy import text

from flows.explaining import explain
from flows.preparing import Prepared
from flows.verifying import verify
from kprep.core.errors import ConfigError
from kprep.store import documents
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.locked_office import golden, locked

PASSWORD = "tide-and-anchor-77"
VARIABLE = "ACME_PDF_PASSWORDS"


def protected(words: str) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, encrypt=StandardEncryption(PASSWORD, "owner", strength=128), invariant=1)
    canvas.drawString(72, 700, words)
    canvas.save()
    return out.getvalue()


def reasons(base: TestBase) -> list[str]:
    with base.connection() as connection:
        return [f"{row.reason}: {row.detail}" for row in documents.failures(connection, base.name)]


def run(base: TestBase) -> dict[str, Any]:
    children = Prepared()
    try:
        return base.run(children=children)
    finally:
        children.close()


@pytest.mark.req("D2.13")
def test_a_password_that_becomes_known_lets_the_document_in(
    make_base: MakeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "plan.pdf": protected("The harbour closes at low tide."),
        "rules.docx": locked(golden("docx-b03_merged_cells"), PASSWORD),
        "a.md": "# Boats\n\nBoats are painted in May.",
    }
    base = make_base(files, embedding={"provider": "none"})
    run(base)
    assert base.uris() == ["a.md"]
    told = reasons(base)
    assert len(told) == 2
    assert all(said.startswith("needs_password: ") and "documents.passwords_env" in said for said in told)

    monkeypatch.delenv(VARIABLE, raising=False)
    base.configure(documents={"passwords_env": VARIABLE})
    with pytest.raises(ConfigError, match=rf"{VARIABLE}, which is not set"):
        base.run()
    monkeypatch.setenv(VARIABLE, "another-word")
    base.close()
    run(base)
    told = reasons(base)
    assert len(told) == 2
    assert all("none of the 1 known ones fits" in said and "another-word" not in said for said in told)

    monkeypatch.setenv(VARIABLE, f"another-word\n{PASSWORD}\n")
    base.close()
    summary = run(base)
    wrong = [check for check in summary["gate"]["checks"] if check["code"] == "locator_opens" and not check["passed"]]
    assert wrong == []
    assert reasons(base) == []
    assert base.search("harbour", mode="lexical")[0]["text"] == "The harbour closes at low tide."
    assert verify(base.workspace, heal=False)["ok"]
    assert explain(base.workspace, "docs/plan.pdf")["coverage"] == 1.0
    assert "rules.docx" in base.uris()
    assert explain(base.workspace, "docs/rules.docx")["coverage"] == 1.0
    assert run(base)["status"] == "unchanged"

    kept = [path for path in base.folder.rglob("*") if path.is_file() and PASSWORD.encode() in path.read_bytes()]
    assert kept == []
    with base.connection() as connection:
        tables = connection.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = 'kprep'")).scalars().all()
        for table in tables:
            found = connection.execute(
                text(f'SELECT count(*) FROM kprep."{table}" AS t WHERE position(:word IN CAST(t AS text)) > 0'),
                {"word": PASSWORD},
            ).scalar_one()
            assert found == 0, table
