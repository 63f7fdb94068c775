"""Terms compiled: completion times of many trials, and what is received until then."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fastgc.arrays import Brief, Values
from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.systems.timing.laws.evaluation import GateEvaluation, Gates, Worker
from fastgc.systems.timing.laws.structure_law import LawRequest
from fastgc.systems.timing.order_draws import joined, selection
from fastgc.systems.timing.rounds import received
from fastgc.systems.timing.stars import Flat
from fastgc.systems.timing.terms import Term, moved
from fastgc.systems.timing.timed_structure import Counted, OfWorkers, Times, until
from fastgc_kernels.complete import term_kernel

#: Trials that are looked at together: they stay in the cache.
_WIDE = 1024


class CompiledTerm:
    """A term, ready for many trials; ``numbers`` are the rows of times that its answers take."""

    def __init__(self, term: Term, numbers: dict[Term, int] | None = None) -> None:
        gates = [each for each in term.inner if each.of] or [Term(1, (term,))]
        leaves = [each for each in term.inner if not each.of]
        number = {each: i for i, each in enumerate(gates)}
        number |= {each: -1 - i for i, each in enumerate(leaves)}
        inputs = [[number[each] for each in gate.of] for gate in gates]
        known = numbers or {}
        heard = [Term(worker=known[each]) if each in known else each for each in leaves]
        at = [(-1 if each.worker is None else each.worker, each.place) for each in heard]
        moves = [(each.stretch, each.delay) for each in heard]
        # the network of each gate; those of one shape share theirs
        shapes = [(len(gate.of), gate.k) for gate in gates]
        place = {shape: i for i, shape in enumerate(dict.fromkeys(shapes))}
        none = np.zeros((0, 2), np.int32)  # first and last ones are found in one pass
        starts, networks = joined(
            [selection(many, [k - 1]) if 1 < k < many else none for many, k in place]
        )
        own = np.array([place[shape] for shape in shapes])
        self._compiled = (
            np.array(at, np.int64),
            np.array(moves),
            np.cumsum([0, *map(len, inputs)], dtype=np.int64),
            np.array([each for own in inputs for each in own], np.int64),
            np.array([gate.k for gate in gates], np.int64),
            np.array([(gate.stretch, gate.delay) for gate in gates]),
            networks,
            starts[own],
            starts[own + 1],
        )

    def done(self, times: Values) -> Values:
        """Return when trials are done, (T,), by times (n, T), or (n, tasks, T) of tasks' ends."""
        by_task = times if times.ndim == 3 else times[:, np.newaxis]
        found = np.empty(times.shape[-1])
        for first in range(0, found.size, _WIDE):
            own = np.ascontiguousarray(by_task[..., first : first + _WIDE])
            term_kernel.evaluate(own, *self._compiled, found[first : first + _WIDE])
        return found


