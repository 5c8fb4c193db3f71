"""`kprep try`: a file as a document of its source, and expressions of the rules that would never end."""

import time
from pathlib import Path

import pytest

from flows.rooms import Job
from flows.trying import try_file
from flows.walked import walked
from flows.workspace import Workspace
from kprep.core import bounded
from kprep.core.errors import ConfigError
from kprep.core.models import RawDocument

SLOW = r"(a+)+$"
TEXT = "a" * 40 + "!"


def workspace(folder: Path, redaction: str = "{}", cleaning: str = "{}") -> Workspace:
    (folder / "manuals" / "deep").mkdir(parents=True)
    (folder / "manuals" / "deep" / "net.md").write_text(f"The router is 10.1.2.3 here.\n\n{TEXT}\n")
    (folder / "redaction.yaml").write_text(redaction)
    (folder / "cleaning.yaml").write_text(cleaning)
    (folder / "kprep.yaml").write_text(
        "knowledge_base: k\ntenant: t\nembedding: {provider: none}\n"
        "redaction: {policy: redaction.yaml}\ncleaning: {ruleset: cleaning.yaml}\n"
        "sources:\n  - {name: all, kind: filesystem, path: .}\n"
        "  - {name: net, kind: filesystem, path: manuals, doc_type: manual}\n"
    )
    return Workspace.open(folder)


@pytest.mark.req("D5.4")
def test_a_file_is_tried_as_a_document_of_the_source_that_holds_it(tmp_path: Path) -> None:
    opened = workspace(tmp_path, "allow_in: {net: {addresses: [10.1.0.0/16]}}")
    file = tmp_path / "manuals" / "deep" / "net.md"
    tried = try_file(opened, file, "redact")
    assert (tried["source"], tried["redactions"], tried["failure"]) == ("net", [], None)
    assert [found["kind"] for found in try_file(opened, file, "redact", source="all")["redactions"]] == ["IP"]
    with pytest.raises(ConfigError, match="there is no source 'nets'; there are: all, net"):
        try_file(opened, file, "redact", source="nets")


@pytest.mark.parametrize(
    ("redaction", "cleaning", "rule"),
    [
        (f"patterns: {{NUMBER: '{SLOW}'}}", "{}", "patterns.NUMBER of the redaction policy"),
        ("{}", f"drop_lines: ['x', '{SLOW}']", "drop_lines[1] of the cleaning rules"),
    ],
)
def test_an_expression_without_end_is_ended_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, redaction: str, cleaning: str, rule: str
) -> None:
    monkeypatch.setattr(bounded, "RULE_SECONDS", 0.2)
    opened = workspace(tmp_path, redaction, cleaning)
    began = time.process_time()
    raw = RawDocument("net/net.md", "net.md", f"Text.\n\n{TEXT}\n".encode(), "text/markdown")
    failure = walked(Job(raw, "manual"), "redact", opened.rules, lambda _: None)["failure"]
    assert time.process_time() - began < 10
    assert failure["reason"] == "rule_too_slow"
    assert failure["detail"].startswith(f"{rule} takes over 0.2 s")


@pytest.mark.parametrize(
    ("name", "rows", "failure"),
    [
        ("hangs.md", 10, ("redact", "parse_timeout", "took longer than 3 s in one stage and was stopped")),
        ("eats.csv", 900_000, ("parse", "out_of_memory", "needs more memory than one document may take")),
    ],
)
def test_a_file_is_tried_within_the_limits_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, rows: int, failure: tuple[str, str, str]
) -> None:
    monkeypatch.setenv("KPREP_DOCUMENT_TIMEOUT_S", "3" if name == "hangs.md" else "60")
    monkeypatch.setenv("KPREP_DOCUMENT_MEMORY_MB", "1024")
    opened = workspace(tmp_path, f"patterns: {{NUMBER: '{SLOW}'}}")
    (tmp_path / name).write_text("a,b,c,d,e,f,g,h\n" * rows + f"\n{TEXT}\n")
    began = time.monotonic()
    tried = try_file(opened, tmp_path / name, "redact")
    assert time.monotonic() - began < 60
    stage, reason, detail = (tried["failure"][key] for key in ("stage", "reason", "detail"))
    assert (stage, reason, detail.partition(" (")[0]) == failure
    assert (tried["file"], tried["source"], tried["chunks"]) == (str(tmp_path / name), "all", [])


@pytest.mark.req("D3.1")
def test_the_share_of_the_source_that_reached_an_element_is_told(tmp_path: Path) -> None:
    opened = workspace(tmp_path)
    assert try_file(opened, tmp_path / "manuals" / "deep" / "net.md", "parse")["coverage"] == 1
    guide = tmp_path / "guide.adoc"
    guide.write_text("= Guide\n\ninclude::intro.adoc[]\n\nText.\n")
    tried = try_file(opened, guide, "parse")
    assert tried["coverage"] == 1
    assert [(unit["kind"], unit["state"]) for unit in tried["units"]] == [("file", "ok"), ("include", "not_extracted")]
