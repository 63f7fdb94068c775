"""What is asked of a structure: whose answers the master, or each parent, waits for.

Whoever needs to know something of a structure asks it: no one else tells the kinds apart. They are
in `stars`, `group_structures` and `gates`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.errors import FastgcError
from fastgc.latency.time import Certain, KernelLaw
from fastgc.systems.timing.laws import structure_law
from fastgc.systems.timing.laws.evaluation import GateEvaluation, Gates, Worker, gates_of
from fastgc.systems.timing.rounds import Port, received

if TYPE_CHECKING:
    from fastgc.systems.timing.laws import CompletionLaw
    from fastgc.systems.timing.order_draws import Draw

Times = Values
#: When trials are done, and the messages of all ports and of the master's until then, each (T,).
Counted = tuple[Times, Times, Times]


def dealt(workers: Sequence[int], size: int) -> list[int]:
    """Return workers in an order in which neighbours, ``size`` to a group, are a mix."""
    groups = max(1, -(-len(workers) // size))
    return [workers[i] for first in range(groups) for i in range(first, len(workers), groups)]


class InRounds(ABC):
    """What is asked of a structure about the rounds of its workers, simulated and real.

    * ``ONE_ANSWER``: whether each worker sends one answer, and none is above another.
    """

    ONE_ANSWER: ClassVar[bool] = False

    @property
    @abstractmethod
    def workers(self) -> int:
        """Number of workers."""

    @property
    def tasks(self) -> int:
        """Times that a worker takes in a round, one after the other."""
        return 1

    # ---- what happens in a round

    @abstractmethod
    def evaluate(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Times:
        """Return when each trial is complete; see `fastgc.systems.timing.rounds.Evaluator`."""

    @abstractmethod
    def counted(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Counted:
        """Return that, and the messages of all ports and of the master's until then."""

    def drawn(self, law: KernelLaw, receive: float, after_own: bool) -> "Draw | None":
        """Return what draws its times without workers'; None where workers must be drawn."""
        return None

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

    def arrivals(self, times: Values) -> Values:
        """Return when each answer is sent, (answers, T)."""
        return times

    def worked(self, times: Values, done: Values) -> Values:
        """Return the seconds that all workers work until they or the round are done, (T,)."""
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
        """Return the share of the work that is lost in every round; None where rounds differ."""
        return 0.0 if whole else None

    def lost(self, times: Values, done: Values, port: Port) -> Values:
        """Return the share of the work without an answer when rounds are done, (T,)."""
        return missing(self.answered(times, done, port))

    # ---- what it can be combined with

    @property
    def no_port(self) -> str | None:
        """What it is that can have no port, in words; None where it may have one."""
        return None

    @property
    def unfinished(self) -> str | None:
        """Why late workers cannot finish before they take up a round; None where they can."""
        return None if self.ONE_ANSWER else "a worker has several tasks or messages in a round"

    # ---- in runs on real workers

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


class Structure(InRounds):
    """What a master waits for, and whatever is asked of it; a kind says where it is different.

    * ``OF_ROUNDS``: whether a time is an average over several rounds.
    * ``BY_WORKER``: whether those have their gradients in who answer before it is done.
    * ``ANY``: whether only how many answer decides, and not who.
    * ``QUEUES``: whether messages wait for each other at a port.
    * ``CROWDS``: of what answers that are no longer needed keep a port busy, too; "" where none do.
    * ``COUNTED``: whether it is done with one count of equal arrivals, as exact laws have it.
    * ``GATES``: whether it is gates, of which no two wait for one worker.
    * ``CUTS``: whether it decides how samples are cut.
    * ``QUICK``: whether its exact law takes some milliseconds where all workers are alike.
    """

    OF_ROUNDS: ClassVar[bool] = False
    BY_WORKER: ClassVar[bool] = False
    ANY: ClassVar[bool] = False
    QUEUES: ClassVar[bool] = True
    CROWDS: ClassVar[str] = ""
    COUNTED: ClassVar[bool] = True
    GATES: ClassVar[bool] = True
    CUTS: ClassVar[bool] = False
    QUICK: ClassVar[bool] = True

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

    # ---- the exact law of its times

    def law(self, asked: structure_law.LawRequest) -> "CompletionLaw":
        """Return the law of the completion time; a FastgcError says where none is known."""
        return structure_law.of_counts(structure_law.evaluation_of(self, asked), asked.moments)

    def counts(self, asked: structure_law.LawRequest) -> structure_law.Evaluation:
        """Return what counts arrivals at the master."""
        self.refuse_port(asked.receive)
        gates, after_own = gates_of(self, asked.classes), asked.opens == "after-own"
        return GateEvaluation(gates, asked.workers, asked.receive, after_own)

    def refuse_port(self, receive: float) -> None:
        """Raise a FastgcError if answers that are no longer needed keep a port busy."""
        if receive > 0 and self.CROWDS:
            raise FastgcError(
                f"{self.CROWDS} behind a port have no exact law, for answers that are no longer "
                "needed keep it busy too"
            )

    def decodes(self, p: Sequence[float]) -> float:
        """Return the probability to complete when worker j never answers with probability p[j]."""
        distinct = sorted(set(p))
        gates = gates_of(self, [distinct.index(straggles) for straggles in p])
        workers = [Worker(Certain(0.0), 1.0 - straggles) for straggles in distinct]
        return GateEvaluation(gates, workers, 0.0, False).totals[-1]

    def tail_index(self, workers: Sequence[Worker], classes: Sequence[int]) -> float:
        """Return α where P(C > t) falls like t^(−α) without a port."""
        return GateEvaluation(gates_of(self, classes), workers, 0.0, False).tail_index

    def work(self, asked: structure_law.LawRequest) -> float:
        """Return about how many additions one P(C > t) takes; infinite where no law is known."""
        try:
            return self.counts(asked).work()
        except FastgcError:
            return math.inf

    def placed(self, fastest: Sequence[int]) -> list[int]:
        """Return the worker of each place, fast and slow ones mixed where they hold one part."""
        used = fastest[: self.workers]
        return sorted(used) if self.group is None else dealt(used, self.group)


def until(done: Times, ends: Times) -> Counted:
    """Return trials' ends (T,), and how many messages that end so (answers, T) come until then."""
    messages = ((ends <= done) & (ends < np.inf)).sum(axis=0).astype(np.float64)
    return done, messages, messages.copy()


def missing(there: Mask) -> Values:
    """Return the share of answers (n, T) that are not there, (T,)."""
    return np.asarray((len(there) - there.sum(axis=0)) / len(there))


class OfWorkers(Structure):
    """Base of what has a number of workers, n."""

    n: int

    @property
    def workers(self) -> int:
        return self.n
