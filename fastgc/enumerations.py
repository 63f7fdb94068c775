"""Finite statements measured by brute force: every word, every pattern, nothing assumed.

A finite statement is about a matrix, a count or a sum, so it is decided without sampling. Nothing
here is shared with the theory that it tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError

#: A spread below this share of the number of partitions is rounding of the least squares.
_ROUNDING = 1e-10


def measure(finite: Mapping[str, Any]) -> float:
    """Measure a finite statement.

    Parameters
    ----------
    finite
        ``{"finite": name, ...}`` with the arguments of the enumeration of that name:

        - ``cycle_classes(n, weight, order)``: classes of binary words under cyclic shifts
        - ``survivor_probability_sum(n, slow, p_straggle_slow, p_straggle_active)``: sum over r of
          the probabilities of r survivors, slow workers first
        - ``cycle_class_spread(code)``: largest difference of the error inside a cycle class
        - ``largest_error(code, survivors)``: over all patterns with so many survivors
        - ``mean_norm(code, p)``: mean of √error for iid stragglers

        where ``code`` is ``{"family": "frc" | "circulant" | "cyclic", "n": …, "d": …}``, the last
        (Tandon's random cyclic code) with a ``seed``. All 2ⁿ patterns are visited.

    Returns
    -------
    float
        Exact for counts and sums of exact terms; errors are good to 1e-10 × partitions.

    Raises
    ------
    FastgcError
        If the name is unknown.

    Examples
    --------
    >>> measure({"finite": "cycle_classes", "n": 8, "weight": 4, "order": 8})
    8.0
    """
    arguments = dict(finite)
    name = arguments.pop("finite", None)
    if name not in _ENUMERATIONS:
        raise FastgcError(f"finite: got {name!r}, allowed are {', '.join(sorted(_ENUMERATIONS))}")
    return float(_ENUMERATIONS[name](**arguments))


def cycle_classes(n: int, weight: int, order: int) -> int:
    """Count the classes by walking every word of length n around its cycle."""
    seen = bytearray(2**n)
    found = 0
    for word in range(2**n):
        if seen[word]:
            continue
        size, turned = 0, word
        while not seen[turned]:
            seen[turned] = 1
            size += 1
            turned = _turn(turned, n)
        found += int(size == order and word.bit_count() == weight)
    return found


def survivor_probability_sum(
    n: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Add up the probabilities of all 2ⁿ patterns."""
    p = [p_straggle_slow] * slow + [p_straggle_active] * (n - slow)
    return math.fsum(
        math.prod(1.0 - p[j] if pattern >> j & 1 else p[j] for j in range(n))
        for pattern in range(2**n)
    )


def cycle_class_spread(code: Mapping[str, Any]) -> float:
    """Compare the error of every pattern with that of the pattern turned by one."""
    errors, n = _errors(code), code["n"]
    lowest, highest = errors.copy(), errors.copy()
    turned = np.arange(2**n)
    for _ in range(n):
        turned = np.array([_turn(int(pattern), n) for pattern in turned])
        lowest = np.minimum(lowest, errors[turned])
        highest = np.maximum(highest, errors[turned])
    spread = float(np.max(highest - lowest))
    return spread if spread > _ROUNDING * n else 0.0


def largest_error(code: Mapping[str, Any], survivors: int) -> float:
    """Take the maximum over the patterns with so many survivors."""
    errors, n = _errors(code), code["n"]
    largest = max(errors[v] for v in range(2**n) if v.bit_count() == survivors)
    return float(largest) if largest > _ROUNDING * n else 0.0


def mean_norm(code: Mapping[str, Any], p: float) -> float:
    """Weigh the norm of every pattern with the pattern's probability."""
    errors, n = _errors(code), code["n"]
    return math.fsum(
        math.sqrt(errors[v]) * p ** (n - v.bit_count()) * (1.0 - p) ** v.bit_count()
        for v in range(2**n)
    )


def _turn(word: int, n: int) -> int:
    return (word << 1 | word >> (n - 1)) & ((1 << n) - 1)


def _errors(code: Mapping[str, Any]) -> NDArray[np.float64]:
    return _all_errors(code["family"], code["n"], code["d"], code.get("seed", 0))


@lru_cache(maxsize=16)
def _all_errors(family: str, n: int, d: int, seed: int) -> NDArray[np.float64]:
    """Errors of all 2ⁿ patterns, bit j set for a surviving worker j."""
    B = _matrix(family, n, d, seed)
    errors = np.empty(2**n)
    for pattern in range(2**n):
        A = B[:, [j for j in range(n) if pattern >> j & 1]]
        x = np.linalg.lstsq(A, np.ones(n), rcond=None)[0]
        errors[pattern] = np.sum((A @ x - 1.0) ** 2)
    return errors


def _matrix(family: str, n: int, d: int, seed: int) -> NDArray[np.float64]:
    B = np.zeros((n, n))
    if family == "cyclic":
        # Tandon, Lei, Dimakis, Karampatziakis (ICML 2017), Algorithm 2.
        H = np.random.default_rng(seed).standard_normal((d - 1, n))
        H[:, -1] = -H[:, :-1].sum(axis=1)
        for j in range(n):
            others = [(j + i) % n for i in range(1, d)]
            B[j, j] = 1.0
            B[others, j] = -np.linalg.solve(H[:, others], H[:, j])
        return B
    if family not in ("frc", "circulant"):
        raise FastgcError(f"family: got {family!r}, allowed are 'frc', 'circulant', 'cyclic'")
    for j in range(n):
        first = j - j % d if family == "frc" else j
        B[[(first + i) % n for i in range(d)], j] = 1.0
    return B


_ENUMERATIONS: dict[str, Callable[..., float]] = {
    "cycle_classes": cycle_classes,
    "cycle_class_spread": cycle_class_spread,
    "largest_error": largest_error,
    "mean_norm": mean_norm,
    "survivor_probability_sum": survivor_probability_sum,
}
