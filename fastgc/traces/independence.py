"""What fits take for granted, and what of it a recording contradicts.

Statistics of straggling keep their p-values where the other statements fail: workers are compared
after shuffling each one's runs, which keeps its memory, and iterations after shuffling whole rows,
which keeps what workers do together.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.draws.streams import uniforms
from fastgc.latency.source import Source
from fastgc.results.verdicts import rejected
from fastgc.traces import dependence
from fastgc.traces.dependence import ask, two_sided

ALPHA = 0.01  # probability that any sort of independence is said to fail that does not
PERMUTATIONS = 20_000
MATTERS = 0.1  # a correlation or a difference of rates
_BATCH = 1 << 21  # numbers drawn at a time


@dataclass(frozen=True)
class Independence:
    """One sort of independence, and what speaks against it.

    ``of``: of what, in words; ``value``: the correlation, or difference of rates, that is 0 where
    it holds; ``fails``: with Holm's rule over all sorts.
    """

    of: str
    value: float | None
    p_value: float
    fails: bool
    remark: str


def independence_of(
    source: Source, straggled: Mask, seed: int, interrupted: Callable[[], str | None]
) -> tuple[Independence, ...]:
    """Test what laws and models take for granted; ``straggled`` is bool (rounds, n).

    ``seed`` is that of the shuffles; a text that ``interrupted`` returns stops the work.
    """
    names = source.trace.workers
    series = dependence.ranks(source.rows)
    over = dependence.memory(series, 1, seed, interrupted)
    found: list[tuple[str, float | None, float, str]] = []
    first = float(over.lags[0]) if len(over.lags) else None
    factor = math.sqrt((1 + first) / (1 - first)) if first and 0 < first < 1 else 1.0
    remark = "correlation of a worker's time with its next"
    if factor > 1.05:
        remark += f"; intervals of the latency laws would have to be {factor:.2g} × as wide"
    found.append(("times independent over rounds", first, over.p_value, remark))
    if source.trace.n > 1:
        between = dependence.pairs(series, seed, interrupted)
        remark = "mean correlation between workers"
        if between.strongest:
            i, j, value = between.strongest[0]
            remark += f"; strongest: {names[i]} and {names[j]}, {value:.2f}"
        found.append(("times independent between workers", between.mean, between.p_value, remark))
        found.append(("times alike for all workers", *_unlike(source.rows)))
    if straggled.any() and not straggled.all():
        recording = Straggling(straggled, names, seed, interrupted)
        for name, measure, fewest in (
            ("straggling independent over rounds", within_a_worker, 1),
            ("straggling independent between workers", across_workers, 2),
            ("straggling at two rates", two_classes, 3),
        ):
            measured = measure(recording) if source.trace.n >= fewest else None
            if measured is not None:
                found.append((name, *measured))
    fallen = rejected([p for _, _, p, _ in found], ALPHA)
    return tuple(
        Independence(name, value, p, fails, remark)
        for (name, value, p, remark), fails in zip(found, fallen, strict=True)
    )


def _unlike(rows: Values) -> tuple[float, float, str]:
    """Return which share of the variance of all times' ranks lies between workers, and its p-value.

    The test is Kruskal and Wallis's.
    """
    from scipy import special

    ranked = dependence.ranks(rows.reshape(-1, 1)).reshape(rows.shape)
    total = float(((ranked - ranked.mean()) ** 2).sum())
    between = len(rows) * float(((ranked.mean(axis=0) - ranked.mean()) ** 2).sum())
    share = between / total if total else 0.0
    p = float(special.chdtrc(rows.shape[1] - 1, (rows.size - 1) * share))
    return share, p, "share of the variance of the times' ranks that lies between workers"


#: A deviation that is 0 where a statement holds, the probability of one at least so large if it
#: does, and what else the data show, in words for people.
Measured = tuple[float, float, str]


@dataclass(frozen=True)
class Straggling:
    """Which workers straggled in which iterations, bool (iterations, n).

    ``seed`` is that of the tests' permutations; a text that ``interrupted`` returns between batches
    stops the measurement.
    """

    straggled: Mask
    workers: tuple[str, ...]
    seed: int = 1
    interrupted: Callable[[], str | None] = lambda: None

    @property
    def hits(self) -> NDArray[np.int64]:
        """Number of iterations in which each worker straggled, (n,)."""
        return np.asarray(self.straggled.sum(axis=0), np.int64)

    @property
    def rarer(self) -> NDArray[np.int64]:
        """Iterations in which a worker straggled or in which not, whichever are fewer, (n,)."""
        return np.asarray(np.minimum(self.hits, len(self.straggled) - self.hits), np.int64)

    @property
    def expected_changes(self) -> Values:
        """Each worker's mean number of changes between iterations over all shuffles, (n,)."""
        return 2 * self.hits * (len(self.straggled) - self.hits) / len(self.straggled)

    def batches(self, width: int) -> Iterator[tuple[int, int]]:
        """Yield (first, count) of permutations that take ``width`` numbers each."""
        size = max(1, _BATCH // max(1, width))
        for first in range(0, PERMUTATIONS, size):
            ask(self.interrupted)
            yield first, min(size, PERMUTATIONS - first)

    def uniforms(self, name: str, rows: int, columns: int) -> Values:
        """Return random numbers (rows, columns); another ``name`` gives independent ones."""
        return uniforms(self.seed, f"trace {name}", rows * columns).reshape(rows, columns)


def across_workers(recording: Straggling) -> Measured | None:
    """Measure the mean correlation between workers, given each one's own rate and runs.

    The variance of the number of stragglers exceeds the sum of the workers' own variances by
    Σ_{i≠j} cov_ij, unbiased; this over Σ_{i≠j} σ_i σ_j is the mean correlation. Its p-value comes
    from shuffling each worker's runs of straggling, and those between, independently of the other
    workers: exact for workers without memory, and for alternating renewals such as Markov chains.
    None where fewer than two workers straggle in some iterations and not in others.
    """
    columns = np.flatnonzero(recording.rarer)
    if len(columns) < 2:
        return None
    x = recording.straggled[:, columns]
    covariances = np.cov(x, rowvar=False, dtype=np.float64)
    deviations = np.sqrt(np.diag(covariances))
    own = float(np.trace(covariances))
    variance = float(covariances.sum())
    scale = float(deviations.sum() ** 2 - (deviations**2).sum())
    # Σ_t N_t² decides: the mean number of stragglers is the same in every shuffle
    observed = float((x.sum(axis=1, dtype=np.float64) ** 2).sum())
    p = two_sided(_squares_of_shuffled_runs(recording, x), observed)
    correlations = np.abs(covariances / np.outer(deviations, deviations))
    first, second = np.unravel_index(np.argmax(np.triu(correlations, 1)), correlations.shape)
    strongest = covariances[first, second] / (deviations[first] * deviations[second])
    names = [recording.workers[columns[place]] for place in (first, second)]
    remark = (
        f"the number of stragglers has variance {variance:.3g}, of independent workers {own:.3g}; "
        f"strongest pair: {names[0]} and {names[1]}, correlation {strongest:.2f}"
    )
    return (variance - own) / scale, p, remark


def _squares_of_shuffled_runs(recording: Straggling, x: Mask) -> Values:
    """Return Σ_t N_t² of every shuffle, where N_t counts the stragglers of iteration t."""
    length = len(x)
    lengths = []
    for column in x.T:
        changes = np.flatnonzero(column[1:] != column[:-1]) + 1
        lengths.append(np.diff(np.concatenate([[0], changes, [length]])))
    found = []
    for first, count in recording.batches(length + sum(map(len, lengths))):
        steps = np.zeros((count, length + 1), np.int32)
        offsets = np.arange(count)[:, None] * (length + 1)
        for j, own in enumerate(lengths):
            # straggling runs and those between alternate; each are shuffled among themselves
            shuffled = np.empty((count, len(own)), np.int64)
            for half in (0, 1):
                keys = recording.uniforms(f"runs {j} {half} {first}", count, len(own[half::2]))
                shuffled[:, half::2] = own[half::2][np.argsort(keys, axis=1)]
            ends = np.cumsum(shuffled, axis=1)
            starts = ends - shuffled
            straggling = 0 if x[0, j] else 1
            for places, sign in ((starts, 1), (ends, -1)):
                at = (places[:, straggling::2] + offsets).ravel()
                steps += sign * np.bincount(at, minlength=steps.size).reshape(steps.shape)
        stragglers = np.cumsum(steps[:, :length], axis=1, dtype=np.float64)
        found.append(np.einsum("ij,ij->i", stragglers, stragglers))
    return np.concatenate(found)


def two_classes(recording: Straggling) -> Measured | None:
    """Measure how far a worker's own rate is from that of its class, at worst.

    The classes are the most likely split of the workers by rate. The p-value is that of the
    likelihood ratio of own rates against two, by parametric bootstrap with the two rates fitted
    anew each time; if iterations are positively correlated at lag 1, the ratio counts as that of
    the fewer independent iterations that they are worth. None for fewer than three workers, which
    always make two classes.
    """
    from scipy import special

    length, n = recording.straggled.shape
    if n < 3:
        return None
    order = np.argsort(recording.hits, kind="stable")
    hits = recording.hits[order]
    ratio, split = _likelihood_ratio(hits[None, :], length)
    active = int(split[0])
    # the correlation at lag 1, pooled over workers; 0 where it is negative
    changes = np.count_nonzero(recording.straggled[1:] != recording.straggled[:-1])
    expected = float(recording.expected_changes.sum())
    lag = max(0.0, min(1 - changes / expected, 0.99)) if expected else 0.0
    worth = (1 - lag) / (1 + lag)
    sizes = np.repeat([active, n - active], [active, n - active])
    sums = np.repeat([hits[:active].sum(), hits[active:].sum()], [active, n - active])
    rates = sums / (sizes * length)
    cumulative = [special.bdtr(np.arange(length), length, rate) for rate in rates]
    found = []
    for first, count in recording.batches(n):
        draws = recording.uniforms(f"classes {first}", count, n)
        drawn = [np.searchsorted(cumulative[j], draws[:, j]) for j in range(n)]
        found.append(_likelihood_ratio(np.sort(np.stack(drawn, axis=1), axis=1), length)[0])
    # equal fits differ by rounding
    reached = np.count_nonzero(np.concatenate(found) >= worth * ratio[0] - 1e-9)
    off = hits / length - rates
    worst = int(np.argmax(np.abs(off)))
    slow = ", ".join(
        f"{recording.workers[j]} {recording.hits[j] / length:.3g}" for j in sorted(order[active:])
    )
    remark = (
        f"slow straggle at {rates[-1]:.3g}, active at {rates[0]:.3g}; slow ones: {slow}; "
        f"farthest from its class: {recording.workers[order[worst]]} at {hits[worst] / length:.3g}"
    )
    return float(off[worst]), float((1 + reached) / (1 + PERMUTATIONS)), remark


def _likelihood_ratio(hits: NDArray[np.int64], length: int) -> tuple[Values, NDArray[np.int64]]:
    """Return twice the gain in log-likelihood of own rates over two, and the active workers.

    The two rates are those of the most likely split of the workers. ``hits`` (rows, n) ascend along
    each row, so that such a split cuts the row in two.
    """
    from scipy.special import xlogy

    def log_likelihood(hits: NDArray[np.int64], of: NDArray[np.int64]) -> Any:
        rate = hits / of
        return xlogy(hits, rate) + xlogy(of - hits, 1 - rate)

    n = hits.shape[1]
    below = np.cumsum(hits, axis=1)[:, :-1]
    total = hits.sum(axis=1, keepdims=True)
    sizes = np.arange(1, n) * length
    split = log_likelihood(below, sizes) + log_likelihood(total - below, n * length - sizes)
    own = log_likelihood(hits, np.full(n, length)).sum(axis=1)
    return 2 * (own - split.max(axis=1)), 1 + split.argmax(axis=1)


def within_a_worker(recording: Straggling) -> Measured | None:
    """Measure the correlation of a worker's iteration with its next, pooled over workers.

    This is 1 − changes/expected changes, Σ 2 h_j (T − h_j)/T of them expected for h_j straggling
    iterations of T. Its p-value comes from shuffling whole iterations: exact however workers
    depend on each other. None where no worker straggles in some iterations and not in others.
    """
    varying = np.flatnonzero(recording.rarer)
    x = recording.straggled[:, varying]
    length = len(x)
    if not len(varying):
        return None
    found = []
    for first, count in recording.batches(length):
        rows = np.argsort(recording.uniforms(f"iterations {first}", count, length), axis=1)
        changes = np.zeros(count)
        for column in x.T:
            shuffled = column[rows]
            changes += np.count_nonzero(shuffled[:, 1:] != shuffled[:, :-1], axis=1)
        found.append(changes)
    observed = np.count_nonzero(x[1:] != x[:-1], axis=0)
    expected = recording.expected_changes[varying]
    own = 1 - observed / expected
    strongest = int(np.argmax(np.abs(own) * np.sqrt(recording.rarer[varying])))
    remark = (
        f"{int(observed.sum())} changes between iterations, {float(expected.sum()):.3g} expected; "
        f"{recording.workers[varying[strongest]]}: correlation {own[strongest]:.2f}"
    )
    value = 1 - float(observed.sum() / expected.sum())
    return value, two_sided(np.concatenate(found), float(observed.sum())), remark
