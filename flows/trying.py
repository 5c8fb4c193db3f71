"""One file through the rooms up to a stage, for people who tune rules. Nothing is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flows.child import Limits, PrepareChild
from flows.fetching import request_for
from flows.rooms import Job
from flows.workspace import Workspace
from kprep.config import SourceConfig
from kprep.core.errors import ConfigError, SourceError
from kprep.core.models import RawDocument
from parsers.media_type import HEAD_BYTES, detect
from parsers.withheld import without_secrets
from sources import filesystem


def try_file(
    workspace: Workspace, path: Path, stage: str, source: str | None = None, doc_type: str | None = None
) -> dict[str, Any]:
    """What the rooms make of a file, in the shape of `kprep try --json`; a refusal is in `failure`.

    `source`: as whose document it is taken; None: the source whose folder holds it, if one does. `doc_type`: None: that
    of the source. In a child with the limits of a run, so that what is refused there is refused here.
    Raises: SourceError, ConfigError for an unknown source.
    """
    try:
        content = without_secrets(path.name, path.read_bytes())
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error
    chosen = _source(workspace, path, source)
    doc_type = doc_type or (chosen.doc_type if chosen else "document")
    name = chosen.name if chosen else "try"
    raw = RawDocument(f"{name}/{path.name}", path.name, content, detect(path.name, content[:HEAD_BYTES]))
    settings = workspace.settings
    child = PrepareChild(workspace.rules, Limits(settings.document_timeout_s, settings.document_memory_mb))
    try:
        outcome = child.walked(Job(raw, doc_type), stage)
    finally:
        child.close()
    return {"file": str(path), "source": chosen.name if chosen else None, **outcome}


def _source(workspace: Workspace, path: Path, name: str | None) -> SourceConfig | None:
    sources = workspace.base.config.sources
    if name is not None:
        found = next((source for source in sources if source.name == name), None)
        if found is None:
            raise ConfigError(f"there is no source {name!r}; there are: {', '.join(each.name for each in sources)}")
        return found
    folders = [
        (filesystem.folder_of(request_for(workspace, each)), each) for each in sources if each.kind == "filesystem"
    ]
    holding = [(folder, each) for folder, each in folders if path.resolve().is_relative_to(folder)]
    return max(holding, key=lambda pair: len(pair[0].parts))[1] if holding else None