@dataclass(frozen=True)
class Composed(OfWorkers):
    """Done when a term of the answers of n workers says.

    Answers come in order of time, those at the same moment in order of worker and task. All that
    come until the term is reached are received, needed or not, behind a port in turn.
    """

    CROWDS: ClassVar[str] = "parts of a term"

    n: int
    term: Term

    @cached_property
    def _by_time(self) -> CompiledTerm:
        return CompiledTerm(self.term)

    @cached_property
    def _by_arrival(self) -> CompiledTerm:
        # of moments at which answers are received, a row each
        return CompiledTerm(self.term, {leaf: row for row, leaf in enumerate(self.term.leaves)})

    def evaluate(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Times:
        if receive > 0:
            return self._by_arrival.done(received(self.arrivals(times), receive))
        return self._by_time.done(self._ends(times))

    def counted(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Counted:
        arrivals = received(self.arrivals(times), receive)
        done = self._by_arrival.done(arrivals)
        messages = self.received(arrivals, done)
        return done, messages, messages.copy()

    def received(self, arrivals: Values, done: Values) -> Values:
        """Return how many answers, received at these moments, it takes until trials are done."""
        messages: Values = ((arrivals < done) & np.isfinite(arrivals)).sum(axis=0).astype(float)
        ends = (arrivals == done) & np.isfinite(arrivals)
        messages += ends.any(axis=0)
        tied = np.flatnonzero(ends.sum(axis=0) > 1)
        # so many are received at the very moment that ends a trial
        heard, there = np.where(ends[:, tied], np.inf, arrivals[:, tied]), np.zeros(tied.size)
        for row, own in enumerate(ends[:, tied]):
            at = own & (self._by_arrival.done(heard) > done[tied])
            heard[row, at] = done[tied][at]
            there += at
        messages[tied] += np.maximum(there - 1, 0.0)
        return messages

    def arrivals(self, times: Values) -> Values:
        ends = self._ends(times)
        ends = ends if ends.ndim == 3 else ends[:, np.newaxis]
        found = np.empty((len(self.term.leaves), ends.shape[-1]))
        for row, leaf in zip(found, self.term.leaves, strict=True):
            row[:] = leaf.stretch * ends[leaf.worker, leaf.place] + leaf.delay
        return found

    def _ends(self, times: Values) -> Values:
        return np.cumsum(times, axis=1) if times.ndim == 3 and times.shape[1] > 1 else times

    def _last(self, times: Values, idle: float) -> Values:
        """Return when each worker has sent its last answer, (n, T); ``idle`` where it has none."""
        found = np.full((len(times), times.shape[-1]), -np.inf)
        for leaf, sent in zip(self.term.leaves, self.arrivals(times), strict=True):
            found[leaf.worker] = np.maximum(found[leaf.worker], sent)
        return np.where(found == -np.inf, idle, found)

    def sent(self, times: Values) -> Values:
        return self._last(times, np.inf)

    def worked(self, times: Values, done: Values) -> Values:
        begin = np.array(self.begins)[:, np.newaxis]
        own = np.minimum(self._last(times, 0.0) - begin, np.maximum(done - begin, 0.0))
        return np.asarray(np.maximum(own, 0.0).sum(axis=0))

    def counts(self, asked: LawRequest) -> GateEvaluation:
        self.refuse_port(asked.receive)
        if any(each.is_constant for each in self.term.inner):
            raise FastgcError("a term with a moment that comes in any case has no exact law")
        kinds: dict[tuple[int, int, float, float], int] = {}

        def class_of(leaf: Term) -> int:
            assert leaf.worker is not None
            kind = asked.classes[leaf.worker], leaf.place, leaf.stretch, leaf.delay
            return kinds.setdefault(kind, len(kinds))

        later = ((each.stretch, each.delay, len(each.of)) for each in self.term.inner if each.of)
        is_plain = all(own[:2] == (1.0, 0.0) and own[2] > 1 for own in later)
        gates = Gates()
        # answers and constants alone are moved
        gates.add_term(self.term if is_plain else moved(self.term), class_of)
        laws = []
        for own, place, stretch, delay in kinds:
            worker = asked.workers[own]
            time = worker.time.total(place + 1).moved(stretch, delay)
            laws.append(Worker(time, worker.answers))
        return GateEvaluation(gates.gates, laws, 0.0, False)

    def add_gates(self, gates: Gates, classes: Sequence[int]) -> None:
        gates.add_term(
            self.term, lambda leaf: None if leaf.worker is None else classes[leaf.worker]
        )

    @property
    def tasks(self) -> int:
        return self.term.tasks

    @property
    def runs(self) -> bool:
        leaves = self.term.leaves
        usual = all((leaf.place, leaf.stretch) == (0, 1.0) for leaf in leaves)
        return usual and len({leaf.worker for leaf in leaves}) == len(leaves)

    @property
    def begins(self) -> tuple[float, ...]:
        delays: dict[int | None, float] = {}
        for leaf in self.term.leaves:
            delays[leaf.worker] = min(leaf.delay, delays.get(leaf.worker, math.inf))
        return tuple(delays.get(j, 0.0) for j in range(self.n))

    def tail_index(self, workers: Sequence[Worker], classes: Sequence[int]) -> float:
        if self.term.repeats:  # they have no tail that the slowest of all workers has not
            return Flat(self.n, self.n).tail_index(workers, classes)
        return super().tail_index(workers, classes)

    @property
    def leaves_out(self) -> bool:
        return self.term.leaves_out

    @property
    def unfinished(self) -> str | None:
        leaves = self.term.leaves
        usual = all((leaf.place, leaf.stretch, leaf.delay) == (0, 1.0, 0.0) for leaf in leaves)
        return None if usual and not self.term.repeats else super().unfinished


@dataclass(frozen=True, repr=False)
class Delayed(Brief, Composed):
    """Groups of ``size`` workers on the same work, who begin one after the other.

    When one worker of a group is done, the others of the group stop, or never begin.
    """

    ONE_ANSWER: ClassVar[bool] = True
    CROWDS: ClassVar[str] = "clones"

    size: int
    no_port = "clones"
    unfinished = "copies of a piece stop each other"

    def counted(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Counted:
        ends = self._ends_of_groups(times)
        return until(ends.max(axis=0), ends)

    def counts(self, asked: LawRequest) -> GateEvaluation:
        found = super().counts(asked)
        return replace(found, gates=found.gates[:-1])  # the master waits for pieces, not for one

    def _ends_of_groups(self, times: Times) -> Times:
        return np.asarray(self.sent(times).reshape(-1, self.size, times.shape[1]).min(axis=1))

    def worked(self, times: Values, done: Values) -> Values:
        ends = np.repeat(self._ends_of_groups(times), self.size, axis=0)
        begun = np.maximum(ends - np.array(self.begins)[:, np.newaxis], 0.0)
        return np.asarray(np.minimum(times, begun).sum(axis=0))

    @property
    def group(self) -> int:
        return self.size

    @property
    def relaunches(self) -> int:
        return self.size
