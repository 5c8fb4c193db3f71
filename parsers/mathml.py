"""Formulas of MathML on one line. Source: MathML Core, W3C."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

Node = Any
"""A node of an HTML or XML tree; lxml's own types name neither for both."""

_UNSEEN = frozenset("annotation annotation-xml mphantom".split())
_SILENT = dict.fromkeys(range(0x2061, 0x2065))
"""Signs that stand for "applied to" and "times" and show nothing."""
_WHOLE = re.compile(r"[^\W_]+|[\d.,]+|\(.*\)")


def tag_of(node: Node) -> str:
    """Name of a tag without its namespace, "" for what is none."""
    return node.tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(node.tag, str) else ""


def linear(node: Node) -> str:
    """The formula with signs for what only its layout says: `a/b`, `x^2`, `y_i`; its letters stay as they are."""
    form = _FORMS.get(tag_of(node))
    parts = [linear(inner) for inner in node if tag_of(inner) not in {"", *_UNSEEN}]
    if form is not None:
        return form(parts)
    return _joined(parts) if parts else " ".join((node.text or "").translate(_SILENT).split())


def _joined(parts: Sequence[str]) -> str:
    """The parts in a row; words and numbers do not run together, single letters do."""
    said: list[str] = []
    for part in filter(None, parts):
        apart = bool(said) and said[-1][-1].isalnum() and part[0].isalnum()
        coefficient = bool(said) and said[-1].isdigit() and part[0].isalpha()
        if apart and not coefficient and (part[0].isdigit() or part[1:2].isalnum() or len(said[-1]) > 1):
            said.append(" ")
        said.append(part)
    return "".join(said).strip()


def _held(part: str) -> str:
    return part if _WHOLE.fullmatch(part) else f"({part})"


def _fraction(parts: Sequence[str]) -> str:
    return "/".join(_held(part) for part in parts)


def _scripts(signs: str) -> Callable[[Sequence[str]], str]:
    def form(parts: Sequence[str]) -> str:
        scripts = zip(signs, parts[1:], strict=False)
        return "".join((*parts[:1], *(f"{sign}{_held(part)}" for sign, part in scripts if part)))

    return form


def _root(parts: Sequence[str]) -> str:
    return f"\u221a{_held(parts[0])}" if parts else ""


def _nth_root(parts: Sequence[str]) -> str:
    return f"{_held(parts[0])}^(1/{_held(parts[1])})" if len(parts) > 1 else _joined(parts)


_FORMS: dict[str, Callable[[Sequence[str]], str]] = {
    "mfrac": _fraction,
    "msub": _scripts("_"),
    "munder": _scripts("_"),
    "msup": _scripts("^"),
    "mover": _scripts("^"),
    "msubsup": _scripts("_^"),
    "munderover": _scripts("_^"),
    "mmultiscripts": " ".join,
    "msqrt": lambda parts: _root([_joined(parts)]),
    "mroot": _nth_root,
    "mfenced": lambda parts: f"({', '.join(parts)})",
    "mtr": ", ".join,
    "mtable": lambda parts: f"[{'; '.join(parts)}]",
}
