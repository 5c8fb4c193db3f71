"""search, get, relations, chunks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kprep.cli import output
from kprep.cli.app import EXIT_FAILED, command, exits, print_json, said_of, workspace
from kprep.core.errors import ConfigError
from kprep.core.legible import no_text

if TYPE_CHECKING:
    from flows.workspace import Workspace
    from kprep.store.sql import Connection

MODES = ("lexical", "dense", "hybrid", "hybrid+references")
AS_HELP = "Read as this principal (repeat for more). Without it: only what is public to the tenant."


def _depth(_: click.Context, __: click.Parameter, value: str) -> str:
    """A depth that says something. Raises: BadParameter naming those there are."""
    from retrieval.scoring import level
    from retrieval.searcher import DIFFICULTIES

    if value and level(value) is None:
        raise click.BadParameter(f"{value!r} is no depth; {DIFFICULTIES}")
    return value


@command("search")
@click.argument("question", required=False)
@click.option("--as", "principals", multiple=True, metavar="PRINCIPAL", help=AS_HELP)
@click.option("--view", help="Only what this view shows.")
@click.option("--mode", type=click.Choice(MODES), default="hybrid", show_default=True)
@click.option("--top-k", type=click.IntRange(1, 100), default=5, show_default=True)
@click.option("--release", type=int, help="Read this published release instead of the live one.")
@click.option("--as-of", type=click.DateTime(["%Y-%m-%d"]), help="What was valid on this day (default: today).")
@click.option("--batch", type=click.File("rb"), help="Questions from a file (- for stdin), see below.")
@click.option("--full", is_flag=True, help="Show whole chunks.")
@click.option(
    "--where", multiple=True, metavar="FIELD=VALUE", help="Only these: sensitivity, doc_type, language, source."
)
@click.option("--updated-since", type=click.DateTime(["%Y-%m-%d"]), help="Only what was updated on this day or later.")
@click.option("--updated-before", type=click.DateTime(["%Y-%m-%d"]), help="Only what was updated before this day.")
@click.option(
    "--difficulty",
    default="",
    callback=_depth,
    help="Prefer this depth: basic, intermediate, advanced, or a number from 0 to 1.",
)
@click.option("--style", default="", help="Prefer this register, as documents name theirs.")
@click.option(
    "--frag-count", type=click.IntRange(0, 100), default=0, help="Most hits of one section or knowledge entry (0: any)."
)
@click.option("--explain", is_flag=True, help="Show what made each score.")
@click.option(
    "--budget", type=click.IntRange(0, 20000), default=0, help="Tokens of section summary and neighbours to add."
)
def search_command(
    folder: Path | None,
    data_dir: Path | None,
    as_json: bool,
    question: str | None,
    principals: tuple[str, ...],
    view: str | None,
    mode: str,
    top_k: int,
    release: int | None,
    as_of: datetime | None,
    batch: Any,
    full: bool,
    where: tuple[str, ...],
    updated_since: datetime | None,
    updated_before: datetime | None,
    difficulty: str,
    style: str,
    frag_count: int,
    explain: bool,
    budget: int,
) -> None:
    """Ask the published release.

    \b
    kprep search "how do I get a refund"
    kprep search "travel allowance" --as all-employees --view intranet --top-k 3
    kprep search --batch questions.txt --json

    A batch file has one question a line, or JSON lines {"id", "question", "as", "view", "mode", "top_k"}; answers come
    as JSON lines {"id", ...} in the same order, from one process. What is wrong with a line is its answer: {"id",
    "error": {"reason", "message"}}, and the others are asked all the same.
    """
    if (question is None) == (batch is None):
        raise click.UsageError("give one question, or --batch FILE")
    if updated_since and updated_before and updated_since >= updated_before:
        raise click.UsageError("--updated-since is not before --updated-before, so nothing can be found: exchange them")
    defaults = {"as": list(principals), "view": view, "mode": mode, "top_k": top_k}
    more = {
        "where": _filters(where),
        "updated_from": updated_since.replace(tzinfo=UTC) if updated_since else None,
        "updated_until": updated_before.replace(tzinfo=UTC) if updated_before else None,
        "difficulty": difficulty,
        "style": style,
        "frag_count": frag_count,
        "explain": explain,
        "budget": budget,
    }
    day = _day(as_of)
    with workspace(folder, data_dir) as opened:
        if batch is not None:
            failed = False
            for answer in _answers(opened, _lines(batch, defaults), (release, day, more)):
                # Half a surrogate pair, which JSON can write and UTF-8 cannot, goes out escaped as it came in.
                line = json.dumps(answer, ensure_ascii=False, default=str)
                click.echo(line.encode("utf-8", "backslashreplace"))
                failed = failed or "error" in answer
            exits(EXIT_FAILED if failed else 0)
        with opened.database.begin() as connection:
            answer = ask(opened, connection, {**defaults, "question": question}, (release, day, more))
    if as_json:
        print_json(answer)
    else:
        output.hits(answer, full=full)


def ask(
    opened: Workspace, connection: Connection, item: dict[str, Any], how: tuple[int | None, date, dict[str, Any]]
) -> dict[str, Any]:
    """One answer. `how`: release, day of reading, and further fields of the request. Raises: RetrievalError,
    EmbeddingError."""
    from retrieval import Reader, Searcher, SearchRequest

    release, day, more = how
    reader = Reader(connection, opened.kb, release, item["as"], day)
    searcher = Searcher(reader, lambda: opened.embedder_of(reader.row.configuration))
    return searcher.search(SearchRequest(item["question"], item["view"], item["mode"], item["top_k"], **more))


def _filters(given: Sequence[str]) -> dict[str, list[str]]:
    """Field -> allowed values. Raises: UsageError naming the fields there are."""
    from kprep.config import FILTERABLE

    out: dict[str, list[str]] = {}
    for item in given:
        name, sign, value = item.partition("=")
        if name not in FILTERABLE or not sign or not value:
            raise click.UsageError(f"--where {item}: write FIELD=VALUE with one of {', '.join(FILTERABLE)}")
        out.setdefault(name, []).append(value)
    return out


def _day(as_of: datetime | None) -> date:
    """The day to read for: the one asked for, or today in UTC."""
    return as_of.date() if as_of else datetime.now(tz=UTC).date()


def _answers(
    opened: Workspace, items: Iterator[dict[str, Any]], how: tuple[int | None, date, dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """An answer a question; one that cannot be asked or answered says why and does not stop the others. Each has a
    transaction of its own: a statement that fails ends the one it is in."""
    database = opened.database
    for item in items:
        if "error" in item:
            yield {"id": item["id"], "error": {"reason": ConfigError.reason, "message": item["error"]}}
            continue
        try:
            with database.begin() as connection:
                answer = ask(opened, connection, item, how)
            yield {"id": item["id"], **answer}
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is this line's
            reason, message = said_of(error)
            yield {"id": item["id"], "error": {"reason": reason, "message": message}}


def _lines(batch: Any, defaults: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Questions of a batch in order; a line that cannot be read is {id, error}."""
    for number, line in enumerate(batch, start=1):
        try:
            text = line.decode("utf-8").strip()
            if text.startswith("{"):
                given = json.loads(text)
                unset = {key for key in ("mode", "top_k") if given.get(key, "") is None}
                given = {key: value for key, value in given.items() if key not in unset}
                yield _checked({"id": str(number), **defaults, **given}, number)
            elif text:
                yield _checked({"id": str(number), **defaults, "question": text}, number)
        except json.JSONDecodeError as error:
            yield {"id": str(number), "error": f"line {number} of the batch is not JSON: {error.msg}"}
        except UnicodeDecodeError:
            yield {"id": str(number), "error": f"line {number} of the batch is not UTF-8"}
        except RecursionError:
            yield {"id": str(number), "error": f"line {number} of the batch is nested too deeply"}
        except ValueError:
            yield {"id": str(number), "error": f"line {number} of the batch holds a number too long to be read"}


_FIELDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "question": ("a text", lambda value: isinstance(value, str)),
    "as": (
        "a list of texts",
        lambda value: isinstance(value, list) and all(isinstance(name, str) for name in value),
    ),
    "view": ("a text or null", lambda value: value is None or isinstance(value, str)),
    "mode": ("a text", lambda value: isinstance(value, str)),
    "top_k": ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
}
"""Key of a batch item -> what it must be, in words and as a test."""


def _checked(item: dict[str, Any], number: int) -> dict[str, Any]:
    """A batch item with the right types, or {id, error} naming line and key."""
    if isinstance(item["as"], str):
        item["as"] = [item["as"]]
    said = ""
    for key, (what, holds) in _FIELDS.items():
        if not holds(item.get(key)):
            said = said or f"{key} must be {what}"
    for text in (item.get("question"), item["view"], *(item["as"] if isinstance(item["as"], list) else ())):
        if isinstance(text, str) and (reason := no_text(text)):
            said = said or f"{text!a} cannot be used: {reason}"
    if unknown := item.keys() - {"id", *_FIELDS}:
        said = said or f"unknown key {min(unknown)}"
    return {"id": item["id"], "error": f"line {number} of the batch: {said}"} if said else item


@command("get")
@click.argument("address")
@click.option("--as", "principals", multiple=True, metavar="PRINCIPAL", help=AS_HELP)
@click.option("--release", type=int, help="Read this published release instead of the live one.")
@click.option("--as-of", type=click.DateTime(["%Y-%m-%d"]), help="What was valid on this day (default: today).")
def get_command(
    folder: Path | None,
    data_dir: Path | None,
    as_json: bool,
    address: str,
    principals: tuple[str, ...],
    release: int | None,
    as_of: datetime | None,
) -> None:
    """Show a document (URI), a section (URI#anchor) or a chunk (id) as published."""
    with workspace(folder, data_dir) as opened, opened.database.begin() as connection:
        from retrieval import Reader

        found = Reader(connection, opened.kb, release, principals, _day(as_of)).get(address)
    if as_json:
        print_json(found)
        return
    sections = found["sections"] if "sections" in found else [found["parent"]]
    for section in sections:
        click.secho(section["citation"], fg="cyan")
        click.secho(" > ".join(section["heading_path"]), bold=True)
        click.echo(section["text"] + "\n")
    for row in found["relations"]:
        click.echo(f"{row['kind']}: {row['written']} -> {leads_to(row)} ({row['state']})")


