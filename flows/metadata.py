"""What is known of a document beside its text: from its source's configuration and from its own front matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any

import pathspec

from flows import candidates
from flows.attached import MARK, path_of
from kprep.config import SourceConfig
from kprep.core.errors import FrontMatterInvalid
from kprep.core.ids import canonical_json, digest
from kprep.core.signals import MUST_BE_SOUND, SIGNALS, signals_of
from kprep.store.documents import DocumentRow
from parsers.anchors import slug
from sources import NOTHING, About, Entry

FROM_KEYS = ("valid_from", "effective_from", "effective_date")
UNTIL_KEYS = ("valid_until", "valid_to", "effective_until", "expires")


PRINCIPAL_MAX = 500
"""Characters of a principal's name; more do not fit into an entry of an index."""


@dataclass(frozen=True, slots=True)
class Permitted:
    """Who may read a document by what stands beside it: sidecar, rule, or its source. `problem`: why nobody may.

    `about`: what else its source says of it. `decision`: what a person said of it in the candidate store, or "".
    """

    acl: tuple[str, ...]
    problem: str = ""
    about: About = NOTHING
    decision: str = ""

    @classmethod
    def of(cls, source: SourceConfig, entry: Entry, decision: str = "") -> Permitted:
        """The nearest word on a listed document: its sidecar or folder, the first rule that matches, its source."""
        if entry.acl is not None:
            return cls(entry.acl, entry.acl_problem, entry.about, decision)
        path = path_of(source, entry)
        for rule in source.acl_rules:
            if _pattern(rule.match).match_file(path):
                return cls(tuple(sorted(set(rule.acl))), about=entry.about, decision=decision)
        return cls(tuple(sorted(set(source.acl))), about=entry.about, decision=decision)


@lru_cache(maxsize=256)
def _pattern(match: str) -> pathspec.PathSpec[pathspec.Pattern]:
    return pathspec.PathSpec.from_lines("gitignore", [match])


def source_metadata(source: SourceConfig, tenant: str, permitted: Permitted) -> dict[str, Any]:
    """What is known of a document without reading it."""
    return {
        "tenant": tenant,
        "acl": list(permitted.acl),
        "sensitivity": source.sensitivity,
        "doc_type": source.doc_type,
        "owner": source.owner,
        "source_confidence": source.source_confidence,
        **{name: value for name in SIGNALS[:1] + SIGNALS[2:] if (value := getattr(source, name)) not in (None, ())},
        **about_json(permitted.about),
    }


def about_json(about: About) -> dict[str, Any]:
    """What a source says of a document, without what it leaves open."""
    values = {"source_title": about.title, "url": about.url, "parent": about.parent, "labels": list(about.labels)}
    return {name: value for name, value in values.items() if value}


def metadata_fingerprint(source: SourceConfig, tenant: str, permitted: Permitted, media_type: str) -> str:
    """Fingerprint of what is known of a document without reading it; changing it never re-embeds."""
    known = {**source_metadata(source, tenant, permitted), "acl_problem": permitted.problem}
    if candidates.store_of(source, media_type) != candidates.FORMAL:
        known["candidate"] = {"decision": permitted.decision, "confirm": source.confirm.model_dump(mode="json")}
    return digest("metadata", canonical_json(known))


def document_metadata(
    source: SourceConfig,
    tenant: str,
    permitted: Permitted,
    row: DocumentRow | None,
    front_matter: Mapping[str, Any],
    places: Sequence[Place] = (),
) -> dict[str, Any]:
    """Metadata of one document: its front matter may name owner, validity, what it supersedes, and its own ACL.

    An `acl` in the front matter replaces the others; `sections` narrow it for what stands below an anchor. Permission
    data that cannot be read, of whatever kind, lets nobody in: `acl_problem` says why. `places`: the document's chunks,
    needed only with `sections`; `section_acls` then gives ordinal -> principals, `narrowest` who may read all sections.
    """
    metadata = source_metadata(source, tenant, permitted)
    problem = permitted.problem
    if "acl" in front_matter:
        own = principals(front_matter["acl"])
        metadata["own_acl"] = True
        metadata["acl"] = own or []
        if own is None:
            problem = problem or "`acl` in the front matter is not a list of principals"
    if "sections" in front_matter:
        sections, said = section_acls(front_matter["sections"], places)
        problem = problem or said
        metadata["sections"] = canonical_json(front_matter["sections"])
        metadata["section_acls"] = {str(ordinal): acl for ordinal, acl in sorted(sections.items())}
        metadata["narrowest"] = sorted(set.intersection(*map(set, sections.values()))) if sections else []
    if problem:
        metadata["acl"], metadata["acl_problem"] = [], problem
    metadata |= signals_of(front_matter)[0]
    for name in ("owner", "supersedes"):
        if isinstance(front_matter.get(name), str):
            metadata[name] = front_matter[name]
    metadata["valid_from"] = _first_date(front_matter, FROM_KEYS)
    metadata["valid_until"] = _first_date(front_matter, UNTIL_KEYS)
    metadata["updated_at"] = row.modified_at.isoformat() if row is not None and row.modified_at else None
    metadata |= candidates.placed(source, told_in(row), permitted.decision, front_matter, permitted.about.labels)
    return metadata


