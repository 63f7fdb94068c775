"""What shuffling the workers' columns changes: agc, Remark 1 and Sections III and IV."""

from __future__ import annotations

from collections.abc import Callable

from fastgc.theory.agc.access import proposition1_without_shuffling
from fastgc.theory.agc.paper import paper
from fastgc.theory.cases.tables import Table, circulant, decoding, frc, point_of, two_class
from fastgc.theory.common import repetition
from fastgc.theory.common.circulant import circulant_mean_error_variance
from fastgc.theory.papers.claim import Case
from fastgc.theory.papers.paper import Cases

paper.formula(circulant_mean_error_variance)
paper.formula(repetition.frc_autocovariance)
paper.formula(repetition.frc_mean_error_variance)
paper.formula(repetition.frc_mean_error_variance_given_slow)

Family = Callable[[int, int], Table]
Point = tuple[int, int, int, float, float, float]

#: n, d, iterations, p_slow, p_straggle_slow, p_straggle_active.
CIRCULANTS = ((8, 2, 3, 0.3, 0.8, 0.01), (7, 2, 3, 0.4, 0.8, 0.2), (6, 3, 3, 0.5, 0.9, 0.1))
REPETITIONS = ((8, 2, 3, 0.3, 0.8, 0.01), (4, 2, 4, 0.5, 0.9, 0.1), (6, 3, 3, 0.5, 0.9, 0.2))
#: n, d, iterations, slow, p_straggle_slow, p_straggle_active.
COUNTED = ((8, 2, 4, 3, 0.8, 0.01), (6, 2, 4, 3, 0.95, 0.02), (6, 3, 4, 4, 0.95, 0.02))


@paper.claim("remark1.error.corrected", "Remark 1, corrected")
def _() -> Cases:
    """Cyclic shuffling does not change the circulant's error: the average over the iterations has
    the same mean and the same variance as without shuffling."""
    for point in CIRCULANTS:
        yield _less_unshuffled(circulant, "cyclic", point)
    for point in CIRCULANTS:
        yield _variance(circulant, "cyclic", point, circulant_mean_error_variance(*point, "none"))


@paper.claim("remark1.access.printed", "Remark 1")
def _() -> Cases:
    """Over a multiple of n iterations cyclic shuffling evens the access: whatever workers are slow,
    every partition is not accessed L/n times the sum over the partitions of
    p_straggle_slow^(k_i) p_straggle_active^(d-k_i) on average."""
    for n, d, slow, pair, partition in (
        (8, 2, [0, 1], (0.8, 0.01), 0),
        (8, 2, [0, 1], (0.8, 0.01), 5),
        (5, 2, [0, 1], (0.9, 0.3), 3),
        (6, 3, [0, 1, 2], (0.9, 0.3), 4),
    ):
        stragglers = two_class(pair, slow=[*slow])
        experiment = decoding("not_accessed", circulant(n, d), stragglers, n, "cyclic")
        holders = (sum((i - j) % n in slow for j in range(d)) for i in range(n))
        theory = sum(proposition1_without_shuffling(1, d, k, *pair) for k in holders)
        yield Case(point_of(experiment), theory, experiment, "not_accessed", index=partition)


@paper.claim("shuffling.mean.corrected", "Section IV, made precise")
def _() -> Cases:
    """Random shuffling does not change the mean error, averaged over the classes."""
    yield _less_unshuffled(frc, "random", (8, 2, 2, 0.3, 0.8, 0.01))
    yield _less_unshuffled(frc, "random", (24, 2, 2, 0.3, 0.8, 0.01))
    yield _less_unshuffled(frc, "random", (12, 3, 2, 0.4, 0.6, 0.05))
    yield _less_unshuffled(circulant, "random", (12, 2, 2, 0.2, 0.7, 0.02))


@paper.claim("shuffling.variance.corrected", "Section III, made precise")
def _() -> Cases:
    """The variance of the error averaged over the iterations depends on the shuffle: it is
    Var/L + (2/L^2) sum_h (L-h) c_h with the autocovariance c_h of each shuffle."""
    for shuffle in ("none", "random", "cyclic"):
        for point in REPETITIONS:
            theory = repetition.frc_mean_error_variance(*point, shuffle)
            yield _variance(frc, shuffle, point, theory)


@paper.claim("shuffling.variance-difference.corrected", "Section III, made precise")
def _() -> Cases:
    """With m slow workers, random shuffling lowers the variance of frc's error averaged over L
    iterations to Var/L, from Var/L plus the autocovariances without shuffling."""
    variance = repetition.frc_mean_error_variance_given_slow
    for point in COUNTED:
        n, d, iterations, slow, *pair = point
        run = "mean_error", frc(n, d), two_class((pair[0], pair[1]), slow=slow), iterations
        first, second = decoding(*run, "none"), decoding(*run, "random")
        at = point_of(first)
        less = variance(*point, "none") - variance(*point, "random")
        yield Case(at, less, first, "mean_error", "variance", against=second, scale=n * n)


def _shuffled(code: Family, shuffle: str, at: Point) -> Table:
    n, d, iterations, p_slow, slow, active = at
    stragglers = two_class((slow, active), p_slow=p_slow)
    return decoding("mean_error", code(n, d), stragglers, iterations, shuffle)


def _less_unshuffled(code: Family, shuffle: str, at: Point) -> Case:
    """Mean error with a shuffle less that without."""
    first, second = _shuffled(code, shuffle, at), _shuffled(code, "none", at)
    point = {"family": first["code"]["family"]} | point_of(first) | {"shuffle": shuffle}
    return Case(point, 0.0, first, "mean_error", against=second, scale=at[0])


def _variance(code: Family, shuffle: str, at: Point, theory: float) -> Case:
    """Variance of the error averaged over the iterations."""
    experiment = _shuffled(code, shuffle, at)
    point = point_of(experiment) | {"shuffle": shuffle}
    return Case(point, theory, experiment, "mean_error", "variance", scale=at[0] ** 2)
