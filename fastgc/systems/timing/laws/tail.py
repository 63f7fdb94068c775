"""The tail of a completion time, P(C > t): exact, or by union sampling (Karp, Luby 1983).

Union sampling: completion is late where one of several requirements fails. The probability of each
failure alone is known exactly, so one is chosen in proportion to it, made to happen, and the rest
drawn; where V requirements fail, the mean of 1/V is the probability that any does, as a share of
the sum of all. It lies between 1 over the number of requirements and 1, however rare failures are.
"""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.time import Time
from fastgc.registry.cached import cached_property
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate, normal_quantile
from fastgc.statistics.tallies import dot
from fastgc.systems.timing.laws.completion_law import CompletionLaw
from fastgc.systems.timing.laws.evaluation import Arrivals, GateEvaluation, completing
from fastgc.systems.timing.laws.part_laws import ChunksEvaluation, LayersEvaluation
from fastgc.systems.timing.laws.structure_law import LawRequest, distribution, evaluation_of
from fastgc_kernels.complete import unions

if TYPE_CHECKING:
    from fastgc.systems.timing.timed_structure import Structure

#: Samples in an island, islands that show how many are needed, and samples that are drawn at most.
ISLAND, _PILOT = 1 << 10, 2
MOST = 1 << 18
#: Half-width of a 95 % interval that is aimed at, as a share of the probability.
RELATIVE = 0.005
#: Numbers in a table of probabilities, at most: 160 MB.
_MOST_NUMBERS = 2e7
#: Bounds closer than this factor are one number but for rounding.
_CLOSE = 1.0 + 1e-13
#: What is added at either end of the range of 1/V, so that samples that are all alike do not look
#: certain: as many as Agresti and Coull (1998) add to outcomes.
_ADDED = 4.0
_NORMAL, _ONE_SIDED = normal_quantile(0.95), normal_quantile(0.9)
#: Standard errors from a bound at which the first samples, which do not count, see no gap: more
#: would let the ends miss on either side where they are wrong.
_BESIDE = 0.5

#: What counts equal arrivals at the master.
Counts = GateEvaluation | LayersEvaluation

#: Gives how many samples of islands ``first`` … ``first + count − 1`` have so many failing
#: requirements, an island a row.
Sampling = Callable[[int, int], NDArray[np.float64]]


