"""Codes and their properties, written as the papers write them, slowly."""

from itertools import combinations, product

import numpy as np

from fastgc.codes import Code, Components, CycleGaps, General, Groups, Intervals
from twins.decoders import largest_error


def random_binary(n: int, d: int, seed: int, k: int | None = None) -> np.ndarray:
    """Every worker holds d random partitions: some partitions no worker may hold."""
    rng, B = np.random.default_rng(seed), np.zeros((k or n, n))
    for j in range(n):
        B[rng.choice(len(B), min(d, len(B)), replace=False), j] = 1
    return B


def unstructured(B: np.ndarray) -> Code:
    """A code of which no structure is known."""
    return Code("unstructured", B, General())


def binary_algorithms(n: int, s: int) -> np.ndarray:
    """Algorithms 1 and 2 of paper `binary` with its slips mended; workers × partitions, k = n.

    Mended: n = λ(ℓ + 1) + r̃; Algorithm 2 runs i = r … s, and its blocks of s + t + 2 end at
    j(s + t + 2). Rows count from 0 and columns from 1, as printed.
    """
    B = np.zeros((n, n))

    def ones(row: int, first: int, last: int) -> None:
        B[row, first - 1 : last] = 1

    ell, r = divmod(n, s + 1)
    t, q = divmod(r, ell)
    lam, rest = divmod(n, ell + 1)
    for i in range(r):  # Algorithm 1
        if ell + r > s:
            for j in range(1, ell + r - s + 1):
                ones((j - 1) * (s + 1) + i, (j - 1) * (s + 1) + 1, j * (s + 1))
            for j in range(ell + r - s + 1, ell + 2):
                row = (j - 1) * (s + 1) + i
                ones(row, (j - 1) * s + ell + r - s + 1, (j - 1) * s + ell + r)
        else:
            for j in range(1, rest + 1):
                ones((j - 1) * (s + 1) + i, (j - 1) * (lam + 1) + 1, j * (lam + 1))
            for j in range(rest + 1, ell + 2):
                row = (j - 1) * (s + 1) + i
                ones(row, (j - 1) * lam + rest + 1, (j - 1) * lam + rest + lam)
    for i in range(r, s + 1):  # Algorithm 2
        if q == 0:
            for j in range(1, ell + 1):
                ones((j - 1) * (s + 1) + i, (j - 1) * (s + t + 1) + 1, j * (s + t + 1))
        else:
            for j in range(1, q + 1):
                ones((j - 1) * (s + 1) + i, (j - 1) * (s + t + 2) + 1, j * (s + t + 2))
            for j in range(q + 1, ell + 1):
                row = (j - 1) * (s + 1) + i
                ones(row, (j - 1) * (s + t + 1) + q + 1, j * (s + t + 1) + q)
    return B


def survives(B: np.ndarray, stragglers: int) -> bool:
    """Whether every set of that many stragglers leaves the all-ones vector in the span."""
    return largest_error(B, stragglers) < 1e-9


def tolerance(B: np.ndarray) -> int:
    """Stragglers that exact decoding survives, by trying all sets; −1 if it never works."""
    stragglers = 0
    while stragglers <= B.shape[1] and survives(B, stragglers):
        stragglers += 1
    return stragglers - 1


def tandon(H: np.ndarray) -> np.ndarray:
    """Algorithm 2 of Tandon et al. as printed, for H (s, n) with H·1 = 0; workers × partitions."""
    s, n = H.shape
    B = np.zeros((n, n))
    for i in range(n):
        j = [(i + step) % n for step in range(s + 1)]
        B[i, j] = [1, *-np.linalg.solve(H[:, j[1:]], H[:, j[0]])]
    return B


def real_reed_solomon(n: int, s: int) -> np.ndarray:
    """Coefficients of the monic polynomial whose roots are s roots of unity around −1."""
    first = (n - s + 1) // 2
    roots = np.exp(2j * np.pi * np.arange(first, first + s) / n)
    coefficients = np.poly(roots)
    assert np.allclose(coefficients.imag, 0)
    return coefficients.real[::-1]


def best_split(k: int, times: tuple[float, ...]) -> float:
    """Least Σ (time − T)² over all splits of k, T the time of exact shares."""
    even = k / sum(1 / time for time in times)
    return min(
        sum((load * time - even) ** 2 for load, time in zip(loads, times, strict=True))
        for loads in product(range(k + 1), repeat=len(times))
        if sum(loads) == k
    )


Structure = Groups | CycleGaps | Intervals | Components | General


def matrix_of(structure: Structure, n: int) -> np.ndarray | None:
    """The matrix that a structure describes, up to the order of its rows; None if unknown."""
    rows: list[list[int]] = []
    if isinstance(structure, Groups):
        for group, weight in enumerate(structure.weights):
            rows += [[int(label == group) for label in structure.labels]] * int(weight)
        rows += [[0] * n] * structure.uncovered
    elif isinstance(structure, CycleGaps):
        rows = [[int(i in (j, (j + 1) % n)) for j in range(n)] for i in range(n)]
    elif isinstance(structure, Intervals):
        pairs = list(zip(structure.start, structure.stop, strict=True))
        rows = [[int(start <= i < stop) for start, stop in pairs] for i in range(structure.k)]
    elif isinstance(structure, Components):
        rows = [[int(i in edge) for edge in structure.edges.tolist()] for i in range(structure.k)]
    else:
        return None
    return np.array(rows, dtype=float).reshape(-1, n)


def structure_name(B: np.ndarray) -> str:
    """Name of the first structure that a matrix has, by looking at every column and every two."""
    k, n = B.shape
    if not np.isin(B, (0, 1)).all():
        return "General"
    held = [set(np.flatnonzero(column).tolist()) for column in B.T]
    if all(a == b or not a & b for a, b in combinations(held, 2)):
        return "Groups"
    if k == n >= 3 and all(own == {j, (j + 1) % n} for j, own in enumerate(held)):
        return "CycleGaps"
    if all(not own or max(own) - min(own) + 1 == len(own) for own in held):
        return "Intervals"
    return "Components" if all(1 <= len(own) <= 2 for own in held) else "General"
