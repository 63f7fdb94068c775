"""What fits take for granted, and what of it a recording contradicts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.draws.streams import uniforms
from fastgc.latency.recording import Recording
from fastgc.results.verdicts import rejected
from fastgc.traces import dependence

ALPHA = 0.01  # probability that any sort of independence is said to fail that does not
SAMPLES = 20_000  # of the model of two rates
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
    source: Recording, straggled: Mask, seed: int, interrupted: Callable[[], str | None]
) -> tuple[Independence, ...]:
    """Test what laws and models take for granted; ``straggled`` is bool (rounds, n).

    ``seed`` is that of the shuffles; a text that ``interrupted`` returns stops the work.
    """
    names = source.workers
    series = dependence.ranks(source.rows)
    over = dependence.memory(series, 1, seed, interrupted)
    found: list[tuple[str, float | None, float, str]] = []
    first = float(over.lags[0]) if len(over.lags) else None
    factor = math.sqrt((1 + first) / (1 - first)) if first and 0 < first < 1 else 1.0
    remark = "correlation of a worker's time with its next"
    if factor > 1.05:
        remark += f"; intervals of the latency laws would have to be {factor:.2g} × as wide"
    found.append(("times independent over rounds", first, over.p_value, remark))
    if source.n > 1:
        between = dependence.pairs(series, seed, interrupted)
        remark = "mean correlation between workers"
        if between.strongest:
            i, j, value = between.strongest[0]
            remark += f"; strongest: {names[i]} and {names[j]}, {value:.2f}"
        found.append(("times independent between workers", between.mean, between.p_value, remark))
        found.append(("times alike for all workers", *_unlike(source.rows)))
    if straggled.any() and not straggled.all():
        late = straggled.astype(float)
        over = dependence.memory(late, 1, seed, interrupted, whole=True)
        if len(over.lags):
            remark = "correlation of a worker's lateness with its next"
            value = float(over.lags[0])
            found.append(("straggling independent over rounds", value, over.p_value, remark))
        if np.count_nonzero(np.ptp(late, axis=0)) > 1:
            own = across_workers(late, names, seed, interrupted)
            found.append(("straggling independent between workers", *own))
        if source.n > 2:
            own = two_classes(straggled, names, seed, interrupted)
            found.append(("straggling at two rates", *own))
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


def across_workers(
    late: Values,
    names: Sequence[str],
    seed: int = 1,
    interrupted: Callable[[], str | None] = lambda: None,
) -> tuple[float, float, str]:
    """Measure the mean correlation between workers, who are late (1.0) or not (rounds, n).

    The variance of the number of stragglers exceeds the sum of the workers' own variances by
    Σ_{i≠j} cov_ij; this over Σ_{i≠j} σ_i σ_j is the mean correlation. Its p-value comes from
    turning each worker's series around by an own number of rounds, which keeps its rate and runs.
    """
    squares = np.empty(dependence.SHUFFLES)
    for i in range(dependence.SHUFFLES):
        dependence.ask(interrupted)
        turned = dependence.turned(late, f"trace turns {i}", seed)
        squares[i] = (turned.sum(axis=1) ** 2).sum()
    # Σ_t N_t² decides: the mean number of stragglers is the same in every shuffle
    p = dependence.of_mean(squares, float((late.sum(axis=1) ** 2).sum()))
    covariances = np.cov(late, rowvar=False)
    deviations = np.sqrt(np.diag(covariances))
    own, variance = float(np.trace(covariances)), float(covariances.sum())
    each = np.outer(deviations, deviations)
    scale = float(each.sum() - np.trace(each))
    correlations = np.triu(covariances / np.where(each > 0, each, 1.0), 1)
    i, j = divmod(int(np.argmax(np.abs(correlations))), len(correlations))
    remark = (
        f"the number of stragglers has variance {variance:.3g}, of independent workers {own:.3g}; "
        f"strongest pair: {names[i]} and {names[j]}, correlation {correlations[i, j]:.2f}"
    )
    return (variance - own) / scale, p, remark


def two_classes(
    straggled: Mask,
    names: Sequence[str],
    seed: int = 1,
    interrupted: Callable[[], str | None] = lambda: None,
) -> tuple[float, float, str]:
    """Measure how far a worker's own rate is from that of its class, at worst.

    The classes are the most likely split of the workers by rate. The p-value is that of the
    likelihood ratio of own rates against two, by parametric bootstrap with the two rates fitted
    anew each time; if iterations are positively correlated at lag 1, the ratio counts as that of
    the fewer independent iterations that they are worth. Returns the difference, its p-value, and
    what else the data show, in words.
    """
    from scipy import special

    length, n = straggled.shape
    count = straggled.sum(axis=0)
    order = np.argsort(count, kind="stable")
    hits = count[order]
    ratio, split = _likelihood_ratio(hits[None, :], length)
    active = int(split[0])
    # the correlation at lag 1, pooled over workers; 0 where it is negative
    changes = np.count_nonzero(straggled[1:] != straggled[:-1])
    expected = float((2 * hits * (length - hits) / length).sum())
    lag = max(0.0, min(1 - changes / expected, 0.99)) if expected else 0.0
    worth = (1 - lag) / (1 + lag)
    sizes = np.repeat([active, n - active], [active, n - active])
    sums = np.repeat([hits[:active].sum(), hits[active:].sum()], [active, n - active])
    rates = sums / (sizes * length)
    cumulative = [special.bdtr(np.arange(length), length, rate) for rate in rates]
    reached, batch = 0, max(1, _BATCH // n)
    for first in range(0, SAMPLES, batch):
        dependence.ask(interrupted)
        size = min(batch, SAMPLES - first)
        draws = uniforms(seed, f"trace classes {first}", size * n).reshape(size, n)
        drawn = [np.searchsorted(own, draws[:, j]) for j, own in enumerate(cumulative)]
        ratios, _ = _likelihood_ratio(np.sort(np.stack(drawn, axis=1), axis=1), length)
        # equal fits differ by rounding
        reached += int(np.count_nonzero(ratios >= worth * ratio[0] - 1e-9))
    off = hits / length - rates
    worst = int(np.argmax(np.abs(off)))
    slow = ", ".join(f"{names[j]} {count[j] / length:.3g}" for j in sorted(order[active:]))
    remark = (
        f"slow straggle at {rates[-1]:.3g}, active at {rates[0]:.3g}; slow ones: {slow}; "
        f"farthest from its class: {names[order[worst]]} at {hits[worst] / length:.3g}"
    )
    return float(off[worst]), float((1 + reached) / (1 + SAMPLES)), remark


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
