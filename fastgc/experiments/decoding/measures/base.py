"""What measures have in common: the block they look at, and the rows they make."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.bernoulli import CodeOfTrials
from fastgc.codes.code import Code
from fastgc.draws.patterns import Patterns
from fastgc.errors import FastgcError
from fastgc.experiments import measures, pooled
from fastgc.experiments.pooled import LARGEST, Bins, Cells
from fastgc_kernels.tally import sums as kernel


@dataclass(frozen=True)
class Setting:
    """What the measures need to know of an experiment; no error exceeds ``most``."""

    code: Code | CodeOfTrials
    iterations: int
    quantiles: tuple[float, ...]
    thresholds: tuple[float, ...]
    exact_threshold: float
    most: float = math.inf

    @property
    def margin(self) -> float:
        """What is added to thresholds, so that rounding does not decide at an attained value."""
        return threshold_margin(self.code, self.exact_threshold)


def threshold_margin(code: Code | CodeOfTrials, exact_threshold: float) -> float:
    """Margin of P(error > t): that within which errors count as 0, and at least 1e-9·k."""
    return max(exact_threshold, 1e-9 * code.k)


def in_range(errors: NDArray[np.float64], experiment: str) -> NDArray[np.float64]:
    """Errors, if all are finite and small enough to be averaged.

    Raises
    ------
    FastgcError
        If some are not, as those of huge entries with a decoder that does not adapt to them.
    """
    worst = errors.max(initial=0.0)
    if not worst < LARGEST:
        raise FastgcError(
            f"experiment.{experiment}.code: its decoding error reaches {worst:g}, too large to "
            f"average (the most is {LARGEST:g}); scale the matrix to smaller entries"
        )
    return errors


class Scale:
    """The few values that an error can take, with what every block needs of them.

    Blocks are so short that work in Python once a block is what limits threads.
    """

    def __init__(self, values: NDArray[np.float64]) -> None:
        self.values = values
        self.powers = [(values**degree).tolist() for degree in range(1, 5)]
        self.bins = (values.view(np.uint64) >> np.uint64(45)).astype(np.int64)


class Levels:
    """Errors of a block of one-iteration trials on a scale: how often each value came."""

    def __init__(self, scale: Scale, counts: NDArray[np.int64]) -> None:
        self._scale = scale
        self.counts = counts
        self._list = counts.tolist()

    def powers(self, degree: int) -> list[float]:
        """Sums of the first powers over trials, correctly rounded."""
        powers = self._scale.powers[:degree]
        return [math.fsum(map(operator.mul, self._list, values)) for values in powers]

    def above(self, threshold: float) -> int:
        """Trials whose error exceeds a threshold."""
        return int(self.counts[self._scale.values > threshold].sum())

    def histogram(self, bins: Bins, extremes: NDArray[np.float64]) -> None:
        """Add to histogram bins, and widen the extremes."""
        np.add.at(bins, self._scale.bins, self.counts)
        seen = [value for value, n in zip(self._scale.powers[0], self._list, strict=True) if n]
        extremes[0] = min(extremes[0], *seen)
        extremes[1] = max(extremes[1], *seen)


@dataclass
class Block:
    """The trials of one block, from ``first`` on: patterns on B's columns, and errors.

    ``errors`` is (L, T), or ``levels`` where only the counts of the error's values are known.
    """

    first: int
    trials: int
    patterns: Patterns
    decoder: Any
    errors: NDArray[np.float64] | None = None
    levels: Levels | None = None

    @cached_property
    def averages(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Each trial's mean error and mean squared error, (T,)."""
        assert self.errors is not None
        first, second = np.empty(self.trials), np.empty(self.trials)
        kernel.averages(self.errors, first, second)
        return first, second

    @cached_property
    def survivors(self) -> NDArray[np.int64]:
        """Number of survivors, (L, T)."""
        batch = self.patterns.batch
        counts = self.patterns.survivors.reshape(batch.iterations, batch.trials)
        return np.ascontiguousarray(counts[:, : self.trials])

    @cached_property
    def packed(self) -> NDArray[np.uint64]:
        """The trials' patterns on B's columns, (L · T, words), iteration-major."""
        batch = self.patterns.batch
        packed = self.patterns.packed.reshape(batch.iterations, batch.trials, -1)
        own = packed[:, : self.trials]
        return np.ascontiguousarray(own.reshape(batch.iterations * self.trials, -1))

    @cached_property
    def vectors(self) -> NDArray[np.float64]:
        """Decoding vectors, (L · T, n): a weight a column, 0 for stragglers."""
        return np.asarray(self.decoder.vectors(self.packed))


class Measure(measures.Measure[Block], Protocol):
    """What every measure offers."""

    unit: ClassVar[str]  # of one value; "1" for pure numbers
    levels: bool  # whether counts of the error's values are enough


def add_above(
    block: Block, setting: Setting, values: NDArray[np.float64] | None, out: Cells
) -> None:
    """Fill two cells a threshold: fraction of iterations above it, and its square."""
    if values is not None:
        pooled.add_above(values, setting, out)
        return
    assert block.levels is not None
    for place, threshold in enumerate(setting.thresholds):
        out[2 * place : 2 * place + 2] = block.levels.above(threshold + setting.margin)
