"""BM25 over postings. Pure arithmetic on arrays; which chunks may be seen is the caller's question to the store."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kprep.store.lexical import SEGMENT, Postings


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

    `frequencies`: chunks of the release that hold each matched term. `bound`: highest score any chunk could have.
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


def score(terms: Mapping[str, float], found: Sequence[Postings], absent: NDArray[np.int64], bm25: Bm25) -> Scores:
    """Score every chunk of the release that holds a term.

    score = sum over terms of weight * idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average length)), with
    idf = ln(1 + (N - df + 0.5) / (df + 0.5)), N and df counted over the whole release whoever asks.
    `absent`: numbers of indexed chunks that are not in the release, ascending.
    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with the +1 inside the logarithm.
    """
    numbers_of: dict[str, list[NDArray[np.int64]]] = {}
    parts: dict[str, list[NDArray[np.float64]]] = {}
    for posting in found:
        numbers = np.frombuffer(posting.offsets, dtype="<u2").astype(np.int64) + posting.segment * SEGMENT
        frequency = np.frombuffer(posting.frequencies, dtype="<u2").astype(np.float64)
        length = np.frombuffer(posting.lengths, dtype="<u2").astype(np.float64)
        if absent.size:
            kept = ~_among(numbers, absent)
            numbers, frequency, length = numbers[kept], frequency[kept], length[kept]
        norm = bm25.k1 * (1 - bm25.b + bm25.b * length / bm25.average_length)
        numbers_of.setdefault(posting.term, []).append(numbers)
        parts.setdefault(posting.term, []).append(frequency * (bm25.k1 + 1) / (frequency + norm))
    frequencies = {term: sum(part.size for part in arrays) for term, arrays in numbers_of.items()}
    frequencies = {term: count for term, count in frequencies.items() if count}
    limit = bound(terms, frequencies, bm25)
    if not frequencies:
        return Scores(0, np.empty(0, np.float64), {}, limit)
    numbers = np.concatenate([array for term in frequencies for array in numbers_of[term]])
    weights = [terms[term] * idf(bm25.chunks, count) for term, count in frequencies.items()]
    gains = np.concatenate(
        [part * weight for term, weight in zip(frequencies, weights, strict=True) for part in parts[term]]
    )
    first = int(numbers.min())
    sums: NDArray[np.float64] = np.bincount(numbers - first, weights=gains).astype(np.float64)
    return Scores(first, sums, frequencies, limit)


def _among(numbers: NDArray[np.int64], ascending: NDArray[np.int64]) -> NDArray[np.bool_]:
    """True where a number is in the ascending array."""
    places = np.searchsorted(ascending, numbers)
    places[places == ascending.size] = 0
    return np.asarray(ascending[places] == numbers)


def idf(chunks: int, frequency: int) -> float:
    """Inverse document frequency: ln(1 + (N - df + 0.5) / (df + 0.5))."""
    return math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5))


def bound(terms: Mapping[str, float], frequencies: Mapping[str, int], bm25: Bm25) -> float:
    """Highest score a question could reach: each of its terms saturated (tf -> infinity gives k1 + 1).

    A phrase that stands nowhere in the release is no shortcoming of a chunk and does not count; an unknown word does.
    """
    reachable = {term: weight for term, weight in terms.items() if " " not in term or term in frequencies}
    return sum(
        weight * idf(bm25.chunks, frequencies.get(term, 0)) * (bm25.k1 + 1) for term, weight in reachable.items()
    )
