"""The assignment of partitions to workers (binary, Sections II, III and V-A): Algorithms 1 and 2.

The workers of residue class i mod s+1 share out all partitions; with n = ℓ(s+1) + r the classes
0 … r−1 have ℓ+1 workers each, the others ℓ. Lemma 4 divides n by s+1, and r by ℓ.
"""

import numpy as np
from numpy.typing import NDArray

from fastgc.theory.binary import paper
from fastgc.theory.cases.statements import as_built, both, brute, built, finite
from fastgc.theory.cases.studies import binary, circulant, cyclic, cyclic_mds, frc, matrix
from fastgc.theory.common import check
from fastgc.theory.papers.claim import Cases, Measure, at

#: The paper's example: n, s.
EXAMPLE = (11, 3)

#: n, s; s+1 divides n in the last but one; n = (s+1)² in none.
POINTS = (EXAMPLE, (10, 4), (12, 3), (13, 5))
# n, s of square matrices, and n, s, k of those that are none
_SQUARE = (EXAMPLE, (10, 6), (12, 2), (23, 5))
_OTHER = ((12, 2, 30), (17, 4, 9), (11, 3, 23))
# n, s with r > 0 and ℓ + r ≤ s: the branch of Algorithm 1 that uses λ
_SMALL = ((4, 2), (10, 6), (9, 5))
# n, s with q > 0, and r < s
_LARGER = (EXAMPLE, (7, 2), (17, 4))
_SEVERAL = ((7, 2), (10, 6), (12, 3))
_EVERY = (*POINTS, *_SMALL, *_LARGER)
_LEAST = ((*EXAMPLE, 11), (10, 6, 10), (7, 2, 21))


def blocks_and_remainder(n: int, s: int) -> tuple[int, int]:
    """ℓ and r of n = ℓ(s+1) + r, after refusing what is not 0 ≤ s < n."""
    check.arguments(n=n, s=s)
    return divmod(int(n), int(s) + 1)


@paper.formula
def loads(n: int, s: int) -> NDArray[np.int64]:
    """Loads of the n workers for k = n (binary, Section III, prose).

    Classes 0 … r−1: where ℓ > s−r, s+1 in the first ℓ+r−s blocks of workers and s in the others;
    else, with n = λ(ℓ+1) + r̃, λ+1 in the first r̃ blocks and λ in the others. Classes r … s: with
    r = tℓ + q, s+t+2 in the first q blocks and s+t+1 in the others. It is exact.
    """
    blocks, r = blocks_and_remainder(n, s)
    if blocks > s - r:
        size, larger = s, blocks + r - s
    else:
        size, larger = divmod(n, blocks + 1)
    t, q = divmod(r, blocks)
    out = np.empty(n, dtype=np.int64)
    for worker in range(n):
        block, residue = divmod(worker, s + 1)
        first = residue < r
        out[worker] = size + (block < larger) if first else s + t + 1 + (block < q)
    return out


@paper.claim("example.printed", "Section III, example n = k = 11, s = 3", "algorithm")
def _() -> Cases:
    """The matrices printed for n = 11 and s = 3, of the classes 0 ... r-1, of the others and of
    both, are what the algorithms assign, entry by entry (number of entries that differ)."""
    for part in ("B", "B_C1", "B_C2"):
        yield from both("example_differences", 0, code=binary(*EXAMPLE), part=part)


