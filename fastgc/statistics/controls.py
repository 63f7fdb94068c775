"""Means with less variance from the same trials: strata of known weights, controls of known means.

The estimates are functions of exact sums, so shards, merges and resumed runs give the same bits.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.statistics.estimates import Estimate, least_many

#: Trials that are expected in a stratum, at least; those with fewer go with their neighbours.
LEAST_IN_STRATUM = 50
#: Fewer trials are not worth a slope.
LEAST_TRIALS = 100
#: What less of the variance is not worth a word.
WORTH_SAYING = 1.1
#: So many more residuals than were seen are in every standard error.
UNSEEN = 2.0
#: Of so many residuals a pilot tells the size.
TYPICAL = 10
#: Binary digits of what a pilot says.
_DIGITS = 12
#: Values of a pilot that differ by no more, relative to the largest, are the same but for rounding.
_ALIKE = 1e-9
#: Share of a control's variance that others do not explain, below which it says nothing new.
_NEW = 1e-10


class Stratum(NamedTuple):
    """Trials of a stratum, Σy of their values and Σc of their controls; and its probability."""

    number: Fraction
    total: Fraction
    control: Fraction
    weight: float


@dataclass(frozen=True)
class ControlPilot:
    """What trials that are no part of a sample say of its mean: how it is to be estimated.

    Which estimate is taken, and with which slope, must not depend on the sample that is estimated:
    its mean would be biased.

    * ``others``: share of the trials that do not have the most frequent value.
    * ``variance``, ``left``: of the values, and of what strata and control leave of them.
    * ``size``: of what is left: √(Σr⁴/Σr²). As many r of this size as there are trials with one
      have the same sums. Where too few have one, the range of the values.
    * ``is_typical``: whether many have one.
    * ``slope``: of the values on the control, within strata.

    >>> values = np.arange(400.0) % 7
    >>> found = pilot(values, (values > 3).astype(float))
    >>> found.is_worth(50), found.is_worth(1000)
    (False, True)
    """

    others: float
    variance: float
    left: float
    size: float
    is_typical: bool
    slope: float = 1.0

    def is_worth(self, trials: int, strata: int = 1) -> bool:
        """Return whether a mean over so many trials is estimated with less variance."""
        if trials < LEAST_TRIALS or self.others * trials < least_many(trials):
            return False
        left = self.left * (1 + (strata - 1) / trials) + UNSEEN * self.size**2 / trials
        return self.variance > WORTH_SAYING * left

    def unseen(self, trials: int, largest: float) -> float:
        """Return what is added to the variance for what is rare, and may not have been seen."""
        size = self.size if self.is_typical else max(self.size, largest)
        return UNSEEN * (size / trials) ** 2


def pilot(
    values: Values,
    control: Values,
    place: NDArray[np.int64] | None = None,
    slope: float | None = None,
) -> ControlPilot:
    """Return what a pilot's values (T,) say, beside a control (T,) and in strata.

    ``place`` (T,): the stratum of each trial, one by default; ``slope``: where it is known; else
    that of least squares within the strata.
    """
    trials = values.size
    own = np.zeros(trials, np.int64) if place is None else place
    y, c = (_around(each, own) for each in (values, control))
    if slope is None:
        square = math.fsum(c * c)
        slope = _rounded(math.fsum(c * y) / square) if square > 0 else 0.0
    squares = (y - slope * c) ** 2
    second, fourth = math.fsum(squares), math.fsum(squares * squares)
    spread = math.fsum(_around(values, np.zeros_like(own)) ** 2)
    mode = np.sort(values)[trials // 2]
    others = np.count_nonzero(np.abs(values - mode) > _ALIKE * np.abs(values).max())
    is_typical = second * second >= TYPICAL * fourth > 0
    size = math.sqrt(fourth / second) if is_typical else float(np.ptp(values))
    free = max(1, trials - np.unique(own).size)
    return ControlPilot(
        others / trials, spread / (trials - 1), second / free, _rounded(size), is_typical, slope
    )


def _around(values: Values, group: NDArray[np.int64]) -> Values:
    # all sums are rounded once
    found = np.empty(values.size)
    for number in range(int(group.max()) + 1):
        own = group == number
        if own.any():
            found[own] = values[own] - math.fsum(values[own]) / np.count_nonzero(own)
    return found


def _rounded(number: float) -> float:
    # so few binary digits that it is the same wherever it is nearly the same
    mantissa, exponent = math.frexp(number)
    return math.ldexp(round(math.ldexp(mantissa, _DIGITS)), exponent - _DIGITS)


def stratified(
    plain: Estimate,
    strata: Sequence[Stratum],
    products: tuple[Fraction, Fraction, Fraction],
    control: float,
    largest: float,
    how: str,
    by: Callable[[NDArray[np.int64]], ControlPilot],
    reference: float = 0.0,
) -> Estimate:
    """Return a mean by post-stratification, with a control within the strata.

    * ``plain``: the mean over all trials.
    * ``strata``: in an order in which neighbours are alike: those in which few trials are expected
      are joined.
    * ``products`` ((Σy², Σyc, Σc²)): over all trials.
    * ``control``: mean of the control; one that is always 0 counts as none.
    * ``largest``: the largest value.
    * ``how``: what the estimate's note calls this.
    * ``by``: returns, of the groups in which strata are joined, whether it is worth while, with
      which slope, and how large what strata and control leave is: if rare, it may be unseen.
    * ``reference``: what was subtracted from all values that are summed, not from ``plain``.

    Returns ``plain`` where it is not worth while, or trials were not tallied so.

    With weights w, means ȳ and c̄ within G strata, and the pilot's slope b, the estimate is
    Σ w ȳ − b (Σ w c̄ − μ), without bias. Its variance over T trials is taken as
    v/T · (1 + (G − 1)/T) + 2 (r/T)², where v is that of the residuals (Cochran, Sampling
    Techniques, 1977, Section 5A.9), and r their size: as if two more had been seen (Agresti and
    Coull, Am. Stat. 52, 1998).

    >>> none = Fraction(0)
    >>> strata = [Stratum(Fraction(n), Fraction(y), none, 0.5) for n, y in ((60, 6), (40, 36))]
    >>> sums = Fraction(42), none, none
    >>> found = ControlPilot(others=.5, variance=.25, left=.09, size=.8, is_typical=True, slope=0.0)
    >>> plain = Estimate(0.42, 0.0496, 100)
    >>> mean = stratified(plain, strata, sums, 0.0, 1.0, "two halves", lambda _: found)
    >>> mean.value, mean.note
    (0.5, 'two halves: 2.3 × less variance')
    """
    trials = plain.trials or 0
    if sum(stratum.number for stratum in strata) != trials:
        return plain
    # neighbours are joined until enough trials are expected in each group
    groups = np.zeros(len(strata), np.int64)
    number, expected = 0, 0.0
    for place, stratum in enumerate(strata):
        groups[place] = number
        expected += stratum.weight * trials
        if expected >= LEAST_IN_STRATUM:
            number, expected = number + 1, 0.0
    groups = np.minimum(groups, max(0, number - 1))
    own: list[Stratum] = []
    for group in range(int(groups.max()) + 1):
        part = [each for each, its in zip(strata, groups, strict=True) if its == group]
        number_of, total, beside, weight = zip(*part, strict=True)
        own.append(Stratum(sum(number_of), sum(total), sum(beside), sum(weight)))
    found = by(groups)
    if not found.is_worth(trials, len(own)) or any(stratum.number == 0 for stratum in own):
        return plain
    of_values, of_both, of_controls = products
    yy = float(of_values - sum(s.total**2 / s.number for s in own))
    yc = float(of_both - sum(s.total * s.control / s.number for s in own))
    cc = float(of_controls - sum(s.control**2 / s.number for s in own))
    value = math.fsum(s.weight * float(s.total / s.number) for s in own)
    away = math.fsum(s.weight * float(s.control / s.number) for s in own)
    slope = found.slope
    spread = max(0.0, yy - 2 * slope * yc + slope * slope * cc) / (trials - len(own))
    variance = spread * (1 + (len(own) - 1) / trials) / trials + found.unseen(trials, largest)
    return _better(plain, reference + (value - slope * (away - control)), variance, how)


def regressed(
    plain: Estimate, rest: Estimate, control: float, largest: float, how: str, by: ControlPilot
) -> Estimate:
    """Return a mean from that of what is left of the values without a control of known mean.

    ``plain``: the mean of the values; ``rest``: the mean of value − control, over the same trials;
    ``control``: the control's mean; ``largest``: the largest value; ``how``: what the estimate's
    note calls this; ``by``: says whether it is worth while; see `stratified`.

    Returns ``plain`` where it is not worth while.

    >>> by = ControlPilot(others=1.0, variance=4.0, left=1.0, size=0.0, is_typical=True)
    >>> regressed(Estimate(2.0, 0.2, 100), Estimate(0.9, 0.1, 100), 1.0, 9.0, "a control", by)
    1.90(10)
    """
    trials = plain.trials or 0
    if rest.value is None or rest.standard_error is None or not by.is_worth(trials):
        return plain
    variance = rest.standard_error**2 + by.unseen(trials, largest)
    return _better(plain, rest.value + control, variance, how)


def _better(plain: Estimate, value: float, variance: float, how: str) -> Estimate:
    assert plain.standard_error is not None
    factor = plain.standard_error**2 / variance if variance > 0 else 1.0
    error = math.sqrt(variance)
    found = replace(plain, value=value, standard_error=error, variance_reduction=factor)
    found = replace(found, note=None, others=None)
    if factor < WORTH_SAYING:
        return found
    shown = f"{factor:.0f}" if factor >= 10 else f"{factor:.1f}"
    return found.noting(f"{how}: {shown} × less variance")


def slopes(values: Values, controls: Values) -> Values:
    """Return the slopes (m,) of values (T,) on controls (m, T), by least squares.

    A control that others explain has slope 0. All sums are rounded once: the same bits everywhere.

    >>> controls = np.array([[1.0, 2.0, 3.0, 5.0], [2.0, 4.0, 6.0, 10.0]])
    >>> slopes(np.array([2.0, 4.0, 6.0, 10.0]), controls).tolist()
    [2.0, 0.0]
    """
    beside, *around = (row - math.fsum(row) / row.size for row in (values, *controls))
    sizes = np.array([math.sqrt(math.fsum(row * row)) or 1.0 for row in around])
    left = [i for i, row in enumerate(around) if row.any()]
    apart = {i: around[i] / sizes[i] for i in left}
    own = {(i, j): math.fsum(apart[i] * apart[j]) for i in left for j in left}
    s = {i: math.fsum(apart[i] * beside) for i in left}
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
    return np.asarray(found / sizes)