@command("relations")
@click.argument("uri")
@click.option("--incoming", is_flag=True, help="Show what refers to the document instead.")
@click.option("--as", "principals", multiple=True, metavar="PRINCIPAL", help=AS_HELP)
@click.option("--release", type=int, help="Read this published release instead of the live one.")
@click.option("--as-of", type=click.DateTime(["%Y-%m-%d"]), help="What was valid on this day (default: today).")
def relations_command(
    folder: Path | None,
    data_dir: Path | None,
    as_json: bool,
    uri: str,
    incoming: bool,
    principals: tuple[str, ...],
    release: int | None,
    as_of: datetime | None,
) -> None:
    """Show what a document refers to: links, citations, imports, $ref, depends_on, related_to, supersedes.

    Each with its state: ok; older_revision (the target has changed since the reference was first published);
    target_missing; target_revoked (withdrawn, or out of validity); external.
    """
    with workspace(folder, data_dir) as opened, opened.database.begin() as connection:
        from retrieval import Reader

        rows = Reader(connection, opened.kb, release, principals, _day(as_of)).relations(uri, incoming=incoming)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        click.echo(f"{row['state']:15} {row['kind']:10} {row['written']}  ", nl=False)
        click.secho(row["document_uri"] if incoming else leads_to(row), fg="cyan")
    click.echo(f"{len(rows)} relations")


def leads_to(row: Mapping[str, Any]) -> str:
    """Where a relation leads: URI and anchor, or the title it names."""
    place = row["target_uri"] or row["target_title"]
    return f"{place}#{row['anchor']}" if row["anchor"] else str(place)


@command("chunks")
@click.argument("uri")
@click.option("--as", "principals", multiple=True, metavar="PRINCIPAL", help=AS_HELP)
@click.option("--release", type=int, help="Read this published release instead of the live one.")
@click.option("--as-of", type=click.DateTime(["%Y-%m-%d"]), help="What was valid on this day (default: today).")
def chunks_command(
    folder: Path | None,
    data_dir: Path | None,
    as_json: bool,
    uri: str,
    principals: tuple[str, ...],
    release: int | None,
    as_of: datetime | None,
) -> None:
    """Show the published chunks of one document in order."""
    with workspace(folder, data_dir) as opened, opened.database.begin() as connection:
        from retrieval import Reader

        rows = Reader(connection, opened.kb, release, principals, _day(as_of)).chunks(uri)
    if as_json:
        print_json(rows)
        return
    for row in rows:
        fragment = f" [{row['fragment']}]" if row["fragment"] else ""
        click.secho(
            f"{row['citation']}  {row['chunk_id'][:8]}  {row['kind']}{fragment}  {row['tokens']} tokens", fg="cyan"
        )
        click.secho(" > ".join(row["heading_path"]), bold=True)
        click.echo(row["text"] + "\n")


COMMANDS = {
    "search": search_command,
    "get": get_command,
    "relations": relations_command,
    "chunks": chunks_command,
}
