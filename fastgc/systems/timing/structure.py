"""Structures of systems: whose answers the master, or each parent, waits for.

Whoever needs to know something of a structure asks it: no one else tells the kinds apart.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.registry.cached import cached_property
from fastgc.systems.timing import evaluator
from fastgc.systems.timing.gates import Answering
from fastgc.systems.timing.places import dealt, in_layers
from fastgc.systems.timing.port import Port, received
from fastgc.systems.timing.rounds import in_trees
from fastgc.systems.timing.terms import Term, answers, at_least
from fastgc.systems.timing.waiting import Gates


class InRealRuns(ABC):
    """What runs on real workers ask of a structure.

    * ``ONE_ANSWER``: whether each worker sends one answer, and none is above another.
    """

    ONE_ANSWER: ClassVar[bool] = False

    @property
    @abstractmethod
    def workers(self) -> int:
        """Number of workers."""

    @property
    def layers(self) -> tuple[int, ...] | None:
        """Answers that each layer of tasks needs; None without layers."""
        return None

    @property
    def runs(self) -> bool:
        """Whether a master and its workers can play it, each with one answer to a task."""
        return self.ONE_ANSWER or self.layers is not None

    @property
    def parts(self) -> int:
        """Answers that each worker sends in a real round."""
        return 1

    @property
    def heard(self) -> Mask:
        """Whose answers the master itself waits for, (n,)."""
        return np.ones(self.workers, np.bool_)

    @property
    def begins(self) -> tuple[float, ...]:
        """Seconds after which each worker begins."""
        return (0.0,) * self.workers

    @property
    def relaunches(self) -> int:
        """Workers on one piece, of which the others stop when one is done; 0 if none does."""
        return 0


class Structure(InRealRuns):
    """What a master waits for, and whatever is asked of it; a kind says where it is different.

    * ``OPAQUE``: whether no more than its times is known, by a function of the user's own.
    * ``OF_ROUNDS``: whether a time is an average over several rounds.
    * ``BY_WORKER``: whether those have their gradients in who answer before it is done.
    * ``ANY``: whether only how many answer decides, and not who.
    * ``QUEUES``: whether messages wait for each other at a port.
    * ``CROWDS``: whether answers that are no longer needed keep a port busy, too.
    * ``CUTS``: whether it decides how samples are cut.
    * ``QUICK``: whether its exact law takes some milliseconds where all workers are alike.
    """

    OPAQUE: ClassVar[bool] = False
    OF_ROUNDS: ClassVar[bool] = False
    BY_WORKER: ClassVar[bool] = False
    ANY: ClassVar[bool] = False
    QUEUES: ClassVar[bool] = True
    CROWDS: ClassVar[bool] = False
    CUTS: ClassVar[bool] = False
    QUICK: ClassVar[bool] = True

    @property
    def tasks(self) -> int:
        """Times that a worker takes in a round, one after the other."""
        return 1

    # ---- whose answers are needed

    @property
    def end(self) -> "Structure":
        """What is waited for in the end, whenever workers begin and masters stop."""
        return self

    @property
    def in_parts(self) -> "Structure":
        """The structure of a real round, in which every answer takes a time of its own."""
        return self

    @property
    def plain(self) -> "Structure":
        """The simplest structure with the same law."""
        return self

    @property
    def of_tail(self) -> "Structure":
        """One that is no sooner done, and whose times have the same tail."""
        return self.end

    @property
    def needed(self) -> int:
        """How many answers the master waits for; of layers, those of the largest need."""
        raise NotImplementedError(type(self).__name__)

    def add_gates(self, gates: Gates, classes: Sequence[int]) -> None:
        """Add who waits for whom, the master last; worker j is of class ``classes[j]``."""
        gates.add_enough(self.needed, classes)

    @property
    def leaves_out(self) -> bool:
        """Whether a round may be done before all workers have answered."""
        return False

    @property
    def ends_by(self) -> float | None:
        """The time after which the master does not wait, in seconds."""
        return None

    @property
    def group(self) -> int | None:
        """How many workers do the same work each time; None where there are no such groups."""
        return None

    def without(self, stragglers: int) -> "Structure | None":
        """Return what is left where so many alike workers never answer; None if not such a one."""
        return None

    # ---- what happens in a round

    @abstractmethod
    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        """Return what computes completion times; see `fastgc.systems.timing.evaluator`."""

    def answered(self, times: Values, done: Values, port: Port) -> Mask:
        """Return whose answers the master has, or parents for it, when rounds are ``done`` (T,).

        ``times`` are (n, T); in layers, when each answer comes, (n · layers, T). Returned is an
        array of their shape.
        """
        sent = self.sent(times)
        if port.receive == 0:
            return np.asarray((sent <= done) & np.isfinite(sent))
        # sums of as many terms, in another order
        there = received(sent, port.receive) <= done * (1 + 1e-12)
        return np.asarray(there & np.isfinite(sent))

    def sent(self, times: Values) -> Values:
        """Return when workers have sent all of their answers, (n, T)."""
        return times

    def worked(self, times: Values, done: Values) -> Values:
        """Return the seconds that all workers work until they or the round are done, (T,).

        ``times`` are (n, T), or (n, tasks, T).
        """
        return np.asarray(np.minimum(self.spent(times), done).sum(axis=0))

    def spent(self, times: Values) -> Values:
        """Return how long workers need for all of their tasks, (n, T)."""
        return times

    @property
    def messages(self) -> float | None:
        """Messages received until done, where that is always the same number."""
        return None

    def busy(self, receive: float, messages: float | None) -> float | None:
        """Return the seconds that the master's port receives until done, if always the same."""
        return None if messages is None else receive * messages

    def same_lost(self, whole: bool) -> float | None:
        """Return the share of the work that is lost in every round; None where rounds differ.

        ``whole``: whether what is waited for is all of the gradient.
        """
        return 0.0 if whole else None

    def lost(self, times: Values, done: Values, port: Port) -> Values:
        """Return the share of the work without an answer when rounds are done, (T,)."""
        return _missing(self.answered(times, done, port))

    # ---- what it can be combined with

    @property
    def portless(self) -> str | None:
        """What a system is that has no port, in words; None where it may have one."""
        return None

    @property
    def unfinished(self) -> str | None:
        """Why late workers cannot finish before they take up a round; None where they can."""
        return None if self.ONE_ANSWER else "a worker has several tasks or messages in a round"

    def steps(self, alike: Sequence[int], listed: bool, receive: float) -> float:
        """Return about how many steps one P(C > t) takes; infinite where no law is known.

        ``alike``: how many workers have each law; ``listed``: whether they have one each.
        """
        return float(self.workers * self.workers) if receive == 0 else math.inf

    def placed(self, fastest: Sequence[int]) -> list[int]:
        """Return the worker of each place, from all workers, the fastest first.

        The slowest stay idle where there are too many. Groups that hold one part are dealt a mix of
        fast and slow workers; the fastest are at the top of a tree. Else workers keep their order.

        >>> Replicated(n=4, size=2, need=2).placed([3, 1, 0, 2]), Flat(3, 3).placed([3, 1, 0, 2])
        ([3, 0, 1, 2], [0, 1, 3])
        """
        return sorted(fastest[: self.workers])


