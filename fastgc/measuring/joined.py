"""Workers that hear each other: parents in a tree.

What they tell is data for `fastgc.measuring.worker.Line`; it imports NumPy alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fastgc.arrays import Values
from fastgc.measuring.worker import LeftOffError, Line, Piece


@dataclass(frozen=True)
class TreePiece(Piece):
    """A worker of a tree: to its ``own`` answer it adds what its children tell, decoded.

    It waits for its own work, and for as many children as ``vectors`` decode: weights by which of
    them are there. What it sends up is the sum, then a flag for each of so many ``workers``: 1
    where its answer is in the sum. Its own ``place`` is among them.
    """

    own: Piece
    place: int
    workers: int
    vectors: Mapping[tuple[int, ...], Values]
    hears: Sequence[int] = ()

    @property
    def size(self) -> int:  # type: ignore[override]
        """Numbers of its own answer, and flags."""
        return self.own.size + self.workers

    def compute(self, parameters: Values, check: Callable[[], None], part: int = 0) -> Values:
        """Return its own answer, and its flag."""
        flags = np.zeros(self.workers)
        flags[self.place] = 1.0
        return np.concatenate([self.own.compute(parameters, check), flags])

    def join(self, number: int, values: Values, line: Line) -> Values:
        """Add what enough children tell, and tell the parent."""
        need = min(map(len, self.vectors), default=0)
        told: dict[int, Values] = {}
        missing = set(self.hears)
        while len(told) < need:
            worker, message = line.hear(number)
            missing.discard(worker)
            if message is not None:
                told[worker] = message
            elif worker not in told and len(told) + len(missing) < need:
                raise LeftOffError
        children, total = tuple(sorted(told)), values.copy()
        for weight, child in zip(self.vectors.get(children, ()), children, strict=True):
            total[: self.own.size] += weight * told[child][: self.own.size]
            total[self.own.size :] += told[child][self.own.size :]
        line.tell(number, total)
        return total
