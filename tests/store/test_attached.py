"""Files attached to mails: documents of their own, which come, change and go with the mail."""

from __future__ import annotations

import io
import mailbox
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from docx import Document
from sqlalchemy import text

from flows import confirming
from flows.access import suppress
from flows.attached import MARK
from flows.fetching import DEPTH_MAX
from kprep.core.errors import RetrievalError
from kprep.store import documents
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase

LAX = {
    "embedding": {"provider": "none"},
    "quality": {"thresholds": {"short_share": 1.0, "duplicate_share": 1.0}, "mass_delete_share": 1.0},
    "views": {"talk": {"stores": ["candidate", "formal"], "fields": ["text", "document_uri"]}},
}


def mail(words: str, *files: tuple[str, bytes | EmailMessage], subject: str = "Plan") -> EmailMessage:
    message = EmailMessage()
    message["From"], message["Subject"] = "Ana <ana@example.org>", subject
    message["Message-ID"] = f"<{abs(hash((words, subject)))}@example.org>"
    message.set_content(words)
    for name, content in files:
        if isinstance(content, EmailMessage):
            message.add_attachment(content)
        else:
            message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return message


def office(words: str) -> bytes:
    document, out = Document(), io.BytesIO()
    document.add_paragraph(words)
    document.save(out)
    return out.getvalue()


def listed(base: TestBase) -> list[str]:
    with base.connection() as connection:
        return [row.uri.removeprefix("docs/") for row in documents.observed(connection, base.name)]


def read(base: TestBase, path: str, *principals: str) -> str:
    """All that these principals may read of a document, whatever its store."""
    chunks = confirming.shown(base.workspace, f"docs/{path}", principals or ("staff",))
    return " ".join(chunk["text"] for chunk in chunks)


def failures(summary: dict[str, Any]) -> dict[str, str]:
    return {item["uri"].removeprefix("docs/"): item["reason"] for item in summary["failures"]}


@pytest.mark.req("D2.29", "D2.30", "D10.1", "D10.4", "D14.4")
def test_attached_files_come_change_and_go_with_their_mail(make_base: MakeBase) -> None:
    plan, other = b"# Plan\n\nThe office moves in week 34.\n", b"# Plan\n\nThe canteen closes in week 12.\n"
    letter = mail("The plan is attached.", ("plan.md", plan), ("plan.md", other), ("Terms.docx", office("Forty days.")))
    base = make_base({"in/a.eml": letter.as_bytes(), "note.md": "# Note\n\nNothing else here.\n"}, **LAX)
    base.source(acl=["staff"], acl_rules=[{"match": "*.eml", "acl": ["board"]}])
    names = ["in/a.eml", "in/a.eml::Terms.docx", "in/a.eml::plan (2).md", "in/a.eml::plan.md", "note.md"]

    first = base.run()
    assert (first["status"], first["documents"]["listed"], failures(first)) == ("published", 5, {})
    assert listed(base) == names
    assert "Forty days." in read(base, names[1], "board")
    assert ("week 12" in read(base, names[2], "board"), "week 34" in read(base, names[3], "board")) == (True, True)
    assert base.uris(("staff", "board")) == ["note.md"]  # the others wait in the candidate store, as their mail does
    hits = base.search("When does the canteen close?", "lexical", ("board",), view="talk")
    assert hits[0]["document_uri"] == "docs/in/a.eml::plan (2).md"
    assert base.search("When does the canteen close?", "lexical", ("staff",), view="talk") == []

    base.touch("in/a.eml")
    again = base.run()
    assert (again["status"], again["documents"]["listed"], again["work"]["parsed"]) == ("unchanged", 5, 0)

    new = mail("The plan is attached.", ("plan.md", plan.replace(b"34", b"35")), ("Terms.docx", office("Forty days.")))
    base.write("in/a.eml", new.as_bytes())
    summary = base.run()
    counts = {name: summary["documents"][name] for name in ("changed", "retired", "added")}
    assert (counts["retired"], "week 35" in read(base, names[3], "board")) == (1, True)
    assert listed(base) == [names[0], names[1], names[3], names[4]]

    base.delete("in/a.eml")
    assert base.run()["documents"]["retired"] == 3
    assert listed(base) == ["note.md"]
    with pytest.raises(RetrievalError):
        read(base, names[3], "board")


