"""What decoding costs, and how stable it is (binary, Sections I and IV)."""

from __future__ import annotations

from dataclasses import replace

from fastgc.theory.binary.encoding import EXAMPLE, POINTS, blocks_and_remainder
from fastgc.theory.binary.paper import paper
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, binary, decoding, point_of, uniform
from fastgc.theory.common.arguments import elementwise
from fastgc.theory.papers.claim import Case
from fastgc.theory.papers.paper import Cases


@paper.formula
@elementwise
def look_ups_printed(n: int, s: int, early: bool = False) -> float:
    """Upper bound (ℓ+1)(s+1) of the workers that Algorithm 3 looks up (binary, Section IV).

    With ``early``, where the last class is taken without a look, it is (ℓ+1)s.

    >>> look_ups_printed(11, 3), look_ups_printed(11, 3, early=True)
    (12.0, 9.0)
    """
    blocks, _ = blocks_and_remainder(n, s)
    return (blocks + 1) * (s if early else s + 1)


@paper.claim("decoding-cost.printed", "Section IV", relation="<=")
def _() -> Cases:
    """Algorithm 3 looks up at most (l+1)(s+1) workers."""
    for n, s in POINTS:
        yield finite("most_look_ups", look_ups_printed(n, s), n=n, s=s)


@paper.claim("decoding-cost.early.printed", "Section IV", relation="<=")
def _() -> Cases:
    """Algorithm 3 looks up at most (l+1)s workers if it takes the last class without a look."""
    for n, s in (EXAMPLE, (14, 4), (13, 3)):
        yield finite("most_look_ups", look_ups_printed(n, s, early=True), n=n, s=s, early=True)


@paper.claim("decoding-cost.solving.derived", "Section IV", relation=">")
def _() -> Cases:
    """Algorithm 3 always looks up fewer workers than elimination on the survivors'
    columns takes multiplications."""
    for n, s in POINTS:
        yield finite("operations_saved", 0, n=n, s=s)


@paper.formula
@elementwise
def amplification(n: int, s: int) -> float:
    """Largest ‖a‖² of Algorithm 3's vector over all sets of s stragglers: ℓ+1, or ℓ if r = 0.

    Received sums with independent noise of variance σ² give a gradient with noise σ²‖a‖².

    >>> amplification(11, 3)
    3.0
    """
    blocks, r = blocks_and_remainder(n, s)
    return blocks + (r > 0)


@paper.claim("amplification.printed", "Section IV")
def _() -> Cases:
    """Whatever s workers straggle, Algorithm 3 amplifies independent noise in the answers by
    ||a||^2 <= l+1, by l where s+1 divides n: it adds numbers and does not scale them."""
    for n, s in (EXAMPLE, (12, 3), (9, 2), (16, 4)):
        yield finite("largest_class_amplification", amplification(n, s), n=n, s=s)
    for n, s in ((12, 3), (40, 9)):
        experiment = decoding("amplification", binary(n, s), uniform(s), decoder="class")
        theory = amplification(n, s)
        yield Case(point_of(experiment), theory, experiment, "amplification", scale=theory)


@paper.claim("amplification.least-squares.derived", "Section IV", relation="<=")
def _() -> Cases:
    """The minimum-norm decoding vector amplifies no more than Algorithm 3's."""
    for n, s in (EXAMPLE, (11, 4), (9, 2), (12, 3)):
        yield finite("largest_amplification", amplification(n, s), code=binary(n, s), stragglers=s)


_CYCLIC: Table = {"family": "cyclic", "seed": 1}
_MDS: Table = {"family": "cyclic-mds"}
_MDS_SIZES = ((11, 4), (8, 3), (9, 2))


@paper.claim("stability.printed", "Section I", relation=">")
def _() -> Cases:
    """Over the worst set of s stragglers, codes with real coefficients (Tandon's
    random cyclic code, the cyclic MDS code) amplify noise more than the binary code."""
    for family, sizes in ((_CYCLIC, ((11, 3), (8, 2))), (_MDS, _MDS_SIZES)):
        for n, s in sizes:
            code = family | {"n": n, "d": s + 1}
            given = {"code": code, "other": binary(n, s), "stragglers": s}
            yield replace(finite("amplification_difference", 0, 1.0, **given), point=code)


def _rounded(family: Table, n: int, s: int, index: str, scale: float) -> Case:
    """Relative error of the decoded gradient, less the binary code's on the same draws."""
    other = family | {"n": n, "d": s + 1}
    first = decoding("stability", other, uniform(s))
    second = decoding("stability", binary(n, s), uniform(s))
    point = {**other, "stragglers": s, "noise": index}
    return Case(point, 0.0, first, "stability", index=index, against=second, scale=scale)


@paper.claim("stability.float32.printed", "Section I", relation=">")
def _() -> Cases:
    """In single precision the gradient decoded with Tandon's random cyclic code or the
    cyclic MDS code is further off than with the binary code."""
    yield _rounded(_CYCLIC, 11, 4, "float32", 1e-2)
    for n, s in _MDS_SIZES:
        yield _rounded(_MDS, n, s, "float32", 1e-4)


@paper.claim("stability.noise.printed", "Section I", relation=">")
def _() -> Cases:
    """With relative noise 0.001 in the answers the gradient decoded with the cyclic MDS
    code is further off than with the binary code."""
    for n, s in _MDS_SIZES:
        yield _rounded(_MDS, n, s, "0.001", 1.0)
