"""Claims on the numbers of Section V of paper agc, and on the conclusion drawn from them."""

from __future__ import annotations

from functools import partial

from fastgc.theory import agc
from fastgc.theory.agc.cases import PRINTED, circulant_case, error_case
from fastgc.theory.cases.tables import Table, circulant, decoding, frc, point_of, two_class
from fastgc.theory.common.combinatorics import binomial_probabilities
from fastgc.theory.papers.claim import Case, Claim, eager

_PAPER = "Johri, Yardi, Bodas, Approximate Gradient Coding for Heterogeneous Nodes"

_claim = partial(eager, paper="agc", relation="=")


def number_claims() -> tuple[Claim, ...]:
    """Claims on 0.5173, 1.976, which code is better, and the bound that decides it."""
    points = ((8, 2, *PRINTED), (6, 2, 0.4, 0.7, 0.1), (6, 3, 0.5, 0.8, 0.2))
    dense = ((6, 2, 0.5, 0.8, 0.4), (8, 2, 0.5, 0.8, 0.4))
    return (
        _claim(
            id="agc.circulant-0.5173.printed",
            statement=(
                "The circulant's mean error is 0.5173 at n=8, d=2 and the paper's probabilities "
                "(elsewhere: what the same evaluation gives)"
            ),
            citation=f"{_PAPER}, Section V",
            expected="refuted",
            cases=(
                error_case(circulant(8, 2), PRINTED[1:], 0.5173, p_slow=PRINTED[0]),
                *(circulant_case(agc.theorem2_unsquared, *point) for point in points[1:]),
            ),
        ),
        _claim(
            id="agc.circulant-0.5173.corrected",
            statement=(
                "0.5173 is the mean of the unsquared norm of the 0/1 circulant's residual, "
                "0.5173777 to seven digits"
            ),
            citation=f"{_PAPER}, Section V, corrected",
            expected="confirmed",
            cases=tuple(_mean_norm(*point) for point in points),
        ),
        _claim(
            id="agc.frc-1.976.printed",
            statement=(
                "frc's mean error is 1.976 at n=8, d=2 and the paper's probabilities "
                "(elsewhere: n q, as evaluated there)"
            ),
            citation=f"{_PAPER}, Section V",
            expected="refuted",
            cases=tuple(
                error_case(frc(n, d), law, n * agc.straggle_probability(p, *law), p_slow=p)
                for n, d, p, *law in points
            ),
        ),
        _claim(
            id="agc.frc-1.976.corrected",
            statement="frc's mean error is n q^d, 0.488072 at n=8, d=2; 1.976 = n q is d = 1",
            citation=f"{_PAPER}, Section V, corrected",
            expected="confirmed",
            cases=(
                *(
                    error_case(frc(n, d), straggle, agc.remark2_frc(n, d, p, *straggle), p_slow=p)
                    for n, d, p, *straggle in points
                ),
                error_case(frc(8, 1), PRINTED[1:], 1.976, p_slow=PRINTED[0]),
            ),
        ),
        _claim(
            id="agc.circulant-better-than-frc.printed",
            statement="The circulant's mean error is below frc's",
            citation=f"{_PAPER}, Section V",
            relation="<",
            expected="refuted",
            cases=tuple(_circulant_less_frc(*point) for point in points),
        ),
        _claim(
            id="agc.circulant-better-than-frc.corrected",
            statement="The circulant's mean error is above frc's",
            citation=f"{_PAPER}, Section V, corrected",
            relation=">",
            expected="confirmed",
            cases=tuple(_circulant_less_frc(*point) for point in points),
        ),
        _claim(
            id="agc.lower-bound.corrected",
            statement=(
                "No code's mean error is below sum_i q^(d_i), d_i the number of workers that hold "
                "partition i"
            ),
            citation=f"{_PAPER}, Section V, corrected",
            relation=">=",
            expected="confirmed",
            cases=(
                *(_bound(circulant(n, d), d, p, *rest) for n, d, p, *rest in dense),
                _bound(circulant(8, 2), 2, *PRINTED),
            ),
        ),
        _claim(
            id="agc.lower-bound-attained.corrected",
            statement="frc attains the lower bound sum_i q^(d_i)",
            citation=f"{_PAPER}, Section V, corrected",
            expected="confirmed",
            cases=tuple(_bound(frc(n, d), d, p, *rest) for n, d, p, *rest in points),
        ),
    )


def _mean_norm(n: int, d: int, p_slow: float, ss: float, active: float) -> Case:
    q = agc.straggle_probability(p_slow, ss, active)
    theory = agc.theorem2_unsquared(n, d, binomial_probabilities(n, 1.0 - q))
    finite = {"finite": "mean_norm", "code": circulant(n, d), "p": q}
    return Case({"n": n, "d": d, "p": q}, theory, finite, "mean_norm")


def _circulant_less_frc(n: int, d: int, p_slow: float, *straggle: float) -> Case:
    stragglers = two_class((straggle[0], straggle[1]), p_slow=p_slow)
    first = decoding("error", circulant(n, d), stragglers)
    second = decoding("error", frc(n, d), stragglers)
    return Case(point_of(first), 0.0, first, "error", against=second, scale=n)


def _bound(code: Table, d: int, p_slow: float, *straggle: float) -> Case:
    q = agc.straggle_probability(p_slow, *straggle)
    return error_case(code, straggle, agc.error_lower_bound([d] * code["n"], q), p_slow=p_slow)
