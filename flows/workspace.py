"""An open knowledge base: what every command and every task starts from."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from embedding import Embedder, create_embedder
from flows.candidates import retention_of
from flows.rules import RuleSet, load_rules, parser_identity
from kprep.config import KnowledgeBase, load
from kprep.core.errors import ConfigError, EmbeddingError, LeaseLost, PrepError
from kprep.core.ids import canonical_json, digest
from kprep.settings import Settings
from kprep.store import decisions, documents, runs
from kprep.store.database import Database
from kprep.store.objects import ObjectStore, open_store
from kprep.store.sql import Connection
from parsers import PARSERS
from retrieval import tokens
from sources import SOURCES

IDENTITY_FILE = "redaction.key"


@dataclass
class Workspace:
    """A knowledge base with its data directory. The database is opened on first use; close when done."""

    base: KnowledgeBase
    settings: Settings
    data_dir: Path
    fence: int | None = None
    """Fence of the lease this process holds on the knowledge base, None when it holds none."""
    scanned: Any = field(default=None, repr=False)
    """What the run at work found when it looked at all sources (`flows.scan.Scan`), for its later steps."""
    assumed_space: str | None = None
    """Embedding space taken for the configured one while the embedder cannot be used, None while it can."""
    _database: Database | None = field(default=None, repr=False)
    _earlier: dict[str, Embedder | None] = field(default_factory=dict, repr=False)
    """Embedders of releases made with other settings than the configured ones."""

    @classmethod
    def open(cls, folder: Path, data_dir: Path | None = None) -> Workspace:
        """Raises: ConfigError naming file, line and key."""
        base = load(folder)
        settings = read_settings()
        chosen = data_dir or settings.data_dir or base.folder / ".kprep"
        return cls(base, settings, chosen.expanduser().resolve())

    @property
    def kb(self) -> str:
        """Name of the knowledge base."""
        return self.base.name

    @property
    def database(self) -> Database:
        """The open database, with the knowledge base registered. Raises: StoreUnavailable, StoreError, ConfigError."""
        if self._database is None:
            prepare_data_dir(self.data_dir)
            database = Database.open(self.data_dir, self.settings.database_url)
            try:
                with database.begin() as connection:
                    documents.register(connection, self.kb, self.base.config.tenant)
            except BaseException:
                database.close()
                raise
            self._database = database
        return self._database

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction of the run that holds the knowledge base. Raises: LeaseLost when it no longer does."""
        with self.database.begin() as connection:
            if self.fence is None:
                raise LeaseLost(f"knowledge base {self.kb!r} is not held by this process")
            runs.check_lease(connection, self.kb, self.fence)
            yield connection

    @cached_property
    def objects(self) -> ObjectStore:
        """The restricted store of originals."""
        return open_store(self.settings.object_store, self.data_dir, self.settings.s3_endpoint)

    @cached_property
    def kept(self) -> ObjectStore:
        """The restricted store of what earlier stages made of originals (`flows.kept`)."""
        return open_store(self.settings.object_store, self.data_dir, self.settings.s3_endpoint, "stages")

    @cached_property
    def rules(self) -> RuleSet:
        """Rules of all rooms. Raises: ConfigError."""
        return load_rules(self.base, redaction_key(self.settings, self.data_dir))

    @cached_property
    def embedder(self) -> Embedder | None:
        """The configured embedder, None in keyword-only mode. Raises: ConfigError, EmbeddingError."""
        return _embedder(self.base.config.embedding)

    def unusable_embedder(self) -> PrepError | None:
        """Why the configured embedder cannot be used, None where it can."""
        try:
            _ = self.embedder
        except PrepError as error:
            return error
        return None

    def embedder_of(self, configuration: Mapping[str, Any]) -> Embedder | None:
        """The embedder that a release was made with, by its recorded configuration: the configured one, or, while a
        new model is being built beside it, the one before. Raises: ConfigError, EmbeddingError."""
        recorded = configuration.get("embedding")
        if recorded is None or recorded == self._read_configuration()["embedding"]:
            return self.embedder
        name = canonical_json(recorded)
        if name not in self._earlier:
            try:
                self._earlier[name] = _embedder(recorded)
            except ConfigError as error:
                raise EmbeddingError(f"the release's own embedder cannot be used: {error.message}") from error
        return self._earlier[name]

    @property
    def scan_rules(self) -> str:
        """Digest of all that decides, beside what a source lists, what a release is to hold."""
        sources = self.base.config.sources
        shaping = {
            "sources": [source.model_dump(mode="json") for source in sources],
            "tenant": self.base.config.tenant,
            "listing": {source.kind: SOURCES[source.kind].version for source in sources},
            "parsers": {kind: parser_identity(kind) for spec in PARSERS.values() for kind in spec.media_types},
            "boilerplate": self.rules.cleaning.learning,
            "stages": {item.name: self.rules.stages("text/plain", item.doc_type, item.name) for item in sources},
            "retention": retention_of(self.base.config),
            "speech": asdict(self.rules.speech),
            "passwords": self.rules.password_identity(),
            "read": {part: value for part, value in self._read_configuration().items() if part != "embedding"},
        }
        return digest("scan", canonical_json(shaping))

    @property
    def lexical_weights(self) -> dict[str, int]:
        """How often the words of each field count."""
        given = {str(name): weight for name, weight in self.base.config.retrieval.lexical.weights.items()}
        return {**tokens.DEFAULT_WEIGHTS, **given}

    def release_configuration(self) -> dict[str, Any]:
        """What reads of a release need to know, and what it was made with; recorded with the release."""
        config = self.base.config
        return {
            **self._read_configuration(),
            "scan_rules": self.scan_rules,
            "cleaning": {**self.rules.cleaning.options(), "boilerplate": self.rules.cleaning.learning},
            "redaction": self.rules.redaction.options(),
            "redaction_rules": self.rules.redaction_identity(),
            "profiles": {
                name: canonical_json(profile.model_dump()) for name, profile in config.chunking.profiles.items()
            },
        }

    def _read_configuration(self) -> dict[str, Any]:
        """The part of a release's configuration that reads use."""
        config = self.base.config
        return {
            "embedding": {name: value for name, value in config.embedding.items() if name != "api_key"},
            "embedding_space": self._space(),
            "lexicon": tokens.lexicon_id(self.lexical_weights),
            "retrieval": config.retrieval.model_dump(mode="json"),
            "views": {name: view.model_dump(mode="json") for name, view in config.views.items()},
        }

    def _space(self) -> str:
        if self.assumed_space is not None:
            return self.assumed_space
        return self.embedder.space if self.embedder is not None else ""

    def close(self) -> None:
        """Give the database back."""
        if self._database is not None:
            self._database.close()
            self._database = None


