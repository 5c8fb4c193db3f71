"""What is known of a document beside its text: from its source's configuration and from its own front matter."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from kprep.config import SourceConfig
from kprep.core.ids import canonical_json, digest
from kprep.store.documents import DocumentRow

FROM_KEYS = ("valid_from", "effective_from", "effective_date")
UNTIL_KEYS = ("valid_until", "valid_to", "effective_until", "expires")


def source_metadata(source: SourceConfig, tenant: str) -> dict[str, Any]:
    """What the configuration says of every document of a source."""
    return {
        "tenant": tenant,
        "acl": sorted(set(source.acl)),
        "sensitivity": source.sensitivity,
        "doc_type": source.doc_type,
        "owner": source.owner,
        "source_confidence": source.source_confidence,
    }


def metadata_fingerprint(source: SourceConfig, tenant: str) -> str:
    """Fingerprint of what the configuration says of a source's documents; changing it never re-embeds."""
    return digest("metadata", canonical_json(source_metadata(source, tenant)))


def document_metadata(
    source: SourceConfig, tenant: str, row: DocumentRow | None, front_matter: Mapping[str, Any]
) -> dict[str, Any]:
    """Metadata of one document: its front matter may name owner, validity, what it supersedes, and its own ACL.

    An `acl` in the front matter replaces the source's; one that cannot be read lets nobody in.
    """
    metadata = source_metadata(source, tenant)
    if "acl" in front_matter:
        metadata["acl"] = _principals(front_matter["acl"])
        metadata["own_acl"] = True
    for name in ("owner", "supersedes"):
        if isinstance(front_matter.get(name), str):
            metadata[name] = front_matter[name]
    metadata["valid_from"] = _first_date(front_matter, FROM_KEYS)
    metadata["valid_until"] = _first_date(front_matter, UNTIL_KEYS)
    metadata["updated_at"] = row.modified_at.isoformat() if row is not None and row.modified_at else None
    return metadata


def _principals(value: Any) -> list[str]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) and name.strip() for name in names):
        return []
    return sorted({name.strip() for name in names})


def _first_date(front_matter: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = front_matter.get(key)
        if isinstance(value, str):
            try:
                return date.fromisoformat(value.strip()[:10]).isoformat()
            except ValueError:
                continue
        if isinstance(value, datetime | date):
            return value.isoformat()[:10]
    return None
