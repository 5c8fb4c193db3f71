"""Files attached to mails: each is a document of its own, `<URI of the mail>::<name>`, with the mail's permissions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kprep.config import SourceConfig
from kprep.store.documents import DocumentRow
from sources import About, Entry

SEPARATOR = "::"
INSIDE = "\x1f"
"""Stands before the location of the mail in that of a file attached to it; no location of a source begins so."""
MARK = "attached:"
"""Begins the version token of an attached file, which is its hash."""


def entry_of(mail: Entry, name: str, address: str, size: int) -> Entry:
    """Entry of a file attached to a mail. `address`: hash of its bytes."""
    uri, location = f"{mail.uri}{SEPARATOR}{name}", INSIDE + mail.location
    about = About(url=mail.about.url, parent=mail.uri, labels=mail.about.labels)
    return Entry(uri, name, location, MARK + address, size, mail.modified_at, mail.acl, mail.acl_problem, about)


def path_of(source: SourceConfig, entry: Entry) -> str:
    """Path below its source of a document, or of the mail that it came with."""
    depth = len(entry.location) - len(entry.location.lstrip(INSIDE))
    uri = entry.uri.rsplit(SEPARATOR, depth)[0] if depth else entry.uri
    return uri.removeprefix(f"{source.name}/")


def attached_before(rows: Iterable[DocumentRow]) -> Mapping[str, Sequence[str]]:
    """URI of a mail -> ids of documents that were attached to it, or to a mail inside it."""
    out: dict[str, list[str]] = {}
    for row in rows:
        if row.version_token.startswith(MARK):
            parts = row.uri.split(SEPARATOR)
            for depth in range(1, len(parts)):
                out.setdefault(SEPARATOR.join(parts[:depth]), []).append(row.document_id)
    return out
