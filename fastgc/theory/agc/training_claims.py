"""Claims of paper agc on training: what stragglers and shuffling make of the loss (Figure 2)."""

from __future__ import annotations

from functools import partial

from fastgc.theory.agc.training_cases import (
    CRC,
    FRC,
    against_frc,
    codes_exactly,
    exactly,
    mean_gradient,
    shuffled,
    weight_shuffled,
    weight_unshuffled,
)
from fastgc.theory.cases.tables import Table, circulant, frc
from fastgc.theory.cases.training import linear
from fastgc.theory.papers.claim import Claim, eager

_PAPER = "Johri, Yardi, Bodas, Approximate Gradient Coding for Heterogeneous Nodes"

_claim = partial(eager, paper="agc", relation="=")

#: The largest curvatures of these losses are 1.05, 1.07 and .27; losses begin at .70, .96, .69.
_ONE, _THREE = linear(16, 1), linear(64, 3)
_LOGISTIC: Table = {"model": "logistic", "data": "synthetic", "samples": 64, "features": 3}

_CODES = (FRC, CRC)
#: Steps well below 1 over the curvature, and one near 2 over it, where descent ends.
_SMALL, _HALF, _LARGE = 0.1, 0.5, 1.5
_STEPS = (_SMALL, _HALF)
#: Iterations by enumeration.
_MANY = 100


def training_claims() -> tuple[Claim, ...]:
    """Claims on the decoded gradient, on shuffling, and on FRC against CRC."""
    return (*_gradient_claims(), *_shuffling_claims(), *_same_claims(), *_code_claims())


def _gradient_claims() -> tuple[Claim, ...]:
    fixed = ((8, 2, (0, 1, 3), 0), (8, 2, (0, 1, 3), 3), (6, 3, (0, 4), 1))
    counted = ((8, 2, 3), (6, 3, 2), (6, 2, 4))
    return (
        _claim(
            id="agc.training.gradient.derived",
            statement=(
                "Averaged over the classes, the decoded gradient is 1 - E_err/n of the full one, "
                "shuffled or not, in FRC and in CRC: no partition is preferred (the largest "
                "deviation)"
            ),
            citation=f"{_PAPER}, Sections II to IV, derived",
            expected="confirmed",
            cases=(
                mean_gradient(frc, 8, 2, 0.247),
                mean_gradient(frc, 6, 3, 0.4),
                mean_gradient(circulant, 8, 2, 0.247),
                mean_gradient(circulant, 7, 2, 0.4),
            ),
        ),
        _claim(
            id="agc.training.weights.derived",
            statement=(
                "Given who is slow, FRC without shuffling gives partition i the mean weight "
                "1 - p_straggle_slow^(k_i) p_straggle_active^(d-k_i), which differs between "
                "partitions; with random shuffling it is 1 - h(m) for all"
            ),
            citation=f"{_PAPER}, Proposition 1, derived",
            expected="confirmed",
            cases=(
                *(weight_unshuffled(*shape) for shape in fixed),
                *(weight_shuffled(*shape) for shape in counted),
            ),
        ),
    )