def told_in(row: DocumentRow | None) -> str:
    """Media type by which a document goes to a store: what is attached to a mail goes where the mail does."""
    if row is None:
        return ""
    return "message/rfc822" if row.version_token.startswith(MARK) else row.media_type


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chunk stands. `anchor`: of its own heading, "" where the format has none."""

    ordinal: int
    anchor: str
    heading_path: tuple[str, ...]


def section_acls(value: Any, places: Sequence[Place]) -> tuple[dict[int, list[str]], str]:
    """Chunk ordinal -> principals by `sections` of a front matter, and why it cannot be read, or "".

    A section reaches from its anchor to the next heading of the same level or above. In a section within a section
    both lists hold.
    """
    if not isinstance(value, dict):
        return {}, "`sections` in the front matter is not a mapping of anchors to principals"
    out: dict[int, set[str]] = {}
    for anchor, given in value.items():
        acl, below = principals(given), _below(str(anchor).lstrip("#"), places)
        if acl is None:
            return {}, f"section {str(anchor)!r} in the front matter names no list of principals"
        if not below:
            return {}, f"there is no section {str(anchor)!r}, which the front matter names"
        for ordinal in below:
            out[ordinal] = out[ordinal] & set(acl) if ordinal in out else set(acl)
    return {ordinal: sorted(acl) for ordinal, acl in out.items()}, ""


def _below(anchor: str, places: Sequence[Place]) -> list[int]:
    """Ordinals of the chunks below a heading, which may have no text of its own."""
    path: tuple[str, ...] = ()
    out: list[int] = []
    for place in places:
        if not path:
            depth = next((at for at, name in enumerate(place.heading_path, start=1) if slug(name) == anchor), 0)
            path = place.heading_path if place.anchor == anchor else place.heading_path[:depth]
            if path:
                out.append(place.ordinal)
        elif place.heading_path[: len(path)] != path or (place.heading_path == path and place.anchor != anchor):
            break
        else:
            out.append(place.ordinal)
    return out


def check_front_matter(front_matter: Mapping[str, Any]) -> None:
    """Raises: FrontMatterInvalid for a validity date that cannot be read (its document would never expire), and for a
    confidence or `avoid_with` that cannot (it would be shown where it must not)."""
    for key in (*FROM_KEYS, *UNTIL_KEYS):
        value = front_matter.get(key)
        if value is not None and _date(value) is None:
            raise FrontMatterInvalid(f"front matter `{key}` is no date: write it as 2027-01-31", key=key)
    entries = front_matter.get("entries")
    for fields in (front_matter, *(entries if isinstance(entries, list) else ())):
        unsound = signals_of(fields)[1] if isinstance(fields, Mapping) else ()
        for key in MUST_BE_SOUND.keys() & set(unsound):
            raise FrontMatterInvalid(f"`{key}` cannot be read: write {MUST_BE_SOUND[key]}", key=key)


def principals(value: Any) -> list[str] | None:
    """Principals, sorted; None for what is no list of names of at most `PRINCIPAL_MAX` characters."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) and name.strip() for name in names):
        return None
    if any(len(name) > PRINCIPAL_MAX for name in names):
        return None
    return sorted({name.strip() for name in names})


def _first_date(front_matter: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    found = (_date(front_matter[key]) for key in keys if front_matter.get(key) is not None)
    return next((value for value in found if value), None)


def _date(value: Any) -> str | None:
    """ISO date of a value in a front matter, None when it is no date."""
    if isinstance(value, datetime | date):
        return value.isoformat()[:10]
    try:
        return date.fromisoformat(str(value).strip()[:10]).isoformat()
    except ValueError:
        return None
