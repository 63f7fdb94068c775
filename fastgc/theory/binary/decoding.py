"""How the binary code decodes (binary, Section IV), within its guarantee and beyond, at what cost.

For k = n, or a multiple of n. The classes 0 … r−1 hold the data in ℓ+1 consecutive blocks, each
held by r workers; the classes r … s in ℓ blocks, each held by s+1−r workers. Inner boundaries of
the two divisions never coincide, so that least squares is exact iff one division has a survivor
in each of its blocks. Algorithm 3 wants more: a class all of whose workers survive.
"""

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.theory.binary import paper
from fastgc.theory.binary.encoding import EXAMPLE, POINTS, blocks_and_remainder
from fastgc.theory.cases.experiment_tables import compared, decoding
from fastgc.theory.cases.statements import as_built, both, brute, built, finite
from fastgc.theory.cases.studies import Table, binary, iid, uniform
from fastgc.theory.common import check
from fastgc.theory.papers.claim import Case, Cases, at

#: n, s: the paper's example, one survivor, two of them, and a class for every worker.
_FEW = (EXAMPLE, (4, 3), (5, 3), (3, 0))
#: n, s of which s+1 does not divide n.
_UNEVEN = (EXAMPLE, (10, 3), (8, 2))
_INDEPENDENT = ((*EXAMPLE, 0.2), (*EXAMPLE, 0.45), (12, 2, 0.3), (17, 4, 0.4))
#: Numbers of workers over more than two decades, and s = 3 or s near the root of n.
_GROWING = (11, 34, 110, 346, 1100, 3467)
_S = EXAMPLE[1]
_BOTH = tuple((n, math.isqrt(n)) for n in _GROWING)


@paper.claim("theorem1.printed", "Theorem 1")
def _() -> Cases:
    """The code decodes exactly whatever s workers straggle (sets that break it, or the error)."""
    yield finite("undecodable_sets", 0, most=11)
    for decoder in ("class", "optimal"):
        yield built("undecodable_sets", 0, most=11, decoder=decoder)
    for n, s in (EXAMPLE, (13, 4)):
        yield from both("largest_error", 0, scale=n, code=binary(n, s), survivors=n - s)
    for code, k in ((binary(20, 5), 20), (binary(17, 3, 34), 34), (binary(40, 6), 40)):
        yield compared(decoding("error", code, uniform(code["s"])), 0.0, scale=float(k))


@paper.states("pigeonhole.printed", "Theorem 1, proof")
@at(
    POINTS,
    brute("guaranteed_survivors"),
    as_built("guaranteed_survivors", lambda n, s: {"code": binary(n, s)}),
)
def guaranteed_survivors(n: int, s: int) -> float:
    """l r + (l-1)(s+1-r) + 1 = n-s survivors always include a complete class, and no fewer do."""
    blocks, r = blocks_and_remainder(n, s)
    return blocks * r + (blocks - 1) * (s + 1 - r) + 1


@paper.claim("disjoint.printed", "Section IV", ">=", "missing condition", of=(False,))
@paper.claim("disjoint.corrected", "Section IV, corrected", of=(True,), reads="disjoint.printed")
def _(is_right: bool) -> Cases:
    """Among any n-s workers there are l without common partitions, and not always more, where s+1
    does not divide n.
    Proof. The class that is complete has l workers at least, by Theorem 1. If the r stragglers that
    hold the last block of the first r classes are gone, it is one of the other classes.

    disjoint.printed: Among any n-s workers there are l without common partitions, l+1 if s+1 does
    not divide n.
    Printed: among any f workers who send back their computed sum of partial gradients, there should
    be ℓ workers for ℓ := n/(s+1) ∈ Z_+ (or ℓ+1 where ℓ = ⌊n/(s+1)⌋, if (s+1)∤n) which have no
    common assigned partitions"""
    for n, s in _UNEVEN if is_right else (*_UNEVEN, (12, 3)):
        workers = n // (s + 1) + (not is_right and n % (s + 1) > 0)
        yield from both("fewest_disjoint", workers, code=binary(n, s), survivors=n - s)


@paper.claim("algorithm3.corrected", "Section IV and Algorithm 3, corrected")
def _() -> Cases:
    """With a_i the workers of the class i mod s+1, i = 0 ... s, every vector that Algorithm 3
    returns gives the gradient, for any set of survivors (number of wrong ones).
    Proof. Section III has s+1 classes, those of the indices mod s+1, each of which holds every
    partition once; Algorithm 3 itself runs through i = 0 ... s."""
    for n, s in POINTS:
        yield finite("wrong_vectors", 0, scale=2**n, code=binary(n, s), s=s)
        yield built("wrong_vectors", 0, scale=2**n, code=binary(n, s), decoder="class")