@contextmanager
def opened(folder: Path, data_dir: Path | None = None) -> Iterator[Workspace]:
    """A workspace, closed at the end."""
    workspace = Workspace.open(folder, data_dir)
    try:
        yield workspace
    finally:
        workspace.close()


def read_settings() -> Settings:
    """Settings from the environment. Raises: ConfigError naming the variable."""
    from pydantic import ValidationError

    try:
        return Settings()
    except ValidationError as error:
        item = error.errors()[0]
        raise ConfigError(f"KPREP_{str(item['loc'][0]).upper()}: {item['msg']}") from error


def prepare_data_dir(data_dir: Path) -> None:
    """Data directory with a note for people and a .gitignore. Raises: ConfigError when it cannot be written."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        ignore = data_dir / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"cannot write to the data directory {data_dir}: {error.strerror}; choose one with --data-dir"
        ) from error


def _embedder(settings: Mapping[str, Any]) -> Embedder | None:
    """Embedder of these settings, None in keyword-only mode. Raises: ConfigError, EmbeddingError."""
    values = dict(settings)
    if values.get("provider") == "none":
        return None
    variable = values.pop("api_key_env", None)
    if variable is not None:
        if not os.environ.get(str(variable)):
            raise ConfigError(f"embedding.api_key_env names {variable}, which is not set in the environment")
        values["api_key"] = os.environ[str(variable)]
    return create_embedder(values)


def honour_decisions(workspace: Workspace, connection: Connection) -> None:
    """Let the rules know which recordings a person takes as they were recognised, and what goes again from a room."""
    accepted, retried = decisions.accepted(connection, workspace.kb), decisions.retried(connection, workspace.kb)
    if (accepted, retried) != (workspace.rules.accepted, workspace.rules.retried):
        workspace.__dict__["rules"] = replace(workspace.rules, accepted=accepted, retried=retried)


def redaction_key(settings: Settings, data_dir: Path) -> bytes:
    """Key of the pseudonyms: `KPREP_REDACTION_KEY`, or one made once in the data directory, readable by its owner."""
    if settings.redaction_key:
        return digest("redaction key", settings.redaction_key).encode()
    path = data_dir / "restricted" / IDENTITY_FILE
    try:
        prepare_data_dir(data_dir)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
                file.write(secrets.token_hex(32))
        except FileExistsError:
            pass
        return path.read_text(encoding="ascii").strip().encode()
    except OSError as error:
        raise ConfigError(f"cannot read or make {path}: {error.strerror}") from error
