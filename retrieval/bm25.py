"""BM25 over postings. Pure arithmetic on arrays; which chunks may be seen is the caller's question to the store."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kprep.store.lexical import SEGMENT, Postings

_Arrays = tuple[NDArray[np.intp], NDArray[Any], NDArray[np.uint16]]
"""Places of chunks in a segment, frequencies, lengths."""
BLOCK = 256
"""Scores looked at as one when the best are sought."""


@dataclass(frozen=True, slots=True)
class Bm25:
    """Constants of the formula, and the size and mean chunk length of the release it is computed on."""

    k1: float
    b: float
    chunks: int
    average_length: float


@dataclass(frozen=True, slots=True)
class Scores:
    """The score of every chunk of a release that is in a segment with any of the words, 0 for one without any.

    `segments`: ascending; `sums`: SEGMENT scores of each. `frequencies`: chunks of the release that hold each matched
    word. `bound`: highest score any chunk could have.
    """

    segments: NDArray[np.int64]
    sums: NDArray[np.float64]
    frequencies: Mapping[str, int]
    bound: float

    def best(self, count: int) -> NDArray[np.int64]:
        """Numbers of the best `count` chunks, and of those that tie with the last of them, best first."""
        # As many blocks hold a score of at least `least` each, so the best `count` chunks are no worse.
        highest = self.sums.reshape(-1, BLOCK).max(axis=1)
        least = np.partition(highest, -count)[-count] if highest.size > count else 0.0
        hit = np.flatnonzero(self.sums >= least if least else self.sums)
        if hit.size > count:
            values = self.sums[hit]
            hit = hit[values >= np.partition(values, -count)[-count]]
        ordered = hit[np.argsort(-self.sums[hit], kind="stable")]
        return np.asarray(self.segments[ordered // SEGMENT] * SEGMENT + ordered % SEGMENT, dtype=np.int64)

    def of(self, numbers: Sequence[int]) -> NDArray[np.float64]:
        """Scores of chunks, in the order of their numbers, 0 for those that hold no term."""
        asked = np.asarray(numbers, dtype=np.int64)
        if not self.segments.size:
            return np.zeros(asked.size, np.float64)
        rows = np.minimum(np.searchsorted(self.segments, asked // SEGMENT), self.segments.size - 1)
        known = self.segments[rows] == asked // SEGMENT
        return np.where(known, self.sums[rows * SEGMENT + asked % SEGMENT], 0.0)


def score(terms: Mapping[str, str], found: Sequence[Postings], absent: NDArray[np.int64], bm25: Bm25) -> Scores:
    """Score every chunk of the release that holds a word of a question.

    score = sum over words of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average length)), with
    idf = ln(1 + (N - df + 0.5) / (df + 0.5)), N and df counted over the whole release whoever asks.
    `terms`: term -> the word it is a form of; tf and df count a word in any of its forms.
    `absent`: numbers of indexed chunks that are not in the release, ascending.
    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with the +1 inside the logarithm.
    """
    segments = np.unique(np.asarray([posting.segment for posting in found], dtype=np.int64))
    rows = {int(segment): row for row, segment in enumerate(segments)}
    gone = np.zeros(segments.size * SEGMENT, np.bool_)
    for segment, row in rows.items():
        low, high = np.searchsorted(absent, (segment * SEGMENT, (segment + 1) * SEGMENT))
        gone[absent[low:high] % SEGMENT + row * SEGMENT] = True
    words: dict[str, list[tuple[int, _Arrays]]] = {}
    for word, postings in _by_word(terms, found).items():
        for segment, forms in postings.items():
            start = rows[segment] * SEGMENT
            offsets, frequencies, lengths = _together(forms)
            if absent.size:
                kept = ~gone[start : start + SEGMENT][offsets]
                offsets, frequencies, lengths = offsets[kept], frequencies[kept], lengths[kept]
            if offsets.size:
                words.setdefault(word, []).append((start, (offsets, frequencies, lengths)))
    holding = {word: sum(arrays[0].size for _, arrays in parts) for word, parts in words.items()}
    sums = np.zeros(gone.size, np.float64)
    for word, parts in words.items():
        weight = idf(bm25.chunks, holding[word]) * (bm25.k1 + 1)
        for start, (offsets, frequencies, lengths) in parts:
            # In place, as memory is what this costs: weight * tf / (tf + k1 * (1 - b + b * length / average length)).
            norm = lengths * (bm25.k1 * bm25.b / bm25.average_length)
            norm += bm25.k1 * (1 - bm25.b)
            norm += frequencies
            np.divide(frequencies, norm, out=norm)
            norm *= weight
            sums[start : start + SEGMENT][offsets] += norm
    return Scores(segments, sums, holding, bound(terms.values(), holding, bm25))


def _by_word(terms: Mapping[str, str], found: Sequence[Postings]) -> dict[str, dict[int, list[_Arrays]]]:
    """Postings by the word of the question they are of, and by segment: those of each form of the word."""
    words: dict[str, dict[int, list[_Arrays]]] = {}
    for posting in found:
        arrays = (
            np.frombuffer(posting.offsets, dtype="<u2").astype(np.intp),
            np.frombuffer(posting.frequencies, dtype="<u2"),
            np.frombuffer(posting.lengths, dtype="<u2"),
        )
        words.setdefault(terms[posting.term], {}).setdefault(posting.segment, []).append(arrays)
    return words


def _together(forms: Sequence[_Arrays]) -> _Arrays:
    """Places, frequencies and lengths of a segment's chunks that hold a word, frequencies summed over its forms."""
    if len(forms) == 1:
        return forms[0]
    summed, length = np.zeros(SEGMENT, np.float64), np.zeros(SEGMENT, np.uint16)
    for offsets, frequencies, lengths in forms:
        summed[offsets] += frequencies
        length[offsets] = lengths
    places = np.flatnonzero(summed)
    return places, summed[places], length[places]


def idf(chunks: int, frequency: int) -> float:
    """Inverse document frequency: ln(1 + (N - df + 0.5) / (df + 0.5))."""
    return math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5))


def bound(words: Iterable[str], frequencies: Mapping[str, int], bm25: Bm25) -> float:
    """Highest score a question could reach: each of its words saturated (tf -> infinity gives k1 + 1).

    A phrase that stands nowhere in the release is no shortcoming of a chunk and does not count; an unknown word does.
    """
    reachable = {word for word in words if " " not in word or word in frequencies}
    return sum(idf(bm25.chunks, frequencies.get(word, 0)) * (bm25.k1 + 1) for word in sorted(reachable))
