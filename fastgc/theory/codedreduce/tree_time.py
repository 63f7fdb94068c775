"""How long descent takes, and each of its iterations (codedreduce, III-C, Theorem 2, Appendix D).

A model is ε-accurate when ‖θ − θ*‖² ≤ ε = ``epsilon``. CodedReduce descends full gradients. What
the paper calls SGD descends the mean gradient of those workers that answer; here their losses are
½(θ − y_j)², ``variance`` being that of the y_j, and all sets of stragglers are alike.

A port takes a time t_c for a message, one at a time. The theorem is asymptotic: n grows, L, α = s/n
and the law of a worker's whole task are fixed. At finite n the printed bounds may be on the wrong
side of the exact mean. T_(n−s) is the time of the (n−s)-th fastest sibling; in the proof's steps
shift = 0.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.theory.cases.experiment_tables import compared, completion
from fastgc.theory.cases.statements import as_built, brute, finite
from fastgc.theory.cases.studies import Table, exponential, star, tree, whole
from fastgc.theory.codedreduce import paper
from fastgc.theory.codedreduce.cluster_experiments import HELD, RECEIVE, SECONDS, experiment
from fastgc.theory.common import check
from fastgc.theory.common import order_statistics as times
from fastgc.theory.common.numerics import exp, expm1, half_line
from fastgc.theory.papers.claim import Case, Cases, Measure, at

_PLACE = "Section III-C, total gradient computation complexity"
#: What the workers would choose, of mean 0 and variance 1.
_SIX: dict[str, Any] = {"optima": [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0], "stragglers": 3}
#: A quadratic and the step of its descent.
_QUADRATIC: dict[str, Any] = {"curvatures": [1.0, 0.1, 0.3], "step": 1.0}


def _to_accuracy(name: str, run: dict[str, Any]) -> Measure:
    return brute(name, lambda inverse: run | {"epsilon": 1 / inverse})


@paper.states("gradients.descent.printed", _PLACE, "<=", "order")
@at(
    [1e1, 1e2, 1e4, 1e8, 1e16],
    _to_accuracy("descent_iterations", _QUADRATIC | {"start": [1.0, 1.0, 1.0]}),
    size=lambda inverse: inverse,
)
def _descent(inverse: float) -> float:
    """With exact gradients O(log(1/eps)) iterations reach accuracy eps on a strongly convex loss (a
    quadratic, from a start along no axis)."""
    return math.log(inverse)


@paper.elementwise
def descent_iterations(epsilon: float, contraction: float) -> float:
    """Number ⌈log(1/ε)/(−2 log ρ)⌉ of iterations from distance 1, each of which leaves the share ρ.

    With a constant step a, ρ is 1 − a λ for the least curvature λ, where a times the largest is at
    most 1.
    """
    check.positive(epsilon=epsilon)
    if not 0.0 < contraction < 1.0:
        raise FastgcError(f"contraction: got {contraction}, but a share in (0, 1) is needed")
    return float(max(0, math.ceil(math.log(epsilon) / (2.0 * math.log(contraction)))))


@paper.states("gradients.sgd.printed", _PLACE, "<=", "order")
@at([1e2, 1e3, 1e4, 1e5], _to_accuracy("ignoring_iterations", _SIX), size=lambda inverse: inverse)
def _ignoring(inverse: float) -> float:
    """SGD that ignores stragglers, with steps c1/(t + c2) as in Section IV-A, reaches accuracy eps
    in O(1/eps) iterations (steps 1/(t+1))."""
    return inverse


@paper.states("gradients.total.printed", _PLACE, ">=", "order")
@at(
    [1e1, 1e2, 1e3, 1e4, 1e5],
    _to_accuracy("ignoring_over_tree_gradients", _SIX | {"tree": [2, 2, 1], "step": 0.5}),
    size=lambda inverse: inverse,
)
def _ratio(inverse: float) -> float:
    """Until accuracy eps, SGD computes O(1/eps) d gradients where CR computes O(log(1/eps)) d: many
    more, as log(1/eps) is much less than 1/eps (their ratio grows as that of the two)."""
    return inverse / math.log(inverse)


#: More sums at one moment take minutes, more numbers gigabytes.
_MOST_SUMS = 500_000_000
_MOST_NUMBERS = 10_000


def allowed(n: int) -> float:
    """The deviation ε = n^(−1/4) that the proof of Theorem 2 allows."""
    return float(n**-0.25)


def mean_time(system: Table, theory: float, receive: float = 0.0) -> Case:
    """Compare the mean time, for times of unit mean and shift, with a theory."""
    return compared(completion(whole(system), exponential(1.0, 1.0), receive=receive), theory)


@paper.states("group.mean.printed", "Appendix D, inequality (a)")
@at(
    [(12, 5, 1.0, 1.0), (24, 3, 1.0, 1.0), (156, 65, 1.0, 1.0)],
    lambda theory, n, s: mean_time(star(n, s), theory),
)
def group_mean(n: int, s: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """E T_(n-s) = a r d + (r d/mu) (H_n - H_s) for n siblings."""
    return float(times.exponential_order_mean(n, n - s, mean, shift))


@paper.states("tree.mean.derived", "Section III-C, t_c = 0")
@at(
    [(2, 2, 1), (3, 2, 1), (12, 2, 5), (4, 3, 1)],
    lambda theory, **shape: compared(completion(whole(tree(*shape.values()))), theory),
)
def tree_mean(n: int, layers: int, s: int, mean: float = 1.0, shift: float = 0.0) -> float:
    """Without a port E T_CR is rational for unit exponential times: 41/60 for (n,L,s) = (2,2,1),
    8357/6930 for (3,2,1), 1.11755114 for (12,2,5)."""
    return tree_moments(n, layers, s, mean, shift)[0]


@paper.elementwise
def tree_variance(n: int, layers: int, s: int, mean: float = 1.0) -> float:
    """Variance of the time of CR without a port. Derived."""
    return tree_moments(n, layers, s, mean, 0.0)[1]


def tree_moments(n: int, layers: int, s: int, mean: float, shift: float) -> tuple[float, float]:
    """Mean and variance of the time of CR without a port."""

    def tail(t: Values) -> Values:
        """P(T > t) from P(X > t); sums of positive terms only."""
        node = late = exp(-t)
        for _ in range(layers - 1):
            node = late + (1.0 - late) * more_late(n, s, node)
        return more_late(n, s, node)

    first = half_line(tail, 0.0, 1.0)
    second = half_line(lambda t: 2.0 * t * tail(t), 0.0, 1.0)
    return shift + mean * first, mean * mean * (second - first**2)


def more_late(n: int, s: int, late: Values) -> Values:
    """P(more than s of n are late)."""
    from scipy import special  # its import takes longer than many a command

    return np.asarray(special.betainc(s + 1, n - s, late))


@paper.elementwise
def tree_mean_with_port(
    n: int,
    layers: int,
    s: int,
    receive: float,
    mean: float = 1.0,
    shift: float = 0.0,
    opens: str = "start",
) -> float:
    """Mean time of CR where every parent has a port, by quadrature. Derived.

    The i-th of n−s answers must arrive receive·(n−s−i+1) before the end, so that the distribution
    is a staircase probability. With ``opens`` "after-own" a node receives once its own work is
    done, otherwise from the start. A tree on which the quadrature would take minutes or gigabytes
    is refused by a FastgcError.
    """
    if opens not in ("start", "after-own"):
        raise FastgcError(f"opens: got {opens!r}, allowed are 'start', 'after-own'")
    sums, numbers = n * n * (n - s) ** layers, n * (n - s) ** (layers - 1)
    if sums > _MOST_SUMS or numbers > _MOST_NUMBERS:
        raise FastgcError(
            f"n, layers, s: got {n}, {layers} and {s}, but the quadrature takes n (n - s)^(layers "
            f"- 1) numbers and n^2 (n - s)^layers sums at a moment, at most {_MOST_NUMBERS} and "
            f"{_MOST_SUMS}; sample the time instead"
        )
    after_own = opens == "after-own"

    def tail(t: Values) -> Values:
        probability = _received(n, layers, s, receive / mean, after_own, t)
        return np.asarray(np.maximum(1.0 - probability, 0.0))

    first = layers * (n - s) * receive
    return shift + first + mean * half_line(tail, first / mean, 1.0, 1e-10)


def _received(n: int, layers: int, s: int, receive: float, after_own: bool, t: Values) -> Values:
    need = n - s
    before = t - receive * np.arange(need, 0, -1)[:, None]
    own = -expm1(-np.maximum(before, 0.0))
    if layers > 1:
        inner = _received(n, layers - 1, s, receive, after_own, before.ravel())
        if after_own:
            own = -expm1(-np.maximum(before - need * receive, 0.0))
        own = own * inner.reshape(before.shape)
    return times.staircase_probability(n, range(1, need + 1), own)


#: What n grows to on a star with a port; n and s of a tree with one, alpha = 3/5 rounded down.
_STARS = [(n, 1, 5 * n // 12) for n in (6, 12, 60, 156, 600)]
_PORTS = [(n, 2, s) for n, s in ((2, 1), (6, 3), (20, 12), (60, 36), (200, 120))]
#: t_c/(r d/μ) of the simulation on its tree.
_SLOW = RECEIVE / (HELD["CR"] * SECONDS)


def _without_port(layers: int) -> list[tuple[int, int, int, float]]:
    # trees that grow, and t_c = 0
    return [(n, layers, 5 * n // 12, 0.0) for n in (12, 96, 1536, 12_288, 98_304)]


#: The mean of fastgc's exact law, for times of unit mean and shift, and that of an enumeration,
#: for times of unit mean.
_LAW = as_built(
    "mean_time",
    lambda n, layers, s, receive: {
        "system": star(n, s) if layers == 1 else tree(n, layers, s),
        "receive": receive,
    },
)
_ENUMERATED = brute("tree_time_mean", lambda n, layers, s: {"n": n, "layers": layers, "s": s})


@paper.states("theorem2.lower-star.printed", "Theorem 2 (7), for one layer", ">=", "ratio")
@at([(*shape, 0.5, 1.0, 1.0) for shape in _STARS], _LAW, size=lambda n: n)
@paper.states("theorem2.lower.printed", "Theorem 2 (7)", ">=", "ratio")
@at([(*shape, _SLOW, 1.0, 1.0) for shape in _PORTS], _LAW, size=lambda n: n)
def lower_bound_printed(
    n: int, layers: int, s: int, receive: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """E T_CR >= (r d/mu) log(1/alpha) + a r d + (n(1-alpha) - o(n) + L - 1)(1 - o(1)) t_c + o(1)
    (L = 2; t_c as in the simulation).

    theorem2.lower-star.printed: E T_GC >= (r d/mu) log(1/alpha) + a r d + (n(1-alpha) - o(n))(1 -
    o(1)) t_c + o(1), L = 1"""
    check.count("s", s, 1)
    return shift + mean * math.log(n / s) + (n - s + layers - 1) * receive


@paper.elementwise
def lower_bound(n: int, layers: int, s: int, receive: float, shift: float = 0.0) -> float:
    """Lower bound shift + L (n−s) receive of the time of CR on every path. Derived.

    Every message of the last group to be received needs the one before it.
    """
    return shift + layers * (n - s) * receive


@paper.claim("theorem2.lower.derived", "Theorem 2 (7), at finite n", ">=")
def _() -> Cases:
    """E T_CR >= a r d + L (n-s) t_c, at any n."""
    for name, (n, layers, s) in (("GC", (156, 1, 65)), ("CR", (12, 2, 5))):
        yield compared(experiment(name), lower_bound(n, layers, s, RECEIVE, HELD[name] * SECONDS))
    for n, s, t in ((12, 5, 0.5), (24, 10, 0.2), (84, 21, 0.1)):
        yield mean_time(star(n, s), lower_bound(n, 1, s, t, 1.0), t)


@paper.states("theorem2.upper-deep.printed", "Theorem 2 (8), for three layers", "<=", "difference")
@at(_without_port(3), _ENUMERATED, size=lambda n: n, rate=allowed)
@paper.states("theorem2.upper.printed", "Theorem 2 (8)", "<=", "difference")
@at(_without_port(2), _ENUMERATED, size=lambda n: n, rate=allowed)
def upper_bound_printed(
    n: int, layers: int, s: int, receive: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """(8) at t_c = 0: E T_CR <= (r d/mu) log(1/alpha) + a r d + o(1) (L = 2).

    theorem2.upper-deep.printed: (8) at t_c = 0: E T_CR <= (r d/mu) log(1/alpha) + a r d + o(1) (L =
    3)"""
    check.count("s", s, 1)
    return shift + mean * math.log(n / s) + n * layers * receive


@paper.states(
    "theorem2.upper-port.printed",
    "Appendix D, last display, from which (8) follows",
    "<=",
    "difference",
)
@at([(*shape, _SLOW) for shape in _PORTS], _LAW, size=lambda n: n)
def _upper_with_port(n: int, layers: int, s: int, receive: float) -> float:
    """E T_CR <= (r d/mu) log(1/alpha) + a r d + L n (1-alpha) t_c + o(1) (L = 2; t_c as in the
    simulation)."""
    return 1.0 + math.log(n / s) + layers * (n - s) * receive


@paper.claim("theorem2.computation.printed", "Appendix D, display of E T_comp", "<=", "difference")
def _() -> Cases:
    """E T_comp <= E T_(n-s) + epsilon + o(1) = (r d/mu) (H_n - H_s) + a r d + o(1), epsilon =
    n^(-1/4) (L = 2, alpha = 1/2)."""
    for measure, shift, many in ((_LAW, 1.0, (12, 60, 300)), (_ENUMERATED, 0.0, (10_000, 100_000))):
        trees = [(n, 2, n // 2, 0.0, shift) for n in many]
        tested = at(trees, measure, size=lambda n: n, rate=allowed)
        yield from tested(lambda n, layers, s, receive, shift: group_mean(n, s, 1.0, shift)).cases()


@paper.states("theorem2.pipelined.printed", "Appendix D, before the event E_1", "<=")
@at(
    [
        (*shape, 1.0, 1.0)
        for shape in ((12, 2, 5, 0.01), (6, 2, 2, 0.02), (4, 3, 1, 0.02), (12, 2, 5, 0.1))
    ],
    lambda theory, n, layers, s, receive: mean_time(tree(n, layers, s), theory, receive),
)
def upper_bound(
    n: int, layers: int, s: int, receive: float, mean: float = 1.0, shift: float = 0.0
) -> float:
    """E T_CR <= E T_comp + L (n-s) t_c at any n, T_comp being the time without messages."""
    return float(tree_mean(n, layers, s, mean, shift)) + layers * (n - s) * receive


@paper.states("remark4.star.printed", "Remark 4", "order")
@at([(*shape, 0.5) for shape in _STARS], _LAW, size=lambda n: n)
@paper.states("remark4.tree.printed", "Remark 4", "order")
@at([(*shape, 0.5) for shape in _PORTS], _LAW, size=lambda n: n)
def _order(n: int, layers: int, s: int, receive: float) -> float:
    """E T_CR = Theta(1) + Theta(n): with messages it is of the order of n (L = 2).

    remark4.star.printed: E T_GC = Theta(1) + Theta(N): with messages it is of the order of N"""
    return n


@paper.states("remark4.computation.printed", "Remark 4", "order")
@at(_without_port(2), _ENUMERATED, size=lambda n: n)
def _constant(n: int, layers: int, s: int, receive: float) -> float:
    """E T_CR = Theta(1) + Theta(n), of which computation is the Theta(1): so it is without messages
    (L = 2)."""
    return 1.0


_DELAY = as_built("port_delay", lambda n, s, receive: {"system": star(n, s), "receive": receive})


@paper.states("lemma1.printed", "Lemma 1 (16)", ">=", "ratio")
@at([(n, s, 0.5) for n, _, s in _STARS], _DELAY, size=lambda n: n)
def _port_delay(n: int, s: int, receive: float) -> float:
    """With probability 1 - o(1), T^ >= T_(n-s) + (n(1-alpha) - o(n)) t_c for n siblings and their
    parent's port. As T^ - T_(n-s) is never more than n(1-alpha) t_c, this says that its mean over
    that goes to 1."""
    return (n - s) * receive


@paper.states("lemma1.derived", "Lemma 1 (16), at finite n", ">=")
@at([(12, 5, 0.5), (24, 10, 0.2), (60, 25, 0.1)], _DELAY)
def port_delay_bound(n: int, s: int, receive: float, mean: float = 1.0) -> float:
    """E[T^ - T_(n-s)] >= n(1-alpha) t_c - (r d/mu) (H_(n-1) - H_s) at any n: n - s messages are not
    received before (n-s) t_c after the first of them came."""
    return (n - s) * receive - mean * float(times.harmonic(max(n - 1, s), s))


@paper.states(
    "logarithm.use.printed", "Appendix D, inequality (a), with its o(1)", ">=", "difference"
)
@at(
    [(n, 5 * n // 12) for n in (12, 120, 1200, 12_000, 120_000)],
    brute("harmonic_difference"),
    size=lambda n: n,
    rate=lambda n: 1 / n,
)
def _logarithm(n: int, s: int) -> float:
    """E T_(n-s), that is H_n - H_s, is at least log(1/alpha) + o(1): what the inequality is used
    for."""
    return math.log(n / s)


@paper.claim(
    "logarithm.upper.corrected",
    "Appendix D, inequality (a), corrected",
    "<=",
    of=(lambda i: 1.0 + math.log(i),),
)
@paper.claim(
    "logarithm.upper.printed",
    "Appendix D, inequality (a)",
    "<",
    "false",
    of=(lambda i: math.log(i + 1),),
)
@paper.claim(
    "logarithm.lower.corrected",
    "Appendix D, inequality (a), corrected",
    ">",
    of=(lambda i: math.log(i + 1),),
    corrects="logarithm.upper.printed",
)
def _(bound: Callable[[int], float]) -> Cases:
    """log(i+1) < H_i.
    Proof. 1/j is more than the integral of 1/x from j to j + 1; add up j = 1 to i. So log(i+1) is a
    lower bound.

    logarithm.upper.corrected: H_i <= 1 + log i.
    Proof. 1/j is less than the integral of 1/x from j - 1 to j; add up j = 2 to i, and 1 for j = 1.

    logarithm.upper.printed: H_i < log(i+1) for any positive integer i
    Printed: log(i) < H_i = 1 + 1/2 + … + 1/i < log(i+1) for any positive integer i"""
    for i in (1, 10, 100):
        yield finite("harmonic_sum", bound(i), i=i)
