"""The numbers of agc, Section V, and which code they show to be the better."""

from __future__ import annotations

from fastgc.theory.agc.cases import LAW, circulant_error, error
from fastgc.theory.agc.circulant import theorem2_unsquared
from fastgc.theory.agc.classes import remark2_frc
from fastgc.theory.agc.paper import paper
from fastgc.theory.cases.tables import Table, circulant, decoding, frc, point_of, two_class
from fastgc.theory.common.bounds import error_lower_bound
from fastgc.theory.common.combinatorics import binomial_probabilities
from fastgc.theory.common.two_class import straggle_probability
from fastgc.theory.papers.claim import REFUTED, Case
from fastgc.theory.papers.paper import Cases

paper.formula(error_lower_bound)

#: n, d, p_slow, p_straggle_slow, p_straggle_active.
POINTS = ((8, 2, *LAW), (6, 2, 0.4, 0.7, 0.1), (6, 3, 0.5, 0.8, 0.2))
DENSE = ((6, 2, 0.5, 0.8, 0.4), (8, 2, 0.5, 0.8, 0.4))


@paper.claim("circulant-0.5173.printed", "Section V", REFUTED)
def _() -> Cases:
    """The circulant's mean error is 0.5173 at n=8, d=2 and the paper's probabilities (elsewhere:
    what the same evaluation gives)."""
    p_slow, *pair = LAW
    yield error(circulant(8, 2), pair, 0.5173, p_slow=p_slow)
    for point in POINTS[1:]:
        yield circulant_error(theorem2_unsquared, *point)


@paper.claim("circulant-0.5173.corrected", "Section V, corrected")
def _() -> Cases:
    """0.5173 is the mean of the unsquared norm of the 0/1 circulant's residual, 0.5173777 to seven
    digits."""
    for n, d, *law in POINTS:
        q = straggle_probability(*law)
        theory = theorem2_unsquared(n, d, binomial_probabilities(n, 1.0 - q))
        experiment = {"finite": "mean_norm", "code": circulant(n, d), "p": q}
        yield Case({"n": n, "d": d, "p": q}, theory, experiment, "mean_norm")


@paper.claim("frc-1.976.printed", "Section V", REFUTED)
def _() -> Cases:
    """frc's mean error is 1.976 at n=8, d=2 and the paper's probabilities (elsewhere: n q, as
    evaluated there)."""
    for n, d, p_slow, *pair in POINTS:
        yield error(frc(n, d), pair, n * straggle_probability(p_slow, *pair), p_slow=p_slow)


@paper.claim("frc-1.976.corrected", "Section V, corrected")
def _() -> Cases:
    """frc's mean error is n q^d, 0.488072 at n=8, d=2; 1.976 = n q is d = 1."""
    for n, d, p_slow, *pair in POINTS:
        yield error(frc(n, d), pair, remark2_frc(n, d, p_slow, *pair), p_slow=p_slow)
    p_slow, *pair = LAW
    yield error(frc(8, 1), pair, 1.976, p_slow=p_slow)


@paper.claim("circulant-better-than-frc.printed", "Section V", REFUTED, relation="<")
def _circulant_less_frc() -> Cases:
    """The circulant's mean error is below frc's."""
    for n, d, p_slow, slow, active in POINTS:
        stragglers = two_class((slow, active), p_slow=p_slow)
        first, second = (decoding("error", code(n, d), stragglers) for code in (circulant, frc))
        yield Case(point_of(first), 0.0, first, "error", against=second, scale=n)


@paper.claim("circulant-better-than-frc.corrected", "Section V, corrected", relation=">")
def _() -> Cases:
    """The circulant's mean error is above frc's."""
    return _circulant_less_frc()


@paper.claim("lower-bound.corrected", "Section V, corrected", relation=">=")
def _() -> Cases:
    """No code's mean error is below sum_i q^(d_i), d_i the number of workers that hold
    partition i."""
    for n, d, *law in (*DENSE, (8, 2, *LAW)):
        yield _bound(circulant(n, d), d, *law)


@paper.claim("lower-bound-attained.corrected", "Section V, corrected")
def _() -> Cases:
    """frc attains the lower bound sum_i q^(d_i)."""
    for n, d, *law in POINTS:
        yield _bound(frc(n, d), d, *law)


def _bound(code: Table, d: int, p_slow: float, *pair: float) -> Case:
    """Mean error of a code whose partitions have d holders each, against its lower bound."""
    q = straggle_probability(p_slow, *pair)
    return error(code, pair, error_lower_bound([d] * code["n"], q), p_slow=p_slow)
