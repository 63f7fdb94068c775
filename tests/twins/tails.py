"""Slow twins of the tails of completion times: sums over all outcomes, to 150 digits."""

import itertools

import mpmath

DIGITS = 150


def on_time(n, required, cdf):
    """P(at least required[i] of n equal times lie below threshold i, for all i)."""
    with mpmath.workdps(DIGITS):
        counts, before = {0: mpmath.mpf(1)}, mpmath.mpf(0)
        for need, now in zip(required, cdf, strict=True):
            probability, before = (now - before) / (1 - before) if before < 1 else 1, now
            following = {}
            for have, weight in counts.items():
                for more in range(n - have + 1):
                    ways = mpmath.binomial(n - have, more)
                    step = ways * probability**more * (1 - probability) ** (n - have - more)
                    following[have + more] = following.get(have + more, 0) + weight * step
            counts = {have: weight for have, weight in following.items() if have >= need}
        return mpmath.fsum(counts.values())


def late_though_complete(required, between):
    """P(a requirement fails, though enough come): every outcome of unlike times.

    ``between[j]`` has the probabilities of time j to come in each gap between thresholds, after the
    last one, and never.
    """
    steps = len(required)
    with mpmath.workdps(DIGITS):
        total = mpmath.mpf(0)
        for places in itertools.product(range(steps + 2), repeat=len(between)):
            by = [sum(place <= i for place in places) for i in range(steps + 1)]
            fails = any(have < need for have, need in zip(by, required, strict=False))
            if fails and by[steps] >= max(required):
                total += mpmath.fprod(
                    probabilities[place]
                    for probabilities, place in zip(between, places, strict=True)
                )
        return total
