"""A knowledge base's configuration: `kprep.yaml` and the files it names, checked, with the line of every mistake."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model, field_validator, model_validator
from pydantic_core import PydanticCustomError

from kprep.bounded_yaml import YamlRefused, load_with_places
from kprep.core.errors import ConfigError
from kprep.core.models import UNSPACED
from kprep.core.signals import FRAGMENTS, SAID
from sources import SOURCES

FILE_NAME = "kprep.yaml"
NAME = re.compile(r"[a-z][a-z0-9_-]{0,47}")
PROJECTABLE = frozenset(
    ("text", "title", "citation", "heading_path", "locator", "document_uri", "keywords", "language", "fragment",
     "truth_confidence", "source_confidence", "difficulty", "style", "avoid_with",
     "updated_at", "valid_from", "valid_until", "source", "doc_type", "sensitivity", "store", "parent_id", "chunk_id")
)  # fmt: skip
FILTERABLE = ("sensitivity", "doc_type", "language", "source")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _no_truth_for_a_number(cls, given: Any) -> Any:
        """Pydantic would read `true` as 1."""
        for name, value in given.items() if isinstance(given, dict) else ():
            held = _held(cls.model_fields[name].annotation) if name in cls.model_fields else set()
            if held & {int, float} and bool not in held and _holds_truth(value):
                raise PydanticCustomError("no_number", "true and false are no numbers: write a number", {"key": name})
        return given


def _held(annotation: Any) -> set[Any]:
    """Types that an annotation is made of."""
    parts = get_args(annotation)
    return {part for inner in parts for part in _held(inner)} if parts else {annotation}


def _holds_truth(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, bool) or any(map(_holds_truth, inner))


def _checked_name(value: str) -> str:
    if not NAME.fullmatch(value):
        raise ValueError("use lower-case letters, digits, - and _, starting with a letter, at most 48 characters")
    return value


def _checked_sql_name(value: str) -> str:
    """A name that stands in the names of SQL views, `<knowledge base>__<view>` with `_` for `-`, told apart there."""
    written = _checked_name(value).replace("-", "_")
    if "__" in written or written.endswith("_"):
        raise ValueError(
            "two - or _ in a row, or one at the end, would make names of SQL views ambiguous: leave them out"
        )
    return value


class AclRule(_Strict):
    """Who may read the files a pattern (like those of .gitignore) names."""

    match: str
    acl: tuple[str, ...]

    @field_validator("acl", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


class ConfirmConfig(_Strict):
    """What confirms a document of the candidate store without a person; every condition given must hold."""

    reactions: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    min_participants: int = Field(default=0, ge=0)

    @field_validator("reactions", "labels", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


class SourceConfig(_Strict):
    """Where documents come from and what holds for all of them; what only one kind has is its `Options`."""

    name: str
    kind: str
    include: tuple[str, ...] = ("**/*",)
    exclude: tuple[str, ...] = ()
    doc_type: str = "document"
    owner: str = ""
    acl: tuple[str, ...] = ()
    acl_rules: tuple[AclRule, ...] = ()
    """The first rule that matches replaces `acl`."""
    sensitivity: str = "internal"
    source_confidence: float = Field(default=1.0, ge=0, le=1)
    truth_confidence: float | None = Field(default=None, ge=0, le=1)
    difficulty: float | None = Field(default=None, ge=0, le=1)
    style: str | None = None
    avoid_with: tuple[str, ...] = ()
    store: Literal["formal", "candidate"] | None = None
    retention: int | None = Field(default=None, ge=1)
    """Days after its last change at which a document ends."""
    confirm: ConfirmConfig = ConfirmConfig()

    @field_validator("retention", mode="before")
    @classmethod
    def _days(cls, value: Any) -> Any:
        match = re.fullmatch(r"(\d{1,5})\s*d(?:ays?)?", value) if isinstance(value, str) else None
        return int(match.group(1)) if match else value

    _name = field_validator("name")(_checked_name)

    @field_validator("acl", "include", "exclude", "avoid_with", mode="before")
    @classmethod
    def _one_or_many(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


if TYPE_CHECKING:
    AnySource = SourceConfig
else:
    AnySource = Annotated[
        Union[  # noqa: UP007 -- of a tuple made here
            tuple(
                create_model(f"{kind}_source", __base__=(SourceConfig, spec.options), kind=(Literal[kind], ...))
                for kind, spec in SOURCES.items()
            )
        ],
        Field(discriminator="kind"),
    ]


class CleaningConfig(_Strict):
    """Where the cleaning rules stand (default: the packaged ones)."""

    ruleset: Path | None = None


class RedactionConfig(_Strict):
    """Where the redaction policy stands (default: the packaged one)."""

    policy: Path | None = None


TARGET = re.compile(r"(\d{1,5}) (words|characters|tokens)")


class ProfileConfig(_Strict):
    """Sizes in tokens of the embedder's own tokenizer; unset values are the defaults.

    `target`: "180 words", "350 characters" or "200 tokens", of all documents or by language ("*": every other)."""

    strategy: str | None = None
    max_tokens: int | None = Field(default=None, ge=32, le=8192)
    target_tokens: int | None = Field(default=None, ge=16, le=8192)
    min_tokens: int | None = Field(default=None, ge=0, le=1024)
    overlap_sentences: int | None = Field(default=None, ge=0, le=5)
    target: dict[str, tuple[int, str]] | None = None

    @field_validator("target", mode="before")
    @classmethod
    def _sizes(cls, value: Any) -> Any:
        sizes = {"*": value} if isinstance(value, str) else value
        if not isinstance(sizes, dict):
            raise ValueError("give a size such as `180 words`, or one for each language: `{en: 180 words}`")  # noqa: TRY004 -- pydantic's
        out = {}
        for language, size in sizes.items():
            match = TARGET.fullmatch(str(size).strip())
            if not match or not int(match.group(1)):
                raise ValueError(f"{size!r} is no size: write `180 words`, `350 characters` or `200 tokens`")
            if not re.fullmatch(r"[a-z]{2,3}|\*", str(language)):
                raise ValueError(f"{language!r} is no language code: write `en`, `zh`, or `*` for every other")
            if language in UNSPACED and match.group(2) == "words":
                raise ValueError(f"{language} is written without spaces: give its size in characters")
            out[language] = (int(match.group(1)), match.group(2))
        return out


class DocumentsConfig(_Strict):
    """What originals need to be opened."""

    passwords_env: str | None = None


class ChunkingConfig(_Strict):
    """A profile per document type."""

    profiles: dict[str, ProfileConfig] = Field(default_factory=dict)


class ModelConfig(_Strict):
    """A chat model behind a server with the OpenAI interface, which suggests what rules are unsure of."""

    base_url: str
    model: str
    api_key_env: str | None = None
    fields: tuple[Literal["title", "context", "fragment"], ...] = ("title", "context", "fragment")
    parameters: dict[str, Any] = Field(default_factory=dict)
    parallel: int = Field(default=4, ge=1, le=64)
    timeout_s: float = Field(default=60, gt=0)
    attempts: int = Field(default=5, ge=1, le=20)
    required: bool = False


class EnrichmentConfig(_Strict):
    """What is added to chunks beside the rules."""

    model: ModelConfig | None = None


class ThresholdConfig(_Strict):
    """Floors and ceilings of the gate; shares and rates are 0..1."""

    recall_at_5: float | None = Field(default=None, ge=0, le=1)
    mrr: float | None = Field(default=None, ge=0, le=1)
    duplicate_share: float = Field(default=0.05, ge=0, le=1)
    locators_open: float = Field(default=0.98, ge=0, le=1)
    short_share: float = Field(default=0.2, ge=0, le=1)
    failed_share: float | None = Field(default=None, ge=0, le=1)
    broken_share: float | None = Field(default=None, ge=0, le=1)
    removed_share: float = Field(default=0.5, ge=0, le=1)
    coverage: float = Field(default=0.9, ge=0, le=1)
    near_duplicate_share: float = Field(default=0.1, ge=0, le=1)
    chunk_coverage: float = Field(default=0.7, ge=0, le=1)
    language_share: float = Field(default=0.05, ge=0, le=1)
    changed_share: float = Field(default=0.5, ge=0, le=1)
    unanswered_share: float = Field(default=0.1, ge=0, le=1)
    worse_by: float = Field(default=0.1, ge=0, le=1)
    chunk_count_z: float = Field(default=3.5, gt=0)
    failed_warning: float = Field(default=0.1, ge=0, le=1)
    short_words: int = Field(default=4, ge=1)
    small_release: int = Field(default=50, ge=0)
    near_duplicate_likeness: float = Field(default=0.8, ge=0.5, le=1)
    repeated_share: float = Field(default=0.3, gt=0, le=1)
    shrunk_share: float = Field(default=0.5, ge=0, le=1)
    without_keywords: float = Field(default=0.5, ge=0, le=1)
    changed_documents: int = Field(default=20, ge=0)
    vector_cosine: float = Field(default=0.98, ge=0, le=1)
    locator_words: float = Field(default=0.9, ge=0, le=1)
    garbled_share: float = Field(default=0.05, gt=0, le=1)
    figure_factor: float = Field(default=10.0, gt=1)
    conflict_likeness: float = Field(default=0.8, ge=0.5, le=1)
    conflicts: Literal["warning", "error"] = "warning"
    min_questions: int = Field(default=5, ge=1)


class QualityConfig(_Strict):
    """Fixed questions, thresholds and guards."""

    questions: Path | None = None
    thresholds: ThresholdConfig = ThresholdConfig()
    locator_sample: int = Field(default=200, ge=1)
    mass_delete_share: float = Field(default=0.2, ge=0, le=1)
    mass_delete_documents: int = Field(default=10, ge=0)


class ViewConfig(_Strict):
    """A filter and a projection over the live release."""

    where: dict[Literal["sensitivity", "doc_type", "language", "source"], tuple[str, ...]] = Field(default_factory=dict)
    updated_since: date | None = None
    updated_before: date | None = None
    fields: tuple[str, ...] = ("text", "title", "heading_path", "citation", "locator")
    boost: dict[Literal["fragment"], dict[str, Annotated[float, Field(gt=0)]]] = Field(default_factory=dict)
    stores: tuple[Literal["formal", "candidate"], ...] = ("formal",)

    @model_validator(mode="after")
    def _some_time(self) -> ViewConfig:
        if self.updated_since and self.updated_before and self.updated_since >= self.updated_before:
            raise ValueError("updated_since is not before updated_before, so nothing can be found")
        return self

    @field_validator("fields")
    @classmethod
    def _known_fields(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in value if name not in PROJECTABLE]
        if unknown:
            raise ValueError(f"unknown field {unknown[0]!r}; known: {', '.join(sorted(PROJECTABLE))}")
        return value

    @field_validator("boost")
    @classmethod
    def _known_fragments(cls, value: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        known = (*FRAGMENTS, *SAID)
        unknown = [name for name in value.get("fragment", {}) if name not in known]
        if unknown:
            raise ValueError(f"unknown fragment type {unknown[0]!r}; known: {', '.join(known)}")
        return value


class LexicalConfig(_Strict):
    """BM25 constants and how often a field's words count (weighting by repetition)."""

    k1: float = Field(default=1.5, ge=0, le=10)
    b: float = Field(default=0.75, ge=0, le=1)
    weights: dict[
        Literal["name", "aliases", "title", "heading_path", "keywords", "text"], Annotated[int, Field(ge=0, le=100)]
    ] = Field(default_factory=dict)


