"""How sure a mean over few questions is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

RESAMPLES = 2_000
SEED = 7


def bootstrap(values: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """Interval of the mean of values 0..1 by the percentile bootstrap (Efron 1979), the same for the same values; None
    for none.

    Values that are all equal, of which every drawing has the same mean, get the exact bound of n equal outcomes
    (Clopper and Pearson 1934) instead: two right answers of two do not make sure of the third.
    """
    if not values:
        return None
    if min(values) == max(values):
        value, room = values[0], 1 - ((1 - level) / 2) ** (1 / len(values))
        return round(value * (1 - room), 4), round(value + (1 - value) * room, 4)
    sample = np.asarray(values, dtype=float)
    drawn = np.random.default_rng(SEED).integers(0, sample.size, size=(RESAMPLES, sample.size))
    low, high = np.quantile(sample[drawn].mean(axis=1), [(1 - level) / 2, (1 + level) / 2])
    return round(float(low), 4), round(float(high), 4)
