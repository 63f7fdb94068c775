"""Copies of one part: who holds them, and workers that are late together and do."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fastgc.arrays import Mask
from fastgc.latency.traces import DEFAULT_THRESHOLD, Trace
from fastgc.registry.numbers import counted
from fastgc.results.advised import COPIES, called
from fastgc.systems.timing.structure import dealt

#: Correlation of being late from which on two are late together; how often both are, at least.
_TOGETHER, _TIMES = 0.5, 4
_NAMED = 3


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
    names = [called(name) for name in trace.workers]
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
    said = ", ".join(f"{names[i]} and {names[j]}" for i, j in found[:_NAMED])
    more = f" and {counted(len(found) - _NAMED, 'more pairs')}" if len(found) > _NAMED else ""
    together = pairs.sum(axis=1)
    if int(together.max()) >= len(groups):
        w = int(together.argmax())
        return (
            f"{said}{more} are late together and hold the same part; {names[w]} is late together "
            f"with {together[w]} others, and there are {len(groups)} groups: not all can be apart",
        )
    return (
        f"{said}{more} are late together and hold the same part: put copies on workers that "
        "are not",
    )


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
