"""When layered tasks are done and decoded: worker i's j-th task at j X_i (hierarchical).

Layer j is done with k_j answers, so the job at τ = max_j j X_(k_j). The paper's text ends before
its theorem; what is said here follows from its model (5).
"""

import math
from collections.abc import Sequence

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.cases.experiment_tables import compared, completion, late
from fastgc.theory.cases.statements import brute, built, finite, not_reproducible
from fastgc.theory.cases.studies import Table, answers, exponential, layered
from fastgc.theory.common import check
from fastgc.theory.common import order_statistics as times
from fastgc.theory.common.numerics import expm1, half_line
from fastgc.theory.hierarchical import paper
from fastgc.theory.papers.claim import LOOSE, Cases, at

#: k_1, … of ten layers that share 50 tasks.
LONG = (9, 8, 7, 6, 5, 4, 3, 3, 3, 2)
#: n, k, α, t.
_POINTS: tuple[tuple[int, tuple[int, ...], float, float], ...] = (
    (4, (3, 2), 0.0, 1.5),
    (10, (9, 8, 6, 5), 0.5, 5.0),
    (10, LONG, 0.1, 4.0),
)


@paper.claim("decoding.printed", "Section II, (1) and (2)")
def _() -> Cases:
    """Each layer is a channel of its own: with an (n, k_j) MDS code any k_j of its n answers give
    back its k_j tasks, whatever is missing of other layers (sets that do not)."""
    for n, k in ((4, [3, 2]), (7, [6, 4, 1]), (9, [7, 5, 3, 2])):
        for layer, need in enumerate(k, 1):
            yield finite("undecodable_answers", 0, n=n, k=need, answers=need)
            yield built("undecodable_answers", 0, n=n, k=k, layer=layer, answers=need)


