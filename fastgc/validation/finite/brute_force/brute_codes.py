"""Encoding matrices of finite statements, built here anew: partitions × workers; their errors."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.validation.finite.brute_force.counting import turn

Code = Mapping[str, Any]
Matrix = NDArray[Any]
Assignment = NDArray[np.int64]


def matrix(code: Code) -> Matrix:
    """Encoding matrix of a code's table, as in a study.

    Random codes draw from ``numpy.random``: a seed gives another matrix than in a study.

    Raises FastgcError if the family is none of those built here.
    """
    arguments = dict(code)
    family = arguments.pop("family", None)
    if family not in _FAMILIES:
        allowed = ", ".join(map(repr, sorted(_FAMILIES)))
        raise FastgcError(f"family: got {family!r}, allowed are {allowed}")
    return _FAMILIES[family](**arguments)


def repetition(n: int, d: int) -> Matrix:
    """Groups of d workers that hold the same d partitions."""
    return np.asarray(np.kron(np.eye(n // d), np.ones((d, d))), dtype=np.float64)


def cyclic(n: int, d: int, seed: int = 0) -> Matrix:
    """Tandon, Lei, Dimakis, Karampatziakis (ICML 2017), Algorithm 2."""
    H = np.random.default_rng(seed).standard_normal((d - 1, n))
    H[:, -1] = -H[:, :-1].sum(axis=1)
    B = np.zeros((n, n))
    for j in range(n):
        others = [(j + i) % n for i in range(1, d)]
        B[j, j] = 1.0
        B[others, j] = -np.linalg.solve(H[:, others], H[:, j])
    return B


def cyclic_mds(n: int, d: int, field: str = "real") -> Matrix:
    """Raviv, Tamo, Tandon, Dimakis (arXiv:1707.03858): shifts of a cyclic MDS codeword.

    The generator polynomial's roots are d−1 consecutive powers of a primitive n-th root of unity
    around the exponent n/2, closed under conjugation where n + d is even; 1 is no root.
    """
    odd = (n + d) % 2
    if odd and field == "real":
        raise FastgcError(f"cyclic-mds: n + d must be even for a real code (got n={n}, d={d})")
    exponents = (n + odd) / 2 + np.arange(d - 1) - (d - 2) / 2
    polynomial = np.poly(np.exp(2j * np.pi * exponents / n))
    return _turned(polynomial if odd else np.real(polynomial), n)


def binary(n: int, s: int) -> Matrix:
    """Charalambides, Mahdavifar, Hero: Algorithms 1 and 2, corrected."""
    return encoding(n, s).T.astype(np.float64)


def balanced(n: int, s: int) -> Matrix:
    """Every residue class modulo s + 1 shares out all partitions, as evenly as can be."""
    B = np.zeros((n, n))
    for residue in range(s + 1):
        workers = range(residue, n, s + 1)
        for worker, held in zip(workers, np.array_split(np.arange(n), len(workers)), strict=True):
            B[held, worker] = 1.0
    return B


def graph(name: str = "", vertices: int = 0, edges: Sequence[Sequence[int]] = ()) -> Matrix:
    """Worker = edge, partition = vertex."""
    if name == "cycle":
        edges = [[v, (v + 1) % vertices] for v in range(vertices)]
    elif name == "complete":
        edges = list(itertools.combinations(range(vertices), 2))
    B = np.zeros((max(vertices, 1 + max(map(max, edges))), len(edges)))
    for j, edge in enumerate(edges):
        B[list(edge), j] = 1.0
    return B


def _turned(column: NDArray[Any], n: int) -> Matrix:
    """Column 0 begins with these entries, every next column is turned down by one."""
    B = np.zeros((n, n), column.dtype)
    for j in range(n):
        B[(j + np.arange(len(column))) % n, j] = column
    return B


_FAMILIES: dict[str, Callable[..., Matrix]] = {
    "binary": binary,
    "circulant": lambda n, d: _turned(np.ones(d), n),
    "cyclic": cyclic,
    "cyclic-mds": cyclic_mds,
    "frc": repetition,
    "graph": graph,
    "matrix": lambda rows: np.array(rows) + 0.0,
}


def shown_code(code: Code, **others: Any) -> str:
    """Show the partitions of every worker, with coefficients other than 1; of a small code."""
    held = (
        " ".join(f"{i}" if b == 1 else f"{b:.5g}*{i}" for i, b in enumerate(column, 1) if b)
        for column in matrix(code).T
    )
    said = "; ".join(held)
    return f"partitions of the workers 0, 1, ...: {said}" if len(said) < 400 else ""


# Algorithms 1 to 3 of paper binary (Charalambides, Mahdavifar, Hero: Numerically Stable Binary
# Gradient Coding), step by step. Rows are workers there; workers count from 0 and partitions, in
# the paper's slices, from 1.


def assignment(algorithm: int, version: str, n: int, s: int) -> Assignment:
    """Run Algorithm 1 or 2 (workers × partitions), corrected or with one slip of the print.

    Algorithm 1 has a slip in the division that gives "lambda", Algorithm 2 one in its "loop" over
    the classes and one in the "ends" of its larger blocks.
    """
    out = np.zeros((n, n), dtype=np.int64)
    blocks, r = divmod(n, s + 1)
    if algorithm == 1:
        # printed: n = λ(s+1) + r̃
        size, larger = divmod(n, s + 1 if version == "lambda" else blocks + 1)
        if blocks + r > s:
            size, larger = s, blocks + r - s
        classes = range(r)
    else:
        t, larger = divmod(r, blocks)
        size = s + t + 1
        # printed: i = r to r
        classes = range(r, r + 1 if version == "loop" else s + 1)
    printed_end = algorithm == 2 and version == "ends"  # of the larger blocks: j(s+t+1)
    for i in classes:
        first = 0
        for j, worker in enumerate(range(i, n, s + 1), 1):
            last = first + size + (j <= larger)
            end = j * size if printed_end and j <= larger else last
            out[worker, first : max(first, end)] = 1
            first = last
    return out


def encoding(n: int, s: int) -> Assignment:
    """Add up what both algorithms assign, corrected: the paper's encoding matrix."""
    return assignment(1, "corrected", n, s) + assignment(2, "corrected", n, s)


