"""Why a recording cannot tell what to do about stragglers, and what to do about that."""

from itertools import pairwise

import numpy as np

from fastgc.latency.empirical import Empirical
from fastgc.latency.recording import Recording
from fastgc.planning.judging import changed
from fastgc.planning.recording import FEWEST_ROWS
from fastgc.registry.numbers import counted

#: Why, and what to do about it.
Refusal = tuple[str, str]

#: How many times as long times are that are taken to be in another unit: a minute is 60 seconds.
_OTHER_UNIT = 20.0
#: Of rounds in which a clock moves, at most so many in which it falls: one that starts again.
_FALLS = 0.1
#: A change of units is looked for after every sixteenth of the rows, an eighth or more from an end.
_PARTS, _END, _MOST_ROWS = 16, 2, 4096
#: Seconds of a time, at least: its square must be a number.
_SHORTEST = 1e-100
_ONE_UNIT = "Give all times in one unit, and run it again; leave out a worker that is broken."


def refusal(source: Recording, fitted: Empirical | None = None) -> Refusal | None:
    """Return why a recording cannot tell what to do; None where it can."""
    rows, names = source.rows, source.workers
    if source.n < 2:
        said = "it has 1 worker, and a straggler is slower than others"
        return said, "Record at least two workers."
    units = sorted(filter(None, source.units))
    if len(units) > 1:
        return f"its columns are in {' and '.join(units)}", _ONE_UNIT
    if not rows.max() > _SHORTEST:
        least = f"{_SHORTEST:g}" if rows.any() else "0"
        do = "Correct the recording, and look at it with `fastgc trace show`."
        return f"no time is more than {least}", do
    steps = np.diff(rows, axis=0)
    rises, falls = (steps > 0).sum(axis=0), (steps < 0).sum(axis=0)
    clocks = (rises >= max(10, len(steps) / 2)) & (falls <= _FALLS * rises)
    if clocks.any():
        j = int(clocks.argmax())
        return (
            f"the times of worker {names[j]} rise in {rises[j]} of {len(steps)} rounds, as those "
            "of a clock; a recording says how long each round took",
            "Take differences of times that follow each other; or, if that is no worker, name the "
            "columns of a long table (--column).",
        )
    found = _unit_changes(source)
    if found is not None:
        j, first, last = found
        return (
            f"the median of worker {names[j]} goes from {first:.3g} to {last:.3g}: its times seem "
            "to be in different units",
            _ONE_UNIT,
        )
    for behind in (source.barrier, None if fitted is None else fitted.behind_barrier()):
        if behind is not None:
            reason, _, remedy = behind.rpartition("; ")
            return reason, f"{remedy[0].upper()}{remedy[1:]}."
    # a quarter of its times are shorter: slow moments count little
    usual = np.quantile(rows, 0.25, axis=0)
    order = [int(j) for j in np.argsort(usual, kind="stable") if usual[j] > 0]
    for j, other in pairwise(order):
        if usual[other] >= _OTHER_UNIT * usual[j]:
            return (
                f"worker {names[other]} usually takes {usual[other]:.3g} or more, and "
                f"{names[j]} {usual[j]:.3g} or more: they seem to be in different units",
                _ONE_UNIT,
            )
    cut = source.goes_on
    if len(rows) - cut < FEWEST_ROWS:
        after = f" after {changed(source)}" if cut else ""
        said = f"it has {counted(len(rows) - cut, 'rows')}{after}; {FEWEST_ROWS} are needed"
        return said, "Record more rounds; 80 are better than 30."
    return None


def _unit_changes(source: Recording) -> tuple[int, float, float] | None:
    """Return a worker whose times go over to another unit, and its median times before and after.

    Three quarters of those before and of those after must lie so far apart.
    """
    rows = source.rows
    places = {place for found in source.changes.values() for place in found}
    if len(rows) <= _MOST_ROWS:  # of more, changes are seen well
        places |= {len(rows) * i // _PARTS for i in range(_END, _PARTS - _END + 1)} - {0}
    for place in sorted(places):
        parts = rows[:place], rows[place:]
        (low, high), (later_low, later_high) = (
            np.quantile(part, [0.25, 0.75], axis=0) for part in parts
        )
        apart = (later_low >= _OTHER_UNIT / 2 * high) | (low >= _OTHER_UNIT / 2 * later_high)
        apart &= np.minimum(low, later_low) > 0
        if apart.any():
            j = int(apart.argmax())
            first, last = (float(np.median(part[:, j])) for part in parts)
            if max(first, last) >= _OTHER_UNIT * min(first, last):
                return j, first, last
    return None
