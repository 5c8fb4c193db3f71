"""Pages nested deeper than the reader of HTML follows: it would drop what stands inside, so the inner tags go."""

from __future__ import annotations

import re

MAX_DEPTH = 200
"""Elements inside one another; browsers lay out some 500, libxml2 reads some 250 of them in the worst case."""
_TAG = re.compile(r"<(/?)([A-Za-z][\w:-]*)\b[^<>]*?(/?)>")
_NOT_COUNTED = frozenset(
    "p li dt dd tr td th thead tbody tfoot option optgroup colgroup rp rt "  # closed by what follows
    "area base br col embed hr img input link meta param source track wbr html head body".split()
)


def bounded(text: str) -> str:
    """The page without the tags nested deeper than MAX_DEPTH; its words and lines stay where they are."""
    if text.count("<") <= MAX_DEPTH:
        return text
    open_tags: list[str] = []
    cuts: list[tuple[int, int]] = []
    for found in _TAG.finditer(text):
        name = found.group(2).lower()
        if name in _NOT_COUNTED or found.group(3):
            continue
        if not found.group(1):
            open_tags.append(name)
        if len(open_tags) > MAX_DEPTH:
            cuts.append(found.span())
        if found.group(1) and open_tags and name == open_tags[-1]:
            open_tags.pop()
    if not cuts:
        return text
    out, end = [], 0
    for start, stop in cuts:
        out += [text[end:start], " ", "\n" * text.count("\n", start, stop)]
        end = stop
    return "".join([*out, text[end:]])
