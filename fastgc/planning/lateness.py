"""Who is late in all rounds, and halves of rounds that grow slower all the time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values

#: Workers that may be late in all rounds, as a share of all: of more the others are fast.
_FEW = 1 / 3
#: Parts of rows that make two halves in turns.
PARTS = 16


class Always(NamedTuple):
    """Workers that are late in all rounds, alone, and their mean over that of all others.

    ``factor`` of all rounds; ``least`` and ``most`` of a single one.
    """

    workers: tuple[int, ...]
    factor: float
    least: float
    most: float


def always_late(rows: Values, threshold: float) -> Always | None:
    """Return few workers that are late in each of the rows (rounds, n), if nobody else ever is.

    >>> rows = np.ones((40, 6)) + np.arange(40)[:, np.newaxis] / 1000
    >>> rows[:, 4] = 3.0
    >>> always_late(rows, 1.5).workers
    (4,)
    """
    late = rows > threshold
    chosen = np.flatnonzero(late.all(axis=0))
    few = 0 < chosen.size <= _FEW * rows.shape[1]
    if not few or np.delete(late, chosen, axis=1).any():
        return None
    own, others = rows[:, chosen].mean(axis=1), np.delete(rows, chosen, axis=1).mean(axis=1)
    each = own / others
    factor = float(own.mean() / others.mean())
    return Always(tuple(chosen.tolist()), factor, float(each.min()), float(each.max()))


def in_turns(rows: int) -> tuple[NDArray[np.int64], int]:
    """Return rows in the order of two halves, and how many are of the first.

    Parts go to the halves as a, b, b, a, so that what grows straight grows as much in both.

    >>> in_turns(16)[0][:8].tolist()
    [0, 3, 4, 7, 8, 11, 12, 15]
    """
    parts = np.array_split(np.arange(rows), PARTS)
    first = np.concatenate([part for i, part in enumerate(parts) if i % 4 in (0, 3)])
    return np.concatenate([first, np.setdiff1d(np.arange(rows), first)]), first.size
