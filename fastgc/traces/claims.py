"""What paper agc says of straggling, measured on a recorded trace instead of by simulation.

Each statement has one statistic with a p-value that stays right where the other statements fail:
workers are compared after shuffling each one's runs, which keeps its memory, and iterations after
shuffling whole rows, which keeps what workers do together. A statement is refuted by Holm's rule
over the statements asked for, and confirmed only if the 99 % interval of the deviation lies within
±0.1: then the data would have shown one that matters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError, StoppedError
from fastgc.latency.traces import Trace, parse
from fastgc.registry.complaints import unknown
from fastgc.registry.files import text_of
from fastgc.results.verdicts import (
    CONFIRMED,
    REFUTED,
    TRACE,
    UNDECIDED,
    Finding,
    Verdict,
    conclude,
    rejected,
)
from fastgc.statistics.estimates import Estimate, normal_quantile
from fastgc.theory.papers.claim import Case, Claim

DEFAULT_THRESHOLD = "1.5 median"
PERMUTATIONS = 20_000
MATTERS = 0.1  # a correlation or a difference of rates
CONFIDENCE = 0.99
COINCIDENCES = 10.0  # expected at least, for the normal law of an interval to hold
SMALLEST_ALPHA = 1e-3  # a p-value of 20 000 permutations is never below 1e-4
_BATCH = 1 << 21  # numbers drawn at a time
_LAYOUT = ("file", "workers", "worker", "iteration", "value")
_PAPER = "Johri, Yardi, Bodas, Approximate Gradient Coding for Heterogeneous Nodes"

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]


@dataclass(frozen=True)
class _Statement:
    """A statement of the paper and the number that is 0 if it holds."""

    id: str
    statement: str
    citation: str
    quantity: str


INDEPENDENT = _Statement(
    "agc.trace.independent-across-workers",
    "Whether a worker straggles is independent of the others: the number of stragglers varies by "
    "Σ p_j (1 − p_j), so the mean correlation between workers is 0.",
    f"{_PAPER}, Sec. I: 'the straggler behavior is indeed iid across workers'",
    "correlation between workers",
)
TWO_CLASSES = _Statement(
    "agc.trace.two-classes",
    "Workers straggle at two rates, that of the slow class and that of the active: no worker's own "
    "rate differs from that of its class.",
    f"{_PAPER}, Sec. II, heterogeneous straggler model",
    "difference of rates",
)
NO_MEMORY = _Statement(
    "agc.trace.no-memory-within-a-worker",
    "Given its class, a worker straggles independently of its earlier iterations: the correlation "
    "of an iteration with the next is 0.",
    f"{_PAPER}, Sec. II: 'independent of any of its previous iteration'",
    "correlation at lag 1",
)
STATEMENTS = (INDEPENDENT, TWO_CLASSES, NO_MEMORY)


@dataclass(frozen=True)
class Measurement:
    """A deviation from a statement that is 0 if the statement holds.

    Attributes
    ----------
    value, standard_error : float or None
        None where the data say nothing of it.
    half_width : float
        Of the 99 % interval around the value; infinite where it is unknown.
    p_value : float
        Chance of a deviation at least so large, were the statement true.
    remark : str
        What else is to be seen, for people.
    needed : int or None
        Iterations that would decide; None where more iterations would not help.
    """

    value: float | None
    standard_error: float | None
    half_width: float
    p_value: float
    remark: str
    needed: int | None


@dataclass(frozen=True)
class Recording:
    """Who straggled when, and where random numbers for its tests come from.

    Attributes
    ----------
    straggled : bool array (iterations, n)
    workers : tuple of str
    seed : int
    interrupted : callable
        Asked between batches; a text it returns stops the measurement.
    """

    straggled: Bits
    workers: tuple[str, ...]
    seed: int = 1
    interrupted: Callable[[], str | None] = lambda: None

    @property
    def iterations(self) -> int:
        """Rows."""
        return len(self.straggled)

    @property
    def hits(self) -> NDArray[np.int64]:
        """Iterations in which each worker straggled, (n,)."""
        return np.asarray(self.straggled.sum(axis=0), np.int64)

    @property
    def varying(self) -> NDArray[np.int64]:
        """Workers that straggle in some iterations and not in others."""
        return np.flatnonzero(self.rarer)

    @property
    def rarer(self) -> NDArray[np.int64]:
        """How often each worker does what it does less often, (n,)."""
        found: NDArray[np.int64] = np.minimum(self.hits, self.iterations - self.hits)
        return found

    def batches(self, width: int) -> Iterator[tuple[int, int]]:
        """Yield (first, count) of permutations that take ``width`` numbers each."""
        size = max(1, _BATCH // max(1, width))
        for first in range(0, PERMUTATIONS, size):
            reason = self.interrupted()
            if reason is not None:
                raise StoppedError(f"stopped early by {reason}: nothing was kept")
            yield first, min(size, PERMUTATIONS - first)

    def uniforms(self, name: str, rows: int, columns: int) -> Floats:
        """Random numbers (rows, columns) that belong to ``name``."""
        return uniforms(self.seed, f"trace {name}", rows * columns).reshape(rows, columns)


def across_workers(recording: Recording) -> Measurement:
    """Measure the mean correlation between workers, given each one's own rate and runs.

    The variance of the number of stragglers exceeds the sum of the workers' own variances by
    Σ_{i≠j} cov_ij, unbiased; this over Σ_{i≠j} σ_i σ_j is the mean correlation. Its p-value comes
    from shuffling each worker's runs of straggling, and those between, independently of the other
    workers: exact for workers without memory, and for alternating renewals such as Markov chains.

    Examples
    --------
    >>> together = np.array([[1, 1], [0, 0]] * 50, bool)[np.argsort(uniforms(1, "x", 100))]
    >>> found = across_workers(Recording(together, ("a", "b")))
    >>> round(found.value, 9), found.p_value < 0.001
    (1.0, True)
    """
    columns = recording.varying
    if len(columns) < 2:
        remark = (
            f"{_workers(len(columns))} straggled in some iterations and not in others, so nothing "
            "can be compared; another threshold or more workers would show more"
        )
        return Measurement(None, None, math.inf, 1.0, remark, None)
    x = recording.straggled[:, columns]
    length = len(x)
    covariances = np.cov(x, rowvar=False, dtype=np.float64)
    deviations = np.sqrt(np.diag(covariances))
    own = float(np.trace(covariances))
    variance = float(covariances.sum())
    scale = float(deviations.sum() ** 2 - (deviations**2).sum())
    squares = _squares_of_shuffled_runs(recording, x)
    # Σ_t N_t² decides: the mean number of stragglers is the same in every shuffle
    p = _two_sided(squares, float((x.sum(axis=1, dtype=np.float64) ** 2).sum()))
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


def _squares_of_shuffled_runs(recording: Recording, x: Bits) -> Floats:
    """Σ_t N_t² of every shuffle, N_t being the stragglers of iteration t."""
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
            # runs of two kinds take turns; each kind is shuffled among its own places
            shuffled = np.empty((count, len(own)), np.int64)
            for kind in (0, 1):
                keys = recording.uniforms(f"runs {j} {kind} {first}", count, len(own[kind::2]))
                shuffled[:, kind::2] = own[kind::2][np.argsort(keys, axis=1)]
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

    Examples
    --------
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
        return Measurement(None, None, math.inf, 1.0, remark, None)
    hits = np.sort(recording.hits)
    order = np.argsort(recording.hits, kind="stable")
    ratio, split = _likelihood_ratio(hits[None, :], length)
    active = int(split[0])
    lag = _lag(recording)
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


def _likelihood_ratio(hits: NDArray[np.int64], length: int) -> tuple[Floats, NDArray[np.int64]]:
    """Twice the log-likelihood that own rates gain over the best split, and its active workers.

    ``hits`` (rows, n) ascend along each row; the most likely split never parts equal ones from
    those beyond.
    """
    n = hits.shape[1]
    below = np.cumsum(hits, axis=1)[:, :-1]
    total = hits.sum(axis=1, keepdims=True)
    sizes = np.arange(1, n) * length
    split = _log_likelihood(below, sizes) + _log_likelihood(total - below, n * length - sizes)
    own = _log_likelihood(hits, np.full(n, length)).sum(axis=1)
    return 2 * (own - split.max(axis=1)), 1 + split.argmax(axis=1)


def _log_likelihood(hits: NDArray[np.int64], of: NDArray[np.int64]) -> Floats:
    """Log-likelihood of so many hits of so many iterations at their own rate."""
    from scipy.special import xlogy

    rate = hits / of
    found: Floats = xlogy(hits, rate) + xlogy(of - hits, 1 - rate)
    return found


def within_a_worker(recording: Recording) -> Measurement:
    """Measure the correlation of a worker's iteration with its next, pooled over workers.

    This is 1 − changes/expected changes, Σ 2 h_j (T − h_j)/T of them expected for h_j straggling
    iterations of T. Its p-value comes from shuffling whole iterations: exact however workers
    depend on each other.

    Examples
    --------
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
        return Measurement(None, None, math.inf, 1.0, remark, None)
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
        _two_sided(changes, float(observed.sum())),
        remark,
        length,
        length * float((rarer**2).sum()),
    )


