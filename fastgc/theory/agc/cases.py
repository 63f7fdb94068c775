"""Cases on the mean decoding error that several claims of paper agc share."""

from collections.abc import Callable
from typing import Any

from fastgc.theory.cases.decoding import decoding, point_of
from fastgc.theory.cases.tables import Table, descent, two_class
from fastgc.theory.cases.training import after, coded
from fastgc.theory.papers.claim import Case
from fastgc.theory.papers.paper import Measure

Law = tuple[float, float, float]

#: p_slow, p_straggle_slow, p_straggle_active of Section V and of Figure 2 (a), (b).
LAW: Law = (0.3, 0.8, 0.01)


def error(
    code: Table,
    straggle: Any,
    theory: float,
    note: Table | None = None,
    digits: int | None = None,
    **classes: float | int,
) -> Case:
    """Mean error with two-class stragglers and random shuffling."""
    experiment = decoding("error", code, two_class(tuple(straggle), **classes), shuffle="random")
    point = {"family": code["family"]} | point_of(experiment) | (note or {})
    partitions = code["n"] if "n" in code else len(code["rows"])
    return Case(point, float(theory), experiment, "error", scale=partitions, digits=digits)


def slow_error(code: Callable[[int, int], Table]) -> Measure:
    """Measure the mean error of a code of n and d with so many slow workers."""

    def measure(
        theory: float, n: int, d: int, slow: int, p_straggle_slow: float, p_straggle_active: float
    ) -> Case:
        return error(code(n, d), (p_straggle_slow, p_straggle_active), theory, slow=slow)

    return measure


def error_difference(code: Table, other: Table, p_slow: float, *straggle: float) -> Case:
    """Mean error of a code less that of another one, where each worker is slow with p_slow."""
    stragglers = two_class((straggle[0], straggle[1]), p_slow=p_slow)
    first, second = (decoding("error", each, stragglers) for each in (code, other))
    point = {"family": code["family"]} | point_of(first) | {"against": other["family"]}
    return Case(point, 0.0, first, "error", against=second, scale=code["n"])


def loss_difference(
    codes: tuple[Table, Table],
    shuffles: tuple[str, str],
    problem: Table,
    step: float,
    iterations: int,
    law: Law = LAW,
    scale: float = 1.0,
) -> Case:
    """Mean loss after so many iterations, the first way less the second, on the same draws."""
    p_slow, slow, active = law
    stragglers = two_class((slow, active), p_slow=p_slow)
    first, second = (
        coded(code, descent(step), iterations, problem, stragglers, shuffle=shuffle)
        for code, shuffle in zip(codes, shuffles, strict=True)
    )
    data = problem["data"]
    note = {"problem": problem["model"], "data": data, "step": step}
    return after(first, "loss", 0.0, against=second, scale=scale, note=note)
