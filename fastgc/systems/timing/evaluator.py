"""Completion times of structures, computed from the times that workers take."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.systems.timing.gates import Gates
from fastgc_kernels.complete import arrivals, layers, networks, port, replication, tree

if TYPE_CHECKING:
    from fastgc.systems.timing import structure as kinds

Times = Values
Counted = tuple[Times, Times, Times]

OPENS = ("start", "after-own")

_CHUNK = 64
#: Trials whose chunks are looked at together: they stay in the cache.
_WIDE = 1024


class Procedure(Protocol):
    """How the completion of one structure is computed; see `Evaluator`."""

    def done(self, times: Times) -> Times:
        """Return when each trial is complete, (T,)."""

    def counted(self, times: Times) -> Counted:
        """Return that, and the messages of all ports and of the master's."""


class Evaluator:
    """Completion times and messages of many trials of one structure.

    A worker that never answers takes infinitely long. A port takes ``receive`` ≥ 0 seconds for a
    message; messages that arrive at the same moment are received in order of worker. ``opens`` says
    whether a worker's own port in a tree opens at the start or after its own work.

    >>> from fastgc.systems.timing.structure import Flat
    >>> Evaluator(Flat(n=3, need=2)).done(np.array([[1.0, 4.0], [3.0, 5.0], [2.0, 6.0]])).tolist()
    [2.0, 5.0]
    """

    def __init__(
        self, structure: "kinds.Structure", receive: float = 0.0, opens: str = "start"
    ) -> None:
        if not 0 <= receive < np.inf:
            raise FastgcError(f"receive: must be finite and at least 0 (got {receive!r})")
        if opens not in OPENS:
            raise FastgcError(f'opens: must be "start" or "after-own" (got {opens!r})')
        self._procedure = structure.procedure(float(receive), opens == "after-own")

    def done(self, times: Times) -> Times:
        """Return the time at which each trial is complete, (T,); infinite where it never is.

        ``times`` are seconds ≥ 0, (n, T), or (n, tasks, T) where every task has a time of its own;
        nothing is checked.
        """
        return self._procedure.done(np.ascontiguousarray(times, np.float64))

    def counted(self, times: Times) -> Counted:
        """Return times of completion, and numbers of messages received until then, each (T,).

        Messages are those of all ports, and of the master's alone, which is idle for done −
        master's messages · receive. In a ring n workers receive 2 (n − 1) messages each, an n-th in
        size, and the last array is their size, 2 (n − 1)/n. Where a trial never completes, all that
        ever are received are counted.

        >>> from fastgc.systems.timing.structure import Flat
        >>> done, messages, _ = Evaluator(Flat(3, 2), receive=1.0).counted(np.ones((3, 1)))
        >>> done.tolist(), messages.tolist()
        ([3.0], [2.0])
        """
        return self._procedure.counted(np.ascontiguousarray(times, np.float64))


@dataclass(frozen=True)
class Ring(Procedure):
    """A ring: all workers must be ready, then 2 (n − 1) messages of size 1/n go round."""

    n: int
    receive: float

    def done(self, times: Times) -> Times:
        return np.asarray(times.max(axis=0) + self._size * self.receive)

    def counted(self, times: Times) -> Counted:
        done = self.done(times)
        messages = np.full(done.size, 2.0 * self.n * (self.n - 1))
        return done, messages, np.full(done.size, self._size)

    @property
    def _size(self) -> float:
        return 2 * (self.n - 1) / self.n


@dataclass(frozen=True)
class Patient(Procedure):
    """A star whose master waits on after its first answer; see `Patient`."""

    part: Procedure
    patience: float
    receive: float

    def done(self, times: Times) -> Times:
        if self.receive > 0:
            return self.counted(times)[0]
        return self._done(times, times.min(axis=0), times.max(axis=0))

    def counted(self, times: Times) -> Counted:
        ends = _received(times, self.receive)
        done = self._done(times, ends[0], ends[-1])
        return done, *_until(done, ends)

    def _done(self, times: Times, first: Times, last: Times) -> Times:
        waited = np.minimum((1.0 + self.patience) * first, last)
        return np.asarray(np.maximum(self.part.done(times), waited))


