"""Sums over the trials of a block, in one fixed order, so that they have the same bits everywhere.

Trials are dealt to 32 lanes; each lane adds its own in order, then the lanes are added in order.
Partial sums side by side, as a vector register holds them; the histogram is by leading bits.
"""

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels._arrays import ALL, ONE, U64, ZERO, Floats, Integers, Words
from fastgc_kernels._jit import inline, jit
from fastgc_kernels.draw.bits import popcount

LANES = 32
STRATA_LANES = 4
_SHIFT = 40  # controls of a block add up to less than 2⁴⁰
_TRIAL = 1 << _SHIFT
HISTOGRAM_SHIFT = U64(45)  # exponent and 7 binary digits: bins at most 2⁻⁷ = 0.8 % wide
HISTOGRAM_BINS = 1 << 18
HISTOGRAM_MASK = U64(HISTOGRAM_BINS - 1)  # the sign is dropped: values are ≥ 0, and −0 is 0


@inline
def fold(lanes):
    """Sum of the lanes, in order."""
    total = 0.0
    for v in range(LANES):
        total += lanes[v]
    return total


@jit
def averages(values: Floats, first: Floats, second: Floats) -> None:
    """Average over iterations of values (L, T) and of their squares, each (T,)."""
    iterations, trials = values.shape
    for t in range(trials):
        first[t] = 0.0
        second[t] = 0.0
    for l in range(iterations):  # noqa: E741
        for t in range(trials):
            value = values[l, t]
            first[t] += value
            second[t] += value * value
    if iterations > 1:
        for t in range(trials):
            first[t] /= iterations
            second[t] /= iterations


@jit
def powers(values: Floats, out: Floats) -> None:
    """Sums of the first ``out.size`` (at most 4) powers of values (T,)."""
    lanes = np.zeros((4, LANES))
    first, second, third, fourth = lanes[0], lanes[1], lanes[2], lanes[3]
    trials = values.size
    for start in range(0, trials, LANES):
        own = values[start : min(start + LANES, trials)]
        for v in range(own.size):
            value = own[v]
            square = value * value
            cube = square * value
            first[v] += value
            second[v] += square
            third[v] += cube
            fourth[v] += cube * value
    for degree in range(out.size):
        out[degree] = fold(lanes[degree])


@jit
def powers_of_rows(values: Floats, out: Floats) -> None:
    """Sums of powers, ``out`` (m, at most 4), of each row of values (m, T)."""
    for i in range(values.shape[0]):
        powers(values[i], out[i])


@jit
def product(a: Floats, b: Floats) -> float:
    """Sum of a · b over trials."""
    lanes = np.zeros(LANES)
    trials = a.size
    whole = trials - trials % LANES
    for start in range(0, whole, LANES):
        for v in range(LANES):
            lanes[v] += np.float64(a[start + v]) * b[start + v]
    for v in range(trials - whole):
        lanes[v] += np.float64(a[whole + v]) * b[whole + v]
    return fold(lanes)


@jit
def histogram(values: Floats, bins: Integers, extremes: Floats) -> None:
    """Count values (m,) ≥ 0 by the leading bits of each, and widen ``extremes`` (2,) to them."""
    codes = values.view(np.uint64)
    low = extremes[0]
    high = extremes[1]
    for i in range(values.size):
        bins[np.int64((codes[i] >> HISTOGRAM_SHIFT) & HISTOGRAM_MASK)] += 1
        low = min(low, values[i])
        high = max(high, values[i])
    extremes[0] = low
    extremes[1] = high


@jit
def exceedances(values: Floats, threshold: float, out: Floats) -> None:
    """Fraction ``out`` (T,) of each trial's iterations whose value (L, T) exceeds a threshold."""
    iterations, trials = values.shape
    for t in range(trials):
        out[t] = 0.0
    for l in range(iterations):  # noqa: E741
        for t in range(trials):
            out[t] += 1.0 if values[l, t] > threshold else 0.0
    for t in range(trials):
        out[t] /= iterations


@jit
def by_survivors(values: Floats, survivors: Integers, workers: int, out: Floats) -> None:
    """Sums of values and counts by number of survivors, for ratios: ``out`` (workers + 1, 5).

    With a_r the sum of a trial's values (L, T) at r survivors and c_r their number, row r is
    Σ a_r, Σ a_r², Σ c_r, Σ c_r², Σ a_r c_r over trials.
    """
    iterations, trials = values.shape
    a = np.zeros(workers + 1)
    c = np.zeros(workers + 1)
    for t in range(trials):
        for l in range(iterations):  # noqa: E741
            r = survivors[l, t]
            a[r] += values[l, t]
            c[r] += 1.0
        for l in range(iterations):  # noqa: E741
            r = survivors[l, t]
            if c[r] > 0.0:
                out[r, 0] += a[r]
                out[r, 1] += a[r] * a[r]
                out[r, 2] += c[r]
                out[r, 3] += c[r] * c[r]
                out[r, 4] += a[r] * c[r]
                a[r] = 0.0
                c[r] = 0.0


