"""YAML as values, whoever wrote it: what its aliases stand for is counted before anything is made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import yaml

ALIASED_MAX = 1_000_000
"""Characters and values that all aliases of a file may stand for: nine lines of YAML can name a billion."""


class YamlRefused(Exception):
    """Why a text is no YAML to use, and its line (from 1; 0 = unknown). `reason` holds no word of the text; `said` may,
    for those who wrote it."""

    def __init__(self, reason: str, line: int = 0, said: str = "") -> None:
        super().__init__(reason)
        self.reason, self.line, self.said = reason, line, said or reason


def load(text: str) -> Any:
    """The value of the one YAML document in a text; None for an empty text. Raises: YamlRefused."""
    return load_with_places(text)[0]


def load_with_places(text: str) -> tuple[Any, yaml.Node | None]:
    """The value, and the tree with the place of each key.

    Raises: YamlRefused for what is no YAML, a key that stands twice (the first would be lost), an alias inside what it
    names, aliases that stand for more than `ALIASED_MAX`, nesting too deep to be read.
    """
    import yaml

    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            return None, None
        _Counted().size(node)
        return loader.construct_document(node), node
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason, said = "not valid YAML (quote a value that holds a colon)", error.problem or error.context
        raise YamlRefused(reason, mark.line + 1 if mark else 0, f"not valid YAML: {said}") from error
    except RecursionError:
        raise YamlRefused("nested too deep") from None
    except (yaml.YAMLError, ValueError) as error:
        reason, said = "a value is not what it looks like (a date that does not exist?)", " ".join(str(error).split())
        raise YamlRefused(reason, said=f"not valid YAML: {said[:200]}") from error


class _Counted:
    """Sizes of the parts of one tree, each looked at once. A part that is reached again was named by an alias."""

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}
        self._open: set[int] = set()
        self._aliased = 0

    def size(self, node: yaml.Node) -> int:
        """Characters and values in a part, aliases counted in full. Raises: YamlRefused."""
        known = self._sizes.get(id(node))
        if known is not None:
            self._aliased += known
            if self._aliased > ALIASED_MAX:
                raise YamlRefused("its aliases stand for too much", node.start_mark.line + 1)
            return known
        if id(node) in self._open:
            raise YamlRefused("an alias that holds itself", node.start_mark.line + 1)
        self._open.add(id(node))
        if isinstance(node.value, str):
            size = 1 + len(node.value)
        else:
            _refuse_doubles(node.value)
            size = 1 + sum(self.size(part) for part in _parts(node.value))
        self._open.discard(id(node))
        self._sizes[id(node)] = size
        return size


def _parts(items: list[Any]) -> list[yaml.Node]:
    return [part for item in items for part in (item if isinstance(item, tuple) else (item,))]


def _refuse_doubles(items: list[Any]) -> None:
    """Raises: YamlRefused for a key that stands twice in a mapping."""
    seen: dict[str, int] = {}
    for key, _ in (item for item in items if isinstance(item, tuple)):
        name, line = str(key.value), key.start_mark.line + 1
        if name in seen and name != "<<":
            said = f"{name}: this key stands in line {seen[name]} already"
            raise YamlRefused("a key stands twice", line, said)
        seen[name] = line
