"""Trials of many rounds each, of a code over several rounds."""

from typing import TYPE_CHECKING

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc_kernels.complete import sequences

if TYPE_CHECKING:
    from fastgc.systems.timing.structure import Rounds

Times = Values

#: Trials that are played together.
_AT_ONCE = 64


class InRounds:
    """Seconds and messages a job, of times (n, rounds, T); see `Rounds`."""

    def __init__(self, structure: "Rounds", receive: float) -> None:
        if receive > 0:
            raise FastgcError(f"receive: must be 0 for a code over several rounds (got {receive})")
        self._structure = structure

    def done(self, times: Times) -> Times:
        """Return the seconds a job, (T,)."""
        return self._summed(seconds_of_rounds(self._structure, times))

    def counted(self, times: Times) -> tuple[Times, Times, Times]:
        """Return seconds and messages a job; all messages are the master's."""
        seconds = seconds_of_rounds(self._structure, times)
        heard = (times.transpose(1, 0, 2) <= seconds[:, np.newaxis]).sum(axis=1)
        messages = self._summed(heard.astype(np.float64))
        return self._summed(seconds), messages, messages.copy()

    def _summed(self, values: Times) -> Times:
        """Return what all rounds (R, T) add up to, in their order, a job."""
        return np.asarray(np.cumsum(values, axis=0)[-1] / self._structure.jobs)


def seconds_of_rounds(structure: "Rounds", times: Times) -> Times:
    """Return how long each round of `Rounds` takes, (R, T), of times (n, R, T).

    A round in which there is nothing to do takes 0 seconds.
    """
    shape = times.shape[2], structure.rounds
    seconds, state = np.empty(shape), np.empty(shape, np.int64)
    done = np.empty((shape[0], structure.jobs), np.int64)
    code = np.array(structure.code, np.int64)
    for first in range(0, shape[0], _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        own = np.ascontiguousarray(times[..., part].transpose(2, 1, 0))
        rule = structure.factor, structure.then
        sequences.play(own, code, *rule, seconds[part], state[part], done[part])
    return np.ascontiguousarray(seconds.T)
