"""Who is late: the same few workers, several together, and whether times rise or fall for good."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Mask, Values
from fastgc.latency.slowdown import Figure, explained
from fastgc.latency.traces import DEFAULT_THRESHOLD, Trace
from fastgc.planning.ranking import named
from fastgc.results.ranking import COPIES
from fastgc.systems.timing.structure import dealt

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


class Always(NamedTuple):
    """Workers that are late in all rounds, alone, and their mean over that of all others.

    ``factor`` of all rounds; ``least`` and ``most`` of a single one.
    """

    workers: tuple[int, ...]
    factor: float
    least: float
    most: float


def always_late(rows: Values, threshold: float, late: Late | None) -> Always | None:
    """Return workers that are late in each of the rows (rounds, n), if nobody else ever is.

    >>> rows = np.ones((40, 6)) + np.arange(40)[:, np.newaxis] / 1000
    >>> rows[:, 4] = 3.0
    >>> always_late(rows, 1.5, late_ones(rows, 1.5, seed=1)).workers
    (4,)
    """
    if late is None or late.others:
        return None
    chosen = list(late.workers)
    if not (rows[:, chosen] > threshold).all():
        return None
    own, others = rows[:, chosen].mean(axis=1), np.delete(rows, chosen, axis=1).mean(axis=1)
    each = own / others
    factor = float(own.mean() / others.mean())
    return Always(late.workers, factor, float(each.min()), float(each.max()))


#: Parts of rows that make two halves in turns.
PARTS = 16


def in_turns(rows: int) -> tuple[NDArray[np.int64], int]:
    """Return rows in the order of two halves, and how many are of the first.

    Parts go to the halves as a, b, b, a, so that what grows straight grows as much in both.

    >>> in_turns(16)[0][:8].tolist()
    [0, 3, 4, 7, 8, 11, 12, 15]
    """
    parts = np.array_split(np.arange(rows), PARTS)
    first = np.concatenate([part for i, part in enumerate(parts) if i % 4 in (0, 3)])
    return np.concatenate([first, np.setdiff1d(np.arange(rows), first)]), first.size


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


# ---- Workers that are late together, and hold copies of one part


#: Correlation of being late from which on two are late together; how often both are, at least.
_TOGETHER, _TIMES = 0.5, 4


def late_together(
    trace: Trace, systems: Iterable[Mapping[str, Any]], fastest: Sequence[int]
) -> tuple[str, ...]:
    """Return a sentence where workers that are late in the same rounds hold copies of one part.

    Of systems that keep copies those with the fewest count: more copies are on these workers, too.
    ``fastest``: all workers, the fastest first, by which `dealt` places copies. Where all workers
    are late together no placement helps, and that is said whatever the systems are.

    >>> late = np.where(np.arange(60) % 10 == 0, 3.0, 1.0)
    >>> trace = Trace(("a", "b", "c", "d"), (late, np.ones(60), late, np.ones(60)))
    >>> late_together(trace, [{"family": "replication", "n": 4, "d": 2}], [1, 0, 3, 2])
    ('a and c are late together and hold the same part: put copies on workers that are not',)
    """
    late = trace.rows > trace.threshold(DEFAULT_THRESHOLD)
    pairs = _pairs(late)
    if trace.n > 1 and pairs[~np.eye(trace.n, dtype=bool)].all():
        share = 100 * late.all(axis=1).mean()
        return (
            f"all workers are slow together in {share:.2g} % of the rounds: no code and no "
            "placement of copies shortens those",
        )
    sizes = [each[COPIES[each["family"]]] for each in systems if each["family"] in COPIES]
    size = min((each for each in sizes if each > 1), default=0)
    if not size:
        return ()
    order = dealt(fastest, size)
    groups = [sorted(order[i : i + size]) for i in range(0, trace.n, size)]
    found = sorted((i, j) for own in groups for i in own for j in own if i < j and pairs[i, j])
    if not found:
        return ()
    names = [named([name]) for name in trace.workers]
    said = named([f"{names[i]} and {names[j]}" for i, j in found])
    do = "put copies on workers that are not"
    if int(pairs.sum(axis=1).max()) >= len(groups):
        do = f"in {len(groups)} groups not all can be apart"
    return (f"{said} are late together and hold the same part: {do}",)


def _pairs(late: Mask) -> Mask:
    """Return which workers are late together, again and again: one long spell may be chance."""
    one = late.astype(np.float64)
    rounds, counts, both = len(one), one.sum(axis=0), one.T @ one
    scale = np.sqrt(np.outer(counts * (rounds - counts), counts * (rounds - counts)))
    found = (rounds * both - np.outer(counts, counts) >= _TOGETHER * scale) & (scale > 0)
    for i, j in zip(*np.nonzero(np.triu(found, 1)), strict=True):
        joint = late[:, i] & late[:, j]
        again = int(joint[0]) + int((joint[1:] & ~joint[:-1]).sum())
        found[i, j] = found[j, i] = again >= _TIMES
    return np.asarray(found & ~np.eye(len(found), dtype=bool))
