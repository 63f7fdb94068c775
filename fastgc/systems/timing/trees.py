"""Trees: masters and workers above others, each of which waits for some of its children."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.latency.time import Compiled
from fastgc.registry.cached import cached_property
from fastgc.systems.timing import order_statistics
from fastgc.systems.timing.evaluator import Networks, joined, selection
from fastgc.systems.timing.laws.evaluation import Gates
from fastgc.systems.timing.rounds import Port
from fastgc.systems.timing.structure import Counted, Structure, Times, dealt
from fastgc_kernels.complete import trees

if TYPE_CHECKING:
    from fastgc.systems.timing.order_statistics import Draw


@dataclass(frozen=True)
class Tree(Structure):
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
        """Networks that sort all answers that are waited for."""
        return joined([selection(n, range(need)) for n, need in self._pairs[1].tolist()])

    @cached_property
    def _last(self) -> Networks:
        """Networks that find only the last answer that is waited for."""
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

    def drawn(self, law: Compiled, receive: float, after_own: bool) -> "Draw | None":
        if self.regular is None:
            return None
        return order_statistics.of_regular_tree(law, self, self.regular, receive, after_own)

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

    def steps(self, alike: Sequence[int], listed: bool, receive: float) -> float:
        if receive == 0 or listed:
            return super().steps(alike, listed, receive)
        # a node is evaluated for every message that its parent still waits for
        need = max(self.need)
        fan = float(max(self.children[0][1:] - self.children[0][:-1]))
        return fan * fan * need / 4 * need