class EvidenceConfig(_Strict):
    """Below these floors of the best passage a hybrid search answers that it cannot confirm.

    `dense` (a cosine) or `lexical` (share of the highest BM25 score the question could reach) are enough alone,
    `dense_weak` and `lexical_weak` are enough together.
    """

    dense: float = Field(default=0.35, ge=0, le=1)
    lexical: float = Field(default=0.24, ge=0, le=1)
    dense_weak: float = Field(default=0.25, ge=0, le=1)
    lexical_weak: float = Field(default=0.15, ge=0, le=1)


class SpeechConfig(_Strict):
    """How recordings are transcribed."""

    model: str = "bundled"
    language: str = Field(default="", pattern=r"^([a-z]{2,3})?$")
    budget_minutes: float = Field(default=60.0, gt=0, le=1440)
    min_confidence: float = Field(default=0.45, ge=0, le=1)


class RetentionConfig(_Strict):
    """How many published releases can be read and rolled back to; older ones are collected after each publish.

    `days`: document type -> days after its last change when a document is hidden, retired and collected.
    """

    releases: int = Field(default=10, ge=1)
    days: dict[str, Annotated[int, Field(ge=1, le=36500)]] = Field(default_factory=dict)


class RetrievalConfig(_Strict):
    """How hits are scored; recorded with each release."""

    lexical: LexicalConfig = LexicalConfig()
    fusion: Literal["bounded", "rrf", "weighted"] = "bounded"
    dense_weight: float = Field(default=0.4, ge=0, le=1)
    evidence: EvidenceConfig = EvidenceConfig()
    neighbours: float = Field(default=0.4, ge=0, le=1)
    candidates: int = Field(default=100, ge=1, le=1000)
    least_truth: float = Field(default=0.0, ge=0, le=1)
    routing: Literal["none", "identifiers"] = "none"


