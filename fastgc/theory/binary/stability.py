"""How stable decoding is, beside codes with real coefficients (binary, Sections I and IV).

Paper binary, Section I, calls codes over the reals unstable. Here the simplest of them are worked
out: two partitions are held by m workers, of whom worker j adds a_j times the second to the first.
Any two with unlike a_j decode exactly, however little they differ, but scale by the inverse of the
difference; one alone leaves (1−a)²/(1+a²). Several such pairs do not touch each other.

Raviv, Tamo, Tandon, Dimakis (arXiv:1707.03858): worker j holds the j-th shift of g, the polynomial
whose roots are the s powers of ω = e^(2πi/n) around ω^(n/2). Shifts become powers under the Fourier
transform, so that decoding from n−s answers is interpolation at n−s powers of ω.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.theory.binary import paper
from fastgc.theory.binary.encoding import EXAMPLE, blocks_and_remainder
from fastgc.theory.cases.decoding import compared, decoding
from fastgc.theory.cases.statements import both, built, finite
from fastgc.theory.cases.tables import Table, binary, cyclic_mds, iid, matrix, uniform
from fastgc.theory.common import check
from fastgc.theory.papers.claim import Case, Cases

_CYCLIC: Table = {"family": "cyclic", "seed": 1}
_MDS: Table = {"family": "cyclic-mds"}
_MDS_SIZES = ((11, 4), (8, 3), (9, 2))
Weights = Sequence[Sequence[float]]
#: Workers of one pair, two of whom differ by ε.
_CLOSE = tuple([[0.0, e, 1.0, 2.0, -1.0]] for e in (0.1, 0.01, 1e-4, 1e-8))
#: Pairs with two workers each, who differ by ε: both are needed, and the code is ill-conditioned.
_NARROW = (
    *([[1.0, 1.0 + e], [0.5, 0.5 + e]] for e in (1e-3, 1e-5, 1e-6)),
    [[0.5, 0.5 + 1e-10], [0.6, 0.6 + 1e-10]],
)
_P = 0.3
#: n, d = s+1 with n + d even, as a real code needs.
_SIZES = ((9, 3), (11, 5), (8, 4), (7, 3))
#: Workers of which all sets may be gone through; the number of sets decides how long it takes.
_MOST = 200
Powers = NDArray[np.complex128]


@paper.elementwise
def amplification(n: int, s: int) -> float:
    """Largest ‖a‖² of Algorithm 3's vector over all sets of s stragglers: ℓ+1, or ℓ if r = 0.

    Received sums with independent noise of variance σ² give a gradient with noise σ²‖a‖².

    >>> amplification(11, 3)
    3.0
    """
    blocks, r = blocks_and_remainder(n, s)
    return blocks + (r > 0)


@paper.claim("summing.printed", "Sections I and IV")
def _() -> Cases:
    """Encoding and decoding add and never scale: the matrix and all vectors that Algorithm 3
    returns have no entry but 0 and 1 (number of others), and no partition is added twice."""
    for n, s in (EXAMPLE, (12, 3), (13, 5)):
        yield built("scaled_entries", 0, scale=n, code=binary(n, s), decoder="class")
        yield built("wrong_vectors", 0, scale=2**n, code=binary(n, s), decoder="class")


@paper.claim("amplification.derived", "Section IV, of noise")
def _() -> Cases:
    """Whatever s workers straggle, Algorithm 3 amplifies independent noise in the answers by
    ||a||^2 <= l+1, by l where s+1 divides n: it adds numbers and does not scale them."""
    for n, s in (EXAMPLE, (12, 3), (9, 2), (16, 4)):
        theory, code = amplification(n, s), binary(n, s)
        yield finite("largest_class_amplification", theory, n=n, s=s)
        yield built("largest_amplification", theory, code=code, stragglers=s, decoder="class")
    for n, s in ((12, 3), (40, 9)):
        experiment = decoding("amplification", binary(n, s), uniform(s), decoder="class")
        theory = amplification(n, s)
        yield compared(experiment, theory, scale=theory)


@paper.claim("amplification.least-squares.derived", "Section IV", relation="<=")
def _() -> Cases:
    """The minimum-norm decoding vector amplifies no more than Algorithm 3's."""
    for n, s in (EXAMPLE, (11, 4), (9, 2), (12, 3)):
        theory, code = amplification(n, s), binary(n, s)
        yield finite("largest_amplification", theory, code=code, stragglers=s)
        yield built("largest_amplification", theory, code=code, stragglers=s, decoder="optimal")


