"""The rules by which what was measured confirms or refutes what a case says: equivalence tests.

Confirmed means that the family-wise interval lies within the tolerance around the theory; refuted,
that it misses the theory, and that enough events say so.
"""

import math
import sys
from dataclasses import dataclass, replace
from statistics import NormalDist

from fastgc.registry.number_types import spaced
from fastgc.results import verdict_data
from fastgc.results.rows import MONTE_CARLO
from fastgc.statistics import estimates
from fastgc.statistics.estimates import FEW_EVENTS, Estimate, normal_quantile
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE, Case

TOLERANCE = 0.002  # of the larger of theory and measurement
TOLERANCE_AT_ZERO = 1e-4  # of the measure's scale, where the theory is 0
EQUAL = 1e-12  # sides of a strict relation that differ by no more are equal
MOST_TRIALS = 10**15  # more are no advice
#: Sampling stops at this share of the tolerance; what is left is for the value to be off by chance.
WIDTH = 0.55
TIGHT = 0.2  # a bound within this share of the measured value is not loose
SMALL = 0.05  # where no event is known, a half-width within this share of the number will do
USUAL = 1e-5  # significance of that half-width
LEAST_PROBABILITY = 1e-12  # smaller probabilities of a quantile's interval count as 0
ROUNDING = 1e-9  # what is exact is confirmed to this share of the theory
FLOOR = 1e-11  # of the scale: rounding of a value of which it is not known
CANCELLED = 1e-15  # of the scale: rounding of a theory of which it is not known
RESOLVED = 0.01  # of a theory: where rounding may be more, nothing is confirmed
INFINITE = "infinite"
#: What is 0 at least, and 0 where the code decodes exactly.
ERRORS = {"error", "mean_error", "error_by_survivors", "norm", "error_per_partition", "lost"}


@dataclass(frozen=True)
class Evidence:
    """What was measured of a case.

    ``estimate``: by the sharpest method that was taken; ``kurtosis``: of one trial's value, as
    sampled; None where it is not tallied; ``sampled``: A sample beside an exact value;
    ``certificate``, ``counterexample``: what decides a certainty, see the module `certainties`;
    ``within``: errors of up to so much are left where the certificate counts them as exact;
    ``obstacle``: why nothing could be measured; ``is_out_of_reach``: whether nothing can be: the
    statement is not reproducible; ``is_awaited``: whether a sample beside an exact value is still
    being drawn.
    """

    estimate: Estimate
    method: str = MONTE_CARLO
    kurtosis: float | None = None
    sampled: Estimate | None = None
    obstacle: str = ""
    is_awaited: bool = False
    is_out_of_reach: bool = False
    certificate: str = ""
    counterexample: verdict_data.Counterexample | None = None
    within: float = 0.0


#: What a finding says of what was measured.
_MEASURED = ("estimate", "method", "sampled", "kurtosis", "certificate", "counterexample")


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