class KnowledgeBaseConfig(_Strict):
    """One `kprep.yaml`."""

    knowledge_base: str
    tenant: str
    sources: tuple[AnySource, ...] = Field(min_length=1)
    documents: DocumentsConfig = DocumentsConfig()
    cleaning: CleaningConfig = CleaningConfig()
    redaction: RedactionConfig = RedactionConfig()
    chunking: ChunkingConfig = ChunkingConfig()
    enrichment: EnrichmentConfig = EnrichmentConfig()
    embedding: dict[str, Any] = Field(default_factory=lambda: {"provider": "local"})
    """`provider` and what it takes (checked by the embedding room); `provider: none` is keyword search only."""
    quality: QualityConfig = QualityConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
    retention: RetentionConfig = RetentionConfig()
    speech: SpeechConfig = SpeechConfig()
    views: dict[str, ViewConfig] = Field(default_factory=dict)

    _tenant = field_validator("tenant")(_checked_name)
    _name = field_validator("knowledge_base")(_checked_sql_name)

    @field_validator("sources")
    @classmethod
    def _distinct(cls, value: tuple[SourceConfig, ...]) -> tuple[SourceConfig, ...]:
        names = [source.name for source in value]
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise ValueError(f"two sources are named {doubled[0]!r}: a source's name is part of every document's URI")
        return value

    @field_validator("views")
    @classmethod
    def _view_names(cls, value: dict[str, ViewConfig]) -> dict[str, ViewConfig]:
        written: dict[str, str] = {}
        for name in value:
            other = written.setdefault(_checked_sql_name(name).replace("-", "_"), name)
            if other != name:
                raise ValueError(
                    f"views {other!r} and {name!r} would be one SQL view, since - is written _: rename one"
                )
        return value


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A checked configuration and the folder it stands in."""

    folder: Path
    config: KnowledgeBaseConfig

    @property
    def name(self) -> str:
        """Name of the knowledge base."""
        return self.config.knowledge_base

    def path(self, relative: Path) -> Path:
        """A path of the configuration, seen from its folder."""
        return (self.folder / relative.expanduser()).resolve()


def find_folder(start: Path) -> Path:
    """Nearest folder upwards from `start` that holds kprep.yaml. Raises: ConfigError with the remedy."""
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FILE_NAME).is_file():
            return folder
    raise ConfigError(
        f"no {FILE_NAME} in {start.resolve()} or above it: go to a knowledge base, name one with --kb DIR, "
        "or make one with `kprep init`"
    )


def load(folder: Path) -> KnowledgeBase:
    """Configuration in `folder`. Raises: ConfigError naming file, line and key."""
    if not folder.is_dir():
        raise ConfigError(f"{folder} is not a folder: --kb names the folder that holds {FILE_NAME}")
    path = folder / FILE_NAME
    if not path.is_file():
        raise ConfigError(f"{path} does not exist: make one with `kprep init {folder}`")
    mapping, lines = read_mapping(path)
    try:
        config = KnowledgeBaseConfig.model_validate(mapping)
    except ValidationError as error:
        raise ConfigError(_explain(path, error, lines)) from error
    return KnowledgeBase(folder.resolve(), config)


Lines = Mapping[tuple[str | int, ...], int]


def read_mapping(path: Path) -> tuple[dict[str, Any], Lines]:
    """A YAML file's mapping, and the line (from 1) of each key path. Raises: ConfigError with line and reason."""
    value, node = _read(path)
    if value is None:
        value = {}
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: expected keys and values (`key: value`), found a {type(value).__name__}")
    lines: dict[tuple[str | int, ...], int] = {}
    if node is not None:
        _note_lines(node, (), lines)
    return value, lines


