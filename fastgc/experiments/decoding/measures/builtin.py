"""The measures that fastgc has: of a distribution of values, and of sums at every index."""

import math
from abc import ABC
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.all_patterns import subset_sizes
from fastgc.experiments import measures
from fastgc.experiments.accumulators import (
    Cells,
    Distribution,
    EveryValue,
    Exceedances,
    Lag,
    PartMean,
    Pooled,
    Portion,
    PowerSums,
    Ratio,
    Row,
    Shift,
    typical,
)
from fastgc.experiments.decoding.conditioning import StratumSums
from fastgc.experiments.decoding.measures import base
from fastgc.experiments.measures import IndexedMeasure
from fastgc.experiments.methods import distribution, known, probability
from fastgc.statistics.estimates import Estimate
from fastgc_kernels.decode import stability
from fastgc_kernels.decode.groups import lost_partitions
from fastgc_kernels.tally import sums as kernel

#: Passes through all patterns that take as long as their decoding vectors.
VECTORS = 50.0
#: So many patterns are looked at together where all are.
_CHUNK = 1 << 16


class ErrorDistribution(measures.DistributionMeasure[base.ErrorBlock], base.ErrorMeasure, ABC):
    """Mean, variance and distribution of values, only sampled unless a subclass says more.

    Like every measure it is made of its experiment's ``table``, ``code`` and ``decoder``.
    """

    def __init__(
        self,
        experiment: Any,
        averages: PowerSums,
        margin: float | None = None,
        shift: Shift | None = None,
        is_conditioned: bool = True,
    ) -> None:
        code, threshold = experiment.code, experiment.decoder.exact_threshold
        self._margin = base.threshold_margin(code, threshold) if margin is None else margin
        self._thresholds = experiment.table.thresholds
        above = Exceedances(experiment.table.thresholds, self._margin)
        reduction = None
        if is_conditioned and experiment.conditioning is not None:

            def pilot() -> tuple[base.ErrorBlock, Distribution]:
                return experiment.pilot, self._values(experiment.pilot)

            reduction = StratumSums(experiment.conditioning, pilot)
        super().__init__(averages, experiment.table.quantiles, above, reduction, shift)

    def _distribution(self, trial: base.TrialLaw, values: Values) -> Iterator[Row]:
        asked = self._quantiles, self._thresholds, self._margin
        return distribution(values, trial.pooled, *asked)


class PatternMeasure(ErrorDistribution, ABC):
    """A value of every iteration, pooled over them, that the iteration's pattern alone decides."""

    ONLY_SAMPLED: ClassVar[str | None] = None
    OF_ALL: ClassVar[bool] = True  #: Whether it has a value for what never happens, too.

    def exactly(self, trial: base.TrialLaw) -> Iterator[Row]:
        values = self._by_pattern(trial)
        mean = trial.mean(values)
        yield "mean", None, known(mean)
        yield "variance", None, known(trial.mean((values - mean) ** 2))
        yield from self._distribution(trial, values)

    def each(self, block: base.ErrorBlock) -> Values | None:
        values = self._values(block)
        return values.each.mean(axis=0) if isinstance(values, EveryValue) else None

    def _by_pattern(self, trial: base.TrialLaw) -> Values:
        """The value of every pattern, (2ⁿ,); 0 of those that are not asked."""
        found = np.zeros(trial.errors.size)
        for first in range(0, found.size, _CHUNK):
            numbers = np.arange(first, min(first + _CHUNK, found.size))
            if not self.OF_ALL:
                numbers = numbers[trial.pooled[numbers] > 0]
            if numbers.size:
                packed = numbers.astype(np.uint64)[:, np.newaxis]
                block = base.some_patterns(trial.code.n, packed, trial.decoder, trial.errors)
                values = self._values(block)
                assert isinstance(values, EveryValue)
                found[numbers] = values.each[0]
        return found


