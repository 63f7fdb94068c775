"""What shuffling the columns changes: accesses, errors, gradients, training loss (agc, III to V).

The data of Figure 2 come with scikit-learn, but for Boston, which is no longer available. Steps and
numbers of iterations are not in the paper.
"""

from collections.abc import Callable
from dataclasses import replace

from fastgc.theory.agc import paper
from fastgc.theory.agc.access import proposition1_without_shuffling
from fastgc.theory.agc.decoding_errors import LAW
from fastgc.theory.cases.experiment_tables import after, compared, decoding
from fastgc.theory.cases.statements import built
from fastgc.theory.cases.studies import Table, circulant, cyclic, descent, frc, two_class
from fastgc.theory.common import straggler_laws as models
from fastgc.theory.common.code_means import circulant_mean_error_variance
from fastgc.theory.papers.claim import Case, Cases

paper.share(
    circulant_mean_error_variance,
    models.frc_autocovariance,
    models.frc_mean_error_variance,
    models.frc_mean_error_variance_given_slow,
)

Family = Callable[[int, int], Table]
#: n, d, iterations, p_slow, p_straggle_slow, p_straggle_active.
Point = tuple[int, int, int, float, float, float]
Placed = tuple[int, int, tuple[int, ...], tuple[float, float], int]

#: n, d, slow workers, how often slow and active workers straggle, partition.
PLACED = (
    (8, 2, (0, 1), (0.8, 0.01), 0),
    (8, 2, (0, 1), (0.8, 0.01), 5),
    (5, 2, (0, 1), (0.9, 0.3), 3),
    (6, 3, (0, 1, 2), (0.9, 0.3), 4),
)


@paper.claim("shuffling.uneven.printed", "Section III, with Proposition 1")
def _() -> Cases:
    """Without shuffling a partition of which k workers are slow is accessed less than one of which
    fewer, j, are: it is not accessed in L (x_k - x_j) iterations more on average,
    x_k = p_straggle_slow^k p_straggle_active^(d-k)."""
    for n, d, some, fewer, pair in (
        (8, 2, (0, 1), (0,), (0.8, 0.01)),
        (8, 2, (1,), (5,), (0.8, 0.01)),
        (6, 3, (0, 1, 2), (2, 4), (0.9, 0.3)),
    ):
        first, second = (
            decoding("not_accessed", frc(n, d), two_class(pair, slow=[*slow]), 4)
            for slow in (some, fewer)
        )
        k, j = (sum(worker < d for worker in slow) for slow in (some, fewer))
        often, less = (proposition1_without_shuffling(4, d, each, *pair) for each in (k, j))
        note = {"fewer": [*fewer]}
        yield compared(first, often - less, note=note, index=0, against=second)


@paper.claim("remark1.access.printed", "Remark 1", "ratio")
def _() -> Cases:
    """A shuffling pattern that is fixed beforehand, such as cyclic shuffling, is as desirable when
    L >> n: it evens the access, for the mean number of iterations without access to a partition of
    the circulant tends to the mean over all partitions, whatever workers are slow."""
    return _evened(circulant)


@paper.claim("remark1.access.frc.printed", "Remark 1, for FRC", "ratio")
def _() -> Cases:
    """So it does in FRC: the mean number of iterations without access to a partition tends to what
    it would be if all sets of d neighbours held it in turn."""
    return _evened(frc)


@paper.claim("remark1.access.derived", "Remark 1, for any number of iterations")
def _() -> Cases:
    """In iteration l = 0 ... L-1 of cyclic shuffling the l-th neighbours before those that held a
    partition at first hold it, in the circulant and in FRC: it is not accessed in
    sum_l p_straggle_slow^(k_l) p_straggle_active^(d-k_l) iterations on average, k_l of them slow,
    also where n does not divide L."""
    for code, at in (*((circulant, at) for at in PLACED), (frc, PLACED[1]), (frc, PLACED[3])):
        n, d, slow, pair, partition = at
        last = partition if code is circulant else partition // d * d + d - 1
        for iterations in (3, n + 2):
            holders = (_slow_holders(n, d, slow, last - turn) for turn in range(iterations))
            theory = sum(proposition1_without_shuffling(1, d, k, *pair) for k in holders)
            yield _turned(code, at, iterations, theory)


