"""What waits for the answers that its part waits for, but is done at other moments."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.systems.timing.group_structures import Chunks, Replicated
from fastgc.systems.timing.laws import structure_law
from fastgc.systems.timing.laws.evaluation import Worker
from fastgc.systems.timing.rounds import Port, received_in_turn
from fastgc.systems.timing.stars import Flat
from fastgc.systems.timing.timed_structure import Counted, Structure, Times, missing, until

if TYPE_CHECKING:
    from fastgc.systems.timing.laws import CompletionLaw


class Later(Structure):
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
class Patient(Later):
    """A master that waits on after the fastest worker, however early it could decode.

    Let the first answer be received after F, the last of all n after L (infinite where one never
    comes), and let those that ``part`` waits for be there after C. The master decodes with all that
    it has received by (1 + patience)·F, or L; where they are too few, it waits on until they are
    enough. So it is done after max(C, min((1 + patience)·F, L)), and its messages are the answers
    until then. Where one answer is enough (``Flat(n, 1)``) patience is the only rule.
    """

    BY_WORKER: ClassVar[bool] = True
    CROWDS: ClassVar[str] = "answers"

    part: Flat | Replicated
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

    def counts(self, asked: structure_law.Asked) -> structure_law.Evaluation:
        raise FastgcError("a master's patience has no exact law")


@dataclass(frozen=True)
class Capped(Later):
    """A master that stops waiting at a deadline, with the answers that it has by then."""

    BY_WORKER: ClassVar[bool] = True
    COUNTED: ClassVar[bool] = False

    part: Flat | Chunks
    deadline: float
    leaves_out = True

    def evaluate(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Times:
        return np.asarray(np.minimum(self.part.evaluate(times, receive), self.deadline))

    def counted(self, times: Times, receive: float = 0.0, after_own: bool = False) -> Counted:
        ends = received_in_turn(self.part.arrivals(times), receive)
        return until(self.evaluate(times, receive), ends)

    def counts(self, asked: structure_law.Asked) -> structure_law.Evaluation:
        return self.part.counts(asked)

    def law(self, asked: structure_law.Asked) -> "CompletionLaw":
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
