"""What stragglers and shuffling make of the training loss: agc, Figure 2."""

from __future__ import annotations

from fastgc.theory.agc.access import proposition1_without_shuffling
from fastgc.theory.agc.cases import LAW, Law
from fastgc.theory.agc.paper import paper
from fastgc.theory.cases.finite import finite
from fastgc.theory.cases.tables import Table, circulant, frc, two_class
from fastgc.theory.cases.training import after, coded, descent, linear
from fastgc.theory.common.circulant import circulant_mean_error
from fastgc.theory.common.repetition import frc_mean_error
from fastgc.theory.common.two_class import not_accessed_probability_given_slow
from fastgc.theory.papers.claim import REFUTED, Case
from fastgc.theory.papers.paper import Cases

FRC, CRC = CODES = frc(8, 2), circulant(8, 2)
#: What is compared: two codes, and the shuffle of each.
CRC_LESS_FRC = (CRC, FRC), ("random", "random")
#: The largest curvatures of these losses are 1.05, 1.07 and .27; losses begin at .70, .96, .69.
ONE, THREE = linear(16, 1), linear(64, 3)
LOGISTIC: Table = {"model": "logistic", "data": "synthetic", "samples": 64, "features": 3}
#: Steps well below 1 over the curvature, and one near 2 over it, where descent ends.
SMALL, HALF, LARGE = 0.1, 0.5, 1.5
STEPS = (SMALL, HALF)
#: Iterations by enumeration.
MANY = 100
#: p_slow, p_straggle_slow, p_straggle_active where both classes straggle equally often.
ALIKE: Law = (0.3, 0.2, 0.2)


@paper.claim("training.gradient.derived", "Sections II to IV, derived")
def _() -> Cases:
    """Averaged over the classes, the decoded gradient is 1 - E_err/n of the full one, shuffled or
    not, in FRC and in CRC: no partition is preferred (the largest deviation)."""
    for code, mean_error, n, d, p in (
        (frc, frc_mean_error, 8, 2, 0.247),
        (frc, frc_mean_error, 6, 3, 0.4),
        (circulant, circulant_mean_error, 8, 2, 0.247),
        (circulant, circulant_mean_error, 7, 2, 0.4),
    ):
        share = 1.0 - float(mean_error(n, d, p=p)) / n
        yield finite("mean_gradient_difference", 0.0, code=code(n, d), p=p, share=share, seed=n)


