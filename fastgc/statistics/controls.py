"""Means with less variance from the same trials: strata of known weights, controls of known means.

The estimate is a function of exact sums, so that shards, merges and resumed runs give the same
bits. It estimates the same mean, with a bias of the order of 1 over the trials.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fastgc.statistics.estimates import Estimate, rests_on_few

#: Trials that are expected in a stratum, at least; those with fewer go with their neighbours.
LEAST_IN_STRATUM = 50
#: Trials for each control, at least.
LEAST_FOR_CONTROL = 50
#: What less of the variance is not worth a word.
WORTH_SAYING = 1.1
#: Share of a control's variance that others do not explain, below which it says nothing new.
_NEW = 1e-10


@dataclass(frozen=True)
class Stratum:
    """What is summed over the trials of a stratum, and its probability.

    Attributes
    ----------
    number : Fraction
        Trials.
    total : Fraction
        Σy of their values.
    controls : tuple of Fraction
        Σc of each control.
    weight : float
    """

    number: Fraction
    total: Fraction
    controls: tuple[Fraction, ...]
    weight: float

    def with_(self, other: Stratum) -> Stratum:
        """Return both as one."""
        controls = tuple(a + b for a, b in zip(self.controls, other.controls, strict=True))
        number, total = self.number + other.number, self.total + other.total
        return Stratum(number, total, controls, self.weight + other.weight)


@dataclass(frozen=True)
class Products:
    """Sums of products over all trials.

    Attributes
    ----------
    squares : Fraction
        Σy².
    controls : sequence of Fraction
        Σcc' of each two controls, each with itself first: (0, 0), (0, 1), …, (1, 1), (1, 2), …
    beside : sequence of Fraction
        Σyc of each control.
    """

    squares: Fraction
    controls: Sequence[Fraction] = ()
    beside: Sequence[Fraction] = ()


def reduced(
    plain: Estimate,
    strata: Sequence[Stratum],
    products: Products,
    means: Sequence[float],
    how: str,
    largest: float = 0.0,
    reference: float = 0.0,
) -> Estimate:
    """Return a mean by post-stratification and linear regression on controls within the strata.

    Parameters
    ----------
    plain : Estimate
        The mean over all trials.
    strata : sequence of Stratum
        In an order in which neighbours are alike: those in which few trials are expected are
        joined. One that has all trials leaves the regression alone.
    products : Products
    means : sequence of float
        Of the controls.
    how : str
        What the estimate's note calls this.
    largest : float
        The largest value that one more trial may add to what strata and controls explain: where
        they explain almost everything, what they do not is rare and may not have been seen.
    reference : float
        What was subtracted from all values y that are summed, not from ``plain``.

    Returns
    -------
    Estimate
        ``plain`` where trials or events are few, were not tallied so, or nothing is gained.

    Notes
    -----
    With weights w, means ȳ and c̄ within G strata, and b the m slopes within them, the estimate is
    Σ w ȳ − b·(Σ w c̄ − μ). Its variance is taken as v/T · (1 + (G − 1)/T) + v dᵀC⁻¹d + (largest/T)²,
    where v is that of the residuals over T − G − m degrees of freedom, d = Σ w c̄ − μ, and C the
    controls' sums of squares within strata (Cochran, Sampling Techniques, 1977, Sections 5A.9 and
    7.3; Lavenberg and Welch, Management Science, 1981).

    Examples
    --------
    >>> strata = [Stratum(Fraction(60), Fraction(6), (), 0.5)]
    >>> strata += [Stratum(Fraction(40), Fraction(36), (), 0.5)]
    >>> plain = Estimate(0.42, 0.0496, 100)
    >>> mean = reduced(plain, strata, Products(Fraction(42)), (), "two halves")
    >>> mean.value, mean.note
    (0.5, 'two halves: 2.7 × less variance')
    """
    trials = plain.trials or 0
    if not plain.standard_error or rests_on_few(plain) or plain.value is None:
        return plain
    if sum(stratum.number for stratum in strata) != trials:
        return plain
    own = _joined(strata, trials)
    groups, m = len(own), len(means)
    if trials < LEAST_FOR_CONTROL * (m + 1) or any(stratum.number == 0 for stratum in own):
        return plain
    within = _Within(own)
    places = iter(products.controls)
    spreads = [[0.0] * m for _ in range(m)]
    for i in range(m):
        for j in range(i, m):
            spreads[i][j] = spreads[j][i] = within.of(next(places), i, j)
    slopes = [within.of(beside, i, None) for i, beside in enumerate(products.beside)]
    away = [within.mean(i) - mean for i, mean in enumerate(means)]
    fit = _eliminated(spreads, slopes, away)
    rest = max(0.0, within.of(products.squares, None, None) - fit.explained)
    if groups + fit.used == 1:  # nothing but the mean of all
        return plain
    spread = rest / (trials - groups - fit.used)
    variance = spread * ((1 + (groups - 1) / trials) / trials + fit.leverage)
    variance += (largest / trials) ** 2
    return _better(plain, reference + (within.mean(None) - fit.moved), variance, how)


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


class _Within:
    """Means and sums of squares within strata, of the value (None) and of controls by number."""

    def __init__(self, strata: Sequence[Stratum]) -> None:
        self._strata = strata

    def of(self, product: Fraction, i: int | None, j: int | None) -> float:
        """Return Σ (a − ā)(b − b̄) from Σab."""
        found = product
        for stratum in self._strata:
            if stratum.number:
                found -= _sum(stratum, i) * _sum(stratum, j) / stratum.number
        return float(found)

    def mean(self, i: int | None) -> float:
        """Return Σ w ā."""
        return math.fsum(s.weight * float(_sum(s, i) / s.number) for s in self._strata)


def _sum(stratum: Stratum, i: int | None) -> Fraction:
    return stratum.total if i is None else stratum.controls[i]


@dataclass(frozen=True)
class _Fit:
    """Of slopes s beside the value and of distances d: sᵀC⁻¹s, sᵀC⁻¹d, dᵀC⁻¹d, and C's rank."""

    explained: float
    moved: float
    leverage: float
    used: int


