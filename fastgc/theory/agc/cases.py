"""Cases on the mean decoding error that several claims of paper agc share."""

from __future__ import annotations

from typing import Any

from fastgc.theory.cases.tables import Table, circulant, decoding, point_of, two_class
from fastgc.theory.common.combinatorics import binomial_probabilities
from fastgc.theory.common.two_class import straggle_probability
from fastgc.theory.papers.claim import Case

Law = tuple[float, float, float]

#: p_slow, p_straggle_slow, p_straggle_active of Section V and of Figure 2 (a), (b).
LAW: Law = (0.3, 0.8, 0.01)


def error(
    code: Table, straggle: Any, theory: float, note: Table | None = None, **classes: float | int
) -> Case:
    """Mean error with two-class stragglers and random shuffling."""
    experiment = decoding("error", code, two_class(tuple(straggle), **classes), shuffle="random")
    point = {"family": code["family"]} | point_of(experiment) | (note or {})
    return Case(point, float(theory), experiment, "error", scale=code["n"])


def circulant_error(formula: Any, n: int, d: int, p_slow: float, *straggle: float) -> Case:
    """Mean error of the circulant against a formula of (n, d, P_r), classes averaged over."""
    q = straggle_probability(p_slow, *straggle)
    theory = formula(n, d, binomial_probabilities(n, 1.0 - q))
    return error(circulant(n, d), straggle, theory, p_slow=p_slow)
