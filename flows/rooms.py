"""One document through the rooms, from bytes to enriched chunks. Unredacted text never leaves this function's frame."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import chunking
import cleaning
import enrichment
import parsers
import redaction
from embedding import token_counter
from flows.kept import Kept, pack_parsed, pack_redacted, unpack_parsed, unpack_redacted
from flows.metadata import check_front_matter
from flows.rules import STAGES, RuleSet
from kprep.core.errors import NoText, PrepError, UnreadableText
from kprep.core.ids import content_hash
from kprep.core.legible import unreadable
from kprep.core.models import (
    ChunkedDocument,
    EnrichedDocument,
    Failure,
    Locator,
    ParsedDocument,
    PreparedDocument,
    RawDocument,
    RedactedDocument,
)


@lru_cache(maxsize=64)
def _redactor(policy: redaction.RedactionPolicy, key: bytes, tenant: str) -> redaction.Redactor:
    return redaction.Redactor(policy, key, tenant)


def redactor_of(rules: RuleSet, source: str | None = None) -> redaction.Redactor:
    """The redactor of these rules for a source's documents, or for text of any source; made once per process."""
    policy = rules.redaction.of_any_source() if source is None else rules.redaction.of_source(source)
    return _redactor(policy, rules.key, rules.tenant)


def instruct_parsers(rules: RuleSet) -> None:
    """Let the parsers of this context know what these rules say of recordings and passwords."""
    parsers.recording.SETTINGS.set(rules.speech)
    parsers.passwords.PASSWORDS.set(rules.passwords)


def source_of(uri: str) -> str:
    """Name of the source a document comes from."""
    return uri.partition("/")[0]


def edge_blocks(parsed: ParsedDocument, rules: RuleSet) -> dict[str, str]:
    """Edge blocks of a document by what is recorded of them: hash keyed with the redaction key -> hash of the words.

    Keyed, since the words are not redacted yet and a short line could be guessed."""
    found = cleaning.edge_blocks(parsed)
    return {hmac.new(rules.key, block.encode(), hashlib.sha256).hexdigest()[:32]: block for block in found}


def with_repeated(rules: RuleSet, blocks: dict[str, str], repeated: Sequence[str]) -> RuleSet:
    """The rules for a document with these edge blocks, of which its source repeats some (keyed hashes)."""
    found = [blocks[key] for key in repeated if key in blocks]
    return replace(rules, cleaning=rules.cleaning.with_boilerplate(found))


def walk(
    document: Any, doc_type: str, rules: RuleSet, stages: tuple[str, ...] = STAGES
) -> Iterator[tuple[str, Any, float]]:
    """(stage, what the room gave, seconds) for each of these stages in order. `document`: what the first one takes.

    Raises: PrepError of the room that refused.
    """
    count_tokens = token_counter(rules.tokenizer)
    instruct_parsers(rules)

    def redact(document: Any) -> RedactedDocument:
        return redactor_of(rules, source_of(document.uri)).redact(document)

    steps: dict[str, Callable[[Any], Any]] = {
        "parse": lambda document: parsers.parse(document, parsers.parser_for(document.media_type)),
        "clean": lambda document: cleaning.clean(document, rules.cleaning),
        "redact": redact,
        "chunk": lambda document: chunking.chunk(
            enrichment.with_language(document), rules.profile(doc_type), count_tokens
        ),
        "enrich": lambda document: enrichment.enrich(document, rules.profile(doc_type).max_tokens, count_tokens),
    }
    for stage in stages:
        started = time.perf_counter()
        document = steps[stage](document)
        yield stage, document, time.perf_counter() - started


@dataclass(frozen=True, slots=True)
class Job:
    """One document to prepare. `raw.content` is empty where `kept` takes its place; `stage`: the first room to do;
    `repeated`: keyed hashes of its edge blocks that its source repeats."""

    raw: RawDocument
    doc_type: str
    stage: str = STAGES[0]
    kept: Kept | None = None
    repeated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a document became, or why it failed. `kept`: new results for the restricted zone, if there are any.
    `edges`: keyed hashes of its edge blocks, None where its parsed form was not looked at. `own_permissions`: of a
    failure, what the document's front matter says of who may read it."""

    result: PreparedDocument | Failure
    kept: Kept | None = field(default=None, repr=False)
    edges: tuple[str, ...] | None = None
    own_permissions: Mapping[str, Any] = field(default_factory=dict)


