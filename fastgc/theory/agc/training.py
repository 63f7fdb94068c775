"""What stragglers and shuffling make of gradients and of the training loss (agc, Figure 2).

They come with scikit-learn; Boston, the third, is no longer available. Steps and numbers of
iterations are not in the paper.
"""

from collections.abc import Callable
from dataclasses import replace

from fastgc.theory.agc import paper
from fastgc.theory.agc.access import proposition1_without_shuffling
from fastgc.theory.agc.cases import LAW, Law, loss_difference
from fastgc.theory.agc.numbers import VECTORS, cyclic_mean_error, orthogonal
from fastgc.theory.cases.statements import built, finite
from fastgc.theory.cases.tables import Table, circulant, cyclic, descent, frc, iid
from fastgc.theory.cases.training import after, coded
from fastgc.theory.common.circulant import circulant_mean_error
from fastgc.theory.common.repetition import frc_mean_error
from fastgc.theory.common.stragglers import not_accessed_probability_given_slow
from fastgc.theory.papers.claim import Case, Cases

Measured = Callable[..., Case]

FRC, CRC = CODES = frc(8, 2), circulant(8, 2)
#: Its largest curvature is .27, it begins at .69.
LOGISTIC: Table = {"model": "logistic", "data": "synthetic", "samples": 64, "features": 3}
#: Steps well below 1 over the curvature, and one near 2 over it, where descent ends.
SMALL, HALF, LARGE = 0.1, 0.5, 1.5
STEPS = (SMALL, HALF)
#: A size of losses whose ten-thousandth part is below the differences that are sampled.
COARSE = 6.0
#: Iterations by enumeration.
MANY = 100
#: p_slow, p_straggle_slow, p_straggle_active where both classes straggle equally often.
ALIKE: Law = (0.3, 0.2, 0.2)
DIABETES: Table = {"model": "logistic", "data": "diabetes", "binarize": "median"}
IRIS: Table = {"model": "softmax", "data": "iris"}
#: Problem, workers, iterations, and a size whose ten-thousandth part is below the differences.
CURVES = ((DIABETES, 8, 50, 1.0), (IRIS, 20, 30, 20.0))
#: Step, iterations, and the same.
DESCENTS = ((0.5, 10, 7.0), (0.1, 30, 9.0), (2.0, 10, 1.5))


@paper.claim("training.gradient.derived", "Sections II to IV, derived")
def _() -> Cases:
    """Averaged over the classes, the decoded gradient is 1 - E_err/n of the full one, shuffled or
    not, in FRC and in CRC: no partition is preferred (the largest deviation)."""
    for code, mean_error, n, d, p in (
        (frc, frc_mean_error, 8, 2, 0.247),
        (circulant, circulant_mean_error, 8, 2, 0.247),
        (frc, frc_mean_error, 6, 3, 0.4),
        (circulant, circulant_mean_error, 7, 2, 0.4),
    ):
        share = 1.0 - float(mean_error(n, d, p=p)) / n
        for measured in (built, finite):
            yield _deviation(measured, code(n, d), p, share)


