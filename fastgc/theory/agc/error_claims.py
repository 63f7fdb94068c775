"""Claims on Theorems 1 and 2, Lemma 1 and Remark 2 of paper agc."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from fastgc.theory import agc
from fastgc.theory.agc.cases import PRINTED, circulant_case, error_case
from fastgc.theory.cases.tables import Table, circulant, decoding, frc, point_of, two_class, uniform
from fastgc.theory.papers.claim import Case, Claim, eager

_PAPER = "Johri, Yardi, Bodas, Approximate Gradient Coding for Heterogeneous Nodes"

_claim = partial(eager, paper="agc", relation="=")


def error_claims() -> tuple[Claim, ...]:
    """Claims on the mean decoding error of frc and the circulant."""
    return (
        *_theorem1_claims(),
        *_theorem2_claims(),
        *_remark2_claims(),
    )


def _theorem1_claims() -> tuple[Claim, ...]:
    wrong_law = ((6, 1, 0.5, 0.4, 4), (8, 1, 0.6, 0.3, 6), (6, 2, 0.5, 0.4, 5))
    right_law = ((8, 3, 0.8, 0.01, 5), (8, 3, 0.8, 0.01, 6), *wrong_law)
    wrong_mean = ((6, 2, 1, 0.5, 0.4), (8, 2, 1, 0.5, 0.4), (6, 2, 2, 0.5, 0.4))
    right_mean = ((8, 2, 3, 0.8, 0.01), (9, 3, 4, 0.9, 0.3), *wrong_mean)
    return (
        _claim(
            id="agc.theorem1.survivors.printed",
            statement=(
                "With m slow workers the probability of r survivors is P_r with the printed limits "
                "r'(i) = min(i, m), i = 0 ... r; these sum to 1"
            ),
            citation=f"{_PAPER}, Theorem 1",
            expected="refuted",
            cases=(
                *(_sum_of_law(agc.survivors_given_slow_printed, *p) for p in _laws()),
                *(_survivors(agc.survivors_given_slow_printed, *p) for p in wrong_law),
            ),
        ),
        _claim(
            id="agc.theorem1.survivors.corrected",
            statement=(
                "With m slow workers the probability of r survivors is P_r with i running from "
                "max(0, r-n+m) to min(r, m); these sum to 1"
            ),
            citation=f"{_PAPER}, Theorem 1, corrected",
            expected="confirmed",
            cases=(
                *(_sum_of_law(agc.survivors_given_slow, *p) for p in _laws()),
                *(_survivors(agc.survivors_given_slow, *p) for p in right_law),
            ),
        ),
        _claim(
            id="agc.theorem1.printed",
            statement=(
                "With random shuffling and m slow workers, frc's mean error is "
                "n sum_r P_r C(n-d,r)/C(n,r) with P_r as printed"
            ),
            citation=f"{_PAPER}, Theorem 1",
            expected="refuted",
            cases=tuple(
                error_case(frc(n, d), straggle, agc.theorem1_printed(n, d, m, *straggle), slow=m)
                for n, d, m, *straggle in wrong_mean
            ),
        ),
        _claim(
            id="agc.theorem1.corrected",
            statement=(
                "With random shuffling and m slow workers, frc's mean error is "
                "n sum_r P_r C(n-d,r)/C(n,r) with P_r the probability of r survivors"
            ),
            citation=f"{_PAPER}, Theorem 1, corrected",
            expected="confirmed",
            cases=tuple(
                error_case(frc(n, d), straggle, agc.theorem1(n, d, m, *straggle), slow=m)
                for n, d, m, *straggle in right_mean
            ),
        ),
        _claim(
            id="agc.theorem1.zero-error.printed",
            statement="frc's error is zero whenever n-d or more workers survive",
            citation=f"{_PAPER}, Theorem 1, proof",
            expected="refuted",
            cases=tuple(
                _zero_error(n, d, measured_by_sampling=True) for n, d in ((8, 2), (6, 2), (9, 3))
            ),
        ),
        _claim(
            id="agc.theorem1.zero-error.corrected",
            statement="frc's error is zero whenever more than n-d workers survive",
            citation=f"{_PAPER}, Theorem 1, proof, corrected",
            expected="confirmed",
            cases=tuple(
                _zero_error(n, d, measured_by_sampling=False) for n, d in ((8, 2), (6, 2), (9, 3))
            ),
        ),
    )


def _theorem2_claims() -> tuple[Claim, ...]:
    averaged = ((8, 2, *PRINTED), (8, 3, *PRINTED), (7, 2, 0.4, 0.7, 0.1), (6, 4, 0.5, 0.8, 0.2))
    not_dividing = ((8, 3, *PRINTED), (7, 3, *PRINTED), (6, 4, 0.5, 0.8, 0.2))
    return (
        _claim(
            id="agc.lemma1.printed",
            statement=(
                "The number of cycle classes of binary words of length n, weight r and order e is "
                "the coefficient of x^r in (1/e) sum_{c|e} mu(e/c) (1+x^(n/c))^c"
            ),
            citation=f"{_PAPER}, Lemma 1",
            expected="confirmed",
            cases=tuple(
                Case(
                    {"n": n, "weight": weight, "order": order},
                    agc.lemma1(n, weight, order),
                    {"finite": "cycle_classes", "n": n, "weight": weight, "order": order},
                    "cycle_classes",
                )
                for n, weight, order in ((8, 4, 8), (8, 4, 4), (12, 6, 6), (12, 4, 12), (14, 6, 14))
            ),
        ),
        _claim(
            id="agc.theorem2.cycle-classes.printed",
            statement=(
                "For Tandon's random cyclic code the error is the same for all patterns of one "
                "cycle class"
            ),
            citation=f"{_PAPER}, Theorem 2, proof",
            expected="refuted",
            cases=tuple(
                _spread({"family": "cyclic", "n": n, "d": d, "seed": 1})
                for n, d in ((8, 2), (6, 2), (6, 3))
            ),
        ),
        _claim(
            id="agc.theorem2.cycle-classes.corrected",
            statement=(
                "For a 0/1 circulant the error is the same for all patterns of one cycle class"
            ),
            citation=f"{_PAPER}, Theorem 2, proof, corrected",
            expected="confirmed",
            cases=tuple(_spread(circulant(n, d)) for n, d in ((8, 2), (8, 3), (6, 2), (9, 4))),
        ),
        _claim(
            id="agc.theorem2.unsquared.printed",
            statement=(
                "The circulant's mean error is the mean over cycle representatives of the "
                "unsquared norm ||A A+ 1 - 1||, as evaluated for the paper's 0.5173"
            ),
            citation=f"{_PAPER}, Theorem 2 and Section V",
            expected="refuted",
            cases=tuple(circulant_case(agc.theorem2_unsquared, *point) for point in averaged),
        ),
        _claim(
            id="agc.theorem2.truncated.printed",
            statement=(
                "The sum over r in the circulant's mean error may stop at r = n-d, whatever d is"
            ),
            citation=f"{_PAPER}, Theorem 2",
            expected="refuted",
            cases=tuple(circulant_case(agc.theorem2_truncated, *point) for point in not_dividing),
        ),
        _claim(
            id="agc.theorem2.corrected",
            statement=(
                "The 0/1 circulant's mean error is sum_r P_r sum_i e_i/C(n,r) "
                "||A_i A_i+ 1 - 1||^2 over cycle representatives A_i of order e_i, r = 0 ... n"
            ),
            citation=f"{_PAPER}, Theorem 2, corrected",
            expected="confirmed",
            cases=(
                *(circulant_case(agc.theorem2, *point) for point in (*averaged, not_dividing[1])),
                *(
                    error_case(
                        circulant(n, d),
                        (ss, active),
                        agc.theorem2(n, d, agc.survivors_given_slow(n, m, ss, active)),
                        slow=m,
                    )
                    for n, d, m, ss, active in ((8, 2, 3, 0.8, 0.01), (7, 3, 3, 0.8, 0.2))
                ),
            ),
        ),
    )


def _remark2_claims() -> tuple[Claim, ...]:
    # n, d, m, p_slow, p_straggle_slow, p_straggle_active; m where the printed product is largest
    points = ((8, 2, 4, *PRINTED), (6, 3, 4, 0.5, 0.8, 0.2), (4, 2, 3, 0.6, 0.7, 0.1))
    codes: tuple[tuple[Callable[[int, int], Table], Any, Any], ...] = (
        (frc, agc.remark2_frc, agc.theorem1),
        (circulant, agc.remark2_circulant, _theorem2_given_slow),
    )
    return (
        _claim(
            id="agc.remark2.printed",
            statement=(
                "The mean error of the two-class model is E_err(n, m) C(n,m) p_slow^m "
                "(1-p_slow)^(n-m) for one number m of slow workers"
            ),
            citation=f"{_PAPER}, Remark 2",
            expected="refuted",
            cases=tuple(
                error_case(
                    code(n, d),
                    straggle,
                    agc.remark2_printed(given_slow(n, d, m, *straggle), n, m, p_slow),
                    p_slow=p_slow,
                    note={"m": m},
                )
                for code, _, given_slow in codes
                for n, d, m, p_slow, *straggle in points
            ),
        ),
        _claim(
            id="agc.remark2.corrected",
            statement=(
                "Summed over m, the two-class model is the iid model with "
                "q = p_slow p_straggle_slow + (1-p_slow) p_straggle_active in one iteration: "
                "frc's mean error is n q^d, the circulant's that of Theorem 2 with binomial P_r"
            ),
            citation=f"{_PAPER}, Remark 2, corrected",
            expected="confirmed",
            cases=tuple(
                error_case(code(n, d), straggle, mean(n, d, p_slow, *straggle), p_slow=p_slow)
                for code, mean, _ in codes
                for n, d, _, p_slow, *straggle in points
            ),
        ),
    )


def _laws() -> tuple[tuple[int, int, float, float], ...]:
    return (8, 0, 0.8, 0.01), (8, 1, 0.8, 0.01), (6, 2, 0.5, 0.4)


def _sum_of_law(law: Any, n: int, slow: int, ss: float, active: float) -> Case:
    point = {"n": n, "slow": slow, "p_straggle_slow": ss, "p_straggle_active": active}
    theory = float(law(n, slow, ss, active).sum())
    name = "survivor_probability_sum"
    return Case(point, theory, {"finite": name, **point}, name)


def _survivors(law: Any, n: int, slow: int, ss: float, active: float, r: int) -> Case:
    experiment = decoding("survivors", frc(n, 1), two_class((ss, active), slow=slow))
    point = {key: value for key, value in point_of(experiment).items() if key != "d"}
    theory = float(law(n, slow, ss, active)[r])
    return Case(point, theory, experiment, "survivors", index=r)


def _theorem2_given_slow(n: int, d: int, slow: int, ss: float, active: float) -> float:
    return agc.theorem2(n, d, agc.survivors_given_slow(n, slow, ss, active))


def _zero_error(n: int, d: int, measured_by_sampling: bool) -> Case:
    if measured_by_sampling:
        experiment = decoding("error", frc(n, d), uniform(d))
        return Case(point_of(experiment), 0.0, experiment, "error", scale=n)
    finite = {"finite": "largest_error", "code": frc(n, d), "survivors": n - d + 1}
    return Case({"n": n, "d": d, "survivors": n - d + 1}, 0.0, finite, "largest_error", scale=n)


def _spread(code: Table) -> Case:
    name = "cycle_class_spread"
    return Case(dict(code), 0.0, {"finite": name, "code": code}, name, scale=code["n"])