Enter = Callable[[str, Mapping[str, Any]], None]
"""Called before each room, with its name and what the document's front matter is known to say of who may read it."""


def prepare(job: Job, rules: RuleSet, enter: Enter = lambda _stage, _own: None) -> Outcome:
    """What a document became, or why it failed.

    An unexpected error becomes `internal_error` with the error's class and place, without its message: a library's
    message may quote the document. Kept results that cannot be read give a failure at stage "restore".
    """
    way = _Way(job, rules.of_content(content_hash(job.raw.content)) if rules.accepted else rules)
    try:
        for stage in way.stages():
            enter(stage, way.own_permissions)
            way.go(stage)
        _require_chunks(way.document)
        return Outcome(way.prepared(), way.kept(), way.edges)
    except Exception as error:  # noqa: BLE001 -- one document's surprise must not take the batch down
        return Outcome(refusal(way.stage, error), own_permissions=way.own_permissions)


def refusal(stage: str, error: Exception) -> Failure:
    """What an error at a stage says of a document, without a library's message, which may quote it."""
    if isinstance(error, PrepError):
        return Failure(stage, error.reason, described(error), error.retryable, error.context)
    if isinstance(error, MemoryError):
        return Failure(stage, "out_of_memory", "needs more memory than one document may take", retryable=False)
    return Failure(stage, "internal_error", f"unexpected {type(error).__name__} {_place(error)}", retryable=False)


class _Way:
    """One document on its way through the rooms: what the last one gave, and what earlier ones gave."""

    def __init__(self, job: Job, rules: RuleSet) -> None:
        self._job, self._rules = job, rules
        self.stage = STAGES[0]
        self.document: Any = job.raw
        self._parsed: ParsedDocument | None = None
        self._redacted: RedactedDocument | None = None
        self.edges: tuple[str, ...] | None = None
        self._removed = 0.0
        self._coverage: float | None = None
        self._seconds: dict[str, float] = {}
        self.own_permissions: dict[str, Any] = {}

    def stages(self) -> Iterator[str]:
        """Rooms to go through; where results are kept, those after them."""
        begin = self._job.stage if self._job.kept is not None else STAGES[0]
        if self._job.kept is not None:
            self.stage = "restore"
            yield self.stage
            begin = "clean" if begin in ("clean", "redact") else "chunk"
        for self.stage in STAGES[STAGES.index(begin) :]:
            yield self.stage

    def go(self, stage: str) -> None:
        """Through one room. Raises: PrepError."""
        if stage == "restore":
            self._restore()
            return
        for _, outcome, elapsed in walk(self.document, self._job.doc_type, self._rules, (stage,)):
            self._seconds[stage] = round(elapsed, 4)
            self.document = outcome
        if stage == "parse":
            self._parsed = self.document
            self._look_at_permissions(self.document)
            self._look_at_edges(self.document)
            check_front_matter(self.document.metadata.front_matter)
            started = time.perf_counter()
            self._coverage = coverage_of(self._job.raw, self.document)
            self._seconds["coverage"] = round(time.perf_counter() - started, 4)
        elif stage == "clean":
            self._removed = round(cleaning.removed_share(self.document), 4)
        elif stage == "redact":
            self._redacted = self.document
        elif stage == "chunk":
            _require_readable(self.document)

    def _look_at_permissions(self, document: ParsedDocument | RedactedDocument) -> None:
        said = document.metadata.front_matter
        self.own_permissions = {name: said[name] for name in ("acl", "sections") if name in said}

    def _look_at_edges(self, parsed: ParsedDocument) -> None:
        blocks = edge_blocks(parsed, self._rules)
        self.edges = tuple(sorted(blocks))
        self._rules = with_repeated(self._rules, blocks, self._job.repeated)

    def _restore(self) -> None:
        assert self._job.kept is not None
        uri = self._job.raw.uri
        if self._job.stage in ("clean", "redact"):
            parsed, self._coverage = unpack_parsed(self._job.kept.parsed)
            self._look_at_permissions(parsed)
            check_front_matter(parsed.metadata.front_matter)
            self._look_at_edges(parsed)
            self.document = replace(parsed, uri=uri)
        else:
            redacted, self._removed, self._coverage = unpack_redacted(self._job.kept.redacted)
            self._look_at_permissions(redacted)
            self.document = self._redacted = replace(redacted, uri=uri)

    def prepared(self) -> PreparedDocument:
        """What came out of the last room."""
        redacted = self._redacted
        assert redacted is not None
        return PreparedDocument(
            document=self.document,
            media_type=redacted.media_type,
            parser=redacted.parser,
            units=redacted.units,
            removals=redacted.removals,
            redactions=redacted.redactions,
            seconds=self._seconds,
            removed_share=self._removed,
            coverage=self._coverage,
        )

    def kept(self) -> Kept | None:
        """What is new of what is kept."""
        if "redact" not in self._seconds or self._redacted is None:
            return None
        if self._parsed is not None:
            parsed = pack_parsed(replace(self._parsed, uri=""), self._coverage)
        else:
            assert self._job.kept is not None
            parsed = self._job.kept.parsed
        return Kept(parsed, pack_redacted(replace(self._redacted, uri=""), self._removed, self._coverage))


