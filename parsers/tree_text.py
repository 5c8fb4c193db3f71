"""A text in JSON or YAML to its tree."""

from __future__ import annotations

from kprep.core.errors import CorruptDocument
from parsers import json_tree, yaml_tree
from parsers.tree import Node, NotJson, no_json


def load(text: str, where: str) -> Node:
    """The tree of a JSON or YAML text, told apart by the first character; of the first document of several.

    Raises: CorruptDocument (no JSON or YAML, nested deeper than 200), TooLarge (more than 2 million values, aliases
    counted in full)."""
    if is_json(text):
        try:
            return json_tree.load(text, where)
        except NotJson as error:
            try:
                return yaml_tree.load(text, where)
            except CorruptDocument:
                raise no_json(where, text, str(error), error.at) from None
    return yaml_tree.load(text, where)


def is_json(text: str) -> bool:
    """Whether a text that is JSON or YAML begins as JSON does, after comments."""
    return json_tree.first_sign(text) in {"{", "["}
