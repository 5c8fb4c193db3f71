"""Bytes of documents: from their sources, and from the mails that they are attached to.

A mail is opened when its content changed, in a child process; what is attached to it is known until then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

from flows.attached import INSIDE, MARK, SEPARATOR, entry_of
from flows.child import Limits, PrepareChild
from flows.progress import report
from flows.workspace import Workspace
from kprep.config import SourceConfig
from kprep.core.errors import SourceUnavailable
from kprep.core.ids import content_hash
from kprep.core.models import Failure
from kprep.store.documents import DocumentRow
from parsers import PARSERS, parser_for
from parsers.mail_attachments import may_have_attached
from parsers.media_type import HEAD_BYTES, detect
from parsers.withheld import without_secrets
from sources import SOURCES, Entry, Options, SourceRequest
from sources.cache import keep_body, kept_body, load_state, save_state

MAILS = frozenset(name for spec in PARSERS.values() if spec.attached is not None for name in spec.media_types)
DEPTH_MAX = 5
"""Mails within mails that are opened."""
FILES_MAX = 1000
"""Files of one mail or mailbox that are documents."""


def request_for(workspace: Workspace, source: SourceConfig) -> SourceRequest:
    """What a source's configuration asks for."""
    return SourceRequest(
        source.name,
        cast("Options", source),
        source.include,
        source.exclude,
        folder=workspace.base.folder,
        cache=source_caches(workspace) / source.name,
        size_max=workspace.settings.document_size_mb * 1024 * 1024,
        progress=partial(report, "scan"),
    )


def source_caches(workspace: Workspace) -> Path:
    """Folder in the restricted zone where the sources of this knowledge base keep what saves them work."""
    return workspace.data_dir / "restricted" / "sources" / workspace.kb


def fetch(workspace: Workspace, source: SourceConfig, entry: Entry) -> bytes:
    """Bytes of a listed document now, without what is withheld of them. Raises: SourceError, SourceUnavailable."""
    request = request_for(workspace, source)
    if not entry.location.startswith(INSIDE):
        try:
            return without_secrets(entry.name, SOURCES[source.kind].fetch(request, entry))
        except OSError as error:
            raise SourceUnavailable(f"{entry.uri} cannot be read ({error.strerror})") from error
    content = kept_body(request, _key(entry.uri))
    if content is None:
        uri = entry.uri.rpartition(SEPARATOR)[0]
        mail = replace(entry, uri=uri, name=_last(uri), location=entry.location.removeprefix(INSIDE))
        with Mails(workspace) as mails:
            mails.open(source, uri, fetch(workspace, source, mail))
        content = kept_body(request, _key(entry.uri))
    if content is None:
        raise SourceUnavailable(f"{entry.uri} is not attached any more; the next run takes it up")
    return content


def _key(uri: str) -> str:
    return f"{MARK}{uri}"


def _last(uri: str) -> str:
    return uri.rpartition(SEPARATOR)[2].rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Inside:
    """Files attached to a mail, as entries. `problem`: reason and detail of what is not read of it."""

    entries: tuple[Entry, ...] = ()
    problem: tuple[str, str] | None = None


class Mails:
    """What is attached to the mails of one scan. State of a source: URI of a mail -> what it was read from, and
    what was attached (name, hash, size), None where that cannot be read."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._child: PrepareChild | None = None
        self._before: dict[str, dict[str, Any]] = {}
        self._now: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.close()

    def inside(self, source: SourceConfig, mail: Entry, row: DocumentRow, read: Callable[[], bytes]) -> Inside | None:
        """Files attached to a listed mail; None where that cannot be read. `read`: gives the mail's bytes."""
        if source.name not in self._before:
            self._before[source.name] = load_state(request_for(self._workspace, source), "attached")
            self._now[source.name] = {}
        if mail.location.count(INSIDE) >= DEPTH_MAX:
            detail = f"not opened: it is a mail inside {DEPTH_MAX} others; store it by itself"
            return Inside(problem=("too_large", detail) if may_have_attached(read()) else None)
        known = self._before[source.name].get(mail.uri)
        made_of = f"{parser_for(row.media_type).version}-{row.content_hash}"
        if known is None or known[0] != made_of:
            content = read()
            # Where something was attached, a mail that says nothing of it is looked at as well: it may be damaged.
            wanted = (known is not None and known[1] != []) or may_have_attached(content)
            known = [made_of, self.open(source, mail.uri, content, row.media_type) if wanted else []]
        self._now[source.name][mail.uri] = known
        if known[1] is None:
            return None
        files = known[1][:FILES_MAX]
        detail = f"{len(known[1]):,} files are attached, of which {FILES_MAX:,} are read: split the mailbox"
        problem = ("too_large", detail) if len(known[1]) > FILES_MAX else None
        return Inside(tuple(entry_of(mail, *file) for file in files), problem)

    def open(
        self, source: SourceConfig, uri: str, content: bytes, media_type: str = ""
    ) -> list[tuple[str, str, int]] | None:
        """Name, hash and size of each file attached to a mail, None where it cannot be read; their bytes are kept until
        the run ends."""
        media_type = media_type or detect(_last(uri), content[:HEAD_BYTES])
        if self._child is None:
            settings = self._workspace.settings
            limits = Limits(settings.document_timeout_s, settings.document_memory_mb)
            self._child = PrepareChild(self._workspace.rules, limits)
        found = self._child.attached(media_type, content)
        if isinstance(found, Failure):
            return None
        found = [(name, without_secrets(name, file)) for name, file in found]
        request = request_for(self._workspace, source)
        for name, file in found[:FILES_MAX]:
            keep_body(request, _key(f"{uri}{SEPARATOR}{name}"), file)
        return [(name, content_hash(file), len(file)) for name, file in found]

    def save(self, source: SourceConfig, is_old: Callable[[str], bool]) -> None:
        """Keep for the next scan what is attached; `is_old`: URIs of mails that this scan did not look at."""
        if source.name in self._now:
            before = self._before[source.name]
            now = {uri: known for uri, known in before.items() if is_old(uri)} | self._now[source.name]
            if now != before:
                save_state(request_for(self._workspace, source), "attached", now)
