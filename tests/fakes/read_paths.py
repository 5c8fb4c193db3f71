"""Every way to read what is published, by name: the leak canary walks all of them, and
tests/architecture/test_read_paths.py fails for a command or function that is in none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from flows import evaluating, gate
from flows.confirming import shown
from flows.questions import suggest
from flows.workspace import Workspace
from kprep.store.sql import Connection
from quality.spec import Question
from retrieval import MODES, Reader, Searcher, SearchRequest
from retrieval.searcher import QueryEmbedder
from tests.fakes.knowledge_base import TestBase

ADDRESSED: Mapping[str, Callable[[Reader, str], Any]] = {
    "get": Reader.get,
    "chunks": Reader.chunks,
    "relations": Reader.relations,
    "relations incoming": partial(Reader.relations, incoming=True),
}
"""Path -> reads what is at a URI, and refuses with RetrievalError."""


def _search(mode: str, reader: Reader, embedder: Callable[[], QueryEmbedder], question: str) -> Any:
    request = SearchRequest(question, None, mode, 100, explain=True, budget=200)
    return Searcher(reader, embedder).search(request)


ASKED: Mapping[str, Callable[[Reader, Callable[[], QueryEmbedder], str], Any]] = {
    mode: partial(_search, mode) for mode in MODES
}
"""Path -> answers a question with all that search can tell."""


def _ask(make: Callable[..., Any], base: TestBase, principals: Sequence[str], text: str) -> Any:
    with base.connection() as connection:
        ask = make(base.workspace, connection, base.live(connection))
        return ask(Question("canary", text, "natural", tuple(principals), ()), 100)


def _evaluated(mode: str, workspace: Workspace, connection: Connection, release: int) -> Any:
    return evaluating.asker(workspace, connection, release, mode)


QUESTIONED: Mapping[str, Callable[[TestBase, Sequence[str], str], Any]] = {
    "gate and review": partial(_ask, gate.asker),
    **{f"eval {mode}": partial(_ask, partial(_evaluated, mode)) for mode in MODES},
}
"""Path -> hits of the live release for a fixed question, as its principals."""

OPENED: Mapping[str, Callable[[TestBase, Sequence[str], str], Any]] = {
    "candidates show": lambda base, principals, uri: shown(base.workspace, uri, principals),
    "questions suggest": lambda base, principals, uri: suggest(base.workspace, [uri], principals, 10),
}
"""Path -> what an operator's command shows of a document of the live release as some principals; refuses likewise."""

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "search": tuple(ASKED),
    "get": ("get",),
    "chunks": ("chunks",),
    "relations": ("relations", "relations incoming"),
    "candidates show": ("candidates show",),
    "questions suggest": ("questions suggest",),
    "review show": ("gate and review",),
    "eval": tuple(name for name in QUESTIONED if name.startswith("eval")),
}
"""Command of `kprep` that reads as somebody -> the paths it goes by."""

OPERATORS = frozenset(
    (
        "init", "doctor", "plan", "run", "status", "try", "explain", "verify", "suppress", "suppressed", "forget",
        "release diff", "release list", "release rollback", "review approve", "review exclude", "review include",
        "review accept", "review list", "review reject", "review retry", "questions check", "principals list",
        "principals show", "principals sync", "candidates confirm", "candidates list", "candidates reject",
    )
)  # fmt: skip
"""Commands for those who run the knowledge base and can read the sources: they read as nobody."""

SCOPED: Mapping[str, str] = {
    "search.visible_among": "dense",
    "search.visible_all": "listing",
    "search.dense_few": "dense",
    "search.dense_exact": "dense",
    "search.dense_near": "dense",
    "search.background": "dense",
    "search.chunks": "chunks",
    "search.parents": "get",
    "search.readable_uris": "relations",
    "relations.of_source": "relations",
    "relations.of_target": "relations incoming",
}
"""Function of `kprep.store` that takes a reader's scope -> a path that goes through it."""

PATHS = frozenset(("listing", "sql view", *ADDRESSED, *ASKED, *QUESTIONED, *OPENED))
