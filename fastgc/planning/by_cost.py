"""What is best at which cost of load: few systems for all costs, and up to where codes pay."""

from typing import Any

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.planning.candidate import Candidate
from fastgc.statistics.resampling import shortened

#: Shares of the highest rate at which systems are timed whose times do not rise straight with it.
KNOTS = np.linspace(0.0, 1.0, 9)
#: Shares of the highest rate that are looked at first, small ones close to each other.
LOOKED_AT = np.linspace(0.0, 1.0, 65) ** 2
_HALVINGS = 40
#: Systems that are as good as the best of some, in parts of its time.
_ALIKE = 0.01


def at_knots(candidate: Candidate, more: float) -> Values | None:
    """Return when a system is done in each row at `KNOTS` of the cost ``more``, (rows, knots)."""
    bent = candidate.family == "balanced"  # who has how much of the work depends on its cost
    costs = more * (KNOTS if bent else KNOTS[[0, -1]])
    found = [candidate.done_in_rows(float(cost)) for cost in costs]
    series = [shortened(done) for done in found if done is not None]
    if len(series) < len(found):
        return None
    if bent:
        return np.stack(series, axis=1)
    first, last = series
    return np.asarray(first[:, np.newaxis] + (last - first)[:, np.newaxis] * KNOTS)


def covering(times: Values, near: Mask) -> list[int]:
    """Return few systems of which, in this order, each is near the best over a range of places.

    The next one is always that which is near the best for longest: of several uncoded work, the
    first of all, else the first that takes about the least time. Arrays are (systems, places).
    """
    found: list[int] = []
    first, places = 0, times.shape[1]
    while first < places:
        ends = np.where(near[:, first:].all(axis=1), places, first + (~near[:, first:]).argmax(1))
        reach = int(ends.max())
        those = np.flatnonzero(ends == reach)
        means = times[those, first:reach].mean(axis=1)
        best = 0 if those[0] == 0 else int((means <= means.min() * (1 + _ALIKE)).argmax())
        found.append(int(those[best]))
        first = reach
    return found


def overtaken(first: Values, second: Values) -> Values:
    """Return the largest share of the cost at which the first of two is the faster, (B,).

    Both are means at `KNOTS`, (B, knots). 0 where it never is, 1 where it always is.
    """
    behind = first - second
    ahead = behind < 0
    last = ahead.shape[1] - 1 - ahead[:, ::-1].argmax(axis=1)
    place, after = np.arange(len(behind)), np.minimum(last + 1, KNOTS.size - 1)
    left, right = behind[place, last], behind[place, after]
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(after > last, left / (left - right), 0.0)
    share = KNOTS[last] + part * (KNOTS[after] - KNOTS[last])
    return np.where(ahead.any(axis=1), share, 0.0)


def crossing(means: Values, is_code: Any) -> Values:
    """Return the largest share of the highest rate at which a code is the fastest, (B,).

    ``means`` (B, columns) are those of all systems at rate 0 and at the highest, and perhaps of
    balanced work at all knots. 0 where no code is the fastest at any rate.
    """
    start, end, knots = np.split(means, [len(is_code), 2 * len(is_code)], axis=1)
    place = np.arange(len(means))

    def behind(at: Values) -> Values:
        """How much longer the best code takes than the best of the others at shares (B,)."""
        now = start + (end - start) * at[:, np.newaxis]
        other = now[:, ~is_code].min(axis=1)
        if knots.shape[1]:
            left = np.minimum((at * (len(KNOTS) - 1)).astype(int), len(KNOTS) - 2)
            part = at * (len(KNOTS) - 1) - left
            bent = (1 - part) * knots[place, left] + part * knots[place, left + 1]
            other = np.minimum(other, bent)
        return np.asarray(now[:, is_code].min(axis=1) - other)

    ahead = np.stack([behind(np.full(len(means), at)) < 0 for at in LOOKED_AT], axis=1)
    last = ahead.shape[1] - 1 - ahead[:, ::-1].argmax(axis=1)
    low = LOOKED_AT[last]
    high = LOOKED_AT[np.minimum(last + 1, LOOKED_AT.size - 1)]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        pays = behind(middle) < 0
        low, high = np.where(pays, middle, low), np.where(pays, high, middle)
    return np.where(ahead.any(axis=1), low, 0.0)