def _received(times: Times, receive: float) -> Times:
    """Return when a star's port has received each of a trial's answers, in order, (n, T)."""
    ends = np.sort(times, axis=0)
    if receive > 0:
        clock = np.zeros(ends.shape[1])
        for arrival in ends:
            np.maximum(clock, arrival, out=clock)
            clock += receive
            arrival[:] = clock
    return ends


def _until(done: Times, ends: Times) -> tuple[Times, Times]:
    """Return how many answers are received until a trial is done: by all ports, by the master."""
    messages = ((ends <= done) & (ends < np.inf)).sum(axis=0).astype(np.float64)
    return messages, messages.copy()


@dataclass(frozen=True)
class Capped(Procedure):
    """A star whose master stops waiting at a deadline; see `Capped`."""

    part: Procedure
    deadline: float
    receive: float

    def done(self, times: Times) -> Times:
        return np.asarray(np.minimum(self.part.done(times), self.deadline))

    def counted(self, times: Times) -> Counted:
        done = self.done(times)
        if isinstance(self.part, Redundant):  # a worker has several answers
            times = self.part.answers(times)
        return done, *_until(done, _received(times, self.receive))


@dataclass(frozen=True)
class Summed(Procedure):
    """A star of workers that answer once in some rounds; see `Summed`."""

    star: Procedure
    period: int

    def done(self, times: Times) -> Times:
        return np.asarray(self.star.done(self._sums(times)) / self.period)

    def counted(self, times: Times) -> Counted:
        done, messages, received = self.star.counted(self._sums(times))
        return done / self.period, messages / self.period, received / self.period

    def _sums(self, times: Times) -> Times:
        """Return the times (n, T) of rounds (n, rounds, T), added up in their order."""
        if times.ndim == 2:
            return times
        sums = times[:, 0].copy()
        for i in range(1, self.period):
            sums += times[:, i]
        return sums


class Delayed(Procedure):
    """Groups whose workers begin one after the other; see `Delayed`."""

    def __init__(self, structure: "kinds.Delayed", receive: float) -> None:
        if receive > 0:
            raise FastgcError(
                "receive: must be 0 for clones, whose further copies may never begin "
                f"(got {receive!r})"
            )
        self._structure = structure
        self._gates = Gates(structure.term())

    def done(self, times: Times) -> Times:
        return self._gates.done(times)

    def counted(self, times: Times) -> Counted:
        ends = self._structure.ends(times)
        messages = np.isfinite(ends).sum(axis=0).astype(np.float64)
        return ends.max(axis=0), messages, messages.copy()


class Own(Procedure):
    """A function of the user's own, which says when trials are done."""

    def __init__(self, structure: "kinds.Own", receive: float) -> None:
        if receive > 0:
            raise FastgcError(
                "receive: must be 0 for a system that says itself when it is done "
                f"(got {receive!r})"
            )
        self._structure = structure

    def done(self, times: Times) -> Times:
        rows = np.ascontiguousarray(times.T)
        done = np.empty(len(rows))
        for first in range(0, done.size, _CHUNK):  # the same calls whichever trials are asked for
            done[first : first + _CHUNK] = self._structure.done(rows[first : first + _CHUNK])
        return done

    def counted(self, times: Times) -> Counted:
        done = self.done(times)
        unknown = np.full(done.size, np.nan)
        return done, unknown, unknown