@paper.claim(
    "algorithm2.blocks.printed",
    "Algorithm 2, first slice",
    "misprint",
    "algorithm",
    of=(2, "ends", _LARGER),
)
@paper.claim("algorithm2.blocks.corrected", "Algorithm 2, corrected", of=(2, "corrected", _LARGER))
@paper.claim(
    "algorithm2.printed",
    "Algorithm 2, its loop over the classes",
    "misprint",
    "algorithm",
    of=(2, "loop", _SEVERAL),
)
@paper.claim("algorithm2.corrected", "Algorithm 2, corrected", of=(2, "corrected", _EVERY))
@paper.claim("algorithm1.printed", "Algorithm 1", "misprint", "algorithm", of=(1, "lambda", _SMALL))
@paper.claim(
    "algorithm1.corrected",
    "Algorithm 1 with the lambda of Section III",
    of=(1, "corrected", _EVERY),
)
def _(algorithm: int, version: str, points: tuple[tuple[int, int], ...]) -> Cases:
    """With n = lambda(l+1) + r~, as Section III defines them, Algorithm 1 assigns every partition
    exactly once in each class 0 ... r-1 (number of exceptions).
    Proof. A class below r has l+1 workers, so that its consecutive blocks must be n divided by l+1:
    r~ of lambda+1 partitions and the others of lambda use up n once.

    algorithm2.blocks.printed: With larger blocks that end at j(s+t+1) Algorithm 2 assigns every
    partition exactly once in each class r ... s (number of exceptions).
    Printed: B̃_C2[(j−1)(s+1)+i, (j−1)(s+t+2)+1 : j(s+t+1)] = 1_(1×(s+t+2))

    algorithm2.blocks.corrected: Larger blocks that end at j(s+t+2) assign every partition exactly
    once in each class r ... s, as the row of s+t+2 ones on the other side of the line says (number
    of exceptions).
    Proof. The line itself fills s+t+2 entries, which from (j-1)(s+t+2)+1 end at j(s+t+2); the
    smaller blocks begin right behind, at q(s+t+2)+1.

    algorithm2.printed: Algorithm 2, whose loop runs from i = r to r, assigns every partition
    exactly once in each class r ... s (number of exceptions).
    Printed: for i = r to r do

    algorithm2.corrected: With i = r to s and larger blocks that end at j(s+t+2), Algorithm 2
    assigns every partition exactly once in each class r ... s (number of exceptions).
    Proof. Section III-B is about all classes r ... s, each of which needs its rows.

    algorithm1.printed: Algorithm 1, whose line of divisions reads n = lambda(s+1) + r~ (and n =
    l(s+1), without r), assigns every partition exactly once in each class 0 ... r-1 (number of
    exceptions).
    Printed: n = ℓ·(s+1), r = t·ℓ + q, n = λ·(s+1) + r̃"""
    for n, s in points:
        yield finite("coverage_defects", 0, algorithm=algorithm, version=version, n=n, s=s)
    yield finite("coverage_failures", 0, algorithm=algorithm, version=version, most=29)


@paper.claim("encoding.derived", "Algorithms 1 and 2, read together")
def _() -> Cases:
    """Algorithms 1 and 2, corrected, are one rule, which fastgc follows: each residue class mod
    s+1 splits the partitions into consecutive blocks, as even as can be, the larger ones first
    (number of entries that differ)."""
    for least, most in ((11, 11), (2, 24), (25, 40)):
        yield from both("encoding_differences", 0, least=least, most=most)


@paper.claim("loads.printed", "Section III")
def _() -> Cases:
    """Workers of the classes 0 ... r-1 hold s+1 partitions in the first l+r-s blocks and s in the
    others where l > s-r, else lambda+1 in the first r~ blocks and lambda in the others; those of
    the classes r ... s hold s+t+2 in the first q blocks and s+t+1 in the others."""
    for n, s, workers in ((*EXAMPLE, (0, 3, 7, 10)), (10, 6, (0, 3, 9)), (23, 5, (0, 5, 11, 22))):
        for worker in workers:
            yield from both("load", loads(n, s)[worker], code=binary(n, s), worker=worker)


@paper.claim("equal-blocks.printed", "Section III-A")
def _() -> Cases:
    """Where l = s-r, every worker of the classes 0 ... r-1 holds lambda = s partitions: the last
    ones of the first and of the last block."""
    for n, s in ((10, 5), (8, 4), (12, 4), (18, 6)):
        r = n % (s + 1)
        for worker in (r - 1, n - 1):
            yield from both("load", s, code=binary(n, s), worker=worker)


def of_loads(name: str) -> Measure:
    """Measure a number of the loads on what fastgc builds, and by brute force where k = n."""

    def measure(theory: float, n: int, s: int, k: int | None = None) -> Cases:
        if k in (None, n):
            yield finite(name, theory, code=binary(n, s))
        code = binary(n, s) if k is None else binary(n, s, k)
        yield built(name, theory, code=code)

    return measure


@paper.states("total-load.printed", "Section III and after Theorem 1")
@at([*_SQUARE, *_OTHER], of_loads("total_load"))
def total_load(n: int, s: int, k: int | None = None) -> float:
    """The loads add up to k(s+1), for any n > s."""
    blocks_and_remainder(n, s)
    return (n if k is None else k) * (s + 1)


@paper.claim("replication.printed", "Section II-B")
def _() -> Cases:
    """Every partition is held by exactly s+1 workers (number of those that are not)."""
    for n, s in _SQUARE:
        yield from both("unequal_holders", 0, scale=n, code=binary(n, s), s=s)
    for n, s, k in _OTHER:
        yield built("unequal_holders", 0, scale=k, code=binary(n, s, k), s=s)


