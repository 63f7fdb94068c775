"""What shuffling the workers' columns changes: agc, Remark 1 and Sections III and IV."""

from collections.abc import Callable
from dataclasses import replace

from fastgc.theory.agc import paper
from fastgc.theory.agc.access import proposition1_without_shuffling
from fastgc.theory.cases.decoding import compared, decoding, point_of
from fastgc.theory.cases.tables import Table, circulant, frc, two_class
from fastgc.theory.common import repetition
from fastgc.theory.common.circulant import circulant_mean_error_variance
from fastgc.theory.papers.claim import Case, Cases

paper.share(
    circulant_mean_error_variance,
    repetition.frc_autocovariance,
    repetition.frc_mean_error_variance,
    repetition.frc_mean_error_variance_given_slow,
)

Family = Callable[[int, int], Table]
Point = tuple[int, int, int, float, float, float]

#: n, d, iterations, p_slow, p_straggle_slow, p_straggle_active.
CIRCULANTS = ((8, 2, 3, 0.3, 0.8, 0.01), (7, 2, 3, 0.4, 0.8, 0.2), (6, 3, 3, 0.5, 0.9, 0.1))
REPETITIONS = ((8, 2, 3, 0.3, 0.8, 0.01), (4, 2, 6, 0.5, 0.9, 0.1), (6, 3, 3, 0.5, 0.9, 0.2))
MEANS = ((8, 2, 3, 0.3, 0.8, 0.01), (12, 3, 2, 0.4, 0.6, 0.05))
#: n, d, slow workers, how often slow and active workers straggle, partition.
PLACED = (
    (8, 2, (0, 1), (0.8, 0.01), 0),
    (8, 2, (0, 1), (0.8, 0.01), 5),
    (5, 2, (0, 1), (0.9, 0.3), 3),
    (6, 3, (0, 1, 2), (0.9, 0.3), 4),
)
_EITHER = (*((circulant, *at) for at in PLACED), (frc, *PLACED[1]), (frc, *PLACED[3]))


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


@paper.claim("remark1.access.printed", "Remark 1", limit="ratio")
def _() -> Cases:
    """A shuffling pattern that is fixed beforehand, such as cyclic shuffling, is as desirable when
    L >> n: it evens the access, for the mean number of iterations without access to a partition of
    the circulant tends to the mean over all partitions, whatever workers are slow."""
    return _evened(circulant)


@paper.claim("remark1.access.frc.printed", "Remark 1, for FRC", limit="ratio")
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
    for code, n, d, slow, pair, partition in _EITHER:
        last = partition if code is circulant else partition // d * d + d - 1
        for iterations in (3, n + 2):
            holders = (_slow_holders(n, d, slow, last - turn) for turn in range(iterations))
            theory = sum(proposition1_without_shuffling(1, d, k, *pair) for k in holders)
            yield _turned(code, n, d, slow, pair, partition, iterations, theory)


@paper.claim("shuffling.mean.derived", "Section IV, derived")
def _() -> Cases:
    """Random shuffling does not change the mean error, averaged over the classes."""
    for code in (frc, circulant):
        for point in MEANS:
            first, second = (_shuffled(code, shuffle, point) for shuffle in ("random", "none"))
            note = {"family": first["code"]["family"]} | point_of(first) | {"shuffle": "random"}
            yield Case(note, 0.0, first, "mean_error", against=second, scale=point[0])


@paper.claim("shuffling.variance.derived", "Section III, derived")
def _() -> Cases:
    """The variance of the error averaged over the iterations depends on the shuffle: it is
    Var/L + (2/L^2) sum_h (L-h) c_h with the autocovariance c_h of each shuffle."""
    for shuffle in ("none", "random", "cyclic"):
        for point in REPETITIONS:
            theory = repetition.frc_mean_error_variance(*point, shuffle)
            yield _variance(frc, shuffle, point, theory)
    for shuffle in ("none", "random"):
        for point in CIRCULANTS:
            theory = circulant_mean_error_variance(*point, shuffle)
            yield _variance(circulant, shuffle, point, theory)


def _evened(code: Family) -> Cases:
    n, d, slow, pair, partition = PLACED[1]
    # in how many of n iterations, in which all sets of d neighbours hold it in turn
    holders = [_slow_holders(n, d, slow, i) for i in range(n)]
    once = float(sum(proposition1_without_shuffling(1, d, k, *pair) for k in holders))
    for iterations in (3, 11, 35, 107, 323):
        theory = iterations / n * once
        case = _turned(code, n, d, slow, pair, partition, iterations, theory)
        yield replace(case, size=iterations, rate=n / iterations)


def _slow_holders(n: int, d: int, slow: tuple[int, ...], partition: int) -> int:
    return sum((partition - j) % n in slow for j in range(d))


def _turned(
    code: Family,
    n: int,
    d: int,
    slow: tuple[int, ...],
    pair: tuple[float, float],
    partition: int,
    iterations: int,
    theory: float,
) -> Case:
    """How often a partition is not accessed with cyclic shuffling, the slow workers known."""
    stragglers = two_class(pair, slow=[*slow])
    experiment = decoding("not_accessed", code(n, d), stragglers, iterations, "cyclic")
    return compared(
        experiment, theory, note={"family": experiment["code"]["family"]}, index=partition
    )


def _shuffled(code: Family, shuffle: str, at: Point) -> Table:
    n, d, iterations, p_slow, slow, active = at
    stragglers = two_class((slow, active), p_slow=p_slow)
    return decoding("mean_error", code(n, d), stragglers, iterations, shuffle)


def _variance(code: Family, shuffle: str, at: Point, theory: float) -> Case:
    experiment = _shuffled(code, shuffle, at)
    point = {"family": experiment["code"]["family"]} | point_of(experiment) | {"shuffle": shuffle}
    return Case(point, theory, experiment, "mean_error", "variance", scale=at[0] ** 2)