class Tree(Procedure):
    """A tree, in which every parent waits for some of its children."""

    def __init__(self, structure: "kinds.Tree", receive: float, after_own: bool) -> None:
        self._children = structure.children
        self._need = np.asarray(structure.need, np.int64)
        self._receive, self._after_own = receive, after_own
        fans = np.diff(self._children[0])
        parents = self._need > 0
        pairs = np.stack([fans[parents], self._need[parents]], axis=1)
        self._pairs, place = np.unique(pairs, axis=0, return_inverse=True)
        self._pair_of_node = np.zeros(self._need.size, np.int64)
        self._pair_of_node[parents] = place.reshape(-1)

    def done(self, times: Times) -> Times:
        return self._evaluated(times, self._every if self._receive > 0 else self._last, 0)[0]

    def counted(self, times: Times) -> Counted:
        done, messages = self._evaluated(times, self._every, 2)
        return done, messages[0], messages[1]

    def _evaluated(self, times: Times, order: "_Networks", counts: int) -> tuple[Times, Times]:
        done = np.empty(times.shape[1])
        messages = np.empty((counts, done.size))
        offsets, nodes = self._children
        tree.completion(
            times,
            offsets,
            nodes,
            self._need,
            self._pair_of_node,
            *order,
            self._receive,
            self._after_own,
            done,
            messages,
        )
        return done, messages

    @cached_property
    def _every(self) -> "_Networks":
        """Networks that sort all answers that are waited for."""
        return _joined([_selection(n, range(need)) for n, need in self._pairs.tolist()])

    @cached_property
    def _last(self) -> "_Networks":
        """Networks that find only the last answer that is waited for."""
        return _joined([_selection(n, [need - 1]) for n, need in self._pairs.tolist()])


@dataclass(frozen=True)
class Star(Procedure):
    """A star without a port: the master receives only messages that it waits for."""

    tree: Tree
    n: int
    need: int

    def done(self, times: Times) -> Times:
        if self.n <= networks.LARGEST:
            return self.tree.done(times)
        done = np.empty(times.shape[1])
        for first in range(0, done.size, _CHUNK):
            part = np.ascontiguousarray(times[:, first : first + _CHUNK].T)
            part.partition(self.need - 1, axis=1)
            done[first : first + _CHUNK] = part[:, self.need - 1]
        return done

    def counted(self, times: Times) -> Counted:
        done = self.done(times)
        messages = np.full(done.size, float(self.need))
        never = done == np.inf
        messages[never] = np.isfinite(times[:, never]).sum(axis=0)
        return done, messages, messages.copy()


class Parts(Protocol):
    """When parts of the work are done of which several answers hold each, and what is received."""

    def done(self, times: Times, out: Times) -> None:
        """Write when each trial is complete, (T,)."""

    def received(self, times: Times, done: Times, out: Times) -> None:
        """Write how many answers have come by then, (T,)."""


