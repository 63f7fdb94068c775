"""How the binary code decodes (binary, Section IV): its guarantee, Algorithm 3 and its vectors."""

from __future__ import annotations

from fastgc.theory.binary import paper
from fastgc.theory.binary.encoding import EXAMPLE, POINTS, blocks_and_remainder, both
from fastgc.theory.cases.finite import built, finite
from fastgc.theory.cases.tables import binary, decoding, point_of, uniform
from fastgc.theory.common.arguments import check_count
from fastgc.theory.papers.claim import MISPRINT, REFUTED, Case, Cases


@paper.claim("theorem1.printed", "Theorem 1")
def _() -> Cases:
    """The code decodes exactly whatever s workers straggle (sets that break it, or the error)."""
    yield finite("undecodable_sets", 0, most=11)
    for decoder in ("class", "optimal"):
        yield built("undecodable_sets", 0, most=11, decoder=decoder)
    for n, s in (EXAMPLE, (13, 4)):
        yield from both("largest_error", 0, scale=n, code=binary(n, s), survivors=n - s)
    for code, k in ((binary(20, 5), 20), (binary(17, 3, 34), 34), (binary(40, 6), 40)):
        experiment = decoding("error", code, uniform(code["s"]))
        yield Case(point_of(experiment), 0.0, experiment, "error", scale=float(k))


