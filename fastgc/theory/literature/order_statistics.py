"""Order statistics of completion times: the k-th answer of n."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from fastgc.theory.cases.completion import answers, completion, exponential, late, timed, whole
from fastgc.theory.cases.tables import Table
from fastgc.theory.common import order_statistics as common
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import Cases

for _shared in (
    common.exponential_order_mean,
    common.exponential_order_variance,
    common.harmonic,
    common.order_tail,
    common.pareto_order_mean,
    common.pareto_order_variance,
    common.two_class_exponential_order_mean,
    common.two_class_order_tail,
    common.uniform_order_mean,
    common.uniform_order_variance,
    common.weibull_order_mean,
):
    paper.formula(_shared)

DAVID = "David, Nagaraja, Order Statistics (2003)"


@paper.claim("order-statistics.exponential.printed", f"{DAVID}, Chapter 2, and Renyi (1953)")
def _() -> Cases:
    """The k-th smallest of n exponential times has mean H_n - H_(n-k) and variance
    1/n^2 + ... + 1/(n-k+1)^2 in units of the mean."""
    stars = ((20, 16), (100, 80), (5, 1))
    for n, k in stars:
        yield timed(completion(whole(answers(n, k))), common.exponential_order_mean(n, k))
    for n, k in stars[:2]:
        theory = common.exponential_order_variance(n, k)
        yield timed(completion(whole(answers(n, k))), theory, "variance")


def _means(formula: Callable[..., Any], law: str, names: tuple[str, ...], *points: Any) -> Cases:
    """Means of the k-th of n times of a law, whose parameters follow n and k in each point."""
    for n, k, *values in points:
        latency = {"distribution": law, **dict(zip(names, values, strict=True))}
        theory = formula(n, k, *values)
        yield timed(completion(whole(answers(n, k)), latency), theory)


@paper.claim("order-statistics.pareto.derived", f"Derived from the Beta law of {DAVID}")
def _() -> Cases:
    """The k-th smallest of n Pareto times has mean scale
    G(n+1) G(n-k+1-1/shape)/(G(n-k+1) G(n+1-1/shape))."""
    points = (10, 8, 3.0, 1.0), (20, 15, 2.5, 1.0), (100, 80, 1.5, 1.0)
    return _means(common.pareto_order_mean, "pareto", ("shape", "scale"), *points)


@paper.claim("order-statistics.uniform.printed", f"{DAVID}, Chapter 3")
def _() -> Cases:
    """The k-th smallest of n uniform times has mean low + (high-low) k/(n+1)."""
    points = (4, 3, 1.0, 3.0), (20, 16, 1.0, 3.0), (50, 10, 1.0, 3.0)
    return _means(common.uniform_order_mean, "uniform", ("low", "high"), *points)


@paper.claim("order-statistics.beta.printed", f"{DAVID}, Section 2.1")
def _() -> Cases:
    """The k-th smallest of n times of any law is the quantile at a Beta(k, n-k+1)
    number: means by quadrature (Weibull)."""
    points = (10, 8, 0.7, 1.0), (20, 5, 2.0, 1.0), (100, 80, 0.7, 1.0)
    return _means(common.weibull_order_mean, "weibull", ("shape", "scale"), *points)


@paper.claim("order-statistics.two-class.derived", "Derived for independent unlike times")
def _() -> Cases:
    """Where some workers are of another law, P(X_(k) > t) is a convolution of two binomial laws."""
    # n, k, slow workers, their mean; the others' is 1
    points = ((10, 7, 3, 5.0), (12, 6, 6, 2.0), (5, 5, 1, 3.0))
    for n, k, slow, mean in points:
        theory = common.two_class_exponential_order_mean(n, k, slow, mean, 1.0)
        yield timed(completion(whole(answers(n, k)), _unlike(n, slow, mean)), theory)
    for (n, k, slow, mean), t in zip(points, (1.5, 0.8, 4.0), strict=True):
        theory = common.two_class_order_tail(n, k, slow, math.exp(-t / mean), math.exp(-t))
        yield late(whole(answers(n, k)), t, theory, _unlike(n, slow, mean))


def _unlike(n: int, slow: int, mean: float) -> list[Table]:
    return [exponential(mean)] * slow + [exponential()] * (n - slow)
