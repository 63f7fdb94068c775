"""Optimal decoding of any matrix: a projection, whatever the columns' lengths and angles."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from fastgc.theory.cases.tables import Table, built, circulant, frc, iid
from fastgc.theory.common.circulant import circulant_mean_error
from fastgc.theory.common.repetition import frc_mean_error
from fastgc.theory.literature import paper
from fastgc.theory.literature.cases import sampled
from fastgc.theory.papers.claim import LOOSE, Case, Cases

GOLUB = "Golub, Van Loan, Matrix Computations (1996), Section 5.3"

Rows = Sequence[Sequence[float]]


@paper.formula
def projection_error(rows: Rows, survivors: Sequence[int]) -> float:
    """Squared distance of the vector of ones from the span of some columns, in exact arithmetic.

    Gram and Schmidt on fractions: of a column nothing is left iff it depends on earlier ones.

    >>> projection_error([[1.0, 1.0], [0.0, 1e-9]], [0, 1]), projection_error([[1.0], [1.0]], [])
    (0.0, 2.0)
    """
    basis: list[list[Fraction]] = []
    for j in survivors:
        column = [Fraction(row[j]) for row in rows]
        for other in basis:
            share = _dot(column, other) / _dot(other, other)
            column = [x - share * y for x, y in zip(column, other, strict=True)]
        if any(column):
            basis.append(column)
    rest = [Fraction(1)] * len(rows)
    for other in basis:
        share = _dot(rest, other) / _dot(other, other)
        rest = [x - share * y for x, y in zip(rest, other, strict=True)]
    return float(_dot(rest, rest))


def _dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction())


def _entry(i: int, j: int) -> float:
    """A whole number from −5 to 5, without any pattern that matters."""
    return float((7 * i * i + 13 * j * j + 5 * i * j + 3 * i) % 11 - 5)


def _near(small: float) -> Rows:
    """Six partitions, nine workers; worker 5 nearly repeats worker 0."""
    rows = [[_entry(i, j) for j in range(9)] for i in range(6)]
    return [[*row[:5], row[0] + small * row[5], *row[6:]] for row in rows]


def _powers(n: int) -> Rows:
    """Columns of powers of numbers between .2 and 1: nearly dependent all together."""
    return [[(0.2 + 0.8 * j / (n - 1)) ** i for j in range(n)] for i in range(n)]


def _lengths(code: Rows, longest: float) -> Rows:
    """The same columns, their lengths from 1 to so many."""
    n = len(code[0])
    return [[x * longest ** (j / (n - 1)) for j, x in enumerate(row)] for row in code]


def _matrix(rows: Rows) -> Table:
    return {"family": "matrix", "rows": [list(row) for row in rows]}


def _repetition(n: int, d: int) -> Rows:
    return [[float(i // d == j // d) for j in range(n)] for i in range(n)]


def _cycle(n: int) -> Rows:
    return [[float((i - j) % n in (0, 1)) for j in range(n)] for i in range(n)]


def _differences(name: str, rows: Rows, digits_lost: bool = False) -> Case:
    """Largest difference from exact arithmetic over patterns of few, many and all survivors."""
    n, k = len(rows[0]), len(rows)
    patterns = [list(p) for size in (1, 2, n - 3, n - 1, n)
                for p in itertools.islice(itertools.combinations(range(n), size), 24)]  # fmt: skip
    errors = [projection_error(rows, pattern) for pattern in patterns]
    theory = 0.0
    if digits_lost:
        singular = np.linalg.svd(np.asarray(rows), compute_uv=False)
        theory = float(1e3 * 2.0**-52 * singular[0] / singular[-1] * k)
    case = built(
        "decoding_difference", theory, scale=k, rows=[list(row) for row in rows],
        patterns=patterns, errors=errors,
    )  # fmt: skip
    return replace(case, point={"matrix": name, "patterns": len(patterns)})


@paper.claim("least-squares.projection.printed", GOLUB)
def _() -> Cases:
    """The least ||Ax - 1||^2 over x is the squared distance of the vector of ones from the span of
    A's columns, dependent or nearly dependent ones too (largest difference from exact arithmetic,
    in parts of k)."""
    yield _differences("two columns 1e-8 apart", [[1.0, 1.0, 0.0], [0.0, 1e-8, 1.0]])
    for small in (1e-2, 1e-3, 1e-4):
        yield _differences(f"two columns {small} apart", _near(small))
    yield _differences("whole numbers", [[_entry(i, j) for j in range(11)] for i in range(8)])
    yield _differences("repetition", _repetition(12, 3))
    yield _differences("lengths 1 to 1000", _lengths(_near(1.0), 1e3))


@paper.claim("least-squares.condition.derived", f"Derived from {GOLUB}", LOOSE, relation="<=")
def _() -> Cases:
    """Of a matrix of condition c on k partitions an error loses no more than 1000 eps c k to
    rounding."""
    for n in (6, 9, 11):
        yield _differences(f"powers, {n}", _powers(n), digits_lost=True)


@paper.claim("least-squares.lengths.derived", "Derived: the span of columns has no lengths")
def _() -> Cases:
    """Columns of other lengths, none 0, span the same: codes from frc's and the circulant's columns
    have their mean errors."""
    for n, d, p in ((16, 2, 0.3), (16, 4, 0.5), (12, 3, 0.4)):
        code = _matrix(_lengths(_repetition(n, d), 8.0))
        case = sampled(code, iid(p), frc_mean_error(n, d, p=p))
        yield replace(case, point=dict(frc(n, d)) | {"p": p, "lengths": "1 to 8"})
    for n, p in ((16, 0.25), (11, 0.3)):
        code = _matrix(_lengths(_cycle(n), 8.0))
        case = sampled(code, iid(p), circulant_mean_error(n, 2, p=p))
        yield replace(case, point=dict(circulant(n, 2)) | {"p": p, "lengths": "1 to 8"})


def _offsets(n: int, held: Sequence[int]) -> Rows:
    """Worker j holds partitions j + o, modulo n, for each of these o."""
    return [[float((i - j) % n in held) for j in range(n)] for i in range(n)]


@paper.claim("worst-case.arc.derived", "Derived: an arc is one of the sets", relation=">=")
def _() -> Cases:
    """Where there are too many sets of s stragglers to try all, the worst that is found costs no
    less than s consecutive workers do, of codes whose worker j holds partitions j + o."""
    for n, held, s in ((31, (0, 1, 5), 12), (30, (0, 1, 4), 11), (29, (0, 1, 4, 6), 12)):
        rows = _offsets(n, held)
        theory = projection_error(rows, range(s, n))
        case = built("worst_error", theory, scale=n, code=_matrix(rows), stragglers=s)
        yield replace(case, point={"n": n, "offsets": list(held), "stragglers": s})


@paper.claim("worst-case.set.derived", "Derived: the worst of all sets, one after the other")
def _() -> Cases:
    """The largest error over all sets of s stragglers is the largest of their least-squares
    errors, also where the last column is the sum of the first two."""
    for n, k, s in ((7, 6, 3), (8, 8, 3), (8, 5, 4)):
        rows = [[_entry(i, j) for j in range(n - 1)] for i in range(k)]
        rows = [[*row, row[0] + row[1]] for row in rows]
        sets = itertools.combinations(range(n), n - s)
        theory = max(projection_error(rows, survivors) for survivors in sets)
        case = built("worst_error", theory, scale=n, code=_matrix(rows), stragglers=s)
        yield replace(case, point={"n": n, "k": k, "stragglers": s})
