"""Few systems, each near the best over a range of what load costs: an advice for every cost."""

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.planning.break_even import KNOTS
from fastgc.planning.candidate import Candidate
from fastgc.statistics.resampling import shortened

#: Systems that are as good as the best of some, in parts of its time.
_ALIKE = 0.01


def at_knots(candidate: Candidate, more: float) -> Values | None:
    """Return when a system is done in each row at `KNOTS` of the cost ``more``, (rows, knots).

    None where less work would take less than no time.
    """
    bent = candidate.family == "balanced"  # who has how much of the work depends on its cost
    costs = more * (KNOTS if bent else KNOTS[[0, -1]])
    found = [candidate.timed.done_in_rows(float(cost)) for cost in costs]
    series = [shortened(done) for done in found if done is not None]
    if len(series) < len(found):
        return None
    if bent:
        return np.stack(series, axis=1)
    first, last = series
    return np.asarray(first[:, np.newaxis] + (last - first)[:, np.newaxis] * KNOTS)


def covering(times: Values, near: Mask) -> list[int]:
    """Return few systems of which, in this order, each is near the best over a range of places.

    The next one is always that which is near the best for longest: of several uncoded work, else
    the first that takes about the least time on average.

    ``times`` (float64 array (systems, places)): the first system is uncoded work. ``near`` (bool
    array (systems, places)): at least one at each place.
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