@paper.formula
def finishing_probability(
    n: int, k: Sequence[int], t: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """Probability that the job is done by t: for every layer j, k_j workers have X ≤ t/j. Exact.

    A staircase probability (Noé 1972), computed in O(r n²) for r layers.
    """
    needs = _needs(n, k, mean, shift)
    return float(_finished(n, needs, np.array([float(t)]), mean, shift)[0])


@paper.claim("distribution.derived", "Section III-A; the text ends before its theorem")
def _() -> Cases:
    """P(tau > t) is one less the probability that at least k_j workers have X <= t/j for every
    j, a staircase probability."""
    for n, k, shift, t in _POINTS:
        theory = 1.0 - finishing_probability(n, k, t, 1.0, shift)
        yield late(layered(n, *k), t, theory, exponential(1.0, shift))


@paper.formula
def finishing_mean(n: int, k: Sequence[int], mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean of the time τ at which the job is done, by quadrature of its distribution."""
    return finishing_moments(n, k, mean, shift)[0]


@paper.claim("mean.derived", "Section III-A; derived")
def _() -> Cases:
    """E tau is 41/30 for n = 4, k = (3,2), alpha = 0 and 4.8221169 for n = 10, k = (9,8,6,5),
    alpha = .5."""
    designs = [(n, k, shift) for n, k, shift, _ in _POINTS]
    designs += [(10, (9, 6, 4, 1), 1.0), (10, (9, 7, 4, 0), 1.0)]
    for n, k, shift in designs:
        yield compared(layers_with(n, k, shift), finishing_mean(n, k, 1.0, shift))


@paper.formula
def finishing_variance(n: int, k: Sequence[int], mean: float = 1.0, shift: float = 0.0) -> float:
    """Variance of the time τ at which the job is done, by quadrature of its distribution."""
    return finishing_moments(n, k, mean, shift)[1]


def finishing_moments(n: int, k: Sequence[int], mean: float, shift: float) -> tuple[float, float]:
    """Return mean and variance of τ; both integrals take the probabilities of the same moments."""
    needs = _needs(n, k, mean, shift)
    last = max(j for j, need in enumerate(needs, 1) if need)
    start = last * shift
    known: dict[bytes, Values] = {}

    def late(t: Values) -> Values:
        key = t.tobytes()
        if key not in known:
            known[key] = np.asarray(1.0 - _finished(n, needs, t, mean, shift))
        return known[key]

    first = half_line(late, start, last * mean, 1e-12)
    second = half_line(lambda t: 2.0 * t * late(t), start, last * mean, 1e-12)
    return start + first, start**2 + second - (start + first) ** 2


def layers_with(n: int, k: Sequence[int], shift: float) -> Table:
    """Table of layers whose tasks take unit exponential times after a shift."""
    return completion(layered(n, *k), exponential(1.0, shift))


def _finished(n: int, needs: tuple[int, ...], t: Values, mean: float, shift: float) -> Values:
    layers = np.arange(len(needs), 0, -1)[:, None]
    probabilities = -expm1(-np.maximum(t / layers - shift, 0.0) / mean)
    return times.staircase_probability(n, needs[::-1], probabilities)


def _needs(n: int, k: Sequence[int], mean: float, shift: float) -> tuple[int, ...]:
    # after refusing what n workers cannot answer, what needs no answer, and what is no law of times
    check.arguments(n=n, mean=mean, shift=shift)
    for j, need in enumerate(k, 1):
        check.count(f"k_{j}", need, 0, n)
    if not any(k):
        raise FastgcError(f"k: got {list(k)}, but some layer must need an answer")
    return tuple(int(need) for need in k)


@paper.claim("remark1.printed", "Remark 1", LOOSE, "<")
def _() -> Cases:
    """Answers of slower workers are used, for each task's is sent when it is done: the job takes
    less time than if those of the k_1 workers counted alone that finish all of their tasks."""
    for n, k, shift in ((4, (3, 2), 0.0), (10, (9, 7, 4), 1.0), (10, LONG, 0.1)):
        whole_workers = len(k) * float(times.exponential_order_mean(n, k[0], 1.0, shift))
        yield compared(layers_with(n, k, shift), whole_workers)


@paper.claim("top-layers.printed", "Section II", LOOSE, "<")
def _() -> Cases:
    """A top layer is a better channel than the next one: with the same code it is less likely to
    be unfinished at t."""
    points = ((10, 6, 1, 0.5, 2.0), (10, 6, 2, 0.1, 3.0), (4, 3, 3, 0.0, 4.0))
    for n, need, layer, shift, t in points:
        theory = times.order_tail(n, need, math.exp(shift - t / (layer + 1)))
        k = [0] * (layer - 1) + [need]
        yield late(layered(n, *k), t, theory, exponential(1.0, shift))


@paper.states("failure-exponent.derived", "Abstract: the same failure exponent for all layers")
@at(
    [(10, 8, 3), (10, 9, 1), (20, 13, 2), (6, 2, 4)],
    brute("failure_slope", lambda n, k, layer: {"n": n, "k": k, "layer": layer, "t": 30.0 * layer}),
)
def failure_exponent(n: int, k: int, layer: int, mean: float = 1.0) -> float:
    """P(layer j is not done by t) falls like exp(-(n+1-k_j) mu t/j)."""
    check.count("k", k, 1, n)
    return (n + 1 - k) / (layer * mean)


@paper.elementwise
def single_rate_mean(n: int, tasks: int, k: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Mean time tasks/k · E X_(k) of an (n, k) MDS code whose workers do tasks/k tasks each.

    A worker's tasks count all together or not at all. The factor 1.5 of the paper's abstract is
    against such codes.
    """
    return tasks / k * float(times.exponential_order_mean(n, k, mean, shift))


@paper.elementwise
def best_single_rate(n: int, tasks: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Number k of answers of the (n, k) MDS code with the least `single_rate_mean`."""
    return min(range(1, n + 1), key=lambda k: single_rate_mean(n, tasks, k, mean, shift))


@paper.claim(
    "factor.printed",
    "Abstract",
    "number",
    missing="n, the number of layers, k, mu, alpha and the scheme that it is compared with are not "
    "printed",
)
def _() -> Cases:
    """Numerical results show an improvement of the expected finishing time by a factor of 1.5 over
    previous work."""
    yield not_reproducible("factor", 1.5, 1)


@paper.claim("factor.derived", "Abstract, at several parameters")
def _() -> Cases:
    """The mean of the best single-rate MDS code over that of layers depends on the parameters:
    1.512, the printed factor, for n = 10, 10 layers, 50 tasks, alpha = .1; from 1.13 to 1.65 at the
    others here."""
    for n, shift, k in (
        (10, 0.1, LONG),
        (10, 1.0, (9, 7, 4, 0)),
        (10, 1.0, (8, 2)),
        (20, 0.1, (19, 16, 14, 11, 10, 8, 7, 6, 5, 4)),
        (6, 1.0, (5, 3, 1)),
    ):
        best = int(best_single_rate(n, sum(k), 1.0, shift))
        mean = single_rate_mean(n, sum(k), best, 1.0, shift)
        theory = mean / finishing_mean(n, k, 1.0, shift)
        # a worker's share is tasks/k tasks; layers have their own unit, one task
        single = completion(answers(n, best), exponential(1.0, shift), work=float(sum(k)))
        yield compared(single, theory, against=layers_with(n, k, shift), how="ratio")