def _shuffling_claims() -> tuple[Claim, ...]:
    lower = (
        *(shuffled(code, _ONE, step, 30) for code in _CODES for step in _STEPS),
        *(shuffled(code, _THREE, _SMALL, 30) for code in _CODES),
        *(shuffled(code, _LOGISTIC, 1.0, 30) for code in _CODES),
        *(exactly(code, step, _MANY) for code in _CODES for step in _STEPS),
    )
    higher = (
        *(shuffled(code, _THREE, _LARGE, 20) for code in _CODES),
        *(exactly(code, _LARGE, _MANY) for code in _CODES),
    )
    return (
        _claim(
            id="agc.training.shuffling.printed",
            statement=(
                "Random shuffling lowers the training loss (mean loss with it less that without)"
            ),
            citation=f"{_PAPER}, Sections I, III and V, Figure 2",
            relation="<",
            expected="refuted",
            cases=(*lower, *higher),
        ),
        _claim(
            id="agc.training.shuffling.corrected",
            statement=(
                "After more than one iteration with steps of at most 0.6 over the largest "
                "curvature, random shuffling lowers the mean loss"
            ),
            citation=f"{_PAPER}, Figure 2, made conditional",
            relation="<",
            expected="confirmed",
            cases=lower,
        ),
        _claim(
            id="agc.training.shuffling.large-step.corrected",
            statement=(
                "With steps of 1.5 over the largest curvature and more, random shuffling raises "
                "the mean loss that is left: it turns a bias that stays into noise"
            ),
            citation=f"{_PAPER}, Figure 2, made conditional",
            relation=">",
            expected="confirmed",
            cases=higher,
        ),
        _claim(
            id="agc.training.cyclic.printed",
            statement=(
                "Cyclic shuffling lowers the loss like random shuffling for L >> n (that of the "
                "circulant, too, whose error it does not change)"
            ),
            citation=f"{_PAPER}, Remark 1",
            relation="<",
            expected="confirmed",
            cases=(
                *(shuffled(code, _ONE, step, 30, "cyclic") for code in _CODES for step in _STEPS),
                *(exactly(code, step, _MANY, "cyclic") for code in _CODES for step in _STEPS),
            ),
        ),
    )


def _same_claims() -> tuple[Claim, ...]:
    alike = (0.3, 0.2, 0.2)
    return (
        _claim(
            id="agc.training.first.corrected",
            statement=(
                "In the first iteration shuffling changes nothing: the loss after it has the same "
                "mean with and without"
            ),
            citation=f"{_PAPER}, Section III, made precise",
            expected="confirmed",
            cases=(
                *(shuffled(code, _THREE, 0.02, 1) for code in _CODES),
                shuffled(FRC, _THREE, 0.02, 1, "cyclic"),
                *(exactly(code, _LARGE, 1) for code in _CODES),
            ),
        ),
        _claim(
            id="agc.training.alike.corrected",
            statement=(
                "Where slow and active workers straggle equally often, shuffling changes nothing "
                "after any number of iterations"
            ),
            citation=f"{_PAPER}, Section I, made precise",
            expected="confirmed",
            cases=(
                *(shuffled(code, _THREE, 0.02, 10, law=alike) for code in _CODES),
                *(exactly(code, _HALF, 50, law=alike) for code in _CODES),
                exactly(CRC, _HALF, 50, "cyclic", law=alike),
            ),
        ),
    )


def _code_claims() -> tuple[Claim, ...]:
    early = (
        *(against_frc(_THREE, 0.05, iterations) for iterations in (1, 10)),
        *(codes_exactly(step, iterations) for step in _STEPS for iterations in (1, 5)),
    )
    late = tuple(
        codes_exactly(step, iterations, 0.1) for step in (_LARGE, 1.8) for iterations in (1, 2)
    )
    return (
        _claim(
            id="agc.training.crc.printed",
            statement="With shuffling, the loss of CRC is less than that of FRC",
            citation=f"{_PAPER}, Section V, Figure 2",
            relation="<",
            expected="refuted",
            cases=(*early, *late),
        ),
        _claim(
            id="agc.training.crc.corrected",
            statement=(
                "With shuffling and steps of at most 0.6 over the largest curvature, the "
                "loss of CRC is above that of FRC, whose mean gradient is the larger share of the "
                "full one"
            ),
            citation=f"{_PAPER}, Section V, reversed",
            relation=">",
            expected="confirmed",
            cases=early,
        ),
        _claim(
            id="agc.training.crc.large-step.corrected",
            statement=(
                "Far from the optimum and with steps of 1.5 over the largest curvature and more, "
                "too large a share of the gradient harms: at first the loss of CRC is below that "
                "of FRC"
            ),
            citation=f"{_PAPER}, Section V, made conditional",
            relation="<",
            expected="confirmed",
            cases=late,
        ),
    )
