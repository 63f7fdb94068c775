"""The error of fractional repetition given the number of slow workers: agc, Theorem 1."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from fastgc.theory.agc.cases import error
from fastgc.theory.agc.paper import paper
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, decoding, frc, point_of, two_class, uniform
from fastgc.theory.common import repetition
from fastgc.theory.common.arguments import check_groups, elementwise
from fastgc.theory.common.two_class import survivors_given_slow, survivors_given_slow_printed
from fastgc.theory.papers.claim import REFUTED, Case
from fastgc.theory.papers.paper import Cases

paper.formula(repetition.frc_error_variance)
paper.formula(repetition.frc_exact_probability)
paper.formula(repetition.frc_mean_error)
paper.formula(repetition.frc_uncovered_probability)
paper.formula(survivors_given_slow)
paper.formula(survivors_given_slow_printed)

Points = tuple[tuple[int, int, float, float, int], ...]

#: n, slow, p_straggle_slow, p_straggle_active.
LAWS = ((8, 0, 0.8, 0.01), (8, 1, 0.8, 0.01), (6, 2, 0.5, 0.4))
#: The same and the number of survivors; first where the printed law is wrong.
WRONG_LAW: Points = ((6, 1, 0.5, 0.4, 4), (8, 1, 0.6, 0.3, 6), (6, 2, 0.5, 0.4, 5))
LAW_POINTS: Points = ((8, 3, 0.8, 0.01, 5), (8, 3, 0.8, 0.01, 6), *WRONG_LAW)
#: n, d, slow, p_straggle_slow, p_straggle_active; first where the printed mean is wrong.
WRONG_MEAN = ((6, 2, 1, 0.5, 0.4), (8, 2, 1, 0.5, 0.4), (6, 2, 2, 0.5, 0.4))
MEANS = ((8, 2, 3, 0.8, 0.01), (9, 3, 4, 0.9, 0.3), *WRONG_MEAN)
#: n, d.
CODES = ((8, 2), (6, 2), (9, 3))


@paper.claim("theorem1.survivors.printed", "Theorem 1", REFUTED)
def _() -> Cases:
    """With m slow workers the probability of r survivors is P_r with the printed limits
    r'(i) = min(i, m), i = 0 ... r; these sum to 1."""
    return _survivors(survivors_given_slow_printed, WRONG_LAW)


@paper.claim("theorem1.survivors.corrected", "Theorem 1, corrected")
def _() -> Cases:
    """With m slow workers the probability of r survivors is P_r with i running from max(0, r-n+m)
    to min(r, m); these sum to 1."""
    return _survivors(survivors_given_slow, LAW_POINTS)


@paper.formula
@elementwise
def theorem1_printed(
    n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float
) -> float:
    """Mean error of frc given m slow workers, with P_r as agc, Theorem 1, prints it. Wrong.

    >>> round(theorem1_printed(6, 2, 2, 0.6, 0.3), 6)
    0.946368
    """
    return _theorem1(
        n, d, survivors_given_slow_printed(n, slow, p_straggle_slow, p_straggle_active)
    )


@paper.claim("theorem1.printed", "Theorem 1", REFUTED)
def _() -> Cases:
    """With random shuffling and m slow workers, frc's mean error is n sum_r P_r C(n-d,r)/C(n,r)
    with P_r as printed."""
    for n, d, m, *pair in WRONG_MEAN:
        yield error(frc(n, d), pair, theorem1_printed(n, d, m, *pair), slow=m)


@paper.formula
@elementwise
def theorem1(n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float) -> float:
    """Mean error of frc with random shuffling given m slow workers, n Σ_r P_r C(n−d,r)/C(n,r).

    agc, Theorem 1, with P_r as corrected (``survivors_given_slow``); equals n h(m).

    >>> round(theorem1(8, 2, 3, 0.8, 0.01), 6)
    0.583143
    """
    return _theorem1(n, d, survivors_given_slow(n, slow, p_straggle_slow, p_straggle_active))


@paper.claim("theorem1.corrected", "Theorem 1, corrected")
def _() -> Cases:
    """With random shuffling and m slow workers, frc's mean error is n sum_r P_r C(n-d,r)/C(n,r)
    with P_r the probability of r survivors."""
    for n, d, m, *pair in MEANS:
        yield error(frc(n, d), pair, theorem1(n, d, m, *pair), slow=m)


@paper.claim("theorem1.zero-error.printed", "Theorem 1, proof", REFUTED)
def _() -> Cases:
    """frc's error is zero whenever n-d or more workers survive."""
    for n, d in CODES:
        experiment = decoding("error", frc(n, d), uniform(d))
        yield Case(point_of(experiment), 0.0, experiment, "error", scale=n)


@paper.claim("theorem1.zero-error.corrected", "Theorem 1, proof, corrected")
def _() -> Cases:
    """frc's error is zero whenever more than n-d workers survive."""
    for n, d in CODES:
        experiment = {"finite": "largest_error", "code": frc(n, d), "survivors": n - d + 1}
        point = {"n": n, "d": d, "survivors": n - d + 1}
        yield Case(point, 0.0, experiment, "largest_error", scale=n)


def _theorem1(n: int, d: int, survivors: NDArray[np.float64]) -> float:
    """Mean error of frc under a law of the number of survivors."""
    check_groups(n, d)
    return math.fsum(
        weight * float(repetition.frc_mean_error(n, d, survivors=r))
        for r, weight in enumerate(survivors.tolist())
    )


def _survivors(law: Callable[..., NDArray[np.float64]], points: Points) -> Cases:
    """All probabilities of a law together, then that of r survivors."""
    for n, slow, ss, active in LAWS:
        point: Table = {"n": n, "slow": slow, "p_straggle_slow": ss, "p_straggle_active": active}
        yield finite("survivor_probability_sum", law(n, slow, ss, active).sum(), **point)
    for n, slow, ss, active, r in points:
        experiment = decoding("survivors", frc(n, 1), two_class((ss, active), slow=slow))
        point = {key: value for key, value in point_of(experiment).items() if key != "d"}
        yield Case(point, float(law(n, slow, ss, active)[r]), experiment, "survivors", index=r)
