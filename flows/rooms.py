"""One document through the rooms, from bytes to enriched chunks. Unredacted text never leaves this function's frame."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import chunking
import cleaning
import enrichment
import parsers
import redaction
from embedding.tokenizer import load_tokenizer
from flows.metadata import check_front_matter
from flows.rules import RuleSet
from kprep.core.errors import NoText, PrepError
from kprep.core.models import (
    EnrichedDocument,
    Failure,
    Locator,
    ParsedDocument,
    PreparedDocument,
    RawDocument,
    RedactedDocument,
)


@lru_cache(maxsize=4)
def _redactor(policy: redaction.RedactionPolicy, key: bytes, tenant: str) -> redaction.Redactor:
    return redaction.Redactor(policy, key, tenant)


def redactor_of(rules: RuleSet) -> redaction.Redactor:
    """The redactor of these rules, made once per process."""
    return _redactor(rules.redaction, rules.key, rules.tenant)


def walk(raw: RawDocument, doc_type: str, rules: RuleSet) -> Iterator[tuple[str, Any, float]]:
    """(stage, what the room gave, seconds) for each stage in order. Raises: PrepError of the room that refused."""
    count_tokens = load_tokenizer(rules.tokenizer)

    def redact(document: Any) -> RedactedDocument:
        return redactor_of(rules).redact(document)

    steps: tuple[tuple[str, Callable[[Any], Any]], ...] = (
        ("parse", lambda document: parsers.parse(document, parsers.parser_for(document.media_type))),
        ("clean", lambda document: cleaning.clean(document, rules.cleaning)),
        ("redact", redact),
        ("chunk", lambda document: chunking.chunk(document, rules.profile(doc_type), count_tokens)),
        ("enrich", lambda document: enrichment.enrich(document, rules.profile(doc_type).max_tokens, count_tokens)),
    )
    document: Any = raw
    for stage, step in steps:
        started = time.perf_counter()
        document = step(document)
        yield stage, document, time.perf_counter() - started


def prepare(
    raw: RawDocument, doc_type: str, rules: RuleSet, enter: Callable[[str], None] = lambda _: None
) -> PreparedDocument | Failure:
    """What a document became, or why it failed. `enter(stage)` is called before each room.

    An unexpected error becomes `internal_error` with the error's class and place, without its message: a library's
    message may quote the document.
    """
    seconds: dict[str, float] = {}
    redacted: RedactedDocument | None = None
    removed = 0.0
    covered: float | None = None
    document: Any = None
    stages = iter(("parse", "clean", "redact", "chunk", "enrich", ""))
    stage = next(stages)
    enter(stage)
    try:
        for done, outcome, elapsed in walk(raw, doc_type, rules):
            seconds[done] = round(elapsed, 4)
            document = outcome
            if done == "parse":
                check_front_matter(outcome.metadata.front_matter)
                covered = _coverage(raw, outcome, seconds)
            if done == "clean":
                removed = cleaning.removed_share(outcome)
            if done == "redact":
                redacted = outcome
            stage = next(stages) or done
            enter(stage)
        _require_chunks(document)
    except PrepError as error:
        return Failure(stage, error.reason, error.message + _where(error), error.retryable, error.context)
    except MemoryError:
        return Failure(stage, "out_of_memory", "needs more memory than one document may take", retryable=False)
    except Exception as error:  # noqa: BLE001 -- one document's surprise must not take the batch down
        return Failure(stage, "internal_error", f"unexpected {type(error).__name__} {_place(error)}", retryable=False)
    assert redacted is not None
    return PreparedDocument(
        document=document,
        media_type=redacted.media_type,
        parser=redacted.parser,
        units=redacted.units,
        removals=redacted.removals,
        redactions=redacted.redactions,
        seconds=seconds,
        removed_share=round(removed, 4),
        coverage=covered,
    )


def _coverage(raw: RawDocument, parsed: ParsedDocument, seconds: dict[str, float]) -> float | None:
    """Share of the source that reached an element; None where no other reading of the source succeeds. A figure only:
    what goes wrong in measuring fails no document."""
    started = time.perf_counter()
    try:
        return round(parsers.coverage(raw, parsed), 4)
    except Exception:  # noqa: BLE001 -- the other reading may fail where the parser did not
        return None
    finally:
        seconds["coverage"] = round(time.perf_counter() - started, 4)


def quote(media_type: str, content: bytes, locator: Locator) -> str | Failure:
    """Text of an original at a locator, or why it cannot be opened."""
    try:
        return parsers.parser_for(media_type).quote(content, locator)
    except PrepError as error:
        return Failure("quote", error.reason, error.message, error.retryable)
    except Exception as error:  # noqa: BLE001 -- a library's surprise is this citation's fault alone
        return Failure("quote", "internal_error", f"unexpected {type(error).__name__} {_place(error)}", retryable=False)


def _require_chunks(document: EnrichedDocument) -> None:
    """Raises: NoText. Zero chunks is never success."""
    if not document.children:
        raise NoText("no chunk came out of this document")


def _where(error: PrepError) -> str:
    """Place in the original, for people, when the error names one."""
    locator = error.context.get("locator")
    said = ""
    if isinstance(locator, dict) and locator.get("line"):
        said = f" in line {locator['line'][0]}"
    elif isinstance(locator, dict) and locator.get("page"):
        said = f" on page {locator['page']}"
    fingerprint = error.context.get("fingerprint")
    return f"{said} (if it is none: release fingerprint {fingerprint} in the policy)" if fingerprint else said


def _place(error: Exception) -> str:
    """Innermost place an error was raised: module and line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"in {trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}" if trace is not None else ""
