"""Bugs in tallies, estimates, verdicts, and in what samples and keeps trials."""

from __future__ import annotations

from bench.planted.bug import Bug

_ESTIMATES = "fastgc/statistics/estimates.py"
_ORDER_STATISTICS = "fastgc/statistics/order_statistics.py"
_SHARES = "fastgc/statistics/shares.py"
_VERDICTS = "fastgc/results/verdicts.py"
_REQUESTS = "fastgc/validation/requests.py"
_DECISION_RULES = "fastgc/validation/decision_rules.py"
_MEASURING = "fastgc/validation/measuring.py"

BUGS = (
    Bug(
        "ddof",
        _ESTIMATES,
        "one * other) / (trials * (trials - 1) * unit * unit)",
        "one * other) / (trials * trials * unit * unit)",
        "sample covariances are divided by T² instead of T (T − 1)",
        tests=("tests/statistics/test_estimates.py::test_mean_and_variance_by_definition",),
        counts=False,
    ),
    Bug(
        "wilson",
        _SHARES,
        "z * z / (4 * size * size)",
        "z * z / (2 * size * size)",
        "Wilson's interval: z²/2n² for z²/4n² under the root",
        tests=("tests/statistics/test_shares.py::test_wilson_by_definition",),
        counts=False,
    ),
    Bug(
        "few-outcomes",
        _SHARES,
        "special.betaincinv(outcomes + 1, trials - outcomes, 1 - tail)",
        "special.betaincinv(outcomes, trials - outcomes + 1, 1 - tail)",
        "Clopper and Pearson's upper end is that of one outcome fewer",
        tests=("tests/statistics/test_shares.py::test_of_few_outcomes_clopper_and_pearson",),
        counts=False,
    ),
    Bug(
        "late-quantile",
        _ORDER_STATISTICS,
        "if reached >= level * total:",
        "if reached > level * total:",
        "a quantile is one rank late where its level is hit exactly",
        tests=(
            "tests/statistics/test_estimates.py::test_a_quantile_is_where_the_level_is_reached",
        ),
        counts=False,
    ),
    Bug(
        "lost-maximum",
        "fastgc/statistics/tallies.py",
        "self.high = max(self.high, other.high)",
        "self.high = self.high",
        "merging histograms forgets the other maximum",
        tests=(
            "tests/statistics/test_tallies.py::test_merging_tallies_is_associative_and_commutative",
        ),
        counts=False,
    ),
    Bug(
        "covariance-once",
        _ESTIMATES,
        "aa - 2 * value * ac",
        "aa - value * ac",
        "standard error of a ratio: the covariance counts once instead of twice",
        tests=("tests/statistics/test_estimates.py::test_ratio_and_difference_by_definition",),
        counts=False,
    ),
    Bug(
        "fourth-moment",
        _ESTIMATES,
        "6 * square * s2",
        "4 * square * s2",
        "standard error of a variance: 4 s₁² s₂ for 6 s₁² s₂",
        tests=("tests/statistics/test_estimates.py::test_standard_error_of_a_variance",),
        counts=False,
    ),
    Bug(
        "conditional-spread",
        _ESTIMATES,
        "spread += -4 * m * ab",
        "spread += -2 * m * ab",
        "conditional variance: a cross term of its standard error is halved",
        tests=("tests/statistics/test_conditional_variance.py::test_by_definition",),
        counts=False,
    ),
    Bug(
        "shifted-bins",
        "kernels/fastgc_kernels/tally/sums.py",
        "(codes[i] >> HISTOGRAM_SHIFT)",
        "((codes[i] + (ONE << (HISTOGRAM_SHIFT - ONE))) >> HISTOGRAM_SHIFT)",
        "histogram: values go to the nearest edge, bins are shifted by half",
        tests=("tests/kernels/test_sums.py::test_histogram",),
        counts=False,
    ),
    Bug(
        "groups-of-64",
        "fastgc/results/stored.py",
        "            tally.merge(self.partial)\n",
        "            tally.merge(self.partial)\n"
        "            tally.trials -= self.partial.trials % 64\n",
        "a partial block counts only whole groups of 64 of its trials",
        ("self-check.run",),
    ),
    Bug(
        "early-partial",
        "fastgc/engine/units.py",
        "firsts = [number * size for number in blocks]",
        "firsts = [number * trials for number in blocks]",
        "a partial block begins at number × its own size: trials are drawn twice",
        ("self-check.run",),
    ),
    Bug(
        "same-shards",
        "fastgc/engine/limits.py",
        "return cls(range(own, full, shards)",
        "return cls(range(0, full, shards)",
        "all shards have the blocks of the first",
        ("self-check.run.shards",),
    ),
    Bug(
        "twice-as-wide",
        "fastgc/engine/limits.py",
        "half <= self.relative * abs(estimate.value)",
        "half <= 2 * self.relative * abs(estimate.value)",
        "relative_error is met at twice the half-width",
        ("self-check.stop",),
        counts=False,
    ),
    Bug(
        "lost-partial",
        "fastgc/results/store.py",
        "partial=partial,",
        "partial=None,",
        "a partial block is lost when a file is read again",
        ("self-check.run.reopened",),
    ),
    Bug(
        "complete-first",
        "fastgc/results/checkpointer.py",
        "path = self.partial if self.partial in found else self.path",
        "path = self.path if self.path in found else self.partial",
        "the complete file is continued although an interrupted extension is there",
        ("self-check.run",),
        counts=False,
    ),
    Bug(
        "brackets",
        "fastgc/statistics/numbers.py",
        "digits = 1 - math.floor(math.log10(standard_error))",
        "digits = -math.floor(math.log10(standard_error))",
        "a number's standard error in brackets has one digit too few",
        tests=("tests/report/test_answers.py::test_one_number",),
        counts=False,
    ),
    Bug(
        "holm",
        _VERDICTS,
        "alpha / (len(p_values) - place)",
        "alpha / max(1, len(p_values) - place - 1)",
        "Holm: the divisor is one too small",
        tests=("tests/results/test_verdicts.py::test_holm_by_hand",),
        counts=False,
    ),
    Bug(
        "half-alpha",
        _DECISION_RULES,
        "inv_cdf(1 - significance / 2)",
        "inv_cdf(1 - significance)",
        "intervals of verdicts: alpha is not halved",
        tests=("tests/validation/test_decision_rules.py::test_half_widths",),
        counts=False,
    ),
    Bug(
        "one-sided",
        _DECISION_RULES,
        "return 2 * NormalDist().cdf(-off / _error(case, estimate))",
        "return NormalDist().cdf(-off / _error(case, estimate))",
        "p-values are one-sided",
        tests=("tests/validation/test_decision_rules.py::test_p_value",),
        counts=False,
    ),
    Bug(
        "one-is-enough",
        _REQUESTS,
        "if not narrow or not may_reject(case, found):\n"
        "                return None  # too wide, or rests on too few events to be judged\n"
        '        return "half-width"\n',
        "if narrow and may_reject(case, found):\n"
        '                return "half-width"\n'
        "        return None\n",
        "validate stops when one case of an experiment is narrow enough instead of all",
        tests=("tests/validation/test_validation.py::test_right_theories_are_confirmed",),
        counts=False,
    ),
    Bug(
        "not-family-wise",
        _MEASURING,
        "Measured(alpha / max(1, sum(len(each.cases) for each in judged)))",
        "Measured(alpha)",
        "intervals of verdicts are not family-wise",
        tests=(
            "tests/validation/test_validation.py::test_the_level_is_shared_out_among_all_cases",
        ),
        counts=False,
    ),
    Bug(
        "few-events",
        _DECISION_RULES,
        "return events(case, evidence) >= FEW_EVENTS",
        "return True",
        "a statement may be rejected on any number of events",
        tests=(
            "tests/validation/test_decision_rules.py::test_why_it_is_undecided_and_what_would_decide_it",
        ),
        counts=False,
    ),
    Bug(
        "apart",
        _REQUESTS,
        "a.standard_error + b.standard_error",
        "(a.standard_error**2 + b.standard_error**2) ** 0.5",
        "difference of two variances on common draws: errors add as if independent",
        tests=(
            "tests/validation/test_validation.py"
            "::test_what_two_variances_on_common_draws_differ_by_is_no_surer_than_if_they_went_apart",
        ),
        counts=False,
    ),
)
