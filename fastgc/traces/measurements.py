"""What recorded straggling says of independence, of two rates, and of memory."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.draws.streams import uniforms
from fastgc.statistics.estimates import normal_quantile
from fastgc.traces.dependence import ask, two_sided

PERMUTATIONS = 20_000
_BATCH = 1 << 21  # numbers drawn at a time


@dataclass(frozen=True)
class Measurement:
    """A deviation from a statement that is 0 if it holds; None where the data do not say.

    ``half_width``: half-width of the 99 % interval around the value; infinite where it is unknown;
    ``p_value``: probability of a deviation at least so large if the statement is true; ``remark``:
    what else the data show, in words for people; ``needed``: iterations that would decide the
    statement; None where more would not help.
    """

    value: float | None
    standard_error: float | None
    half_width: float
    p_value: float
    remark: str
    needed: int | None

    @classmethod
    def nothing(cls, remark: str) -> "Measurement":
        """Return what a recording gives that says nothing of a statement."""
        return cls(None, None, math.inf, 1.0, remark, None)


@dataclass(frozen=True)
class Recording:
    """Which workers straggled in which iterations, bool (iterations, n).

    ``seed`` is that of the tests' permutations; a text that ``interrupted`` returns between batches
    stops the measurement.
    """

    straggled: Mask
    workers: tuple[str, ...]
    seed: int = 1
    interrupted: Callable[[], str | None] = lambda: None

    @property
    def iterations(self) -> int:
        """Number of iterations."""
        return len(self.straggled)

    @property
    def hits(self) -> NDArray[np.int64]:
        """Number of iterations in which each worker straggled, (n,)."""
        return np.asarray(self.straggled.sum(axis=0), np.int64)

    @property
    def varying(self) -> NDArray[np.int64]:
        """Workers that straggle in some iterations and not in others."""
        return np.flatnonzero(self.rarer)

    @property
    def rarer(self) -> NDArray[np.int64]:
        """Iterations in which a worker straggled or in which not, whichever are fewer, (n,)."""
        return np.asarray(np.minimum(self.hits, self.iterations - self.hits), np.int64)

    def batches(self, width: int) -> Iterator[tuple[int, int]]:
        """Yield (first, count) of permutations that take ``width`` numbers each."""
        size = max(1, _BATCH // max(1, width))
        for first in range(0, PERMUTATIONS, size):
            ask(self.interrupted)
            yield first, min(size, PERMUTATIONS - first)

    def uniforms(self, name: str, rows: int, columns: int) -> Values:
        """Return random numbers (rows, columns); another ``name`` gives independent ones."""
        return uniforms(self.seed, f"trace {name}", rows * columns).reshape(rows, columns)


MATTERS = 0.1  # a correlation or a difference of rates
CONFIDENCE = 0.99
COINCIDENCES = 10.0  # expected at least, for the normal law of an interval to hold


def across_workers(recording: Recording) -> Measurement:
    """Measure the mean correlation between workers, given each one's own rate and runs.

    The variance of the number of stragglers exceeds the sum of the workers' own variances by
    Σ_{i≠j} cov_ij, unbiased; this over Σ_{i≠j} σ_i σ_j is the mean correlation. Its p-value comes
    from shuffling each worker's runs of straggling, and those between, independently of the other
    workers: exact for workers without memory, and for alternating renewals such as Markov chains.

    >>> together = np.array([[1, 1], [0, 0]] * 50, bool)[np.argsort(uniforms(1, "x", 100))]
    >>> found = across_workers(Recording(together, ("a", "b")))
    >>> round(found.value, 9), found.p_value < 0.001
    (1.0, True)
    """
    columns = recording.varying
    if len(columns) < 2:
        who = "only 1 worker" if len(columns) == 1 else "no worker"
        remark = (
            f"{who} straggled in some iterations and not in others, so nothing "
            "can be compared; another threshold or more workers would show more"
        )
        return Measurement.nothing(remark)
    x = recording.straggled[:, columns]
    length = len(x)
    covariances = np.cov(x, rowvar=False, dtype=np.float64)
    deviations = np.sqrt(np.diag(covariances))
    own = float(np.trace(covariances))
    variance = float(covariances.sum())
    scale = float(deviations.sum() ** 2 - (deviations**2).sum())
    squares = _squares_of_shuffled_runs(recording, x)
    # Σ_t N_t² decides: the mean number of stragglers is the same in every shuffle
    p = two_sided(squares, float((x.sum(axis=1, dtype=np.float64) ** 2).sum()))
    error = float(np.std(squares)) / (length - 1) / scale
    correlations = np.abs(covariances / np.outer(deviations, deviations))
    first, second = np.unravel_index(np.argmax(np.triu(correlations, 1)), correlations.shape)
    strongest = covariances[first, second] / (deviations[first] * deviations[second])
    names = [recording.workers[columns[place]] for place in (first, second)]
    remark = (
        f"the number of stragglers has variance {variance:.3g}, of independent workers {own:.3g}; "
        f"strongest pair: {names[0]} and {names[1]}, correlation {strongest:.2f}"
    )
    rarer = recording.rarer[columns] / length
    coincidences = length * float(rarer.sum() ** 2 - (rarer**2).sum()) / 2
    return _measurement((variance - own) / scale, error, p, remark, length, coincidences)


def _squares_of_shuffled_runs(recording: Recording, x: Mask) -> Values:
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


def two_classes(recording: Recording) -> Measurement:
    """Measure how far a worker's own rate is from that of its class, at worst.

    The classes are the most likely split of the workers by rate. The p-value is that of the
    likelihood ratio of own rates against two, by parametric bootstrap with the two rates fitted
    anew each time; if iterations are positively correlated at lag 1, the ratio counts as that of
    the fewer independent iterations that they are worth.

    >>> rates = np.repeat([0.1, 0.5, 0.9], 2)
    >>> found = two_classes(
    ...     Recording(uniforms(1, "y", 1800).reshape(300, 6) < rates, tuple("abcdef"))
    ... )
    >>> found.p_value < 0.001
    True
    """
    from scipy import special

    length, n = recording.straggled.shape
    if n < 3:
        remark = f"{n} workers always make two classes; record more workers"
        return Measurement.nothing(remark)
    hits = np.sort(recording.hits)
    order = np.argsort(recording.hits, kind="stable")
    ratio, split = _likelihood_ratio(hits[None, :], length)
    active = int(split[0])
    # the correlation at lag 1, pooled over workers; 0 where it is negative
    changes = np.count_nonzero(recording.straggled[1:] != recording.straggled[:-1])
    expected = float(_expected_changes(recording).sum())
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
    # two more of each kind: a worker that never straggled is not known to never straggle
    guess = (hits + 2) / (length + 4)
    errors = np.sqrt(guess * (1 - guess) / (length * worth) * (1 - 1 / sizes))
    z = normal_quantile(1 - (1 - CONFIDENCE) / n)
    worst = int(np.argmax(np.abs(off)))
    half = max(float(np.max(np.abs(off) + z * errors)) - abs(float(off[worst])), 0.0)
    slow = ", ".join(
        f"{recording.workers[j]} {recording.hits[j] / length:.3g}" for j in sorted(order[active:])
    )
    remark = (
        f"slow straggle at {rates[-1]:.3g}, active at {rates[0]:.3g}; slow ones: {slow}; "
        f"farthest from its class: {recording.workers[order[worst]]} at {hits[worst] / length:.3g}"
    )
    return Measurement(
        float(off[worst]),
        float(errors[worst]),
        half,
        float((1 + reached) / (1 + PERMUTATIONS)),
        remark,
        _needed(length, float(np.max(z * errors))),
    )


def _likelihood_ratio(hits: NDArray[np.int64], length: int) -> tuple[Values, NDArray[np.int64]]:
    """Return twice the gain in log-likelihood of own rates over two, and the active workers.

    The two rates are those of the most likely split of the workers. ``hits`` (rows, n) ascend along
    each row, so that such a split cuts the row in two.
    """
    n = hits.shape[1]
    below = np.cumsum(hits, axis=1)[:, :-1]
    total = hits.sum(axis=1, keepdims=True)
    sizes = np.arange(1, n) * length
    split = _log_likelihood(below, sizes) + _log_likelihood(total - below, n * length - sizes)
    own = _log_likelihood(hits, np.full(n, length)).sum(axis=1)
    return 2 * (own - split.max(axis=1)), 1 + split.argmax(axis=1)


def _log_likelihood(hits: NDArray[np.int64], of: NDArray[np.int64]) -> Values:
    """Return the log-likelihood of ``hits`` among ``of`` iterations at the rate hits/of."""
    from scipy.special import xlogy

    rate = hits / of
    found: Values = xlogy(hits, rate) + xlogy(of - hits, 1 - rate)
    return found


def within_a_worker(recording: Recording) -> Measurement:
    """Measure the correlation of a worker's iteration with its next, pooled over workers.

    This is 1 − changes/expected changes, Σ 2 h_j (T − h_j)/T of them expected for h_j straggling
    iterations of T. Its p-value comes from shuffling whole iterations: exact however workers
    depend on each other.

    >>> found = within_a_worker(Recording(np.repeat([[0], [1]], 50, axis=0) > 0, ("a",)))
    >>> found.value, found.p_value < 0.001
    (0.98, True)
    """
    x = recording.straggled[:, recording.varying]
    length = len(x)
    if not x.shape[1]:
        remark = (
            "no worker straggled in some iterations and not in others; another threshold would "
            "show more"
        )
        return Measurement.nothing(remark)
    found = []
    for first, count in recording.batches(length):
        rows = np.argsort(recording.uniforms(f"iterations {first}", count, length), axis=1)
        changes = np.zeros(count)
        for column in x.T:
            shuffled = column[rows]
            changes += np.count_nonzero(shuffled[:, 1:] != shuffled[:, :-1], axis=1)
        found.append(changes)
    changes = np.concatenate(found)
    observed = np.count_nonzero(x[1:] != x[:-1], axis=0)
    expected = _expected_changes(recording)[recording.varying]
    own = 1 - observed / expected
    strongest = int(np.argmax(np.abs(own) * np.sqrt(recording.rarer[recording.varying])))
    remark = (
        f"{int(observed.sum())} changes between iterations, {float(expected.sum()):.3g} expected; "
        f"{recording.workers[recording.varying[strongest]]}: correlation {own[strongest]:.2f}"
    )
    rarer = recording.rarer / length
    return _measurement(
        1 - float(observed.sum() / expected.sum()),
        float(np.std(changes) / expected.sum()),
        two_sided(changes, float(observed.sum())),
        remark,
        length,
        length * float((rarer**2).sum()),
    )


def _expected_changes(recording: Recording) -> Values:
    """Return each worker's mean number of changes between iterations over all shuffles, (n,)."""
    return 2 * recording.hits * (recording.iterations - recording.hits) / recording.iterations


def _measurement(
    value: float, error: float, p: float, remark: str, length: int, coincidences: float
) -> Measurement:
    """Return a measured correlation; its interval is unknown if coincidences are too rare."""
    half = normal_quantile(CONFIDENCE) * error
    needed = _needed(length, half)
    if coincidences < COINCIDENCES:
        needed = max(needed, math.ceil(length * COINCIDENCES / coincidences))
        half = math.inf
    return Measurement(value, error, half, p, remark, needed)


def _needed(length: int, half: float) -> int:
    """Return the iterations that make the interval of a deviation of 0 lie within ±0.1."""
    return max(length + 1, math.ceil(length * (half / (MATTERS / 2)) ** 2))
