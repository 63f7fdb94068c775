"""The two-class straggler model of paper agc: slow workers stay slow for the whole trial."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.theory.common.arguments import check_code, check_count, check_probabilities, elementwise
from fastgc.theory.common.combinatorics import binomial_probabilities, hypergeometric


@elementwise
def straggle_probability(p_slow: float, p_straggle_slow: float, p_straggle_active: float) -> float:
    """Probability q that a worker straggles in one iteration, its class unknown.

    In one iteration the two-class model is the iid model with this probability (agc, Prop. 1).

    >>> round(straggle_probability(0.3, 0.8, 0.01), 12)
    0.247
    """
    check_probabilities(
        p_slow=p_slow, p_straggle_slow=p_straggle_slow, p_straggle_active=p_straggle_active
    )
    return p_slow * p_straggle_slow + (1.0 - p_slow) * p_straggle_active


@elementwise
def not_accessed_probability_given_slow(
    n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Probability h(m) that all d holders of a partition straggle, m of n workers being slow.

    The m slow workers are placed uniformly, by random shuffling or by the trial:
    h(m) = Σ_i C(m,i) C(n−m,d−i)/C(n,d) p_straggle_slow^i p_straggle_active^(d−i).

    >>> round(not_accessed_probability_given_slow(8, 2, 3, 0.8, 0.01), 12)
    0.072892857143
    """
    check_code(n, d)
    check_count("slow", slow, 0, n)
    check_probabilities(p_straggle_slow=p_straggle_slow, p_straggle_active=p_straggle_active)
    return math.fsum(
        weight * p_straggle_slow**i * p_straggle_active ** (d - i)
        for i, weight in enumerate(hypergeometric(n, slow, d))
    )


def survivors_given_slow(
    n: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> NDArray[np.float64]:
    """Probability P_r of r = 0 … n survivors when m workers are slow (agc, Theorem 1, corrected).

    P_r = Σ_i C(m,i) C(n−m,r−i) (1−p_ss)^i p_ss^(m−i) (1−p_as)^(r−i) p_as^(n−m−r+i), where i runs
    from max(0, r−n+m) to min(r, m). Returns an array of length n + 1.

    >>> survivors_given_slow(2, 1, 0.5, 0.25)
    array([0.125, 0.5  , 0.375])
    """
    _check_survivors(n, slow, p_straggle_slow, p_straggle_active)
    return np.convolve(
        binomial_probabilities(slow, 1.0 - p_straggle_slow),
        binomial_probabilities(n - slow, 1.0 - p_straggle_active),
    )


def survivors_given_slow_printed(
    n: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> NDArray[np.float64]:
    """P_r as Theorem 1 of agc prints it: with r'(i) = min(i, m), i may exceed m. Not a law.

    >>> round(float(survivors_given_slow_printed(8, 0, 0.8, 0.01).sum()), 5)
    1.00253
    """
    _check_survivors(n, slow, p_straggle_slow, p_straggle_active)
    ss, active = p_straggle_slow, p_straggle_active
    if ss == 0.0 and slow < n:
        raise FastgcError("p_straggle_slow: got 0, but P_r as printed divides by it")
    printed = np.zeros(n + 1)
    for r in range(n + 1):
        for i in range(r + 1):
            chosen = min(i, slow)
            ways = math.comb(slow, chosen) * math.comb(n - slow, r - chosen)
            if ways:
                printed[r] += (
                    ways
                    * ((1.0 - ss) ** i * ss ** (slow - i))
                    * ((1.0 - active) ** (r - i) * active ** (n - slow - r + i))
                )
    return printed


def _check_survivors(n: int, slow: int, p_straggle_slow: float, p_straggle_active: float) -> None:
    check_count("n", n, 1)
    check_count("slow", slow, 0, n)
    check_probabilities(p_straggle_slow=p_straggle_slow, p_straggle_active=p_straggle_active)