@pytest.mark.req("D2.29", "D10.1")
def test_bad_ones_fail_alone_and_nothing_is_lost_with_an_unreadable_mail(make_base: MakeBase) -> None:
    files = (
        ("broken.pdf", b"%PDF-1.4 nothing"),
        ("program.exe", b"MZ\x90\x00" + bytes(range(256))),
        ("empty.txt", b""),
        ("call +49 30 901820 back.txt", b"The lift is repaired on Monday."),
        ("../..::up.txt", b"The stairs are closed."),
        ("inner.eml", mail("See the floor plan.", ("floor.txt", b"The second floor is empty."), subject="Floors")),
    )
    base = make_base({"a.eml": mail("All attached.", *files).as_bytes()}, **LAX)
    summary = base.run()
    assert failures(summary) == {
        "a.eml::broken.pdf": "corrupt",
        "a.eml::program.exe": "unsupported_format",
        "a.eml::empty.txt": "no_text",
        "a.eml::call <PHONE> back.txt": "personal_name",
    }
    assert "stairs" in read(base, "a.eml::.._.._:up.txt")
    assert "second floor" in read(base, "a.eml::attachment-6.eml::floor.txt")

    before = listed(base)
    base.path("a.eml").write_bytes(b"no mail any more")
    assert failures(base.run())["a.eml"] == "corrupt"
    assert listed(base) == before
    assert "stairs" in read(base, "a.eml::.._.._:up.txt")


@pytest.mark.req("D2.29")
def test_mails_inside_mails_are_opened_to_a_depth_and_the_rest_is_said(make_base: MakeBase, tmp_path: Path) -> None:
    innermost = mail("Level 0.", ("deep.txt", b"Hidden at the bottom."), subject="0")
    for level in range(1, DEPTH_MAX + 1):
        innermost = mail(f"Level {level}.", ("", innermost), subject=str(level))
    box = mailbox.mbox(tmp_path / "box.mbox")
    twice = b"# Same\n\nSent with each answer.\n"
    for number in range(3):
        box.add(mail(f"Answer {number}.", ("same.md", twice), ("own.md", b"# Own\n\nNumber %d.\n" % number)))
    box.close()
    base = make_base({"deep.eml": innermost.as_bytes(), "b/box.mbox": Path(tmp_path / "box.mbox").read_bytes()}, **LAX)
    summary = base.run()
    deepest = "deep.eml" + "::attachment-1.eml" * DEPTH_MAX
    assert failures(summary) == {f"{deepest}::*": "too_large"}
    assert "Level 0." in read(base, deepest)
    own = ["b/box.mbox::own (2).md", "b/box.mbox::own (3).md", "b/box.mbox::own.md", "b/box.mbox::same.md"]
    assert [path for path in listed(base) if path.startswith("b/box.mbox::")] == own
    assert base.run()["status"] == "unchanged"

    base.write("b/box.mbox", mail("Alone.", ("own.md", b"# Own\n\nNumber 9.\n")).as_bytes(unixfrom=True))
    changed = base.run(only=["docs/b/box.mbox::own.md"])
    assert changed["documents"]["retired"] == 3
    assert "Number 9." in read(base, "b/box.mbox::own.md")
    with base.connection() as connection:
        tokens = {row.uri: row.version_token for row in documents.observed(connection, base.name)}
    assert tokens["docs/b/box.mbox::own.md"].startswith(MARK)


@pytest.mark.req("D10.4", "D10.5", "D10.7")
def test_attached_files_are_hidden_with_their_mail_and_stay_as_long_as_it(make_base: MakeBase) -> None:
    lift, stairs = ("lift.md", b"# Lift\n\nThe lift opens at eight."), ("stairs.md", b"# Stairs\n\nThey are closed.")
    base = make_base({"a.eml": mail("See below.", lift).as_bytes()}, **LAX)
    base.source(store="formal", retention="90d")
    base.run()
    assert base.uris() == ["a.eml", "a.eml::lift.md"]

    def decide(*, lift: bool = False) -> dict[str, Any]:
        return suppress(base.workspace, "docs/a.eml", "legal", "Ana", "", lift=lift, dry_run=False)

    assert (decide()["attached"], base.uris()) == (1, [])
    base.write("a.eml", mail("See below.", lift, stairs).as_bytes())
    base.run()
    assert base.uris() == []
    assert (decide(lift=True)["attached"], base.uris()) == (2, ["a.eml", "a.eml::lift.md", "a.eml::stairs.md"])

    def age(uri: str) -> None:
        words = "UPDATE kprep.documents SET modified_at = now() - interval '91 days' WHERE kb = :kb AND uri = :uri"
        with base.connection() as connection:
            connection.execute(text(words), {"kb": base.name, "uri": uri})

    age("docs/a.eml::lift.md")  # the mail is of today
    base.source(retention="89d")  # so that all is compared
    assert (base.run()["documents"]["expired"], len(base.uris())) == (0, 3)
    age("docs/a.eml")
    base.run()
    assert base.uris() == []
    assert base.run()["documents"]["expired"] == 3