def _expected_changes(recording: Recording) -> Floats:
    """Changes between successive iterations of each worker, the mean over all shuffles, (n,)."""
    return 2 * recording.hits * (recording.iterations - recording.hits) / recording.iterations


def _lag(recording: Recording) -> float:
    """Correlation at lag 1, pooled over workers, where it makes rates less certain."""
    changes = np.count_nonzero(recording.straggled[1:] != recording.straggled[:-1])
    expected = float(_expected_changes(recording).sum())
    return max(0.0, min(1 - changes / expected, 0.99)) if expected else 0.0


def _two_sided(shuffled: Floats, observed: float) -> float:
    """Twice the smaller tail, the observed one being one of the shuffles."""
    tail = min(np.count_nonzero(shuffled >= observed), np.count_nonzero(shuffled <= observed))
    return float(min(1.0, 2 * (1 + tail) / (1 + len(shuffled))))


def _measurement(
    value: float, error: float, p: float, remark: str, length: int, coincidences: float
) -> Measurement:
    """Measure a correlation; with too few coincidences expected, its interval is unknown."""
    half = normal_quantile(CONFIDENCE) * error
    needed = _needed(length, half)
    if coincidences < COINCIDENCES:
        needed = max(needed, math.ceil(length * COINCIDENCES / coincidences))
        half = math.inf
    return Measurement(value, error, half, p, remark, needed)