def _missing(there: Mask) -> Values:
    return np.asarray((len(there) - there.sum(axis=0)) / len(there))


def _states(alike: Sequence[int]) -> float:
    return math.prod(count + 1.0 for count in alike)


class _OfWorkers(Structure):
    n: int

    @property
    def workers(self) -> int:
        return self.n


class _Enough(_OfWorkers):
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

    def steps(self, alike: Sequence[int], listed: bool, receive: float) -> float:
        if receive == 0:
            return super().steps(alike, listed, receive)
        return _states(alike) * self.n * self.need / 4


class _Later(Structure):
    """What waits for the answers that its part waits for, but is done at other moments."""

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
    def of_tail(self) -> Structure:
        return self.part.of_tail

    @property
    def needed(self) -> int:
        return self.part.needed

    @property
    def leaves_out(self) -> bool:
        return self.part.leaves_out

    @property
    def group(self) -> int | None:
        return self.part.group

    def spent(self, times: Values) -> Values:
        return self.part.spent(times)

    def steps(self, alike: Sequence[int], listed: bool, receive: float) -> float:
        return self.part.steps(alike, listed, receive)

    def placed(self, fastest: Sequence[int]) -> list[int]:
        return self.part.placed(fastest)

    @property
    def unfinished(self) -> str | None:
        return self.part.unfinished

    @property
    def runs(self) -> bool:
        return self.part.runs