class Union:
    """The failures of several requirements at one t: so many arrivals by each rising threshold."""

    def __init__(self, arrivals: Sequence[Arrivals], required: Sequence[int]) -> None:
        sizes = [a.size for a in arrivals]
        self._cdf = np.repeat(np.stack([a.cdf[:, 0] for a in arrivals]), sizes, axis=0)
        self._late = np.repeat(np.stack([a.late[:, 0] for a in arrivals]), sizes, axis=0)
        self._never = np.repeat([1.0 - a.total for a in arrivals], sizes)
        self._required = np.asarray(required, np.int64)
        self._need = max(required)
        self._absent = len(self._never) - self._need if self._never.any() else 0

    @classmethod
    def late(cls, evaluation: Counts, t: float) -> "Union":
        """Return the requirements of which some fail where C > t, by more than rounding."""
        return cls(*evaluation.arrivals(np.array([t * _ROUNDED])))

    @cached_property
    def complete(self) -> float:
        """Probability that enough arrive in the end."""
        return completing([(1, 1.0 - never) for never in self._never.tolist()], self._need)

    @cached_property
    def failures(self) -> Values:
        """P(requirement i fails, though enough arrive in the end), exactly."""
        return np.array([self._table(i)[1][-1] for i in range(self._required.size)])

    @property
    def least(self) -> float:
        """Least probability that any requirement fails, given that enough arrive in the end."""
        return float(self.failures.max()) / self.complete

    def _table(self, i: int) -> tuple[Values, Values]:
        """Return the table of `unions.fill`, and running sums over what lets requirement i fail."""
        n = len(self._never)
        table = np.empty((n + 1, n + 1, self._absent + 1))
        at, beyond = np.ascontiguousarray(self._cdf[:, i]), np.ascontiguousarray(self._late[:, i])
        unions.fill(at, beyond, self._never, table)
        missing = np.add.outer(np.arange(n + 1), np.arange(self._absent + 1))
        fails = np.where(missing > n - self._required[i], table[0], 0.0)
        return table, np.cumsum(fails.ravel())

    def probability(
        self, sampling: Sampling, relative: float = RELATIVE, most: int = MOST
    ) -> Estimate:
        """Return the probability that any requirement fails, given that enough arrive."""
        total, whole = float(self.failures.sum()), self.complete
        floor, ceiling = float(self.failures.max()), min(whole, total)
        if ceiling <= floor * _CLOSE:
            return Estimate(min(1.0, floor / whole), 0.0)
        share, spread = _moments(sampling(0, _PILOT).sum(axis=0))
        wanted = spread * (_NORMAL / (share * relative)) ** 2
        islands = max(_PILOT, math.ceil(min(wanted, most) / ISLAND))
        samples, first = islands * ISLAND, total * share
        share, spread = _moments(sampling(_PILOT, islands).sum(axis=0))
        error = total * math.sqrt(spread / samples)
        mean = total * share
        value = min(max(mean, floor), ceiling)
        # next to a bound only the other end can miss: all 5 % are its own
        beside = (first - floor < _BESIDE * error) != (ceiling - first < _BESIDE * error)
        half = error * (_ONE_SIDED if beside else _NORMAL)
        low, high = max(floor, value - half), min(ceiling, value + half)
        ends = low / whole, high / whole
        return estimates.between(Estimate(mean / whole, error / whole, samples, ends=ends))

    def islands(self, key: np.uint64, first: int, count: int) -> NDArray[np.float64]:
        """Return how many samples of each island have so many failing requirements."""
        n, steps = self._cdf.shape
        chosen = np.empty(count * ISLAND, np.int64)
        unions.choose(key, first * ISLAND, n, np.cumsum(self.failures), chosen)
        order = np.argsort(chosen, kind="stable")
        ends = np.searchsorted(chosen[order], np.arange(steps + 1))
        failing = np.zeros((count, steps + 1), np.int64)
        for i in np.unique(chosen).tolist():
            mine = order[ends[i] : ends[i + 1]]
            given = *self._table(i), self._cdf, self._late, self._never, self._required
            unions.sample(key, mine, first * ISLAND, ISLAND, i, *given, failing)
        return failing.astype(np.float64)


def _moments(failing: Values) -> tuple[float, float]:
    """Return the mean and the variance of 1/V, of which there are ``failing[V]`` samples."""
    shares = 1.0 / np.arange(1, failing.size)
    times = failing[1:]
    mean = float(dot(times, shares) / times.sum())
    added = (1.0 - mean) ** 2 + (mean - float(shares[-1])) ** 2
    spread = float(dot(times, (shares - mean) ** 2)) + _ADDED * added
    return mean, spread / (float(times.sum()) - 1.0)


#: Additions that what arrives at the master may take at one t, at most: about a second.
_MOST_WORK = 1e9
#: A time that is t but for rounding is not above it.
_ROUNDED = 1.0 + 2e-15


def tail(
    structure: "Structure",
    times: Sequence[Time],
    receive: float = 0.0,
    opens: str = "start",
    answers: Sequence[float] | float = 1.0,
) -> CompletionLaw | Counts:
    """Return what knows P(C > t): a law where one t is quick, else what `Union.late` samples."""
    try:
        return distribution(structure, times, receive, opens, answers, moments=False)
    except FastgcError as problem:
        asked = LawRequest(structure.workers, times, receive, opens, answers)
        try:
            evaluation = evaluation_of(structure, asked)
        except FastgcError:
            raise problem from None
        if isinstance(evaluation, ChunksEvaluation):  # no count of equal arrivals
            raise
        sizes, totals, need = evaluation.master
        absent = sum(sizes) - need if any(total < 1.0 for total in totals) else 0
        numbers = (sum(sizes) + 1.0) ** 2 * (absent + 1.0)  # of the tables of arrivals
        is_large = evaluation.work(master=False) > _MOST_WORK or numbers > _MOST_NUMBERS
        if need == 0 or is_large:
            raise
        return evaluation
