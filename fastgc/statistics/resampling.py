"""Sampling error of a series of dependent rows: the block bootstrap.

Rows that follow each other are alike, so that they are drawn in blocks (Künsch 1989; circular:
Politis and Romano 1992), whose length follows from the autocorrelation (Politis and White 2004, as
corrected by Patton, Politis and White 2009). Intervals are percentiles of the resamples, moved for
bias and skewness (BCa, Efron 1987), and further out where blocks are few (Hesterberg 2015). They
never leave what resamples show, and are open where that does not reach. All columns see the
same blocks: what is said of a difference is said of the same rows.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from fastgc.arrays import Values

#: Numbers held at a time while rows are resampled.
_HELD = 1_000_000


def block_length(series: Values) -> int:
    """Return the length of blocks that a series of dependent values is resampled in.

    That of Politis and White, or where neighbours show more dependence that of the chain of first
    order that they make: few rows show later lags badly.

    ``series``: float64 array (rows,). Returns int: 1 where neighbours are independent; at most a
    third of the rows, and 3 √rows.

    >>> block_length(np.repeat([1.0, 3.0, 2.0, 5.0, 1.5, 2.5, 4.0, 1.2], 5)) >= 5
    True
    """
    rows = series.size
    off = series - series.mean()
    power = float(off @ off)
    if rows < 4 or not power > rows * float(_alike(series)) ** 2:
        return 1
    quiet = max(5, math.ceil(math.sqrt(math.log10(rows))))
    most = min(math.ceil(math.sqrt(rows)) + quiet, rows - 1)
    correlation = np.array([off[: rows - lag] @ off[lag:] for lag in range(most + 1)]) / power
    loud = np.abs(correlation[1:]) >= 2 * math.sqrt(math.log10(rows) / rows)
    # the smallest lag that so many quiet ones follow, else the last loud one
    last: int = next(
        (lag for lag in range(most - quiet + 1) if not loud[lag : lag + quiet].any()),
        int(np.flatnonzero(loud).max(initial=-1)) + 1,
    )
    window = min(2 * max(last, 1), most)
    lags = np.arange(1, window + 1)
    taper = np.clip(2 * (1 - lags / window), 0.0, 1.0)
    spread = 1 + 2 * float(taper @ correlation[1 : window + 1])
    slope = 2 * float((taper * lags) @ correlation[1 : window + 1])
    ratio = slope / spread if spread > 0 else 0.0
    # of few rows neighbours show less dependence than there is (Kendall 1954)
    next_to = min(0.99, correlation[1] + (1 + 3 * correlation[1]) / rows)
    ratio = max(ratio, 2 * next_to / (1 - next_to**2))
    if ratio <= 0:  # blocks would only narrow what alternates
        return 1
    length = (1.5 * ratio**2 * rows) ** (1 / 3)
    return max(1, math.ceil(min(float(length), rows / 3, 3 * math.sqrt(rows))))


def error_of_mean(series: Values) -> float:
    """Return the standard error of the mean of dependent values; infinite for fewer than two.

    >>> error_of_mean(np.array([1.0, 3.0, 1.0, 3.0, 3.0, 1.0])) > 0
    True
    """
    if series.size < 2:
        return math.inf
    length = block_length(series)
    means = _block_means(series[:, np.newaxis], length)
    return float(_error(means, series.size, length)[0])


class Resampling:
    """Rows drawn again in circular blocks, the same for all that is asked.

    ``rows``: at least 2; ``length``: rows in a block, at most half of them; ``uniforms``, float64
    array: numbers in (0, 1), one for each block of each resample: ``blocks`` · resamples.

    ``blocks``: blocks in a resample; ``size``: number of resamples.
    """

    def __init__(self, rows: int, length: int, uniforms: Values) -> None:
        self.rows, self.length = rows, length
        self.blocks = self.blocks_of(rows, length)
        self.size = uniforms.size // self.blocks
        starts = (uniforms[: self.size * self.blocks] * rows).astype(np.int32)
        self._starts = np.minimum(starts, rows - 1, out=starts).reshape(self.size, self.blocks)

    @staticmethod
    def blocks_of(rows: int, length: int) -> int:
        """Return the number of blocks in a resample."""
        return max(2, rows // length)

    def means(self, series: Values, errors: Values | None = None) -> "Means":
        """Return the means of columns, and of their resamples.

        ``series``: float64 array (rows, S); ``errors``, float64 array (S, resamples), optional:
        what else moves each mean in each resample, in its unit, centred on 0.
        """
        blocks = _block_means(series, self.length)
        middle = blocks.mean(axis=0)
        # rows that are all alike differ from their mean by rounding
        centred = np.where(np.abs(blocks - middle) <= _alike(series), 0.0, blocks - middle)
        found = np.empty((self.size, series.shape[1]))
        spread = np.empty_like(found)
        for part in self._parts(self.rows):
            counts = self._counts(part)
            first = counts @ centred / self.blocks
            second = counts @ (centred * centred) / self.blocks
            found[part] = first
            spread[part] = np.maximum(second - first * first, 0.0) / (self.blocks - 1)
        error = _error(blocks, self.rows, self.length)
        third = (centred**3).mean(axis=0) / self.blocks**2
        variance = (centred**2).mean(axis=0) / self.blocks
        known = np.zeros_like(variance)
        if errors is not None:
            known = errors.var(axis=1)
            found += errors.T
            spread += known
            error = np.sqrt(error**2 + known)
        total = np.where(variance + known > 0, variance + known, 1.0)
        share = np.where(variance > 0, variance, 0.0) / total
        acceleration = third / total**1.5 / 6
        of_each = series.mean(axis=0), error, found, np.sqrt(spread), acceleration, share
        return Means(*of_each, self.rows / self.length)

    def quantiles(self, series: Values, level: float) -> Values:
        """Return a quantile of each column in each resample, (resamples, S)."""
        found = np.empty((self.size, series.shape[1]))
        order = np.argsort(series, axis=0, kind="stable")
        target = level * self.blocks * self.length * (1 - 1e-12)
        for part in self._parts(2 * self.rows):
            counts = np.concatenate([self._counts(part)] * 2, axis=1).cumsum(axis=1)
            # a row is drawn by every block that starts within ``length`` rows before it
            after = np.arange(self.rows, 2 * self.rows)
            weights = counts[:, after] - counts[:, after - self.length]
            for j in range(series.shape[1]):
                passed = weights[:, order[:, j]].cumsum(axis=1) < target
                place = np.minimum(passed.sum(axis=1), self.rows - 1)
                found[part, j] = series[order[place, j], j]
        return found

    def _parts(self, width: int) -> list[slice]:
        step = max(1, _HELD // width)
        return [slice(first, first + step) for first in range(0, self.size, step)]

    def _counts(self, part: slice) -> Values:
        # how many blocks of some resamples start at each row, (resamples, rows)
        starts = self._starts[part]
        size = len(starts)
        cells = np.arange(size)[:, np.newaxis] * self.rows + starts
        counts = np.bincount(cells.ravel(), minlength=size * self.rows)
        return counts.reshape(size, self.rows).astype(np.float64)


@dataclass(eq=False)
class Means:
    """Means of columns, and how far those of resamples lie from them.

    ``value``, ``error`` (S,); ``off``, ``spread`` (resamples, S): each resample's mean less its
    expectation, and the standard error that it shows; ``acceleration`` (S,): a sixth of the
    skewness of each mean's sampling error; ``share`` (S,): part of its variance that comes from the
    rows; ``blocks``: how many independent ones the rows are; ``found`` (resamples, S): the means.
    """

    value: Values
    error: Values
    off: Values
    spread: Values
    acceleration: Values
    share: Values
    blocks: float

    def __post_init__(self) -> None:
        self.found = self.value + self.off
        # a resample that sees another mean, but no spread, is infinitely far away
        with np.errstate(divide="ignore", invalid="ignore"):
            self._studentised = np.where(self.off == 0, 0.0, self.off / self.spread)
        self._ordered = np.sort(self._studentised, axis=0)

    def interval(
        self, j: int, confidence: float, found: Values | None = None, value: float | None = None
    ) -> tuple[float, float]:
        """Return both ends of a mean's interval; infinite where the rows do not bound it.

        ``j``: the column; ``found``, float64 array (resamples,), optional: another statistic in
        each resample, that column j is linear in, as a ratio of means; ``value``: the statistic.
        """
        found = self.found[:, j] if found is None else found
        value = float(self.value[j]) if value is None else value
        size = found.size
        ordered = np.sort(found)
        # sums of equal numbers differ by rounding
        near = 1e-12 * abs(value)
        below = np.count_nonzero(found < value - near)
        level = (below + np.count_nonzero(found <= value + near)) / (2 * size)
        normal = NormalDist()
        bias = normal.inv_cdf(min(max(level, 0.5 / size), 1 - 0.5 / size))
        # those of Student's law where the rows alone are uncertain, with their few blocks' own lack
        # of spread
        from scipy import special  # its import takes longer than many a command

        tail = (1 - confidence) / 2
        few = max(self.blocks, 2.0)
        student = -float(special.stdtrit(few - 1, tail)) * math.sqrt(few / (few - 1))
        share = float(self.share[j])
        reach = math.sqrt(share * student**2 + (1 - share) * normal.inv_cdf(tail) ** 2)
        acceleration = float(self.acceleration[j])

        def outside(side: int) -> int:
            # how many resamples lie beyond an end; −1 where more of them would
            moved = bias + side * reach
            slowed = 1 - acceleration * moved
            if slowed <= 0:
                return -1
            beyond = normal.cdf(-side * (bias + moved / slowed))
            return math.floor(round(beyond * size, 6)) - 1

        low, high = outside(-1), outside(1)
        return (
            float(ordered[min(low, size - 1)]) if low >= 0 else -math.inf,
            float(ordered[max(size - 1 - high, 0)]) if high >= 0 else math.inf,
        )

    def lower_bounds(self, confidence: float) -> Values:
        """Return bounds that all means exceed at once, with that confidence.

        Each column is given the same share of the risk (Beran 1988).
        """
        size, columns = self._studentised.shape
        ranks = np.empty((size, columns), np.int64)
        place = np.argsort(self._studentised, axis=0, kind="stable")
        np.put_along_axis(ranks, place, np.arange(size)[:, np.newaxis], axis=0)
        highest = np.sort(ranks.max(axis=1))[min(size - 1, math.ceil(confidence * size) - 1)]
        with np.errstate(invalid="ignore"):
            moved = self._ordered[highest] * self.error
        return self.value - np.where(self.error == 0, 0.0, moved)


#: Rows that are resampled where a series may be long; of more, means of some that follow.
_MOST_ROWS = 4096


def shortened(series: Values) -> Values:
    """Return series (rows, …), or where rows are very many means of some that follow each other."""
    together = -(-len(series) // _MOST_ROWS)
    kept = len(series) // together * together
    return np.asarray(series[:kept].reshape(-1, together, *series.shape[1:]).mean(axis=1))


def quantile_interval(
    series: Values, level: float, confidence: float, length: int
) -> tuple[float, float]:
    """Return the interval of a quantile from the order of the rows.

    The number of rows below a quantile is binomial, of as many independent rows as dependent ones
    are worth (`worth`).

    ``series``: float64 array (rows,); ``length``: of the blocks that the rows' dependence is seen
    in. Returns low and high: −∞ and ∞ where so few rows do not say.

    >>> quantile_interval(np.arange(100.0), 0.5, 0.95, 1)
    (39.0, 60.0)
    """
    from scipy import stats  # its import takes longer than many a command

    ordered = np.sort(series)
    rows = ordered.size
    point = ordered[min(rows - 1, max(0, math.ceil(level * rows * (1 - 1e-12)) - 1))]
    alone = worth((series > point).astype(float), length)
    outside = (1 - confidence) / 2
    fewest = int(stats.binom.ppf(outside, alone, level))
    most = int(stats.binom.ppf(1 - outside, alone, level))
    low = math.floor(fewest * rows / alone) - 1
    high = math.ceil((most + 1) * rows / alone) - 1
    return (
        float(ordered[low]) if fewest >= 1 and low >= 0 else -math.inf,
        float(ordered[high]) if most < alone and high < rows else math.inf,
    )


def worth(series: Values, length: int) -> int:
    """Return how many independent rows would tell the mean of a series as well, from 1 to rows."""
    variance = float(series.var())
    if variance == 0 or series.size < 2:
        return series.size
    means = _block_means(series[:, np.newaxis], length)
    share = variance / (length * float(means.var()) or variance)
    return max(1, math.floor(series.size * min(1.0, share)))


def rows_for(level: float, confidence: float) -> int:
    """Return how many independent rows it takes until one lies above a quantile's interval.

    >>> rows_for(0.99, 0.95), rows_for(0.5, 0.95)
    (368, 6)
    """
    return math.ceil(math.log((1 - confidence) / 2) / math.log(level))


def _alike(series: Values) -> Values:
    # how far numbers of each column may differ by rounding alone
    return np.asarray(1e-12 * np.abs(series).max(axis=0, initial=0.0))


def _block_means(series: Values, length: int) -> Values:
    if length == 1:
        return series
    around = np.concatenate([series, series[: length - 1]])
    return np.asarray(np.lib.stride_tricks.sliding_window_view(around, length, axis=0).mean(-1))


def _error(blocks: Values, rows: int, length: int) -> Values:
    count = Resampling.blocks_of(rows, length)
    return np.asarray(blocks.std(axis=0) * math.sqrt(rows / max(1, rows - length) / count))
