"""A master that receives one message at a time.

A port is a queue with one server, which serves in order of arrival: the i-th message has been
received at C_i = max(C_(i−1), A_(i)) + receive (Lindley 1952).
"""

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.theory.cases.completion import completion, timed
from fastgc.theory.cases.tables import Table, exponential, replication, star, tree, whole
from fastgc.theory.common import check
from fastgc.theory.common.numerics import binomial_probabilities, half_line
from fastgc.theory.common.repetition import frc_exact_probability
from fastgc.theory.literature import paper
from fastgc.theory.literature.latency_laws import law_of
from fastgc.theory.papers.claim import Cases

_LINDLEY = "Derived from Lindley's recursion C_i = max(C_(i-1), X_(i)) + receive"
_WEIBULL: Table = {"distribution": "weibull", "shape": 1.5, "scale": 1.0}
_GAMMA: Table = {"distribution": "gamma", "shape": 2.5, "scale": 0.4}
_STARS: tuple[tuple[int, int, float, Table], ...] = (
    (6, 4, 0.35, exponential()),
    (8, 8, 0.2, exponential(1.0, 0.5)),
    (6, 5, 0.3, _WEIBULL),
    (10, 7, 0.1, _GAMMA),
)


@paper.formula
def port_tail(n: int, need: int, receive: float, latency: Mapping[str, Any], t: float) -> float:
    """P(T > t) that a port which takes ``receive`` a message has not got ``need`` of n by t.

    T = max_i X_(i) + (need − i + 1) receive, so that T ≤ t if at least i of the n times lie below
    t − (need − i + 1) receive, for i = 1 … need. Derived.

    >>> round(port_tail(1, 1, 0.5, {"distribution": "exponential", "mean": 1.0}, 1.5), 6)
    0.367879
    """
    check.count("n", n, 1)
    check.count("need", need, 1, n)
    check.not_negative(receive=receive)
    tail = law_of(latency).tail
    # P(so many times below the threshold, and enough below all earlier ones)
    probabilities: Values = np.zeros(n + 1)
    probabilities[0], before = 1.0, 1.0
    for i in range(1, need + 1):
        now = tail(t - (need - i + 1) * receive)
        step = 1.0 - now / before if before > 0.0 else 1.0
        after = np.zeros(n + 1)
        for done in range(n + 1):
            if probabilities[done]:
                more = binomial_probabilities(n - done, min(max(step, 0.0), 1.0))
                after[done:] += probabilities[done] * more
        after[:i] = 0.0
        probabilities, before = after, now
    return max(0.0, 1.0 - math.fsum(probabilities.tolist()))


@paper.formula
def port_mean(n: int, need: int, receive: float, latency: Mapping[str, Any]) -> float:
    """Mean of that time.

    >>> law = {"distribution": "exponential", "mean": 1.0}
    >>> round(port_mean(2, 2, 0.5, law), 6) == round(1.5 + math.exp(-0.5), 6)
    True
    """
    start = law_of(latency).least + need * receive

    def late(t: Values) -> Values:
        return np.array([port_tail(n, need, receive, latency, x) for x in t.tolist()])

    return start + float(half_line(late, start, law_of(latency).mean, 1e-11))


@paper.formula
def port_groups_mean(n: int, d: int, receive: float, latency: Mapping[str, Any]) -> float:
    """Mean time until a port has an answer from each of n/d groups of d workers.

    Who answers k-th is independent of when: a mixture of `port_mean` over the number of messages.

    >>> law = {"distribution": "exponential", "mean": 1.0}
    >>> round(port_groups_mean(2, 2, 0.5, law), 9)
    1.0
    """
    return math.fsum(
        probability * port_mean(n, k, receive, latency)
        for k, probability in enumerate(_messages(n, d))
        if probability
    )


def _messages(n: int, d: int) -> list[float]:
    """P(k messages are needed until all groups have answered), k = 0 … n."""
    check.groups(n, d)
    within = [float(frc_exact_probability(n, d, survivors=k)) for k in range(n + 1)]
    return [within[0], *(b - a for a, b in itertools.pairwise(within))]


@paper.claim("port.star.derived", _LINDLEY)
def _() -> Cases:
    """A port that takes r a message has m of n answers at max_i X_(i) + (m-i+1) r, i = 1 ... m."""
    for n, need, receive, latency in _STARS:
        theory = port_mean(n, need, receive, latency)
        yield timed(completion(whole(star(n, n - need)), latency, receive=receive), theory)
    for n, need, receive, latency in _STARS[1:]:
        t = port_mean(n, need, receive, latency)
        experiment = completion(
            whole(star(n, n - need)), latency, receive=receive, thresholds=[round(t, 2)]
        )
        theory = port_tail(n, need, receive, latency, round(t, 2))
        yield timed(experiment, theory, f"P(>{round(t, 2)!r})")


@paper.claim("port.waiting.derived", _LINDLEY)
def _() -> Cases:
    """Until it has m answers the port waits for its time less m receive."""
    for n, need, receive, latency in _STARS[:3]:
        theory = port_mean(n, need, receive, latency) - need * receive
        experiment = completion(
            whole(star(n, n - need)), latency, receive=receive, measure="waiting"
        )
        yield timed(experiment, theory)


@paper.claim("port.groups.derived", f"{_LINDLEY}; order and times are independent")
def _() -> Cases:
    """A port has an answer from each of n/d groups after k messages with the probability that
    k of n workers cover all groups and k-1 do not; duplicates take its time too."""
    for n, d, receive, latency in ((4, 2, 0.3, exponential()), (6, 3, 0.2, _WEIBULL)):
        theory = port_groups_mean(n, d, receive, latency)
        yield timed(completion(whole(replication(n, d)), latency, receive=receive), theory)
    for n, d in ((4, 2), (6, 2)):
        theory = math.fsum(k * probability for k, probability in enumerate(_messages(n, d)))
        experiment = completion(whole(replication(n, d)), receive=0.3, measure="messages")
        yield timed(experiment, theory)


@paper.claim("port.messages.derived", "Derived by counting")
def _() -> Cases:
    """A tree that waits for everybody receives one message from each worker; one parent that waits
    for all but s of its n children receives n - s."""
    for n, s in ((6, 2), (9, 4)):
        yield timed(completion(tree(n, 1, s), receive=0.1, measure="messages"), n - s)
    for n, layers in ((3, 2), (2, 3)):
        theory = sum(n**layer for layer in range(1, layers + 1))
        yield timed(completion(tree(n, layers, 0), receive=0.1, measure="messages"), theory)
