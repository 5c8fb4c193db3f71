"""PDF forms that draw one another: every reader follows them for ever (fault A08), so they are looked for first."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import Any

from kprep.core.errors import Recursive
from parsers.quiet import quiet

_OBJECT = re.compile(rb"(?<!\d)(\d{1,8})\s+\d{1,5}\s+obj\b(.*?)(?:\bstream\b|\bendobj\b)", re.DOTALL)
_REFERENCE = re.compile(rb"(?<!\d)(\d{1,8})\s+\d{1,5}\s+R\b")
_DRAWN = re.compile(rb"/([^\s/<>\[\]()%{}]+)\s+Do\b")
_LONGEST_DICTIONARY = 100_000


def refuse_loops(content: bytes, uri: str) -> None:
    """Raises: Recursive when a form draws itself, directly or through others.

    Forms within compressed object streams are not seen: those run into the caller's time limit."""
    if b"/Form" not in content:
        return
    suspects = _in_circles(_references(content))
    if suspects and _in_circles(_drawn(content, suspects)):
        raise Recursive(f"{uri}: forms of the PDF draw one another without end", uri=uri)


def _references(content: bytes) -> dict[int, set[int]]:
    """Number of a form, or of a dictionary of resources -> the objects it refers to. Being named is not being drawn."""
    found: dict[int, set[int]] = {}
    for match in _OBJECT.finditer(content):
        body = match.group(2)
        if len(body) < _LONGEST_DICTIONARY and (b"/Form" in body or b"/XObject" in body) and b"/MediaBox" not in body:
            found[int(match.group(1))] = {int(number) for number in _REFERENCE.findall(body)}
    return found


def _in_circles(graph: Mapping[int, set[int]]) -> set[int]:
    """Nodes on or before a circle: those left when whatever leads nowhere is taken away."""
    left = {node: {target for target in targets if target in graph} for node, targets in graph.items()}
    while ended := [node for node, targets in left.items() if not targets]:
        gone = set(ended)
        left = {node: targets - gone for node, targets in left.items() if node not in gone}
    return set(left)


def _drawn(content: bytes, suspects: set[int]) -> dict[int, set[int]]:
    """Number of a form -> the forms its content draws. What pypdf cannot read draws nothing."""
    import pypdf
    from pypdf.generic import IndirectObject

    found: dict[int, set[int]] = {}
    with quiet():
        try:
            reader = pypdf.PdfReader(io.BytesIO(content), strict=False)
        except Exception:  # noqa: BLE001 - damaged files make pypdf raise nearly anything
            return {}
        for number in suspects:
            try:
                found[number] = _targets(reader.get_object(IndirectObject(number, 0, reader)))
            except Exception:  # noqa: BLE001, S112
                continue
    return found


def _targets(form: Any) -> set[int]:
    names = {name.decode("latin-1") for name in _DRAWN.findall(form.get_data())}
    objects = form["/Resources"]["/XObject"]
    raw = (objects.raw_get(key) for key in objects if key.lstrip("/") in names)
    return {int(target.idnum) for target in raw if hasattr(target, "idnum")}
