"""What fastgc draws, what it estimates of values that are given, and how it tests statements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fastgc.draws import streams
from fastgc.report.numbers import number
from fastgc.results import verdicts
from fastgc.statistics import estimates
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram, Tally
from fastgc.theory.papers.claim import Case
from fastgc.validation import decision_rules
from fastgc.validation.decision_rules import Evidence
from fastgc.validation.requests import Measuring, NarrowEnough, Request
from fastgc_kernels.draw import pairs, philox
from fastgc_kernels.tally import sums as kernel

Numbers = Sequence[float]


def _sum(values: Numbers, others: Numbers | None = None) -> Fraction:
    """Exact sum of the values, or of their products with others."""
    pairs = zip(values, others or [1.0] * len(values), strict=True)
    return sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction())


def _power_sums(values: Numbers) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    first, second, third, fourth = (
        _sum([float(x) ** power for x in values]) for power in (1, 2, 3, 4)
    )
    return first, second, third, fourth


def _joint(a: Numbers, b: Numbers) -> tuple[Fraction, Fraction, Fraction, Fraction, Fraction]:
    return _sum(a), _sum(a, a), _sum(b), _sum(b, b), _sum(a, b)


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def proportion_low(successes: int, trials: int, confidence: float = 0.95) -> float:
    """Lower end of the interval of a probability."""
    return _proportion(successes, trials, confidence)[0]


def proportion_high(successes: int, trials: int, confidence: float = 0.95) -> float:
    """Upper end of that interval."""
    return _proportion(successes, trials, confidence)[1]


def _proportion(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    hits = Fraction(successes)
    low, high = estimates.mean(trials, hits, hits, proportion=True).interval(confidence)
    return _known(low), _known(high)


def error_of_mean(values: Numbers) -> float:
    """Standard error of the mean over trials."""
    return _known(estimates.mean(len(values), _sum(values), _sum(values, values)).standard_error)


def estimated_variance(values: Numbers) -> float:
    """Estimate of the variance over trials."""
    return _known(estimates.variance(len(values), _power_sums(values)).value)


def error_of_variance(values: Numbers) -> float:
    """Standard error of that estimate."""
    return _known(estimates.variance(len(values), _power_sums(values)).standard_error)


def error_of_difference(first: Numbers, second: Numbers) -> float:
    """Standard error of a difference of means on common draws."""
    return _known(estimates.difference(len(first), _joint(first, second)).standard_error)


def error_of_ratio(numerators: Numbers, denominators: Numbers) -> float:
    """Standard error of a ratio of means on common draws."""
    sums = _joint(numerators, denominators)
    return _known(estimates.ratio(len(numerators), sums).standard_error)


def error_of_autocovariance(means: Numbers, products: Numbers) -> float:
    """Standard error of a covariance of iterations, from trials' means and mean products."""
    return _known(estimates.autocovariance(len(means), _joint(means, products)).standard_error)


def error_of_conditional_variance(trials: Sequence[Numbers]) -> float:
    """Standard error of the variance of values of which trials have different numbers."""
    a = [math.fsum(trial) for trial in trials]
    b = [math.fsum(x * x for x in trial) for trial in trials]
    c = [float(len(trial)) for trial in trials]
    own = (_sum(a), _sum(a, a), _sum(b), _sum(b, b), _sum(c), _sum(c, c))
    sums = (*own, _sum(a, b), _sum(a, c), _sum(b, c))
    return _known(estimates.conditional_variance(len(trials), sums).standard_error)


def _binned(values: Numbers) -> Histogram:
    """The histogram that a run makes of such values."""
    bins = np.zeros(kernel.HISTOGRAM_BINS, np.int64)
    extremes = np.array([np.inf, -np.inf])
    kernel.histogram(np.asarray(values, np.float64), bins, extremes)
    seen = np.flatnonzero(bins)
    counts = dict(zip(seen.tolist(), bins[seen].tolist(), strict=True))
    return Histogram(counts, *extremes.tolist())


def sampled_quantile(values: Numbers, level: float) -> float:
    """Quantile of trials' values."""
    return _known(estimates.quantile(_binned(values), level, len(values)).value)


def quantile_coverage(trials: int, level: float, confidence: float = 0.95) -> float:
    """Chance that a quantile lies within the order statistics that are its interval's ends.

    The trials' values are 1, 2, …, each in a bin of its own, so that the ends are their ranks r and
    s: the quantile lies between if r to s − 1 of the trials are below it, a binomial number.
    """
    values = [float(i) for i in range(1, trials + 1)]
    low, high = estimates.quantile(_binned(values), level, trials).interval(confidence)
    first = 0 if low is None else math.floor(low)
    last = trials if high is None else math.floor(high) - 1
    return math.fsum(
        math.comb(trials, below) * level**below * (1.0 - level) ** (trials - below)
        for below in range(first, last + 1)
    )


def merged_extreme(first: Numbers, second: Numbers, end: str) -> float:
    """Least ("low") or largest ("high") value of two samples whose tallies were merged."""
    merged = _merged(first, second).histograms[0]
    return merged.low if end == "low" else merged.high


def merged_quantile(first: Numbers, second: Numbers, level: float) -> float:
    """Quantile of two samples whose tallies were merged."""
    total = _merged(first, second)
    return _known(estimates.quantile(total.histograms[0], level, total.trials).value)


