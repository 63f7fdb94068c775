"""Means with less variance from the same trials: strata of known weights, controls of known means.

The estimates are functions of exact sums, so that shards, merges and resumed runs give the same
bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastgc.statistics.estimates import Estimate, rests_on_few

#: Trials that are expected in a stratum, at least; those with fewer go with their neighbours.
LEAST_IN_STRATUM = 50
#: Fewer trials are not worth a slope.
LEAST_TRIALS = 100
#: What less of the variance is not worth a word.
WORTH_SAYING = 1.1
#: Share of a control's variance that others do not explain, below which it says nothing new.
_NEW = 1e-10


@dataclass(frozen=True)
class Stratum:
    """Trials of a stratum, Σy of their values and Σc of their controls; and its probability."""

    number: Fraction
    total: Fraction
    control: Fraction
    weight: float

    def with_(self, other: Stratum) -> Stratum:
        """Return both as one."""
        number, total = self.number + other.number, self.total + other.total
        return Stratum(number, total, self.control + other.control, self.weight + other.weight)


def stratified(
    plain: Estimate,
    strata: Sequence[Stratum],
    products: tuple[Fraction, Fraction, Fraction],
    control: float,
    largest: float,
    how: str,
    reference: float = 0.0,
) -> Estimate:
    """Return a mean by post-stratification, and regression on a control within the strata.

    Parameters
    ----------
    plain : Estimate
        The mean over all trials.
    strata : sequence of Stratum
        In an order in which neighbours are alike: those in which few trials are expected are
        joined.
    products : (Σy², Σyc, Σc²)
        Over all trials.
    control : float
        Mean of the control; one that is always 0 counts as none.
    largest : float
        The largest value. Where strata and control explain almost everything, the rest is rare and
        may not have been seen: the standard error is at least that of one more such value.
    how : str
        What the estimate's note calls this.
    reference : float
        What was subtracted from all values that are summed, not from ``plain``.

    Returns
    -------
    Estimate
        ``plain`` where trials or events are few, were not tallied so, or nothing is gained.

    Notes
    -----
    With weights w, means ȳ and c̄ within G strata, and b the slope within them, the estimate is
    Σ w ȳ − b (Σ w c̄ − μ), with a bias of the order of 1 over the trials T. Its variance is taken as
    v/T · (1 + (G − 1)/T) + v (Σ w c̄ − μ)²/C, where v is that of the residuals, C the control's sum
    of squares within strata (Cochran, Sampling Techniques, 1977, Sections 5A.9, 7.3).

    Examples
    --------
    >>> none = Fraction(0)
    >>> strata = [Stratum(Fraction(n), Fraction(y), none, 0.5) for n, y in ((60, 6), (40, 36))]
    >>> sums = Fraction(42), none, none
    >>> mean = stratified(Estimate(0.42, 0.0496, 100), strata, sums, 0.0, 1.0, "two halves")
    >>> mean.value, mean.note
    (0.5, 'two halves: 2.7 × less variance')
    """
    trials = plain.trials or 0
    if not plain.standard_error or rests_on_few(plain) or trials < LEAST_TRIALS:
        return plain
    if sum(stratum.number for stratum in strata) != trials:
        return plain
    own = _joined(strata, trials)
    if any(stratum.number == 0 for stratum in own):
        return plain
    yy, yc, cc = (
        float(product - sum(_of(s, a) * _of(s, b) / s.number for s in own))
        for product, a, b in zip(products, "yyc", "ycc", strict=True)
    )
    value, away = (
        math.fsum(s.weight * float(_of(s, a) / s.number) for s in own) for a in ("y", "c")
    )
    away -= control
    slope = yc / cc if cc > 0 else 0.0
    free = trials - len(own) - (cc > 0)
    spread = max(0.0, yy - slope * yc) / free
    variance = spread * (1 + (len(own) - 1) / trials) / trials
    variance += spread * away * away / cc if cc > 0 else 0.0
    value = reference + (value - slope * away)
    return _better(plain, value, max(variance, (largest / trials) ** 2), how)


def _of(stratum: Stratum, which: str) -> Fraction:
    return stratum.total if which == "y" else stratum.control


def _joined(strata: Sequence[Stratum], trials: int) -> list[Stratum]:
    """Neighbours joined until enough trials are expected in each."""
    own: list[Stratum] = []
    begun: Stratum | None = None
    for stratum in strata:
        begun = stratum if begun is None else begun.with_(stratum)
        if begun.weight * trials >= LEAST_IN_STRATUM:
            own.append(begun)
            begun = None
    if begun is not None:
        own.append(own.pop().with_(begun) if own else begun)
    return own


def regressed(plain: Estimate, rest: Estimate, control: float, how: str) -> Estimate:
    """Return a mean from that of what is left of the values without a control of known mean.

    Parameters
    ----------
    plain : Estimate
        The mean of the values.
    rest : Estimate
        The mean of value − control, over the same trials.
    control : float
        The control's mean.
    how : str
        What the estimate's note calls this.

    Returns
    -------
    Estimate
        ``plain`` where trials or events are few, or nothing is gained.

    Examples
    --------
    >>> regressed(Estimate(2.0, 0.2, 100), Estimate(0.9, 0.1, 100), 1.0, "a control")
    Estimate(1.9 [1.704, 2.096], 100 trials; a control: 4.0 × less variance)
    """
    if not plain.standard_error or rests_on_few(plain) or (plain.trials or 0) < LEAST_TRIALS:
        return plain
    if rest.value is None or rest.standard_error is None:
        return plain
    return _better(plain, rest.value + control, rest.standard_error**2, how)


def _better(plain: Estimate, value: float, variance: float, how: str) -> Estimate:
    """Return the estimate of less variance, saying how much less."""
    assert plain.standard_error is not None
    factor = plain.standard_error**2 / variance if variance > 0 else 1.0
    if factor < WORTH_SAYING or not plain.least <= value <= plain.most:
        return plain
    error = math.sqrt(variance)
    found = replace(plain, value=value, standard_error=error, variance_reduction=factor)
    shown = f"{factor:.0f}" if factor >= 10 else f"{factor:.1f}"
    return found.noting(f"{how}: {shown} × less variance")


def slopes(values: NDArray[np.float64], controls: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the slopes (m,) of values (T,) on controls (m, T), by least squares.

    A control that others explain has slope 0. All sums are rounded once: the same bits everywhere.

    Examples
    --------
    >>> controls = np.array([[1.0, 2.0, 3.0, 5.0], [2.0, 4.0, 6.0, 10.0]])
    >>> slopes(np.array([2.0, 4.0, 6.0, 10.0]), controls).tolist()
    [2.0, 0.0]
    """
    apart = [_scaled(row) for row in controls]
    beside = values - math.fsum(values) / values.size
    left = [i for i, (_, size) in enumerate(apart) if size > 0]
    own = {(i, j): math.fsum(apart[i][0] * apart[j][0]) for i in left for j in left}
    s = {i: math.fsum(apart[i][0] * beside) for i in left}
    order: list[int] = []
    while left:  # Cholesky's elimination, of the control that says most that is new first
        pivot = max(left, key=lambda i: own[i, i])
        if own[pivot, pivot] < _NEW:
            break
        left.remove(pivot)
        order.append(pivot)
        for i in left:
            factor = own[i, pivot] / own[pivot, pivot]
            s[i] -= factor * s[pivot]
            for j in left:
                own[i, j] -= factor * own[pivot, j]
    found = np.zeros(len(controls))
    for place in range(len(order) - 1, -1, -1):
        pivot = order[place]
        known = math.fsum(own[pivot, i] * found[i] for i in order[place + 1 :])
        found[pivot] = (s[pivot] - known) / own[pivot, pivot]
    sizes = np.array([size or 1.0 for _, size in apart])
    return np.asarray(found / sizes)


def _scaled(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Values around their mean, in units of the root of their sum of squares; and this unit."""
    around = values - math.fsum(values) / values.size
    size = math.sqrt(math.fsum(around * around))
    return around / (size or 1.0), size
