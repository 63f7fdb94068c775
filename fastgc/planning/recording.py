"""What a recording says of the cluster that it was recorded on: its rows, drawn again in blocks.

A system's completion times in the rows are a series, and all systems have theirs in the same rows.
"""

import math
from collections.abc import Sequence

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.streams import normals, uniforms
from fastgc.latency.empirical import Empirical, Rate
from fastgc.planning.candidate import Candidate
from fastgc.statistics.estimates import normal_quantile
from fastgc.statistics.resampling import (
    Means,
    Resampling,
    block_length,
    quantile_interval,
    rows_for,
    worth,
)
from fastgc.study.design import DesignTable

Interval = tuple[float, float]

#: A recording speaks for its cluster if it has so many blocks that are nearly independent, and so
#: many rows, without which dependence is not seen.
FEWEST_BLOCKS, FEWEST_ROWS = 10, 30
#: Resamples, at least, and for each unit of 1/(1 − confidence); and at most.
_RESAMPLES, _PER_TAIL, _MOST = 2000, 40, 20_000
#: Systems whose series decide how long blocks are.
_ASKED = 5


def _bounded(low: float, high: float) -> Interval:
    """Return ends for what is not negative: none where rows do not bound it from below."""
    return (0.0, math.inf) if low == -math.inf else (max(0.0, low), high)


def deciding_length(base: Values, own: Values) -> int:
    """Return the length of blocks that are nearly independent, by what decides between two systems.

    That is the difference of their times in each row, (rows,) each, one brought to the other's
    mean: what slows both alike decides nothing.
    """
    mean = float(own.mean())
    return block_length(base - own * (float(base.mean()) / mean) if mean > 0 else base)


