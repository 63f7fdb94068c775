"""The numbers of agc, Section V, and which code they show to be the better."""

from __future__ import annotations

from fastgc.theory.agc import paper
from fastgc.theory.agc.cases import LAW, cyclic_mds, error, error_difference, tandon
from fastgc.theory.agc.circulant import theorem2_unsquared
from fastgc.theory.agc.classes import remark2_circulant, remark2_frc
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, circulant, decoding, frc, point_of, two_class
from fastgc.theory.common.bounds import error_lower_bound
from fastgc.theory.common.combinatorics import binomial_probabilities
from fastgc.theory.common.two_class import straggle_probability
from fastgc.theory.papers.claim import FALSE, REFUTED, WRONG_NUMBER, Case, Cases

paper.formula(error_lower_bound)

#: n, d, p_slow, p_straggle_slow, p_straggle_active; first the paper's own.
POINTS = ((8, 2, *LAW), (6, 2, 0.4, 0.7, 0.1), (6, 3, 0.5, 0.8, 0.2))
DENSE = ((6, 2, 0.5, 0.8, 0.4), (8, 2, 0.5, 0.8, 0.4))
#: What the paper's cyclic repetition code may be: the 0/1 circulant, which is the cyclic MDS code
#: there, or random codes as its reference [2] draws them.
CYCLIC = (circulant(8, 2), *(tandon(8, 2, seed) for seed in (1, 2, 3, 4)))


@paper.claim("circulant-0.5173.printed", "Section V", REFUTED, kind=WRONG_NUMBER, category="number")
def _() -> Cases:
    """At n=8, d=2 and the paper's probabilities, the mean error of the cyclic repetition code is
    0.5173 (as a circulant, or drawn at random as in reference [2])."""
    p_slow, *pair = LAW
    for code in CYCLIC:
        yield error(code, pair, 0.5173, digits=4, p_slow=p_slow)


@paper.claim(
    "circulant-0.5173.corrected",
    "Section V, corrected",
    corrects="circulant-0.5173.printed",
    proof="Theorem 2 squares the norm, as the definition (2) of the error does. With binomial P_r "
    "it gives 0.624412 for the circulant that survives one straggler.",
)
def _() -> Cases:
    """At n=8, d=2 and the paper's probabilities, the mean error of the circulant is
    0.624412321666962."""
    p_slow, *pair = LAW
    theory = remark2_circulant(8, 2, p_slow, *pair)
    for code in (circulant(8, 2), cyclic_mds(8, 2)):
        yield error(code, pair, theory, p_slow=p_slow)
        yield finite("mean_error", theory, code=code, p=straggle_probability(p_slow, *pair))


@paper.claim("circulant-0.5173.unsquared.derived", "Section V, how its number comes about")
def _() -> Cases:
    """What the paper prints as 0.5173 is the mean of the norm of the circulant's residual, not
    squared: 0.5173777 at n=8, d=2 and its probabilities, cut off after four decimals (rounded it
    were 0.5174)."""
    for n, d, p_slow, *pair in POINTS:
        q = straggle_probability(p_slow, *pair)
        theory = theorem2_unsquared(n, d, binomial_probabilities(n, 1.0 - q))
        code = circulant(n, d)
        experiment = decoding("norm", code, two_class((pair[0], pair[1]), p_slow=p_slow))
        yield Case(point_of(experiment), theory, experiment, "norm")
        yield finite("mean_norm", theory, code=code, p=q)


@paper.claim("frc-1.976.printed", "Section V", REFUTED, kind=WRONG_NUMBER, category="number")
def _() -> Cases:
    """At n=8, d=2 and the paper's probabilities, frc's mean error is 1.976."""
    p_slow, *pair = LAW
    yield error(frc(8, 2), pair, 1.976, digits=3, p_slow=p_slow)


@paper.claim(
    "frc-1.976.corrected",
    "Section V, corrected",
    corrects="frc-1.976.printed",
    proof="A partition is lost when its d holders straggle, with q^d, and costs 1: n q^d.",
)
def _() -> Cases:
    """At n=8, d=2 and the paper's probabilities, frc's mean error is n q^d = 0.488072."""
    for n, d, p_slow, *pair in POINTS:
        yield error(frc(n, d), pair, remark2_frc(n, d, p_slow, *pair), p_slow=p_slow)


@paper.claim("frc-1.976.replication.derived", "Section V, how its number comes about")
def _() -> Cases:
    """1.976 is n q, the mean error at n=8 and the paper's probabilities where every partition has
    one holder, d=1."""
    p_slow, *pair = LAW
    yield error(frc(8, 1), pair, 1.976, digits=3, p_slow=p_slow)


@paper.claim("circulant-better-than-frc.printed", "Section V", REFUTED, relation="<", kind=FALSE)
def _() -> Cases:
    """At n=8, d=2 and the paper's probabilities, the mean error of the cyclic repetition code (as a
    circulant, or drawn at random as in reference [2]) is below frc's: their difference."""
    for code in CYCLIC:
        yield error_difference(code, frc(8, 2), *LAW)


@paper.claim(
    "circulant-better-than-frc.corrected",
    "Section V, reversed",
    relation=">",
    corrects="circulant-better-than-frc.printed",
    proof="A partition that nobody holds any more costs at least 1, so no code with d holders of "
    "each has a mean error below n q^d, which is frc's. The circulant's is above it, "
    "since some survivors hold every partition and cannot be decoded: for d = 2 and even n all but "
    "two workers whose distance, both ways round, is odd and above 1; for n = 6, d = 3 every "
    "second one.",
)
def _() -> Cases:
    """The circulant's mean error is above frc's, at the paper's point and at others: their
    difference."""
    for n, d, *law in POINTS:
        yield error_difference(circulant(n, d), frc(n, d), *law)


@paper.claim("lower-bound.derived", "Section V, derived", relation=">=")
def _() -> Cases:
    """No code's mean error is below sum_i q^(d_i), d_i the number of workers that hold
    partition i."""
    for n, d, *law in ((8, 2, *LAW), *DENSE):
        yield _bound(circulant(n, d), d, *law)
    yield _bound(tandon(8, 2, 1), 2, *LAW)


@paper.claim("lower-bound-attained.derived", "Section V, derived")
def _() -> Cases:
    """frc attains the lower bound sum_i q^(d_i)."""
    for n, d, *law in POINTS:
        yield _bound(frc(n, d), d, *law)


def _bound(code: Table, d: int, p_slow: float, *pair: float) -> Case:
    """Mean error of a code whose partitions have d holders each, against its lower bound."""
    q = straggle_probability(p_slow, *pair)
    return error(code, pair, error_lower_bound([d] * code["n"], q), p_slow=p_slow)
