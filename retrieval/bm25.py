"""BM25 over postings. Pure arithmetic on arrays; which chunks may be seen is the caller's question to the store."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kprep.store.lexical import SEGMENT, Postings

_Arrays = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]
"""Chunk numbers, frequencies, lengths."""


@dataclass(frozen=True, slots=True)
class Bm25:
    """Constants of the formula, and the size and mean chunk length of the release it is computed on."""

    k1: float
    b: float
    chunks: int
    average_length: float


@dataclass(frozen=True, slots=True)
class Scores:
    """The score of every chunk of a release: of chunk number `first + i` in `sums[i]`, 0 for one without any term.

    `frequencies`: chunks of the release that hold each matched word. `bound`: highest score any chunk could have.
    """

    first: int
    sums: NDArray[np.float64]
    frequencies: Mapping[str, int]
    bound: float

    def best(self, count: int) -> NDArray[np.int64]:
        """Numbers of the best `count` chunks, and of those that tie with the last of them, best first."""
        hit = np.flatnonzero(self.sums)
        values = self.sums[hit]
        if hit.size > count:
            least = np.partition(values, hit.size - count)[hit.size - count]
            hit = hit[values >= least]
        ordered = hit[np.argsort(-self.sums[hit], kind="stable")]
        return np.asarray(ordered + self.first, dtype=np.int64)

    def of(self, number: int) -> float:
        """Score of a chunk, 0 when it holds no term."""
        place = number - self.first
        return float(self.sums[place]) if 0 <= place < self.sums.size else 0.0


def score(terms: Mapping[str, str], found: Sequence[Postings], absent: NDArray[np.int64], bm25: Bm25) -> Scores:
    """Score every chunk of the release that holds a word of a question.

    score = sum over words of idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average length)), with
    idf = ln(1 + (N - df + 0.5) / (df + 0.5)), N and df counted over the whole release whoever asks.
    `terms`: term -> the word it is a form of; tf and df count a word in any of its forms.
    `absent`: numbers of indexed chunks that are not in the release, ascending.
    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with the +1 inside the logarithm.
    """
    forms: dict[str, dict[str, list[_Arrays]]] = {}
    for posting in found:
        numbers = np.frombuffer(posting.offsets, dtype="<u2").astype(np.int64) + posting.segment * SEGMENT
        frequency = np.frombuffer(posting.frequencies, dtype="<u2").astype(np.float64)
        length = np.frombuffer(posting.lengths, dtype="<u2").astype(np.float64)
        if absent.size:
            kept = ~_among(numbers, absent)
            numbers, frequency, length = numbers[kept], frequency[kept], length[kept]
        if numbers.size:
            of_word = forms.setdefault(terms[posting.term], {})
            of_word.setdefault(posting.term, []).append((numbers, frequency, length))
    words = {word: _together(of_word) for word, of_word in forms.items()}
    frequencies = {word: numbers.size for word, (numbers, _, _) in words.items()}
    limit = bound(terms.values(), frequencies, bm25)
    if not words:
        return Scores(0, np.empty(0, np.float64), {}, limit)
    gains = []
    for numbers, frequency, length in words.values():
        norm = bm25.k1 * (1 - bm25.b + bm25.b * length / bm25.average_length)
        gains.append(idf(bm25.chunks, numbers.size) * frequency * (bm25.k1 + 1) / (frequency + norm))
    numbers = np.concatenate([arrays[0] for arrays in words.values()])
    first = int(numbers.min())
    sums: NDArray[np.float64] = np.bincount(numbers - first, weights=np.concatenate(gains)).astype(np.float64)
    return Scores(first, sums, frequencies, limit)


def _together(forms: Mapping[str, Sequence[_Arrays]]) -> _Arrays:
    """Numbers, frequencies and lengths of the chunks that hold a word, frequencies summed over its forms."""
    parts = [part for arrays in forms.values() for part in arrays]
    numbers = np.concatenate([part[0] for part in parts])
    frequency = np.concatenate([part[1] for part in parts])
    length = np.concatenate([part[2] for part in parts])
    if len(forms) == 1:
        return numbers, frequency, length
    unique, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    summed = np.bincount(place, weights=frequency)
    return np.asarray(unique), summed.astype(np.float64), np.asarray(length[first])


def _among(numbers: NDArray[np.int64], ascending: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True where a number is in the ascending array."""
    places = np.searchsorted(ascending, numbers)
    places[places == ascending.size] = 0
    return np.asarray(ascending[places] == numbers)


def idf(chunks: int, frequency: int) -> float:
    """Inverse document frequency: ln(1 + (N - df + 0.5) / (df + 0.5))."""
    return math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5))


def bound(words: Iterable[str], frequencies: Mapping[str, int], bm25: Bm25) -> float:
    """Highest score a question could reach: each of its words saturated (tf -> infinity gives k1 + 1).

    A phrase that stands nowhere in the release is no shortcoming of a chunk and does not count; an unknown word does.
    """
    reachable = {word for word in words if " " not in word or word in frequencies}
    return sum(idf(bm25.chunks, frequencies.get(word, 0)) * (bm25.k1 + 1) for word in sorted(reachable))