def merged_sum(first: Numbers, second: Numbers) -> float:
    """Sum of two samples whose tallies were merged."""
    return float(_merged(first, second).sums.value(0))


def _merged(first: Numbers, second: Numbers) -> Tally:
    total = _tallied(first)
    total.merge(_tallied(second))
    return total


def _tallied(values: Numbers) -> Tally:
    own = Tally.empty(1, 1)
    own.trials = len(values)
    own.sums.add(np.asarray(values, np.float64)[:, np.newaxis])
    own.histograms[0] = _binned(values)
    return own


def shown_value(value: float, error: float) -> float:
    """The number before the brackets in a table."""
    return float(number(value, error).partition("(")[0])


def shown_error(value: float, error: float) -> float:
    """The number in the brackets."""
    return float(number(value, error).partition("(")[2].rstrip(")"))


_TRIALS = 1_000_000
_ERROR = 1e-4


def holm_rejections(p_values: Sequence[float], alpha: float) -> float:
    """How many of the statements with these p-values are refuted."""
    return float(sum(verdicts.rejected(list(p_values), alpha)))


def two_sided_p_value(errors: float) -> float:
    """P-value of a measured mean so many standard errors from the theory."""
    estimate = Estimate(1.0 + errors * _ERROR, _ERROR, _TRIALS)
    return float(decision_rules.p_value(_case(), "=", estimate))


def half_width_in_errors(significance: float) -> float:
    """Half of the interval that misses with this chance, in standard errors."""
    estimate = Estimate(1.0, _ERROR, _TRIALS)
    return decision_rules.half_width(_case(), estimate, significance) / _ERROR


def _case() -> Case:
    """An equality with the theory 1."""
    return Case({}, 1.0, {}, "mean")


def summed_error(first: float, second: float) -> float:
    """Standard error of a difference of two variances on common draws, over the sum of both.

    The variances are those of frc's error with these probabilities to straggle.
    """
    tables = tuple(
        {
            "code": {"family": "frc", "n": 8, "d": 2},
            "stragglers": {"model": "iid", "p": p},
            "method": "monte-carlo",
        }
        for p in (first, second)
    )
    case = Case({}, 0.0, tables[0], "error", "variance", against=tables[1])
    each = Measuring(Request(tables, [case]), seed=1)
    tally = each.unit.run([0], each.unit.block).tally
    [difference] = each.sampled(tally)
    alone = [row[-1] for row in each.unit.rows(tally) if row[2] == "variance"]
    errors = [estimate.standard_error or 0.0 for estimate in (difference.estimate, *alone)]
    return errors[0] / sum(errors[1:])


def may_be_rejected(events: int, trials: int) -> float:
    """Whether a probability of one in the trials may be rejected where it was seen so often."""
    share = events / trials
    error = math.sqrt(share * (1.0 - share) / trials)
    estimate = Estimate(share, error, trials, proportion=True)
    return float(decision_rules.may_reject(Case({}, 1.0 / trials, {}, "exact"), Evidence(estimate)))


def stops(trials: int, tolerances: Sequence[float]) -> float:
    """Whether sampling of frc's mean error and variance stops after so many trials.

    Each is to be known to the given share of it.
    """
    table = {
        "code": {"family": "frc", "n": 8, "d": 2},
        "stragglers": {"model": "iid", "p": 0.3},
        "method": "monte-carlo",
    }
    truth = {"mean": 0.72, "variance": 1.3104}
    cases = [
        Case({}, truth[name], table, "error", name, tolerance=share)
        for name, share in zip(truth, tolerances, strict=True)
    ]
    each = Measuring(Request((table,), cases), seed=1)
    tally = each.unit.run(range(trials // each.unit.block), each.unit.block).tally
    return float(NarrowEnough(each, 0.01).reached(each.unit, tally) is not None)


def philox_word(counter: Sequence[int], key: Sequence[int], place: int) -> float:
    """One of the four words of a counter under a key, each given as words of 32 bits."""
    out = np.empty((1, 4), np.uint64)
    whole = np.uint64(key[0] | key[1] << 32)
    philox.words(np.array([counter], np.uint64), whole, out)
    return float(out[0, place])


def _numbers(seed: int, numbers: int) -> NDArray[np.float64]:
    even, odd = np.empty(numbers // 2), np.empty(numbers // 2)
    key = streams.key(seed, "exponential", "time")
    pairs.exponentials(key, np.uint64(0), 0, 0, even, odd)
    return np.concatenate([even, odd])


def exponential_difference(seed: int, numbers: int) -> float:
    """Largest relative difference of drawn exponential numbers from −log of the uniform ones."""
    even, odd = np.empty(numbers // 2), np.empty(numbers // 2)
    key = streams.key(seed, "exponential", "time")
    pairs.uniforms(key, np.uint64(0), 0, 0, even, odd)
    truth = -np.log(np.concatenate([even, odd]))
    return float(np.max(np.abs(_numbers(seed, numbers) - truth) / truth))


def largest_exponential(seed: int, numbers: int) -> float:
    """Largest of so many exponential numbers."""
    return float(_numbers(seed, numbers).max())


def equal_draws(first: int, second: int, numbers: int) -> float:
    """How many of so many draws agree under two seeds."""
    one, other = (streams.uniforms(seed, "draws", numbers) for seed in (first, second))
    return float(np.count_nonzero(one == other))
