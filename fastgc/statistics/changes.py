"""Where a series of dependent values changes for good: a CUSUM of its ranks.

The largest weighted CUSUM (Csörgő and Horváth 1997) is divided by the long-run standard deviation
of what is left around the two means. That is the largest of those that blocks of several lengths
show, since few rows hide how long dependence lasts. How large it must be was found by drawing:
``python -m bench.changes``.
"""

import math

import numpy as np

from fastgc.arrays import Values

#: Rows before a change and after it, at least: less may be one of the slow moments that pass.
FEWEST = 20
#: Lengths of blocks, as multiples of the root of the rows.
_LENGTHS = (0.25, 0.5, 1.0, 1.5)


def changes(series: Values, together: int = 1) -> list[int]:
    """Return after how many rows a series changes, in order; the last part goes on unchanged.

    ``series``: float64 array (rows,); ``together``: how many series are looked at, of which none
    may be said to change by chance.

    >>> changes(np.r_[np.tile([1.0, 1.1, 1.2], 40), np.tile([7.0, 7.2], 30)])
    [120]
    """
    found: list[int] = []
    start = 0
    # of a series that changes twice the parts show what the whole hides
    while series.size - start >= 2 * FEWEST:
        place = _change(series[start:], together)
        if place is None:
            start += max(FEWEST, (series.size - start) // 2)
        else:
            start += place
            found.append(start)
    return found


def trend(series: Values) -> tuple[float, float] | None:
    """Return where a line through a series begins and ends, if it certainly rises or falls.

    The slope of its ranks over the rows is divided by its standard error, in which what is left
    around the line has the long-run variance that blocks show (see the head of this file). It must
    be as large as a change must be.

    >>> trend(np.linspace(1.0, 1.6, 60) + np.tile([0.0, 0.1, 0.05], 20)) is not None
    True
    """
    rows = series.size
    if rows < 2 * FEWEST or not np.ptp(series) > 0:
        return None
    time, ranked = np.arange(rows) - (rows - 1) / 2, ranks(series)
    power = float(time @ time)
    slope = float(time @ ranked) / power
    rest = ranked - ranked.mean() - slope * time
    if slope**2 * power <= _needed(rows, 1) ** 2 * _long_run_variance(rest):
        return None
    half = float(time @ series) / power * time[-1]
    return float(series.mean()) - half, float(series.mean()) + half


def is_line(series: Values, places: list[int]) -> bool:
    """Return whether a line leaves less of a series than means that change at these places."""
    time = np.arange(series.size) - (series.size - 1) / 2
    around = series - series.mean()
    line = around - float(time @ around) / float(time @ time) * time
    steps = [part - part.mean() for part in np.split(series, places)]
    return float(line @ line) < sum(float(part @ part) for part in steps)


def _change(series: Values, together: int) -> int | None:
    rows = series.size
    ranked = ranks(series)
    before = np.arange(1, rows)
    sums = np.abs(np.cumsum(ranked - ranked.mean())[:-1])
    weighted = sums / np.sqrt(before * (rows - before) / rows)
    weighted[: FEWEST - 1] = weighted[rows - FEWEST :] = 0.0
    place = int(weighted.argmax()) + 1
    parts = ranked[:place], ranked[place:]
    rest = np.concatenate([part - part.mean() for part in parts])
    largest = float(weighted[place - 1])
    if largest**2 <= _needed(rows, together) ** 2 * _long_run_variance(rest):
        return None
    # ranks take a large time before the change for one after it: the row near it that parts the
    # series best, by distances from its medians
    first, last = np.median(series[:place]), np.median(series[place:])
    low, high = place - FEWEST // 2, place + FEWEST // 2
    part = series[low:high]
    costs = np.cumsum(np.abs(part - first) - np.abs(part - last))
    return low + 1 + int(costs.argmin())


def _needed(rows: int, together: int) -> float:
    # exceeded in 1 of 100 recordings without a change at most
    return 5 + 60 / math.sqrt(rows) + math.log10(together)


def _long_run_variance(rest: Values) -> float:
    # the largest that blocks of several lengths show; that of single rows is one of them
    rows = rest.size
    sums = np.concatenate([[0.0], np.cumsum(np.concatenate([rest, rest]))])
    found = float(rest.var())
    for multiple in _LENGTHS:
        length = max(1, min(round(multiple * math.sqrt(rows)), rows // 3))
        means = (sums[length : length + rows] - sums[:rows]) / length
        found = max(found, length * float(means.var()) * rows / (rows - length))
    return found


def ranks(series: Values) -> Values:
    """Return ranks from 1 on, equal values with the mean of theirs."""
    _, places, counts = np.unique(series, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[places])