def events(case: Case, evidence: Evidence) -> float:
    """Return on how many events a sampled value rests, or would if the theory were right.

    Events are trials with a value other than the least (of a probability: the rarer outcome). Of
    means that have no least value, T/κ trials count, with κ the kurtosis: what a share p of trials
    decides alone has a kurtosis of about 1/p. So it is for variances, whose relative error is
    √((κ − 1)/T).
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
    if estimate.spread and estimate.standard_error:
        seen = ((estimate.value or 0.0) / estimate.standard_error) ** 2
    if estimates.rests_on_few(estimate):
        seen = min(seen, estimates.events(estimate))
    return max(expected, seen)


def _range(estimate: Estimate) -> tuple[float, float]:
    return (0.0, 1.0) if estimate.proportion else (estimate.least, estimate.most)


# ---- how near a value is to a theory, and what rounding may have changed in either


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


def ends_and_value(estimate: Estimate) -> tuple[float, float, float]:
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
        return (1.0 - case.theory) - ends_and_value(estimate)[2]
    return estimate.value - case.theory


def size_of(case: Case, estimate: Estimate) -> float:
    """Return what a tolerance is a share of: theory or value, of a probability its rarer side."""
    both = [case.theory, case.theory if estimate.value is None else estimate.value]
    if estimate.proportion or estimate.ends is not None:
        both = [min(abs(p), abs(1.0 - p)) for p in both]
    return max(map(abs, both)) if both[0] else 0.0


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
    return rounding(case, estimate) <= RESOLVED * size if size else not case.rounding


def slack(case: Case, estimate: Estimate) -> float:
    """Return what rounding may put between two numbers that are equal."""
    size = size_of_theory(case, estimate)
    if case.theory == 0 and estimate.rounding is None and not is_probability(case, estimate):
        size = case.scale
    return ROUNDING * size + rounding(case, estimate)


# ---- verdicts


def tolerance(case: Case, estimate: Estimate) -> float:
    """Return how far from the theory the interval of a confirmed value may reach."""
    if case.digits is not None:
        return unit(case) + slack(case, estimate)
    # a finite statement with a tolerance counts how often samples do something
    if is_exact(estimate) and not (case.is_finite and case.tolerance):
        return slack(case, estimate)
    size = size_of(case, estimate)
    if size == 0:
        return TOLERANCE_AT_ZERO * case.scale
    return (TOLERANCE if case.tolerance is None else case.tolerance) * size


def target_half_width(case: Case, estimate: Estimate) -> float:
    """Return the half-width of the family-wise interval at which sampling stops."""
    return WIDTH * tolerance(case, estimate)


def half_width(case: Case, estimate: Estimate, significance: float) -> float:
    """Return the half-width of the interval that misses with probability ``significance``.

    Where all trials gave the same value nothing is known of the spread; then a different value
    has a probability of at most ln(1/significance)/trials, and is taken to differ by the scale.
    """
    if estimate.ends is not None:
        low, high, middle = ends_and_value(estimate)
        wider = normal_quantile(1 - significance) / normal_quantile(0.95)
        wider = 1.0 if estimate.standard_error is None else wider  # bounds hold for certain
        return wider * max(high - middle, middle - low)
    if estimate.trials is None:
        return 0.0 if estimate.standard_error is not None else math.inf
    if estimate.level is not None:
        value = estimate.value or 0.0
        return max(abs(end - value) for end in _ends(estimate, significance))
    if estimate.standard_error is None:
        return math.inf
    if _has_no_spread(case, estimate):
        return case.scale * math.log(1 / significance) / estimate.trials
    return NormalDist().inv_cdf(1 - significance / 2) * estimate.standard_error


def as_bound(case: Case, relation: str) -> Case:
    """Return a case without its digits, unless it is an equality: a printed bound is a bound."""
    return case if relation == "=" or case.digits is None else replace(case, digits=None)


def extreme_ends(case: Case, estimate: Estimate) -> tuple[float, float] | None:
    """Return between what a sampled largest or smallest value lies for certain; None of others.

    It is what was seen at least, or at most, and no more than the measure can be.
    """
    is_extreme = case.statistic in ("maximum", "minimum") and case.against is None
    if not is_extreme or estimate.trials is None or estimate.value is None:
        return None
    is_least = case.statistic == "minimum"
    return (estimate.least, estimate.value) if is_least else (estimate.value, estimate.most)


def decided_between(case: Case, relation: str, low: float, high: float, lost: float) -> bool | None:
    """Return whether a number holds that lies between these, but for rounding; None: it may."""
    theory, is_strict = case.theory, relation in ("<", ">")
    if relation in (">=", ">"):
        low, high, theory = -high, -low, -theory
    if low > theory + lost or (is_strict and low == theory):
        return False
    if relation == "=":
        return False if high < theory - lost else None
    return True if high + lost * is_strict < theory or (high == theory and not is_strict) else None


def p_value(case: Case, relation: str, estimate: Estimate) -> float:
    """Return the probability of a value at least so far on the wrong side if the claim is true."""
    case = as_bound(case, relation)
    if is_certainty(case, relation, estimate):
        return 0.0 if probability_against(case, estimate)[0] > 0 else 1.0
    if ends := extreme_ends(case, estimate):
        lost = slack(case, estimate)
        return 0.0 if decided_between(case, relation, *ends, lost) is False else 1.0
    if estimate.level is not None:
        # the smallest significance at which the interval misses the theory, to a factor 2
        p = 1.0
        while p > LEAST_PROBABILITY:
            low, high = _ends(estimate, p / 2)
            is_above = case.theory < low and relation in ("=", "<=", "<")
            if not is_above and not (case.theory > high and relation in ("=", ">=", ">")):
                return p
            p /= 2
        return 0.0
    if estimate.ends is None and (estimate.value is None or estimate.standard_error is None):
        is_less = math.isfinite(case.theory) and relation in ("=", "<=", "<")
        return 0.0 if is_less and _is_infinite(estimate) else 1.0
    if math.isinf(case.theory):
        return 0.0 if estimate.trials is None else 1.0
    off = difference(case, estimate)
    if relation in ("<", ">") and _is_equal(case, estimate):
        return 0.0
    if relation in ("<=", "<"):
        off = max(off, 0.0)
    elif relation in (">=", ">"):
        off = min(off, 0.0)
    off = max(0.0, abs(off) - unit(case))
    if is_exact(estimate):
        return 1.0 if off <= tolerance(case, estimate) - unit(case) else 0.0
    if off <= slack(case, estimate):
        return 1.0
    if estimate.ends is not None:
        half = half_width(case, estimate, USUAL)
        if estimate.standard_error is None:
            return 0.0 if off > half else 1.0
        return 2 * NormalDist().cdf(-off * normal_quantile(1 - USUAL) / half)
    if _has_no_spread(case, estimate):
        # all trials alike: an outcome that differs by the scale may just not have come yet
        return (1 - min(1.0, off / case.scale)) ** (estimate.trials or 1)
    assert estimate.standard_error is not None and estimate.value is not None
    error, above = estimate.standard_error, estimate.value - estimate.least
    if estimate.proportion or estimates.rests_on_few(estimate):
        low, high = _range(estimate)
        if -math.inf < low < case.theory < high < math.inf and estimate.trials:
            # values between a and b with mean t have at most the variance (t − a)(b − t)
            most = (case.theory - low) * (high - case.theory) / estimate.trials
            error = max(error, math.sqrt(most))
    elif math.isfinite(above) and above > 0:  # as if events came one by one: theirs is the spread
        error *= math.sqrt(max(1.0, (case.theory - estimate.least) / above))
    return 2 * NormalDist().cdf(-off / error)


def is_certainty(case: Case, relation: str, estimate: Estimate) -> bool:
    """Whether something is stated always or never to happen: one counterexample refutes it.

    That is a probability of 0 or 1, or what has no negative values and is stated to be 0.
    """
    is_of_errors = case.quantity in ERRORS and case.statistic in ("mean", "maximum", "variance")
    is_of_errors &= not (case.is_finite or case.against is not None or case.digits is not None)
    if estimate.value is None or not (is_of_errors or is_probability(case, estimate)):
        return False
    # a theory of 1 to rounding alone says nothing for certain
    is_always = case.theory == 1 and is_probability(case, estimate) and not case.rounding
    return (is_always and relation in ("=", ">=")) or (case.theory == 0 and relation in ("=", "<="))


def is_disproved(case: Case, relation: str, evidence: Evidence) -> bool:
    """Whether a counterexample refutes a certainty, whatever the number itself is."""
    stated = Estimate(case.theory, None)
    return evidence.counterexample is not None and is_certainty(case, relation, stated)


def probability_against(case: Case, estimate: Estimate) -> tuple[float, float]:
    """Return between what the probability of a counterexample to a certainty lies."""
    assert estimate.value is not None
    if estimate.failure is not None and case.theory == 1:
        return estimate.failure
    if estimate.ends is not None:
        low, high = estimate.ends
        return (1 - high, 1 - low) if case.theory else (low, high)
    off = abs(estimate.value - case.theory)
    is_counted = estimate.proportion and estimate.trials is not None
    if off <= max(estimate.noise, 0.0 if is_counted else slack(case, estimate)):
        off = 0.0  # what rounding leaves
    return (off, off) if estimate.trials is None else (off, 1.0)


def _is_equal(case: Case, estimate: Estimate) -> bool:
    if estimate.value is None or math.isinf(case.theory) or not is_exact(estimate):
        return False
    is_of_event = is_probability(case, estimate) and case.theory in (0.0, 1.0)
    if is_of_event or not is_resolved(case, estimate):
        return False  # a probability that differs from 0 or 1 by less than a float has
    share = EQUAL * size_of_theory(case, estimate)
    if estimate.rounding is None:
        return abs(difference(case, estimate)) <= (share if case.theory else EQUAL * case.scale)
    # what differs by more digits than these is not told to be equal by having been rounded
    lost = min(estimate.rounding, share) if case.theory else estimate.rounding
    return abs(difference(case, estimate)) <= share + lost


def _ends(estimate: Estimate, significance: float) -> tuple[float, float]:
    # by order statistics; infinite where no value is low or high enough
    low, high = estimate.interval(1 - significance)
    return -math.inf if low is None else low, math.inf if high is None else high


def may_reject(case: Case, evidence: Evidence) -> bool:
    """Return whether there are enough events for the normal law to hold in its tails."""
    estimate = evidence.estimate
    if extreme_ends(case, estimate):
        return True
    if is_certainty(case, "=", estimate) and probability_against(case, estimate)[0] > 0:
        return True
    if estimate.ends is not None and estimate.standard_error is not None:
        return ends_and_value(estimate)[2] ** 2 >= FEW_EVENTS * estimate.standard_error**2
    if estimate.trials is None or estimate.level is not None or _has_no_spread(case, estimate):
        return True
    if estimate.value is None:
        return _is_infinite(estimate)  # the law says so, not the sample
    if evidence.kurtosis is None and math.isinf(estimate.least) and not estimate.proportion:
        # nothing is known of events: the spread must be small beside the number
        size = max(abs(case.theory), abs(estimate.value or 0.0)) if case.theory else case.scale
        return half_width(case, estimate, USUAL) <= SMALL * size
    return events(case, evidence) >= FEW_EVENTS


def decide(
    case: Case, relation: str, evidence: Evidence, *, is_rejected: bool, significance: float
) -> verdict_data.Finding:
    """Return the verdict on a case, and what it rests on."""
    stated, case = case, as_bound(case, relation)
    estimate = evidence.estimate
    half = half_width(case, estimate, significance)
    measured = {key: getattr(evidence, key) for key in _MEASURED}
    finding = verdict_data.Finding(
        stated, verdict=verdict_data.UNDECIDED, half_width=half, **measured
    )
    if evidence.obstacle:
        name = NOT_REPRODUCIBLE if evidence.is_out_of_reach else verdict_data.UNDECIDED
        return replace(finding, verdict=name, reason=evidence.obstacle)
    if is_rejected:
        is_strict = relation in ("<", ">") and _is_equal(case, estimate)
        return replace(
            finding, verdict=verdict_data.REFUTED, reason=verdict_data.EQUAL_SIDES * is_strict
        )
    if estimate.value is None or math.isinf(case.theory):  # or there is no value
        is_less = relation in (">=", ">") and case.against is None
        if _is_infinite(estimate) and (math.isinf(case.theory) or is_less):
            return replace(finding, verdict=verdict_data.CONFIRMED)
        reason = estimate.note or "nothing was measured"
        if math.isinf(case.theory):
            reason = "a sample cannot show that a mean is infinite"
        return replace(finding, reason=reason)
    if is_certainty(case, relation, estimate):
        # nothing refutes it: a certificate confirms it, or an exact value of 0
        is_measured = estimate.trials is not None or estimate.ends is not None
        if evidence.certificate or (not is_measured and estimate.value == case.theory == 0):
            finding = replace(finding, within=evidence.within, is_absolute=True)
            return replace(finding, verdict=verdict_data.CONFIRMED)
        _, most = probability_against(case, estimate)
        if not is_measured:
            most = max(most, sys.float_info.epsilon / 2)  # what is nearer to 1 is not told from it
        seen = "no counterexample is known"
        if estimate.trials is not None and estimate.ends is None:
            most = -math.log(significance) / estimate.trials
            seen = f"no counterexample in {spaced(estimate.trials)} trials"
        reason = (
            f"{seen}, so that its probability is at most {most:.2g}; only a certificate decides "
            "what always or never happens: all sets of stragglers, or the code's structure"
        )
        return replace(finding, reason=reason)
    ends = extreme_ends(case, estimate)
    if ends and decided_between(case, relation, *ends, slack(case, estimate)):
        said = f"one trial has {estimate.value:.9g}"
        if (relation in ("<=", "<")) == (case.statistic == "maximum"):
            said = f"values are from {estimate.least:g} to {estimate.most:g}, whatever happens"
        return replace(finding, verdict=verdict_data.CONFIRMED, certificate=said)
    return _decide_value(case, relation, evidence, finding)


def _decide_value(
    case: Case, relation: str, evidence: Evidence, finding: verdict_data.Finding
) -> verdict_data.Finding:
    # what is measured beyond a bound is never confirmed; ``within`` is by how much the interval
    # reaches beyond, None where it does not
    estimate, half, is_bound = evidence.estimate, finding.half_width, relation != "="
    assert estimate.value is not None
    off, has_events = difference(case, estimate), may_reject(case, evidence)
    beyond = off if relation in ("<=", "<") else -off
    lost = slack(case, estimate) if is_exact(estimate) else 0.0
    if is_bound and has_events and -beyond > half + lost:
        loose = case.theory != 0 and abs(off) > TIGHT * abs(estimate.value)
        return replace(finding, verdict=verdict_data.LOOSE if loose else verdict_data.CONFIRMED)
    reach = max(0.0, beyond + half) if is_bound else abs(off) + half
    is_absolute = math.isfinite(reach) and (case.digits is not None or case.theory == 0)
    within: float | None = reach if math.isfinite(reach) else None
    if within is not None and not is_absolute:
        within /= max(abs(case.theory), abs(estimate.value))
    close = abs(off) + half <= tolerance(case, estimate) and is_resolved(case, estimate)
    holds = not is_bound or (beyond <= lost and relation in ("<=", ">="))
    finding = replace(finding, within=within, is_absolute=is_absolute)
    if close and holds and has_events:
        is_known = not is_bound or estimate.trials
        return replace(finding, verdict=verdict_data.CONFIRMED, within=within if is_known else None)
    reason, needed = _why_undecided(case, relation, evidence, half)
    if is_bound and has_events and beyond > lost:
        p = p_value(case, relation, estimate)
        reason = (
            f"measured beyond the bound by {beyond:.2g}, of which the probability is {p:.2g} "
            f"if it holds; {reason}"
        )
    return replace(finding, trials_needed=needed, reason=reason)


def _why_undecided(
    case: Case, relation: str, evidence: Evidence, half: float
) -> tuple[str, int | None]:
    estimate = evidence.estimate
    if math.isinf(half) and estimate.trials is None:
        return estimate.note or "its interval is not known", None
    if is_exact(estimate) and not is_resolved(case, estimate):
        most = rounding(case, estimate)
        return f"rounding may be {most:.2g}, too much to tell the two sides apart", None
    if is_exact(estimate):
        most = slack(case, estimate)
        return f"the two sides are equal to within {most:.2g}, and the relation is strict", None
    if estimate.ends is not None:
        said = f"the interval of the method {evidence.method} is ±{half:.2g}, too wide"
        return f"{said}; the exact method on fewer workers would decide", None
    assert estimate.trials is not None
    if case.statistic in ("maximum", "minimum"):
        said = f"a sample shows no {case.statistic} of what can happen; the exact method"
        is_worst = case.statistic == "maximum" and case.quantity == "error"
        return said + " or adversarial stragglers" * is_worst + " would decide", None
    if math.isinf(half):
        return f"{estimate.note or 'its spread is not known'}: no number of trials decides it", None
    count, goal, needed = events(case, evidence), target_half_width(case, estimate), None
    has_events = may_reject(case, evidence)
    if not has_events and count >= FEW_EVENTS:  # they are not tallied, see `may_reject`
        has_events, half = True, max(half, half_width(case, estimate, USUAL))
        goal = min(goal, SMALL * max(abs(case.theory), abs(estimate.value or 0.0)))
    if not has_events or half > goal:
        said = f"rests on {count:.0f} events, {FEW_EVENTS} are needed"
        more = FEW_EVENTS / count if count else 0.0
        if has_events:
            said = f"the interval is ±{half:.2g} after {spaced(estimate.trials)} trials"
            more = (half / goal) ** 2
        needed = math.ceil(estimate.trials * more) or None
        if needed and needed > MOST_TRIALS:
            said += "; more than can be drawn would do: take the exact method, on fewer workers"
        elif needed:
            said += f"; about {spaced(needed)} trials would do"
        return said, needed
    if relation == "=":
        return "off by more than is confirmed, and by less than is refuted; try another seed", None
    close = "the two sides are too close to each other to say which is larger"
    return close if relation in ("<", ">") else "more trials would decide", None


def _is_infinite(estimate: Estimate) -> bool:
    return estimate.value is None and estimate.note == INFINITE


def _has_no_spread(case: Case, estimate: Estimate) -> bool:
    if estimate.standard_error is None or not estimate.trials or estimate.ends is not None:
        return False
    return estimate.standard_error <= ROUNDING * case.scale / math.sqrt(estimate.trials)