def _needed(length: int, half: float) -> int:
    """Iterations at which the interval of a deviation that is 0 surely lies within ±0.1."""
    return max(length + 1, math.ceil(length * (half / (MATTERS / 2)) ** 2))


_MEASURES = {
    INDEPENDENT.id: across_workers,
    TWO_CLASSES.id: two_classes,
    NO_MEMORY.id: within_a_worker,
}


def validate(
    trace: str | Path | Mapping[str, Any],
    threshold: float | str | None = None,
    *,
    claims: str | Sequence[str] | None = None,
    seed: int = 1,
    alpha: float = 0.01,
    interrupted: Callable[[], str | None] = lambda: None,
) -> list[Verdict]:
    """Measure on a trace what paper agc says of straggling.

    Parameters
    ----------
    trace : str, Path or mapping
        A wide csv table, or ``{"file": …, "worker": …, "value": …}`` with the keys that a study's
        trace has. Iterations end with the shortest worker.
    threshold : float or str, optional
        A worker that took longer straggled: in the trace's unit, or a multiple of the median of
        all values; ``"1.5 median"`` by default.
    claims : str or sequence of str, optional
        Ids or beginnings of ids; all three by default.
    seed : int
        Of the permutations.
    alpha : float
        Chance that any true statement is refuted (Holm), at least 0.001.
    interrupted : callable, optional
        Asked often; a text it returns stops the measurement.

    Returns
    -------
    list of Verdict
        One a statement. None is expected beforehand, so ``expected`` is what came out.

    Raises
    ------
    FastgcError
        If the trace cannot be read or has fewer than 2 workers or iterations, if nobody straggles
        or everybody always does, or a parameter is out of range.
    StoppedError
        If it was asked to stop.
    """
    chosen = select(claims)
    if not SMALLEST_ALPHA <= alpha < 1:
        raise FastgcError(
            f"alpha: with a trace must be at least {SMALLEST_ALPHA:g} and less than 1 (got {alpha})"
        )
    name, read = _read(trace)
    given = DEFAULT_THRESHOLD if threshold is None else threshold
    try:
        limit = read.threshold(given)
    except FastgcError as problem:
        raise FastgcError(f"threshold: {problem}") from None
    rows = read.rows
    for count, what in ((read.n, "workers"), (len(rows), "iterations of all workers")):
        if count < 2:
            raise FastgcError(f"trace: {name} must have at least 2 {what} (has {count})")
    straggled = rows > limit
    if straggled.all() or not straggled.any():
        who = "every worker is always" if straggled.all() else "no worker is ever"
        raise FastgcError(
            f"threshold: {who} slower than {limit:.6g} in {name}, whose times lie in "
            f"{rows.min():.6g} … {rows.max():.6g}; choose one between"
        )
    point = {"trace": name, "n": read.n, "iterations": len(rows), "threshold": limit}
    recording = Recording(straggled, read.workers, seed, interrupted)
    return weigh([(each, _MEASURES[each.id](recording)) for each in chosen], point, alpha)


