"""P(completion ≤ t) and P(t < completion < ∞) at many t at once, gate by gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fastgc.latency.time import Time, Values
from fastgc.registry.cached import cached_property
from fastgc.systems.timing.laws.crossing import Arrivals, completing, crossing, work
from fastgc.systems.timing.laws.gates import Gate


@dataclass(frozen=True, eq=False)
class Worker:
    """A class of workers: the law of their time, and the chance that they answer at all."""

    time: Time
    answers: float

    def seen(self, t: Values) -> tuple[Values, Values]:
        """Return the chances of an answer up to t and of one after it."""
        return self.answers * self.time.cdf(t), self.answers * self.time.survival(t)


@dataclass(frozen=True, eq=False)
class GateEvaluation:
    """Completion of gates; with ``receive`` > 0 their ports receive one message at a time.

    A port that opens at C_0 has received ``need`` messages by t if and only if C_0 + need · receive
    ≤ t and the i-th arrival comes by t − (need − i + 1) · receive for all i. So every gate is
    evaluated at t less some whole number of messages, its lag, and once for each lag.
    """

    gates: Sequence[Gate]
    workers: Sequence[Worker]
    receive: float
    after_own: bool

    @cached_property
    def totals(self) -> list[float]:
        """Probability of every gate to complete at all."""
        totals: list[float] = []
        for gate in self.gates:
            own = 1.0 if gate.own is None else self.workers[gate.own].answers
            children = [(count, totals[child]) for child, count in gate.children]
            totals.append(own * (completing(children, gate.need) if gate.need else 1.0))
        return totals

    @property
    def master(self) -> tuple[list[int], list[float], int]:
        """What the master's children are: numbers alike, chances to complete; how many it needs."""
        gate = self.gates[-1]
        return (
            [count for _, count in gate.children],
            [self.totals[child] for child, _ in gate.children],
            gate.need,
        )

    @cached_property
    def parents(self) -> set[tuple[int, int]]:
        """Every (gate, lag) evaluated for one t: gates with children at t less ``lag`` messages."""
        found = {(len(self.gates) - 1, 0)}
        waiting = list(found)
        while waiting:
            number, lag = waiting.pop()
            inner = [child for child, _ in self.gates[number].children if self.gates[child].need]
            fresh = {(child, at) for child in inner for at in self._lags(number, lag)} - found
            found |= fresh
            waiting.extend(fresh)
        return found

    def visits(self) -> set[tuple[int, int]]:
        """Return every (gate, lag) evaluated for one t, leaves included."""
        leaves = {
            (child, at)
            for number, lag in self.parents
            for child, _ in self.gates[number].children
            for at in self._lags(number, lag)
        }
        return self.parents | leaves

    def _lags(self, number: int, lag: int) -> Sequence[int]:
        """Return the lags at which a gate's children are evaluated."""
        need = self.gates[number].need
        return range(lag + 1, lag + need + 1) if self.receive > 0 else [lag]

    def own_lag(self, number: int, lag: int) -> int:
        """Return the lag at which a gate's own work is evaluated, for the gate at some lag."""
        return lag + self.gates[number].need if self.after_own and self.receive > 0 else lag

    def work(self, master: bool = True) -> float:
        """Return about how many additions one t takes, with the master's or without."""
        additions = 0.0
        for number, _ in self.parents:
            gate = self.gates[number]
            if gate.need and (master or number < len(self.gates) - 1):
                sizes = [count for _, count in gate.children]
                chances = [self.totals[child] for child, _ in gate.children]
                steps = gate.need if self.receive > 0 else 1
                additions += work(sizes, chances, gate.need, steps)
        return additions

    def __call__(self, t: Values) -> tuple[Values, Values]:
        """Return P(C ≤ t) and P(t < C < ∞) of the master."""
        return _Pass(self, t).gate(len(self.gates) - 1, 0)

    def arrivals(self, t: Values) -> tuple[list[Arrivals], list[int]]:
        """Return what arrives at the master, and how much of it is required by each threshold."""
        return _Pass(self, t).arrivals(self.gates[-1], 0)


