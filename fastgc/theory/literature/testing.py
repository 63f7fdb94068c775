"""Tests of many statements at once: Holm's procedure, normal p-values and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

from fastgc.theory.cases.tables import built
from fastgc.theory.common.arguments import check_probabilities
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import Cases

HOLM = "Holm, A Simple Sequentially Rejective Multiple Test Procedure (1979)"
LEHMANN = "Lehmann, Romano, Testing Statistical Hypotheses (2005)"


@paper.formula
def holm_rejections(p_values: Sequence[float], alpha: float) -> int:
    """How many of m hypotheses Holm's procedure rejects.

    The smallest p-value must be at most α/m, the next α/(m−1), and so on until one is not.

    >>> holm_rejections([0.01, 0.04, 0.03, 0.005], alpha=0.05)
    2
    """
    check_probabilities(alpha=alpha)
    m = len(p_values)
    rejected = 0
    for p in sorted(p_values):
        if p * (m - rejected) > alpha:
            break
        rejected += 1
    return rejected


@paper.claim("holm.printed", HOLM)
def _() -> Cases:
    """Of m hypotheses that with the smallest p-value is rejected if that is at most alpha/m, then
    the next if at most alpha/(m-1), until one is not: of .01, .04, .03 and .005 two at .05."""
    for p_values in (
        [0.01, 0.04, 0.03, 0.005],
        [0.02, 0.02, 0.02],
        [0.0125, 0.0126, 0.9, 0.9],
        [0.001, 0.02, 0.02, 0.05],
    ):
        theory = holm_rejections(p_values, 0.05)
        yield built("holm_rejections", theory, p_values=p_values, alpha=0.05)


@paper.formula
def normal_p_value(errors: float) -> float:
    """Chance that a normal number is at least so many standard errors off, on either side.

    >>> round(normal_p_value(1.959964), 6)
    0.05
    """
    return 2.0 * (1.0 - NormalDist().cdf(abs(errors)))


@paper.claim("p-value.printed", f"{LEHMANN}, Section 3.3")
def _() -> Cases:
    """A measured value z standard errors off on either side has the p-value P(|Z| >= z): .0455 at
    2, .0027 at 3."""
    for errors in (1.0, -2.0, 2.0, -3.0, 3.0):
        yield built("two_sided_p_value", normal_p_value(errors), errors=errors)


@paper.claim("half-width.printed", f"{LEHMANN}, Section 3.5")
def _() -> Cases:
    """A normal interval that misses with chance alpha reaches z_(1-alpha/2) standard errors to
    either side: 1.96 at .05, 2.576 at .01."""
    for significance in (0.05, 0.01, 1e-6):
        theory = NormalDist().inv_cdf(1.0 - significance / 2.0)
        yield built("half_width_in_errors", theory, significance=significance)


@paper.claim("rejection.events.derived", "Derived: the normal law needs events")
def _() -> Cases:
    """A probability above 0 is rejected on no fewer than 100 events: not on 50 of a million trials
    where there should be one, but on 150. (One event is enough where there should be none.)"""
    for events, may in ((50, 0), (99, 0), (150, 1)):
        yield built("may_be_rejected", may, events=events, trials=1_000_000)


@paper.claim("stop.all-narrow.derived", "Derived: an experiment serves all of its statements")
def _() -> Cases:
    """Sampling for several statements stops when the intervals of all of them are narrow enough,
    not of one."""
    for shares, enough in (([0.1, 0.1], 1), ([0.1, 1e-4], 0), ([1e-4, 0.1], 0), ([1e-4, 1e-4], 0)):
        yield built("stops", enough, trials=131_072, tolerances=shares)
