"""One file through the rooms up to a stage, for people who tune rules. Nothing is stored."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from flows.fetching import request_for
from flows.rooms import coverage_of, described, walk
from flows.workspace import Workspace
from kprep.config import SourceConfig
from kprep.core.errors import ConfigError, PrepError, SourceError
from kprep.core.models import Element, RawDocument
from parsers.dotenv import without_secrets
from parsers.media_type import HEAD_BYTES, detect
from sources import filesystem

SHOWN = ("level", "marker", "language", "header_rows", "hidden", "confidence")


def try_file(
    workspace: Workspace, path: Path, stage: str, source: str | None = None, doc_type: str | None = None
) -> dict[str, Any]:
    """What the rooms make of a file, in the shape of `kprep try --json`; a refusal is in `failure`.

    `source`: as whose document it is taken; None: the source whose folder holds it, if one does. `doc_type`: None: that
    of the source. Runs in this process: what a person looks at is one file, and Ctrl-C ends it; the knowledge base's
    own expressions are `bounded`. Raises: SourceError, ConfigError for an unknown source.
    """
    try:
        content = without_secrets(path.name, path.read_bytes())
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error
    chosen = _source(workspace, path, source)
    doc_type = doc_type or (chosen.doc_type if chosen else "document")
    name = chosen.name if chosen else "try"
    raw = RawDocument(f"{name}/{path.name}", path.name, content, detect(path.name, content[:HEAD_BYTES]))
    outcome: dict[str, Any] = {
        "file": str(path),
        "source": chosen.name if chosen else None,
        "media_type": raw.media_type,
        "parser": "",
        "stage": "",
        "elements": [],
        "chunks": [],
        "parents": [],
        "units": [],
        "removals": [],
        "redactions": [],
        "metadata": {},
        "coverage": None,
        "seconds": {},
        "failure": None,
    }
    done = ""
    try:
        for done, document, seconds in walk(raw, doc_type, workspace.rules):
            outcome["seconds"][done] = round(seconds, 4)
            outcome["stage"] = done
            _note(outcome, document)
            if done == "parse":
                outcome["coverage"] = coverage_of(raw, document)
            if done == stage:
                break
    except PrepError as error:
        following = ("parse", "clean", "redact", "chunk", "enrich")
        failed = following[following.index(done) + 1] if done else "parse"
        outcome["failure"] = {"stage": failed, "reason": error.reason, "detail": described(error), **error.context}
    if outcome["failure"] and outcome["failure"]["reason"] == "secret_found":
        outcome["elements"] = []
    return outcome


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


def _note(outcome: dict[str, Any], document: Any) -> None:
    """Replace what the last stage gave by what this one gives."""
    for name in ("units", "removals", "redactions"):
        if hasattr(document, name):
            outcome[name] = [_plain(asdict(item), getattr(item, "locator", None)) for item in getattr(document, name)]
    if hasattr(document, "parser"):
        outcome["parser"] = document.parser
    if hasattr(document, "elements"):
        outcome["elements"] = [_element(element) for element in document.elements]
    if hasattr(document, "children"):
        outcome["elements"] = []
        outcome["chunks"] = [_plain(asdict(child), child.locator) for child in document.children]
        outcome["parents"] = [_plain(asdict(parent), parent.locator) for parent in document.parents]
    metadata = asdict(document.metadata)
    outcome["metadata"] = {name: value for name, value in metadata.items() if value not in (None, "", (), {})}


def _element(element: Element) -> dict[str, Any]:
    values: dict[str, Any] = {"kind": element.kind.value, "text": element.text, "locator": element.locator.to_json()}
    values |= {name: getattr(element, name) for name in SHOWN if getattr(element, name)}
    if element.rows:
        values["rows"] = element.rows
    if element.links:
        values["links"] = [[link.text, link.target] for link in element.links]
    return values


def _plain(values: dict[str, Any], locator: Any) -> dict[str, Any]:
    if locator is not None:
        values["locator"] = locator.to_json()
    if values.get("links"):
        values["links"] = [[link["text"], link["target"]] for link in values["links"]]
    return values
