"""What a run does to a knowledge base, on the real database."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from flows.planning import status
from kprep.cli.output import failures, run_summary
from kprep.core.errors import PrepError, RetrievalError
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.pages import FOUR, HOLIDAYS, REFUNDS, SAFETY, TRAVEL, page

NOTHING = {"parsed": 0, "begun": {}, "boilerplate": 0, "embedded": 0, "embedding_cache_hits": 0, "hashed": 0}


@pytest.fixture
def base(make_base: MakeBase) -> TestBase:
    """Four documents, published as release 1."""
    made = make_base(FOUR)
    assert made.run()["status"] == "published"
    return made


@pytest.mark.req("D10.1", "D1.14")
def test_first_run_publishes_everything(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    summary = base.run()
    assert summary["status"] == "published"
    assert summary["release"] == 1
    assert summary["documents"]["added"] == 4
    assert summary["work"]["parsed"] == 4
    assert summary["chunks"]["children"] == summary["chunks"]["added"] == len(base.content())
    assert base.uris() == sorted(FOUR)
    assert all(chunk["has_vector"] and chunk["length"] > 0 for chunk in base.content())


@pytest.mark.req("D10.1", "D10.2", "D7.12")
def test_run_without_a_change_reads_no_file(base: TestBase, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bytes:
        raise AssertionError(f"read {self}")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    summary = base.run()
    assert (summary["status"], summary["work"]) == ("unchanged", NOTHING)
    assert summary["documents"]["unchanged"] == 4


@pytest.mark.req("D10.2", "D10.3")
def test_f10_new_time_but_old_content_is_hashed_once(base: TestBase) -> None:
    base.touch("travel.md")
    summary = base.run()
    assert (summary["status"], summary["work"]) == ("unchanged", {**NOTHING, "hashed": 1})
    assert base.run()["work"] == NOTHING


@pytest.mark.req("D10.1", "D10.3", "D11.3", "D7.12")
def test_edit_embeds_only_the_chunks_whose_text_changed(base: TestBase) -> None:
    before = base.content()
    base.write("refunds.md", REFUNDS.replace("a letter confirms", "an e-mail confirms"))
    summary = base.run()
    after = base.content()
    new_texts = {chunk["content_hash"] for chunk in after} - {chunk["content_hash"] for chunk in before}
    assert summary["status"] == "published"
    assert summary["documents"] | {"changed": 1, "unchanged": 3} == summary["documents"]
    assert summary["work"]["parsed"] == 1
    assert summary["work"]["embedded"] == len(new_texts)
    assert 0 < len(new_texts) < len(after)
    old = {chunk["chunk_id"] for chunk in base.chunks("refunds.md", release=1)}
    kept = old & {chunk["chunk_id"] for chunk in base.chunks("refunds.md")}
    assert summary["chunks"]["removed"] == len(old) - len(kept)
    assert not base.search("a letter confirms the transfer", "lexical")[0]["text"].count("a letter confirms")


@pytest.mark.req("D10.4", "D10.6", "D1.14")
def test_deleted_file_is_gone_from_every_way_in(make_base: MakeBase) -> None:
    base = make_base(FOUR, views={"all": {"fields": ["text", "document_uri"]}})
    base.run()
    chunk = base.chunks("travel.md")[0]
    base.delete("travel.md")
    summary = base.run()
    assert summary["documents"]["retired"] == 1
    assert base.uris() == ["holidays.md", "refunds.md", "safety.md"]
    for mode in ("lexical", "dense", "hybrid", "hybrid+references"):
        found = base.search("What is the travel allowance in Germany?", mode)
        assert all(hit["document_uri"] != "docs/travel.md" for hit in found)
    with base.connection() as connection:
        reader = base.reader(connection)
        for address in (chunk["chunk_id"], "docs/travel.md"):
            with pytest.raises(RetrievalError):
                reader.get(address)
        connection.execute(text("SET LOCAL kprep.principals = 'staff'"))
        connection.execute(text("SET LOCAL kprep.tenant = 'acme'"))
        shown = connection.execute(text(f"SELECT DISTINCT document_uri FROM published.{base.name}__all")).scalars()
        assert "docs/travel.md" not in set(shown)
    with pytest.raises(RetrievalError):
        base.chunks("travel.md")


@pytest.mark.req("D10.4", "D9.11")
def test_deletion_takes_effect_although_the_gate_blocks(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.run()
    base.delete("travel.md")
    base.block()
    summary = base.run()
    assert summary["status"] == "blocked", summary["gate"]
    assert base.live() == 1
    assert base.uris() == ["holidays.md", "refunds.md", "safety.md"]
    assert base.search("travel allowance in Germany", "lexical") == []
    assert base.uris(release=1) == base.uris()


@pytest.mark.req("D10.1")
def test_rename_computes_nothing_and_equals_a_fresh_build(base: TestBase, make_base: MakeBase) -> None:
    base.rename("travel.md", "journeys/travel.md")
    summary = base.run()
    assert summary["documents"] | {"renamed": 1, "retired": 0, "added": 0} == summary["documents"]
    assert (summary["work"]["parsed"], summary["work"]["embedded"]) == (0, 0)
    assert base.uris() == ["holidays.md", "journeys/travel.md", "refunds.md", "safety.md"]
    fresh = make_base({name if name != "travel.md" else f"journeys/{name}": body for name, body in FOUR.items()})
    fresh.run()
    assert base.content() == fresh.content()


@pytest.mark.req("D10.4")
def test_one_of_two_identical_documents_is_deleted(make_base: MakeBase) -> None:
    base = make_base({"a.md": REFUNDS, "b.md": REFUNDS, "c.md": TRAVEL})
    base.run()
    base.delete("a.md")
    base.run()
    assert base.uris() == ["b.md", "c.md"]
    hits = base.search("When is a refund paid?", "hybrid")
    assert {hit["document_uri"] for hit in hits} >= {"docs/b.md"}
    assert "docs/a.md" not in {hit["document_uri"] for hit in hits}
    assert len(base.chunks("b.md")) == len(base.content()) - len(base.chunks("c.md"))


@pytest.mark.req("D10.5")
def test_permission_change_computes_nothing(base: TestBase) -> None:
    base.source(acl=["board"])
    summary = base.run()
    assert summary["documents"]["repermissioned"] == 4
    assert (summary["work"]["parsed"], summary["work"]["embedded"]) == (0, 0)
    assert base.uris(["staff"]) == []
    assert base.uris(["board"]) == sorted(FOUR)
    assert base.search("travel allowance", "hybrid", ["staff"]) == []


@pytest.mark.req("D1.15", "D10.5")
def test_widened_permission_reaches_readers(base: TestBase) -> None:
    base.source(acl=["board"])
    base.run()
    base.source(acl=["board", "staff"])
    base.run()
    assert base.uris(["staff"]) == sorted(FOUR)


def test_failing_documents_take_no_other_down(make_base: MakeBase) -> None:
    files = {
        **FOUR,
        "broken.pdf": b"%PDF-1.4 nothing",
        "drawing.vsd": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 64,
        "empty.md": "",
    }
    base = make_base(files)
    summary = base.run()
    assert summary["status"] == "published"
    assert summary["documents"]["failed"] == 3
    reasons = {failure["uri"]: failure["reason"] for failure in summary["failures"]}
    assert reasons == {
        "docs/broken.pdf": "corrupt",
        "docs/drawing.vsd": "unsupported_format",
        "docs/empty.md": "no_text",
    }
    assert base.uris() == sorted(FOUR)
    again = base.run()
    assert (again["status"], again["work"]) == ("unchanged", NOTHING)
    assert again["documents"]["failed"] == 3


def test_document_that_fails_after_a_change_keeps_its_live_version(base: TestBase) -> None:
    before = base.chunks("travel.md")
    base.write("travel.md", "")
    base.write("safety.md", SAFETY.replace("one day", "two days"))
    summary = base.run()
    assert summary["status"] == "published"
    assert [failure["uri"] for failure in summary["failures"]] == ["docs/travel.md"]
    assert base.chunks("travel.md") == before
    assert "two days" in base.chunks("safety.md")[0]["text"]


def test_failure_ends_when_the_document_is_as_it_was(base: TestBase) -> None:
    base.write("travel.md", "")
    assert base.run()["documents"]["failed"] == 1
    base.write("travel.md", TRAVEL)
    summary = base.run()
    assert (summary["status"], summary["failures"]) == ("unchanged", [])


def test_failure_of_a_document_that_left_is_forgotten(base: TestBase) -> None:
    base.write("broken.pdf", b"%PDF-1.4 nothing")
    assert base.run()["documents"]["failed"] == 1
    base.delete("broken.pdf")
    summary = base.run()
    assert (summary["status"], summary["failures"]) == ("unchanged", [])
    with base.connection() as connection:
        statement = text("SELECT count(*) FROM kprep.documents WHERE kb = :kb AND listed")
        assert connection.execute(statement, {"kb": base.name}).scalar_one() == 4


@pytest.mark.req("D10.4")
def test_deleted_file_that_comes_back_is_visible_again(base: TestBase) -> None:
    base.delete("travel.md")
    base.run()
    base.write("travel.md", TRAVEL)
    summary = base.run()
    assert (summary["work"]["parsed"], summary["work"]["embedded"]) == (0, 0)
    assert base.uris() == sorted(FOUR)
    assert base.search("travel allowance in Germany", "lexical")[0]["document_uri"] == "docs/travel.md"


def test_missing_source_fails_and_deletes_nothing(base: TestBase) -> None:
    base.path("").rename(base.folder / "moved")
    assert base.run()["status"] == "failed"
    assert base.uris() == sorted(FOUR)
    with base.connection() as connection:
        statement = text("SELECT status, summary ->> 'message' FROM kprep.runs WHERE kb = :kb ORDER BY number DESC")
        status, message = connection.execute(statement, {"kb": base.name}).first() or ("", "")
    assert status == "failed"
    assert "does not exist" in message
    (base.folder / "moved").rename(base.path(""))
    assert base.run()["status"] == "unchanged"


def test_f04_source_that_lists_nothing_waits(base: TestBase) -> None:
    for name in FOUR:
        base.delete(name)
    summary = base.run()
    assert summary["status"] == "waiting"
    assert "lists nothing" in summary["message"]
    assert base.uris() == sorted(FOUR)


@pytest.mark.req("D10.1")
def test_a_source_taken_out_of_the_configuration_waits(base: TestBase) -> None:
    """Its documents neither stay for ever nor go by a slip of the pen; renamed, it keeps them without a question."""
    base.source(name="papers")
    assert base.run()["documents"]["renamed"] == len(FOUR)
    base.write("../other/only.md", REFUNDS)
    base.configure(sources=[{**base.config["sources"][0], "name": "other", "path": "other"}])
    summary = base.run()
    assert summary["status"] == "waiting"
    assert "source papers is no longer configured" in summary["message"]
    summary = base.run(allow_deletes=True)
    assert (summary["status"], summary["documents"]["retired"]) == ("published", len(FOUR) - 1)


def test_mass_deletion_waits_for_an_operator(make_base: MakeBase) -> None:
    quality = {"thresholds": {"short_share": 1.0}, "mass_delete_documents": 1}
    base = make_base(FOUR, quality=quality)
    base.run()
    base.delete("travel.md")
    base.delete("safety.md")
    summary = base.run()
    assert summary["status"] == "waiting"
    assert "2 of 4 documents are gone" in summary["message"]
    assert base.uris() == sorted(FOUR)
    assert base.run(allow_deletes=True)["status"] == "published"
    assert base.uris() == ["holidays.md", "refunds.md"]


def test_f06_unreadable_file_keeps_its_version(base: TestBase, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.read_bytes

    def refuse(self: Path) -> bytes:
        if self.name == "travel.md":
            raise PermissionError(13, "Permission denied")
        return real(self)

    base.touch("travel.md")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", refuse)
        summary = base.run()
    assert [failure["reason"] for failure in summary["failures"]] == ["source_unreadable"]
    assert base.uris() == sorted(FOUR)
    assert base.run()["failures"] == []


def test_repeated_paragraphs_have_chunks_of_their_own(make_base: MakeBase) -> None:
    same = "Read the manual before you open the cabinet, and keep the key in your pocket at all times. " * 6
    base = make_base({"a.md": f"# One\n\n{same}\n\n# Two\n\n{same}\n\n# One\n\n{same}\n"})
    base.run()
    ids = [chunk["chunk_id"] for chunk in base.chunks("a.md")]
    assert len(ids) == len(set(ids)) == 3


def test_failed_run_gives_its_lock_back(base: TestBase, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows import run as steps

    def fail(*_: object, **__: object) -> None:
        raise PrepError("made to fail")

    with monkeypatch.context() as patched:
        patched.setattr(steps, "plan", fail)
        with pytest.raises(PrepError, match="made to fail"):
            base.run()
    other = TestBase(base.folder, base.name, base.config)
    try:
        assert other.run()["status"] == "unchanged"
    finally:
        other.close()
    assert base.run()["status"] == "unchanged"


@pytest.mark.req("D10.1")
def test_everything_at_once_equals_a_fresh_build(base: TestBase, make_base: MakeBase) -> None:
    base.write("refunds.md", REFUNDS.replace("fourteen", "thirty"))
    base.run()
    base.rename("travel.md", "journeys.md")
    base.write("new.md", page("Keys", "Keys are handed out at the reception on the ground floor, against a signature."))
    base.run()
    base.delete("holidays.md")
    base.write("refunds.md", "Terms of return\n===============\n\n" + REFUNDS.split("\n", 2)[2])
    base.source(acl=["staff", "board"], owner="people")
    base.run()
    base.rename("journeys.md", "travel.md")
    base.write("holidays.md", HOLIDAYS)
    assert base.run()["status"] == "published"
    fresh = make_base(
        {path.name: path.read_bytes() for path in base.path("").iterdir()}, sources=base.config["sources"]
    )
    fresh.run()
    assert base.content() == fresh.content()


@pytest.mark.req("D5.1", "D5.5")
def test_a_file_name_with_personal_data_is_refused_and_stored_nowhere(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.write("letter to jane.roe@kelvarra-mail.net.md", page("Letter", "The letter was answered in March."))
    summary = base.run()
    assert summary["status"] == "published"
    [failure] = summary["failures"]
    assert failure["reason"] == "personal_name"
    assert "jane.roe" not in str(summary)
    assert "<EMAIL>" in failure["uri"]
    assert summary["documents"]["failed"] == 1
    assert base.run()["status"] == "unchanged"


def test_a_run_whose_only_news_fails_publishes_nothing(make_base: MakeBase) -> None:
    base = make_base(FOUR)
    base.run()
    base.write("broken.pdf", b"%PDF-1.4 nothing")
    summary = base.run()
    assert summary["status"] == "unchanged"
    assert summary["release"] == summary["base_release"] == 1
    assert summary["documents"]["failed"] == 1
    assert summary["documents"]["added"] == 0


def test_a_failure_is_named_in_full_once_and_then_counted(
    make_base: MakeBase, capsys: pytest.CaptureFixture[str]
) -> None:
    base = make_base({"a.md": "# A\n\nThe boiler is looked after by the house keeper.\n", "b.pdf": b"%PDF-1.4 nothing"})
    run_summary(base.run())
    assert "docs/b.pdf  corrupt at parse" in " ".join(capsys.readouterr().out.split(" "))
    again = base.run()
    assert [(row["uri"], row["new"]) for row in again["failures"]] == [("docs/b.pdf", False)]
    run_summary(again)
    said = capsys.readouterr().out
    assert "as in the run before: 1 corrupt; `kprep status --failures` lists them" in said
    assert "b.pdf" not in said
    base.write("c.pdf", b"%PDF-1.4 nothing")
    run_summary(base.run())
    said = capsys.readouterr().out
    assert "1 document did not come through" in said
    assert "docs/c.pdf" in said
    assert "as in the run before: 1 corrupt" in said
    failures(status(base.workspace)["failures"], most=10_000)
    assert "docs/b.pdf" in capsys.readouterr().out