class Error(PatternMeasure):
    """The decoding error of one iteration, pooled over iterations."""

    unit = "partitions"
    levels = True

    def __init__(self, experiment: Any) -> None:
        super().__init__(
            experiment, Pooled(experiment.decoder.most, experiment.decoder.exact_threshold)
        )

    def _values(self, block: base.ErrorBlock) -> Distribution:
        return block.error


class MeanError(ErrorDistribution):
    """A trial's error averaged over its iterations; its variance is what shuffling changes."""

    ONLY_SAMPLED: ClassVar[str | None] = None

    unit = "partitions"
    levels = True

    def __init__(self, experiment: Any) -> None:
        super().__init__(
            experiment, PowerSums(experiment.decoder.most, experiment.decoder.exact_threshold)
        )
        self._iterations = experiment.table.iterations

    def _values(self, block: base.ErrorBlock) -> Distribution:
        return block.mean_error

    @classmethod
    def passes(cls, trial: base.TrialLaw) -> float:
        return 3.0 + trial.pairs

    def exactly(self, trial: base.TrialLaw) -> Iterator[Row]:
        yield "mean", None, known(trial.mean(trial.errors))
        if trial.unpaired is None:
            yield "variance", None, known(trial.variance_of_average(trial.errors))
        if self._iterations == 1:
            yield from self._distribution(trial, trial.errors)

    @classmethod
    def left_out(cls, trial: base.TrialLaw) -> base.LeftOut:
        if trial.unpaired is not None:
            yield "variance", None, trial.unpaired
        if trial.iterations > 1:
            asked = [f"quantile({level!r})" for level in trial.table.quantiles]
            asked += [f"P(>{threshold!r})" for threshold in trial.table.thresholds]
            for statistic in asked:
                yield statistic, None, "that of an average over several iterations is only sampled"


class Norm(PatternMeasure):
    """Square root of the error: the distance that some papers report unsquared."""

    def __init__(self, experiment: Any) -> None:
        noise = math.sqrt(experiment.decoder.exact_threshold)
        self._own = Shift(lambda: typical(np.sqrt(experiment.reference.errors)))
        most = math.sqrt(experiment.decoder.most)
        super().__init__(experiment, Pooled(most, noise), shift=self._own)

    def _values(self, block: base.ErrorBlock) -> Distribution:
        return EveryValue(np.sqrt(block.errors), self._own.value)


class ErrorPerPartition(PatternMeasure):
    """The decoding error divided by the partitions: comparable where codes have not as many."""

    def __init__(self, experiment: Any) -> None:
        self._k = k = float(experiment.code.k)
        averages = Pooled(experiment.decoder.most / k, experiment.decoder.exact_threshold / k)
        margin = base.threshold_margin(experiment.code, experiment.decoder.exact_threshold)
        super().__init__(experiment, averages, margin=margin / k)

    def _values(self, block: base.ErrorBlock) -> Distribution:
        return EveryValue(block.errors / self._k)


class Amplification(PatternMeasure):
    """‖x‖² of the decoding vector: how much independent noise in the answers grows."""

    needs_fixed_matrix = True
    MORE_PASSES = VECTORS

    def __init__(self, experiment: Any) -> None:
        super().__init__(experiment, Pooled())

    def _values(self, block: base.ErrorBlock) -> Distribution:
        vectors = block.vectors
        total = np.zeros(len(vectors))
        for worker in range(vectors.shape[1]):  # in one order, so with the same bits everywhere
            total += np.abs(vectors[:, worker]) ** 2
        return EveryValue(total.reshape(-1, block.trials))


