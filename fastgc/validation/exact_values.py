"""How near an exact value is to a theory: what rounding may have changed in either, and no more."""

import sys

from fastgc.statistics.estimates import Estimate
from fastgc.theory.papers.claim import Case

ROUNDING = 1e-9  # what is exact is confirmed to this share of the theory
FLOOR = 1e-11  # of the scale: rounding of a value of which it is not known
CANCELLED = 1e-15  # of the scale: rounding of a theory of which it is not known
RESOLVED = 0.01  # of a theory: where rounding may be more, nothing is confirmed


def unit(case: Case) -> float:
    """Return half a unit of the last digit of a printed number; 0 of a formula."""
    return 0.0 if case.digits is None else 0.5 * 10.0**-case.digits


def is_probability(case: Case, estimate: Estimate) -> bool:
    """Return whether a case is about the probability of an event."""
    if case.is_finite or case.against is not None:
        return False
    of_event = case.statistic == "mean" and case.quantity in ("exact", "decodable", "survivors")
    return estimate.proportion or of_event or case.statistic.startswith("P(")


def is_exact(estimate: Estimate) -> bool:
    """Return whether a value has no error but rounding, and no bounds in place of itself."""
    return estimate.trials is None and estimate.ends is None


def interval_of(estimate: Estimate) -> tuple[float, float, float]:
    """Return the ends of an interval and its value; of failures where these have more digits."""
    assert estimate.value is not None
    if estimate.failure is None:
        low, high = estimate.ends or (estimate.value, estimate.value)
        return low, high, estimate.value
    low, high = estimate.failure
    return low, high, min(max(1.0 - estimate.value, low), high)


def difference(case: Case, estimate: Estimate) -> float:
    """Return value less theory; of what hardly fails by its failures, with more digits."""
    assert estimate.value is not None
    if estimate.failure is not None and is_probability(case, estimate):
        return (1.0 - case.theory) - interval_of(estimate)[2]
    return estimate.value - case.theory


def size_of(case: Case, estimate: Estimate) -> float:
    """Return what a tolerance is a share of: theory or value, of a probability its rarer side."""
    both = [case.theory, estimate.value if estimate.value is not None else case.theory]
    if estimate.proportion or estimate.ends is not None:
        both = [min(abs(p), abs(1.0 - p)) for p in both]
        if min(abs(case.theory), abs(1.0 - case.theory)) == 0:
            return 0.0
    elif case.theory == 0:
        return 0.0
    return max(abs(x) for x in both)


def size_of_theory(case: Case, estimate: Estimate) -> float:
    """Return the size of the theory; of a probability that of its rarer outcome."""
    size = abs(case.theory)
    return min(size, abs(1.0 - case.theory)) if is_probability(case, estimate) else size


def rounding(case: Case, estimate: Estimate) -> float:
    """Return by how much rounding may have changed an exact value and its theory, at most."""
    own = estimate.rounding or 0.0
    if estimate.rounding is None and estimate.ends is None:
        own = FLOOR * case.scale
    if case.theory in (0, 1):
        return own + (case.rounding or 0.0)
    lost = CANCELLED * case.scale if case.rounding is None else case.rounding
    return own + lost + (0.0 if estimate.failure is None else sys.float_info.epsilon)


def is_resolved(case: Case, estimate: Estimate) -> bool:
    """Return whether rounding leaves an exact value enough digits to be confirmed."""
    size = size_of_theory(case, estimate)
    if not is_exact(estimate) or case.theory == 0 or case.digits is not None:
        return True
    if size == 0:
        return not case.rounding
    return rounding(case, estimate) <= RESOLVED * size


def slack(case: Case, estimate: Estimate) -> float:
    """Return what rounding may put between two numbers that are equal."""
    size = size_of_theory(case, estimate)
    if case.theory == 0 and estimate.rounding is None and not is_probability(case, estimate):
        size = case.scale
    return ROUNDING * size + rounding(case, estimate)
