"""Parts of the work of which several workers hold each: groups, layers of tasks, and chunks."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Brief, Values
from fastgc.errors import FastgcError
from fastgc.latency.time import KernelLaw, Time
from fastgc.registry.cached import cached_property
from fastgc.systems.timing import order_draws
from fastgc.systems.timing.gates import Composed
from fastgc.systems.timing.laws.evaluation import Gates, Worker, late_index
from fastgc.systems.timing.laws.part_laws import ChunksEvaluation, LayersEvaluation, deciding_layers
from fastgc.systems.timing.order_draws import Networks, joined, selection
from fastgc.systems.timing.rounds import Port
from fastgc.systems.timing.stars import Enough, Flat
from fastgc.systems.timing.terms import Term, at_least
from fastgc.systems.timing.timed_structure import Counted, OfWorkers, Structure, Times, dealt, until
from fastgc_kernels.complete import part_times

if TYPE_CHECKING:
    from fastgc.systems.timing.laws.structure_law import Evaluation, LawRequest
    from fastgc.systems.timing.order_draws import Draw


class Redundant(Structure):
    """What also receives answers of parts that are complete already.

    Work has parts, each of which counts so many answers; times are (n, 1, T) of workers, or
    (n, tasks, T) of tasks.
    """

    @cached_property
    @abstractmethod
    def _counting(self) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Parts (n, tasks) that answers are for, how many count of each, and of all together."""

    @abstractmethod
    def _done(self, times: Times, out: Times) -> None:
        """Write when each trial is complete where messages take no time, (T,)."""

    def evaluate(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Times:
        if receive > 0:
            return self.counted(times, receive)[0]
        done = np.empty(times.shape[-1])
        self._done(_by_task(times), done)
        return done

    def counted(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Counted:
        of_tasks, done = _by_task(times), np.empty(times.shape[-1])
        self._done(of_tasks, done)
        messages = self._received(of_tasks, done)
        if receive > 0:
            each = self._counting[0].shape[1]
            part_times.serve(of_tasks, each, self._sorting, messages, receive, done)
        return done, messages, messages.copy()

    def _received(self, times: Times, done: Times) -> Times:
        messages = np.empty(done.size)
        part_times.count(times, *self._counting, done, messages)
        return messages

    @cached_property
    def _sorting(self) -> NDArray[np.int32]:
        answers = self._counting[0].size
        return selection(answers, range(answers))


def _by_task(times: Times) -> Times:
    return times if times.ndim == 3 else times[:, np.newaxis]


@dataclass(frozen=True)
class Replicated(Redundant, Enough):
    """Done when the master has received an answer of ``need`` of the groups of ``size`` workers.

    Worker j is in group j // size; further answers of a group are received too.
    """

    CROWDS: ClassVar[str] = "groups"

    n: int
    size: int
    need: int

    @cached_property
    def _counting(self) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        part = np.arange(self.n)[:, np.newaxis] // self.size
        return part, np.ones(self.n // self.size, np.int64), self.need

    @cached_property
    def _network(self) -> NDArray[np.int32]:
        return selection(self.n // self.size, [self.need - 1])

    def _done(self, times: Times, out: Times) -> None:
        part_times.groups(times, self.size, self.need, self._network, out)

    def drawn(self, law: KernelLaw, receive: float, after_own: bool) -> "Draw | None":
        if receive > 0:
            return None
        return order_draws.latest(law, self.n // self.size, {self.need: 1}, 1.0 / self.size)

    def counts(self, asked: "LawRequest") -> "Evaluation":
        if asked.receive > 0 and self.size == 1:
            return Flat(self.n, self.need).counts(asked)
        return super().counts(asked)

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


@dataclass(frozen=True)
class Layers(Redundant, OfWorkers):
    """Done when ``k[j]`` workers have sent their task of layer j, for every j.

    Every worker does its tasks one after the other, one a layer. ``fresh``: each task takes a time
    of its own; otherwise a worker's tasks all take the same time. ``ends``: or a worker with the
    time X has done the j-th at ``ends[j]`` · X; these are more than 0, and rising.
    """

    ANY: ClassVar[bool] = True
    CROWDS: ClassVar[str] = "layers"
    CUTS: ClassVar[bool] = True
    QUICK: ClassVar[bool] = False

    n: int
    k: tuple[int, ...]
    fresh: bool = False
    ends: tuple[float, ...] = ()

    @property
    def no_port(self) -> str | None:
        return "blocks, whose messages are unlike" if self.ends else None

    @cached_property
    def _ends(self) -> Values:
        """How many of its times a worker takes for each layer and those before."""
        return np.array(self.ends or range(1, len(self.k) + 1), np.float64)

    @cached_property
    def _counting(self) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        k = np.asarray(self.k[: self.parts], np.int64)
        return np.tile(np.arange(k.size), (self.n, 1)), k, int(k.sum())

    @cached_property
    def _order(self) -> Networks:
        places = [[need - 1] if need else [] for need in self.k[: self.parts]]
        if not self.fresh:
            places = [[place for layer in places for place in layer]]
        return joined([selection(self.n, wanted) for wanted in places])

    def _done(self, times: Times, out: Times) -> None:
        part_times.layers(times, self._counting[1], self._ends, *self._order, out)

    def counted(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Counted:
        if not self.ends:
            return super().counted(times, receive)
        return until(self.evaluate(times), np.concatenate([end * times for end in self.ends]))

    def drawn(self, law: KernelLaw, receive: float, after_own: bool) -> "Draw | None":
        if receive > 0 or self.fresh:
            return None
        slowest = {k: end for k, end in zip(self.k, self._ends.tolist(), strict=True) if k > 0}
        return order_draws.latest(law, self.n, slowest, of_place=Flat)

    def counts(self, asked: "LawRequest") -> "Evaluation":
        if len(self.k) == 1 and not self.ends:
            return Flat(self.n, self.k[0]).counts(asked)
        self.refuse_port(asked.receive)
        sums = _sums(asked.workers, {*deciding_layers(self.k), 0}, self.fresh, self._ends)
        sizes = np.bincount(asked.classes, minlength=len(sums)).tolist()
        return LayersEvaluation(self.k, sizes, sums)

    @property
    def tasks(self) -> int:
        return len(self.k) if self.fresh else 1

    @property
    def plain(self) -> Structure:
        return Flat(self.n, self.k[0]) if len(self.k) == 1 and not self.ends else self

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
        if self.fresh:
            return np.asarray(times[:, : self.parts].sum(axis=1))
        return np.asarray((self.ends[-1] if self.ends else self.parts) * times)

    @property
    def parts(self) -> int:
        """Layers up to the last that is needed: those after it are not worked on."""
        return len(np.trim_zeros(np.asarray(self.k), "b"))

    @property
    def in_parts(self) -> Structure:
        return replace(self, fresh=True)


def _sums(
    workers: Sequence[Worker], tasks: set[int], fresh: bool, ends: Values
) -> list[Mapping[int, Worker]]:
    """The laws of what each class of workers takes for its tasks up to the j-th, by j."""

    def of(time: Time, j: int) -> Time:
        return time.total(j + 1) if fresh else time.moved(float(ends[j]))

    return [{j: Worker(of(worker.time, j), worker.answers) for j in tasks} for worker in workers]


@dataclass(frozen=True, repr=False)
class Chunks(Brief, Redundant):
    """Done when every chunk of the work has been finished by a worker.

    Worker w does the chunks ``orders[w]``, counted from 0, one after the other, and sends each when
    it is finished; ``fresh``: each takes a time of its own, else all of a worker's take the same.
    ``at_once``: a worker sends its chunks in one answer, and its time is that of all.
    """

    CROWDS: ClassVar[str] = "chunks"
    GATES: ClassVar[bool] = False
    QUICK: ClassVar[bool] = False

    orders: tuple[tuple[int, ...], ...]
    fresh: bool = False
    at_once: bool = False
    leaves_out = True

    @property
    def workers(self) -> int:
        return len(self.orders)

    @property
    def d(self) -> int:
        """Chunks that a worker does."""
        return len(self.orders[0])

    @property
    def tasks(self) -> int:
        return self.d if self.fresh else 1

    @cached_property
    def ends(self) -> Values:
        """How many of its times a worker takes until the chunk at each place is there, (d,)."""
        return np.ones(self.d) if self.at_once else np.arange(1.0, self.d + 1.0)

    @cached_property
    def holders(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Of each chunk the workers that do it, and at which place of their order, from 0."""
        found: list[list[tuple[int, int]]] = [[] for _ in range(1 + max(map(max, self.orders)))]
        for worker, order in enumerate(self.orders):
            for place, chunk in enumerate(order):
                found[chunk].append((worker, place))
        return tuple(map(tuple, found))

    @cached_property
    def of_term(self) -> Composed:
        """When every chunk is there, the tasks of workers one after the other."""

        def answer(worker: int, place: int) -> Term:
            if self.fresh:
                return Term(worker=worker, place=place)
            return Term(worker=worker, stretch=float(self.ends[place]))

        chunks = (
            at_least(1, *(answer(worker, place) for worker, place in holders))
            for holders in self.holders
        )
        return Composed(self.workers, at_least(len(self.holders), *chunks))

    @cached_property
    def _counting(self) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        wanted = np.ones(len(self.holders), np.int64)
        answers = np.array(self.orders, np.int64)
        return answers[:, :1] if self.at_once else answers, wanted, int(wanted.sum())

    def _done(self, times: Times, out: Times) -> None:
        out[:] = self.of_term.evaluate(times)

    def _received(self, times: Times, done: Times) -> Times:
        if self.at_once:  # one answer is for several chunks
            return self.of_term.received(times[:, 0], done)
        return super()._received(times, done)

    def counts(self, asked: "LawRequest") -> "Evaluation":
        self.refuse_port(asked.receive)
        if any(worker.answers < 1 for worker in asked.workers):
            raise FastgcError("chunks of workers that may never answer have no exact law")
        sums = _sums(asked.workers, set(range(self.d)), self.fresh, self.ends)
        return ChunksEvaluation(self, asked.classes, sums)

    def tail_index(self, workers: Sequence[Worker], classes: Sequence[int]) -> float:
        each = [(worker.time.tail_exponent(), worker.answers < 1) for worker in workers]
        return min(
            late_index([each[classes[w]] for w, _ in holders], 1) for holders in self.holders
        )

    def decodes(self, p: Sequence[float]) -> float:
        none = np.zeros(1)
        of_p = {own: [np.array([own]), *[none] * (self.d - 1), np.array([1 - own])] for own in p}
        evaluation = ChunksEvaluation(self, [0] * self.workers, [])
        return float(evaluation.probabilities([of_p[own] for own in p])[0][0])

    def spent(self, times: Values) -> Values:
        return np.asarray(times.sum(axis=1) if self.fresh else float(self.ends[-1]) * times)

    def arrivals(self, times: Values) -> Values:
        return self.of_term.arrivals(times)

    def lost(self, times: Values, done: Values, port: Port) -> Values:
        """Return the share of the chunks that nobody has finished."""
        of_tasks = _by_task(times)
        is_fresh = of_tasks.shape[1] > 1
        ends = np.cumsum(of_tasks, axis=1) if is_fresh else self.ends[:, np.newaxis] * of_tasks
        there = ends <= done
        short = np.zeros(done.size)
        for holders in self.holders:
            short += ~np.any([there[worker, place] for worker, place in holders], axis=0)
        return short / len(self.holders)

    def placed(self, fastest: Sequence[int]) -> list[int]:
        return dealt(fastest[: self.workers], self.d)

    @property
    def worst(self) -> int:
        """Q: so many finished chunks, no matter whose, are always enough, and Q − 1 may not be.

        The most that can be finished while chunk i is missing: its holders stop before it, and
        everybody else does everything.
        """
        return 1 + max(
            sum(place for _, place in holders) + self.d * (self.workers - len(holders))
            for holders in self.holders
        )