class _OfRounds(_OfWorkers):
    """What waits for all workers, in several rounds."""

    OF_ROUNDS: ClassVar[bool] = True

    @property
    def end(self) -> Structure:
        return Flat(self.n, self.n)

    @property
    def needed(self) -> int:
        return self.n


@dataclass(frozen=True)
class Flat(_Enough):
    """Done when the master has received ``need`` answers of n workers.

    >>> from fastgc.systems import k_of_n
    >>> k_of_n(n=4, k=3).structure()
    Flat(n=4, need=3)
    """

    ANY: ClassVar[bool] = True

    n: int
    need: int

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        tree = Tree((0,) * self.n, (self.need,) + (0,) * self.n)
        star = evaluator.Tree(tree, receive, False)
        return star if receive > 0 else evaluator.Star(star, self.n, self.need)

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
class Replicated(_Enough):
    """Done when the master has received an answer of ``need`` of the groups of ``size`` workers.

    Worker j is in group j // size; further answers of a group are received too.

    >>> from fastgc.systems import replication
    >>> replication(n=6, d=2).structure()
    Replicated(n=6, size=2, need=3)
    """

    CROWDS: ClassVar[bool] = True

    n: int
    size: int
    need: int

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        return evaluator.Redundant(evaluator.Groups(self), self.n, 1, receive)

    @property
    def plain(self) -> Structure:
        if self.size == 1:
            return Flat(self.n, self.need)
        return Flat(self.n, 1) if self.size == self.n else self

    @property
    def group(self) -> int | None:
        return self.size

    def same_lost(self, whole: bool) -> float | None:
        return (self.n - self.need * self.size) / self.n

    def add_gates(self, gates: Gates, classes: Sequence[int]) -> None:
        leaf = {own: gates.add(own, 0) for own in dict.fromkeys(classes)}
        leaves, size = [leaf[own] for own in classes], self.size
        groups = [gates.add(None, 1, leaves[j : j + size]) for j in range(0, self.n, size)]
        gates.add_master(self.need, groups)

    def placed(self, fastest: Sequence[int]) -> list[int]:
        return dealt(fastest[: self.n], self.size)


@dataclass(frozen=True)
class Ring(_OfWorkers):
    """Done when all n workers are ready and 2 (n − 1) messages of an n-th each went round.

    >>> from fastgc.systems import ring_all_reduce
    >>> ring_all_reduce(n=4).structure()
    Ring(n=4)
    """

    ANY: ClassVar[bool] = True
    QUEUES: ClassVar[bool] = False

    n: int

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        return evaluator.Ring(self.n, receive)

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

    def steps(self, alike: Sequence[int], listed: bool, receive: float) -> float:
        return float(self.n * self.n)


