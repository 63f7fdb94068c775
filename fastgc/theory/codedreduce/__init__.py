"""Reisizadeh, Prakash, Pedarsani, Avestimehr: CodedReduce (paper ``codedreduce``).

The paper's letters in fastgc's words: n children per parent, ``layers`` = L, N = n + … + n^L
workers, s stragglers per parent, α = s/n; ``receive`` is t_c; a worker's whole task takes ``shift``
= a r d plus an exponential time of mean ``mean`` = r d/μ. ``p`` is the probability to straggle.

Formulas that the paper prints wrongly come twice: ``…_printed`` as printed, and as corrected.
"""

from __future__ import annotations

from fastgc.theory.codedreduce.gradients import (
    constant_error,
    decaying_error,
    decaying_iterations,
    descent_iterations,
    survivors_variance,
)
from fastgc.theory.codedreduce.load import (
    gradients,
    gradients_printed,
    largest_resilience,
    load_reduction,
    parallel_receivers,
    resiliency,
    resiliency_printed,
    star_load,
    tree_load,
    tree_load_limit,
    tree_load_limit_printed,
    tree_size,
)
from fastgc.theory.codedreduce.resilience import (
    breaking_stragglers,
    breaking_stragglers_printed,
    decodable_probability,
    star_decodable_probability,
)
from fastgc.theory.codedreduce.time import (
    group_logarithm_bound,
    group_mean,
    group_tail_bound,
    late_groups_bound,
    logarithm_bound,
    logarithm_bound_printed,
    lower_bound,
    lower_bound_printed,
    port_delay_bound,
    ring_mean,
    slowest_group_mean,
    star_mean_with_port,
    tree_mean,
    tree_mean_with_port,
    tree_tail,
    tree_variance,
    upper_bound,
    upper_bound_printed,
    upper_bound_without_port,
)

__all__ = [
    "breaking_stragglers",
    "breaking_stragglers_printed",
    "constant_error",
    "decaying_error",
    "decaying_iterations",
    "decodable_probability",
    "descent_iterations",
    "gradients",
    "gradients_printed",
    "group_logarithm_bound",
    "group_mean",
    "group_tail_bound",
    "largest_resilience",
    "late_groups_bound",
    "load_reduction",
    "logarithm_bound",
    "logarithm_bound_printed",
    "lower_bound",
    "lower_bound_printed",
    "parallel_receivers",
    "port_delay_bound",
    "resiliency",
    "resiliency_printed",
    "ring_mean",
    "slowest_group_mean",
    "star_decodable_probability",
    "star_load",
    "star_mean_with_port",
    "survivors_variance",
    "tree_load",
    "tree_load_limit",
    "tree_load_limit_printed",
    "tree_mean",
    "tree_mean_with_port",
    "tree_size",
    "tree_tail",
    "tree_variance",
    "upper_bound",
    "upper_bound_printed",
    "upper_bound_without_port",
]
