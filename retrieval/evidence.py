"""Whether what was found is evidence enough to answer. Pure; decision 0004 says why, and with which figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

KNOWN_LEAST = 0.45
"""Share of a question's words that stand anywhere in the release, from which it is in a language of the documents."""
STANDS_OUT = 1.2
"""Likeness above the background, as a multiple of the floor, that is enough where no word is shared."""
STANDS_OUT_ACROSS = 0.35
"""The same for a question in another language, whose answers stand out less and share no words."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """`closeness`: best cosine, 0..1; None without the dense arm. `share`: best BM25 score as a share of the highest it
    could be. `known`: share of the question's words that stand in the release. `relative`: whether the closeness is the
    best cosine's distance from the background, as any two texts of a language are alike to the model. `unknown`: the
    question is nothing but identifiers, none of which stands in the release: its nearest is another one's description.
    """

    closeness: float | None
    share: float
    known: float = 1.0
    relative: bool = False
    unknown: bool = False

    def enough(self, floors: Mapping[str, float]) -> bool:
        """True when the question's words are mostly there, or a passage is close in meaning. `floors`: as configured
        in `retrieval.evidence`."""
        if self.unknown:
            return False
        if self.closeness is None:  # no second opinion
            return self.share >= floors["lexical_weak"]
        if not self.relative:
            together = self.closeness >= floors["dense_weak"] and self.share >= floors["lexical_weak"]
            return together or self.closeness >= floors["dense"] or self.share >= floors["lexical"]
        if self.known < KNOWN_LEAST:
            return self.closeness >= STANDS_OUT_ACROSS * floors["dense"]
        # Both in proportion: this parts better than one of them alone, and takes no floors of its own.
        wanted = STANDS_OUT * floors["dense"]
        return self.closeness * floors["lexical"] + self.share * wanted >= wanted * floors["lexical"]
