"""Reading a provider's settings strictly."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from kprep.core.errors import ConfigError


def refuse_unknown(settings: Mapping[str, Any], known: Collection[str]) -> None:
    """Raises: ConfigError for a key that would have no effect."""
    for key in settings:
        if key not in known:
            raise ConfigError(f"embedding.{key} is unknown (known: {', '.join(known)})", key=f"embedding.{key}")


def number(settings: Mapping[str, Any], key: str, default: int | None = None) -> int:
    """A whole number of at least 1. Raises: ConfigError (missing without a default, or not such a number)."""
    value = settings.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigError(f"embedding.{key} must be a whole number of at least 1", key=f"embedding.{key}")
    return value


def text(settings: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """A string. Raises: ConfigError (missing without a default, or not a string)."""
    value = settings.get(key, default)
    if not isinstance(value, str):
        raise ConfigError(f"embedding.{key} must be given as a string", key=f"embedding.{key}")
    return value


def flag(settings: Mapping[str, Any], key: str) -> bool:
    """True or False, False when missing. Raises: ConfigError (something else)."""
    value = settings.get(key, False)
    if not isinstance(value, bool):
        raise ConfigError(f"embedding.{key} must be true or false", key=f"embedding.{key}")
    return value
