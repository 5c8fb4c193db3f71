"""A small candidate release that is all right, to be damaged by the tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kprep.core.ids import chunk_id, document_id
from kprep.core.models import Locator
from quality.spec import Candidate, CandidateChunk, Expected, Finding, GateReport, Hit, Question, Thresholds
from quality.text import words

TRAVEL, CODES, CLIENT, CHINESE, SALARY = (
    "people/travel.md",
    "eng/codes.md",
    "eng/client.md",
    "people/chinese.md",
    "board/salary.md",
)

TEXTS: dict[str, list[tuple[str, str]]] = {
    TRAVEL: [
        ("text", "Hotel costs are reimbursed up to 140 EUR per night, breakfast included."),
        ("text", "Write to <EMAIL_1f3a9c> before you book a flight, or see the travel portal for advice on visas."),
        ("list", "- trains in second class are always allowed\n- taxis need a receipt and a good reason"),
    ],
    CODES: [
        ("table", "Code | Meaning\nERR_CONN_1045 | uplink lost and the local buffer is almost full"),
        ("table", "Code | Meaning\nERR_SENS_1207 | ice on the probe suspected, reading unchanged"),
        ("text", "Every accident is reported within 24 hours with form HS-7 to the safety officer."),
    ],
    CLIENT: [
        ("code", 'def send(order):\n    return post("/v1/orders", json={"order": order})'),
        ("code", "def cancel(number):\n    # don't retry: (see the manual\n    return delete(path(number))"),
        ("text", "A repeated idempotency key within 24 hours returns the first answer of the server."),
    ],
    CHINESE: [("text", "员工出差的住宿费用每晚最高报销一百四十欧元，含早餐。")],
    SALARY: [("text", "An offer above the midpoint of a grade needs the signature of the head of people.")],
}

ORIGINALS: dict[str, str] = {
    TRAVEL: "# Travel\n\n**Hotel costs** are reimbursed up to 140&nbsp;EUR per\nnight, breakfast included.\n\n"
    "Write to travel@kelvarra.example before you book a *flight*, or see\n"
    "the [travel portal](https://t.example/p?a=b) for advice on visas.\n\n"
    "* trains in second class are always al-\nlowed\n* taxis need a receipt and a good reason\n",
    CODES: "| Code | Meaning |\n|---|---|\n| ERR_CONN_1045 | uplink lost and the local buffer is almost full |\n"
    "| `ERR_SENS_1207` | ice on the probe suspected, reading unchanged |\n\n"
    "Every accident is reported within 24 hours with form HS-7 to the safety officer.\n",
    CLIENT: "```python\n" + TEXTS[CLIENT][0][1] + "\n\n" + TEXTS[CLIENT][1][1] + "\n```\n" + TEXTS[CLIENT][2][1],
    CHINESE: TEXTS[CHINESE][0][1],
    SALARY: TEXTS[SALARY][0][1],
}


def make_chunk(uri: str, ordinal: int, text: str, kind: str = "text", **changes: Any) -> CandidateChunk:
    document = document_id("kb", uri.split("/", maxsplit=1)[0], uri)
    made = CandidateChunk(
        chunk_id=chunk_id(document, f"{ordinal} {text}"),
        document_id=document,
        document_uri=uri,
        ordinal=ordinal,
        kind=kind,
        text=text,
        index_text=f"Title\n{text}",
        heading_path=("Title",),
        language="en",
        tokens=len(words(text)) + 1,
        locator=Locator(line=(ordinal + 1, ordinal + 1)),
        is_new=True,
        original="sha256",
        media_type="text/markdown",
        parser="markdown@1",
        has_vector=True,
        keywords=("travel",),
    )
    return replace(made, **changes)


CHUNKS: tuple[CandidateChunk, ...] = tuple(
    make_chunk(uri, ordinal, text, kind) for uri, texts in TEXTS.items() for ordinal, (kind, text) in enumerate(texts)
)


def ask_question(id_: str, question: str, kind: str, *expected: tuple[str, str], **changes: Any) -> Question:
    spans = tuple(Expected(*span) for span in expected)
    made = Question(id=id_, question=question, kind=kind, principals=("staff",), expected=spans)
    return replace(made, **changes)


QUESTIONS: tuple[Question, ...] = (
    ask_question("hotel", "hotel costs per night", "natural", (TRAVEL, "reimbursed up to 140 EUR per night")),
    ask_question("visa", "advice on visas before a flight", "natural", (TRAVEL, "Write to <EMAIL_ffffff> before you")),
    ask_question("taxi", "taxis with a receipt", "natural", (TRAVEL, "taxis need a receipt")),
    ask_question(
        "accident", "accident reported within hours", "natural", (CODES, "reported within 24 hours with form")
    ),
    ask_question("again", "repeated idempotency key", "natural", (CLIENT, "returns the first answer of the server")),
    ask_question("code", "ERR_CONN_1045", "identifier", (CODES, "uplink lost and the local buffer")),
    ask_question("roses", "pruning climbing roses", "no_answer"),
    ask_question(
        "offer", "offer above the midpoint of a grade", "denied", forbidden=(Expected(SALARY, "needs the signature"),)
    ),
)


def search(chunks: Sequence[CandidateChunk]) -> Callable[[Question, int], Sequence[Hit]]:
    """Ranks by the share of question words; documents of the board are only for the board."""

    def ask(question: Question, top_k: int) -> Sequence[Hit]:
        wanted = {word for word in words(question.question) if len(word) > 3}
        scored = [
            (len(wanted & set(words(chunk.text))), chunk)
            for chunk in chunks
            if not chunk.document_uri.startswith("board/") or "board" in question.principals
        ]
        best = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
        return [Hit(chunk.chunk_id, chunk.document_uri, chunk.text) for _, chunk in best[:top_k]]

    return ask


def scan_text(text: str) -> Sequence[str]:
    return ["EMAIL"] if "@" in text else []


def make_candidate(chunks: Sequence[CandidateChunk] = CHUNKS, **changes: Any) -> Candidate:
    made = Candidate(
        release=2,
        base_release=1,
        chunks=chunks,
        questions=QUESTIONS,
        ask=search(chunks),
        ask_live=search(CHUNKS),
        open_original=lambda chunk: ORIGINALS[chunk.document_uri],
        scan_text=scan_text,
        max_tokens=256,
        needs_vectors=True,
        listed=5,
        failed=0,
        views={"all": len(chunks)},
        thresholds=Thresholds(recall_at_5=0.85, mrr=0.6),
        total=len(chunks),
    )
    return replace(made, **changes)


def changed(number: int, **changes: Any) -> tuple[CandidateChunk, ...]:
    """The good chunks with one of them changed."""
    return (*CHUNKS[:number], replace(CHUNKS[number], **changes), *CHUNKS[number + 1 :])


def with_text(number: int, text: str, **changes: Any) -> tuple[CandidateChunk, ...]:
    return changed(number, text=text, index_text=f"Title\n{text}", **changes)


def one(report: GateReport, code: str) -> Finding:
    """The findings of one code must be one."""
    (finding,) = [finding for finding in report.findings if finding.code == code]
    return finding


def failed_codes(report: GateReport) -> dict[str, str]:
    return {finding.code: finding.level for finding in report.findings if not finding.passed}
