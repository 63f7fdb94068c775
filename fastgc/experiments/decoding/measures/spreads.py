"""Measures of a distribution: of the error of an iteration or a trial, and what is made of them."""

import math
from abc import ABC
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from fastgc.arrays import Values
from fastgc.codes.code import Code
from fastgc.experiments import measures
from fastgc.experiments.accumulators import (
    Distribution,
    EveryValue,
    Exceedances,
    Pooled,
    PowerSums,
    Row,
    Shift,
    typical,
)
from fastgc.experiments.decoding.conditioning import Conditioned
from fastgc.experiments.decoding.measures.base import (
    Block,
    LeftOut,
    Measure,
    Scope,
    Setting,
    Trial,
    all_patterns,
)
from fastgc.experiments.methods import distribution, known
from fastgc_kernels.decode.lost_partitions import lost_partitions

#: Passes through all patterns that take as long as their decoding vectors.
VECTORS = 50.0


class Spread(measures.Spread[Block], Measure, ABC):
    """Mean, variance and distribution of values, only sampled unless a subclass says more."""

    def __init__(
        self,
        setting: Setting,
        averages: PowerSums,
        margin: float | None = None,
        shift: Shift | None = None,
    ) -> None:
        self._margin = setting.margin if margin is None else margin
        self._thresholds = setting.thresholds
        above = Exceedances(setting.thresholds, self._margin)
        reduction = None
        if setting.by is not None and setting.pilot is not None:
            make = setting.pilot
            reduction = Conditioned(setting.by, lambda: (make(), self._values(make())))
        super().__init__(averages, setting.quantiles, above, reduction, shift)

    def _distribution(self, trial: Trial, values: Values) -> Iterator[Row]:
        asked = self._quantiles, self._thresholds, self._margin
        return distribution(values, trial.pooled, *asked)


class OfPattern(Spread, ABC):
    """A value of every iteration, pooled over them, that the iteration's pattern alone decides."""

    ONLY_SAMPLED: ClassVar[str | None] = None

    def exactly(self, trial: Trial) -> Iterator[Row]:
        values = self._by_pattern(trial)
        mean = trial.mean(values)
        yield "mean", None, known(mean)
        yield "variance", None, known(trial.mean((values - mean) ** 2))
        yield from self._distribution(trial, values)

    def _by_pattern(self, trial: Trial) -> Values:
        """The value of every pattern, (2ⁿ,)."""
        found = []
        for block in all_patterns(trial):
            values = self._values(block)
            assert isinstance(values, EveryValue)
            found.append(values.each[0])
        return np.concatenate(found)


class Error(OfPattern):
    """The decoding error of one iteration, pooled over iterations."""

    unit = "partitions"
    levels = True

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, Pooled(setting.most, setting.exact_threshold))

    def _values(self, block: Block) -> Distribution:
        return block.error


class MeanError(Spread):
    """A trial's error averaged over its iterations; its variance is what shuffling changes."""

    ONLY_SAMPLED: ClassVar[str | None] = None

    unit = "partitions"
    levels = True

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, PowerSums(setting.most, setting.exact_threshold))

        self._iterations = setting.iterations

    def _values(self, block: Block) -> Distribution:
        return block.mean_error

    @classmethod
    def passes(cls, scope: Scope) -> float:
        """One average over the iterations."""
        return 3.0 + scope.pairs

    def exactly(self, trial: Trial) -> Iterator[Row]:
        """The mean; the variance, where pairs of iterations are known; of one iteration all."""
        yield "mean", None, known(trial.mean(trial.errors))
        if trial.has_pairs:
            yield "variance", None, known(trial.variance_of_average(trial.errors))
        if self._iterations == 1:
            yield from self._distribution(trial, trial.errors)

    @classmethod
    def left_out(cls, scope: Scope) -> LeftOut:
        """The variance, where pairs of iterations are not known, and the distribution."""
        if scope.unpaired is not None:
            yield "variance", None, scope.unpaired
        if scope.iterations > 1:
            asked = [f"quantile({level!r})" for level in scope.quantiles]
            asked += [f"P(>{threshold!r})" for threshold in scope.thresholds]
            for statistic in asked:
                yield statistic, None, "that of an average over several iterations is only sampled"


class Norm(OfPattern):
    """Square root of the error: the distance that some papers report unsquared."""

    def __init__(self, setting: Setting) -> None:
        noise = math.sqrt(setting.exact_threshold)
        some = setting.some
        self._own = Shift(lambda: 0.0 if some is None else typical(np.sqrt(some().errors)))
        most = math.sqrt(setting.most)
        super().__init__(setting, Pooled(most, noise), shift=self._own)

    def _values(self, block: Block) -> Distribution:
        return EveryValue(np.sqrt(block.errors), self._own.value)


class ErrorPerPartition(OfPattern):
    """The decoding error divided by the partitions: comparable where codes have not as many."""

    def __init__(self, setting: Setting) -> None:
        self._k = k = float(setting.code.k)
        averages = Pooled(setting.most / k, setting.exact_threshold / k)
        super().__init__(setting, averages, margin=setting.margin / k)

    def _values(self, block: Block) -> Distribution:
        return EveryValue(block.errors / self._k)


class Amplification(OfPattern):
    """‖x‖² of the decoding vector: how much independent noise in the answers grows."""

    MORE_PASSES = VECTORS

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting, Pooled())
        assert isinstance(setting.code, Code)
        self._pieces = setting.code.pieces

    def _values(self, block: Block) -> Distribution:
        vectors = block.vectors
        total = np.zeros(len(vectors))
        for worker in range(vectors.shape[1]):  # in one order, so with the same bits everywhere
            total += np.abs(vectors[:, worker]) ** 2
        total /= self._pieces
        return EveryValue(total.reshape(-1, block.trials))


class Lost(OfPattern):
    """Share of the partitions, between 0 and 1, that no survivor holds and no decoder makes up for.

    It is no more than counted; with its law as a control of itself nothing would be sampled.
    """

    def __init__(self, setting: Setting) -> None:
        super().__init__(replace(setting, by=None), Pooled(1.0), margin=1e-9)
        assert isinstance(setting.code, Code)
        self._k = setting.code.k
        offsets, holders = setting.code.holders
        held = np.diff(offsets) > 0  # the rest is always lost
        self._offsets = np.append(offsets[:-1][held], offsets[-1])
        self._holders, self._never = holders.astype(np.int64), self._k - int(held.sum())

    def _values(self, block: Block) -> Distribution:
        batch = block.patterns.batch
        lost = np.zeros(batch.iterations * batch.trials, np.min_scalar_type(self._k))
        if self._offsets.size > 1:
            lost_partitions(block.patterns.planes, self._holders, self._offsets, lost)
        share = (lost.astype(float) + self._never) / self._k
        each = share.reshape(batch.iterations, batch.trials)
        return EveryValue(np.ascontiguousarray(each[:, : block.trials]))