def algorithm3(
    n: int, s: int, pattern: int, early: bool = False, first: int | None = None
) -> tuple[int | None, int]:
    """Algorithm 3's vector as a word, and the number of workers looked up.

    With ``early`` it goes through the classes 0 … s−1 and else takes class s without a look. It
    begins with class ``first``, by default with r.
    """
    start, looked = n % (s + 1) if first is None else first, 0
    for residue in range(s) if early else [*range(start, s + 1), *range(start)]:
        members = range(residue, n, s + 1)
        for worker in members:
            looked += 1
            if not pattern >> worker & 1:
                break
        else:
            return sum(1 << worker for worker in members), looked
    return sum(1 << worker for worker in range(s, n, s + 1)) if early else None, looked


# ---- every pattern of survivors of a small code: least squares, and what they hold together


#: An error below this share of the number of partitions is rounding of the least squares.
_ROUNDING = 1e-10


def _subsets(B: NDArray[Any], size: int) -> Iterator[NDArray[Any]]:
    return (B[:, list(chosen)] for chosen in itertools.combinations(range(B.shape[1]), size))


def cycle_class_spread(code: Code) -> float:
    """Compare the error of every pattern with that of the pattern turned by one."""
    errors = _errors(code)
    n = errors.size.bit_length() - 1
    every, turned = [], np.arange(2**n)
    for _ in range(n):
        turned = np.array([turn(int(pattern), n) for pattern in turned])
        every.append(errors[turned])
    return _rounded(float(np.max(np.ptp(every, axis=0))), n)


def largest_error(code: Code, survivors: int) -> float:
    """Take the maximum over the patterns with so many survivors."""
    B = matrix(code)
    return _rounded(max(map(_error, _subsets(B, survivors))), len(B))


def mean_norm(code: Code, p: float) -> float:
    """Weigh the norm of every pattern with the pattern's probability."""
    return _weighed(np.sqrt(_errors(code)), p)


def mean_error(code: Code, p: float) -> float:
    """Weigh the error of every pattern with the pattern's probability."""
    return _weighed(_errors(code), p)


def largest_difference(code: Code, errors: Sequence[float]) -> float:
    """Compare the error of every pattern, bit j for worker j, with the one claimed for it."""
    k, n = matrix(code).shape
    claimed = np.asarray(errors, dtype=np.float64)
    if claimed.size == n + 1:
        claimed = claimed[[pattern.bit_count() for pattern in range(2**n)]]
    return _rounded(float(np.max(np.abs(_errors(code) - claimed))), k)


def undecodable_sets(most: int) -> int:
    """Count the sets of s stragglers that break a binary code, for all s < n ≤ most."""
    every = ((n, s) for n in range(1, most + 1) for s in range(n))
    left = (A for n, s in every for A in _subsets(binary(n, s), n - s))
    return sum(_error(A) > _ROUNDING * len(A) for A in left)


def patterns(n: int) -> Values:
    """Every pattern of survivors, 0 or 1 (2ⁿ, n): bit j of its place is worker j."""
    return (np.arange(2**n)[:, np.newaxis] >> np.arange(n) & 1).astype(np.float64)


def _errors(code: Code) -> Values:
    B = matrix(code)
    return np.array([_error(B[:, alive == 1]) for alive in patterns(B.shape[1])])


def _error(A: NDArray[Any]) -> float:
    x = np.linalg.lstsq(A, np.ones(len(A), A.dtype), rcond=None)[0]
    return float(np.sum(np.abs(A @ x - 1.0) ** 2))


def _weighed(values: Values, p: float) -> float:
    n = len(values).bit_length() - 1
    return math.fsum(
        values[v] * p ** (n - v.bit_count()) * (1.0 - p) ** v.bit_count() for v in range(2**n)
    )


def _rounded(value: float, partitions: int) -> float:
    return value if value > _ROUNDING * partitions else 0.0
