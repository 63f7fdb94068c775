"""Bugs in the search for the best system."""

from __future__ import annotations

from bench.planted.bug import Bug

_CANDIDATE = "fastgc/planning/candidate.py"
_SEARCH = "fastgc/planning/search.py"

BUGS = (
    Bug(
        "next-rank",
        _CANDIDATE,
        "math.ceil(level * self.trials) - 1)",
        "math.ceil(level * self.trials))",
        "a sampled quantile is one rank too high",
        tests=(
            "tests/planning/test_planning_samples.py"
            "::test_a_sampled_quantile_is_the_least_value_that_the_level_is_reached_at",
        ),
        counts=False,
    ),
    Bug(
        "always-median",
        "fastgc/planning/timed_system.py",
        "float(law.quantile(level))",
        "float(law.quantile(0.5))",
        "exact ranking is by the median whatever level is asked for",
        tests=("tests/planning/test_planning.py::test_the_best_of_all_one_by_one",),
        counts=False,
    ),
    Bug(
        "half-interval",
        _CANDIDATE,
        "spread = half * math.sqrt(",
        "spread = 0.5 * half * math.sqrt(",
        "the interval of a sampled quantile is half as wide",
        tests=(
            "tests/planning/test_planning_samples.py"
            "::test_coverage_of_intervals_of_what_is_sampled",
        ),
        counts=False,
    ),
    Bug(
        "level-for-each",
        _SEARCH,
        "(1 - table.confidence) / (size * comparisons)",
        "1 - table.confidence",
        "the level is not shared out among comparisons",
        tests=(
            "tests/planning/test_planning_samples.py"
            "::test_the_best_of_nearly_equal_systems_is_seldom_dropped",
        ),
        counts=False,
    ),
    Bug(
        "bare-quantiles",
        _SEARCH,
        "return one.interval(self._z)[0] > leader.interval(self._z)[1]",
        "return one.value > leader.value",
        "sampled quantiles are compared without their intervals",
        tests=(
            "tests/planning/test_planning_samples.py"
            "::test_the_best_of_nearly_equal_systems_is_seldom_dropped",
        ),
        counts=False,
    ),
    Bug(
        "unpaired",
        "fastgc/planning/ranking.py",
        "_, error = moments((base - ratio * own) * (own.size / math.fsum(own)))",
        "error = math.hypot(moments(base)[1], ratio * moments(own)[1]) * own.size / math.fsum(own)",
        "gains over uncoded work forget that draws are common: only wider",
        tests=(
            "tests/planning/test_planning_samples.py"
            "::test_gains_have_the_standard_error_of_a_ratio_on_common_draws",
        ),
        counts=False,
    ),
)
