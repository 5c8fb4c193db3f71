"""Registries are literal tuples of specs, keyed by name; two specs of one name are an error at import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Protocol, TypeVar


class Named(Protocol):
    """Anything with a stable name."""

    @property
    def name(self) -> str: ...


SpecT = TypeVar("SpecT", bound=Named)


def by_name(specs: Iterable[SpecT]) -> Mapping[str, SpecT]:
    """Read-only mapping name -> spec, in the order given. Raises: ValueError for a name given twice."""
    registry: dict[str, SpecT] = {}
    for spec in specs:
        if spec.name in registry:
            raise ValueError(f"two specs are named {spec.name!r}")
        registry[spec.name] = spec
    return MappingProxyType(registry)
