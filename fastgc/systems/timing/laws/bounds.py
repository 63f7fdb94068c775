"""The least and the largest completion time, and how heavy its tail is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fastgc.systems.timing.laws.gates import Gate


def completion(
    gates: Sequence[Gate],
    times: Sequence[float],
    totals: Sequence[float],
    receive: float,
    after_own: bool,
    worst: bool,
    answering: int = 0,
) -> float:
    """Return the completion time if workers of class c all take ``times[c]``.

    ``worst``: of the children that may never answer, as many as a gate can miss do not, the fastest
    first; but at least ``answering`` of its children do.
    """
    done: list[float] = []
    for gate in gates:
        own = 0.0 if gate.own is None else times[gate.own]
        arrivals = sorted(
            (done[child], totals[child] < 1.0)
            for child, count in gate.children
            for _ in range(count)
        )
        spare = len(arrivals) - max(gate.need, answering) if worst else 0
        time = own if after_own else 0.0
        waited = 0
        for arrival, may_miss in arrivals:
            if may_miss and spare > 0:
                spare -= 1
            elif waited < gate.need:
                time = max(time, arrival) + receive
                waited += 1
        done.append(max(own, time))
    return done[-1]


def tail_index(gates: Sequence[Gate], indices: Sequence[float], totals: Sequence[float]) -> float:
    """Return α where P(t < C < ∞) falls like t^(−α).

    A gate is late if more of its children are late or missing than it can do without. One of them
    must be late and adds its α. Each other one adds its α too, or 0 if it may never answer.
    """
    late: list[float] = []
    for gate in gates:
        own = math.inf if gate.own is None else indices[gate.own]
        children = [child for child, count in gate.children for _ in range(count)]
        absent = len(children) - gate.need + 1
        if gate.need:
            costs = sorted(0.0 if totals[child] < 1.0 else late[child] for child in children)
            for child in set(children):
                others = list(costs)
                others.remove(0.0 if totals[child] < 1.0 else late[child])
                own = min(own, late[child] + sum(others[: absent - 1]))
        late.append(own)
    return late[-1]