@paper.claim("algorithm3.printed", "Section IV, definition of a_i", "misprint", "algorithm")
def _() -> Cases:
    """The vectors a_i that add the workers of the classes mod l, i = 0 ... l-1, give the gradient
    (number that do not).
    Printed: a_i := Σ_(j∈[i]_ℓ) e_j ∈ {0,1}^(1×n), for i ∈ N_ℓ−1"""
    for n, s in POINTS:
        code = binary(n, s)
        yield from both("wrong_class_vectors", 0, code=code, modulus=n // (s + 1))


@paper.claim("algorithm3.guarantee.printed", "Algorithm 3, and before it", "algorithm")
def _() -> Cases:
    """Algorithm 3 returns a vector whatever s workers straggle: the support of some a_i is inside
    that of rec_I, or equal to it (sets for which none is)."""
    for n, s in (*POINTS, *_FEW):
        yield finite("unused_vectors", 0, n=n, s=s)
        yield built("failing_sets", 0, code=binary(n, s), stragglers=s, decoder="class")


@paper.claim("shift.printed", "Section IV")
def _() -> Cases:
    """In both cases, of the first r classes and of the others, a_(i+1) is a cyclic shift of a_i
    (number of exceptions)."""
    for n, s in (EXAMPLE, (10, 3), (13, 5)):
        yield finite("broken_shifts", 0, n=n, s=s, within=True)
        yield built("broken_shifts", 0, code=binary(n, s), s=s, within=True)


def _class(n: int, s: int, residue: int) -> Table:
    return {"code": binary(n, s), "s": s, "residue": residue}


@paper.states("decoding-weight.printed", "Section IV")
@at(
    [(*EXAMPLE, 0), (*EXAMPLE, 3), (23, 6, 1), (23, 6, 2)],
    brute("vector_weight", _class),
    as_built("vector_weight", _class, decoder="class"),
)
def decoding_weight(n: int, s: int, residue: int) -> float:
    """a_i adds l+1 sums for the classes 0 ... r-1 and l for the others."""
    blocks, r = blocks_and_remainder(n, s)
    check.count("residue", residue, 0, s)
    return blocks + (residue < r)


@paper.elementwise
def exact_probability(
    n: int, s: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that the binary code decodes exactly, k = n. Derived.

    Stragglers iid with probability q: with a = 1−q^r and b = 1−q^(s+1−r),
    1 − (1−a^(ℓ+1))(1−b^ℓ) for r > 0 and (1−q^(s+1))^ℓ for r = 0. Given a number of survivors, all
    sets of so many are equally likely.
    """
    blocks, r = blocks_and_remainder(n, s)
    if p is None:
        assert survivors is not None
        # all sets of survivors, less those in which both divisions lack a block
        lacking = np.ones(1, dtype=object)
        for holders, pieces in ((r, blocks + 1), (s + 1 - r, blocks)):
            if holders:
                held = [math.comb(holders, i) for i in range(holders + 1)]
                every, covered = _power(held, pieces), _power([0, *held[1:]], pieces)
                lacking = np.convolve(lacking, every - covered)
        sets = math.comb(n, survivors)
        return float((sets - lacking[survivors]) / sets)
    if r == 0:
        return (1.0 - p ** (s + 1)) ** blocks
    first = (1.0 - p**r) ** (blocks + 1)
    second = (1.0 - p ** (s + 1 - r)) ** blocks
    return 1.0 - (1.0 - first) * (1.0 - second)


def _exact_cases(
    probability: Callable[..., Any],
    decoder: str,
    independent: Iterable[Any],
    counted: Iterable[Any],
) -> Cases:
    for points, law in ((independent, iid), (counted, uniform)):
        for n, s, lost in points:
            given = {"p": lost} if law is iid else {"survivors": n - lost}
            run = decoding("exact", binary(n, s), law(lost), decoder=decoder)
            yield compared(run, probability(n, s, **given))


@paper.claim("exact-probability.derived", "Section IV, beyond its guarantee")
def _() -> Cases:
    """For iid stragglers the code decodes exactly with probability
    1-(1-a^(l+1))(1-b^l), a = 1-q^r, b = 1-q^(s+1-r), and (1-q^(s+1))^l for r = 0;
    for a given number of survivors with the share of exact sets."""
    counted = ((*EXAMPLE, 8), (12, 2, 6), (17, 4, 9))
    independent = (*_INDEPENDENT, (20, 5, 0.35))
    return _exact_cases(exact_probability, "optimal", independent, counted)


@paper.elementwise
def class_probability(
    n: int, s: int, survivors: int | None = None, p: float | None = None
) -> float:
    """Probability that Algorithm 3 alone decodes: some class is complete. Derived.

    Stragglers iid with probability q: 1 − (1−(1−q)^(ℓ+1))^r (1−(1−q)^ℓ)^(s+1−r). Given a number of
    survivors, all sets of so many are equally likely.
    """
    blocks, r = blocks_and_remainder(n, s)
    if p is None:
        assert survivors is not None
        # all sets of survivors, less those in which every class lacks a worker
        lacking = np.ones(1, dtype=object)
        for size, classes in ((blocks + 1, r), (blocks, s + 1 - r)):
            broken = [math.comb(size, i) for i in range(size)] + [0]
            lacking = np.convolve(lacking, _power(broken, classes))
        sets = math.comb(n, survivors)
        return float((sets - lacking[survivors]) / sets)
    alive = 1.0 - p
    return 1.0 - (1.0 - alive ** (blocks + 1)) ** r * (1.0 - alive**blocks) ** (s + 1 - r)


@paper.claim("algorithm3.probability.derived", "Algorithm 3, beyond its guarantee")
def _() -> Cases:
    """For iid stragglers Algorithm 3 alone decodes with probability
    1-(1-p^(l+1))^r (1-p^l)^(s+1-r), p = 1-q; for a given number of survivors with
    the share of sets that include a complete class."""
    return _exact_cases(class_probability, "class", _INDEPENDENT, ((*EXAMPLE, 6),))


def _power(polynomial: list[int], exponent: int) -> NDArray[np.object_]:
    factors = [np.array(polynomial, dtype=object)] * exponent
    return functools.reduce(np.convolve, factors, np.ones(1, dtype=object))


@paper.states("decoding-cost.printed", "Section IV", "<=", "order")
@at(_BOTH, brute("worst_look_ups"), size=lambda n: n)
def look_ups_printed(n: int, s: int) -> float:
    """Algorithm 3 takes O((l+1)(s+1)): so many workers does it look up with the worst set of s
    stragglers, as n, l and s all grow, s about the root of n."""
    return (n // (s + 1) + 1) * (s + 1)


@paper.states("decoding-cost.early.printed", "Section IV", "<=", "order")
@at(_BOTH, brute("worst_look_ups", early=True), size=lambda n: n)
def _early_look_ups(n: int, s: int) -> float:
    """It takes O((l+1)s) if it goes through the classes 0 ... s-1 alone, and else takes class s:
    so many workers does it look up with the worst set of s stragglers, as n, l and s all grow."""
    return (n // (s + 1) + 1) * s


@paper.states("order-of-classes.printed", "Section IV", ">")
@at([EXAMPLE, (10, 3), (13, 5), (8, 4)], brute("look_ups_saved"))
def _saved(n: int, s: int) -> float:
    """Looking through the last s+1-r classes first makes Algorithm 3 more efficient where s+1 does
    not divide n: so many look-ups fewer than in the order 0 ... s, on average over all sets of s
    stragglers."""
    return 0


@paper.claim("early.printed", "Section IV")
def _() -> Cases:
    """Class s may be taken without a look: it is complete whenever none of the classes 0 ... s-1 is
    (sets of s stragglers for which it is not)."""
    for n, s in POINTS:
        yield finite("early_failures", 0, n=n, s=s)


@paper.states(
    "table.comparison.printed",
    "Abstract of contributions and Section IV, for large n",
    "difference",
)
@at(
    [(n, _S) for n in _GROWING],
    brute("look_ups_per_row"),
    size=lambda n: n,
    rate=lambda n, s: n / math.comb(n, s),
)
def _look_ups_per_row(n: int, s: int) -> float:
    """Algorithm 3 is more efficient for large n than a search through the table: the workers that
    it looks up at worst are a share of the table's rows that vanishes, s = 3."""
    return 0


_CYCLIC: Table = {"family": "cyclic", "seed": 1}
_MDS: Table = {"family": "cyclic-mds"}
_MDS_SIZES = ((11, 4), (8, 3), (9, 2))


@paper.claim("summing.printed", "Sections I and IV")
def _() -> Cases:
    """Encoding and decoding add and never scale: the matrix and all vectors that Algorithm 3
    returns have no entry but 0 and 1 (number of others), and no partition is added twice."""
    for n, s in (EXAMPLE, (12, 3), (13, 5)):
        yield built("scaled_entries", 0, scale=n, code=binary(n, s), decoder="class")
        yield built("wrong_vectors", 0, scale=2**n, code=binary(n, s), decoder="class")


def _rounded(family: Table, n: int, s: int, index: str, scale: float) -> Case:
    # relative error of the decoded gradient, less the binary code's on the same draws
    other = family | {"n": n, "d": s + 1}
    first = decoding("stability", other, uniform(s))
    second = decoding("stability", binary(n, s), uniform(s))
    point = {**other, "stragglers": s, "noise": index}
    return Case(point, 0.0, first, "stability", index=index, against=second, scale=scale)


@paper.claim("stability.float32.derived", "Section I, made measurable", ">")
def _() -> Cases:
    """In single precision the gradient decoded with Tandon's random cyclic code or the
    cyclic MDS code is further off than with the binary code."""
    yield _rounded(_CYCLIC, 11, 4, "float32", 1e-2)
    for n, s in _MDS_SIZES:
        yield _rounded(_MDS, n, s, "float32", 1e-4)
