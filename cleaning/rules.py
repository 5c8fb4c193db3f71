"""Cleaning rules as read from a knowledge base's `rules/cleaning.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from importlib import resources
from typing import Any

from kprep.core.errors import ConfigError
from kprep.core.models import ElementKind

FURNITURE = (
    ElementKind.HEADER,
    ElementKind.FOOTER,
    ElementKind.PAGE_NUMBER,
    ElementKind.NAVIGATION,
    ElementKind.COOKIE_NOTICE,
    ElementKind.TABLE_OF_CONTENTS,
    ElementKind.QUOTED_REPLY,
    ElementKind.SIGNATURE,
    ElementKind.DISCLAIMER,
    ElementKind.GREETING,
    ElementKind.CHATTER,
    ElementKind.REPEATED,
    ElementKind.WATERMARK,
)
"""Kinds that are noise wherever they stand."""

DROP_SWITCHES = (
    "hidden",
    "copyright",
    "cookie_notices",
    "navigation_links",
    "tables_of_contents",
    "page_numbers",
    "boilerplate",
)
JOIN_SWITCHES = ("lines", "hyphens", "pages")


def default_rules_text() -> str:
    """The packaged rules with their comments, as `kprep init` writes them."""
    return resources.files("cleaning").joinpath("default.yaml").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class CleaningRules:
    """What to drop and what to join. The defaults here equal `default.yaml` (tested).

    `drop`, `join`: names of the rules switched on. `min_width`: in columns, a CJK character counting two.
    `drop_lines`: regular expressions that must match an element or line as a whole. `min_documents`, `min_share`: how
    many, and which share, of a source's documents must hold a block that is boilerplate. `boilerplate_hashes`: those of
    one document (`edge_blocks`) that its source repeats so; they come from its documents, not from the file.
    """

    drop_kinds: tuple[str, ...] = tuple(kind.value for kind in FURNITURE)
    drop: tuple[str, ...] = DROP_SWITCHES
    join: tuple[str, ...] = JOIN_SWITCHES
    min_width: int = 40
    characters: bool = True
    drop_lines: tuple[str, ...] = ()
    min_documents: int = 5
    min_share: float = 0.5
    boilerplate_hashes: frozenset[str] = frozenset()

    @classmethod
    def load(cls, mapping: Mapping[str, Any]) -> CleaningRules:
        """Rules from a mapping shaped like `default.yaml`; keys left out keep their default.

        Raises: ConfigError naming the key, for an unknown key or a value of another type.
        """
        _only(mapping, ("drop_kinds", "drop", "join", "characters", "drop_lines", "boilerplate"), "cleaning")
        default = cls()
        join = _mapping(mapping, "join")
        _only(join, (*JOIN_SWITCHES, "min_width"), "join")
        drop = _mapping(mapping, "drop")
        _only(drop, DROP_SWITCHES, "drop")
        repeated = _mapping(mapping, "boilerplate")
        _only(repeated, ("min_documents", "min_share"), "boilerplate")
        return cls(
            drop_kinds=_kinds(mapping.get("drop_kinds", list(default.drop_kinds))),
            drop=tuple(name for name in DROP_SWITCHES if _boolean(drop.get(name, True), f"drop.{name}")),
            join=tuple(name for name in JOIN_SWITCHES if _boolean(join.get(name, True), f"join.{name}")),
            min_width=_width(join.get("min_width", default.min_width)),
            characters=_boolean(mapping.get("characters", True), "characters"),
            drop_lines=_patterns(mapping.get("drop_lines", [])),
            min_documents=_documents(repeated.get("min_documents", default.min_documents)),
            min_share=_share(repeated.get("min_share", default.min_share)),
        )

    def options(self) -> dict[str, Any]:
        """Effective options for the fingerprint: everything that can change the output for one document.

        How boilerplate is learnt is none of it, only what was learnt of the document."""
        shaping = {name: value for name, value in asdict(self).items() if name not in ("min_documents", "min_share")}
        drop = [name for name in self.drop if name != "boilerplate"]
        return {**shaping, "drop": drop, "boilerplate_hashes": sorted(self.boilerplate_hashes)}

    @property
    def learning(self) -> dict[str, Any]:
        """How boilerplate is learnt; empty where it is switched off."""
        if "boilerplate" not in self.drop:
            return {}
        return {"min_documents": self.min_documents, "min_share": self.min_share}

    def with_boilerplate(self, hashes: Iterable[str]) -> CleaningRules:
        """These rules for a document whose source repeats its blocks of these hashes."""
        return replace(self, boilerplate_hashes=frozenset(hashes) if self.learning else frozenset())


def _only(mapping: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    unknown = sorted(str(key) for key in mapping if key not in known)
    if unknown:
        raise ConfigError(f"unknown key {unknown[0]!r} in {where}; known: {', '.join(known)}", key=unknown[0])


def _mapping(mapping: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = mapping.get(key, {})
    if not isinstance(value, Mapping):
        raise ConfigError(f"{key} must be a mapping of switches", key=key)
    return value


def _boolean(value: Any, key: str) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{key} must be true or false", key=key)
    return value


def _width(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigError("join.min_width must be a whole number of columns above 0", key="join.min_width")
    return value


def _documents(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 2:
        raise ConfigError("boilerplate.min_documents must be a whole number above 1", key="boilerplate.min_documents")
    return value


def _share(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 1:
        raise ConfigError("boilerplate.min_share must be a share above 0, at most 1", key="boilerplate.min_share")
    return float(value)


def _kinds(value: Any) -> tuple[str, ...]:
    known = [kind.value for kind in ElementKind]
    if not isinstance(value, list) or any(kind not in known for kind in value):
        raise ConfigError(f"drop_kinds must be a list of element kinds: {', '.join(known)}", key="drop_kinds")
    return tuple(value)


def _patterns(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or any(not isinstance(item, str) for item in value):
        raise ConfigError("drop_lines must be a list of regular expressions", key="drop_lines")
    for index, pattern in enumerate(value):
        try:
            re.compile(pattern)
        except re.error as error:
            raise ConfigError(f"drop_lines[{index}] is no regular expression: {error}", key="drop_lines") from error
    return tuple(value)
