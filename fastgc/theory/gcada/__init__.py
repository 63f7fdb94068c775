"""Zhu, Zhang, Simeone, Wang: adaptive worker grouping, CADA and G-CADA (paper ``gcada``).

The paper's letters in fastgc's words: M workers, of whom M_G = ``d`` form each of G ``groups``;
CADA is d = 1. A mini-batch of μ = ``batch`` samples takes an exponential time of ``mean`` η (the
text calls its 1e-4 s μ, too). D is the ``window``; smoothness constants L are those of the workers'
or groups' local losses.

Formulas that the paper prints wrongly come twice: ``…_printed`` as printed, and as corrected.
"""

from __future__ import annotations

from fastgc.theory.gcada.selection import (
    communication_load,
    computation_load,
    group_size,
    quiet_iterations,
    refresh_period,
    selected_bound,
    selected_bound_printed,
    selection_period,
)
from fastgc.theory.gcada.time import (
    binomial_time,
    group_order_mean,
    group_order_mean_printed,
    harmonic_at,
    least_time,
    most_time,
    order_mean,
    selected_time,
)

__all__ = [
    "binomial_time",
    "communication_load",
    "computation_load",
    "group_order_mean",
    "group_order_mean_printed",
    "group_size",
    "harmonic_at",
    "least_time",
    "most_time",
    "order_mean",
    "quiet_iterations",
    "refresh_period",
    "selected_bound",
    "selected_bound_printed",
    "selected_time",
    "selection_period",
]