class LostPartitions(PatternMeasure):
    """Share of the partitions, between 0 and 1, that no survivor holds and no decoder makes up for.

    It is no more than counted; with its law as a control of itself nothing would be sampled.
    """

    needs_fixed_matrix = True

    def __init__(self, experiment: Any) -> None:
        super().__init__(experiment, Pooled(1.0), margin=1e-9, is_conditioned=False)
        self._k = experiment.code.k
        offsets, holders = experiment.code.holders
        held = np.diff(offsets) > 0  # the rest is always lost
        self._offsets = np.append(offsets[:-1][held], offsets[-1])
        self._holders, self._never = holders.astype(np.int64), self._k - int(held.sum())

    def _values(self, block: base.ErrorBlock) -> Distribution:
        batch = block.patterns.batch
        lost = np.zeros(batch.iterations * batch.trials, np.min_scalar_type(self._k))
        if self._offsets.size > 1:
            lost_partitions(block.patterns.planes, self._holders, self._offsets, lost)
        share = (lost.astype(float) + self._never) / self._k
        each = share.reshape(batch.iterations, batch.trials)
        return EveryValue(np.ascontiguousarray(each[:, : block.trials]))


# ---- Sums at every index


class Survivors(IndexedMeasure[base.ErrorBlock], base.ErrorMeasure):
    """Probability of r survivors, at each index r from 0 to n."""

    ONLY_SAMPLED = None

    def __init__(self, experiment: Any) -> None:
        super().__init__(Portion(experiment.table.iterations), range(experiment.code.n + 1))

    def _fill(self, block: base.ErrorBlock, each: Cells, shared: Cells) -> None:
        kernel.survivor_counts(block.survivors, each)

    def exactly(self, trial: base.TrialLaw) -> Iterator[Row]:
        n = trial.code.n
        for r, share in enumerate(np.bincount(subset_sizes(n), trial.pooled, n + 1)):
            yield "mean", r, known(share)


class ErrorBySurvivors(IndexedMeasure[base.ErrorBlock], base.ErrorMeasure):
    """Mean error given r survivors, at each index r that can be."""

    unit = "partitions"
    ONLY_SAMPLED = None

    def __init__(self, experiment: Any) -> None:
        super().__init__(PartMean(experiment.decoder.most), range(experiment.code.n + 1))
        self._workers = experiment.code.n

    def _fill(self, block: base.ErrorBlock, each: Cells, shared: Cells) -> None:
        kernel.by_survivors(block.errors, block.survivors, self._workers, each)

    def exactly(self, trial: base.TrialLaw) -> Iterator[Row]:
        sizes = subset_sizes(self._workers)
        probabilities = np.bincount(sizes, trial.pooled, self._workers + 1)
        sums = np.bincount(sizes, trial.pooled * trial.errors, self._workers + 1)
        for r, (share, total) in enumerate(zip(probabilities, sums, strict=True)):
            if share > 0:
                yield "mean", r, known(total / share)
            else:
                yield "mean", r, Estimate(None, None, note="never happens")


class NotAccessed(IndexedMeasure[base.ErrorBlock], base.ErrorMeasure):
    """Iterations in which no survivor holds partition i: mean and variance of their number."""

    needs_fixed_matrix = True
    unit = "iterations"
    ONLY_SAMPLED = None

    def __init__(self, experiment: Any) -> None:
        super().__init__(PowerSums(experiment.table.iterations), range(experiment.code.k))
        self._iterations = experiment.table.iterations
        self._offsets, holders = experiment.code.holders
        self._holders = holders.astype(np.int64)

    def _fill(self, block: base.ErrorBlock, each: Cells, shared: Cells) -> None:
        planes = block.patterns.planes
        kernel.not_accessed(
            planes, self._holders, self._offsets, self._iterations, block.trials, each
        )

    @classmethod
    def passes(cls, trial: base.TrialLaw) -> float:
        return 3.0 + trial.code.k * trial.pairs

    def exactly(self, trial: base.TrialLaw) -> Iterator[Row]:
        patterns = np.arange(trial.errors.size)
        length = self._iterations
        for i, holders in enumerate(np.split(self._holders, self._offsets[1:-1])):
            mask = sum(1 << int(j) for j in holders)
            lost = ((patterns & mask) == 0).astype(float)
            yield "mean", i, known(length * trial.mean(lost))
            if trial.unpaired is None:
                yield "variance", i, known(length**2 * trial.variance_of_average(lost))

    @classmethod
    def left_out(cls, trial: base.TrialLaw) -> base.LeftOut:
        if trial.unpaired is not None:
            for i in range(trial.code.k):
                yield "variance", i, trial.unpaired


