"""Choosing among systems by a sampled quantile of their times."""

from __future__ import annotations

import math

from fastgc.theory.cases.tables import built
from fastgc.theory.literature import paper
from fastgc.theory.literature.order_statistics import DAVID
from fastgc.theory.literature.quantiles import HYNDMAN
from fastgc.theory.papers.claim import Cases


@paper.claim("design.quantile.derived", f"Derived from {HYNDMAN}")
def _() -> Cases:
    """Systems whose quantile of level q is sampled are ranked by the ceil(q T)-th smallest of T
    times."""
    for trials, level in ((64, 0.5), (100, 0.9), (1024, 0.99)):
        theory = math.ceil(level * trials)
        yield built("design_quantile_rank", theory, trials=trials, level=level)


@paper.claim("design.interval.derived", f"Derived from {DAVID}, Section 7.1", relation=">=")
def _() -> Cases:
    """The 95 % interval of such a quantile reaches from one order statistic to another that have it
    between them with a binomial probability of at least .95."""
    for trials, level in ((64, 0.5), (100, 0.9), (1024, 0.99), (1000, 0.25)):
        yield built("design_quantile_coverage", 0.95, trials=trials, level=level)


@paper.claim("design.levels.derived", f"Derived from {DAVID}, Section 2.1")
def _() -> Cases:
    """By a quantile of its time the best (n,k) MDS code is the one whose k-th of n shifted
    exponential times, over k, has the least: a quantile of the Beta law of its level."""
    for level in (0.1, 0.5, 0.99):
        best = min(_exact_quantile(6, k, level) for k in range(1, 7))
        yield built("design_best_quantile", best, workers=6, level=level, shift=1.0)


def _exact_quantile(n: int, k: int, level: float) -> float:
    """Quantile of (1 + X_(k))/k, X of unit exponential times."""
    from scipy import special

    return (1.0 - math.log1p(-float(special.betaincinv(k, n - k + 1, level)))) / k


@paper.claim("design.separated.derived", "Derived: a level is shared out among all comparisons")
def _() -> Cases:
    """Of two stars of 20 workers whose medians 1024 trials tell apart by two standard errors or
    less, design says that it cannot separate them: 95 % are for all 20 systems together, so that
    1.64 standard errors of one comparison are not enough. It separates medians far apart."""
    for shift, seed, separated in ((0.17, 0, 0), (0.17, 1, 0), (0.18, 0, 0), (0.05, 0, 1)):
        yield built("design_separates", separated, shift=shift, trials=1024, seed=seed)
