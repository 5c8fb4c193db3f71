"""What the gate looks at and what it reports. Pure types."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from kprep.core.models import Locator

Level = Literal["error", "warning", "info"]
Passage = tuple[tuple[str, ...], str]
"""Heading path and text of a chunk."""
QUESTION_CLASSES = ("identifier", "natural", "mixed", "reference", "no_answer", "denied")


@dataclass(frozen=True, slots=True)
class Expected:
    """A source span: the document and the exact words, never a chunk id (re-chunking must not break labels)."""

    document: str
    quote: str


@dataclass(frozen=True, slots=True)
class Question:
    """A fixed question. `principals`: who asks. `forbidden`: what the asker must never be shown (class denied)."""

    id: str
    question: str
    kind: str
    principals: tuple[str, ...]
    expected: tuple[Expected, ...] = ()
    forbidden: tuple[Expected, ...] = ()

    @property
    def spans(self) -> tuple[Expected, ...]:
        """All places it names."""
        return self.expected + self.forbidden


@dataclass(frozen=True, slots=True)
class Hit:
    """A search hit as the gate sees it, best first."""

    chunk_id: str
    document_uri: str
    text: str


@dataclass(frozen=True, slots=True)
class CandidateChunk:
    """A chunk of the candidate. `is_new`: not in the base release in this place. `original`: object store address.

    `acl`: who may read the document; `section_acl`: who of them its section, None for all. Only narrows.
    `in_parent`: whether its section's text holds it where it says.
    """

    chunk_id: str
    document_id: str
    document_uri: str
    ordinal: int
    kind: str
    text: str
    index_text: str
    heading_path: tuple[str, ...]
    language: str
    tokens: int
    locator: Locator
    is_new: bool
    original: str
    media_type: str
    parser: str
    has_vector: bool
    acl: tuple[str, ...] = ()
    section_acl: tuple[str, ...] | None = None
    sensitivity: str = ""
    valid_from: date | None = None
    valid_until: date | None = None
    keywords: tuple[str, ...] = ()
    in_parent: bool = True


@dataclass(frozen=True, slots=True)
class Copy:
    """Another chunk of the candidate with a chunk's text: its document, its readers and sensitivity as in
    `CandidateChunk`."""

    document_uri: str
    acl: tuple[str, ...] = ()
    section_acl: tuple[str, ...] | None = None
    sensitivity: str = ""


@dataclass(frozen=True, slots=True)
class DocumentFigures:
    """A version of a document in numbers, with its metadata.

    `chars`: of its chunks' text. `headings`: different heading paths. `content`: hash of its bytes. `sections`: chunk
    id -> who may read its section, where that is narrower.
    """

    chunks: int
    chars: int
    headings: int
    language: str
    acl: tuple[str, ...] = ()
    valid_from: date | None = None
    valid_until: date | None = None
    content: str = ""
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CandidateDocument:
    """A document that is new in the candidate, or is in it with other content or metadata.

    `prepared`: what preparation made of it, whatever the candidate holds. `parsed_chars`: what its parser found.
    `removed_share`: what cleaning took of that, 0..1. `live`: as the live release has it, None when it is new.
    """

    document_id: str
    uri: str
    sensitivity: str
    prepared: DocumentFigures
    parsed_chars: int
    removed_share: float
    live: DocumentFigures | None = None


@dataclass(frozen=True, slots=True)
class TouchedRelation:
    """A reference between documents. `held`, `holds`: whether it leads somewhere in the live release, the candidate.

    `target`: URI or title it names. `is_new`: its document is live, and refers to that nowhere there. `anchor_held`,
    `anchor_holds`, `anchor_is_new`: the same of the place in its target, where it names one by its `anchor`. `anchors`:
    those of the target, where that is none of them.
    """

    document_uri: str
    kind: str
    written: str
    held: bool
    holds: bool
    target: str = ""
    is_new: bool = False
    anchor: str = ""
    anchor_held: bool = False
    anchor_holds: bool = False
    anchor_is_new: bool = False
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Floors and ceilings from the configuration. None: measured and reported, not judged."""

    recall_at_5: float | None = None
    mrr: float | None = None
    duplicate_share: float = 0.05
    short_share: float = 0.2
    failed_share: float | None = None
    broken_share: float | None = None
    removed_share: float = 0.5
    coverage: float = 0.9
    near_duplicate_share: float = 0.1
    chunk_coverage: float = 0.7
    language_share: float = 0.05
    changed_share: float = 0.5
    unanswered_share: float = 0.1
    worse_by: float = 0.1
    chunk_count_z: float = 3.5
    """Scaled median absolute deviations (Iglewicz and Hoaglin 1993)."""
    failed_warning: float = 0.1
    short_words: int = 4
    small_release: int = 50
    near_duplicate_likeness: float = 0.8
    repeated_share: float = 0.3
    shrunk_share: float = 0.5
    without_keywords: float = 0.5
    changed_documents: int = 20
    vector_cosine: float = 0.98
    locator_words: float = 0.9
    garbled_share: float = 0.05
    figure_factor: float = 10.0
    conflict_likeness: float = 0.8
    conflicts: Level = "warning"
    min_questions: int = 5
    locators_open: float = 0.98
    locator_sample: int = 200


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate release as the checks see it.

    `chunks`: what is new in it, and the documents that questions expect; the rest passed an earlier gate unchanged, so
    that the cost of the gate grows with the change. `total`: chunks of the whole candidate. `copies`: new chunk id ->
    other chunks of the candidate with the same text. `without_vector`: chunks of the candidate without one.
    `ask(question, top_k)`: hits of the candidate for the question's principals, best first; raises when it cannot.
    `ask_live`: the same on the live release, None when there is none. `open_original(chunk)`: text of the original at
    the chunk's locator, read afresh; raises when it cannot. `scan_text(text)`: kinds of personal data or secrets found.
    `relations`: those that changed documents make, or are the target of.
    `max_tokens`: the embedder's limit. `needs_vectors`: False in keyword-only mode. `listed`, `failed`: documents.
    """

    release: int
    base_release: int
    chunks: Sequence[CandidateChunk]
    questions: Sequence[Question]
    ask: Callable[[Question, int], Sequence[Hit]]
    ask_live: Callable[[Question, int], Sequence[Hit]] | None
    open_original: Callable[[CandidateChunk], str]
    scan_text: Callable[[str], Sequence[str]]
    max_tokens: int
    needs_vectors: bool
    listed: int
    failed: int
    views: Mapping[str, int]
    """View name -> chunks of the candidate it shows, counted no further than one."""
    thresholds: Thresholds
    total: int
    without_vector: int = 0
    copies: Mapping[str, Sequence[Copy]] = field(default_factory=dict)
    relations: Sequence[TouchedRelation] = ()
    narrowed: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)
    """Documents whose readers were narrowed at once, since the live release became that: URI -> (principals the live
    release lets in, principals let in now)."""
    withdrawn: Sequence[CandidateChunk] = ()
    """Chunks of live documents that the candidate no longer has."""
    today: date | None = None
    """Day of the gate, by which validity is judged; None: it is not."""
    removed: Mapping[str, float] = field(default_factory=dict)
    """New documents of which cleaning took more than the threshold: URI -> share of the characters."""
    uncovered: Mapping[str, float] = field(default_factory=dict)
    """New documents of which less than the threshold reached an element: URI -> share of the source's letters."""
    broken: Sequence[Mapping[str, str]] = ()
    """Parts of new documents that could not be read, {uri, problem}."""
    documents: Sequence[CandidateDocument] = ()
    """Documents with anything new in them."""
    live_text: Callable[[str], Sequence[Passage]] = lambda _: ()
    """Chunks of a document's live version in order, by document id."""
    live_views: Mapping[str, int] = field(default_factory=dict)
    """As `views`, of the live release."""
    live_documents: int = 0
    """Documents of the live release."""
    retired: int = 0
    """Documents of the live release that the candidate no longer has."""
    gone: frozenset[str] = frozenset()
    """URIs of those of them that questions name."""
    formats_gone: Mapping[str, int] = field(default_factory=dict)
    """Media types that no document of the candidate has any more -> documents of the live release that had it."""
    replaced: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """URI of a document that another one supersedes -> URIs of those that do."""
    expired: frozenset[str] = frozenset()
    """URIs of documents that are no longer valid today."""
    live_expired: frozenset[str] = frozenset()
    """As `expired`, of the live release."""
    near: Callable[[CandidateChunk], Sequence[CandidateChunk]] | None = None
    """Chunks of other documents of the candidate, new or not, that share the most telling words with one."""
    vector_agreement: Callable[[CandidateChunk], float | None] | None = None
    """Cosine of a chunk's stored vector and one computed now; None when the embedder cannot be asked."""

    def by_document(self) -> dict[str, list[CandidateChunk]]:
        """The chunks of each document, by its id, in their order there."""
        found: dict[str, list[CandidateChunk]] = defaultdict(list)
        for chunk in sorted(self.chunks, key=lambda chunk: chunk.ordinal):
            found[chunk.document_id].append(chunk)
        return dict(found)


@dataclass(frozen=True, slots=True)
class Finding:
    """One measured thing. `code`: stable. `value` against `threshold`; `passed` False at level error blocks the batch.

    `samples`: chunk ids, URIs or question ids that show it (at most 20), with a few words of reason.
    """

    code: str
    level: Level
    passed: bool
    value: float | None
    threshold: float | None
    message: str
    samples: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """A check: `run(candidate)` gives at least one finding, also when all is well (then with passed=True)."""

    name: str
    run: Callable[[Candidate], Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class GateReport:
    """What the gate decided: "passed" or "blocked", all findings, and the measures per question class."""

    status: Literal["passed", "blocked"]
    findings: tuple[Finding, ...]
    evaluation: Mapping[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """True when nothing at level error failed."""
        return self.status == "passed"
