"""Sentences on workers that change for good while they are recorded."""

from __future__ import annotations

import numpy as np

from fastgc.latency.traces import Trace

_NAMED = 3  # workers of those that change
_CLEARLY = 0.25  # more or fewer late rows after a change: what is told of it


def sentence(trace: Trace, threshold: float) -> str | None:
    """Return which workers change, and what to do about it; None where none does.

    Parameters
    ----------
    trace : Trace
    threshold : float
        Late is who takes longer.

    Examples
    --------
    >>> changed = np.r_[np.tile([1.0, 1.1, 1.2], 40), np.tile([7.0, 7.2], 30)]
    >>> sentence(Trace(("a",), (changed,)), 2.0)
    'worker a changed at row 120 (late in 0 of 120 rows, in all of the next 60): cut there, or \
replace the worker'
    """
    if not trace.changes:
        return None
    said = [_changed(trace, j, threshold) for j in list(trace.changes)[:_NAMED]]
    more = len(trace.changes) - len(said)
    if more:
        said.append(f"{more} more of {trace.n} workers changed")
    them = "the workers" if len(trace.changes) > 1 else "the worker"
    return f"{'; '.join(said)}: cut there, or replace {them}"


def _changed(trace: Trace, j: int, threshold: float) -> str:
    """Say when a worker changed last, and how."""
    *before, place = trace.changes[j]
    first = before[-1] if before else 0
    old, new = trace.rows[first:place, j], trace.rows[place:, j]
    late = [int((part > threshold).sum()) for part in (old, new)]
    if abs(late[0] / old.size - late[1] / new.size) >= _CLEARLY:
        count = "all" if late[1] == new.size else f"{late[1]}"
        how = f"late in {late[0]} of {old.size} rows, in {count} of the next {new.size}"
    else:
        how = (
            f"median {np.median(old):.4g} over {old.size} rows, {np.median(new):.4g} over the "
            f"next {new.size}"
        )
    return f"worker {trace.workers[j]} changed at row {place} ({how})"
