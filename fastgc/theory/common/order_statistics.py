"""The k-th smallest of n independent times: means, variances, tails.

David, Nagaraja, Order Statistics (2003). ``shift`` is added to every time.
"""

import math

from fastgc.theory.common import check
from fastgc.theory.common.numerics import (
    beta_mean,
    binomial_probabilities,
    elementwise,
    log,
)


@elementwise
def harmonic(n: int, above: int = 0) -> float:
    """H_n − H_above = 1/(above+1) + … + 1/n.

    >>> harmonic(4)
    2.0833333333333335
    """
    check.count("n", n, 0)
    check.count("above", above, 0, n)
    return math.fsum(1.0 / i for i in range(int(n), int(above), -1))


@elementwise
def exponential_order_mean(n: int, k: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean shift + mean (H_n − H_{n−k}) of the k-th smallest of n exponential times.

    Rényi (1953): the gaps are independent, the i-th with mean/(n−i+1).

    >>> round(exponential_order_mean(20, 16), 9)
    1.514406324
    """
    _check(n, k, mean=mean, shift=shift)
    return shift + mean * float(harmonic(n, n - k))


@elementwise
def exponential_order_variance(n: int, k: int, mean: float = 1.0) -> float:
    """Variance mean² (1/n² + … + 1/(n−k+1)²) of the k-th smallest of n exponential times.

    >>> round(exponential_order_variance(3, 2), 9)
    0.361111111
    """
    _check(n, k, mean=mean)
    return mean * mean * math.fsum(1.0 / (i * i) for i in range(int(n), int(n - k), -1))


@elementwise
def pareto_order_mean(n: int, k: int, shape: float, scale: float = 1.0) -> float:
    """Mean of the k-th smallest of n Pareto times, P(T > t) = (scale/t)^shape.

    scale Γ(n+1) Γ(n−k+1−1/shape)/(Γ(n−k+1) Γ(n+1−1/shape)); infinite unless shape (n−k+1) > 1.

    >>> round(pareto_order_mean(10, 8, 2.0), 9)
    2.128298946
    """
    _check(n, k, shape=shape, scale=scale)
    return _pareto_moment(n, k, shape, scale, 1)


@elementwise
def pareto_order_variance(n: int, k: int, shape: float, scale: float = 1.0) -> float:
    """Variance of the k-th smallest of n Pareto times; infinite unless shape (n−k+1) > 2.

    >>> pareto_order_variance(2, 2, 2.0)
    inf
    """
    _check(n, k, shape=shape, scale=scale)
    second = _pareto_moment(n, k, shape, scale, 2)
    return second if math.isinf(second) else second - _pareto_moment(n, k, shape, scale, 1) ** 2


@elementwise
def uniform_order_mean(n: int, k: int, low: float = 0.0, high: float = 1.0) -> float:
    """Mean low + (high − low) k/(n+1) of the k-th smallest of n uniform times.

    >>> uniform_order_mean(4, 3)
    0.6
    """
    _check(n, k)
    return low + (high - low) * k / (n + 1)


@elementwise
def uniform_order_variance(n: int, k: int, low: float = 0.0, high: float = 1.0) -> float:
    """Variance (high − low)² k (n−k+1)/((n+1)² (n+2)) of the k-th smallest of n uniform times.

    >>> uniform_order_variance(4, 3)
    0.04
    """
    _check(n, k)
    return (high - low) ** 2 * k * (n - k + 1) / ((n + 1) ** 2 * (n + 2))


def weibull_order_moment(n: int, k: int, shape: float, power: int) -> float:
    """Moment of the k-th smallest of n Weibull times of scale 1.

    >>> round(weibull_order_moment(1, 1, 1.0, 2), 12)
    2.0
    """
    _check(n, k, shape=shape)
    return beta_mean(lambda _, v: (-log(v)) ** (power / shape), float(k), float(n - k + 1))


@elementwise
def order_tail(n: int, k: int, late: float) -> float:
    """Probability that fewer than k of n workers are done, each late with probability ``late``.

    P(X_(k) > t) for late = P(X > t).

    >>> order_tail(2, 1, 0.5), order_tail(2, 2, 0.5)
    (0.25, 0.75)
    """
    _check(n, k)
    check.probabilities(late=late)
    return math.fsum(binomial_probabilities(int(n), late)[int(n) - int(k) + 1 :].tolist())


def _pareto_moment(n: int, k: int, shape: float, scale: float, power: int) -> float:
    left = n - k + 1 - power / shape
    if left <= 0.0:
        return math.inf
    most = n + 1 - power / shape
    log = math.lgamma(n + 1) + math.lgamma(left) - math.lgamma(n - k + 1) - math.lgamma(most)
    return scale**power * math.exp(log)


def _check(n: int, k: int, shift: float = 0.0, **sizes: float) -> None:
    check.count("n", n, 1)
    check.count("k", k, 1, n)
    check.positive(**sizes)
    check.not_negative(shift=shift)
