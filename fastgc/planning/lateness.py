"""Whether the same few workers are late time and again, and whether times rise or fall for good."""

from dataclasses import dataclass

import numpy as np

from fastgc.arrays import Values
from fastgc.latency.slowdown import Figure, explained

#: Late times of all that some workers must have, in each half of the rows; and how many there are.
_MOST, _FEWEST = 0.8, 5
#: Workers that may be so few, as a share of all.
_FEW = 1 / 3
#: How much a worker's mean time must rise or fall over quarters of the rows, as a share of it.
_DRIFT = 0.1


@dataclass(frozen=True)
class Late:
    """Workers that nearly all late times belong to, in both halves of the rows.

    * ``workers``: the one that is late most often first.
    * ``rounds``, ``others``: rounds in which some of these are late, and in which others are.
    * ``explained``: the share of S − 1 that goes if they are like the others.
    """

    workers: tuple[int, ...]
    rounds: int
    others: int
    explained: Figure


def late_ones(rows: Values, threshold: float, seed: int) -> Late | None:
    """Return who is late in the rows (rounds, n), beyond a threshold; None where many are.

    >>> rows = np.ones((40, 6)) + np.arange(40)[:, np.newaxis] / 1000
    >>> rows[::3, [2, 4]] = 3.0
    >>> found = late_ones(rows, 1.5, seed=1)
    >>> found.workers, found.rounds, found.others
    ((2, 4), 14, 0)
    """
    late = rows > threshold
    half = len(rows) // 2
    first, second = late[:half].sum(axis=0), late[half:].sum(axis=0)
    order = np.argsort(-first, kind="stable")
    if min(first.sum(), second.sum()) < _FEWEST:
        return None
    count = 1 + int((np.cumsum(first[order]) >= _MOST * first.sum()).argmax())
    chosen = order[:count]
    if count > _FEW * len(order) or second[chosen].sum() < _MOST * second.sum():
        return None
    workers = tuple(int(w) for w in sorted(chosen, key=lambda w: -late[:, w].sum()))
    theirs = late[:, chosen].any(axis=1)
    others = np.delete(late, chosen, axis=1).any(axis=1)
    share = explained(rows, workers, seed)
    return Late(workers, int(theirs.sum()), int(others.sum()), share)


def drifting(rows: Values) -> tuple[int, float, float] | None:
    """Return the worker whose times rise or fall most from quarter to quarter of the rows.

    With its mean times in the first quarter and in the last. None where none does so clearly.

    >>> drifting(np.stack([np.linspace(1, 2, 80), np.ones(80)], axis=1))[0]
    0
    """
    means = np.stack([part.mean(axis=0) for part in np.array_split(rows, 4)])
    steps = np.diff(means, axis=0)
    moved = np.abs(means[-1] - means[0]) / np.where(means[0] > 0, means[0], np.inf)
    moved[(np.sign(steps) != np.sign(steps[0])).any(axis=0)] = 0.0
    j = int(moved.argmax())
    return (j, float(means[0, j]), float(means[-1, j])) if moved[j] > _DRIFT else None
