"""Generated parts of the documentation: configuration, settings and command line, as Markdown for cog.

A key without a meaning here, or a meaning without a key, raises: the tables cannot drift from the code.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from kprep.core.signals import FRAGMENTS, SAID

ROOT = Path(__file__).parent.parent
HELP_WIDTH = 100
ADDABLE = (
    ("format", "`parsers/<format>.py` with `PARSER`", "parsers"),
    ("chunker", "`chunking/<strategy>.py` with `CHUNKER`", "chunking"),
    ("check", "`quality/<check>.py` with `CHECKS`", "quality"),
    ("source", "`sources/<system>.py` with `SOURCE`", "sources"),
    ("embedder", "`embedding/<provider>.py` with `EMBEDDER`", "embedding"),
)
MEANINGS = {
    "knowledge_base": "name; part of every id, so choose it once",
    "tenant": "whose knowledge it is; pseudonyms of one tenant differ from another's",
    "sources[].name": "first part of every document's URI: `<name>/<path below path>`",
    "sources[].kind": "system the documents come from; each has keys of its own (below)",
    "sources[].include": "patterns as in `.gitignore`; a file that none names is left alone",
    "sources[].exclude": "patterns of what is left out",
    "sources[].doc_type": "free word; selects the chunk profile, and views filter by it",
    "sources[].owner": "team that answers for the content",
    "sources[].acl_rules[].match": "pattern of paths below the source, like those of .gitignore",
    "sources[].acl_rules[].acl": "who may read what the pattern matches; the first matching rule holds",
    "sources[].acl": "principals who may read; empty means nobody",
    "sources[].sensitivity": "free word; views filter by it, it gives no access",
    "sources[].source_confidence": "0..1, how far the source is trusted",
    "sources[].truth_confidence": "0..1, how established what it says is",
    "sources[].difficulty": "0..1, how advanced; without it estimated by readability and rarity of terms",
    "sources[].style": "register: `formal`, `conversational`, `technical`, or another word",
    "sources[].avoid_with": "words of a question that keep these documents out",
    "sources[].store": "`formal`, or `candidate`: shown only in views that ask for it until it is confirmed; default: "
    "`candidate` for conversations, mail and recordings, else `formal`",
    "sources[].retention": "days (`90d`) after its last change at which a document ends; default: 180 in the "
    "candidate store",
    "sources[].confirm.reactions": "a message with one of these reactions confirms its thread",
    "sources[].confirm.labels": "only documents with one of these labels (a conversation's channel) are confirmed "
    "by rule",
    "sources[].confirm.min_participants": "only threads with at least this many people are confirmed by rule",
    "documents.passwords_env": "environment variable with the passwords of PDFs and Office files, one a line; each is "
    "tried on every one that asks for one; kept nowhere",
    "cleaning.ruleset": "file of cleaning rules; default: the packaged ones",
    "redaction.policy": "file of the redaction policy; default: the packaged one",
    "chunking.profiles.NAME.strategy": "`auto` (by the document), `sections`, `code` (by symbol), or `openapi` "
    "(by unit: nothing joined, no overlap)",
    "chunking.profiles.NAME.max_tokens": "upper limit of the embedded text, in tokens of the model; never over the "
    "model's own limit",
    "chunking.profiles.NAME.target_tokens": "size up to which paragraphs are packed; at most seven eighths of "
    "`max_tokens` where it is not given",
    "chunking.profiles.NAME.min_tokens": "sections below this are joined with a neighbour",
    "chunking.profiles.NAME.target": "in place of `target_tokens`: `180 words`, `350 characters` or `200 tokens`, or "
    'one for each language, `{en: 180 words, zh: 350 characters, "*": 200 tokens}`; `max_tokens` holds as before',
    "chunking.profiles.NAME.overlap_sentences": "sentences repeated between two text chunks",
    "enrichment.model.base_url": "a server with the OpenAI interface whose model suggests titles, context and "
    "fragments; without `enrichment.model`, the default, rules alone do, and nothing is sent anywhere",
    "enrichment.model.model": "name of the model; another one asks about every chunk anew",
    "enrichment.model.api_key_env": "environment variable that holds the key",
    "enrichment.model.fields": "what it suggests: `title`, `context` (a line before the text in what is embedded "
    "and indexed, never in `text`), `fragment` (where no rule is sure)",
    "enrichment.model.parameters": "added to each request; `temperature` is 0 unless given",
    "enrichment.model.parallel": "requests at a time for one document",
    "enrichment.model.timeout_s": "seconds to wait for an answer",
    "enrichment.model.attempts": "times a request is sent while the server is busy or out of reach",
    "enrichment.model.required": "`true`: without the model a document fails and keeps its published version; "
    "`false`: it gets what rules say, with a warning, and the next run asks again",
    "embedding": "`provider`: `local`, `multilingual`, `openai` or `none`, and the provider's own keys (below)",
    "quality.questions": "file of fixed questions",
    "quality.thresholds.recall_at_5": "floor; without it the figure is reported, not judged",
    "quality.thresholds.mrr": "floor; without it the figure is reported, not judged",
    "quality.thresholds.duplicate_share": "highest share of texts, once a document, that another document says too",
    "speech.model": "`bundled` (tiny, English; extra `speech`), or a folder with a CTranslate2 Whisper model; "
    "nothing is downloaded",
    "speech.language": "language of the recordings, as in `en`; empty: detected, where the model knows several",
    "speech.budget_minutes": "minutes of speech of one recording that are transcribed at most: first the beginning and "
    "what follows a change of the picture, then from all over it",
    "speech.min_confidence": "segments that the model is less sure of are left to a person",
    "retention.releases": "published releases kept to read and roll back to; older ones are collected",
    "retention.days": "document type -> days after its last change when a document is hidden, retired and collected",
    "quality.thresholds.removed_share": "share of a document that cleaning may take before it is reported (warning)",
    "quality.thresholds.coverage": "least share of a document's letters that must reach its elements (warning)",
    "quality.thresholds.locators_open": "least share of citations that must lead to their words (single ones warn)",
    "quality.thresholds.short_share": "highest share of chunks under four words (warning)",
    "quality.thresholds.failed_share": "highest share of failed documents; without it failures only warn",
    "quality.thresholds.broken_share": "highest share of touched references that may lose their target; else they warn",
    "quality.thresholds.near_duplicate_share": "highest share of chunks that nearly repeat one of another document",
    "quality.thresholds.chunk_coverage": "least share of a document's text that its chunks must hold",
    "quality.thresholds.language_share": "highest share of new chunks in another language than recorded (fewer warn)",
    "quality.thresholds.changed_share": "share of live documents changed or gone that is reported (warning)",
    "quality.thresholds.unanswered_share": "highest share of questions that find nothing at all (fewer warn)",
    "quality.thresholds.worse_by": "most that recall@5 of a class may fall below the live release's (one alone warns)",
    "quality.thresholds.chunk_count_z": "robust z of characters per chunk from which a document's chunks are abnormal",
    "quality.thresholds.conflicts": "`warning` or `error`: clauses of two valid documents that contradict each other",
    "quality.thresholds.failed_warning": "without `failed_share`: share of failed documents that is reported (warning)",
    "quality.thresholds.short_words": "words under which a chunk is short",
    "quality.thresholds.small_release": "with fewer chunks the shares of repeated ones only warn",
    "quality.thresholds.near_duplicate_likeness": "share of common three-word sequences that nearly repeats",
    "quality.thresholds.repeated_share": "share of a document's chunks that begin or end alike (warning)",
    "quality.thresholds.shrunk_share": "a document with less than this share of its live text is reported (warning)",
    "quality.thresholds.without_keywords": "share of new chunks without keywords that is reported (warning)",
    "quality.thresholds.changed_documents": "`changed_share` holds when more documents than this are changed or gone",
    "quality.thresholds.vector_cosine": "least cosine of a stored vector and the same text embedded again",
    "quality.thresholds.locator_words": "least share of a chunk's words that must stand where its citation leads",
    "quality.thresholds.garbled_share": "share of garbled words in a document that is reported (warning)",
    "quality.thresholds.figure_factor": "times as large or small a changed number must be to be reported (warning)",
    "quality.thresholds.conflict_likeness": "share of other words in common that makes clauses comparable",
    "quality.thresholds.min_questions": "with fewer questions recall and MRR are inconclusive",
    "quality.locator_sample": "citations of new chunks opened and compared with the original",
    "quality.mass_delete_share": "more than this share of a source gone, and ...",
    "quality.mass_delete_documents": "... more than this many documents: the run waits for an operator",
    "retrieval.lexical.k1": "BM25 term saturation",
    "retrieval.lexical.b": "BM25 length normalisation",
    "retrieval.lexical.weights": "how often words of a field count, 0..100: `name` of a knowledge entry, `aliases` "
    "(also of front matter), `title`, `heading_path`, `keywords`, `text`",
    "retrieval.fusion": "`bounded` (comparable scores), `rrf` (ranks) or `weighted` (70 % vectors)",
    "retrieval.dense_weight": "share of the dense score in `bounded` fusion",
    "retrieval.neighbours": "share of the best score near it in its section that a passage gains; two away counts half",
    "retrieval.evidence.dense": "cosine that is evidence alone",
    "retrieval.evidence.lexical": "share of the highest possible BM25 score that is evidence alone",
    "retrieval.evidence.dense_weak": "cosine that is evidence together with `lexical_weak`",
    "retrieval.evidence.lexical_weak": "lexical share that is evidence together with `dense_weak`",
    "retrieval.candidates": "hits each arm contributes before they are joined",
    "retrieval.least_truth": "hits of documents with less `truth_confidence` than this are left out",
    "retrieval.routing": "`identifiers` sends a question that is nothing but identifiers to keywords alone; `kprep "
    "eval` says what that loses",
    "views.NAME.where": "allowed values of `sensitivity`, `doc_type`, `language`, `source`",
    "views.NAME.updated_since": "only what was updated on this day or later (`2025-01-01`, midnight UTC)",
    "views.NAME.updated_before": "only what was updated before this day",
    "views.NAME.fields": "what the view shows; also the columns of its SQL view",
    "views.NAME.stores": "`candidate` beside `formal` shows what nobody has confirmed, after all other hits",
    "views.NAME.boost": "fragment type -> factor on the score, over 0, when the view is searched: "
    + ", ".join(f"`{name}`" for name in (*FRAGMENTS, *SAID)),
}
"""Key of `kprep.yaml` -> what it means."""


def config_table() -> str:
    """Markdown table of every key of `kprep.yaml` with its default. Raises: ValueError for a drift."""
    from kprep.config import KnowledgeBaseConfig

    rows = [(key, _effective(key, default)) for key, default in _keys(KnowledgeBaseConfig, "")]
    found, described = {key for key, _ in rows}, set(MEANINGS)
    if found != described:
        raise ValueError(f"keys without meaning: {found - described}; meanings without key: {described - found}")
    return _table(("key", "default", "meaning"), [(f"`{key}`", default, MEANINGS[key]) for key, default in rows])


def settings_table() -> str:
    """Markdown table of the environment variables of an installation."""
    from kprep.settings import Settings

    prefix = Settings.model_config.get("env_prefix", "")
    rows = [
        (f"`{prefix}{name.upper()}`", _default(field), field.description or "")
        for name, field in Settings.model_fields.items()
    ]
    return _table(("variable", "default", "meaning"), rows)


def commands_table() -> str:
    """Markdown table of the commands with the first sentence of their help."""
    from kprep.cli.app import cli

    context = click.Context(cli)
    rows = []
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        rows.append((f"`kprep {name}`", command.get_short_help_str(limit=200).rstrip(".")))
    return _table(("command", "what it does"), rows)


def formats_table() -> str:
    """Markdown table of the parsers with the media types they take."""
    from parsers import PARSERS

    rows = [(f"`{spec.name}`", ", ".join(f"`{name}`" for name in spec.media_types)) for spec in PARSERS.values()]
    return _table(("parser", "media types"), rows)


def sources_table() -> str:
    """Markdown table of the kinds of sources with the keys that only they have."""
    from sources import SOURCES

    rows = [
        (f"`{kind}`", f"`{name}`", _default(field), field.description or "")
        for kind, spec in SOURCES.items()
        for name, field in spec.options.model_fields.items()
    ]
    return _table(("kind", "key", "default", "meaning"), rows)


def registry_table() -> str:
    """Markdown table of what can be added: the file, and the registry line as it stands in the room."""
    return _table(
        ("what", "file with", "registry line"), [(what, file, f"`{_line(room)}`") for what, file, room in ADDABLE]
    )


def _line(room: str) -> str:
    """The registry of a room, on one line. Raises: ValueError when the room has none."""
    code = (ROOT / room / "__init__.py").read_text(encoding="utf-8")
    for node in ast.parse(code).body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and ast.unparse(node.value.func) == "by_name"
        ):
            return ast.unparse(node)
    raise ValueError(f"{room}/__init__.py has no registry")


def cli_reference() -> str:
    """Markdown with the help of every command, in the order of `kprep --help`."""
    from kprep.cli.app import cli

    return "\n".join(_command_help(cli, "kprep", None))


def _command_help(command: click.Command, path: str, parent: click.Context | None) -> Iterator[str]:
    settings = {**command.context_settings, "max_content_width": HELP_WIDTH, "terminal_width": HELP_WIDTH}
    name = path.rsplit(maxsplit=1)[-1] if parent is not None else path
    context = click.Context(command, info_name=name, parent=parent, **settings)
    yield from (f"## `{path}`", "", "```text", command.get_help(context).strip(), "```", "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _command_help(inner, f"{path} {name}", context)


def _keys(model: type[BaseModel], prefix: str) -> Iterator[tuple[str, str]]:
    """(key path, default) of a model's fields; models below are walked into."""
    from kprep.config import SourceConfig

    for name, field in model.model_fields.items():
        path = f"{prefix}{name}"
        inner, suffix = (SourceConfig, "[]") if path == "sources" else _inner_model(field.annotation)
        if inner is not None:
            yield from _keys(inner, f"{path}{suffix}.")
        else:
            yield path, _default(field)


def _effective(key: str, default: str) -> str:
    """The default that a room fills in where the configuration has none."""
    from kprep.core.models import ChunkProfile
    from retrieval.tokens import DEFAULT_WEIGHTS

    if key.startswith("chunking.profiles."):
        value = getattr(ChunkProfile(), key.rpartition(".")[2])
        return "-" if value == {} else f"`{value}`"
    return f"`{json.dumps(dict(DEFAULT_WEIGHTS))}`" if key == "retrieval.lexical.weights" else default


def _inner_model(annotation: Any) -> tuple[type[BaseModel] | None, str]:
    """The model an annotation holds, and how its keys are written: plain, one of a list, one of a mapping."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, ""
    arguments = get_args(annotation)
    models = [item for item in arguments if isinstance(item, type) and issubclass(item, BaseModel)]
    if not models:
        return None, ""
    if type(None) in arguments:
        return models[0], ""
    return models[0], ".NAME" if str in arguments else "[]"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is None or value is PydanticUndefined or value in ((), {}, ""):
        return "-"
    plain = list(value) if isinstance(value, tuple) else value
    return f"`{plain if isinstance(plain, str) else json.dumps(plain)}`"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
