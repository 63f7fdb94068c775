"""One round with given times of all workers, message after message.

A port is a queue with one server, which serves in order of arrival: the i-th message has been
received at C_i = max(C_(i−1), A_(i)) + receive (Lindley 1952).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from fastgc.theory.cases.completion import layered, star
from fastgc.theory.cases.tables import Table, built
from fastgc.theory.literature import paper
from fastgc.theory.papers.claim import Case, Cases

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