@paper.elementwise
def most_lost(n: int, s: int) -> float:
    """Largest error with s+1 stragglers, k = n: ⌈n/(ℓ+1)⌉ for r > 0, else ⌈n/ℓ⌉. Derived.

    They are the holders of the first block; with s stragglers the error is 0.

    >>> most_lost(11, 3)
    4.0
    """
    blocks, r = blocks_and_remainder(n, s)
    return -(-n // (blocks + (r > 0)))


@paper.claim("tolerance.derived", "Theorem 1, with one straggler more")
def _() -> Cases:
    """Some s+1 stragglers are too many: where they are all who hold the first block, its
    ceil(n/(l+1)) partitions are lost, ceil(n/l) if s+1 divides n (largest error)."""
    for n, s in (EXAMPLE, (10, 4), (9, 2)):
        theory = most_lost(n, s)
        yield from both("largest_error", theory, code=binary(n, s), survivors=n - s - 1)


@paper.elementwise
def guaranteed_survivors(n: int, s: int) -> float:
    """Smallest number of survivors that always include a complete class.

    ν = ℓr + (ℓ−1)(s+1−r) + 1 = n−s (binary, Theorem 1, proof); it is exact.

    >>> guaranteed_survivors(11, 3)
    8.0
    """
    blocks, r = blocks_and_remainder(n, s)
    return blocks * r + (blocks - 1) * (s + 1 - r) + 1


@paper.claim("pigeonhole.printed", "Theorem 1, proof")
def _() -> Cases:
    """l r + (l-1)(s+1-r) + 1 = n-s survivors always include a complete class, and no fewer do."""
    for n, s in POINTS:
        theory = guaranteed_survivors(n, s)
        yield finite("guaranteed_survivors", theory, n=n, s=s)
        yield built("guaranteed_survivors", theory, code=binary(n, s))


@paper.claim(
    "algorithm3.corrected",
    "Section IV and Algorithm 3, corrected",
    corrects="algorithm3.printed",
    proof="Section III has s+1 classes, those of the indices mod s+1, each of which holds every "
    "partition once; Algorithm 3 itself runs through i = 0 ... s.",
)
def _() -> Cases:
    """With a_i the workers of the class i mod s+1, i = 0 ... s, every vector that Algorithm 3
    returns gives the gradient, for any set of survivors (number of wrong ones)."""
    for n, s in POINTS:
        yield finite("wrong_vectors", 0, scale=2**n, code=binary(n, s), s=s)
        yield built("wrong_vectors", 0, scale=2**n, code=binary(n, s), decoder="class")


@paper.claim("algorithm3.printed", "Section IV, definition of a_i", REFUTED, kind=MISPRINT)
def _() -> Cases:
    """The vectors a_i that add the workers of the classes mod l, i = 0 ... l-1, give the gradient
    (number that do not)."""
    for n, s in POINTS:
        code = binary(n, s)
        yield from both("wrong_class_vectors", 0, code=code, modulus=n // (s + 1))


@paper.claim("algorithm3.guarantee.printed", "Algorithm 3")
def _() -> Cases:
    """Algorithm 3 returns a vector whatever s workers straggle (sets for which it does not)."""
    for n, s in POINTS:
        yield finite("unused_vectors", 0, n=n, s=s)
        yield built("failing_sets", 0, code=binary(n, s), stragglers=s, decoder="class")


#: n, s: the paper's example, one survivor, two of them, and a class for every worker.
_FEW = (EXAMPLE, (4, 3), (5, 3), (3, 0))


@paper.claim(
    "algorithm3.proper.corrected",
    "Section IV, corrected by Algorithm 3",
    corrects="algorithm3.proper.printed",
    reads="algorithm3.proper.printed",
    proof="Algorithm 3 itself asks whether supp(a_i) is inside supp(rec_I), or equal to it. Where "
    "n = s+1 the one survivor is the whole of its class.",
)
def _() -> Cases:
    """For every set of s stragglers the support of some a_i is inside that of rec_I, or equal to it
    (sets for which none is)."""
    for n, s in _FEW:
        yield finite("unused_vectors", 0, n=n, s=s)
        yield built("failing_sets", 0, code=binary(n, s), stragglers=s, decoder="class")


@paper.claim("algorithm3.proper.printed", "Section IV, before Algorithm 3", REFUTED, kind=MISPRINT)
def _() -> Cases:
    """For every set of s stragglers the support of some a_i is properly inside that of rec_I (sets
    for which none is)."""
    for n, s in _FEW:
        yield finite("sets_without_spare", 0, n=n, s=s)


@paper.claim("algorithm3.too-many.derived", "Algorithm 3, with one straggler more")
def _() -> Cases:
    """Of the sets of s+1 stragglers Algorithm 3 fails for those that have a worker of each class:
    (l+1)^r l^(s+1-r)."""
    for n, s in POINTS:
        blocks, r = blocks_and_remainder(n, s)
        theory = (blocks + 1) ** r * blocks ** (s + 1 - r)
        code = binary(n, s)
        yield built("failing_sets", theory, code=code, stragglers=s + 1, decoder="class")


def _shifts(theory: int, n: int, s: int, within: bool) -> Cases:
    yield finite("broken_shifts", theory, n=n, s=s, within=within)
    yield built("broken_shifts", theory, code=binary(n, s), s=s, within=within)


@paper.claim("shift.printed", "Section IV")
def _() -> Cases:
    """In both cases, of the first r classes and of the others, a_(i+1) is a cyclic shift of a_i
    (number of exceptions)."""
    for n, s in (EXAMPLE, (10, 3), (13, 5)):
        yield from _shifts(0, n, s, within=True)


@paper.claim("shift.between.derived", "Section IV, from one case to the other")
def _() -> Cases:
    """From class r-1 to class r there is no shift, because a_r adds one answer less: one exception
    where s+1 does not divide n, none where it does."""
    for n, s in (*POINTS, (23, 6)):
        yield from _shifts(int(blocks_and_remainder(n, s)[1] > 0), n, s, within=False)


@paper.elementwise
def decoding_weight(n: int, s: int, residue: int) -> float:
    """Number ‖a_i‖₀ = ‖a_i‖² of sums that the vector of a class adds (binary, Section IV).

    It is ℓ+1 for the classes 0 … r−1 and ℓ for the others.

    >>> decoding_weight(11, 3, 0), decoding_weight(11, 3, 3)
    (3.0, 2.0)
    """
    blocks, r = blocks_and_remainder(n, s)
    check_count("residue", residue, 0, s)
    return blocks + (residue < r)


@paper.claim("decoding-weight.printed", "Section IV")
def _() -> Cases:
    """a_i adds l+1 sums for the classes 0 ... r-1 and l for the others."""
    for n, s, i in ((*EXAMPLE, 0), (*EXAMPLE, 3), (23, 6, 1), (23, 6, 2)):
        theory, code = decoding_weight(n, s, i), binary(n, s)
        yield finite("vector_weight", theory, code=code, s=s, residue=i)
        yield built("vector_weight", theory, code=code, s=s, residue=i, decoder="class")