def _eliminated(
    spreads: Sequence[Sequence[float]], beside: Sequence[float], away: Sequence[float]
) -> _Fit:
    """Eliminate controls one after the other, the one that says most that is new first (Cholesky).

    Controls are taken as if all had variance 1, and left out where others explain them.
    """
    sizes = [math.sqrt(max(0.0, row[i])) for i, row in enumerate(spreads)]
    left = [i for i, size in enumerate(sizes) if size > 0]
    own = {(i, j): spreads[i][j] / (sizes[i] * sizes[j]) for i in left for j in left}
    s = {i: beside[i] / sizes[i] for i in left}
    d = {i: away[i] / sizes[i] for i in left}
    explained = moved = leverage = 0.0
    used = 0
    while left:
        pivot = max(left, key=lambda i: own[i, i])
        size = own[pivot, pivot]
        if size < _NEW:
            break
        left.remove(pivot)
        used += 1
        explained += s[pivot] * s[pivot] / size
        moved += s[pivot] * d[pivot] / size
        leverage += d[pivot] * d[pivot] / size
        for i in left:
            factor = own[i, pivot] / size
            s[i] -= factor * s[pivot]
            d[i] -= factor * d[pivot]
            for j in left:
                own[i, j] -= factor * own[pivot, j]
    return _Fit(explained, moved, leverage, used)


def _better(plain: Estimate, value: float, variance: float, how: str) -> Estimate:
    """Return the estimate of less variance, saying how much less."""
    assert plain.standard_error is not None
    factor = plain.standard_error**2 / variance if variance > 0 else 1.0
    if factor < WORTH_SAYING or not plain.least <= value <= plain.most:
        return plain
    found = replace(
        plain, value=value, standard_error=math.sqrt(variance), variance_reduction=factor
    )
    shown = f"{factor:.0f}" if factor >= 10 else f"{factor:.1f}"
    return found.noting(f"{how}: {shown} × less variance")