@paper.claim("training.weights.derived", "Proposition 1, derived")
def _() -> Cases:
    """Given who is slow, FRC without shuffling gives partition i the mean weight
    1 - p_straggle_slow^(k_i) p_straggle_active^(d-k_i), which differs between partitions; with
    random shuffling it is 1 - h(m) for all."""
    pair: Table = {"p_straggle_slow": 0.8, "p_straggle_active": 0.01}
    for n, d, who, i in ((8, 2, [0, 1, 3], 0), (8, 2, [0, 1, 3], 3), (6, 3, [0, 4], 1)):
        holders = sum(j // d == i // d for j in who)
        theory = 1.0 - proposition1_without_shuffling(1, d, holders, **pair)
        yield finite("mean_weight", theory, code=frc(n, d), slow=who, **pair, partition=i)
    for n, d, slow in ((8, 2, 3), (6, 3, 2), (6, 2, 4)):
        theory = 1.0 - not_accessed_probability_given_slow(n, d, slow, **pair)
        yield finite("mean_weight", theory, code=frc(n, d), slow=slow, **pair, partition=n - 1)


@paper.claim("training.shuffling.printed", "Sections I, III and V, Figure 2", REFUTED, relation="<")
def _() -> Cases:
    """Random shuffling lowers the training loss (mean loss with it less that without)."""
    yield from _small_steps()
    yield from _large_steps()


@paper.claim("training.shuffling.corrected", "Figure 2, made conditional", relation="<")
def _small_steps() -> Cases:
    """After more than one iteration with steps of at most 0.6 over the largest curvature, random
    shuffling lowers the mean loss."""
    yield from (_shuffled(code, ONE, step, 30) for code in CODES for step in STEPS)
    yield from (_shuffled(code, THREE, SMALL, 30) for code in CODES)
    yield from (_shuffled(code, LOGISTIC, 1.0, 30) for code in CODES)
    yield from (_exactly(code, step, MANY) for code in CODES for step in STEPS)


@paper.claim("training.shuffling.large-step.corrected", "Figure 2, made conditional", relation=">")
def _large_steps() -> Cases:
    """With steps of 1.5 over the largest curvature and more, random shuffling raises the mean loss
    that is left: it turns a bias that stays into noise."""
    yield from (_shuffled(code, THREE, LARGE, 20) for code in CODES)
    yield from (_exactly(code, LARGE, MANY) for code in CODES)


@paper.claim("training.cyclic.printed", "Remark 1", relation="<")
def _() -> Cases:
    """Cyclic shuffling lowers the loss like random shuffling for L >> n (that of the circulant,
    too, whose error it does not change)."""
    yield from (_shuffled(code, ONE, step, 30, "cyclic") for code in CODES for step in STEPS)
    yield from (_exactly(code, step, MANY, "cyclic") for code in CODES for step in STEPS)


@paper.claim("training.first.corrected", "Section III, made precise")
def _() -> Cases:
    """In the first iteration shuffling changes nothing: the loss after it has the same mean with
    and without."""
    yield from (_shuffled(code, THREE, 0.02, 1) for code in CODES)
    yield _shuffled(FRC, THREE, 0.02, 1, "cyclic")
    yield from (_exactly(code, LARGE, 1) for code in CODES)


@paper.claim("training.alike.corrected", "Section I, made precise")
def _() -> Cases:
    """Where slow and active workers straggle equally often, shuffling changes nothing after any
    number of iterations."""
    yield from (_shuffled(code, THREE, 0.02, 10, law=ALIKE) for code in CODES)
    yield from (_exactly(code, HALF, 50, law=ALIKE) for code in CODES)
    yield _exactly(CRC, HALF, 50, "cyclic", law=ALIKE)


@paper.claim("training.crc.printed", "Section V, Figure 2", REFUTED, relation="<")
def _() -> Cases:
    """With shuffling, the loss of CRC is less than that of FRC."""
    yield from _codes_small_steps()
    yield from _codes_large_steps()


@paper.claim("training.crc.corrected", "Section V, reversed", relation=">")
def _codes_small_steps() -> Cases:
    """With shuffling and steps of at most 0.6 over the largest curvature, the loss of CRC is above
    that of FRC, whose mean gradient is the larger share of the full one."""
    yield from (_less(*CRC_LESS_FRC, THREE, 0.05, iterations) for iterations in (1, 10))
    for step in STEPS:
        yield from (_less_exactly(*CRC_LESS_FRC, step, iterations) for iterations in (1, 5))


@paper.claim("training.crc.large-step.corrected", "Section V, made conditional", relation="<")
def _codes_large_steps() -> Cases:
    """Far from the optimum and with steps of 1.5 over the largest curvature and more, too large a
    share of the gradient harms: at first the loss of CRC is below that of FRC."""
    for step in (LARGE, 1.8):
        yield from (_less_exactly(*CRC_LESS_FRC, step, many, noise=0.1) for many in (1, 2))


def _shuffled(
    code: Table,
    problem: Table,
    step: float,
    iterations: int,
    shuffle: str = "random",
    law: Law = LAW,
) -> Case:
    """Mean loss with a shuffle less that without."""
    return _less((code, code), (shuffle, "none"), problem, step, iterations, law)


def _less(
    codes: tuple[Table, Table],
    shuffles: tuple[str, str],
    problem: Table,
    step: float,
    iterations: int,
    law: Law = LAW,
) -> Case:
    p_slow, slow, active = law
    stragglers = two_class((slow, active), p_slow=p_slow)
    first, second = (
        coded(code, descent(step), iterations, problem, stragglers, shuffle=shuffle)
        for code, shuffle in zip(codes, shuffles, strict=True)
    )
    note = {"problem": problem["model"], "features": problem["features"], "step": step}
    return after(first, "loss", 0.0, against=second, note=note)


def _exactly(
    code: Table, step: float, iterations: int, shuffle: str = "random", law: Law = LAW
) -> Case:
    """With a shuffle less without, by enumeration, on data whose curvature is 1."""
    return _less_exactly((code, code), (shuffle, "none"), step, iterations, law)


def _less_exactly(
    codes: tuple[Table, Table],
    shuffles: tuple[str, str],
    step: float,
    iterations: int,
    law: Law = LAW,
    noise: float = 1.0,
) -> Case:
    both: Table = {"codes": list(codes), "shuffles": list(shuffles)}
    run: Table = {"step": step, "iterations": iterations, "law": list(law), "noise": noise}
    return finite("mean_loss_difference", 0.0, **both, **run, seed=1)
