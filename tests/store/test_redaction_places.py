"""Where redaction reaches beyond the text: names of files, sheets, comments and scripts."""

from __future__ import annotations

import io
import re
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from sqlalchemy import text

from kprep.core.errors import ConfigError
from kprep.core.models import Locator
from parsers import parser_for
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR
from tests.store.test_permissions import visible

GOLDEN = Path(__file__).parents[1] / "golden" / "parsers" / "spreadsheet-sheets" / "input.xlsx"
HTML = """<html><head><title>Pumps</title><style>/* %s */</style></head><body><h1>Pumps</h1>
<!-- %s --><script>let x = "%s";</script><p>Pumps are checked every spring by the people of the workshop.</p>
</body></html>"""
SECRET = "password = hG7_kfLq92xZ"


@pytest.mark.req("D5.1", "D5.5", "D10.6")
def test_a_changed_policy_looks_at_names_of_files_again(make_base: MakeBase) -> None:
    base = make_base({"KD-481516 letter.md": FOUR["safety.md"], **FOUR})
    base.run()
    assert "KD-481516 letter.md" in base.uris()
    (base.folder / "redaction.yaml").write_text(yaml.safe_dump({"patterns": {"CUSTOMER_NUMBER": r"KD-\d{6}"}}))
    base.configure(redaction={"policy": "redaction.yaml"})
    summary = base.run()
    assert summary["status"] == "published"
    [failure] = summary["failures"]
    assert (failure["reason"], failure["uri"]) == ("personal_name", "docs/<CUSTOMER_NUMBER> letter.md")
    assert "KD-481516" not in str(summary)
    assert base.uris() == sorted(FOUR)
    assert base.run()["status"] == "unchanged"
    with base.connection() as connection:
        known = text("SELECT count(*) FROM kprep.documents WHERE kb = :kb AND uri LIKE '%481516%'")
        assert connection.execute(known, {"kb": base.name}).scalar_one() == 0
    base.configure(redaction={})
    base.run()
    assert "KD-481516 letter.md" in base.uris()


def renamed(content: bytes, old: str, new: str) -> bytes:
    """A workbook with a sheet of another name."""
    out = io.BytesIO()
    with ZipFile(io.BytesIO(content)) as source, ZipFile(out, "w") as target:
        for name in source.namelist():
            part = source.read(name)
            target.writestr(name, part.replace(f'name="{old}"'.encode(), f'name="{new}"'.encode()))
    return out.getvalue()


@pytest.mark.req("D5.5", "D3.8")
def test_a_sheet_named_after_a_person_is_cited_by_its_number(make_base: MakeBase) -> None:
    content = GOLDEN.read_bytes()
    book = parser_for("application/vnd.ms-excel.sheet.macroenabled.12")
    with ZipFile(io.BytesIO(content)) as archive:
        workbook = archive.read("xl/workbook.xml").decode()
    names = [part.split('"')[0] for part in workbook.split('<sheet name="')[1:]]
    assert names
    value = "jane.roe@kelvarra-mail.net"
    changed = renamed(content, names[0], value)
    base = make_base({"book.xlsx": changed, **FOUR})
    summary = base.run()
    assert summary["status"] == "published"
    checks = {check["code"]: check for check in summary["gate"]["checks"]}
    assert checks["locator_opens"]["passed"], checks["locator_opens"]
    chunks = base.chunks("book.xlsx")
    assert value not in str(chunks)
    numbered = [chunk for chunk in chunks if "sheet_number" in chunk["locator"]]
    assert {chunk["locator"]["sheet_number"] for chunk in numbered} == {1}
    for chunk in numbered:
        opened = book.quote(changed, Locator.from_json(chunk["locator"]))
        cell = chunk["text"].split("|")[0].split("\n")[-1].strip()
        assert cell in opened
        assert value in opened  # the place in the original shows its own name


@pytest.mark.req("D5.1", "D5.3")
def test_a_secret_in_a_comment_or_script_is_published_nowhere(make_base: MakeBase) -> None:
    base = make_base({"pumps.html": HTML % (SECRET, SECRET, SECRET), **FOUR})
    summary = base.run()
    assert (summary["status"], summary["documents"]["failed"]) == ("published", 0)
    assert "pumps.html" in base.uris()
    with base.connection() as connection:
        names = connection.execute(
            text("SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'kprep'")
        )
        for (name,) in names.all():
            found = connection.execute(text(f"SELECT count(*) FROM {name} t WHERE t::text LIKE '%hG7_kfLq92xZ%'"))
            assert found.scalar_one() == 0, name


def holding(base: TestBase, value: str) -> list[str]:
    return sorted({row["uri"] for row in base.content() if value in row["text"]})


@pytest.mark.req("D5.1", "D5.5")
def test_what_one_source_may_say_is_replaced_in_another(make_base: MakeBase) -> None:
    page = "# Network\n\nThe printer of the workshop answers at 10.1.2.3 on every working day of the week.\n"
    base = make_base({"a.md": page, **FOUR})
    manual = base.folder / "manual"
    manual.mkdir()
    (manual / "b.md").write_text(page)
    [docs] = base.config["sources"]
    base.configure(sources=[docs, {**docs, "name": "manual", "path": "manual"}])
    base.run()
    assert holding(base, "10.1.2.3") == []
    (base.folder / "redaction.yaml").write_text(
        yaml.safe_dump({"allow_in": {"manual": {"addresses": ["10.1.0.0/16"]}}})
    )
    base.configure(redaction={"policy": "redaction.yaml"})
    summary = base.run()
    assert summary["status"] == "published"
    assert summary["work"]["begun"] == {"redact": 1}
    assert holding(base, "10.1.2.3") == ["manual/b.md"]
    (base.folder / "redaction.yaml").write_text(yaml.safe_dump({"allow_in": {"manuals": {"addresses": []}}}))
    base.configure(redaction={"policy": "redaction.yaml"})
    with pytest.raises(ConfigError, match=r"allow_in\.manuals: no such source"):
        base.run()


@pytest.mark.req("D5.3", "D5.6", "D10.5")
def test_a_secret_that_new_rules_find_hides_what_older_rules_published(make_base: MakeBase) -> None:
    base = make_base({"pump.md": f"# Pump\n\nThe label of every pump that leaves the works says {SECRET}.\n", **FOUR})
    [failure] = base.run()["failures"]
    [fingerprint] = re.findall(r"fingerprint ([0-9a-f]{32})", failure["detail"])
    released = {"released": [{"fingerprint": fingerprint, "reason": "printed on each", "by": "A. Roe"}]}
    for policy, shown in ((released, True), ({}, False), ({}, False), (released, True)):
        (base.folder / "redaction.yaml").write_text(yaml.safe_dump(policy), encoding="utf-8")
        base.configure(redaction={"policy": "redaction.yaml"})
        base.run()
        assert ("pump.md" in visible(base, ["staff"])) is shown