@paper.states(
    "restriction.added.printed",
    "Section II-B, of the schemes of [15] that only add",
    reads="restriction.printed",
)
@at(
    [(12, 3), (9, 2), (11, 3), (10, 3), (7, 2)],
    brute("exact_covers", lambda n, s: {"code": circulant(n, s + 1)}),
    as_built("exact_covers", lambda n, s: {"code": circulant(n, s + 1)}),
)
def _exact_covers(n: int, s: int) -> float:
    """If answers are only added, loads that are all k(s+1)/n need (s+1) | n: a set of workers that
    hold every partition once has n/(s+1) members (tested on circulants alone, whose loads are all
    s+1: s+1 sets do, and none if s+1 does not divide n)."""
    return 0 if n % (s + 1) else s + 1


@paper.claim("restriction.printed", "Section II-B", ">", "missing condition", of=(False,))
@paper.claim("restriction.corrected", "Section II-B, corrected", of=(True,))
def _(is_right: bool) -> Cases:
    """With real coefficients all loads can be k(s+1)/n for any n (of cyclic codes: d_s, and the
    largest error with s stragglers).
    Proof. For k = n the bound is s+1, a whole number for every n; cyclic codes, of [15], too,
    survive s stragglers, and each of their rows has s+1 entries.

    restriction.printed: In [15], where s+1 does not divide n, no code that survives s stragglers
    meets the bound k(s+1)/n of all loads with equality (d_s, how far off they are together; of the
    cyclic codes of [15] and one by hand).
    Printed: In [15], for a balanced assignment … the number of tasks … is lower bounded by
    ‖B_(i*)‖_0 ≥ (k/n)(s+1). When this is met with equality for all rows of B, the scheme is maximum
    distance separable (MDS). The restriction (s+1)|n boils down to satisfying this bound, as
    n/(s+1) needs to be an integer"""
    by_hand = matrix([[0.5, 0, 0.5], [1, 1, 0], [0, -1, 1]])
    drawn = [(n, s, cyclic(n, s + 1, 1)) for n, s in ((11, 3), (7, 2), (10, 3))]
    for n, s, code in [(3, 1, by_hand), *drawn]:
        yield from both("unevenness", 0, scale=n, code=code, s=s)
        if is_right:
            yield from both("largest_error", 0, scale=n, code=code, survivors=n - s)


@paper.claim(
    "least-load.balanced.printed", "Section II-B, of [15]", ">=", reads="least-load.printed"
)
def _() -> Cases:
    """Where all workers hold as much, each holds at least k(s+1)/n partitions."""
    others = (frc(12, 3), circulant(7, 3), cyclic_mds(9, 3))
    for code, copies in (*((other, 3) for other in others), (binary(12, 3), 4)):
        yield from both("smallest_load", copies, code=code)


@paper.states("least-load.corrected", "Section II-B, corrected")
@at([*_LEAST, (12, 2, 30)], of_loads("smallest_load"))
def least_load(n: int, s: int, k: int | None = None) -> float:
    """The smallest load is floor(k/(l+1)) where s+1 does not divide n, floor(k/l) where it does.
    Proof. k(s+1)/n is the mean load. Where s+1 does not divide n, the r classes of l+1 workers
    share out k partitions, so that some worker holds at most k/(l+1) < k(s+1)/n."""
    blocks, r = blocks_and_remainder(n, s)
    return (n if k is None else k) // (blocks + (r > 0))


@paper.states("least-load.printed", "Section II-B", ">=", "missing condition")
@at(_LEAST, of_loads("smallest_load"))
def least_load_printed(n: int, s: int, k: int | None = None) -> float:
    """Each server holds at least k(s+1)/n partitions, where every partition is sent to s+1 of
    them: said of the paper's own scheme, for any n.
    Printed: each server will receive at least (k/n)(s+1) distinct partitions"""
    return float(total_load(n, s, k)) / n


@paper.claim("larger-blocks.corrected", "Algorithm 2, q > 0", reads="larger-blocks.printed")
def _() -> Cases:
    """Workers of the classes r ... s hold s+t+2 partitions in the first q blocks whenever q > 0,
    also for q = r.
    Proof. q is what r leaves when divided by l, so that q = r wherever r < l; Algorithm 2 asks for
    q > 0 alone."""
    for n, s in ((7, 2), (17, 4), (23, 6)):
        t = n % (s + 1) // (n // (s + 1))
        yield from both("load", s + t + 2, code=binary(n, s), worker=s)


