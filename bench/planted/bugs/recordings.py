"""Bugs in what is concluded from recordings, which no claim goes through."""

from __future__ import annotations

from bench.planted.bug import Bug

_LENGTHS = "tests/statistics/test_resampling.py::test_block_lengths_are_those_of_the_twin"
_RESAMPLING = "fastgc/statistics/resampling.py"

BUGS = (
    Bug(
        "short-blocks",
        _RESAMPLING,
        "(1.5 * ratio**2 * rows) ** (1 / 3)",
        "(0.375 * ratio**2 * rows) ** (1 / 3)",
        "blocks of the bootstrap are 37 % too short",
        tests=(_LENGTHS,),
        counts=False,
    ),
    Bug(
        "one-sided-slope",
        _RESAMPLING,
        "slope = 2 * float((taper",
        "slope = float((taper",
        "later lags count once instead of twice in the length of blocks",
        tests=(_LENGTHS,),
        counts=False,
    ),
    Bug(
        "never-fitted-anew",
        "fastgc/traces/straggling.py",
        "excess(fit(drawn), drawn)",
        "excess(model, drawn)",
        "goodness of fit of a model of stragglers: recordings of it are not fitted anew",
        tests=(
            "tests/traces/test_straggler_fits.py::test_p_values_of_a_model_that_fits_are_uniform",
        ),
        counts=False,
    ),
    Bug(
        "law-never-fitted-anew",
        "fastgc/traces/fitting.py",
        "distance(estimate(sample).law, sample)",
        "distance(found.law, sample)",
        "goodness of fit of a law: samples of it are not fitted anew",
        tests=("tests/traces/test_latency_fits.py::test_p_values_of_a_law_that_fits_are_uniform",),
        counts=False,
    ),
)
