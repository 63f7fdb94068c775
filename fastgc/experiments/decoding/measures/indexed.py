"""Measures of sums at every index: counts, errors beside each other, what rounding does to sums."""

from collections.abc import Iterator

import numpy as np

from fastgc.codes.code import Code
from fastgc.draws.all_patterns import subset_sizes
from fastgc.experiments.accumulators import Cells, Lag, MeanOfSome, PowerSums, Ratio, Row, Share
from fastgc.experiments.decoding.measures.base import Block, LeftOut, Measure, Scope, Setting, Trial
from fastgc.experiments.measures import Indexed
from fastgc.experiments.methods import known, probability
from fastgc.statistics.estimates import Estimate
from fastgc_kernels.decode import stability
from fastgc_kernels.tally import sums as kernel


class Survivors(Indexed[Block], Measure):
    """Probability of r survivors, at each index r from 0 to n."""

    ONLY_SAMPLED = None

    def __init__(self, setting: Setting) -> None:
        super().__init__(Share(setting.iterations), range(setting.code.n + 1))

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        kernel.survivor_counts(block.survivors, each)

    def exactly(self, trial: Trial) -> Iterator[Row]:
        n = trial.code.n
        for r, share in enumerate(np.bincount(subset_sizes(n), trial.pooled, n + 1)):
            yield "mean", r, known(share)


class ErrorBySurvivors(Indexed[Block], Measure):
    """Mean error given r survivors, at each index r that can be."""

    unit = "partitions"
    ONLY_SAMPLED = None

    def __init__(self, setting: Setting) -> None:
        super().__init__(MeanOfSome(setting.most), range(setting.code.n + 1))
        self._workers = setting.code.n

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        kernel.by_survivors(block.errors, block.survivors, self._workers, each)

    def exactly(self, trial: Trial) -> Iterator[Row]:
        """The mean at every number that can be."""
        sizes = subset_sizes(self._workers)
        probabilities = np.bincount(sizes, trial.pooled, self._workers + 1)
        sums = np.bincount(sizes, trial.pooled * trial.errors, self._workers + 1)
        for r, (share, total) in enumerate(zip(probabilities, sums, strict=True)):
            if share > 0:
                yield "mean", r, known(total / share)
            else:
                yield "mean", r, Estimate(None, None, note="never happens")


class NotAccessed(Indexed[Block], Measure):
    """Iterations in which no survivor holds partition i: mean and variance of their number."""

    unit = "iterations"
    ONLY_SAMPLED = None

    def __init__(self, setting: Setting) -> None:
        super().__init__(PowerSums(setting.iterations), range(setting.code.k))
        self._iterations = setting.iterations
        assert isinstance(setting.code, Code)
        self._offsets, holders = setting.code.holders
        self._holders = holders.astype(np.int64)

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        planes = block.patterns.planes
        kernel.not_accessed(
            planes, self._holders, self._offsets, self._iterations, block.trials, each
        )

    @classmethod
    def passes(cls, scope: Scope) -> float:
        """An average over the iterations for each partition."""
        return 3.0 + scope.k * scope.pairs

    def exactly(self, trial: Trial) -> Iterator[Row]:
        """Mean and, where pairs of iterations are known, variance."""
        patterns = np.arange(trial.errors.size)
        length = self._iterations
        for i, holders in enumerate(np.split(self._holders, self._offsets[1:-1])):
            mask = sum(1 << int(j) for j in holders)
            lost = ((patterns & mask) == 0).astype(float)
            yield "mean", i, known(length * trial.mean(lost))
            if trial.has_pairs:
                yield "variance", i, known(length**2 * trial.variance_of_average(lost))

    @classmethod
    def left_out(cls, scope: Scope) -> LeftOut:
        """The variance, where pairs of iterations are not known."""
        if scope.unpaired is not None:
            for i in range(scope.k):
                yield "variance", i, scope.unpaired


class Exact(Indexed[Block], Measure):
    """Whether the gradient is recovered exactly; inexact iterations are counted."""

    levels = True
    ONLY_SAMPLED = None

    def __init__(self, setting: Setting) -> None:
        super().__init__(Share(otherwise=True))
        self._threshold = setting.exact_threshold

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        block.error.above(self._threshold, each[0])

    def exactly(self, trial: Trial) -> Iterator[Row]:
        inexact = (trial.errors > self._threshold).astype(float)
        yield "mean", None, probability(trial.mean(1.0 - inexact), trial.mean(inexact))


class ErrorLag(Indexed[Block], Measure):
    """Autocovariance of the error, h iterations apart; at lag 0 the variance."""

    unit = "partitions^2"
    ONLY_SAMPLED = None

    def __init__(self, setting: Setting) -> None:
        self._lag = Lag(setting.most)
        super().__init__(self._lag, range(setting.iterations), Lag.shared)

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        """Beside a trial's mean error, its average of e_l e_(l+h) over l."""
        kernel.powers(block.averages, shared)
        products = np.empty(block.trials)
        for lag, own in enumerate(each):
            kernel.lag_products(block.errors, lag, products)
            self._lag.add(products, block.averages, own)

    @classmethod
    def passes(cls, scope: Scope) -> float:
        """The pairs of iterations at every distance."""
        return 3.0 + scope.turns * scope.iterations

    def exactly(self, trial: Trial) -> Iterator[Row]:
        """At lag 0; at others where pairs of iterations are known."""
        mean = trial.mean(trial.errors)
        for lag in range(trial.iterations if trial.has_pairs else 1):
            yield "mean", lag, known(trial.product(trial.errors, lag) - mean**2)

    @classmethod
    def left_out(cls, scope: Scope) -> LeftOut:
        """Every lag but 0, where pairs of iterations are not known."""
        if scope.unpaired is not None:
            for lag in range(1, scope.iterations):
                yield "mean", lag, scope.unpaired


NOISE = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
INDEX = ("float32", *(f"{level:g}" for level in NOISE))


class Stability(Indexed[Block], Measure):
    """Relative error ‖Σ x_j m_j − g‖/‖g‖ of the decoded sum where decoding is exact.

    Partial gradients are standard normal vectors of 16 numbers. At "float32" answers and decoding
    are rounded to single precision; at a noise level each number of an answer is multiplied by
    1 + level · standard normal.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._ratio = Ratio()
        super().__init__(self._ratio, INDEX, Ratio.shared)

    def _fill(self, block: Block, each: Cells, shared: Cells) -> None:
        """At each index the errors of a trial's exact iterations, beside how many there are."""
        iterations = self._setting.iterations
        exact = block.errors.reshape(-1) <= self._setting.exact_threshold
        exact &= block.vectors.any(axis=1)
        found = np.zeros((len(exact), len(INDEX)))
        batch = block.patterns.batch
        stability.relative_errors(
            block.vectors,
            exact,
            np.ascontiguousarray(self._setting.code.B.T),
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
