"""Ferdinand, Draper: Hierarchical Coded Computation (paper ``hierarchical``).

The paper's letters in fastgc's words: n workers do ``layers`` = r tasks each, one after the other;
layer j has an (n, k_j) MDS code, and k = Σ k_j ``tasks`` make the job. A task takes worker i the
time X_i = ``shift`` (α) plus an exponential time of mean ``mean`` (1/μ), so that its j-th is done
at j X_i. The text ends before its theorem: what is derived here is not quoted.
"""

from __future__ import annotations

from fastgc.theory.hierarchical.choice import (
    common_exponent,
    equal_exponent,
    failure_exponent,
    optimal_answers,
    quantile_answers,
)
from fastgc.theory.hierarchical.time import (
    best_single_rate,
    finishing_mean,
    finishing_probability,
    finishing_variance,
    independent_probability_printed,
    single_rate_mean,
    tasks_probability,
    weakest_probability,
)

__all__ = [
    "best_single_rate",
    "common_exponent",
    "equal_exponent",
    "failure_exponent",
    "finishing_mean",
    "finishing_probability",
    "finishing_variance",
    "independent_probability_printed",
    "optimal_answers",
    "quantile_answers",
    "single_rate_mean",
    "tasks_probability",
    "weakest_probability",
]
