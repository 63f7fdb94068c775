"""What was measured of a case, and how far its spread can be trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from fastgc.results.rows import MONTE_CARLO
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import Case


@dataclass(frozen=True)
class Evidence:
    """What was measured of a case.

    Attributes
    ----------
    estimate : Estimate
        By the sharpest road that was taken.
    method : str
    kurtosis : float or None
        Of one trial's value, as sampled; None where it is not tallied.
    sampled : Estimate or None
        A sample beside an exact value.
    obstacle : str
        Why nothing could be measured.
    is_out_of_reach : bool
        Whether nothing can be: the statement is not reproducible.
    is_awaited : bool
        Whether a sample beside an exact value is still being drawn.
    """

    estimate: Estimate
    method: str = MONTE_CARLO
    kurtosis: float | None = None
    sampled: Estimate | None = None
    obstacle: str = ""
    is_awaited: bool = False
    is_out_of_reach: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether the value has no error of sampling."""
        return self.estimate.trials is None


def kurtosis(spread: Estimate) -> float | None:
    """Return the kurtosis of the values of which this is the variance.

    The variance of a sample variance over T trials is (κ − 1) v²/T but for terms in 1/T².
    """
    if not spread.value or not spread.standard_error or not spread.trials:
        return None
    return 1.0 + spread.trials * (spread.standard_error / spread.value) ** 2


def with_variance(estimate: Estimate, variance: float) -> Estimate:
    """Return the estimate of a mean with the law's own variance in place of a smaller sampled one.

    A sample that has missed what is rare is sure of itself: its own spread has missed it too.
    """
    if estimate.standard_error is None or not estimate.trials:
        return estimate
    error = max(estimate.standard_error, math.sqrt(variance / estimate.trials))
    return replace(estimate, standard_error=error)


def predicted_error(case: Case, estimate: Estimate) -> float:
    """Return the largest standard error that values can have if the theory is their mean.

    Values between a and b with mean t have at most the variance (t − a)(b − t); 0 where no range
    is known.
    """
    low, high = _range(estimate)
    if not estimate.trials or not low < case.theory < high or math.isinf(high - low):
        return 0.0
    return math.sqrt((case.theory - low) * (high - case.theory) / estimate.trials)


def events(case: Case, evidence: Evidence) -> float:
    """Return on how many events a sampled value rests, or would if the theory were right.

    Events are trials with a value other than the least (of a probability: the rarer outcome). Of
    means that have no least value, T/κ trials count, with κ the kurtosis: what a share p of trials
    decides alone has a kurtosis of about 1/p.
    """
    estimate = evidence.estimate
    trials = estimate.trials or 0
    low, high = _range(estimate)
    expected = 0.0
    if low < case.theory < high < math.inf:
        expected = trials * min(case.theory - low, high - case.theory) / (high - low)
    if estimate.proportion:
        return max(expected, trials * min(estimate.value or 0.0, 1.0 - (estimate.value or 0.0)))
    seen = math.inf if evidence.kurtosis is None else trials / evidence.kurtosis
    if estimates.rests_on_few(estimate):
        seen = min(seen, estimates.events(estimate))
    return max(expected, seen)


def _range(estimate: Estimate) -> tuple[float, float]:
    if estimate.proportion:
        return 0.0, 1.0
    return estimate.least, estimate.most
