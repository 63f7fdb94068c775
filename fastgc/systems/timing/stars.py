"""Masters, and parents in trees, who wait for any so many; rings, sums of rounds.

And masters who wait on, or stop waiting at a deadline.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Brief, Mask, Values
from fastgc.errors import FastgcError
from fastgc.latency.time import KernelLaw
from fastgc.registry.cached import cached_property
from fastgc.systems.timing import order_draws
from fastgc.systems.timing.laws import structure_law
from fastgc.systems.timing.laws.evaluation import Gates, Worker
from fastgc.systems.timing.order_draws import Networks, joined, selection
from fastgc.systems.timing.rounds import Port, received_in_turn
from fastgc.systems.timing.timed_structure import (
    Counted,
    OfWorkers,
    Structure,
    Times,
    dealt,
    missing,
    until,
)
from fastgc_kernels.complete import networks, trees

if TYPE_CHECKING:
    from fastgc.systems.timing.laws import CompletionLaw
    from fastgc.systems.timing.order_draws import Draw

#: Trials that are looked at together.
_CHUNK = 64


@dataclass(frozen=True, repr=False)
class Tree(Brief, Structure):
    """Done when the master, node 0, has received ``need[0]`` of its children's answers.

    Worker j is node j + 1 and child of node ``parents[j]`` ≤ j. Every node v with children waits
    for ``need[v]`` of their answers and for its own work, then sends; leaves have ``need`` 0.
    ``regular``: children per parent, depth and answers waited for, where these are the same.
    """

    CUTS: ClassVar[bool] = True

    parents: tuple[int, ...]
    need: tuple[int, ...]
    regular: tuple[int, int, int] | None = None

    @property
    def workers(self) -> int:
        return len(self.parents)

    @property
    def needed(self) -> int:
        return self.need[0]

    @property
    def leaves_out(self) -> bool:
        fans = np.diff(self.children[0])
        return bool((np.asarray(self.need)[: fans.size] < fans).any())

    @property
    def heard(self) -> Mask:
        return np.asarray(np.array(self.parents) == 0)

    @cached_property
    def children(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Offsets (N + 2,) and nodes (N,): from offset v to v + 1 the children of node v."""
        parents = np.asarray(self.parents, np.int64)
        counts = np.bincount(parents, minlength=self.workers + 1)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        nodes = np.argsort(parents, kind="stable").astype(np.int64) + 1
        return offsets, nodes

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """What each node needs; the distinct pairs of children and need; that of each node."""
        need = np.asarray(self.need, np.int64)
        parents = need > 0
        own = np.stack([np.diff(self.children[0])[parents], need[parents]], axis=1)
        pairs, place = np.unique(own, axis=0, return_inverse=True)
        pair_of_node = np.zeros(need.size, np.int64)
        pair_of_node[parents] = place.reshape(-1)
        return need, pairs, pair_of_node

    @cached_property
    def _every(self) -> Networks:
        return joined([selection(n, range(need)) for n, need in self._pairs[1].tolist()])

    @cached_property
    def _last(self) -> Networks:
        return joined([selection(n, [need - 1]) for n, need in self._pairs[1].tolist()])

    def evaluate(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Times:
        order = self._every if receive > 0 else self._last
        return self._completed(times, order, 0, receive, after_own)[0]

    def counted(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Counted:
        done, messages = self._completed(times, self._every, 2, receive, after_own)
        return done, messages[0], messages[1]

    def _completed(
        self, times: Times, order: Networks, counts: int, receive: float, after_own: bool
    ) -> tuple[Times, Times]:
        done = np.empty(times.shape[1])
        messages = np.empty((counts, done.size))
        need, _, pair_of_node = self._pairs
        given = times, *self.children, need, pair_of_node, *order
        trees.completion(*given, receive, after_own, done, messages)
        return done, messages

    def drawn(self, law: KernelLaw, receive: float, after_own: bool) -> "Draw | None":
        if self.regular is None:
            return None
        return order_draws.of_regular_tree(law, self, self.regular, receive, after_own)

    def answered(self, times: Values, done: Values, port: Port) -> Mask:
        """Return whose answers reach the master, (N, T): the first ones, by their parents."""
        offsets, nodes = self.children
        sent = np.concatenate([np.zeros((1, times.shape[1])), times])
        taken = np.ones(sent.shape, np.bool_)
        for v in reversed(np.flatnonzero(self.need).tolist()):
            below = nodes[offsets[v] : offsets[v + 1]]
            order = np.argsort(sent[below], axis=0, kind="stable")[: self.need[v]]
            first = np.zeros((below.size, times.shape[1]), np.bool_)
            np.put_along_axis(first, order, True, axis=0)
            taken[below] = first
            clock = sent[v].copy() if port.opens == "after-own" else np.zeros(times.shape[1])
            for arrival in np.take_along_axis(sent[below], order, axis=0):
                clock = np.maximum(clock, arrival) + port.receive
            sent[v] = np.maximum(sent[v], clock)
        taken &= np.isfinite(sent) | (np.arange(len(sent)) == 0)[:, np.newaxis]
        for node, parent in enumerate(self.parents, 1):  # parents come before their children
            taken[node] &= taken[parent]
        return taken[1:]

    def busy(self, receive: float, messages: float | None) -> float | None:
        return receive * self.need[0]

    def placed(self, fastest: Sequence[int]) -> list[int]:
        """Return workers layer by layer in a regular tree, the children of a node a mix."""
        used = list(fastest[: self.workers])
        if self.regular is None:
            return used
        n = layer = self.regular[0]
        found: list[int] = []
        while len(found) < len(used):
            found += dealt(used[len(found) : len(found) + layer], n)
            layer *= n
        return found

    def add_gates(self, gates: Gates, classes: Sequence[int]) -> None:
        below: list[list[int]] = [[] for _ in self.need]
        for node in range(self.workers, 0, -1):
            gate = gates.add(classes[node - 1], self.need[node], below[node])
            below[self.parents[node - 1]].append(gate)
        gates.add_master(self.need[0], below[0])


class Enough(OfWorkers):
    """What waits for ``need`` answers that all count alike, of workers who send one each."""

    ONE_ANSWER: ClassVar[bool] = True
    BY_WORKER: ClassVar[bool] = True

    need: int

    @property
    def needed(self) -> int:
        return self.need

    @property
    def leaves_out(self) -> bool:
        return self.need < self.n


@dataclass(frozen=True)
class Flat(Enough):
    """Done when the master has received ``need`` answers of n workers."""

    ANY: ClassVar[bool] = True

    n: int
    need: int

    @cached_property
    def _tree(self) -> Tree:
        return Tree((0,) * self.n, (self.need,) + (0,) * self.n)

    def evaluate(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Times:
        if receive > 0 or self.n <= networks.LARGEST:
            return self._tree.evaluate(times, receive)
        done = np.empty(times.shape[1])
        for first in range(0, done.size, _CHUNK):
            part = np.ascontiguousarray(times[:, first : first + _CHUNK].T)
            part.partition(self.need - 1, axis=1)
            done[first : first + _CHUNK] = part[:, self.need - 1]
        return done

    def counted(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Counted:
        if receive > 0:
            return self._tree.counted(times, receive)
        done = self.evaluate(times)  # only those that are waited for are received
        messages = np.full(done.size, float(self.need))
        never = done == np.inf
        messages[never] = np.isfinite(times[:, never]).sum(axis=0)
        return done, messages, messages.copy()

    def drawn(self, law: KernelLaw, receive: float, after_own: bool) -> "Draw | None":
        return order_draws.of_star(law, self, self.n, self.need, receive)

    def without(self, stragglers: int) -> "Flat | None":
        left = self.n - stragglers
        return Flat(left, self.need) if self.need <= left else None

    def answered(self, times: Values, done: Values, port: Port) -> Mask:
        first = np.argsort(times, axis=0, kind="stable")[: self.need]
        found = np.zeros(times.shape, np.bool_)
        np.put_along_axis(found, first, True, axis=0)
        return np.asarray(found & np.isfinite(times))

    @property
    def messages(self) -> float | None:
        return self.need

    def same_lost(self, whole: bool) -> float | None:
        return 0.0 if whole else (self.n - self.need) / self.n


@dataclass(frozen=True)
class Ring(OfWorkers):
    """Done when all n workers are ready and 2 (n − 1) messages of an n-th each went round."""

    ANY: ClassVar[bool] = True
    QUEUES: ClassVar[bool] = False
    COUNTED: ClassVar[bool] = False

    n: int

    def evaluate(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Times:
        return np.asarray(times.max(axis=0) + 2 * (self.n - 1) / self.n * receive)

    def counted(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Counted:
        done = self.evaluate(times, receive)
        messages = np.full(done.size, 2.0 * self.n * (self.n - 1))
        return done, messages, np.full(done.size, 2 * (self.n - 1) / self.n)

    def drawn(self, law: KernelLaw, receive: float, after_own: bool) -> "Draw | None":
        wait = 2 * (self.n - 1) * receive / self.n
        return order_draws.of_star(law.affine(1.0, wait), self, self.n, self.n)

    def counts(self, asked: structure_law.LawRequest) -> structure_law.Evaluation:
        return Flat(self.n, self.n).counts(replace(asked, receive=0.0))

    def law(self, asked: structure_law.LawRequest) -> "CompletionLaw":
        every = structure_law.of_counts(self.counts(asked), asked.moments)
        return every.moved(delay=2.0 * (self.n - 1) * asked.receive / self.n)

    @property
    def needed(self) -> int:
        return self.n

    def without(self, stragglers: int) -> "Ring | None":
        return None if stragglers else self

    def answered(self, times: Values, done: Values, port: Port) -> Mask:
        return np.broadcast_to(np.isfinite(done), times.shape).copy()  # all have the sum of all

    @property
    def messages(self) -> float | None:
        return 2 * (self.n - 1) * self.n

    def busy(self, receive: float, messages: float | None) -> float | None:
        return 2 * (self.n - 1) * receive / self.n


@dataclass(frozen=True)
class Summed(OfWorkers):
    """All n workers answer once in ``period`` rounds; a time is that of one round on average."""

    OF_ROUNDS: ClassVar[bool] = True
    COUNTED: ClassVar[bool] = False

    n: int
    period: int

    @cached_property
    def end(self) -> Flat:
        return Flat(self.n, self.n)

    @property
    def tasks(self) -> int:
        return self.period

    @property
    def needed(self) -> int:
        return self.n

    def evaluate(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Times:
        return np.asarray(self.end.evaluate(self._sums(times), receive) / self.period)

    def counted(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Counted:
        done, messages, received = self.end.counted(self._sums(times), receive)
        return done / self.period, messages / self.period, received / self.period

    def _sums(self, times: Times) -> Times:
        if times.ndim == 2:
            return times
        sums = times[:, 0].copy()
        for i in range(1, self.period):
            sums += times[:, i]
        return sums

    def counts(self, asked: structure_law.LawRequest) -> structure_law.Evaluation:
        sums = [time.total(self.period) for time in asked.times]
        return self.end.counts(replace(asked, times=sums))

    def law(self, asked: structure_law.LawRequest) -> "CompletionLaw":
        sums = structure_law.of_counts(self.counts(asked), asked.moments)
        return sums.moved(1 / self.period)

    def worked(self, times: Values, done: Values) -> Values:
        return np.asarray(times.sum(axis=(0, 1)) / self.period)

    @property
    def messages(self) -> float | None:
        return self.n / self.period


# ---- what waits for the answers of its part, but is done at other moments


class StructureWrapper(Structure):
    """Base of these: what they say of their part is true of them."""

    part: Structure

    @property
    def workers(self) -> int:
        return self.part.workers

    @property
    def tasks(self) -> int:
        return self.part.tasks

    @property
    def end(self) -> Structure:
        return self.part

    @property
    def leaves_out(self) -> bool:
        return self.part.leaves_out

    @property
    def group(self) -> int | None:
        return self.part.group

    def spent(self, times: Values) -> Values:
        return self.part.spent(times)

    def placed(self, fastest: Sequence[int]) -> list[int]:
        return self.part.placed(fastest)

    @property
    def unfinished(self) -> str | None:
        return self.part.unfinished

    @property
    def runs(self) -> bool:
        return self.part.runs


@dataclass(frozen=True)
class Patient(StructureWrapper):
    """A master that waits on after the fastest worker, however early it could decode.

    Let the first answer be received after F, the last of all n after L (infinite where one never
    comes), and let those that ``part`` waits for be there after C. The master decodes with all that
    it has received by (1 + patience)·F, or L; where they are too few, it waits on until they are
    enough. So it is done after max(C, min((1 + patience)·F, L)), and its messages are the answers
    until then. Where one answer is enough (``Flat(n, 1)``) patience is the only rule.
    """

    BY_WORKER: ClassVar[bool] = True
    CROWDS: ClassVar[str] = "answers"

    part: Structure
    patience: float

    def evaluate(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Times:
        return self._done(times, received_in_turn(times, receive), receive)

    def counted(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Counted:
        ends = received_in_turn(times, receive)
        return until(self._done(times, ends, receive), ends)

    def _done(self, times: Times, ends: Times, receive: float) -> Times:
        waited = np.minimum((1.0 + self.patience) * ends.min(axis=0), ends.max(axis=0))
        return np.asarray(np.maximum(self.part.evaluate(times, receive), waited))

    def same_lost(self, whole: bool) -> float | None:
        if self.part.group is None:
            return super().same_lost(whole)
        return 0.0 if self.part.same_lost(whole) == 0 else None

    def lost(self, times: Values, done: Values, port: Port) -> Values:
        there = self.answered(times, done, port)
        if self.part.group is not None:
            there = np.asarray(there.reshape(-1, self.part.group, done.size).any(axis=1))
        return missing(there)

    def counts(self, asked: structure_law.LawRequest) -> structure_law.Evaluation:
        raise FastgcError("a master's patience has no exact law")


@dataclass(frozen=True)
class Capped(StructureWrapper):
    """A master that stops waiting at a deadline, with the answers that it has by then."""

    BY_WORKER: ClassVar[bool] = True
    COUNTED: ClassVar[bool] = False

    part: Structure
    deadline: float
    leaves_out = True

    def evaluate(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Times:
        return np.asarray(np.minimum(self.part.evaluate(times, receive), self.deadline))

    def counted(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Counted:
        ends = received_in_turn(self.part.arrivals(times), receive)
        return until(self.evaluate(times, receive), ends)

    def counts(self, asked: structure_law.LawRequest) -> structure_law.Evaluation:
        return self.part.counts(asked)

    def law(self, asked: structure_law.LawRequest) -> "CompletionLaw":
        return structure_law.capped(self.part.law(asked), self.deadline)

    def tail_index(self, workers: Sequence[Worker], classes: Sequence[int]) -> float:
        return math.inf

    @property
    def ends_by(self) -> float | None:
        return self.deadline

    def same_lost(self, whole: bool) -> float | None:
        return super().same_lost(whole) if self.part.ANY else None

    def lost(self, times: Values, done: Values, port: Port) -> Values:
        if self.part.ANY:
            return super().lost(times, done, port)
        return self.part.lost(times, done, port)

    @property
    def no_port(self) -> str | None:
        return None if self.part.ANY else "chunks that are waited for until a deadline"