@paper.claim("shuffling.mean.derived", "Section IV, derived")
def _() -> Cases:
    """Random shuffling does not change the mean error, averaged over the classes."""
    for code in (frc, circulant):
        for point in ((8, 2, 3, *LAW), (12, 3, 2, 0.4, 0.6, 0.05)):
            first, second = (_shuffled(code, shuffle, point) for shuffle in ("random", "none"))
            shown: Table = {"family": True, "note": {"shuffle": "random"}}
            yield compared(first, 0.0, against=second, scale=point[0], **shown)


@paper.claim("shuffling.variance.derived", "Section III, derived")
def _() -> Cases:
    """The variance of the error averaged over the iterations depends on the shuffle: it is
    Var/L + (2/L^2) sum_h (L-h) c_h with the autocovariance c_h of each shuffle."""
    for shuffle in ("none", "random", "cyclic"):
        for point in ((8, 2, 3, *LAW), (4, 2, 6, 0.5, 0.9, 0.1), (6, 3, 3, 0.5, 0.9, 0.2)):
            theory = models.frc_mean_error_variance(*point, shuffle)
            yield _variance(frc, shuffle, point, theory)
    for shuffle in ("none", "random"):
        for point in ((8, 2, 3, *LAW), (7, 2, 3, 0.4, 0.8, 0.2), (6, 3, 3, 0.5, 0.9, 0.1)):
            theory = circulant_mean_error_variance(*point, shuffle)
            yield _variance(circulant, shuffle, point, theory)


def _evened(code: Family) -> Cases:
    n, d, slow, pair, _ = PLACED[1]
    # in how many of n iterations, in which all sets of d neighbours hold it in turn
    holders = [_slow_holders(n, d, slow, i) for i in range(n)]
    once = float(sum(proposition1_without_shuffling(1, d, k, *pair) for k in holders))
    for iterations in (3, 11, 35, 107, 323):
        case = _turned(code, PLACED[1], iterations, iterations / n * once)
        yield replace(case, size=iterations, rate=n / iterations)


def _slow_holders(n: int, d: int, slow: tuple[int, ...], partition: int) -> int:
    return sum((partition - j) % n in slow for j in range(d))


def _turned(code: Family, at: Placed, iterations: int, theory: float) -> Case:
    # how often a partition is not accessed with cyclic shuffling, the slow workers known
    n, d, slow, pair, partition = at
    stragglers = two_class(pair, slow=[*slow])
    run = decoding("not_accessed", code(n, d), stragglers, iterations, "cyclic")
    return compared(run, theory, note={"family": run["code"]["family"]}, index=partition)


def _shuffled(code: Family, shuffle: str, at: Point) -> Table:
    n, d, iterations, *law = at
    return decoding("mean_error", code(n, d), two_class(law), iterations, shuffle)


def _variance(code: Family, shuffle: str, at: Point, theory: float) -> Case:
    shown: Table = {"family": True, "note": {"shuffle": shuffle}}
    return compared(_shuffled(code, shuffle, at), theory, "variance", scale=at[0] ** 2, **shown)


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


@paper.claim("training.shuffling.derived", "Figure 2, on other data", "<")
def _() -> Cases:
    """After more than one iteration with steps of at most 0.6 over the largest curvature, random
    shuffling lowers the mean loss of linear and of logistic regression (with it less without)."""
    shuffles = "random", "none"
    yield from (
        _less_exactly((code, code), shuffles, step, MANY) for code in CODES for step in STEPS
    )
    for code in CODES:
        yield loss_difference((code, code), shuffles, LOGISTIC, 1.0, 30, scale=COARSE)


