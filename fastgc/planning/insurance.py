"""What a system other than the best costs, and saves if one worker becomes slow for good.

No recording warns of what did not happen while it was made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fastgc.latency.empirical import SampleTime
from fastgc.planning.candidate import Candidate
from fastgc.results.ranking import written

#: How many times as long the slow worker takes.
_SLOWER = 10
#: Workers of which each becomes the slow one, at most, and systems of a family that are tried.
_WORKERS, _EACH = 16, 4
#: Less is not worth a sentence.
_SAVES = 1.25


def insurance(first: Candidate, candidates: Sequence[Candidate]) -> str:
    """Return a sentence on the system that is best if one worker stays slow; empty without rows.

    Times are means over which worker it is. Systems that lose what their stragglers hold are no
    insurance.

    Parameters
    ----------
    first : Candidate
        The best one.
    candidates : sequence of Candidate
        All that were looked at.
    """
    slow = _slow(first)
    if slow is None or not 0 < first.value < math.inf:
        return ""
    tried: dict[str, list[Candidate]] = {}
    for candidate in sorted(candidates, key=lambda c: (c.value, c.load)):
        own = tried.setdefault(candidate.family, [])
        if candidate is not first and candidate.family != "ignore-stragglers" and len(own) < _EACH:
            own.append(candidate)
    known = [(_slow(candidate), candidate) for own in tried.values() for candidate in own]
    found = [(value, candidate) for value, candidate in known if value is not None]
    event = f"if one worker stays {_SLOWER} times as slow"
    if found:
        value, best = min(found, key=lambda each: (each[0], each[1].load))
        if 0 < value * _SAVES < slow:
            more = 100 * (best.value / first.value - 1)
            return (
                f"Insurance: {written(best.system.settings())} costs {more:.2g} % more time if "
                f"nothing happens, and is {slow / value:.2g} times as fast as the first {event}."
            )
    return f"{event[0].upper()}{event[1:]}, the first takes {slow / first.value:.2g} times as long."


def _slow(candidate: Candidate) -> float | None:
    """The goal if one worker is slow, averaged over which; None where rows do not say."""
    timed = candidate.timed
    n = timed.scenario.n
    level = timed.table.level
    found = []
    for j in np.unique(np.linspace(0, n - 1, min(n, _WORKERS)).round().astype(int)):
        done = timed.done_in_rows(slower=(int(j), _SLOWER))
        if done is None:
            return None
        law = SampleTime(done)
        found.append(law.mean() if level is None else float(law.quantile(level)))
    return math.fsum(found) / len(found)
