"""Preparing from kept results gives what preparing from the bytes gives, for every format and from every stage."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from flows.kept import Kept, pack_parsed, unpack_parsed, unpack_redacted
from flows.rooms import Job, prepare
from flows.rules import RuleSet, load_rules
from kprep.config import load
from kprep.core.errors import StoreError
from kprep.core.models import Failure, PreparedDocument, RawDocument
from parsers.media_type import detect

GOLDEN = Path(__file__).parents[1] / "golden" / "parsers"
CASES = sorted(path.parent for path in GOLDEN.glob("*/input.*"))


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> RuleSet:
    folder = tmp_path_factory.mktemp("rules")
    source = "{name: docs, kind: filesystem, path: docs}"
    (folder / "kprep.yaml").write_text(f"knowledge_base: kept\ntenant: acme\nsources: [{source}]\n")
    return load_rules(load(folder), b"a key of the tests")


@pytest.mark.req("D4.16", "D11.2")
@pytest.mark.parametrize("folder", CASES, ids=lambda path: path.name)
def test_same_outcome_from_every_stage(folder: Path, rules: RuleSet) -> None:
    (source,) = folder.glob("input.*")
    content = source.read_bytes()
    raw = RawDocument(f"docs/{source.name}", source.name, content, detect(source.name, content))
    fresh = prepare(Job(raw, "document"), rules)
    if isinstance(fresh.result, Failure):
        assert fresh.kept is None
        return
    assert fresh.kept is not None
    kept = Kept.from_bytes(fresh.kept.to_bytes("kb", "hash", "parse"))
    assert kept == fresh.kept
    assert pack_parsed(*unpack_parsed(kept.parsed)) == kept.parsed
    moved = replace(raw, content=b"", uri="docs/elsewhere.txt")
    expected = prepare(Job(replace(raw, uri=moved.uri), "document"), rules).result
    assert isinstance(expected, PreparedDocument)
    for stage in ("clean", "redact", "chunk", "enrich"):
        again = prepare(Job(moved, "document", stage, kept), rules)
        assert isinstance(again.result, PreparedDocument)
        assert replace(again.result, seconds={}) == replace(expected, seconds={})
        assert "parse" not in again.result.seconds
        assert (again.kept == kept) if stage in ("clean", "redact") else again.kept is None


def test_what_cannot_be_read_is_told_from_a_failure_of_the_document(rules: RuleSet) -> None:
    raw = RawDocument("docs/a.md", "a.md", b"", "text/markdown")
    for stage in ("clean", "chunk"):
        result = prepare(Job(raw, "document", stage, Kept(b"not packed", b"not packed")), rules).result
        assert isinstance(result, Failure)
        assert result.stage == "restore"


@pytest.mark.parametrize("content", [b"", b"{}\n", b"[]\n", b"nothing", b'{"format":"older","parsed":1}\nab'])
def test_another_object_is_refused(content: bytes) -> None:
    with pytest.raises(StoreError):
        Kept.from_bytes(content)


@pytest.mark.req("D5.1")
def test_an_error_quotes_no_text(rules: RuleSet) -> None:
    raw = RawDocument("docs/a.md", "a.md", b"# Walrus\n\nThe walrus counts to 8814 and back again.\n", "text/markdown")
    kept = prepare(Job(raw, "document"), rules).kept
    assert kept is not None
    with pytest.raises(StoreError) as caught:
        unpack_redacted(kept.parsed)
    assert "alrus" not in str(caught.value) + repr(caught.value.__cause__) + repr(kept)