def coverage_of(raw: RawDocument, parsed: ParsedDocument) -> float | None:
    """Share of the source that reached an element; None where no other reading of the source succeeds. A figure only:
    what goes wrong in measuring fails no document."""
    try:
        return round(parsers.coverage(raw, parsed), 4)
    except Exception:  # noqa: BLE001 -- the other reading may fail where the parser did not
        return None


def quote(media_type: str, content: bytes, locator: Locator) -> str | Failure:
    """Text of an original at a locator, or why it cannot be opened."""
    outcome: str | Failure = _tried("quote", lambda: parsers.quote(media_type, content, locator))
    return outcome


def attached(media_type: str, content: bytes) -> list[tuple[str, bytes]] | Failure:
    """Files sent with a document, or why they cannot be read."""
    files = parsers.parser_for(media_type).attached
    outcome: list[tuple[str, bytes]] | Failure = _tried("parse", lambda: files(content) if files is not None else [])
    return outcome


def _tried(stage: str, read: Callable[[], Any]) -> Any:
    """What is read, or why it cannot be."""
    try:
        return read()
    except PrepError as error:
        return Failure(stage, error.reason, error.message, error.retryable)
    except Exception as error:  # noqa: BLE001 -- a library's surprise is this one document's fault alone
        return Failure(stage, "internal_error", f"unexpected {type(error).__name__} {_place(error)}", retryable=False)


def _require_chunks(document: EnrichedDocument) -> None:
    """Raises: NoText. Zero chunks is never success."""
    if not document.children:
        raise NoText("no chunk came out of this document")


def _require_readable(document: ChunkedDocument) -> None:
    """Raises: UnreadableText, by the measure of the gate, so that a document costs itself and not the batch."""
    found = [(child, reason) for child in document.children if (reason := unreadable(child.text, child.kind))]
    if found:
        child, reason = found[0]
        detail = (
            f"{reason} in {len(found)} of {len(document.children)} chunks; convert the original to UTF-8; the first is"
        )
        raise UnreadableText(detail, locator=child.locator.to_json(), chunks=len(found))


def described(error: PrepError) -> str:
    """What is wrong, with the place in the original where the error names one, and how to release what is no secret."""
    locator = error.context.get("locator")
    said = error.message
    if isinstance(locator, dict) and locator.get("cell") and not locator.get("sheet"):
        said += f" in cell {locator['cell']}"
    elif isinstance(locator, dict) and locator.get("line"):
        first, last = locator["line"]
        said += f" in line {first}" if first == last else f" in lines {first}-{last}"
    elif isinstance(locator, dict) and locator.get("page"):
        said += f" on page {locator['page']}"
    fingerprint = error.context.get("fingerprint")
    return f"{said} (if it is none: release fingerprint {fingerprint} in the policy)" if fingerprint else said


def _place(error: Exception) -> str:
    """Innermost place an error was raised: module and line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"in {trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}" if trace is not None else ""
