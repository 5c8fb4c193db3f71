"""Code that is cut off in its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from kprep.core.ids import document_id
from quality.code import balanced, code_cut
from quality.spec import CandidateDocument, DocumentFigures, Finding
from tests.unit.quality.builder import CLIENT, make_candidate, make_chunk

WHOLE = "def run(pump):\n    start_pump(\n        pump,\n        speed=3,\n    )\n    while pump.on:\n        wait(1)"
JAVA = "class Pump {\n    void run() {\n        start(3);\n    }\n}"
PROSE = "The pump must be stopped by hand before the filter is changed."


def judged(now: Sequence[str], live: Sequence[str] | None = None, after: str = "") -> Finding:
    chunks = [make_chunk(CLIENT, number, text, "code") for number, text in enumerate(now)]
    if after:
        chunks.append(make_chunk(CLIENT, len(chunks), after))
    figures = DocumentFigures(1, 300, 1, "en")
    before = None if live is None else figures
    document = CandidateDocument(document_id("kb", "eng", CLIENT), CLIENT, "internal", figures, 300, 0.0, before)
    passages = [(("Title",), text) for text in live or ()]
    (finding,) = code_cut(make_candidate(chunks, documents=[document], live_text=lambda _: passages))
    return finding


def row(now: Sequence[str], live: Sequence[str] | None = None, after: str = "") -> tuple[str, str] | None:
    samples = judged(now, live, after).samples
    return (samples[0]["line"], samples[0]["reason"]) if samples else None


@pytest.mark.req("D9.9")
@pytest.mark.parametrize("live", [None, [WHOLE, JAVA, f'x = """\n{PROSE}\n"""']], ids=["new", "changed"])
@pytest.mark.parametrize(
    ("now", "line", "reason"),
    [
        (WHOLE[: WHOLE.index("        wait")], "    while pump.on:", "nothing stands in its block"),
        (WHOLE.replace("\n        pump,\n        speed=3,\n    )", ""), "    start_pump(", "a bracket stays open"),
        (WHOLE.replace("\n    )", ""), "    start_pump(", "a bracket stays open"),
        ("def one():\n\ndef two():\n    return 2", "def one():", "nothing stands in its block"),
        (JAVA[: JAVA.index("    }")], "class Pump {", "a bracket stays open"),
        (f'x = """\n{PROSE}', 'x = """', "a string or comment stays open"),
        ("if [ -f a ]; then\n  cat a", "if [ -f a ]; then", "its block stays open"),
        ("for a in *; do\n  if b; then\n    c\n  fi", "for a in *; do", "its block stays open"),
        (f"start_pump --speed 3\n\n{PROSE}", PROSE, "prose in code: a code block before it may not be closed"),
        (
            f"As shown:\n\nstart_pump --speed 3\n\n{PROSE}",
            PROSE,
            "prose in code: a code block before it may not be closed",
        ),
        (f"open(1)\n\n{PROSE}", PROSE, "prose in code: a code block before it may not be closed"),
        (f"open(1)\n\n## Filters\n\n{PROSE}", PROSE, "prose in code: a code block before it may not be closed"),
    ],
)
def test_code_cut_off_in_its_source_is_shown_by_its_line(
    now: str, line: str, reason: str, live: list[str] | None
) -> None:
    assert row([now], live) == (line, reason)


def test_what_is_told_only_beside_the_live_version() -> None:
    emptied = JAVA.replace("        start(3);\n", "")
    assert row([emptied], [JAVA]) == ("    void run() {", "its body is gone")
    headless = JAVA.partition("\n")[2]
    assert row([headless], [JAVA]) == ("}", "a bracket closes none")
    assert judged([emptied]).passed
    assert judged([headless]).passed


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        JAVA,
        "def connect(host, port):",
        "start_pump(\n    ...\nwhile pump.on:",
        "@@ -1,2 +1,2 @@\n-start_pump(\n+start_pump(3,\n",
        "the interval [0, 1) is half open :(\nsee the manual (page 3",
        "share = words[:: len(words) // 100]\nopen('https://a.example/(x)')  # don't: (",
        "check path/*.py\ncheck other/*.md",
        "for a in *; do\n  if b; then\n    c\n  fi\ndone\nif b; then c; fi",
        "if a then\n  b\nend",
        "case $1 in\n  a) echo 1 ;;\n  *) echo 2 ;;\nesac",
        "text.replace(/\\(/g, '')",
        "Start the pump as follows (by hand:\n\nstart_pump(3)",
        "Options:\n  --speed  How fast the pump is to turn, in turns per second.\n\nUsage: pump [OPTIONS]",
        "    def test_run():\n>       assert run() == 1\nE       assert 2 == 1",
        "on:\n  push:\nwith:\n- a",
    ],
)
def test_code_that_is_whole_or_an_excerpt(text: str) -> None:
    assert judged([text]).passed
    assert judged([text], [WHOLE]).passed


def test_what_stays_open_in_the_live_version_too_is_known() -> None:
    live = "start_pump(\n    speed=3,\nwait(1)"
    assert judged([live + "\nwait(2)"], [live]).passed
    template = f"Usage: pump [OPTIONS]\n\n{PROSE}"
    assert judged([template + "\nBye."], [template]).passed


def test_prose_of_the_live_version_within_code_needs_no_sign_of_code() -> None:
    assert row([f"make pump\n\n{PROSE}"], ["make pump", PROSE]) is not None
    assert judged([f"make pump\n\n{PROSE}"], [f"make pump\n\n{PROSE} Bye."]).passed
    assert judged([f"make pump\n\n{PROSE}"]).passed


def test_code_that_goes_on_in_the_next_chunk_is_whole() -> None:
    at = WHOLE.index("        wait")
    assert judged([WHOLE[:at], WHOLE[at:]]).passed
    assert judged([WHOLE, JAVA], after=PROSE).passed
    assert judged([WHOLE, f"{PROSE}\n\n{JAVA}"]).passed
    assert not judged([WHOLE, f"{PROSE}\n\n{PROSE}"]).passed
    assert balanced(WHOLE)


@pytest.mark.req("D9.9")
def test_a_cut_between_chunks_is_told_where_both_sides_had_fitted_in_one() -> None:
    lines = [f"    start_pump(number={number}, speed=3)" for number in range(12)]
    whole = ["def run():", *lines]
    assert judged(["\n".join(whole[:6]), "\n".join(whole[6:])]).passed, (
        "between statements of a language without braces"
    )
    block = ["void run() {", *lines, "}"]
    assert judged(["\n".join(block[:7]), "\n".join(block[7:])]).passed, "the block is larger than any chunk"
    call = ["start_pumps(", "    one,", "    two,", ")"]
    halves = ["\n".join(block), "\n".join(call[:2]), "\n".join(call[2:])]
    samples = judged(halves).samples
    assert [sample["ordinal"] for sample in samples] == [1, 2]
    assert all(sample["reason"].startswith("cut between two chunks") for sample in samples)


def test_members_of_a_class_are_symbols_of_their_own() -> None:
    parts = ["class Pump {\n    int speed;", "    void run() {\n        start(3);\n    }\n}", JAVA * 5]
    together = [make_chunk(CLIENT, number, text, "code") for number, text in enumerate(parts)]
    assert not code_cut(make_candidate(together))[0].passed
    apart = [replace(chunk, heading_path=("Title", str(number))) for number, chunk in enumerate(together)]
    assert code_cut(make_candidate(apart))[0].passed
