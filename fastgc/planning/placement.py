"""Workers that are late together and, by the order of columns, hold copies of one part."""

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from fastgc.latency.traces import DEFAULT_THRESHOLD, Trace
from fastgc.registry.numbers import counted
from fastgc.results.advised import called

#: Keys of systems that say how many workers in turn hold one part.
_COPIES = {"replication": "d", "clones": "r"}
#: Correlation of being late from which on two are late together; how often both are, at least.
_TOGETHER, _TIMES = 0.5, 4
_NAMED = 3


def late_together(trace: Trace, systems: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return a sentence where workers that are late in the same rounds hold copies of one part.

    Of systems that keep copies those with the fewest count: more copies are on these workers, too.

    >>> import numpy as np
    >>> late = np.where(np.arange(60) % 10 == 0, 3.0, 1.0)
    >>> trace = Trace(("a", "b", "c", "d"), (late, late, np.ones(60), np.ones(60)))
    >>> late_together(trace, [{"family": "replication", "n": 4, "d": 2}])
    ('a and b are late together and hold the same part: put copies on workers that are not, by the \
order of columns (workers)',)
    """
    sizes = [each[_COPIES[each["family"]]] for each in systems if each["family"] in _COPIES]
    size = min((each for each in sizes if each > 1), default=0)
    if not size:
        return ()
    late = trace.rows > trace.threshold(DEFAULT_THRESHOLD)
    names = [called(name) for name in trace.workers]
    found = [
        f"{names[i]} and {names[j]}"
        for first in range(0, trace.n - size + 1, size)
        for i, j in combinations(range(first, first + size), 2)
        if _correlated(late[:, i], late[:, j])
    ]
    if not found:
        return ()
    more = f" and {counted(len(found) - _NAMED, 'more pairs')}" if len(found) > _NAMED else ""
    return (
        f"{', '.join(found[:_NAMED])}{more} are late together and hold the same part: put copies "
        "on workers that are not, by the order of columns (workers)",
    )


def _correlated(one: Any, other: Any) -> bool:
    """Whether two are late together, again and again: one long spell of both may be chance."""
    joint = one & other
    rounds, a, b, both = len(one), int(one.sum()), int(other.sum()), int(joint.sum())
    again = int(joint[0]) + int((joint[1:] & ~joint[:-1]).sum())
    scale = math.sqrt(a * (rounds - a) * b * (rounds - b))
    return again >= _TIMES and rounds * both - a * b >= _TOGETHER * scale > 0
