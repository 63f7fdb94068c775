"""Codes with the least worst error of s stragglers: exchange over structures, then descent."""

import itertools
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.found.kernels import worst_error
from fastgc.searching.judge import spectrum

Matrix = NDArray[np.float64]

#: Sets of stragglers that one descent over structures looks at, at most; changes, at most.
_SETS, _CHANGES = 24_000_000, 8_000
#: An invertible matrix with more in (BᵀB)⁻¹ is not looked at.
_LARGEST = 1e4


@cache
def _sets(n: int, s: int) -> NDArray[np.int64]:
    return np.array(list(itertools.combinations(range(n), s)), np.int64)


def _inverse(B: Matrix) -> tuple[Matrix, Matrix, Matrix] | None:
    try:
        inverse = np.linalg.inv(B)
    except np.linalg.LinAlgError:
        return None
    H = inverse @ inverse.T
    return (inverse, H, inverse.sum(axis=1)) if np.abs(H).max() < _LARGEST else None


def worst(B: Matrix, s: int) -> float:
    """Return the worst error of s stragglers."""
    return float(spectrum(B, s).worst[s])


def exchanged(B: Matrix, d: int, s: int, rng: np.random.Generator) -> tuple[float, Matrix]:
    """Return the best 0/1 matrix that simulated annealing from B finds."""
    changes = min(_CHANGES, _SETS // len(_sets(B.shape[1], s)))
    now, value = B, worst(B, s)
    best = value, B
    for step in range(changes):
        new = _changed(now, d, rng)
        cost = worst(new, s)
        warm = 0.15 * (1 - step / changes) ** 2 + 0.003
        if cost < value - warm * np.log(rng.random()):
            now, value = new, cost
            best = min(best, (value, now), key=lambda one: one[0])
    return best


def _changed(B: Matrix, d: int, rng: np.random.Generator) -> Matrix:
    new, n = B.copy(), B.shape[1]
    for _ in range(1 + (rng.random() < 0.3)):
        worker, kind = int(rng.integers(n)), rng.random()
        held, free = np.flatnonzero(new[:, worker]), np.flatnonzero(new[:, worker] == 0)
        if len(held) == 0 or len(free) == 0:
            continue
        old, fresh = rng.choice(held), rng.choice(free)
        if kind < 0.08:
            if len(held) > 1:
                new[old, worker] = 0.0
        elif kind < 0.16:
            if len(held) < d:
                new[fresh, worker] = 1.0
        else:
            others = np.flatnonzero((new[fresh] != 0) & (new[old] == 0))
            if kind < 0.85 and len(others):  # exchange, so that replication stays
                other = rng.choice(others)
                new[[old, fresh], other] = 1.0, 0.0
            new[[fresh, old], worker] = 1.0, 0.0
    return new


def regular(n: int, d: int, rng: np.random.Generator) -> Matrix:
    """Return a random 0/1 matrix with d ones in every row and column, d < n."""
    B = np.zeros((n, n))
    few = min(d, n - d)
    for _ in range(few):
        while True:
            rows = rng.permutation(n)
            if not B[rows, np.arange(n)].any():
                break
        B[rows, np.arange(n)] = 1.0
    return B if few == d else 1.0 - B


def descended(B: Matrix, s: int) -> tuple[float, Matrix]:
    """Return the worst error and the matrix that descent over powers of errors leads to."""
    from scipy.optimize import minimize

    n, held = B.shape[1], np.nonzero(B)
    best = worst(B, s), B
    if _inverse(B) is None or best[0] < 1e-6:
        return best
    first, second, now = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
    entries = B[held]
    for power in (10.0, 40.0, 160.0, 640.0):
        unit = best[0]

        def cost(entries: Matrix, unit: float = unit, power: float = power) -> tuple[float, Matrix]:
            nonlocal best
            now[held] = entries
            parts = _inverse(now)
            if parts is None:
                return 1e3, np.zeros(len(entries))
            inverse, H, x = parts
            total, largest = worst_error(H, x, _sets(n, s), power, unit, first, second)
            if largest < best[0]:
                best = largest, now.copy()
            value = total ** (1 / power)
            if not np.isfinite(value) or total == 0.0:
                return 1e3, np.zeros(len(entries))
            slope = -2 * inverse.T @ (np.outer(first, x) - second @ H)
            return value, value / (total * unit) * slope[held]

        options: Any = {"maxiter": 40, "maxfun": 60}
        entries = minimize(cost, entries, jac=True, method="L-BFGS-B", options=options).x
    return best


def searched(n: int, d: int, s: int, known: Matrix) -> list[tuple[float, Matrix]]:
    """Return what searches from two random structures and from a known matrix find."""
    rng = np.random.default_rng([n, d, s])
    found = []
    for start in (regular(n, d, rng), regular(n, d, rng), known):
        value, B = exchanged(np.where(start != 0, 1.0, 0.0), d, s, rng)
        found.append((value, B))
        found.append(descended(B, s))
    return [*found, descended(known, s)]
