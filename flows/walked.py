"""One file through the rooms in the shape of `kprep try --json`: what the last stage gave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from flows.rooms import Job, coverage_of, refusal, walk
from flows.rules import STAGES, RuleSet
from kprep.core.models import Element, Failure

SHOWN = ("level", "marker", "language", "header_rows", "hidden", "confidence")


def walked(job: Job, last: str, rules: RuleSet, enter: Callable[[str], None]) -> dict[str, Any]:
    """What the rooms up to `last` make of a file; a refusal is in `failure`. `enter` is called before each room."""
    raw = job.raw
    outcome = nothing(raw.media_type)
    document: Any = raw
    stage = STAGES[0]
    try:
        for stage in STAGES[: STAGES.index(last) + 1]:
            enter(stage)
            [(_, document, seconds)] = walk(document, job.doc_type, rules, (stage,))
            outcome["seconds"][stage] = round(seconds, 4)
            outcome["stage"] = stage
            _note(outcome, document)
            if stage == "parse":
                outcome["coverage"] = coverage_of(raw, document)
    except Exception as error:  # noqa: BLE001 -- as in a run, whatever happens is told of this file
        outcome |= failed(refusal(stage, error))
    if outcome["failure"] and outcome["failure"]["reason"] == "secret_found":
        outcome["elements"] = []
    return outcome


def nothing(media_type: str) -> dict[str, Any]:
    """An outcome before the first stage."""
    return {
        "media_type": media_type,
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


def failed(failure: Failure) -> dict[str, Any]:
    """The part of an outcome that tells of a failure."""
    said = {"stage": failure.stage, "reason": failure.reason, "detail": failure.detail, **failure.context}
    return {"failure": said}


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