@paper.claim("training.crc.small-step.derived", "Section V, reversed at small steps", ">")
def _() -> Cases:
    """With shuffling and steps of at most 0.6 over the largest curvature, the loss of CRC, as a
    circulant or drawn at random as in reference [2], is above that of FRC.
    Proof. The mean decoded gradient is 1 - E_err/n of the full one, and E_err is larger for CRC:
    its descent is slower. The noise that stays in the end is larger as well, as the moments of
    linear regression show step by step."""
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
    # by enumeration, on data whose curvature is 1
    both: Table = {"codes": list(codes), "shuffles": list(shuffles)}
    run: Table = {"step": step, "iterations": iterations, "law": list(LAW), "noise": 1.0}
    return built("mean_loss_difference", 0.0, **both, **run, seed=1)


def loss_difference(
    codes: tuple[Table, Table],
    shuffles: tuple[str, str],
    problem: Table,
    step: float,
    iterations: int,
    scale: float = 1.0,
) -> Case:
    """Mean loss after so many iterations, the first way less the second, on the same draws."""
    first, second = (
        {
            "kind": "training",
            "problem": problem,
            "code": code,
            "stragglers": two_class(LAW),
            "optimizer": descent(step),
            "iterations": iterations,
            "shuffle": shuffle,
        }
        for code, shuffle in zip(codes, shuffles, strict=True)
    )
    note = {"problem": problem["model"], "data": problem["data"], "step": step}
    return after(first, "loss", 0.0, against=second, scale=scale, note=note)


_MISSING = (
    "the step, the number of iterations, the number of runs and their classes are not printed"
)


@paper.claim(
    "training.shuffling.printed", "Sections I and V, Figure 2", "<", "figure", missing=_MISSING
)
def _() -> Cases:
    """Random shuffling lowers the training loss of FRC and of CRC on the diabetes data (n=8, d=2,
    the paper's probabilities) and on iris (n=20, d=2, on a cluster)."""
    for data, n in (("diabetes", 8), ("iris", 20)):
        yield Case({"data": data, "n": n, "d": 2}, 0.0, {}, "loss")


@paper.claim(
    "training.shuffling.data.derived",
    "Sections I and V, Figure 2, at steps and iterations of fastgc's own",
    "<",
    "somewhere",
    needs="data",
)
def _() -> Cases:
    """At a step of 0.5 random shuffling lowers the training loss of FRC and of CRC after 50
    iterations on the diabetes data and 30 on iris, with the paper's probabilities in place of a
    cluster (the mean loss with it less that without)."""
    shuffles = "random", "none"
    iris: Table = {"model": "softmax", "data": "iris"}
    # the last is a size whose ten-thousandth part is below the differences
    for problem, n, iterations, scale in ((DIABETES, 8, 50, 1.0), (iris, 20, 30, 20.0)):
        for code in (frc(n, 2), circulant(n, 2)):
            yield loss_difference((code, code), shuffles, problem, 0.5, iterations, scale=scale)


@paper.claim(
    "training.crc.printed",
    "Section V, Figure 2 (a) and (b)",
    "<",
    "figure",
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
    ">",
    needs="data",
)
def _() -> Cases:
    """On the diabetes data, cut at the median, the mean loss of CRC with shuffling is above that of
    FRC after 10 iterations with a step of 0.5 or 2 and after 30 with a step of 0.1 (their
    difference; after one iteration with a step of 2 it is below)."""
    codes, shuffles = (circulant(8, 2), frc(8, 2)), ("random", "random")
    for step, iterations, scale in ((0.5, 10, 7.0), (0.1, 30, 9.0), (2.0, 10, 1.5)):
        yield loss_difference(codes, shuffles, DIABETES, step, iterations, scale=scale)
