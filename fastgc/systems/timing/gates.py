"""Terms compiled: completion times of many trials, and what is received until then."""

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.registry.cached import cached_property
from fastgc.systems.timing.port import received
from fastgc.systems.timing.terms import Term
from fastgc_kernels.complete import networks, terms


class Gates:
    """A term, ready for many trials; ``numbers`` are the rows of times that its answers take.

    >>> from fastgc.systems.timing.terms import parse
    >>> Gates(parse("2 of (w0, w1, 2 * w2)")).done(np.array([[1.0], [9.0], [2.0]])).tolist()
    [4.0]
    """

    def __init__(self, term: Term, numbers: dict[Term, int] | None = None) -> None:
        gates = [each for each in term.inner if each.of]
        leaves = [each for each in term.inner if not each.of]
        number = {each: i for i, each in enumerate(gates)}
        number |= {each: -1 - i for i, each in enumerate(leaves)}
        inputs = [[number[each] for each in gate.of] for gate in gates]
        if not gates:  # an answer or a constant alone
            gates, inputs = [Term(1, (term,))], [[-1]]
        self._leaves = np.array([(_worker(each), each.place) for each in leaves], np.int64)
        self._leaf_moves = np.array([(each.stretch, each.delay) for each in leaves])
        if numbers is not None:
            for i, leaf in enumerate(leaves):
                if leaf in numbers:
                    self._leaves[i], self._leaf_moves[i] = (numbers[leaf], 0), (1.0, 0.0)
        self._first = np.cumsum([0, *map(len, inputs)], dtype=np.int64)
        self._inputs = np.array([each for own in inputs for each in own], np.int64)
        self._k = np.array([gate.k for gate in gates], np.int64)
        self._moves = np.array([(gate.stretch, gate.delay) for gate in gates])
        self._select([(len(gate.of), gate.k) for gate in gates])

    def _select(self, shapes: list[tuple[int, int]]) -> None:
        """Find the network of each gate; those of one shape share theirs."""
        found: dict[tuple[int, int], tuple[int, NDArray[np.int32]]] = {}
        end = 0
        for many, k in shapes:
            if 1 < k < many and (many, k) not in found:
                wanted = np.zeros(many, np.bool_)
                wanted[k - 1] = True
                own = networks.selection(wanted)
                found[many, k] = end, own
                end += len(own)
        parts = [own for _, own in found.values()]
        self._networks = np.concatenate([*parts, np.zeros((0, 2), np.int32)])
        starts = [found[shape][0] if shape in found else 0 for shape in shapes]
        counts = [len(found[shape][1]) if shape in found else 0 for shape in shapes]
        self._starts = np.array(starts, np.int64)
        self._ends = self._starts + np.array(counts, np.int64)

    def done(self, times: Values) -> Values:
        """Return when each trial is done, (T,), by times (n, T), or (n, tasks, T) of tasks' ends.

        In groups of trials small enough for the cache; a trial's time is its own alone.
        """
        times = times if times.ndim == 3 else times[:, np.newaxis]
        found = np.empty(times.shape[-1])
        terms.evaluate(
            times,
            self._leaves,
            self._leaf_moves,
            self._first,
            self._inputs,
            self._k,
            self._moves,
            self._networks,
            self._starts,
            self._ends,
            found,
        )
        return found


def _worker(leaf: Term) -> int:
    return -1 if leaf.worker is None else leaf.worker


class Answering:
    """A term whose answers are received one after the other, behind a port or not.

    Answers come in order of time, those at the same moment in order of worker and task. Whatever
    comes until the term is reached is received, whether it is needed or not.
    """

    def __init__(self, term: Term, receive: float) -> None:
        self._leaves, self._receive = term.leaves, receive
        self._tasks = term.tasks
        self._term = term

    @cached_property
    def _gates(self) -> Gates:
        """The term of moments at which tasks are done; who asks for answers alone needs none."""
        return Gates(self._term)

    @cached_property
    def _of_answers(self) -> Gates:
        """The term of moments at which answers are received, a row each."""
        return Gates(self._term, {leaf: row for row, leaf in enumerate(self._leaves)})

    def done(self, times: Values) -> Values:
        """Return when each trial is done, (T,)."""
        if self._receive > 0:
            return self._of_answers.done(self._received(self.arrivals(times)))
        return self._gates.done(self._ends(times))

    def counted(self, times: Values) -> tuple[Values, Values, Values]:
        """Return when trials are done, and how many answers the master has received by then."""
        arrivals = self._received(self.arrivals(times))
        done = self._of_answers.done(arrivals)
        messages = ((arrivals < done) & np.isfinite(arrivals)).sum(axis=0).astype(np.float64)
        ends = (arrivals == done) & np.isfinite(arrivals)
        tied = np.flatnonzero(ends.sum(axis=0) > 1)
        messages += ends.any(axis=0)
        messages[tied] += self._more(arrivals[:, tied], ends[:, tied], done[tied])
        return done, messages, messages.copy()

    def _more(self, arrivals: Values, ends: NDArray[np.bool_], done: Values) -> Values:
        """Return how many answers beyond one are received at the very moment that ends a trial."""
        heard = np.where(ends, np.inf, arrivals)
        received = np.zeros(done.size)
        for row in range(len(arrivals)):
            at = ends[row] & (self._of_answers.done(heard) > done)
            heard[row, at] = done[at]
            received += at
        return np.maximum(received - 1, 0.0)

    def arrivals(self, times: Values) -> Values:
        """Return when each answer is sent, (answers, T)."""
        ends = self._ends(times)
        ends = ends if ends.ndim == 3 else ends[:, np.newaxis]
        found = np.empty((len(self._leaves), ends.shape[-1]))
        for row, leaf in zip(found, self._leaves, strict=True):
            row[:] = leaf.stretch * ends[leaf.worker, leaf.place] + leaf.delay
        return found

    def last(self, times: Values, idle: float) -> Values:
        """Return when each worker has sent its last answer, (n, T); ``idle`` where it has none."""
        found = np.full((len(times), times.shape[-1]), -np.inf)
        for leaf, sent in zip(self._leaves, self.arrivals(times), strict=True):
            found[leaf.worker] = np.maximum(found[leaf.worker], sent)
        return np.where(found == -np.inf, idle, found)

    def begin(self, workers: int) -> Values:
        """Return the seconds after which each worker begins, (n, 1)."""
        found = np.full((workers, 1), np.inf)
        for leaf in self._leaves:
            found[leaf.worker] = min(found[leaf.worker, 0], leaf.delay)
        return np.where(np.isfinite(found), found, 0.0)

    def _ends(self, times: Values) -> Values:
        """Return when workers have done their tasks, one after the other."""
        return np.cumsum(times, axis=1) if times.ndim == 3 and self._tasks > 1 else times

    def _received(self, arrivals: Values) -> Values:
        """Return when a port has received each answer, one at a time in order of arrival."""
        return arrivals if self._receive == 0 else received(arrivals, self._receive)
