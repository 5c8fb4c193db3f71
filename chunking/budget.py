"""How large texts are: tokens by the embedder's own tokenizer, bounded by characters."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kprep.core.errors import ConfigError
from kprep.core.index_text import compose, heading_line
from kprep.core.models import UNSPACED, ChunkProfile, CountTokens

KEYWORD_RESERVE = 24
"""Most tokens kept free for the keywords that enrichment adds; an eighth of the limit where that is less."""

CHARS_PER_TOKEN = 8
"""A text counts as at least one token per so many characters: a tokenizer may see a page of Thai as one word."""

SMALLEST_LIMIT = 32


class Ruler:
    """Counts tokens and remembers the counts; the texts of one document repeat (headings, table headers, edits)."""

    def __init__(self, count_tokens: CountTokens) -> None:
        self._count_tokens = count_tokens
        self._known: dict[str, int] = {}
        self.overhead = count_tokens("")

    def count(self, text: str) -> int:
        """Tokens of the text as sent alone, special tokens included."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._count_tokens(text)
        return known

    def size(self, text: str) -> int:
        """Tokens the text adds to others, at least one per `CHARS_PER_TOKEN` characters."""
        return max(self.count(text) - self.overhead, -(-len(text) // CHARS_PER_TOKEN))


@dataclass(frozen=True, slots=True)
class Budget:
    """Sizes for the children of one section: `limit` and `target` count the body only (lead and overlap included).

    `wanted`: words or characters (`unit`) that a child is filled up to instead of `target` tokens; 0 where none are."""

    ruler: Ruler
    heading: str
    max_tokens: int
    limit: int
    target: int
    minimum: int
    wanted: int = 0
    unit: str = "tokens"

    def length(self, text: str) -> int:
        """Size of the text in what `wanted` counts; characters without white space."""
        words = text.split()
        return len(words) if self.unit == "words" else sum(map(len, words))

    def fits(self, text: str) -> bool:
        """Whether the exact text to index, with room for keywords, is within the limit."""
        whole = self.ruler.count(compose(self.heading, text)) + reserve(self.max_tokens)
        return whole <= self.max_tokens and len(text) <= self.limit * CHARS_PER_TOKEN


def reserve(max_tokens: int) -> int:
    """Tokens kept free for keywords."""
    return min(KEYWORD_RESERVE, max_tokens // 8)


def check_profile(profile: ChunkProfile) -> None:
    """Raises: ConfigError for sizes that cannot be met."""
    if profile.max_tokens < SMALLEST_LIMIT:
        raise ConfigError(f"max_tokens must be at least {SMALLEST_LIMIT}, not {profile.max_tokens}", key="max_tokens")
    for key in ("target_tokens", "min_tokens", "overlap_sentences"):
        if getattr(profile, key) < 0:
            raise ConfigError(f"{key} must not be negative", key=key)


def in_language(profile: ChunkProfile, language: str) -> tuple[ChunkProfile, int, str]:
    """The profile with the target of a language, and the words or characters wanted instead of tokens (0: none)."""
    number, unit = profile.target.get(language) or profile.target.get("*") or (profile.target_tokens, "tokens")
    if unit == "tokens":
        return replace(profile, target_tokens=number), 0, unit
    if unit == "words" and language in UNSPACED:
        return profile, 0, "tokens"
    return replace(profile, target_tokens=profile.max_tokens), number, unit


def budget_for(
    title: str, heading_path: tuple[str, ...], profile: ChunkProfile, ruler: Ruler, language: str = ""
) -> Budget:
    """The budget of a section, after its heading line and the reserve for keywords are taken off.

    A target over the limit means the limit; a target that the heading line eats up means half of what is left."""
    profile, wanted, unit = in_language(profile, language)
    heading = heading_line(title, heading_path, profile.max_tokens, ruler.count)
    taken = ruler.count(heading)
    limit = profile.max_tokens - reserve(profile.max_tokens) - taken
    target = max(min(profile.target_tokens - taken, limit), limit // 2)
    return Budget(ruler, heading, profile.max_tokens, limit, target, min(profile.min_tokens, target), wanted, unit)