@paper.claim("stability.derived", "Section I, made measurable", relation=">")
def _() -> Cases:
    """Over the worst set of s stragglers, codes with real coefficients (Tandon's
    random cyclic code, the cyclic MDS code) amplify noise more than the binary code."""
    for family, sizes in ((_CYCLIC, ((11, 3), (8, 2))), (_MDS, _MDS_SIZES)):
        for n, s in sizes:
            code = family | {"n": n, "d": s + 1}
            given = {"code": code, "other": binary(n, s), "stragglers": s}
            for case in both("amplification_difference", 0, 1.0, **given):
                yield replace(case, point=code)


def _rounded(family: Table, n: int, s: int, index: str, scale: float) -> Case:
    """Relative error of the decoded gradient, less the binary code's on the same draws."""
    other = family | {"n": n, "d": s + 1}
    first = decoding("stability", other, uniform(s))
    second = decoding("stability", binary(n, s), uniform(s))
    point = {**other, "stragglers": s, "noise": index}
    return Case(point, 0.0, first, "stability", index=index, against=second, scale=scale)


@paper.claim("stability.float32.derived", "Section I, made measurable", relation=">")
def _() -> Cases:
    """In single precision the gradient decoded with Tandon's random cyclic code or the
    cyclic MDS code is further off than with the binary code."""
    yield _rounded(_CYCLIC, 11, 4, "float32", 1e-2)
    for n, s in _MDS_SIZES:
        yield _rounded(_MDS, n, s, "float32", 1e-4)


@paper.claim("stability.noise.derived", "Section I, made measurable", relation=">")
def _() -> Cases:
    """With relative noise 0.001 in the answers the gradient decoded with the cyclic MDS
    code is further off than with the binary code."""
    for n, s in _MDS_SIZES:
        yield _rounded(_MDS, n, s, "0.001", 1.0)


# ---- codes with real weights that are worst to decode: pairs of partitions. Derived


@paper.formula
def pairs_mean_error(weights: Weights, p: float) -> float:
    """Mean decoding error of pairs of partitions, stragglers iid with probability p. Derived.

    ``weights`` has one list of a_j a pair; of m workers all straggle with probability p^m, which
    costs 2, and all but worker j with probability p^(m−1)(1−p), which costs (1−a_j)²/(1+a_j²).

    >>> pairs_mean_error([[0.0, 1e-9]], 0.5)
    0.9999999995
    """
    check.probabilities(p=p)
    _check(weights)
    return math.fsum(
        2.0 * p ** len(pair)
        + p ** (len(pair) - 1) * (1.0 - p) * math.fsum((1 - a) ** 2 / (1 + a * a) for a in pair)
        for pair in weights
    )


@paper.formula
def pairs_exact_probability(weights: Weights, p: float) -> float:
    """Probability that all pairs of partitions decode exactly, stragglers iid. Derived.

    Of a pair's workers two must answer, or one whose a_j is 1.

    >>> pairs_exact_probability([[0.0, 1e-9]], 0.5)
    0.25
    """
    check.probabilities(p=p)
    _check(weights)
    probabilities = []
    for pair in weights:
        m = len(pair)
        useless = sum(a != 1 for a in pair)
        probabilities.append(1.0 - p**m - useless * p ** (m - 1) * (1.0 - p))
    return math.prod(probabilities)


@paper.formula
def pair_amplification(weights: Sequence[float]) -> float:
    """Largest ‖x‖² over two survivors of one pair's workers, x their decoding vector. Derived.

    Workers with a and b have the weights (b−1)/(b−a) and (1−a)/(b−a).

    >>> pair_amplification([0.0, 0.5, 2.0])
    5.0
    """
    _check([weights])
    return max(
        ((b - 1) ** 2 + (1 - a) ** 2) / (b - a) ** 2 for a, b in itertools.combinations(weights, 2)
    )


