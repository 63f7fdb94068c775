"""What the wider literature states, or what follows from it: other codes, decoders and bounds.

Fractional repetition and cyclic codes: Tandon, Lei, Dimakis, Karampatziakis (arXiv:1612.03301);
cyclic MDS codes and expanders: Raviv, Tamo, Tandon, Dimakis (arXiv:1707.03858); one-step decoding
and Bernoulli codes: Charles, Papailiopoulos, Ellenberg (arXiv:1711.06771); stochastic gradient
coding: Bitar, Wootters, El Rouayheb (arXiv:1905.05383); block designs: Kadhe, Koyluoglu,
Ramchandran (arXiv:1904.13373); graph codes: Glasgow, Wootters (arXiv:2006.09638). Completion
times: order statistics (David, Nagaraja 2003); the fastest MDS code: Lee, Lam, Pedarsani,
Papailiopoulos, Ramchandran (arXiv:1512.02673).

``p`` is the probability q to straggle; ``survivors`` the number r of workers that answer.
"""

from __future__ import annotations

import math

from fastgc.theory.agc import error_lower_bound
from fastgc.theory.common.arguments import check_count, check_groups, elementwise
from fastgc.theory.common.circulant import (
    circulant_error_variance,
    circulant_exact_probability,
    circulant_mean_error,
)
from fastgc.theory.common.order_statistics import (
    exponential_order_mean,
    exponential_order_variance,
    harmonic,
    order_tail,
    pareto_order_mean,
    pareto_order_variance,
    two_class_exponential_order_mean,
    two_class_order_tail,
    uniform_order_mean,
    uniform_order_variance,
    weibull_order_mean,
)
from fastgc.theory.common.repetition import (
    frc_autocovariance,
    frc_error_variance,
    frc_exact_probability,
    frc_mean_error,
    frc_uncovered_probability,
)
from fastgc.theory.literature.designs import bibd_error, bibd_errors, bibd_mean_error
from fastgc.theory.literature.graphs import (
    edges_of,
    graph_error_variance,
    graph_errors,
    graph_exact_probability,
    graph_mean_error,
)
from fastgc.theory.literature.one_step import (
    bernoulli_mean_error,
    one_step_mean_error,
    stochastic_mean_error,
)
from fastgc.theory.literature.replicated_times import (
    frc_completion_mean,
    frc_completion_tail,
    frc_completion_variance,
    mds_best_mean,
    mds_best_share,
    mds_mean,
)

__all__ = [
    "bernoulli_mean_error",
    "bibd_error",
    "bibd_errors",
    "bibd_mean_error",
    "circulant_error_variance",
    "circulant_exact_probability",
    "circulant_mean_error",
    "edges_of",
    "error_lower_bound",
    "expander_bound",
    "exponential_order_mean",
    "exponential_order_variance",
    "frc_autocovariance",
    "frc_completion_mean",
    "frc_completion_tail",
    "frc_completion_variance",
    "frc_error_variance",
    "frc_exact_probability",
    "frc_largest_error",
    "frc_mean_error",
    "frc_tail_probability",
    "frc_uncovered_probability",
    "graph_error_variance",
    "graph_errors",
    "graph_exact_probability",
    "graph_mean_error",
    "harmonic",
    "mds_best_mean",
    "mds_best_share",
    "mds_mean",
    "one_step_mean_error",
    "order_tail",
    "pareto_order_mean",
    "pareto_order_variance",
    "stochastic_mean_error",
    "two_class_exponential_order_mean",
    "two_class_order_tail",
    "uniform_order_mean",
    "uniform_order_variance",
    "weibull_order_mean",
]


@elementwise
def frc_largest_error(n: int, d: int, stragglers: int) -> float:
    """Largest error d⌊s/d⌋ of frc over all sets of s stragglers.

    Charles, Papailiopoulos, Ellenberg (arXiv:1711.06771), on adversarial stragglers. Exact.

    >>> frc_largest_error(n=12, d=3, stragglers=7)
    6.0
    """
    check_groups(n, d)
    check_count("stragglers", stragglers, 0, n)
    return d * (stragglers // d)


@elementwise
def frc_tail_probability(
    n: int, d: int, threshold: float, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that frc's error exceeds a threshold: that of more than threshold/d groups lost.

    >>> frc_tail_probability(n=4, d=2, threshold=0.0, survivors=2)
    0.3333333333333333
    """
    check_groups(n, d)
    least = max(math.floor(threshold / d) + 1, 0)
    return math.fsum(
        float(frc_uncovered_probability(n, d, groups, survivors, p))
        for groups in range(least, n // d + 1)
    )


@elementwise
def expander_bound(n: int, d: int, eigenvalue: float, stragglers: int) -> float:
    """Bound (λ/d)² n s/(n−s) of the error, every set of s stragglers.

    For B the adjacency matrix of a d-regular graph on n vertices (or any normal B with d ones in
    every row and column), λ its second largest singular value. Raviv, Tamo, Tandon, Dimakis
    (arXiv:1707.03858), for the weight n/(n−s) on every answer; optimal decoding is at
    least as good.

    >>> round(expander_bound(10, 3, 2.0, 2), 6)
    1.111111
    """
    check_count("n", n, 1)
    check_count("d", d, 1, n)
    check_count("stragglers", stragglers, 0, n - 1)
    return (eigenvalue / d) ** 2 * n * stragglers / (n - stragglers)
