"""How stable decoding is, beside codes with real coefficients (binary, Sections I and IV)."""

from dataclasses import replace

from fastgc.theory.binary import paper
from fastgc.theory.binary.encoding import EXAMPLE
from fastgc.theory.cases.decoding import decoding
from fastgc.theory.cases.statements import both, built
from fastgc.theory.cases.tables import Table, binary, uniform
from fastgc.theory.papers.claim import Case, Cases

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


# ---- the cyclic MDS code, to which the paper is an alternative. Derived
