"""Who is in which groups, read from a file: YAML or JSON, CSV, or what a directory exports (SCIM, OIDC claims)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kprep.config import read_yaml
from kprep.core.errors import ConfigError

USER_KEYS = ("principal", "userName", "preferred_username", "email", "sub")
EVERYBODY = "public"
Memberships = dict[str, tuple[str, ...]]


def read_memberships(path: Path) -> Memberships:
    """Principal -> groups it is a direct member of, each sorted.

    Shapes: `{principal: [groups]}`; a list of objects with a name (`principal`, `userName`, `preferred_username`,
    `email` or `sub`) and `groups`; SCIM `{"Resources": [users and groups]}`; CSV with the columns principal, group.
    Raises: ConfigError naming file and entry. A file that lists nobody is refused: it is hardly meant.
    """
    collected = _Collected(path)
    if path.suffix.lower() == ".csv":
        _from_csv(path, collected)
    else:
        _from_value(_read_value(path), collected)
    if not collected.groups_of:
        raise ConfigError(f"{path} lists nobody; to take all memberships away, list a principal without groups")
    return {name: tuple(sorted(groups)) for name, groups in sorted(collected.groups_of.items())}


class _Collected:
    """Memberships as they are read, checked one by one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.groups_of: dict[str, set[str]] = {}

    def add(self, principal: Any, groups: Iterable[Any], entry: str) -> None:
        name = self.name(principal, entry)
        found = {self.name(group, entry) for group in groups}
        if name == EVERYBODY and found:
            raise self.error(entry, f"{EVERYBODY!r} is everybody and cannot be a member of a group")
        self.groups_of.setdefault(name, set()).update(found - {name})

    def name(self, value: Any, entry: str) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self.error(entry, f"a name must be text, found {type(value).__name__ if value != '' else 'nothing'}")
        if "," in value or any(ord(char) < 32 for char in value):
            raise self.error(entry, "a name must have no comma and no control character")
        return value.strip()

    def error(self, entry: str, message: str) -> ConfigError:
        return ConfigError(f"{self.path}: {entry}: {message}", entry=entry)


def _read_value(path: Path) -> Any:
    if path.suffix.lower() != ".json":
        return read_yaml(path)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise ConfigError(f"{path} does not exist") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read as UTF-8 text") from error
    except (json.JSONDecodeError, RecursionError) as error:
        where = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ConfigError(f"{path}{where}: not valid JSON") from error


def _from_csv(path: Path, collected: _Collected) -> None:
    try:
        rows = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig")))
        if not {"principal", "group"} <= set(rows.fieldnames or ()):
            raise ConfigError(f"{path}:1: the first line must name the columns principal and group")
        for row in rows:
            collected.add(row["principal"], [row["group"]] if row["group"] else [], f"line {rows.line_num}")
    except FileNotFoundError as error:
        raise ConfigError(f"{path} does not exist") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path} cannot be read as CSV in UTF-8") from error


def _from_value(value: Any, collected: _Collected) -> None:
    if isinstance(value, Mapping) and isinstance(value.get("Resources"), list):
        _from_scim(value["Resources"], collected)
    elif isinstance(value, Mapping):
        for principal, groups in value.items():
            entry = f"entry {principal!r}"
            collected.add(principal, _listed(groups, entry, collected), entry)
    elif isinstance(value, list):
        for number, item in enumerate(value, start=1):
            entry = f"entry {number}"
            collected.add(_user(item, entry, collected), _listed(item.get("groups"), entry, collected), entry)
    else:
        raise ConfigError(f"{collected.path}: expected a mapping or a list, found {type(value).__name__}")


def _listed(groups: Any, entry: str, collected: _Collected) -> list[Any]:
    found = [groups] if isinstance(groups, str) else [] if groups is None else groups
    if not isinstance(found, list):
        raise collected.error(entry, f"groups must be a list, found {type(groups).__name__}")
    return found


def _user(item: Any, entry: str, collected: _Collected) -> Any:
    if not isinstance(item, Mapping):
        raise collected.error(entry, f"expected an object, found {type(item).__name__}")
    for key in USER_KEYS:
        if key in item:
            return item[key]
    raise collected.error(entry, f"has none of {', '.join(USER_KEYS)}")


def _from_scim(resources: list[Any], collected: _Collected) -> None:
    """Users name their groups, groups their members; both refer by id (`value`) or by name (`display`)."""
    names: dict[str, Any] = {}
    for number, item in enumerate(resources, start=1):
        if not isinstance(item, Mapping):
            raise collected.error(f"Resources entry {number}", f"expected an object, found {type(item).__name__}")
        if isinstance(item.get("id"), str):
            names[item["id"]] = item.get("userName", item.get("displayName"))
    for number, item in enumerate(resources, start=1):
        entry = f"Resources entry {number}"
        if "userName" in item:
            groups = _listed(item.get("groups"), entry, collected) if item.get("active", True) is True else []
            collected.add(item["userName"], [_referred(group, names, entry, collected) for group in groups], entry)
        elif "displayName" in item:
            collected.add(item["displayName"], [], entry)
            for member in _listed(item.get("members"), entry, collected):
                collected.add(_referred(member, names, entry, collected), [item["displayName"]], entry)
        else:
            raise collected.error(entry, "has neither userName (a user) nor displayName (a group)")
    for item in resources:
        if "userName" in item and item.get("active", True) is not True:
            collected.groups_of[str(item["userName"]).strip()] = set()  # whatever a group still says of it


def _referred(value: Any, names: Mapping[str, Any], entry: str, collected: _Collected) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if not isinstance(value, Mapping):
        raise collected.error(entry, f"a reference must be an object, found {type(value).__name__}")
    identity = value.get("value")
    if isinstance(identity, str) and identity in names:
        return names[identity]
    return value.get("display", identity)
