"""Bugs in models of stragglers."""

from __future__ import annotations

from bench.planted.bug import Bug

_ROOM = "fastgc/stragglers"

BUGS = (
    Bug(
        "one-purpose",
        f"{_ROOM}/two_class.py",
        '~bernoulli(p_slow, batch, "class", iteration=0)',
        '~bernoulli(p_slow, batch, "straggle", iteration=0)',
        "two classes: classes and straggling are drawn from one stream",
        ("agc.remark2", "agc.shuffling.variance"),
    ),
    Bug(
        "not-stationary",
        f"{_ROOM}/markov.py",
        'bernoulli(self.straggle(n), batch, "straggle", iteration=0)',
        'bernoulli(after_ok, batch, "straggle", iteration=0)',
        "Markov chains start after an answer instead of in their stationary law",
        ("literature.markov",),
    ),
    Bug(
        "stationary-law",
        f"{_ROOM}/markov.py",
        "return after_ok / ((1.0 - after_straggle) + after_ok)",
        "return after_ok / (after_straggle + after_ok)",
        "Markov chains: wrong stationary law, in draws and on the exact road alike",
        ("literature.markov",),
    ),
    Bug(
        "one-lag-less",
        f"{_ROOM}/markov.py",
        "memory = (after_straggle - after_ok) ** lag",
        "memory = (after_straggle - after_ok) ** (lag - 1)",
        "Markov chains, exact road: correlation at lag h as at h − 1",
        ("literature.markov",),
        counts=False,
    ),
    Bug(
        "late-at-the-threshold",
        f"{_ROOM}/trace.py",
        "self.trace.pooled > self.limit",
        "self.trace.pooled >= self.limit",
        "trace, pooled: a time equal to the threshold straggles",
        tests=("tests/stragglers/test_trace.py::test_a_time_equal_to_the_threshold_is_in_time",),
        counts=False,
    ),
    Bug(
        "backwards",
        f"{_ROOM}/trace.py",
        "np.roll(patterns, -lag)",
        "np.roll(patterns, lag)",
        "trace, exact road: the lag runs backwards (matters with cyclic shuffling)",
        tests=("tests/stragglers/test_trace.py::test_monte_carlo_agrees_with_the_exact_road",),
        counts=False,
    ),
    Bug(
        "share-of-workers",
        f"{_ROOM}/deadline.py",
        "float(work * load / code.k)",
        "float(work * load / code.n)",
        "deadline: a worker's share of the data is divided by n instead of k",
        ("literature.deadline",),
        counts=False,
    ),
    Bug(
        "one-sided-shuffles",
        "fastgc/traces/measurements.py",
        "2 * (1 + tail) / (1 + len(shuffled))",
        "(1 + tail) / (1 + len(shuffled))",
        "recorded traces: permutation tests are one-sided",
        tests=("tests/traces/test_trace_claims.py::test_chance_of_changes_is_that_of_all_orders",),
        counts=False,
    ),
    Bug(
        "own-class",
        "fastgc/traces/measurements.py",
        "(length * worth) * (1 - 1 / sizes))",
        "(length * worth))",
        "recorded traces: standard error of a rate against its class without 1 − 1/m",
        counts=False,
    ),
)
