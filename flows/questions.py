"""Questions for a person to accept, and labels that no longer hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flows import gate
from flows.workspace import Workspace
from kprep.config import read_yaml
from kprep.core.errors import ConfigError, RetrievalError
from kprep.store import measures, overlay, releases
from kprep.store.sql import Connection
from quality import load_questions
from quality.evaluation import span_in
from quality.spec import Question
from quality.text import words
from retrieval import Reader, tokens

QUOTE_WORDS = 12
LEAST_QUOTE = 4
_DEFINED = re.compile(r"[`*]*\s*[|:=–—]|[`*]*\s+-\s")
"""What stands between a code and what is said of it."""
_ASKS = re.compile(r"[?？]\s*$")


def suggest(workspace: Workspace, uris: Sequence[str], principals: Sequence[str], most: int) -> list[dict[str, Any]]:
    """Questions made of headings and identifiers, in the form of a questions file; nothing is invented, and a person
    decides which are real ones. One a heading and one an identifier, spread over the documents named.

    Raises: RetrievalError for a document the principals may not read.
    """
    with workspace.database.begin() as connection:
        today = datetime.now(tz=UTC).date()
        reader = Reader(connection, workspace.kb, None, principals, today)
        found = [list(_of(reader.chunks(uri), list(principals))) for uri in uris]
    known = {question.question.casefold() for question in gate.questions(workspace)}
    spread = [entry for at in range(most) for entries in found if at < len(entries) for entry in entries[at : at + 1]]
    fresh = [entry for entry in spread if entry["question"].casefold() not in known]
    distinct = {entry["question"].casefold(): entry for entry in reversed(fresh)}
    return [entry for entry in fresh if distinct[entry["question"].casefold()] is entry][:most]


def _of(rows: Sequence[Mapping[str, Any]], principals: list[str]) -> Iterator[dict[str, Any]]:
    headings: set[tuple[str, ...]] = set()
    codes: set[str] = set()
    for row in rows:
        for code in tokens.identifiers(row["text"]):
            quote = _line_of(row["text"], code)
            if any(map(str.isdigit, code)) and code not in codes and quote:
                codes.add(code)
                written = re.search(re.escape(code), row["text"], re.IGNORECASE)
                yield _entry(row, "identifier", written[0] if written else code, quote, principals)
                break
        path = tuple(row["heading_path"])
        quote = _quote(row["text"])
        if path and path not in headings and quote and row["kind"] in ("text", "list"):
            headings.add(path)
            asked = path[-1] if _ASKS.search(path[-1]) else " ".join(dict.fromkeys((path[0], path[-1])))
            yield _entry(row, "natural", asked, quote, principals)


def _entry(row: Mapping[str, Any], kind: str, question: str, quote: str, principals: list[str]) -> dict[str, Any]:
    name = re.sub(r"[^\w]+", "-", f"{row['document_uri'].rsplit('/', 1)[-1]}-{question}".casefold()).strip("-")[:60]
    return {
        "id": f"suggested-{name}",
        "class": kind,
        "question": question,
        "as": list(principals),  # one of its own: YAML would write a common one as an alias
        "expect": [{"document": row["document_uri"], "quote": quote}],
    }


def _quote(text: str) -> str:
    """First words of the first line that has enough of them."""
    for line in text.split("\n"):
        said = line.split()
        if len(words(line)) >= LEAST_QUOTE:
            return " ".join(said[:QUOTE_WORDS])
    return ""


def _line_of(text: str, code: str) -> str:
    """What the source says of a code: the words after it in a row, a term or a setting; of a sentence that only names
    it, those from the code on, or the last before it."""
    for line in text.split("\n"):
        found = re.search(rf"(?<!\w){re.escape(code)}(?!\w)", line, re.IGNORECASE)
        if found is None:
            continue
        rest = line[found.end() :]
        if _DEFINED.match(rest):
            said = " ".join(rest.strip(" |:=-–—`*").split("|")[0].split()[:QUOTE_WORDS])
        else:
            said = " ".join(line[found.start() :].split("|")[0].split()[:QUOTE_WORDS])
            if len(words(said)) < LEAST_QUOTE:
                said = " ".join(line[: found.end()].split("|")[-1].split()[-QUOTE_WORDS:])
        if len(words(said)) >= LEAST_QUOTE:
            return said
    return ""


def check(workspace: Workspace, files: Sequence[Path]) -> list[dict[str, Any]]:
    """Labels that do not hold in the live release: {file, id, document, quote, reason}. Raises: as `question_sets`."""
    wrong = []
    with workspace.database.begin() as connection:
        release = Reader(connection, workspace.kb, None, (), datetime.now(tz=UTC).date()).release
        for name, asked in question_sets(workspace, files):
            wrong += [{"file": name, **row} for row in unheld(workspace, connection, release, asked)]
    return wrong


def question_sets(workspace: Workspace, files: Sequence[Path]) -> list[tuple[str, tuple[Question, ...]]]:
    """Name and questions of each file; without files, of the gate's own. Raises: ConfigError where there are none."""
    own = workspace.base.config.quality.questions
    chosen = list(files) or ([workspace.base.path(own)] if own is not None else [])
    if not chosen:
        raise ConfigError("there are no questions: name a file of them, or set `quality.questions`")
    sets = [(path.name, load_questions(read_yaml(path), path.name)) for path in chosen]
    if empty := [name for name, questions in sets if not questions]:
        raise ConfigError(f"{empty[0]} holds no question: `kprep questions suggest URI` proposes some")
    return sets