class Exact(IndexedMeasure[base.ErrorBlock], base.ErrorMeasure):
    """Whether the gradient is recovered exactly; P(error > 0) is the probability that it is not."""

    levels = True
    ONLY_SAMPLED = None

    def __init__(self, experiment: Any) -> None:
        super().__init__(Portion(otherwise=True))
        self._threshold = experiment.decoder.exact_threshold

    def _fill(self, block: base.ErrorBlock, each: Cells, shared: Cells) -> None:
        block.error.above(self._threshold, each[0])

    def exactly(self, trial: base.TrialLaw) -> Iterator[Row]:
        inexact = (trial.errors > self._threshold).astype(float)
        yield "mean", None, probability(trial.mean(1.0 - inexact), trial.mean(inexact))


class ErrorLag(IndexedMeasure[base.ErrorBlock], base.ErrorMeasure):
    """Autocovariance of the error, h iterations apart; at lag 0 the variance."""

    unit = "partitions^2"
    ONLY_SAMPLED = None

    def __init__(self, experiment: Any) -> None:
        self._lag = Lag(experiment.decoder.most)
        super().__init__(self._lag, range(experiment.table.iterations), Lag.shared)

    def _fill(self, block: base.ErrorBlock, each: Cells, shared: Cells) -> None:
        kernel.powers(block.averages, shared)
        products = np.empty(block.trials)
        for lag, own in enumerate(each):
            kernel.lag_products(block.errors, lag, products)
            self._lag.add(products, block.averages, own)

    @classmethod
    def passes(cls, trial: base.TrialLaw) -> float:
        return 3.0 + trial.turns * trial.iterations

    def exactly(self, trial: base.TrialLaw) -> Iterator[Row]:
        mean = trial.mean(trial.errors)
        for lag in range(trial.iterations if trial.unpaired is None else 1):
            yield "mean", lag, known(trial.product(trial.errors, lag) - mean**2)

    @classmethod
    def left_out(cls, trial: base.TrialLaw) -> base.LeftOut:
        if trial.unpaired is not None:
            for lag in range(1, trial.iterations):
                yield "mean", lag, trial.unpaired


NOISE = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
INDEX = ("float32", *(f"{level:g}" for level in NOISE))


class Stability(IndexedMeasure[base.ErrorBlock], base.ErrorMeasure):
    """Relative error ‖Σ x_j m_j − g‖/‖g‖ of the decoded sum where decoding is exact.

    Partial gradients are standard normal vectors of 16 numbers. At "float32" answers and decoding
    are rounded to single precision; at a noise level each number of an answer is multiplied by
    1 + level · standard normal.
    """

    needs_fixed_matrix = True

    def __init__(self, experiment: Any) -> None:
        self._experiment = experiment
        self._ratio = Ratio()
        super().__init__(self._ratio, INDEX, Ratio.shared)

    def _fill(self, block: base.ErrorBlock, each: Cells, shared: Cells) -> None:
        iterations = self._experiment.table.iterations
        exact = block.errors.reshape(-1) <= self._experiment.decoder.exact_threshold
        exact &= block.vectors.any(axis=1)
        found = np.zeros((len(exact), len(INDEX)))
        batch = block.patterns.batch
        stability.relative_errors(
            block.vectors,
            exact,
            np.ascontiguousarray(self._experiment.code.B.T),
            np.array(NOISE),
            np.uint64(block.first),
            block.trials,
            batch.key("data"),
            batch.key("noise"),
            found,
        )
        counts = exact.reshape(iterations, -1).sum(axis=0).astype(float)
        kernel.powers(counts, shared)
        for own, errors in zip(each, found.T, strict=True):
            total = np.zeros(block.trials)
            for row in errors.reshape(iterations, -1):
                total += row
            self._ratio.add(total, counts, own)
