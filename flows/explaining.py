"""What the rules do to a document, and what other rules would do to all of them. Nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import cleaning
import parsers
import redaction
from flows import boilerplate
from flows.fetching import fetch
from flows.progress import report
from flows.rooms import described, edge_blocks, instruct_parsers, redactor_of, source_of, with_repeated
from flows.rules import RuleSet, named
from flows.scan import end_scan, plan_run
from flows.workspace import Workspace
from kprep.config import read_mapping
from kprep.core.errors import ConfigError, PrepError, RuleTooSlow, SecretFound, SourceError
from kprep.core.models import Element, ParsedDocument, RawDocument

CLEANING_KEYS = frozenset(("drop_kinds", "drop", "join", "characters", "drop_lines", "boilerplate"))
MOST_SAMPLES = 20


def explain(workspace: Workspace, uri: str) -> dict[str, Any]:
    """What each cleaning rule changed in a document as its source holds it now, and what redaction replaces.

    Shows the original's text: for operators, who can read the source. Raises: SourceError for an unknown URI, or the
    error of the room that refuses the document.
    """
    found = next((found for found in _originals(workspace, workspace.rules) if found[0].uri == uri), None)
    if found is None:
        raise SourceError(f"no source holds {uri!r}: `kprep plan` and `kprep status` name what there is")
    instruct_parsers(workspace.rules)
    raw, (repeated,) = found
    parsed = parsers.parse(raw, parsers.parser_for(raw.media_type))
    rules = with_repeated(workspace.rules, edge_blocks(parsed, workspace.rules), repeated)
    clean = cleaning.clean(parsed, rules.cleaning)
    try:
        redacted = redactor_of(rules, source_of(uri)).redact(clean)
    except SecretFound as error:
        raise SecretFound(described(error), **error.context) from error
    return {
        "uri": uri,
        "parser": parsed.parser,
        "coverage": round(parsers.coverage(raw, parsed), 4),
        "excluded": [asdict(unit) for unit in parsed.units if unit.state != "ok"],
        "removed_share": round(cleaning.removed_share(clean), 4),
        "steps": [
            {
                "rule": step.rule,
                "changes": [
                    {"before": [item.text for item in old], "after": [item.text for item in new]}
                    for old, new in step.differences()
                ],
            }
            for step in cleaning.explain(parsed, rules.cleaning)
        ],
        "redactions": [{"kind": item.kind, "locator": item.locator.to_json()} for item in redacted.redactions],
    }


def compare_rules(workspace: Workspace, path: Path) -> dict[str, Any]:
    """How many documents other rules would alter, with samples of what they would say; all text is redacted.

    `path`: a cleaning or redaction file, or a folder with cleaning.yaml and redaction.yaml. Raises: ConfigError.
    """
    rules, other = workspace.rules, _other_rules(workspace.rules, path)
    instruct_parsers(rules)
    originals = list(_originals(workspace, rules, other))
    altered: list[str] = []
    refused: list[dict[str, Any]] = []
    samples: list[dict[str, Any]] = []
    for number, (raw, repeated) in enumerate(originals, start=1):
        report("compare", number, len(originals))
        try:
            parsed = parsers.parse(raw, parsers.parser_for(raw.media_type))
        except PrepError:
            continue  # fails the same under both
        before, after = (_outcome(parsed, *each) for each in zip((rules, other), repeated, strict=True))
        if before == after:
            continue
        altered.append(raw.uri)
        if isinstance(after, str) and not isinstance(before, str):
            refused.append({"uri": raw.uri, "reason": after})
        elif len(samples) < MOST_SAMPLES:
            samples += _differences(raw.uri, before, after)
    return {
        "rules": str(path),
        "documents": len(originals),
        "altered": altered,
        "refused": refused,
        "samples": samples[:MOST_SAMPLES],
    }


def _other_rules(rules: RuleSet, path: Path) -> RuleSet:
    files = [path] if path.is_file() else [path / name for name in ("cleaning.yaml", "redaction.yaml")]
    found = [file for file in files if file.is_file()]
    if not found:
        raise ConfigError(f"{path} is no rules file, and no folder with cleaning.yaml or redaction.yaml")
    for file in found:
        mapping, _ = read_mapping(file)
        if mapping.keys() <= CLEANING_KEYS:
            rules = replace(rules, cleaning=named(file, mapping, cleaning.CleaningRules.load))
        else:
            rules = replace(rules, redaction=named(file, mapping, redaction.RedactionPolicy.load))
    return rules


def _outcome(parsed: ParsedDocument, rules: RuleSet, repeated: Sequence[str]) -> tuple[Element, ...] | str:
    """Elements after redaction, or the reason code of the room that refuses."""
    rules = with_repeated(rules, edge_blocks(parsed, rules), repeated)
    try:
        return redactor_of(rules, source_of(parsed.uri)).redact(cleaning.clean(parsed, rules.cleaning)).elements
    except RuleTooSlow:
        raise  # on the next document too
    except PrepError as error:
        return error.reason


def _differences(
    uri: str, before: tuple[Element, ...] | str, after: tuple[Element, ...] | str
) -> Iterator[dict[str, Any]]:
    old = [before] if isinstance(before, str) else [element.text for element in before]
    new = [after] if isinstance(after, str) else [element.text for element in after]
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield {"uri": uri, "before": old[i:j], "after": new[k:m]}


def _originals(workspace: Workspace, *rules: RuleSet) -> Iterator[tuple[RawDocument, list[tuple[str, ...]]]]:
    """Every readable document as its source holds it now, with what its source repeats of it by each of these rules."""
    with workspace.database.begin() as connection:
        scan = plan_run(workspace, connection, allow_deletes=True, whole=True).scan
        repeated = [boilerplate.repeated(workspace, connection, each, scan.standing, None) for each in rules]
    for row in scan.rows:
        source, entry = scan.locations[row.document_id]
        try:
            content = fetch(workspace, source, entry)
        except PrepError:
            continue
        raw = RawDocument(row.uri, entry.name, content, row.media_type)
        yield raw, [blocks.get(row.document_id, ()) for blocks in repeated]
    end_scan(workspace)