def unheld(
    workspace: Workspace, connection: Connection, release: int, asked: Sequence[Question]
) -> list[dict[str, Any]]:
    """Labels of questions that do not hold in a release, {id, document, quote, reason}: expected ones as the asker sees
    it, forbidden ones as it is, since the asker must not see them."""
    hidden = sorted({span.document for question in asked for span in question.forbidden})
    texts: dict[str, list[tuple[str, ...]]] = {}
    for uri, text in measures.texts_of(connection, workspace.kb, release, hidden):
        texts.setdefault(uri, []).append(words(text))
    rows = [
        row
        for question in asked
        for row in (*_unread(workspace, connection, release, question), *_not_there(question, texts))
    ]
    return _said_why(workspace, connection, release, rows)


def _not_there(question: Question, texts: Mapping[str, list[tuple[str, ...]]]) -> Iterator[dict[str, Any]]:
    for span in question.forbidden:
        row = {"id": question.id, "document": span.document, "quote": span.quote}
        if span.document not in texts:
            yield {**row, "reason": "the release has no such document, so that nothing is denied"}
        elif not span_in(texts[span.document], words(span.quote)):
            yield {**row, "reason": "the document has other words"}


UNREAD = "the principals of the question cannot read such a document"


def _said_why(
    workspace: Workspace, connection: Connection, release: int, rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The same rows; those that nobody can read, whatever the principals, say so."""
    kb, unread = workspace.kb, sorted({row["document"] for row in rows if row["reason"] == UNREAD})
    if not unread:
        return list(rows)
    known = {item.uri for item in releases.of_uris(connection, kb, release, unread)}
    why = dict.fromkeys(unread, "the release has no such document") | dict.fromkeys(known, UNREAD)
    ended = measures.expired(connection, kb, release, datetime.now(tz=UTC).date())
    why |= dict.fromkeys(known.intersection(ended), "the document is no longer valid")
    for entry in overlay.entries(connection, kb):
        if entry["uri"] in why and entry["reason"] == "source_deleted":
            why[entry["uri"]] = "the document is gone: its source deleted it"
        elif entry["uri"] in known:
            why[entry["uri"]] = f"the document is hidden ({entry['reason']}): see `kprep suppressed`"
    return [row | {"reason": why[row["document"]]} if row["reason"] == UNREAD else row for row in rows]


def _unread(workspace: Workspace, connection: Connection, release: int, question: Question) -> Iterator[dict[str, Any]]:
    today = datetime.now(tz=UTC).date()
    reader = Reader(connection, workspace.kb, release, question.principals, today, unpublished=True)
    for span in question.expected:
        row = {"id": question.id, "document": span.document, "quote": span.quote}
        try:
            texts = [words(chunk["text"]) for chunk in reader.chunks(span.document)]
        except RetrievalError:
            yield {**row, "reason": UNREAD}
            continue
        if not span_in(texts, words(span.quote)):
            yield {**row, "reason": "the document has other words"}