@dataclass(frozen=True)
class Layers(_OfWorkers):
    """Done when ``k[j]`` workers have sent their task of layer j, for every j.

    Every worker does its tasks one after the other, one a layer. ``fresh``: each task takes a time
    of its own; otherwise a worker's tasks all take the same time.

    >>> from fastgc.systems import hierarchical
    >>> hierarchical(n=4, k=[2, 3]).structure()
    Layers(n=4, k=(2, 3), fresh=False)
    """

    ANY: ClassVar[bool] = True
    CROWDS: ClassVar[bool] = True
    CUTS: ClassVar[bool] = True
    QUICK: ClassVar[bool] = False

    n: int
    k: tuple[int, ...]
    fresh: bool = False

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        k = np.asarray(self.k[: self.parts], np.int64)
        layers = evaluator.Layers(self.n, k, self.fresh)
        return evaluator.Redundant(layers, self.n, k.size, receive)

    @property
    def tasks(self) -> int:
        return len(self.k) if self.fresh else 1

    @property
    def plain(self) -> Structure:
        return Flat(self.n, self.k[0]) if len(self.k) == 1 else self

    @property
    def of_tail(self) -> Structure:
        """No layer waits for more workers, and sums of times have no other tail."""
        return Flat(self.n, self.needed)

    @property
    def needed(self) -> int:
        return max(self.k, default=0)

    @property
    def leaves_out(self) -> bool:
        return any(need < self.n for need in self.k)

    @property
    def layers(self) -> tuple[int, ...] | None:
        return self.k

    def spent(self, times: Values) -> Values:
        return np.asarray(times[:, : self.parts].sum(axis=1) if self.fresh else self.parts * times)

    def steps(self, alike: Sequence[int], listed: bool, receive: float) -> float:
        return _states(alike) * self.n * len(self.k) / 4

    @property
    def parts(self) -> int:
        """Layers up to the last that is needed: those after it are not worked on."""
        return len(np.trim_zeros(np.asarray(self.k), "b"))

    @property
    def in_parts(self) -> Structure:
        return replace(self, fresh=True)


@dataclass(frozen=True)
class Blocks(Layers):
    """Layers that take unlike times: a worker with the time X has done the j-th at ``ends[j]``·X.

    * ``ends``: more than 0, and rising.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> blocks = Blocks(n=2, k=(2, 1), ends=(0.5, 2.0))
    >>> Evaluator(blocks).done(np.array([[1.0, 1.0], [3.0, 9.0]])).tolist()
    [2.0, 4.5]
    """

    ends: tuple[float, ...] = ()

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        return evaluator.Blocks(self, receive)

    @property
    def plain(self) -> Structure:
        return self

    def spent(self, times: Values) -> Values:
        return np.asarray(self.ends[-1] * times)

    @property
    def portless(self) -> str | None:
        return "blocks, whose messages are unlike"


