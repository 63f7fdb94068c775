"""The cyclic MDS code, to which paper binary is an alternative, in closed form. Derived.

Raviv, Tamo, Tandon, Dimakis (arXiv:1707.03858): worker j holds the j-th shift of g, the polynomial
whose roots are the s powers of ω = e^(2πi/n) around ω^(n/2). Shifts become powers under the Fourier
transform, so that decoding from n−s answers is interpolation at n−s powers of ω.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.theory.binary import paper
from fastgc.theory.binary.encoding import both
from fastgc.theory.cases.tables import Table, decoding, point_of, uniform
from fastgc.theory.common.arguments import check_code
from fastgc.theory.papers.claim import Case, Cases

#: n, d = s+1 with n + d even, as a real code needs.
_SIZES = ((9, 3), (11, 5), (8, 4), (7, 3))

#: Workers of which all sets may be gone through; the number of sets decides how long it takes.
_MOST = 200

Powers = NDArray[np.complex128]


@paper.elementwise
def cyclic_mds_amplification(n: int, d: int) -> float:
    """Largest ‖x‖² of the decoding vector over all sets of d − 1 stragglers. Derived.

    With z_j = ω^j the vector is the one with Σ_j x_j z_j^f = 0 for the n−d frequencies next to 0,
    and n/g(1) for f = 0; by Lagrange x_j = n/g(1) z_j^a [z^a] Π_(i≠j) (z−z_i)/(z_j−z_i),
    a = (n−d)/2.

    >>> round(cyclic_mds_amplification(8, 4), 9)
    10.0
    """
    _check(n, d)
    middle = (n - d) // 2
    whole = n / math.prod(abs(_sizes_at(n, d, np.zeros(1))))
    worst = 0.0
    for z in _survivors(n, n - d + 1):
        squares = []
        for j, own in enumerate(z):
            others = np.delete(z, j)
            coefficient = np.poly(others)[len(others) - middle]
            squares.append(abs(whole * coefficient / np.prod(own - others)) ** 2)
        worst = max(worst, math.fsum(squares))
    return worst


@paper.elementwise
def cyclic_mds_error(n: int, d: int) -> float:
    """Mean error with d stragglers, one more than the code survives, all sets alike. Derived.

    n−d columns of g's shifts leave one direction of their span's n−d+1 dimensions out. With u_f the
    coefficients of Π_j (z−ω^(−j)) and g_f = g(ω^(−f)) its part in the all-ones word is
    n |u_0/g_0|²/Σ_f |u_f/g_f|².

    >>> round(cyclic_mds_error(7, 3), 6)
    0.554986
    """
    _check(n, d)
    middle = (n - d) // 2
    sizes = _sizes_at(n, d, np.arange(-middle, middle + 1))
    errors = []
    for z in _survivors(n, n - d):
        parts = np.abs(np.poly(z.conj())[::-1] / sizes) ** 2
        errors.append(n * float(parts[middle]) / math.fsum(parts))
    return math.fsum(errors) / len(errors)


@paper.claim("cyclic-mds.amplification.derived", "Section I, of [17], in closed form")
def _() -> Cases:
    """With the worst s stragglers the cyclic MDS code amplifies noise by the largest
    sum_j |n/g(1) [z^a] prod_(i != j) (z-z_i)/(z_j-z_i)|^2 over the survivors z_j = w^j,
    a = (n-s-1)/2."""
    for n, d in _SIZES:
        theory = cyclic_mds_amplification(n, d)
        yield from both("largest_amplification", theory, code=_code(n, d), stragglers=d - 1)


@paper.claim("cyclic-mds.error.derived", "Section I, of [17], in closed form")
def _() -> Cases:
    """With s stragglers the cyclic MDS code is exact, with s+1 its error is
    n |u_0/g_0|^2/sum_f |u_f/g_f|^2, u_f the coefficients of prod_j (z-w^(-j)) over the survivors
    (mean over all sets)."""
    for n, d in _SIZES:
        for stragglers, theory in ((d - 1, 0.0), (d, cyclic_mds_error(n, d))):
            experiment = decoding("error", _code(n, d), uniform(stragglers))
            yield Case(point_of(experiment), theory, experiment, "error", scale=n)


def _code(n: int, d: int) -> Table:
    return {"family": "cyclic-mds", "n": n, "d": d}


def _check(n: int, d: int) -> None:
    check_code(n, d)
    if n > _MOST:
        raise FastgcError(
            f"n: got {n}, but all sets of survivors are gone through: at most {_MOST}"
        )
    if (n + d) % 2:
        raise FastgcError(f"d: got {d} for n = {n}, but n + d must be even for a real code")


def _survivors(n: int, answers: int) -> Iterator[Powers]:
    """Go through the powers of ω of all sets of so many workers."""
    for chosen in itertools.combinations(range(n), answers):
        yield np.exp(2j * np.pi * np.asarray(chosen) / n)


def _sizes_at(n: int, d: int, frequencies: NDArray[np.float64] | NDArray[np.int64]) -> Powers:
    """Values g(ω^(−f)) of the generator polynomial."""
    roots = np.exp(2j * np.pi * (n / 2 + np.arange(d - 1) - (d - 2) / 2) / n)
    points = np.exp(-2j * np.pi * frequencies / n)
    return np.asarray(np.prod(points[:, np.newaxis] - roots, axis=1), dtype=np.complex128)
