"""What an Office file says of itself."""

from __future__ import annotations

from kprep.core.models import DocumentMetadata
from parsers.docx_xml import Node, local
from parsers.front_matter import moment


def core_properties(root: Node | None) -> DocumentMetadata:
    """Title, authors, dates and language of `docProps/core.xml`, or of OpenDocument's `meta.xml`."""
    nodes = root.iter() if root is not None else ()
    found = {local(node): (node.text or "").strip() for node in nodes if (node.text or "").strip()}
    authors = [name.strip() for name in (found.get("creator") or found.get("initial-creator") or "").split(";")]
    return DocumentMetadata(
        title=found.get("title", ""),
        authors=tuple(name for name in authors if name),
        created_at=moment(found.get("created") or found.get("creation-date") or ""),
        modified_at=moment(found.get("modified") or found.get("date") or ""),
        language=found.get("language", ""),
    )