def read_yaml(path: Path) -> Any:
    """A YAML file's value. Raises: ConfigError with line and reason."""
    return _read(path)[0]


def _read(path: Path) -> tuple[Any, yaml.Node | None]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ConfigError(f"there is no file {path}: correct its name, as given or in `kprep.yaml`") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {_reason(error)}") from error
    try:
        return load_with_places(text)
    except YamlRefused as error:
        where = f"{path}:{error.line}" if error.line else str(path)
        raise ConfigError(f"{where}: {error.said}") from error


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else (error.strerror or str(error))


def _note_lines(node: yaml.Node, path: tuple[str | int, ...], lines: dict[tuple[str | int, ...], int]) -> None:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*path, str(getattr(key, "value", key)))
            lines[inner] = key.start_mark.line + 1
            _note_lines(value, inner, lines)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _note_lines(value, (*path, index), lines)


def _explain(path: Path, error: ValidationError, lines: Lines) -> str:
    said = []
    errors = error.errors()
    places = {tuple(item["loc"]) for item in errors}
    for item in errors[:5]:
        if item["type"] == "too_short" and any(place[:1] == item["loc"][:1] and len(place) > 1 for place in places):
            continue  # the entries are there, but were refused for the reasons that stand beside this one
        location = tuple(part for part in item["loc"] if part != "[key]")
        if location[:1] == ("sources",) and location[2:3] and location[2] in SOURCES:
            location = (*location[:2], *location[3:])  # pydantic names the kind as a step of the path
        if item["type"] == "no_number":
            location = (*location, item["ctx"]["key"])
        known = location
        while known and known not in lines:
            known = known[:-1]
        key = ".".join(str(part) for part in location) or "(top level)"
        message = item["msg"].removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            message = "unknown key (a typing mistake?)"
        elif item["type"] == "missing":
            message = "this key is missing"
        elif item["type"] == "union_tag_invalid":
            message = f"unknown kind {item['ctx']['tag']!r}; known: {', '.join(sorted(SOURCES))}"
        elif item["type"] == "union_tag_not_found":
            message = f"the key `kind` is missing; known: {', '.join(sorted(SOURCES))}"
        said.append(f"{path}:{lines.get(known, 1)}: {key}: {message}")
    return "\n".join(said)