class _Pass:
    """One evaluation at times t, in which every gate is evaluated once for each lag."""

    def __init__(self, evaluation: GateEvaluation, t: Values) -> None:
        self.evaluation = evaluation
        self.t = t
        self.known: dict[tuple[int, int], tuple[Values, Values]] = {}

    def gate(self, number: int, lag: int) -> tuple[Values, Values]:
        """Return the chances that a gate is done by t less ``lag`` messages, and later."""
        if (number, lag) not in self.known:
            self.known[number, lag] = self._evaluate(number, lag)
        return self.known[number, lag]

    def _evaluate(self, number: int, lag: int) -> tuple[Values, Values]:
        gate = self.evaluation.gates[number]
        if not gate.need:
            done, late = np.where(self._at(lag) < 0, 0.0, 1.0), np.zeros(self.t.shape)
            late[self._at(lag) < 0] = 1.0
        else:
            done, late = crossing(*self.arrivals(gate, lag))
        if gate.own is None:
            return done, late
        at = self._at(self.evaluation.own_lag(number, lag))
        own_done, own_late = self.evaluation.workers[gate.own].seen(at)
        return own_done * done, own_late * (done + late) + own_done * late

    def arrivals(self, gate: Gate, lag: int) -> tuple[list[Arrivals], list[int]]:
        """Return what arrives at a gate, and how much of it is required by each threshold."""
        port = self.evaluation.receive > 0
        required = list(range(1, gate.need + 1)) if port else [gate.need]
        lags = [lag + gate.need + 1 - i for i in required] if port else [lag]
        points = self.t - self.evaluation.receive * np.array(lags, float)[:, np.newaxis]
        classes = []
        for child, count in gate.children:
            cdf, late = self._seen(child, lags, points)
            classes.append(Arrivals(count, cdf, late, self.evaluation.totals[child]))
        return classes, required

    def _seen(self, number: int, lags: Sequence[int], points: Values) -> tuple[Values, Values]:
        """Return the chances that a gate is done at several lags, at ``points``, and later."""
        gate = self.evaluation.gates[number]
        if gate.need or gate.own is None:
            seen = [self.gate(number, lag) for lag in lags]
            return np.stack([done for done, _ in seen]), np.stack([late for _, late in seen])
        done, late = self.evaluation.workers[gate.own].seen(points.ravel())
        return done.reshape(points.shape), late.reshape(points.shape)

    def _at(self, lag: int) -> Values:
        return self.t - lag * self.evaluation.receive


@dataclass(frozen=True, eq=False)
class LayersEvaluation:
    """Layers: at least k_j of the workers have done j tasks, for every j.

    ``sums[c][j]`` is the law of the time that a worker of class c takes for its first j + 1 tasks,
    for 0 and every deciding j.
    A worker that has done j + 1 tasks has done j, so deeper layers may imply others: only deciding
    layers are counted.
    """

    k: Sequence[int]
    sizes: Sequence[int]
    sums: Sequence[Mapping[int, Worker]]

    @property
    def master(self) -> tuple[list[int], list[float], int]:
        """What workers are: numbers alike, chances to answer; how many are needed in the end."""
        chances = [laws[0].answers for laws in self.sums]
        return list(self.sizes), chances, max(self.k, default=0)

    def work(self, master: bool = True) -> float:
        """Return about how many additions one t takes, with the master's or without."""
        if not master:
            return 0.0
        sizes, chances, need = self.master
        return work(sizes, chances, need, len(deciding_layers(self.k)))

    def __call__(self, t: Values) -> tuple[Values, Values]:
        """Return P(C ≤ t) and P(t < C < ∞)."""
        deciding = deciding_layers(self.k)
        if not deciding:
            return np.where(t < 0, 0.0, 1.0), np.where(t < 0, 1.0, 0.0)
        return crossing(*self.arrivals(t))

    def arrivals(self, t: Values) -> tuple[list[Arrivals], list[int]]:
        """Return what arrives at the master, and how much of it every deciding layer requires."""
        deciding = deciding_layers(self.k)
        classes = []
        for size, laws in zip(self.sizes, self.sums, strict=True):
            seen = [laws[j].seen(t) for j in deciding]
            cdf = np.stack([done for done, _ in seen])
            late = np.stack([late for _, late in seen])
            classes.append(Arrivals(size, cdf, late, laws[0].answers))
        return classes, [self.k[j] for j in deciding]


def deciding_layers(k: Sequence[int]) -> list[int]:
    """Return the layers that no deeper layer implies, deepest first, counted from 0."""
    deciding: list[int] = []
    for j in range(len(k) - 1, -1, -1):
        if k[j] > (k[deciding[-1]] if deciding else 0):
            deciding.append(j)
    return deciding
