"""What stragglers and shuffling make of gradients and of the training loss (agc, Figure 2).

They come with scikit-learn; Boston, the third, is no longer available. Steps and numbers of
iterations are not in the paper.
"""

from collections.abc import Callable

from fastgc.theory.agc import paper
from fastgc.theory.agc.cases import LAW, loss_difference
from fastgc.theory.cases.statements import built
from fastgc.theory.cases.tables import Table, circulant, cyclic, frc
from fastgc.theory.papers.claim import Case, Cases

Measured = Callable[..., Case]

FRC, CRC = CODES = frc(8, 2), circulant(8, 2)
#: Its largest curvature is .27, it begins at .69.
LOGISTIC: Table = {"model": "logistic", "data": "synthetic", "samples": 64, "features": 3}
#: Steps well below 1 over the curvature.
STEPS = (0.1, 0.5)
#: A size of losses whose ten-thousandth part is below the differences that are sampled.
COARSE = 6.0
#: Iterations by enumeration.
MANY = 100
DIABETES: Table = {"model": "logistic", "data": "diabetes", "binarize": "median"}
IRIS: Table = {"model": "softmax", "data": "iris"}
#: Problem, workers, iterations, and a size whose ten-thousandth part is below the differences.
CURVES = ((DIABETES, 8, 50, 1.0), (IRIS, 20, 30, 20.0))
#: Step, iterations, and the same.
DESCENTS = ((0.5, 10, 7.0), (0.1, 30, 9.0), (2.0, 10, 1.5))


@paper.claim("training.shuffling.derived", "Figure 2, on other data", relation="<")
def _() -> Cases:
    """After more than one iteration with steps of at most 0.6 over the largest curvature, random
    shuffling lowers the mean loss of linear and of logistic regression (with it less without)."""
    shuffles = "random", "none"
    yield from (
        _less_exactly((code, code), shuffles, step, MANY) for code in CODES for step in STEPS
    )
    for code in CODES:
        yield loss_difference((code, code), shuffles, LOGISTIC, 1.0, 30, scale=COARSE)


@paper.claim(
    "training.crc.small-step.derived",
    "Section V, reversed at small steps",
    relation=">",
    proof="The mean decoded gradient is 1 - E_err/n of the full one, and E_err is larger for CRC: "
    "its descent is slower. The noise that stays in the end is larger as well, as the moments of "
    "linear regression show step by step.",
)
def _() -> Cases:
    """With shuffling and steps of at most 0.6 over the largest curvature, the loss of CRC, as a
    circulant or drawn at random as in reference [2], is above that of FRC."""
    shuffles = "random", "random"
    for step in STEPS:
        for iterations in (1, 5, MANY):
            yield _less_exactly((CRC, FRC), shuffles, step, iterations)
    for seed in (1, 2):
        yield _less_exactly((cyclic(8, 2, seed), FRC), shuffles, STEPS[1], MANY)
    yield loss_difference((CRC, FRC), shuffles, LOGISTIC, 0.2, 10, scale=COARSE)


def _less_exactly(
    codes: tuple[Table, Table], shuffles: tuple[str, str], step: float, iterations: int
) -> Case:
    """One way less the other, by enumeration, on data whose curvature is 1."""
    both: Table = {"codes": list(codes), "shuffles": list(shuffles)}
    run: Table = {"step": step, "iterations": iterations, "law": list(LAW), "noise": 1.0}
    return built("mean_loss_difference", 0.0, **both, **run, seed=1)


# ---- what agc reads off its Figure 2, on its own data sets: diabetes and iris


_MISSING = (
    "the step, the number of iterations, the number of runs and their classes are not printed"
)


@paper.claim(
    "training.shuffling.printed",
    "Sections I and V, Figure 2",
    relation="<",
    category="figure",
    missing=_MISSING,
)
def _() -> Cases:
    """Random shuffling lowers the training loss of FRC and of CRC on the diabetes data (n=8, d=2,
    the paper's probabilities) and on iris (n=20, d=2, on a cluster)."""
    for data, n in (("diabetes", 8), ("iris", 20)):
        yield Case({"data": data, "n": n, "d": 2}, 0.0, {}, "loss")


@paper.claim(
    "training.shuffling.data.derived",
    "Sections I and V, Figure 2, at steps and iterations of fastgc's own",
    relation="<",
    holds="somewhere",
    needs="data",
)
def _() -> Cases:
    """At a step of 0.5 random shuffling lowers the training loss of FRC and of CRC after 50
    iterations on the diabetes data and 30 on iris, with the paper's probabilities in place of a
    cluster (the mean loss with it less that without)."""
    shuffles = "random", "none"
    for problem, n, iterations, scale in CURVES:
        for code in (frc(n, 2), circulant(n, 2)):
            yield loss_difference((code, code), shuffles, problem, 0.5, iterations, scale=scale)


@paper.claim(
    "training.crc.printed",
    "Section V, Figure 2 (a) and (b)",
    relation="<",
    category="figure",
    missing=f"{_MISSING}, and the Boston data are no longer available",
)
def _() -> Cases:
    """With shuffling, the training loss of CRC is less than that of FRC (n=8, d=2 and the paper's
    probabilities), on the Boston and on the diabetes data."""
    for data in ("boston", "diabetes"):
        yield Case({"data": data, "n": 8, "d": 2}, 0.0, {}, "loss")


@paper.claim(
    "training.crc.diabetes.derived",
    "Section V, Figure 2 (b), at steps and iterations of fastgc's own",
    relation=">",
    needs="data",
)
def _() -> Cases:
    """On the diabetes data, cut at the median, the mean loss of CRC with shuffling is above that of
    FRC after 10 iterations with a step of 0.5 or 2 and after 30 with a step of 0.1 (their
    difference; after one iteration with a step of 2 it is below)."""
    codes, shuffles = (circulant(8, 2), frc(8, 2)), ("random", "random")
    for step, iterations, scale in DESCENTS:
        yield loss_difference(codes, shuffles, DIABETES, step, iterations, scale=scale)
