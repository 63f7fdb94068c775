"""A master that receives one message at a time: laws of its time, and single rounds.

A port is a queue with one server, which serves in order of arrival: the i-th message has been
received at C_i = max(C_(i−1), A_(i)) + receive (Lindley 1952).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.theory.cases.completion import (
    completion,
    exponential,
    layered,
    star,
    timed,
    tree,
    whole,
)
from fastgc.theory.cases.tables import Table, built
from fastgc.theory.common.arguments import check_count, check_groups, check_not_negative
from fastgc.theory.common.numerics import binomial_probabilities, half_line
from fastgc.theory.common.repetition import frc_exact_probability
from fastgc.theory.literature import paper
from fastgc.theory.literature.latency_laws import law_of
from fastgc.theory.papers.claim import Case, Cases

_LINDLEY = "Derived from Lindley's recursion C_i = max(C_(i-1), X_(i)) + receive"


@paper.formula
def port_tail(n: int, need: int, receive: float, latency: Mapping[str, Any], t: float) -> float:
    """P(T > t) that a port which takes ``receive`` a message has not got ``need`` of n by t.

    T = max_i X_(i) + (need − i + 1) receive, so that T ≤ t if at least i of the n times lie below
    t − (need − i + 1) receive, for i = 1 … need. Derived.

    >>> round(port_tail(1, 1, 0.5, {"distribution": "exponential", "mean": 1.0}, 1.5), 6)
    0.367879
    """
    check_count("n", n, 1)
    check_count("need", need, 1, n)
    check_not_negative(receive=receive)
    tail = law_of(latency).tail
    # P(so many times below the threshold, and enough below all earlier ones)
    chances: NDArray[np.float64] = np.zeros(n + 1)
    chances[0], before = 1.0, 1.0
    for i in range(1, need + 1):
        now = tail(t - (need - i + 1) * receive)
        step = 1.0 - now / before if before > 0.0 else 1.0
        after = np.zeros(n + 1)
        for done in range(n + 1):
            if chances[done]:
                more = binomial_probabilities(n - done, min(max(step, 0.0), 1.0))
                after[done:] += chances[done] * more
        after[:i] = 0.0
        chances, before = after, now
    return max(0.0, 1.0 - math.fsum(chances.tolist()))


@paper.formula
def port_mean(n: int, need: int, receive: float, latency: Mapping[str, Any]) -> float:
    """Mean of that time.

    >>> law = {"distribution": "exponential", "mean": 1.0}
    >>> round(port_mean(2, 2, 0.5, law), 6) == round(1.5 + math.exp(-0.5), 6)
    True
    """
    start = law_of(latency).least + need * receive

    def late(t: NDArray[np.float64]) -> NDArray[np.float64]:
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
        chance * port_mean(n, k, receive, latency)
        for k, chance in enumerate(_messages(n, d))
        if chance
    )


def _messages(n: int, d: int) -> list[float]:
    """P(k messages are needed until all groups have answered), k = 0 … n."""
    check_groups(n, d)
    within = [float(frc_exact_probability(n, d, survivors=k)) for k in range(n + 1)]
    return [within[0], *(b - a for a, b in itertools.pairwise(within))]


_WEIBULL: Table = {"distribution": "weibull", "shape": 1.5, "scale": 1.0}
_GAMMA: Table = {"distribution": "gamma", "shape": 2.5, "scale": 0.4}
_STARS: tuple[tuple[int, int, float, Table], ...] = (
    (6, 4, 0.35, exponential()),
    (8, 8, 0.2, exponential(1.0, 0.5)),
    (6, 5, 0.3, _WEIBULL),
    (10, 7, 0.1, _GAMMA),
)


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


def _replication(n: int, d: int) -> Table:
    return whole({"family": "replication", "n": n, "d": d})


@paper.claim("port.groups.derived", f"{_LINDLEY}; order and times are independent")
def _() -> Cases:
    """A port has an answer from each of n/d groups after k messages with the chance that k of n
    workers cover all groups and k-1 do not; duplicates take its time too."""
    for n, d, receive, latency in ((4, 2, 0.3, exponential()), (6, 3, 0.2, _WEIBULL)):
        theory = port_groups_mean(n, d, receive, latency)
        yield timed(completion(_replication(n, d), latency, receive=receive), theory)
    for n, d in ((4, 2), (6, 2)):
        theory = math.fsum(k * chance for k, chance in enumerate(_messages(n, d)))
        experiment = completion(_replication(n, d), receive=0.3, measure="messages")
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


# ---- one round with given times of all workers, message after message


LINDLEY = "Lindley, The Theory of Queues with a Single Server (1952)"

Times = Sequence[float]
_Round = tuple[float, list[float]]


@paper.formula
def port_times(arrivals: Times, receive: float) -> list[float]:
    """When a port has received each of the messages that ever arrive, in order of arrival.

    >>> port_times([2.0, 0.5, 0.6, math.inf], 1.0)
    [1.5, 2.5, 3.5]
    """
    clock, received = 0.0, []
    for arrival in sorted(arrivals):
        if arrival < math.inf:
            clock = max(clock, arrival) + receive
            received.append(clock)
    return received


def _until(enough: Callable[[list[tuple[int, int]]], bool], answers: list[tuple[float, int, int]],
           receive: float) -> _Round:  # fmt: skip
    """Receive answers (arrival, worker, task) until those received are enough."""
    ordered = sorted(answer for answer in answers if answer[0] < math.inf)
    ends = port_times([arrival for arrival, _, _ in ordered], receive)
    for i, end in enumerate(ends):
        if enough([(worker, task) for _, worker, task in ordered[: i + 1]]):
            return end, ends[: i + 1]
    return math.inf, ends


def _star(n: int, s: int) -> Callable[[Times, float], _Round]:
    return lambda times, receive: _until(
        lambda received: len(received) >= n - s,
        [(time, worker, 0) for worker, time in enumerate(times)],
        receive,
    )


def _groups(d: int, needed: int) -> Callable[[Times, float], _Round]:
    return lambda times, receive: _until(
        lambda received: len({worker // d for worker, _ in received}) >= needed,
        [(time, worker, 0) for worker, time in enumerate(times)],
        receive,
    )


def _layers(k: Sequence[int]) -> Callable[[Times, float], _Round]:
    """Task j of a worker, from 1, is done at j times its time of one task."""

    def enough(received: list[tuple[int, int]]) -> bool:
        return all(sum(task == j for _, task in received) >= need for j, need in enumerate(k, 1))

    return lambda times, receive: _until(
        enough,
        [(j * time, worker, j) for worker, time in enumerate(times) for j in range(1, len(k) + 1)],
        receive,
    )


def _tree(parents: Sequence[int], s: int, after_own: bool) -> Callable[[Times, float], _Round]:
    """A parent sends when it has its own result and the first of its children's, all but s."""

    def round_of(times: Times, receive: float) -> _Round:
        every: list[list[float]] = []

        def sends(node: int) -> float:
            own = times[node - 1] if node else 0.0
            children = [i + 1 for i, parent in enumerate(parents) if parent == node]
            if not children:
                return own
            opens = own if after_own else 0.0
            needed = sorted(map(sends, children))[: len(children) - s]
            ends = port_times([max(arrival, opens) for arrival in needed], receive)
            every.append(ends)
            return max(own, ends[-1]) if len(ends) == len(needed) else math.inf

        done = sends(0)
        return done, [end for ends in every for end in ends if end <= done]

    return round_of


