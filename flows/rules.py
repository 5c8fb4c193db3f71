"""The rules of one knowledge base, of all rooms, and the fingerprints that say when their outcome changes."""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import chunking
import cleaning
import enrichment
import redaction
from embedding import local, multilingual, token_counter
from embedding.tokenizer import BUNDLED
from kprep.config import KnowledgeBase, ProfileConfig, read_mapping
from kprep.core.errors import ConfigError, UnsupportedFormat
from kprep.core.ids import canonical_json, digest, fingerprint
from kprep.core.models import ChunkProfile, JsonObject, SpeechSettings
from parsers import MAY_NEED_PASSWORD, parser_for, recording

RulesT = TypeVar("RulesT")
STAGES = ("parse", "clean", "redact", "chunk", "enrich")


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Everything that shapes a document's chunks. Can be sent to a child process.

    `max_tokens`, `tokenizer`: of the embedder (`embedding.token_counter`), counted on the exact text it gets.
    """

    cleaning: cleaning.CleaningRules
    redaction: redaction.RedactionPolicy
    profiles: Mapping[str, ChunkProfile]
    default_profile: ChunkProfile
    tenant: str
    max_tokens: int
    tokenizer: str
    key: bytes = field(repr=False)
    speech: SpeechSettings = field(default_factory=SpeechSettings)
    passwords: tuple[str, ...] = field(default=(), repr=False)
    model: JsonObject = field(default_factory=dict)
    """What shapes the suggestions of a model (`enrichment.Model.identity`), {} without one."""
    accepted: frozenset[str] = frozenset()
    """Hashes of recordings that a person takes as they were recognised."""
    retried: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Hash of a content -> room -> how often a person let it go again from there."""
    again: Mapping[str, int] = field(default_factory=dict)
    """The same of the content that these rules are for."""

    def of_content(self, content_hash: str) -> RuleSet:
        """The rules for these bytes."""
        if content_hash not in self.accepted and content_hash not in self.retried:
            return self
        speech = replace(self.speech, accepted=content_hash in self.accepted)
        return replace(self, speech=speech, again=self.retried.get(content_hash, {}))

    def profile(self, doc_type: str) -> ChunkProfile:
        """How documents of this type are cut."""
        return self.profiles.get(doc_type, self.default_profile)

    def password_identity(self) -> str:
        """Keyed hash of the known passwords, which tells nothing of them; "" without any."""
        if not self.passwords:
            return ""
        return hmac.new(self.key, canonical_json(self.passwords).encode(), "sha256").hexdigest()[:16]

    def redaction_identity(self, source: str | None = None) -> str:
        """Fingerprint of redaction's version, policy, tenant and key: for a source's documents, or of all of it."""
        policy = self.redaction if source is None else self.redaction.of_source(source)
        rules = {"policy": policy.options(), "tenant": self.tenant, "key": digest("key", self.key)[:16]}
        return fingerprint("", "redaction", redaction.VERSION, rules)

    def edges_identity(self, media_type: str) -> str:
        """What shapes the recorded edge blocks of a document: its parsing, how blocks are told, the key of hashes."""
        made_by = (self._parser_identity(media_type), str(cleaning.VERSION), digest("key", self.key)[:16])
        return digest("edges", *made_by)[:32]

    def stages(self, media_type: str, doc_type: str, source: str, repeated: Iterable[str] = ()) -> dict[str, str]:
        """Room -> fingerprint of its version and effective options, in pipeline order.

        `repeated`: keyed hashes of the document's edge blocks that are boilerplate of its source.
        A media type without a parser has the fingerprint "unsupported", so that a new parser takes it up. A room from
        which a person let the document go again has another fingerprint, so that its work and what follows is done.
        """
        options = self.cleaning.with_boilerplate(repeated).options()
        profile = self.profile(doc_type)
        chunker = chunking.CHUNKERS[profile.strategy]
        cut = {**asdict(profile), "tokenizer": token_counter(self.tokenizer).identity}
        identities = {
            "parse": self._parser_identity(media_type),
            "clean": fingerprint("", "cleaning", cleaning.VERSION, options),
            "redact": self.redaction_identity(source),
            "chunk": fingerprint("", f"chunking.{chunker.name}", chunker.version, cut),
            "enrich": self._enriching(self.model),
        }
        return {room: self._again(room, identity) for room, identity in identities.items()}

    def _again(self, room: str, identity: str) -> str:
        return f"{identity} again {self.again[room]}" if room in self.again else identity

    def without_model(self, stages: Mapping[str, str]) -> dict[str, str]:
        """The stages of a document that no model was asked about."""
        return {**stages, "enrich": self._again("enrich", self._enriching({}))}

    def _enriching(self, model: JsonObject) -> str:
        options = {"max_tokens": self.max_tokens} | ({"model": model} if model else {})
        return fingerprint("", "enrichment", enrichment.VERSION, options)

    def _parser_identity(self, media_type: str) -> str:
        """A document that may ask for a password is parsed anew when others are known, since one may open it."""
        identity = parser_identity(media_type, self.speech)
        opened = media_type in MAY_NEED_PASSWORD and self.passwords
        return f"{identity} passwords {self.password_identity()}" if opened else identity


def content_fingerprint(content_hash: str, stages: Mapping[str, str]) -> str:
    """Fingerprint of what preparation gives for these bytes under these rules; independent of URI and permissions."""
    return digest("content", content_hash, canonical_json(dict(stages)))