class Groups(Parts):
    """Replicated workers: an answer of each of some groups is needed."""

    def __init__(self, structure: "kinds.Replicated") -> None:
        self._size, self._need = structure.size, structure.need
        self._network = _selection(structure.n // structure.size, [structure.need - 1])

    def done(self, times: Times, out: Times) -> None:
        replication.completion(times, self._size, self._need, self._network, out)

    def received(self, times: Times, done: Times, out: Times) -> None:
        replication.received(times, self._size, self._need, done, out)


class Layers(Parts):
    """Layers, each of which needs its answers; times are (n, 1 or tasks, T)."""

    def __init__(self, n: int, k: NDArray[np.int64], fresh: bool) -> None:
        self._k = k
        places = [[need - 1] if need else [] for need in k.tolist()]
        if not fresh:
            places = [[place for layer in places for place in layer]]
        self._order = _joined([_selection(n, wanted) for wanted in places])

    def done(self, times: Times, out: Times) -> None:
        layers.completion(times, self._k, *self._order, out)

    def received(self, times: Times, done: Times, out: Times) -> None:
        layers.received(times, self._k, done, out)


class Blocks(Procedure):
    """Layers that take unlike times; see `Blocks`."""

    def __init__(self, structure: "kinds.Blocks", receive: float) -> None:
        if receive > 0:
            raise FastgcError(
                f"receive: must be 0 for blocks, whose messages are unlike (got {receive!r})"
            )
        self._needs = tuple(zip(structure.ends, structure.k, strict=True))

    def done(self, times: Times) -> Times:
        done = np.zeros(times.shape[1])
        for first in range(0, done.size, _WIDE):
            part = slice(first, first + _WIDE)
            order = np.sort(times[:, part], axis=0)
            for end, need in self._needs:
                if need:
                    np.maximum(done[part], end * order[need - 1], out=done[part])
        return done

    def counted(self, times: Times) -> Counted:
        done, messages = self.done(times), np.zeros(times.shape[1])
        for end, _ in self._needs:
            own = end * times
            messages += ((own <= done) & (own < np.inf)).sum(axis=0)
        return done, messages, messages.copy()


class Chunks(Parts):
    """Chunks of work, each of which needs its copies; times are (n, 1 or d, T)."""

    def __init__(self, structure: "kinds.Chunks") -> None:
        self._gates = Gates(structure.term())
        self._part = np.array(structure.orders, np.int64)
        self._wanted = np.full(len(structure.holders), structure.copies, np.int64)

    def done(self, times: Times, out: Times) -> None:
        for first in range(0, out.size, _WIDE):
            part = slice(first, first + _WIDE)
            own = times[..., part]
            ends = own if own.shape[1] == 1 else np.cumsum(own, axis=1)
            out[part] = self._gates.done(np.ascontiguousarray(ends))

    def received(self, times: Times, done: Times, out: Times) -> None:
        enough = int(self._wanted.sum())
        arrivals.count(times, self._part, self._wanted, enough, done, out)


class Batches(Chunks):
    """Batches of chunks, each of which some answer must have; times are (n, 1, T)."""

    def received(self, times: Times, done: Times, out: Times) -> None:
        own, chunks = times[:, 0], len(self._wanted)
        out[:] = ((own <= done) & (own < np.inf)).sum(axis=0)
        tied = np.flatnonzero(((own == done) & (done < np.inf)).sum(axis=0) > 1)
        own, end = own[:, tied], done[tied]
        out[tied] = (own < end).sum(axis=0)
        there = np.zeros((chunks, tied.size), bool)
        for now in (False, True):  # what comes at the very end is received in order of worker
            for answer, held in zip(own, self._part, strict=True):
                heard = ~there.all(axis=0) & (answer == end) if now else answer < end
                there[held] |= heard
                out[tied] += heard if now else 0


def finished(times: Times, tasks: int) -> Times:
    """Return when workers have finished their tasks, (n, tasks, T), of times (n, 1 or tasks, T)."""
    if times.shape[1] == 1:
        return np.arange(1.0, tasks + 1.0)[:, np.newaxis] * times
    return np.cumsum(times, axis=1)


class Redundant(Procedure):
    """Systems whose master also receives answers of parts that are complete already."""

    def __init__(self, redundancy: Parts, n: int, tasks: int, receive: float) -> None:
        self._redundancy, self._n, self._tasks = redundancy, n, tasks
        self._receive = receive

    def done(self, times: Times) -> Times:
        if self._receive > 0:
            return self.counted(times)[0]
        done = np.empty(times.shape[-1])
        self._redundancy.done(self._of_tasks(times), done)
        return done

    def counted(self, times: Times) -> Counted:
        done = np.empty(times.shape[-1])
        messages = np.empty(done.size)
        of_tasks = self._of_tasks(times)
        self._redundancy.done(of_tasks, done)
        self._redundancy.received(of_tasks, done, messages)
        if self._receive > 0:
            port.serve(of_tasks, self._tasks, messages, self._network, self._receive, done)
        return done, messages, messages.copy()

    def answers(self, times: Times) -> Times:
        """Return when each of the workers' answers is ready, (n · tasks, T)."""
        ends = finished(self._of_tasks(times), self._tasks)
        return ends.reshape(-1, ends.shape[-1])

    def _of_tasks(self, times: Times) -> Times:
        """Return times (n, 1, T) of workers, or (n, tasks, T) of tasks; one task has no axis."""
        return times if times.ndim == 3 else times[:, np.newaxis]

    @cached_property
    def _network(self) -> NDArray[np.int32]:
        return _selection(self._n * self._tasks, range(self._n * self._tasks))


_Networks = tuple[NDArray[np.int64], NDArray[np.int32]]


def _selection(n: int, places: Sequence[int] | range) -> NDArray[np.int32]:
    """Return the network that brings the right ones of n values to some places."""
    wanted = np.zeros(n, np.bool_)
    wanted[list(places)] = True
    return networks.selection(wanted)


def _joined(parts: Sequence[NDArray[np.int32]]) -> _Networks:
    """Return where each network starts, and all networks, one after the other."""
    starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return starts, np.concatenate(parts)
