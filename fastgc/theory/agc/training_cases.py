"""Cases on training that the claims of paper agc share."""

from __future__ import annotations

from fastgc.theory import agc
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, circulant, frc, two_class
from fastgc.theory.cases.training import after, coded, descent
from fastgc.theory.papers.claim import Case

Law = tuple[float, float, float]

#: p_slow, p_straggle_slow, p_straggle_active of Figure 2 (a), (b); n = 8, d = 2.
LAW: Law = (0.3, 0.8, 0.01)
FRC, CRC = frc(8, 2), circulant(8, 2)


def _run(
    code: Table, problem: Table, step: float, iterations: int, shuffle: str, law: Law
) -> Table:
    p_slow, slow, active = law
    stragglers = two_class((slow, active), p_slow=p_slow)
    return coded(code, descent(step), iterations, problem, stragglers, shuffle=shuffle)


def shuffled(
    code: Table,
    problem: Table,
    step: float,
    iterations: int,
    shuffle: str = "random",
    law: Law = LAW,
) -> Case:
    """Mean loss with a shuffle less that without."""
    first, second = (_run(code, problem, step, iterations, name, law) for name in (shuffle, "none"))
    return _less(first, second, problem, step)


def against_frc(problem: Table, step: float, iterations: int) -> Case:
    """Mean loss of CRC less that of FRC, both shuffled."""
    first, second = (_run(code, problem, step, iterations, "random", LAW) for code in (CRC, FRC))
    return _less(first, second, problem, step)


def _less(run: Table, other: Table, problem: Table, step: float) -> Case:
    note = {"problem": problem["model"], "features": problem["features"], "step": step}
    return after(run, "loss", 0.0, against=other, note=note)


def exactly(
    code: Table, step: float, iterations: int, shuffle: str = "random", law: Law = LAW
) -> Case:
    """With a shuffle less without, by enumeration, on data whose curvature is 1."""
    return _difference((code, code), (shuffle, "none"), step, iterations, law)


def codes_exactly(step: float, iterations: int, noise: float = 1.0) -> Case:
    """CRC less FRC, both shuffled, by enumeration."""
    return _difference((CRC, FRC), ("random", "random"), step, iterations, LAW, noise)


def _difference(
    codes: tuple[Table, Table],
    shuffles: tuple[str, str],
    step: float,
    iterations: int,
    law: Law,
    noise: float = 1.0,
) -> Case:
    return finite(
        "mean_loss_difference",
        0.0,
        codes=list(codes),
        shuffles=list(shuffles),
        step=step,
        iterations=iterations,
        law=list(law),
        noise=noise,
        seed=1,
    )


def mean_gradient(family: object, n: int, d: int, p: float) -> Case:
    """Mean decoded gradient against 1 − E_err/n of the full one."""
    code = frc(n, d) if family is frc else circulant(n, d)
    formula = agc.frc_mean_error if family is frc else agc.circulant_mean_error
    share = 1.0 - float(formula(n, d, p=p)) / n
    return finite("mean_gradient_difference", 0.0, code=code, p=p, share=share, seed=n)


def weight_unshuffled(n: int, d: int, slow: tuple[int, ...], partition: int) -> Case:
    """Mean weight of a partition of FRC without shuffling, given who is slow."""
    first = partition - partition % d
    holders = sum(first <= j < first + d for j in slow)
    _, *straggle = LAW
    theory = 1.0 - float(agc.proposition1_without_shuffling(1, d, holders, *straggle))
    return _weight(frc(n, d), list(slow), theory, partition)


def weight_shuffled(n: int, d: int, slow: int) -> Case:
    """Mean weight of a partition of FRC with random shuffling, given how many are slow."""
    _, *straggle = LAW
    theory = 1.0 - float(agc.not_accessed_probability_given_slow(n, d, slow, *straggle))
    return _weight(frc(n, d), slow, theory, n - 1)


def _weight(code: Table, slow: list[int] | int, theory: float, partition: int) -> Case:
    _, p_straggle_slow, p_straggle_active = LAW
    return finite(
        "mean_weight",
        theory,
        code=code,
        slow=slow,
        p_straggle_slow=p_straggle_slow,
        p_straggle_active=p_straggle_active,
        partition=partition,
    )
