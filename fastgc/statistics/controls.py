"""Means with less variance for the same trials: strata and controls whose means are known.

Both estimates are functions of exact sums, so that shards, merges and resumed runs give the same
bits. They keep the mean that they estimate: the bias is of the order of 1 over the trials.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from fastgc.statistics.estimates import Estimate, covariance, rests_on_few

#: Trials that are expected in a stratum, at least; those with fewer go with their neighbours.
LEAST_IN_STRATUM = 50
#: Trials for each control, at least.
LEAST_FOR_CONTROL = 50
#: What less of the variance is not worth a word.
WORTH_SAYING = 1.1
#: Share of a control's variance that others do not explain, below which it says nothing new.
_NEW = 1e-10


def stratified(
    plain: Estimate,
    sums: tuple[Fraction, Fraction],
    strata: Sequence[tuple[Fraction, Fraction]],
    weights: Sequence[float],
    largest: float,
    how: str,
    reference: float = 0.0,
) -> Estimate:
    """Return a mean as that of strata, each with its known weight (post-stratification).

    Parameters
    ----------
    plain : Estimate
        The mean over all trials.
    sums : (Σy, Σy²)
        Of a trial's value y, over all trials.
    strata : sequence of (number, Σy)
        In an order in which neighbours are alike; trials of each stratum.
    weights : sequence of float
        Probability of each stratum.
    largest : float
        The largest value seen: one of it in all trials is the least standard error, for in strata
        where all trials gave one value another might come.
    how : str
        What the estimate's note calls it.
    reference : float
        What was subtracted from the values that ``plain`` is the mean of.

    Returns
    -------
    Estimate
        ``plain`` where trials are few, were not counted by strata, or gain nothing.

    Notes
    -----
    With w the weights the estimate is Σ w ȳ, its variance v/T · (1 + (G − 1)/T), where v is the
    variance within the G strata (Cochran, Sampling Techniques, 1977, Section 5A.9).
    """
    trials = plain.trials or 0
    if not _is_reducible(plain) or sum(number for number, _ in strata) != trials:
        return plain
    own = _joined(strata, weights, trials)
    groups = len(own)
    if groups < 2 or any(number == 0 for number, _, _ in own):
        return plain
    value = reference + math.fsum(weight * float(total / number) for number, total, weight in own)
    within = sums[1] - sum(total * total / number for number, total, _ in own)
    spread = max(0.0, float(within)) / (trials - groups)
    variance = spread / trials * (1 + (groups - 1) / trials)
    return _reduced(plain, value, max(variance, (largest / trials) ** 2), how)


def _joined(
    strata: Sequence[tuple[Fraction, Fraction]], weights: Sequence[float], trials: int
) -> list[tuple[Fraction, Fraction, float]]:
    """Strata with their weights, neighbours joined until enough trials are expected in each."""
    own: list[tuple[Fraction, Fraction, float]] = []
    number, total, weight = Fraction(0), Fraction(0), 0.0
    for (count, values), share in zip(strata, weights, strict=True):
        number, total, weight = number + count, total + values, weight + share
        if weight * trials >= LEAST_IN_STRATUM:
            own.append((number, total, weight))
            number, total, weight = Fraction(0), Fraction(0), 0.0
    if own:
        last = own.pop()
        own.append((last[0] + number, last[1] + total, last[2] + weight))
    return own


def controlled(
    plain: Estimate,
    sums: tuple[Fraction, Fraction],
    controls: Sequence[Fraction],
    products: Sequence[Fraction],
    beside: Sequence[Fraction],
    means: Sequence[float],
    how: str,
) -> Estimate:
    """Return a mean by linear regression on controls whose means are known.

    Parameters
    ----------
    plain, sums, how
        As for `stratified`.
    controls, beside : sequence of Fraction (m,)
        Σc and Σyc of each control c.
    products : sequence of Fraction
        Σcc' of each two, each with itself first: (0, 0), (0, 1), …, (1, 1), (1, 2), …
    means : sequence of float (m,)
        Of each control.

    Returns
    -------
    Estimate
        ``plain`` where trials are few, or gain nothing.

    Notes
    -----
    With b the slopes the estimate is ȳ − b·(c̄ − μ); its variance is that of the residuals,
    v (1/T + (c̄ − μ)ᵀ (Σ(c − c̄)(c − c̄)ᵀ)⁻¹ (c̄ − μ)), with v over T − m − 1 degrees of freedom
    (Lavenberg and Welch, Management Science, 1981).
    """
    trials, m = plain.trials or 0, len(means)
    if not _is_reducible(plain) or trials < LEAST_FOR_CONTROL * (m + 1):
        return plain
    places = iter(products)
    spreads = [[0.0] * m for _ in range(m)]
    for i in range(m):
        for j in range(i, m):
            both = covariance(trials, controls[i], controls[j], next(places))
            spreads[i][j] = spreads[j][i] = both
    slopes = [covariance(trials, sums[0], c, yc) for c, yc in zip(controls, beside, strict=True)]
    away = [float(c / trials) - mean for c, mean in zip(controls, means, strict=True)]
    explained, moved, leverage, used = _eliminated(spreads, slopes, away)
    free = trials - used - 1
    if not used or free < 1:
        return plain
    spread = covariance(trials, sums[0], sums[0], sums[1])
    rest = max(0.0, spread - explained) * (trials - 1) / free
    assert plain.value is not None
    variance = rest * (1 / trials + leverage / (trials - 1))
    return _reduced(plain, plain.value - moved, variance, how)


def _eliminated(
    spreads: list[list[float]], beside: Sequence[float], away: Sequence[float]
) -> tuple[float, float, float, int]:
    """Return sᵀS⁻¹s, sᵀS⁻¹d and dᵀS⁻¹d, and on how many controls they rest.

    S are the controls' ``spreads``, s those ``beside`` the value, d how far they are ``away`` from
    their means. By Cholesky's elimination, largest pivot first, of controls of variance 1; what
    others explain already is left out.
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
    return explained, moved, leverage, used


def _is_reducible(plain: Estimate) -> bool:
    """Whether a mean has an error, and enough events for one smaller than that to be trusted."""
    return bool(plain.standard_error) and bool(plain.trials) and not rests_on_few(plain)


def _reduced(plain: Estimate, value: float, variance: float, how: str) -> Estimate:
    """Return the better estimate, saying by how much its variance is smaller."""
    assert plain.standard_error is not None
    factor = plain.standard_error**2 / variance if variance > 0 else 1.0
    if factor < WORTH_SAYING or not plain.least <= value <= plain.most:
        return plain
    better = replace(
        plain, value=value, standard_error=math.sqrt(variance), variance_reduction=factor
    )
    shown = f"{factor:.0f}" if factor >= 10 else f"{factor:.1f}"
    return better.noting(f"{how}: {shown} × less variance")