@jit
def not_accessed(
    planes: Words, holders: Integers, offsets: Integers, iterations: int, trials: int, out: Floats
) -> None:
    """Power sums ``out`` (k, 4) over trials of the iterations in which no holder survived.

    Partition i is held by the columns ``holders[offsets[i]:offsets[i + 1]]`` of B; ``planes``
    (n, L · groups) are survival planes, 64 trials a word. The sums are of integers, so exact.
    """
    groups = planes.shape[1] // iterations
    times = np.empty(64, np.int64)
    for i in range(offsets.size - 1):
        for g in range(groups):
            if iterations == 1:
                seen = ZERO
                for e in range(offsets[i], offsets[i + 1]):
                    seen |= planes[holders[e], g]
                left = min(64, max(0, trials - 64 * g))
                wanted = ALL if left == 64 else (ONE << U64(left)) - ONE
                count = np.float64(popcount(~seen & wanted))
                for power in range(4):  # 0 and 1 are their own powers
                    out[i, power] += count
                continue
            for t in range(64):
                times[t] = 0
            for l in range(iterations):  # noqa: E741
                seen = ZERO
                for e in range(offsets[i], offsets[i + 1]):
                    seen |= planes[holders[e], l * groups + g]
                lost = ~seen
                for t in range(64):
                    times[t] += np.int64((lost >> U64(t)) & ONE)
            for t in range(min(64, trials - 64 * g)):
                count = np.float64(times[t])
                out[i, 0] += count
                out[i, 1] += count * count
                out[i, 2] += count * count * count
                out[i, 3] += count * count * count * count


@jit
def survivor_counts(survivors: Integers, out: Floats) -> None:
    """Sums ``out`` (workers + 1, 2) over trials of the iterations with r survivors, and squares.

    ``survivors`` is (L, T). The sums are of integers, so exact.
    """
    iterations, trials = survivors.shape
    times = np.zeros(out.shape[0])
    for t in range(trials):
        for l in range(iterations):  # noqa: E741
            times[survivors[l, t]] += 1.0
        for l in range(iterations):  # noqa: E741
            r = survivors[l, t]
            if times[r] > 0.0:
                out[r, 0] += times[r]
                out[r, 1] += times[r] * times[r]
                times[r] = 0.0


@jit
def lag_products(values: Floats, lag: int, out: Floats) -> None:
    """Average ``out`` (T,) over l of values[l] · values[l + lag], values (L, T)."""
    iterations, trials = values.shape
    for t in range(trials):
        out[t] = 0.0
    for l in range(iterations - lag):  # noqa: E741
        for t in range(trials):
            out[t] += values[l, t] * values[l + lag, t]
    for t in range(trials):
        out[t] /= iterations - lag


@jit
def excesses(
    values: Floats, least: float, reference: float, largest: float, out: Floats, less: Floats
) -> int:
    """Fill ``out`` with what of values (L, T) is above ``least``, ``less`` with that − reference.

    Returns how many values are not below ``largest``: where there are any, or some that are no
    number, what was filled in is not to be used.
    """
    iterations, trials = values.shape
    large = 0
    for l in range(iterations):  # noqa: E741
        row = values[l]
        above = out[l]
        rest = less[l]
        for t in range(trials):
            value = row[t]
            excess = value - least
            excess = excess if excess > 0.0 else 0.0
            above[t] = excess
            rest[t] = excess - reference
            large += np.int64(not (value < largest))
    return large


@jit
def by_strata(
    values: Floats,
    controls: NDArray[np.unsignedinteger],
    packed: Words,
    stratum: Integers,
    out: Floats,
    products: Floats,
) -> None:
    """Of each stratum its trials, and their values (T,) and controls (T,) added up: ``out`` (G, 3).

    What post-stratification needs (Cochran, Sampling Techniques, section 5A.9): values are added in
    4 lanes and not in 32. ``products`` (2,) are Σc² and Σyc over all trials. ``packed`` (T, words)
    are the trials' patterns, one iteration each; ``stratum`` (n + 1,) is that of every number of
    survivors.
    """
    trials, words = packed.shape
    strata = out.shape[0]
    totals = np.zeros(STRATA_LANES * strata)
    both = np.zeros(
        STRATA_LANES * strata, np.int64
    )  # how many trials, and below them their controls
    for t in range(trials):
        survivors = popcount(packed[t, 0])
        for w in range(1, words):
            survivors += popcount(packed[t, w])
        place = U64(t % STRATA_LANES * strata + stratum[survivors])
        totals[place] += values[t]
        both[place] += _TRIAL + np.int64(controls[t])
    for g in range(strata):
        out[g] = 0.0
        for v in range(STRATA_LANES):
            out[g, 0] += both[v * strata + g] >> _SHIFT
            out[g, 1] += totals[v * strata + g]
            out[g, 2] += both[v * strata + g] & (_TRIAL - 1)
    products[0] = product(controls, controls)
    products[1] = product(controls, values)