@paper.claim(
    "larger-load.condition.printed",
    "Section III-A, example",
    "misprint",
    "definition",
    of=("l > r-s",),
)
@paper.claim(
    "larger-load.condition.corrected", "Section III-A, the rule before the example", of=("l > s-r",)
)
@paper.claim(
    "larger-blocks.printed", "Section III-B, prose", "misprint", "algorithm", of=("0 < q < r",)
)
def _(identity: str) -> Cases:
    """Section III-B says how many partitions a worker holds for q = 0 and for 0 < q < r: these are
    all cases (number of n and s for which q is neither).
    Printed: When 0 < q < r, we assign (s+t+2) tasks to each worker of C_2 in the first q blocks

    larger-load.condition.printed: Workers of the classes 0 ... r-1 hold s+1 partitions in some
    block where l > r-s, as the example has the condition (there both are 0; number of n and s with
    r > 0 for which they do not, or do elsewhere).
    Printed: for parameters n = 11 and s = 3 we get ℓ = 2, r = 3, t = 1, q = 1, thus ℓ > r−s

    larger-load.condition.corrected: Workers of the classes 0 ... r-1 hold s+1 partitions in some
    block where l > s-r (number of n and s, r > 0, for which they do not, or do elsewhere).
    Proof. The rule assigns s+1 partitions in l+r-s blocks: there is one if and only if l > s-r."""
    for most in (11, 40, 150):
        yield finite("identity_exceptions", 0, identity=identity, most=most)


@paper.claim("three-values.printed", "Section V-A", "<=", "number", reads="lemma4.converse.printed")
def _() -> Cases:
    """For n >= s^2 there are at most three values of n for which t = 1."""
    for s in (2, 3, 10, 30):
        yield finite("workers_with_excess", 3, s=s)


@paper.claim("lemma4.printed", "Lemma 4")
def _() -> Cases:
    """With n = s^2 + a, t = 1 only if a = s-2, s-1 or 2s, and t = 0 for any other a (number of
    exceptions)."""
    for least, most in ((0, 2), (1, 10), (0, 60)):
        yield finite("lemma4_exceptions", 0, least=least, most=most, exactly=False)


@paper.claim("lemma4.converse.corrected", "Lemma 4, its proof, corrected")
def _() -> Cases:
    """Where a = s-2, s-1 or 2s, the proof's t = 1 holds but for s = 2, n = 5, where t = 2, which
    Lemma 4 by its words allows, so that two values of n have t = 1 (numbers of exceptions, of n).
    Proof. For a = s-1 the proof has r = s and l = s-1, hence t = 1 and q = 1: so it is if 2(s-1) >
    s. For s = 2, l = 1 goes twice into r = 2."""
    for theory, least, most in ((0, 0, 1), (0, 3, 10), (0, 3, 60), (1, 2, 2)):
        yield finite("lemma4_exceptions", theory, least=least, most=most)
    for s in (2, 3, 10, 30):
        yield finite("workers_with_excess", 2 + (s > 2), s=s)
    for n, s in ((5, 2), (4, 2), (8, 2), EXAMPLE):
        t = n % (s + 1) // (n // (s + 1))
        yield from both("excess_blocks", t, code=binary(n, s), s=s)


@paper.claim(
    "lemma4.converse.printed", "Lemma 4, before it and end of its proof", "missing condition"
)
def _() -> Cases:
    """With n = s^2 + a and r = t l + q the converse of the lemma holds, too: t = 1 wherever
    a = s-2, s-1 or 2s, three values of n (number of exceptions, and of these values).
    Printed: there are only three values for n for which t = 1 … When α = 1 it follows that r = s
    and ℓ = s−1, thus t = 1 and q = 1 [with α = s−a; the lemma itself: we have t = 1 only when a =
    s−2, s−1 or 2s]"""
    for least, most in ((2, 2), (1, 10), (0, 60)):
        yield finite("lemma4_exceptions", 0, least=least, most=most)
    yield finite("workers_with_excess", 3, s=2)


@paper.claim("lemma4.case3.printed", "Lemma 4, third case of the proof")
def _() -> Cases:
    """For n = s^2 + 2s + gamma, r = q = rem(rem(gamma, s+1) - 1, s+1), l = (n-r)/(s+1) and t = 0,
    with remainders 0 ... s (number of exceptions; number of classes with a worker more)."""
    for least, most in ((0, 3), (0, 10), (0, 40)):
        yield finite("remainder_differences", 0, least=least, most=most)
    for s, gamma in ((3, 4), (3, 6), (4, 3)):
        r = (gamma % (s + 1) - 1) % (s + 1)
        yield built("larger_classes", r, code=binary(s * s + 2 * s + gamma, s))
