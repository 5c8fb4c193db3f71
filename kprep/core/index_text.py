"""The one place that says what is embedded and indexed for a chunk, so that limits hold on the exact text sent."""

from __future__ import annotations

from collections.abc import Sequence

from kprep.core.models import CountTokens

HEADING_SHARE = 3
"""At most one part in this many of a chunk's token limit goes to the heading line."""


def heading_line(title: str, heading_path: Sequence[str], limit: int, count_tokens: CountTokens) -> str:
    """Title and heading path joined by " > ", without repeats; outer parts are left out until it takes at most
    `limit // HEADING_SHARE` tokens. The innermost heading stays unless it alone is over that, then the line is ""."""
    parts = [part for part in ([title] if title else []) + list(heading_path) if part]
    unique = [part for index, part in enumerate(parts) if part not in parts[:index]]
    for start in range(len(unique)):
        line = " > ".join(unique[start:])
        if count_tokens(line) <= limit // HEADING_SHARE:
            return line
    return ""


def compose(heading: str, text: str, keywords: Sequence[str] = ()) -> str:
    """Text to embed and index: heading line, the chunk's text (its lead included), keywords; empty parts left out."""
    parts = [heading, text, "Keywords: " + ", ".join(keywords) if keywords else ""]
    return "\n".join(part for part in parts if part)
