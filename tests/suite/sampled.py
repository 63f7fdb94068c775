"""Counts of values as kernels make them, and how often intervals of sampled estimates hold."""

import numpy as np

from fastgc.statistics.tallies import Histogram


def histogram_of(values):
    numbers, counts = np.unique(
        np.ascontiguousarray(values).view(np.uint64) >> np.uint64(45), return_counts=True
    )
    counted = dict(zip(numbers.tolist(), counts.tolist(), strict=True))
    return Histogram(counted, float(values.min()), float(values.max()))


def coverage(truth, estimate_of, seed, replications=2000):
    """Share of replications whose interval holds the truth."""
    random = np.random.default_rng(seed)
    hits = 0
    for _ in range(replications):
        low, high = estimate_of(random).interval()
        hits += (low is None or low <= truth) and (high is None or truth <= high)
    return hits / replications
