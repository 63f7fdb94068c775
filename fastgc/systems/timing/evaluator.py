"""Completion times of structures, computed from the times that workers take."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc_kernels.complete import networks

if TYPE_CHECKING:
    from fastgc.systems.timing.structure import Counted, Structure

Times = Values

OPENS = ("start", "after-own")


def check_port(receive: float, opens: str) -> None:
    """Raise a FastgcError if there is no such port."""
    if not 0 <= receive < np.inf:
        raise FastgcError(f"receive: must be finite and at least 0 (got {receive!r})")
    if opens not in OPENS:
        raise FastgcError(f'opens: must be "start" or "after-own" (got {opens!r})')


class Evaluator:
    """Completion times and messages of many trials of one structure."""

    def __init__(self, structure: "Structure", receive: float = 0.0, opens: str = "start") -> None:
        check_port(receive, opens)
        if receive > 0 and structure.no_port is not None:
            raise FastgcError(f"receive: must be 0 with {structure.no_port} (got {receive!r})")
        self._structure = structure
        self._port = float(receive), opens == "after-own"

    def done(self, times: Times) -> Times:
        """Return the time at which each trial is complete, (T,); infinite where it never is.

        ``times`` are seconds ≥ 0, (n, T), or (n, tasks, T) where every task has a time of its own;
        nothing is checked.
        """
        return self._structure.evaluate(np.ascontiguousarray(times, np.float64), *self._port)

    def counted(self, times: Times) -> "Counted":
        """Return times of completion, and numbers of messages received until then, each (T,).

        Messages are those of all ports, and of the master's alone, which is idle for done −
        master's messages · receive. In a ring n workers receive 2 (n − 1) messages each, an n-th in
        size, and the last array is their size, 2 (n − 1)/n. Where a trial never completes, all that
        ever are received are counted.
        """
        return self._structure.counted(np.ascontiguousarray(times, np.float64), *self._port)


#: Where each network starts, and all networks, one after the other.
Networks = tuple[NDArray[np.int64], NDArray[np.int32]]


def selection(n: int, places: Sequence[int] | range) -> NDArray[np.int32]:
    """Return the network that brings the right ones of n values to some places."""
    wanted = np.zeros(n, np.bool_)
    wanted[list(places)] = True
    return networks.selection(wanted)


def joined(parts: Sequence[NDArray[np.int32]]) -> Networks:
    """Return networks one after the other."""
    starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return starts, np.concatenate(parts)
