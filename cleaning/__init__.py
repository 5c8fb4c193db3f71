"""Cleaning: a parsed document without noise. Pure: no input or output, no clock, no model.

In: `ParsedDocument` (elements in reading order, furniture marked by kind where the parser knew it) and `CleaningRules`.
Out: `CleanDocument`: the kept elements in their order, and one `Removal` for everything that was taken.

Dropped: furniture by kind (header, footer, page number, navigation, cookie notice, table of contents), text the
reader of the original does not see, copyright lines, cookie notices by their wording, "previous/next", "skip to
content" and "back to top" links, tables of contents by their shape, page numbers standing alone, and blocks that a
source repeats at the edges of its documents (`edge_blocks` of each, counted by the
caller, -> `rules.with_boilerplate`).

Joined: lines that were wrapped inside a sentence (no space between CJK characters), words hyphenated at a line end, a
paragraph that a page break cut in two (its locator then runs through both pages).

Normalised, outside code: NFC, ligatures expanded, invisible characters and soft hyphens taken out, odd spaces as
spaces. Rows of a table are padded to one length, so that every cell has its header.

Never: words of prose are not changed, added or reordered; code is passed byte for byte; tables, separate list items,
addresses and verse are not joined; a rule that is switched off does nothing. If the rules would take everything, what
is not furniture by kind stays; if that is nothing, the furniture stays, because it is the only content; if the
document has no visible text at all, `CleaningError` is raised.

`explain` gives the same steps one by one with the elements before and after; `removed_share` says how much was taken;

The rules are a literal registry (`cleaning.cleaner.RULES`): drop rules name the elements or lines to take, rewrite
rules give elements back. `VERSION` + `CleaningRules.options()` go into the fingerprint: changed output means VERSION
+ 1.
"""

from cleaning.boilerplate import edge_blocks
from cleaning.cleaner import RULES, Step, clean, explain, removed_share
from cleaning.rules import CleaningRules, default_rules_text

VERSION: int = 5
"""Version of this room's output; part of the content fingerprint."""

__all__ = [
    "RULES",
    "VERSION",
    "CleaningRules",
    "Step",
    "clean",
    "default_rules_text",
    "edge_blocks",
    "explain",
    "removed_share",
]
