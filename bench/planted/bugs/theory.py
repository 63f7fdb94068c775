"""Bugs in closed forms."""

from __future__ import annotations

from bench.planted.bug import Bug

_COMMON = "fastgc/theory/common"

BUGS = (
    Bug(
        "last-odd-gap",
        f"{_COMMON}/circulant.py",
        "/ v**power for v in range(1, n, 2))",
        "/ v**power for v in range(1, n - 2, 2))",
        "sums over gaps of the circulant lose their last odd gap",
        ("agc.remark2", "literature.circulant.mean"),
    ),
    Bug(
        "one-percent",
        f"{_COMMON}/order_statistics.py",
        "return shift + mean * float(harmonic(n, n - k))",
        "return shift + 1.01 * mean * float(harmonic(n, n - k))",
        "means of exponential order statistics are 1 % too large",
        ("codedreduce.group.mean", "literature.order-statistics.exponential"),
    ),
    Bug(
        "swapped-rates",
        f"{_COMMON}/circulant.py",
        "survivors_given_slow(n, m, *straggle)",
        "survivors_given_slow(n, m, *straggle[::-1])",
        "variance of the circulant with random shuffling: slow and active rates are swapped",
        ("literature.circulant.shuffling",),
    ),
)