def select(claims: str | Sequence[str] | None) -> list[_Statement]:
    """Statements by id or beginning of an id."""
    wanted = [claims] if isinstance(claims, str) else list(claims or ["agc"])
    for name in wanted:
        if not matching(name):
            known = [each.id for each in STATEMENTS]
            raise FastgcError(f"claim: {unknown('claim on a trace', name, known)}")
    return [each for each in STATEMENTS if any(each in matching(name) for name in wanted)]


def matching(name: str) -> list[_Statement]:
    """Statements with this id or this beginning of an id."""
    return [each for each in STATEMENTS if each.id == name or each.id.startswith(name + ".")]


def _read(trace: str | Path | Mapping[str, Any]) -> tuple[str, Trace]:
    """Name and content of a trace."""
    given: Mapping[str, Any] = trace if isinstance(trace, Mapping) else {"file": str(trace)}
    for key in given:
        if key not in _LAYOUT:
            raise FastgcError(f"trace: {unknown('key', key, list(_LAYOUT))}")
    if "file" not in given:
        raise FastgcError("trace: must name a file")
    file = str(given["file"])
    layout = {key: value for key, value in given.items() if key != "file"}
    try:
        return Path(file).name, parse(text_of(file), Path(file).name, **layout)
    except FastgcError as problem:
        raise FastgcError(f"trace: {problem}") from None


def weigh(
    measured: Sequence[tuple[_Statement, Measurement]], point: Mapping[str, Any], alpha: float
) -> list[Verdict]:
    """Verdicts on what was measured; false refutations of all together ≤ alpha."""
    verdicts = []
    fallen = rejected([found.p_value for _, found in measured], alpha)
    for (each, found), is_rejected in zip(measured, fallen, strict=True):
        verdict = UNDECIDED
        if is_rejected:
            verdict = REFUTED
        elif found.value is not None and abs(found.value) + found.half_width <= MATTERS:
            verdict = CONFIRMED
        case = Case(point, 0.0, {"trace": point["trace"]}, each.quantity)
        estimate = Estimate(found.value, found.standard_error, point["iterations"])
        finding = Finding(
            case,
            estimate,
            TRACE,
            verdict,
            found.half_width,
            found.needed if verdict == UNDECIDED else None,
            found.p_value,
            found.remark,
        )
        made = partial(tuple, (case,))
        claim = Claim(each.id, "agc", each.statement, each.citation, "=", verdict, made)
        verdicts.append(conclude(claim, [finding]))
    return verdicts


def _workers(count: int) -> str:
    return "only 1 worker" if count == 1 else "no worker"
