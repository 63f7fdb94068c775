"""Systems as gates: a node that waits for enough of its children, and for its own work.

Flat systems, rings, groups and trees are all made of them. Equal subtrees are kept once, with how
many there are of each: a regular tree of any width is as many gates as it has layers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from fastgc.systems.timing.structure import Flat, Layers, Patient, Replicated, Ring, Structure, Tree


@dataclass(frozen=True)
class Gate:
    """Waits for ``need`` of its children, and for its own work.

    Attributes
    ----------
    own : int or None
        Class of the worker whose own work the gate waits for; None where there is none.
    need : int
        Answers of children waited for; 0 is a leaf.
    children : tuple of (gate, count)
        Numbers of the children's gates and how many of each.
    """

    own: int | None
    need: int
    children: tuple[tuple[int, int], ...]


@dataclass
class Gates:
    """Distinct gates, children before parents; the last is the master."""

    gates: list[Gate] = field(default_factory=list)
    _known: dict[Gate, int] = field(default_factory=dict)

    def add(self, own: int | None, need: int, children: Sequence[int] = ()) -> int:
        """Return the number of a gate with these children, new or known."""
        if need == 0:
            children = ()
        counts: dict[int, int] = {}
        for child in sorted(children):
            counts[child] = counts.get(child, 0) + 1
        gate = Gate(own, need, tuple(counts.items()))
        if gate not in self._known:
            self._known[gate] = len(self.gates)
            self.gates.append(gate)
        return self._known[gate]


def gates_of(structure: Structure, classes: Sequence[int]) -> list[Gate]:
    """Return the gates of a system whose worker j is of class ``classes[j]``, the master's last.

    Layers have one gate, which waits for the workers that all layers need in the end.
    """
    structure = unhurried(structure)
    gates = Gates()
    if isinstance(structure, Tree):
        _add_tree(gates, structure, classes)
        return gates.gates
    leaf = {own: gates.add(own, 0) for own in dict.fromkeys(classes)}
    leaves = [leaf[own] for own in classes]
    if isinstance(structure, Replicated):
        size = structure.size
        leaves = [gates.add(None, 1, leaves[j : j + size]) for j in range(0, structure.n, size)]
    _add_master(gates, needed(structure), leaves)
    return gates.gates


def unhurried(structure: Structure) -> Structure:
    """Return whose answers are waited for, without the master's patience, which loses none."""
    return structure.part if isinstance(structure, Patient) else structure


def needed(structure: Structure) -> int:
    """Return how many answers the master waits for; for layers, those of the largest need."""
    structure = unhurried(structure)
    if isinstance(structure, Flat | Replicated):
        return structure.need
    if isinstance(structure, Ring):
        return structure.n
    if isinstance(structure, Layers):
        return max(structure.k, default=0)
    assert isinstance(structure, Tree)
    return structure.need[0]


def _add_master(gates: Gates, need: int, children: Sequence[int]) -> None:
    """Add the master as the last gate, even if there is an equal one already."""
    last = gates.add(None, need, children)
    if last != len(gates.gates) - 1:
        gates.gates.append(gates.gates[last])


def _add_tree(gates: Gates, tree: Tree, classes: Sequence[int]) -> None:
    number: list[list[int]] = [[] for _ in range(tree.workers + 1)]
    for node in range(tree.workers, 0, -1):
        gate = gates.add(classes[node - 1], tree.need[node], number[node])
        number[tree.parents[node - 1]].append(gate)
    _add_master(gates, tree.need[0], number[0])


def completion_time(
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


def tail_index_of(
    gates: Sequence[Gate], indices: Sequence[float], totals: Sequence[float]
) -> float:
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
