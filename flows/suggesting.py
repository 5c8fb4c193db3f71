"""Asking a model about a prepared document, where the configuration names one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from embedding import token_counter
from enrichment import Model
from flows.rooms import redactor_of
from flows.workspace import Workspace
from kprep.config import ModelConfig
from kprep.core.errors import ModelRefused, ModelUnavailable
from kprep.core.models import Failure, PreparedDocument
from kprep.model_server import ModelServer
from kprep.store import chunks, releases


@dataclass(slots=True)
class Suggestions:
    """The model of a run, None without one, and what became of asking it. Once it is `down`, it is left alone."""

    model: Model | None
    required: bool = False
    asked: int = 0
    refused: int = 0
    without: int = 0
    down: str = ""
    lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, config: ModelConfig | None) -> Suggestions:
        """Those of a run by its configuration."""
        return cls(None) if config is None else cls(model_of(config), config.required)

    def figures(self) -> dict[str, Any]:
        """Requests made, fields whose answer was refused, documents that got what rules say, and why."""
        return {"asked": self.asked, "refused": self.refused, "without": self.without, "reason": self.down}

    def add(
        self, workspace: Workspace, item: Mapping[str, Any], prepared: PreparedDocument
    ) -> tuple[PreparedDocument | Failure, bool]:
        """The document with what the model suggests, and whether it was asked: a failure where it is required and
        cannot be. Answers about the published version's chunks are used again."""
        if self.model is None:
            return prepared, True
        error = "" if self.down else self._ask(workspace, item, prepared)
        if isinstance(error, PreparedDocument):
            return error, True
        with self.lock:
            self.down = self.down or error
            self.without += 1
        if self.required:
            return Failure("enrich", ModelUnavailable.reason, self.down, retryable=True), False
        return prepared, False

    def _ask(self, workspace: Workspace, item: Mapping[str, Any], prepared: PreparedDocument) -> PreparedDocument | str:
        """The document, or why the model cannot be asked."""
        assert self.model is not None
        with workspace.database.begin() as connection:
            live = releases.live_release(connection, workspace.kb) or 0
            before = releases.of_ids(connection, workspace.kb, live, [item["document_id"]])
            known = {
                asked: answer
                for row in before.values()
                for asked, answer in chunks.suggested(connection, workspace.kb, row.version_id).items()
            }
        rules = workspace.rules
        redactor = redactor_of(rules, item["source"])
        try:
            found = self.model.suggest(
                prepared.document,
                known,
                lambda line: bool(redactor.scan(line)),
                rules.profile(item["doc_type"]).max_tokens,
                token_counter(rules.tokenizer),
            )
        except (ModelUnavailable, ModelRefused) as error:
            return error.message
        with self.lock:
            self.asked += found.asked
            self.refused += found.refused
        return replace(prepared, document=found.document)


def model_of(config: ModelConfig) -> Model:
    """The configured model."""
    import httpx

    key = os.environ.get(config.api_key_env, "") if config.api_key_env else ""
    client = httpx.Client(timeout=config.timeout_s)
    server = ModelServer(
        "the model server", config.base_url, client, ModelRefused, ModelUnavailable, key, config.attempts
    )
    return Model(server, config.model, config.fields, config.parameters, config.parallel)