def _check(weights: Weights) -> None:
    for pair in weights:
        if len(pair) < 2 or len(set(pair)) < len(pair):
            raise FastgcError(
                f"weights: got {list(pair)}, but two or more unlike numbers are needed"
            )


def _code(weights: Weights) -> Table:
    n = sum(map(len, weights))
    rows: list[list[float]] = []
    first = 0
    for pair in weights:
        ones, own = [0.0] * n, [0.0] * n
        ones[first : first + len(pair)] = [1.0] * len(pair)
        own[first : first + len(pair)] = pair
        rows += [ones, own]
        first += len(pair)
    return matrix(rows)


def _said(weights: Weights) -> Table:
    return {"weights": [list(pair) for pair in weights], "p": _P}


def _measured(quantity: str, weights: Weights, theory: float) -> Case:
    experiment = decoding(quantity, _code(weights), iid(_P))
    return Case(_said(weights), theory, experiment, quantity)


@paper.claim("real-weights.error.derived", "Section I, in closed form")
def _() -> Cases:
    """Two answers that differ by ever so little decode a pair of partitions exactly: the mean error
    is sum over pairs of 2 q^m + q^(m-1) (1-q) sum_j (1-a_j)^2/(1+a_j^2)."""
    for weights in (*_CLOSE, *_NARROW):
        yield _measured("error", weights, pairs_mean_error(weights, _P))
    for weights in (_CLOSE[2], _NARROW[0]):
        case = finite("mean_error", pairs_mean_error(weights, _P), code=_code(weights), p=_P)
        yield replace(case, point=_said(weights))


@paper.claim("real-weights.exact.derived", "Section I, in closed form")
def _() -> Cases:
    """They are exact with probability prod over pairs of 1 - q^m - u q^(m-1) (1-q), u the number of
    the workers with a_j not 1."""
    for weights in (*_CLOSE, _NARROW[0]):
        yield _measured("exact", weights, pairs_exact_probability(weights, _P))


@paper.claim("real-weights.amplification.derived", "Section I, in closed form")
def _() -> Cases:
    """But two answers that differ by e are scaled by 1/e: the noise in them is amplified by
    ((b-1)^2 + (1-a)^2)/(b-a)^2, for the worst two survivors with a and b."""
    for weights in _CLOSE:
        theory = pair_amplification(weights[0])
        given: Table = {"code": _code(weights), "stragglers": len(weights[0]) - 2}
        for case in both("largest_amplification", theory, **given):
            yield replace(case, point={"weights": [list(pair) for pair in weights]})


# ---- the cyclic MDS code, to which the paper is an alternative. Derived


@paper.elementwise
def cyclic_mds_amplification(n: int, d: int) -> float:
    """Largest ‖x‖² of the decoding vector over all sets of d − 1 stragglers. Derived.

    With z_j = ω^j the vector is the one with Σ_j x_j z_j^f = 0 for the n−d frequencies next to 0,
    and n/g(1) for f = 0; by Lagrange x_j = n/g(1) z_j^a [z^a] Π_(i≠j) (z−z_i)/(z_j−z_i),
    a = (n−d)/2.

    >>> round(cyclic_mds_amplification(8, 4), 9)
    10.0
    """
    _check_real(n, d)
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
    _check_real(n, d)
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
        yield from both("largest_amplification", theory, code=cyclic_mds(n, d), stragglers=d - 1)


@paper.claim("cyclic-mds.error.derived", "Section I, of [17], in closed form")
def _() -> Cases:
    """With s stragglers the cyclic MDS code is exact, with s+1 its error is
    n |u_0/g_0|^2/sum_f |u_f/g_f|^2, u_f the coefficients of prod_j (z-w^(-j)) over the survivors
    (mean over all sets)."""
    for n, d in _SIZES:
        for stragglers, theory in ((d - 1, 0.0), (d, cyclic_mds_error(n, d))):
            experiment = decoding("error", cyclic_mds(n, d), uniform(stragglers))
            yield compared(experiment, theory, scale=n)


def _check_real(n: int, d: int) -> None:
    check.code(n, d)
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
