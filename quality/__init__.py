"""The gate: measures a candidate release and says whether it may be published. Pure.

In: a `Candidate` (chunks, fixed questions, thresholds, and the callables that ask, open and scan).
Out: a `GateReport`: "passed" or "blocked", findings with value, threshold, message and samples, measures per class.

A finding at level error that failed blocks the batch as a whole; warnings and infos are read by people. A check that
raises, or gives nothing, becomes a failed error-level finding "could not be measured": never a pass, never a partial
gate. Every check runs, also after another one failed, so that an operator sees all there is to repair.

Counts: `release_empty`, `view_empty`, `documents_failed`, `chunks_empty`, `chunks_short`, `chunks_duplicate` (of
several documents; warning under 50 chunks), `chunks_repeated` (of one), `chunks_over_limit`, `vectors_missing`.
Wording: `text_encoding` (lost or wrongly decoded characters; doubtful ones, and garbled words, as `text_doubtful`),
`placeholders_left`, `error_pages`, `personal_data` (scan of new chunks, `text` and `index_text`), `code_cut` (a bracket
cut between two chunks though it fits in one, or that stays open in new code), `table_header`, `tables_lost`,
`columns_shifted`, `language_mismatch`, `language_changed`.
Coverage of new documents: `chunks_missing`, `text_lost`, `text_shrunk`, `headings_lost`, `chunk_count` (robust z),
`reading_order`, `index_text`, `parents_wrong`, `keywords_missing`, `sections_gone`.
Likeness: `chunks_similar` (MinHash), `documents_repeated`, `lines_repeated`, `clauses_conflict`, `figures_changed`,
`duties_turned`.
Change: `mass_change`, `permissions_widened`, `metadata_differs`, `validity_lost`, `documents_exchanged`,
`formats_gone`, `newer_first`, `vectors_wrong` (some vectors computed again).
Readers: `readers_lost`, `copies_wider` (also of what is more sensitive, in parts of chunks).
Citations: `locator_opens` opens the originals of a fixed sample of new chunks; 90 % of their words must stand there,
and all numbers, in their case and with the cells of a row in order. `headings_wrong` looks for the headings.
References: `relations_broken`, those that lead nowhere any more.
Questions: `questions_measured`, `questions_recall`, `questions_mrr`, `questions_worse`, `questions_unanswered`,
`questions_denied`, `questions_no_answer`, `questions_stale`.

Questions expect source spans (document + quote), never chunk ids, so that re-chunking breaks no label. Classes
identifier, natural, mixed and reference are averaged: hit@1, hit@5, recall@5, MRR with cutoff 10. no_answer and denied
are counted apart and enter no average. A question that raised is counted as failed and enters none either, and the
gate blocks. A hit given twice finds nothing new, so recall is at most 1. Too few questions: "inconclusive", not a pass
or a fail. Each question is asked once per release.

Samples hold ids, places and at most 80 characters of chunk text, and no text of a chunk with personal data in it.
Never: a decision from a check that did not run; document text or a found value in a message; a clock or randomness.

Adding a check: a function `Candidate -> findings` and its `CheckSpec` in a file's `CHECKS`.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from kprep.core.registry import by_name
from quality import (
    change,
    clauses,
    code,
    counts,
    coverage,
    duties,
    figures,
    languages,
    likeness,
    locators,
    readers,
    references,
    regression,
    sections,
    tables,
    unfinished,
    wording,
)
from quality.evaluation import asked_once, evaluate
from quality.questions import load_questions
from quality.report import report_from_json, report_json, status_of
from quality.second_scan import SecondScanner
from quality.spec import Candidate, CheckSpec, Finding, GateReport

CHECKS = by_name(
    (
        *counts.CHECKS,
        *coverage.CHECKS,
        *sections.CHECKS,
        *wording.CHECKS,
        *unfinished.CHECKS,
        *code.CHECKS,
        *tables.CHECKS,
        *languages.CHECKS,
        *likeness.CHECKS,
        *clauses.CHECKS,
        *figures.CHECKS,
        *duties.CHECKS,
        *change.CHECKS,
        *readers.CHECKS,
        *locators.CHECKS,
        *references.CHECKS,
        *regression.CHECKS,
    )
)
"""Every check, in the order of the report."""


def run_gate(candidate: Candidate) -> GateReport:
    """The report of all checks on a candidate; the same candidate gives the same report. Raises nothing of a check."""
    candidate = replace(
        candidate,
        live_text=lru_cache(maxsize=1024)(candidate.live_text),
        ask=asked_once(candidate.ask),
        ask_live=asked_once(candidate.ask_live) if candidate.ask_live else None,
    )
    findings = tuple(finding for check in CHECKS.values() for finding in _run(check, candidate))
    return GateReport(status_of(findings), findings, _evaluation(candidate))


def _run(check: CheckSpec, candidate: Candidate) -> tuple[Finding, ...]:
    try:
        findings = tuple(check.run(candidate))
    except Exception as error:  # noqa: BLE001  what a check did not measure must block, whatever the reason
        return (_not_measured(check, f"it raised {type(error).__name__}"),)
    return findings or (_not_measured(check, "it gave no finding"),)


def _not_measured(check: CheckSpec, reason: str) -> Finding:
    return Finding(check.name, "error", False, None, None, f"could not be measured: {reason}")


def _evaluation(candidate: Candidate) -> dict[str, Any]:
    """Measures of the candidate and, as `live`, of the live release. An error is in the checks' findings as well."""
    try:
        measured = regression.measured_now(candidate).to_json()
        if candidate.ask_live:
            measured["live"] = evaluate(candidate.questions, candidate.ask_live).to_json()
    except Exception as error:  # noqa: BLE001  see _run: the report says it, the findings block
        return {"error": type(error).__name__}
    return measured


__all__ = ["CHECKS", "SecondScanner", "evaluate", "load_questions", "report_from_json", "report_json", "run_gate"]