@paper.claim("training.gradient-given.derived", "Section III, derived", relation=">")
def _() -> Cases:
    """Given the slow workers, the mean decoded gradient without shuffling is not a multiple of the
    full one; nor is it for a cyclic code whose columns are not shifts of one another, even averaged
    over the classes (deviation from the multiple 1 - E_err/n)."""
    _, slow, active = LAW
    for n, d, who in ((8, 2, (0, 1, 3)), (6, 3, (0, 1))):
        holders = [sum(j // d == i // d for j in who) for i in range(n)]
        lost = [proposition1_without_shuffling(1, d, k, slow, active) for k in holders]
        p = [slow if j in who else active for j in range(n)]
        for measured in (built, finite):
            yield _deviation(measured, frc(n, d), p, 1.0 - sum(lost) / n)
    for null in VECTORS[1:]:
        share = 1.0 - cyclic_mean_error(null, 0.247) / len(null)
        yield _deviation(finite, orthogonal(null), 0.247, share)


@paper.claim("training.weights.derived", "Proposition 1, derived")
def _() -> Cases:
    """Given who is slow, FRC without shuffling gives partition i the mean weight
    1 - p_straggle_slow^(k_i) p_straggle_active^(d-k_i), which differs between partitions; with
    random shuffling it is 1 - h(m) for all."""
    pair: Table = {"p_straggle_slow": 0.8, "p_straggle_active": 0.01}
    for measured in (built, finite):
        for n, d, who, i in ((8, 2, [0, 1, 3], 0), (8, 2, [0, 1, 3], 3), (6, 3, [0, 4], 1)):
            holders = sum(j // d == i // d for j in who)
            theory = 1.0 - proposition1_without_shuffling(1, d, holders, **pair)
            yield measured("mean_weight", theory, code=frc(n, d), slow=who, **pair, partition=i)
        for n, d, slow in ((8, 2, 3), (6, 3, 2), (6, 2, 4)):
            theory = 1.0 - not_accessed_probability_given_slow(n, d, slow, **pair)
            yield measured(
                "mean_weight", theory, code=frc(n, d), slow=slow, **pair, partition=n - 1
            )


@paper.claim("training.one-group.derived", "Section II, derived")
def _() -> Cases:
    """If every worker holds all partitions, the decoded gradient is the full one, or 0 if no worker
    answers: the mean of |decoded - full|^2/|full|^2 is the probability that all
    straggle."""
    for code, p in ((FRC, 1.0), (frc(2, 2), 0.9), (frc(3, 3), 0.9)):
        run = coded(code, descent(SMALL), 1, LOGISTIC, iid(p))
        case = after(run, "gradient_error", p ** code["d"])
        yield replace(case, index=0, tolerance=0.01)


@paper.claim("training.shuffling.derived", "Figure 2, on other data", relation="<")
def _() -> Cases:
    """After more than one iteration with steps of at most 0.6 over the largest curvature, random
    shuffling lowers the mean loss of linear and of logistic regression (with it less without)."""
    yield from (_exactly(code, step, MANY) for code in CODES for step in STEPS)
    yield from (_sampled(code, 1.0, 30, scale=COARSE) for code in CODES)


@paper.claim("training.large-step.derived", "Figure 2, with other steps", relation=">")
def _() -> Cases:
    """With steps of 1.5 over the largest curvature and more, random shuffling raises the mean loss
    that is left: it turns a bias that stays into noise."""
    for step in (LARGE, 1.8):
        yield from (_exactly(code, step, MANY) for code in CODES)


@paper.claim("training.cyclic.derived", "Remark 1, for the loss", relation="<")
def _() -> Cases:
    """Cyclic shuffling lowers the loss, too, for L >> n (that of the circulant as well, whose error
    it does not change)."""
    yield from (_exactly(code, step, MANY, "cyclic") for code in CODES for step in STEPS)
    yield from (_sampled(code, 1.0, 30, "cyclic", scale=COARSE) for code in CODES)


@paper.claim("training.first.derived", "Section III, derived")
def _() -> Cases:
    """In the first iteration shuffling changes nothing: the loss after it has the same mean with
    and without."""
    yield from (_exactly(code, step, 1) for code in CODES for step in (HALF, LARGE))
    yield _exactly(CRC, LARGE, 1, "cyclic")
    yield _sampled(FRC, 0.1, 1)


@paper.claim("training.alike.derived", "Section I, derived")
def _() -> Cases:
    """Where slow and active workers straggle equally often, shuffling changes nothing after any
    number of iterations."""
    yield from (_exactly(code, HALF, 50, law=ALIKE) for code in CODES)
    yield _exactly(CRC, HALF, 50, "cyclic", law=ALIKE)
    yield _sampled(FRC, 0.1, 4, law=ALIKE)


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
    for step in STEPS:
        for iterations in (1, 5, MANY):
            yield _less_frc(CRC, step, iterations)
    yield from (_less_frc(cyclic(8, 2, seed), HALF, MANY) for seed in (1, 2))
    yield loss_difference((CRC, FRC), ("random", "random"), LOGISTIC, 0.2, 10, scale=COARSE)


@paper.claim("training.crc.large-step.derived", "Section V, with other steps", relation="<")
def _() -> Cases:
    """Far from the optimum and with steps of 1.5 over the largest curvature and more, too large a
    share of the gradient harms: at first the loss of CRC is below that of FRC."""
    for step in (LARGE, 1.8):
        yield from (_less_frc(CRC, step, many, noise=0.1) for many in (1, 2))


def _deviation(measured: Measured, code: Table, p: float | list[float], share: float) -> Case:
    return measured("mean_gradient_difference", 0.0, code=code, p=p, share=share, seed=8)


def _sampled(
    code: Table,
    step: float,
    iterations: int,
    shuffle: str = "random",
    law: Law = LAW,
    scale: float = 1.0,
) -> Case:
    """With a shuffle less without, logistic regression on runs of the same draws."""
    shuffles = shuffle, "none"
    return loss_difference((code, code), shuffles, LOGISTIC, step, iterations, law, scale)


def _exactly(
    code: Table, step: float, iterations: int, shuffle: str = "random", law: Law = LAW
) -> Case:
    """With a shuffle less without, by enumeration, on data whose curvature is 1."""
    return _less_exactly((code, code), (shuffle, "none"), step, iterations, law)


def _less_frc(code: Table, step: float, iterations: int, noise: float = 1.0) -> Case:
    return _less_exactly((code, FRC), ("random", "random"), step, iterations, noise=noise)


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