@dataclass(frozen=True)
class Chunks(Structure):
    """Done when every chunk of the work has been finished by ``copies`` workers.

    Worker w does the chunks ``orders[w]`` one after the other and sends each as it is finished.

    * ``orders``: chunks, counted from 0, in the order in which each worker does them.
    * ``copies``: workers that must have finished a chunk; so many or more hold it.
    * ``fresh``: whether each chunk takes a time of its own; else all chunks of a worker take the
      same.
    * ``AT_ONCE``: whether a worker sends its chunks in one answer, when all of them are finished.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> chunks = Chunks(((0, 1), (1, 0)))
    >>> Evaluator(chunks).done(np.array([[1.0], [3.0]])).tolist()  # worker 0 does both by 2
    [2.0]
    """

    CROWDS: ClassVar[bool] = True
    QUICK: ClassVar[bool] = False
    AT_ONCE: ClassVar[bool] = False

    orders: tuple[tuple[int, ...], ...]
    copies: int = 1
    fresh: bool = False

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        return evaluator.Redundant(evaluator.Chunks(self), self.workers, self.d, receive)

    @property
    def workers(self) -> int:
        return len(self.orders)

    @property
    def leaves_out(self) -> bool:
        return True

    def spent(self, times: Values) -> Values:
        return np.asarray(times.sum(axis=1) if self.fresh else self.after(self.d - 1) * times)

    def finished(self, times: Values) -> Values:
        """Return when workers have finished their chunks, (n, d, T), of times (n, 1 or d, T)."""
        return evaluator.finished(times, self.d)

    def lacking(self, times: Values, done: Values) -> Values:
        """Return how many chunks lack a copy at the moments ``done`` (T,), (T,)."""
        there = self.finished(times if times.ndim == 3 else times[:, np.newaxis]) <= done
        short = np.zeros(done.size)
        for holders in self.holders:
            copies = sum(there[worker, place].astype(np.int64) for worker, place in holders)
            short += copies < self.copies
        return short

    def lost(self, times: Values, done: Values, port: Port) -> Values:
        return self.lacking(times, done) / len(self.holders)

    @property
    def portless(self) -> str | None:
        said = "chunks that are only reported until each has its copies"
        return said if self.copies > 1 else None

    def steps(self, alike: Sequence[int], listed: bool, receive: float) -> float:
        from fastgc.systems.timing.laws.chunks import steps_of  # laws know structures

        return steps_of(self) if receive == 0 else math.inf

    def placed(self, fastest: Sequence[int]) -> list[int]:
        return dealt(fastest[: self.workers], self.d)

    @property
    def d(self) -> int:
        """Chunks that a worker does."""
        return len(self.orders[0])

    @property
    def tasks(self) -> int:
        return self.d if self.fresh else 1

    def after(self, place: int) -> int:
        """Return how many of its times a worker takes until the chunk at this place is there."""
        return place + 1

    @cached_property
    def holders(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Of each chunk the workers that do it, and at which place of their order, from 0."""
        found: list[list[tuple[int, int]]] = [[] for _ in range(1 + max(map(max, self.orders)))]
        for worker, order in enumerate(self.orders):
            for place, chunk in enumerate(order):
                found[chunk].append((worker, place))
        return tuple(map(tuple, found))

    def term(self) -> Term:
        """Return when every chunk has its copies, the tasks of workers one after the other."""
        return at_least(
            len(self.holders),
            *(
                at_least(self.copies, *(self._answer(worker, place) for worker, place in holders))
                for holders in self.holders
            ),
        )

    def _answer(self, worker: int, place: int) -> Term:
        if self.fresh:
            return Term(worker=worker, place=place)
        return Term(worker=worker, stretch=float(self.after(place)))

    @property
    def worst(self) -> int:
        """Q: so many finished chunks, no matter whose, are always enough, and Q − 1 may not be.

        The most that can be finished while chunk i lacks a copy: its holders stop before it, all
        but copies − 1 of them, and everybody else does everything.
        """
        most = 0
        for holders in self.holders:
            before = sum(place for _, place in holders) + self.d * (self.workers - len(holders))
            further = sorted((self.d - place for _, place in holders), reverse=True)
            most = max(most, before + sum(further[: self.copies - 1]))
        return most + 1


@dataclass(frozen=True)
class Batches(Chunks):
    """Done when every chunk is in an answer; worker w answers once, with the chunks ``orders[w]``.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> Evaluator(Batches(((0, 1), (1, 2), (2, 0)))).done(np.array([[1.0], [3.0], [2.0]])).tolist()
    [2.0]
    """

    AT_ONCE: ClassVar[bool] = True

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        return evaluator.Redundant(evaluator.Batches(self), self.workers, 1, receive)

    def after(self, place: int) -> int:
        """Return 1: a time is that of the whole batch."""
        return 1

    def finished(self, times: Values) -> Values:
        return np.broadcast_to(times, (len(times), self.d, times.shape[-1]))


@dataclass(frozen=True)
class Tree(Structure):
    """Done when the master, node 0, has received ``need[0]`` of its children's answers.

    Worker j is node j + 1 and child of node ``parents[j]`` ≤ j. Every node v with children waits
    for ``need[v]`` of their answers and for its own work, then sends; leaves have ``need`` 0.

    * ``parents`` (tuple of int (N,)).
    * ``need`` (tuple of int (N + 1,)).
    * ``regular``: children per parent, depth and answers waited for, where these are the same
      everywhere.

    >>> from fastgc.systems import coded_reduce
    >>> coded_reduce(n=2, layers=2, s=1).structure().parents
    (0, 0, 1, 1, 2, 2)
    """

    CUTS: ClassVar[bool] = True

    parents: tuple[int, ...]
    need: tuple[int, ...]
    regular: tuple[int, int, int] | None = None

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        return evaluator.Tree(self, receive, after_own)

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

    def answered(self, times: Values, done: Values, port: Port) -> Mask:
        return in_trees(self, times, port.receive, port.opens == "after-own")

    def busy(self, receive: float, messages: float | None) -> float | None:
        return receive * self.need[0]

    def steps(self, alike: Sequence[int], listed: bool, receive: float) -> float:
        if receive == 0 or listed:
            return super().steps(alike, listed, receive)
        # a node is evaluated for every message that its parent still waits for
        need = max(self.need)
        fan = float(max(self.children[0][1:] - self.children[0][:-1]))
        return fan * fan * need / 4 * need

    def placed(self, fastest: Sequence[int]) -> list[int]:
        used = list(fastest[: self.workers])
        return used if self.regular is None else in_layers(used, self.regular[0])

    def add_gates(self, gates: Gates, classes: Sequence[int]) -> None:
        below: list[list[int]] = [[] for _ in self.need]
        for node in range(self.workers, 0, -1):
            gate = gates.add(classes[node - 1], self.need[node], below[node])
            below[self.parents[node - 1]].append(gate)
        gates.add_master(self.need[0], below[0])

    @property
    def heard(self) -> Mask:
        return np.asarray(np.array(self.parents) == 0)

    @cached_property
    def children(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Offsets (N + 2,) and nodes (N,).

        The children of node v are ``nodes[offsets[v] : offsets[v + 1]]``.
        """
        parents = np.asarray(self.parents, np.int64)
        counts = np.bincount(parents, minlength=self.workers + 1)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        nodes = np.argsort(parents, kind="stable").astype(np.int64) + 1
        return offsets, nodes


@dataclass(frozen=True)
class Own(_OfWorkers):
    """Done when a function of the workers' times says: `fastgc.systems.System.done`.

    * ``done``: given times (trials, n), the seconds at which each trial is complete, (trials,).

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> second = Own(3, lambda times: np.sort(times, axis=1)[:, 1])
    >>> Evaluator(second).done(np.array([[3.0], [1.0], [2.0]])).tolist()
    [2.0]
    """

    OPAQUE: ClassVar[bool] = True
    ONE_ANSWER: ClassVar[bool] = True
    BY_WORKER: ClassVar[bool] = True
    QUICK: ClassVar[bool] = False

    n: int
    done: Callable[[Values], Values]

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        return evaluator.Own(self, receive)

    @property
    def of_tail(self) -> Structure:
        """None that the slowest worker's time has not."""
        return Flat(self.n, self.n)

    @property
    def leaves_out(self) -> bool:
        return True

    @property
    def portless(self) -> str | None:
        return "a system that says itself when it is done"

    def steps(self, alike: Sequence[int], listed: bool, receive: float) -> float:
        return math.inf


@dataclass(frozen=True)
class Composed(_OfWorkers):
    """Done when a term of the answers of n workers says.

    * ``n``: workers, among them all that the term names.
    * ``term``: when it is done.

    >>> from fastgc.systems import answers, at_least
    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> second = Composed(3, at_least(2, *answers(3)))
    >>> Evaluator(second).done(np.array([[3.0], [1.0], [2.0]])).tolist()
    [2.0]
    """

    CROWDS: ClassVar[bool] = True

    n: int
    term: Term

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        return Answering(self.term, receive)

    @property
    def tasks(self) -> int:
        return self.term.tasks

    @property
    def of_tail(self) -> Structure:
        """Where workers are waited for at several places, no tail that the slowest has not."""
        return Flat(self.n, self.n) if self.term.repeats else self

    @property
    def runs(self) -> bool:
        """Whether each worker sends one answer, after its one task, whenever it begins."""
        leaves = self.term.leaves
        usual = all((leaf.place, leaf.stretch) == (0, 1.0) for leaf in leaves)
        return usual and len({leaf.worker for leaf in leaves}) == len(leaves)

    @property
    def begins(self) -> tuple[float, ...]:
        delays = {leaf.worker: leaf.delay for leaf in self.term.leaves}
        return tuple(delays.get(j, 0.0) for j in range(self.n))

    @property
    def leaves_out(self) -> bool:
        return self.term.leaves_out

    def add_gates(self, gates: Gates, classes: Sequence[int]) -> None:
        gates.add_term(
            self.term, lambda leaf: None if leaf.worker is None else classes[leaf.worker]
        )

    def sent(self, times: Values) -> Values:
        return Answering(self.term, 0.0).last(times, math.inf)

    def worked(self, times: Values, done: Values) -> Values:
        term = Answering(self.term, 0.0)
        delays = term.begin(self.n)
        own = np.minimum(term.last(times, 0.0) - delays, np.maximum(done - delays, 0.0))
        return np.asarray(np.maximum(own, 0.0).sum(axis=0))

    @property
    def unfinished(self) -> str | None:
        return None if self.term.is_plain else super().unfinished


def composed(n: int, term: Term) -> "Capped | Composed | Flat | Replicated":
    """Return the structure of a term: a plain one where the term has its shape.

    >>> from fastgc.systems import answers, at_least
    >>> composed(3, at_least(2, *answers(3)))
    Flat(n=3, need=2)
    """
    if (term.stretch, term.delay) != (1.0, 0.0):
        return Composed(n, term)
    if term.of == answers(n):
        return Flat(n, term.k)
    if term.k == 1 and len(term.of) == 2 and term.of[1].is_constant:
        part = composed(n, term.of[0])
        return Capped(part, term.of[1].delay) if isinstance(part, Flat) else Composed(n, term)
    size = len(term.of[0].of) if term.of else 0
    if size > 1 and n % size == 0:
        groups = (at_least(1, *answers(size, first=first)) for first in range(0, n, size))
        if term.of == tuple(groups):
            return Replicated(n, size, term.k)
    return Composed(n, term)


@dataclass(frozen=True)
class Patient(_Later):
    """A master that waits on after the fastest worker, however early it could decode.

    Let the first answer be received after F, the last of all n after L (infinite where one never
    comes), and let those that ``part`` waits for be there after C. The master waits until
    (1 + patience)·F, or until all have answered, and decodes with all answers that it has received
    by then; where they are too few, it waits on until they are enough. So it is done after

        max(C, min((1 + patience)·F, L)),

    and its messages are the answers received until then: who is missing is a straggler of this
    round. Patience makes no exact code faster. Where one answer is enough it is the only rule
    (``Flat(n, 1)``): all answers in time are used, and the result is not exact.

    * ``part`` (Flat or Replicated).
    * ``patience``: more than 0; with 0 the master is done as ``part`` is.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> Evaluator(Patient(Flat(3, 2), patience=1.0)).done(np.array([[3.0], [1.0], [1.5]])).tolist()
    [2.0]
    """

    BY_WORKER: ClassVar[bool] = True
    CROWDS: ClassVar[bool] = True

    part: Flat | Replicated
    patience: float

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        return evaluator.Patient(self.part.procedure(receive, False), self.patience, receive)

    def same_lost(self, whole: bool) -> float | None:
        if self.part.group is None:
            return super().same_lost(whole)
        return 0.0 if self.part.same_lost(whole) == 0 else None

    def lost(self, times: Values, done: Values, port: Port) -> Values:
        there = self.answered(times, done, port)
        if self.part.group is not None:
            there = np.asarray(there.reshape(-1, self.part.group, done.size).any(axis=1))
        return _missing(there)

    def steps(self, alike: Sequence[int], listed: bool, receive: float) -> float:
        return super().steps(alike, listed, receive) if receive == 0 else math.inf


@dataclass(frozen=True)
class Capped(_Later):
    """A master that stops waiting at a deadline, with the answers that it has by then.

    * ``part``: what it waits for until then.
    * ``deadline``: seconds.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> times = np.array([[1.0, 1.0], [1.5, 9.0]])
    >>> Evaluator(Capped(Flat(2, 2), deadline=2.0)).done(times).tolist()
    [1.5, 2.0]
    """

    BY_WORKER: ClassVar[bool] = True

    part: Flat | Chunks
    deadline: float

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        return evaluator.Capped(self.part.procedure(receive, False), self.deadline, receive)

    @property
    def leaves_out(self) -> bool:
        return True

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
    def portless(self) -> str | None:
        return None if self.part.ANY else "chunks that are waited for until a deadline"


@dataclass(frozen=True)
class Summed(_OfRounds):
    """All n workers answer once in ``period`` rounds; a time is that of one round on average.

    Every worker does the work of its rounds one after the other, each in a time of its own.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> times = np.array([[[1.0], [5.0]], [[4.0], [1.0]]])  # workers, rounds, trials
    >>> Evaluator(Summed(n=2, period=2)).done(times).tolist()
    [3.0]
    """

    n: int
    period: int

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        return evaluator.Summed(self.end.procedure(receive, False), self.period)

    @property
    def tasks(self) -> int:
        return self.period

    def worked(self, times: Values, done: Values) -> Values:
        return np.asarray(times.sum(axis=(0, 1)) / self.period)

    @property
    def messages(self) -> float | None:
        return self.n / self.period

    def steps(self, alike: Sequence[int], listed: bool, receive: float) -> float:
        return self.end.steps(alike, listed, receive)

    @property
    def in_parts(self) -> Structure:
        """The whole period, of which a simulation's time is an average."""
        return self.end


@dataclass(frozen=True)
class Delayed(_Later):
    """Groups of workers on the same work, of which worker j begins ``delays[j]`` seconds late.

    When one worker of a group is done, the others of the group stop, or never begin. All groups
    are waited for.

    * ``part``: the groups.
    * ``delays``: seconds.

    >>> from fastgc.systems.timing.evaluator import Evaluator
    >>> clones = Delayed(Replicated(2, 2, 1), (0.0, 1.0))
    >>> Evaluator(clones).done(np.array([[5.0, 1.5], [1.0, 1.0]])).tolist()
    [2.0, 1.5]
    """

    part: Replicated
    delays: tuple[float, ...]

    def procedure(self, receive: float, after_own: bool) -> evaluator.Procedure:
        return evaluator.Delayed(self, receive)

    def sent(self, times: Values) -> Values:
        return np.asarray(times + np.asarray(self.delays)[:, np.newaxis])

    def ends(self, times: Values) -> Values:
        """Return when each group is done, (groups, T)."""
        sent = self.sent(times)
        return np.asarray(sent.reshape(-1, self.part.size, times.shape[1]).min(axis=1))

    def worked(self, times: Values, done: Values) -> Values:
        ends = np.repeat(self.ends(times), self.part.size, axis=0)
        begun = np.maximum(ends - np.asarray(self.delays)[:, np.newaxis], 0.0)
        return np.asarray(np.minimum(times, begun).sum(axis=0))

    @property
    def portless(self) -> str | None:
        return "clones"

    @property
    def unfinished(self) -> str | None:
        return "copies of a piece stop each other"

    @property
    def begins(self) -> tuple[float, ...]:
        return self.delays

    @property
    def relaunches(self) -> int:
        return self.part.size

    def term(self) -> Term:
        """Return when one worker of every group is done."""
        each = answers(self.workers, delays=self.delays)
        size = self.part.size
        groups = [each[first : first + size] for first in range(0, len(each), size)]
        return at_least(len(groups), *(at_least(1, *group) for group in groups))