def parser_identity(media_type: str, speech: SpeechSettings | None = None) -> str:
    """What shapes the outcome of parsing: parser, its version and options, media type; or "unsupported".

    `speech`: what the knowledge base says of recordings, where that is to count."""
    try:
        spec = parser_for(media_type)
    except UnsupportedFormat:
        return "unsupported"
    shaping = asdict(speech) if speech is not None and spec.name == recording.NAME else spec.options()
    options = canonical_json(shaping) if shaping else ""
    return f"{spec.name}@{spec.version} {media_type}{options}"


def load_rules(base: KnowledgeBase, key: bytes) -> RuleSet:
    """Rules of a knowledge base. Raises: ConfigError naming file and key."""
    config = base.config
    max_tokens, tokenizer = embedder_limits(base)
    default = _profile(ProfileConfig(), max_tokens)
    profiles = {}
    for name, profile in config.chunking.profiles.items():
        profiles[name] = _profile(profile, max_tokens)
        _check_profile(name, profiles[name], max_tokens)
    policy = _loaded(base, config.redaction.policy, redaction.RedactionPolicy.load)
    _check_sources(policy, [source.name for source in config.sources])
    return RuleSet(
        cleaning=_loaded(base, config.cleaning.ruleset, cleaning.CleaningRules.load),
        redaction=policy,
        profiles=profiles,
        default_profile=default,
        tenant=config.tenant,
        max_tokens=max_tokens,
        tokenizer=tokenizer,
        key=key,
        speech=_speech(base),
        passwords=_passwords(base),
        model=_model(base),
    )


def _model(base: KnowledgeBase) -> JsonObject:
    """What shapes a model's suggestions. Raises: ConfigError when the variable that holds its key is not set."""
    config = base.config.enrichment.model
    if config is None:
        return {}
    if config.api_key_env and not os.environ.get(config.api_key_env):
        raise ConfigError(
            f"enrichment.model.api_key_env names {config.api_key_env}, which is not set in the environment"
        )
    return enrichment.model_identity(config.model, config.fields, config.parameters)


def _passwords(base: KnowledgeBase) -> tuple[str, ...]:
    """Lines of the variable that the configuration names. Raises: ConfigError when it is not set."""
    variable = base.config.documents.passwords_env
    if variable is None:
        return ()
    if not os.environ.get(variable):
        raise ConfigError(
            f"documents.passwords_env names {variable}, which is not set in the environment: give it one password a "
            "line, or remove the key"
        )
    return tuple(dict.fromkeys(line for line in os.environ[variable].splitlines() if line))


def _check_sources(policy: redaction.RedactionPolicy, known: list[str]) -> None:
    wrong = [name for name, _ in policy.sources if name not in known]
    if wrong:
        raise ConfigError(f"allow_in.{wrong[0]}: no such source; there are: {', '.join(known)}", key="allow_in")


def _speech(base: KnowledgeBase) -> SpeechSettings:
    given = base.config.speech
    model = given.model if given.model == "bundled" else str(base.path(Path(given.model)))
    return SpeechSettings(model, given.language, given.budget_minutes * 60, given.min_confidence)


def embedder_limits(base: KnowledgeBase) -> tuple[int, str]:
    """Token limit and tokenizer of the configured embedder, without loading its model."""
    settings = base.config.embedding
    if settings.get("provider") == multilingual.NAME:
        return multilingual.MAX_TOKENS, multilingual.NAME
    tokenizer = settings.get("tokenizer")
    own = isinstance(tokenizer, str) and tokenizer != "bundled"
    path = base.path(Path(str(tokenizer))) if own else BUNDLED
    limit = settings.get("max_tokens", local.MAX_TOKENS)
    if not isinstance(limit, int):
        raise ConfigError("embedding.max_tokens must be a whole number", key="embedding.max_tokens")
    return limit, str(path)


def _loaded(base: KnowledgeBase, path: Path | None, load: Callable[[dict[str, Any]], RulesT]) -> RulesT:
    """Rules of a file of the knowledge base, or the packaged ones. Raises: ConfigError naming the file."""
    return load({}) if path is None else named(base.path(path), read_mapping(base.path(path))[0], load)


def named(path: Path, mapping: dict[str, Any], load: Callable[[dict[str, Any]], RulesT]) -> RulesT:
    """Rules from what a file holds. Raises: ConfigError naming the file."""
    try:
        return load(mapping)
    except ConfigError as error:
        if str(path) in error.message:
            raise
        raise ConfigError(f"{path}: {error.message}", **error.context) from error


def _profile(given: ProfileConfig, max_tokens: int) -> ChunkProfile:
    """A profile with the defaults filled in; sizes follow the limit where they are not given."""
    values = {name: value for name, value in given.model_dump().items() if value is not None}
    limit = values.get("max_tokens", min(max_tokens, ChunkProfile().max_tokens))
    defaults = {"max_tokens": limit, "target_tokens": min(ChunkProfile().target_tokens, limit * 7 // 8)}
    return ChunkProfile(**{**defaults, **values})


def _check_profile(name: str, profile: ChunkProfile, max_tokens: int) -> None:
    where = f"chunking.profiles.{name}"
    if profile.strategy not in chunking.CHUNKERS:
        raise ConfigError(f"{where}.strategy: unknown {profile.strategy!r}; known: {', '.join(chunking.CHUNKERS)}")
    if profile.max_tokens > max_tokens:
        raise ConfigError(
            f"{where}.max_tokens is {profile.max_tokens}, but the embedding model takes {max_tokens} tokens"
        )
    if not profile.min_tokens <= profile.target_tokens <= profile.max_tokens:
        raise ConfigError(f"{where}: min_tokens <= target_tokens <= max_tokens must hold")
