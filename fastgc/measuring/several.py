"""Workers that compute several coded sums in a round, sent one by one, at once, or as asked for.

They are data for `fastgc.measuring.worker.serve`; it imports NumPy alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fastgc.arrays import Values
from fastgc.measuring.worker import GradientPiece, Piece


@dataclass(frozen=True)
class ChunksPiece(Piece):
    """Sums that are answered for one by one, each when it is done; short ones end with zeros."""

    sums: Sequence[GradientPiece]

    @property
    def size(self) -> int:  # type: ignore[override]
        """Numbers of the longest answer."""
        return max(own.size for own in self.sums)

    @property
    def parts(self) -> int:  # type: ignore[override]
        """Sums."""
        return len(self.sums)

    def compute(self, parameters: Values, check: Callable[[], None], part: int = 0) -> Values:
        """Return a sum."""
        found = self.sums[part].compute(parameters, check)
        return np.concatenate([found, np.zeros(self.size - found.size)])


@dataclass(frozen=True)
class BatchPiece(Piece):
    """Sums that are sent together, one after the other."""

    sums: Sequence[GradientPiece]

    @property
    def size(self) -> int:  # type: ignore[override]
        """Numbers of all sums."""
        return sum(own.size for own in self.sums)

    def compute(self, parameters: Values, check: Callable[[], None], part: int = 0) -> Values:
        """Return all sums."""
        return np.concatenate([own.compute(parameters, check) for own in self.sums])


@dataclass(frozen=True)
class TasksPiece(Piece):
    """Sums of which an order says which are wanted, in so many ``slots``, and at which parameters.

    An order carries those of so many ``models``, each ``parameters`` long; then for each worker, by
    its ``place``, and slot the number model · sums + sum, or −1 for nothing, whose answer is 0.
    """

    sums: Sequence[GradientPiece]
    place: int
    slots: int
    models: int
    parameters: int

    @property
    def size(self) -> int:  # type: ignore[override]
        """Numbers of the answers of all slots."""
        return self.slots * self.parameters

    def compute(self, parameters: Values, check: Callable[[], None], part: int = 0) -> Values:
        """Return the sums of all slots."""
        thetas, tasks = np.split(parameters, [self.models * self.parameters])
        own = tasks.reshape(-1, self.slots)[self.place].astype(np.int64).tolist()
        found = np.zeros((self.slots, self.parameters))
        for slot, task in enumerate(own):
            if task >= 0:
                model, which = divmod(task, len(self.sums))
                theta = thetas.reshape(self.models, -1)[model]
                found[slot] = self.sums[which].compute(theta, check)
        return found.ravel()