def _spread(n: int, trials: int, absent: int = 0) -> list[list[float]]:
    """Times spread evenly over (0, 2), no two alike; in trial t workers t, t+1, … never answer."""
    times = [[2.0 * ((t * n + j + 1) * 0.6180339887498949 % 1.0) for j in range(n)]
             for t in range(trials)]  # fmt: skip
    for t, row in enumerate(times):
        for i in range(absent):
            row[(t + i) % n] = math.inf
    return times


def _rounds(
    name: str, system: Table, rule: Callable[[Times, float], _Round], times: list[list[float]],
    receive: float, opens: str = "start",
) -> Cases:  # fmt: skip
    """Mean time and mean number of messages, where rounds end; else messages alone."""
    found = [rule(row, receive) for row in times]
    given: Table = {
        "system": system,
        "times": [[time if time < math.inf else None for time in row] for row in times],
        "receive": receive,
        "opens": opens,
    }
    point = {"system": name, "receive": receive, "trials": len(times)}
    messages = sum(len(ends) for _, ends in found) / len(found)
    if all(time < math.inf for time, _ in found):
        time = math.fsum(time for time, _ in found) / len(found)
        yield _named(built("round_time", time, **given), point)
    yield _named(built("round_messages", messages, **given), point)


def _named(case: Case, point: Table) -> Case:
    return replace(case, point=point)


@paper.claim("round.star.derived", f"Derived from {LINDLEY}")
def _() -> Cases:
    """A star is done when its port has received n-s messages, one at a time in order of arrival;
    if fewer workers answer, it receives all that do and is never done."""
    for n, s, receive, absent in ((6, 2, 0.3, 0), (9, 0, 0.15, 0), (5, 1, 0.0, 3), (7, 2, 0.2, 4)):
        yield from _rounds(
            f"star {n}, {s}", star(n, s), _star(n, s), _spread(n, 16, absent), receive
        )


@paper.claim("round.groups.derived", f"Derived from {LINDLEY}")
def _() -> Cases:
    """Replicated work is done when the port has received a message from each group of d workers;
    duplicates take its time as well."""
    for n, d, receive in ((6, 2, 0.2), (12, 3, 0.1), (20, 2, 0.05), (150, 5, 0.01)):
        system = {"family": "replication", "n": n, "d": d}
        yield from _rounds(f"groups {n}, {d}", system, _groups(d, n // d), _spread(n, 16), receive)


@paper.claim("round.layers.derived", f"Derived from {LINDLEY}")
def _() -> Cases:
    """Layers are done when the port has received k_j results of task j for every j; a worker
    finishes its j-th task at j times its time of one."""
    for k, receive in (((4, 2, 1), 0.1), ((2, 1, 1), 0.0), ((5, 3), 0.0), ((3, 1), 0.3)):
        yield from _rounds(f"layers {k}", layered(5, *k), _layers(k), _spread(5, 16), receive)


#: Parents of the nodes of irregular trees; node 0 is the master.
_IRREGULAR = (
    ((0, 0, 0, 1, 1, 2, 2, 2), 0),
    ((0, 0, 1, 1, 1, 2, 2, 4, 4), 1),
    ((0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4), 1),
)


@paper.claim("round.tree.derived", f"Derived from {LINDLEY}")
def _() -> Cases:
    """In a tree, regular or not, a parent sends when it has its own result and those of all but s
    of its children, received one at a time; its port opens at the start, or with its own
    result."""
    for parents, s in _IRREGULAR:
        system = {"family": "coded-reduce", "parents": list(parents), "s": s}
        times = _spread(len(parents), 16)
        for receive, opens in ((0.2, "start"), (0.2, "after-own"), (0.0, "start")):
            rule = _tree(parents, s, opens == "after-own")
            yield from _rounds(f"tree {parents}, {s}", system, rule, times, receive, opens)
