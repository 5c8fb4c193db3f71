"""What kind of knowledge a chunk is, where a rule is certain."""

from __future__ import annotations

import re

from kprep.core.models import ChildChunk

_NUMBERED = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:\d+[.)]|[-*+•])\s", re.MULTILINE)
_DEFINES = re.compile(r"what (?:is|are)\b|was (?:ist|sind)\b|definitions?\b|qu'est-ce que\b|什么是", re.IGNORECASE)
_IS_A = re.compile(
    r"(?:the |an? )?(?P<subject>[^.!?\n]{2,60}?)(?: \([^)]{1,40}\))? (?:is|are) (?:an?|the) \w", re.IGNORECASE
)
_ERROR_HEADING = re.compile(r"\berror|\bfehler|错误|\berreur|\bstatus codes?\b", re.IGNORECASE)


def fragment_of(child: ChildChunk, entities: tuple[tuple[str, str], ...]) -> str:
    """What the format itself says, else one of "error", "code", "table", "step", "def", "faq", or "" when no rule is
    certain."""
    if child.fragment:
        return child.fragment
    heading = child.heading_path[-1] if child.heading_path else ""
    errors = sum(kind == "error_code" for kind, _ in entities)
    if (
        child.kind in ("text", "table", "list")
        and errors
        and (_ERROR_HEADING.search(heading + child.lead) or errors > 2)
    ):
        return "error"
    if child.kind in ("code", "table"):
        return child.kind
    if child.kind == "list":
        return "step" if len(_NUMBERED.findall(child.text)) * 2 > len(_ITEM.findall(child.text)) else ""
    if _DEFINES.match(heading) or _defines_heading(child.text, heading):
        return "def"
    return "faq" if heading.rstrip().endswith(("?", "？")) else ""


def _defines_heading(text: str, heading: str) -> bool:
    """Whether the text begins "X is a ..." and X is what the heading names."""
    match = _IS_A.match(text)
    return bool(heading) and match is not None and match["subject"].casefold() == heading.casefold()