class Recording:
    """The rows of a recording as a sample of its cluster, a block being ``length`` rows."""

    def __init__(self, table: DesignTable, candidates: Sequence[Candidate], series: Values) -> None:
        self._table = table
        self._place = {id(candidate): j for j, candidate in enumerate(candidates)}
        self._candidates = list(candidates)
        self._series = series
        self.rows = len(series)
        base = next((j for j, c in enumerate(candidates) if c.family == "uncoded"), None)
        if table.level is not None:
            self.length = self._longest(series)
        elif base is None or self.rows < 2:
            self.length = self._longest(series[:, :1])
        else:  # by the best system's difference from uncoded work
            own = int(base == 0 and len(candidates) > 1)
            self.length = deciding_length(series[:, base], series[:, own])
        law = table.latency[0]
        assert isinstance(law, Empirical)
        self._slopes, self._errors = np.zeros(len(candidates)), np.zeros(len(candidates))
        self._influence = np.zeros((self.rows, 1))
        tail = math.ceil(_PER_TAIL / (1 - table.confidence))
        self._size = min(_MOST, max(_RESAMPLES, tail))
        self._drawn: dict[int, Resampling] = {}
        self._noise = np.zeros(self._size)
        if law.slope is not None and law.slope.error > 0:
            self._take(law, law.slope)

    @classmethod
    def of(cls, table: DesignTable, candidates: Sequence[Candidate]) -> "Recording | None":
        """Return it for candidates with values; None where times do not come from rows alone."""
        ordered = sorted(candidates, key=lambda c: (c.value, c.load))
        found = [candidate.done_in_rows() for candidate in ordered]
        series = [done for done in found if done is not None]
        if len(series) < len(found):
            return None
        return cls(table, ordered, np.stack(series, axis=1))

    @staticmethod
    def _longest(series: Values) -> int:
        columns = series.shape[1]
        asked = np.unique(np.linspace(0, columns - 1, min(columns, _ASKED)).round().astype(int))
        return max(block_length(series[:, j]) for j in asked)

    def _again(self, length: int) -> Resampling:
        if length not in self._drawn:
            blocks = Resampling.blocks_of(self.rows, length)
            numbers = uniforms(self._table.seed, "design rows", blocks * self._size)
            self._drawn[length] = Resampling(self.rows, length, numbers)
        return self._drawn[length]

    def _take(self, law: Empirical, rate: Rate) -> None:
        """Take the error of the rate: by how much a second a unit more moves each system."""
        for j, candidate in enumerate(self._candidates):
            up, down = (candidate.done_in_rows(sign * rate.error) for sign in (1, -1))
            assert up is not None and down is not None
            self._slopes[j] = float((up - down).mean()) / (2 * rate.error)
        self._errors = self._slopes * rate.rest
        rounds = law.trace.rows[-self.rows :].mean(axis=1)  # the first may say who is slow
        self._influence = rate.own * (rounds - rounds.mean())[:, np.newaxis]
        self._noise = normals(self._table.seed, "design rate", self._size)
        self._noise -= self._noise.mean()

    # ---- what is known of one system

    def interval(self, candidate: Candidate) -> Interval:
        """Return the interval of a system's goal, for the cluster."""
        if self.rows < 2:
            return 0.0, math.inf
        j = self._place[id(candidate)]
        if self._table.level is None:
            means = self._means(self._moved([j]), self._errors[[j]])
            return _bounded(*means.interval(0, self._table.confidence))
        (low, high), value = self._of_quantile(j), candidate.value
        wide = normal_quantile(self._table.confidence) * abs(self._all_errors[j])
        down, up = math.hypot(value - low, wide), math.hypot(high - value, wide)
        return max(0.0, value - down), value + up

    def gain(self, candidate: Candidate, baseline: Candidate) -> Interval | None:
        """Return the interval of the ratio of two systems' goals; None where rows are too few."""
        j, base = self._place[id(candidate)], self._place[id(baseline)]
        if j == base:
            return 1.0, 1.0
        if self.rows < 2:
            return None
        ratio = baseline.value / candidate.value
        if self._table.level is None:
            off = self._moved([base]) - ratio * self._moved([j])
            errors = self._errors[[base]] - ratio * self._errors[[j]]
            again = self._again(self._longest(off))
            both = again.means(self._moved([base, j]), self._rate(self._errors[[base, j]])).found
            with np.errstate(divide="ignore"):
                ratios = np.where(both[:, 1] > 0, both[:, 0] / both[:, 1], math.inf)
            low, high = self._means(off, errors).interval(0, self._table.confidence, ratios, ratio)
            return _bounded(low, high)
        if math.inf in (self._of_quantile(j)[1], self._of_quantile(base)[1]):
            return None
        both = self._resampled([base, j])
        outside = (1 - self._table.confidence) / 2
        ends = np.quantile(both[:, 0] / both[:, 1], [outside, 1 - outside])
        return float(ends[0]), float(ends[1])

    # ---- what is known of all

    def unresolved(self, leader: Candidate) -> list[Candidate]:
        """Return the systems that the rows do not tell from the best one, or to be worse."""
        j = self._place[id(leader)]
        alike = [c.gradient == leader.gradient for c in self._candidates]
        others = [i for i, own in enumerate(alike) if own and i != j]
        if self._table.level is not None:  # those whose quantile may be the smaller one
            sure = 1 - (1 - self._table.confidence) / (10 * (len(others) + 1))  # very wide
            wide = normal_quantile(sure) * np.abs(self._all_errors)
            ends = {
                i: quantile_interval(self._series[:, i], self._table.level, sure, self.length)
                for i in (j, *others)
            }
            others = [i for i in others if ends[i][0] - wide[i] <= ends[j][1] + wide[j]]
        if not others:
            return []
        if self._table.level is None:
            off = self._moved(others) - self._moved([j])
            means = self._means(off, self._errors[others] - self._errors[j])
            open_ = ~(means.lower_bounds(self._table.confidence) > 0)
        else:
            found = self._resampled([j, *others])
            better = found[:, 1:] <= found[:, :1]
            risk = 1 - self._table.confidence
            if better.any(axis=1).mean() <= risk:
                return []
            open_ = better.mean(axis=0) > risk / len(others)
        return [self._candidates[i] for i, each in zip(others, open_, strict=True) if each]

    def silence(self, leader: Candidate) -> str | None:
        """Return why the recording does not speak for its cluster; None where it does."""
        j = self._place[id(leader)]
        level = self._table.level
        if level is not None and self._of_quantile(j)[1] == math.inf:
            point = leader.value
            alone = worth((self._series[:, j] > point).astype(float), self.length)
            need = rows_for(level, self._table.confidence)
            return f"{self._table.goal} needs some {need} independent rows, and it has {alone}"
        if self.rows < FEWEST_ROWS:
            rows = "1 row" if self.rows == 1 else f"{self.rows} rows"
            return f"it has {rows}, and {FEWEST_ROWS} are needed"
        if self.rows < FEWEST_BLOCKS * self.length:
            blocks = f"{self.rows} rows are some {self.rows // self.length} independent blocks"
            return f"its {blocks} of {self.length}, and {FEWEST_BLOCKS} are needed"
        return None

    # ---- parts

    def _moved(self, places: Sequence[int]) -> Values:
        """Series whose means move with the rate that their own rows make."""
        return self._series[:, places] + self._influence * self._slopes[places]

    def _rate(self, errors: Values) -> Values | None:
        return np.outer(errors, self._noise) if errors.any() else None

    def _means(self, series: Values, errors: Values) -> Means:
        return self._again(self._longest(series)).means(series, self._rate(errors))

    def _of_quantile(self, j: int) -> Interval:
        series = self._series[:, j]
        table = self._table
        assert table.level is not None
        low, high = quantile_interval(series, table.level, table.confidence, self.length)
        return max(low, 0.0), high  # of times

    def _resampled(self, places: Sequence[int]) -> Values:
        """Quantiles of some systems in each resample, (resamples, places)."""
        assert self._table.level is not None
        found = self._again(self.length).quantiles(self._series[:, places], self._table.level)
        return np.asarray(found + np.outer(self._noise, self._all_errors[places]))

    @property
    def _all_errors(self) -> Values:
        """What the whole error of the rate moves each system by."""
        rate = self._table.latency[0].slope
        return self._slopes * (0.0 if rate is None else rate.error)
