"""How sure it is that the first system is the best, and of what: a law, a cluster, a recording."""

import math
from collections.abc import Sequence

import numpy as np

from fastgc.latency.empirical import SampleTime
from fastgc.latency.listed import recorded
from fastgc.planning.candidate import Candidate
from fastgc.planning.recording import Recording
from fastgc.planning.search import Search
from fastgc.results.ranking import written
from fastgc.study.design import DesignTable

_WITH = {
    "exact": "with the exact gradient",
    "fresh": "with fresh mini-batches",
    "lost": "that lose a share of the gradient",
    "stale": "with stale gradients",
}
LAW, CLUSTER, RECORDING = "law", "cluster", "recording"


class Confidence:
    """What can be said of the first system: certain for what ``scope``, and ``separated`` or not.

    ``recording`` has the rows whose times systems take, where they take them from rows alone.
    Separated: it is certain, for the law or the cluster, that no system is better.
    """

    def __init__(
        self, table: DesignTable, search: Search, first: Candidate, recording: Recording | None
    ) -> None:
        self._percent = f"{100 * table.confidence:g} %"
        self._table, self._search = table, search
        unlike = len({c.gradient for c in search.looked_at}) > 1
        among = f" among systems {_WITH[first.gradient]}" if unlike else ""
        self._best = f"the best of all that were looked at{among}"
        self._best_here = f"The first is the best of this recording{among}"
        self.statement: str
        if recording is not None:
            self._of_rows(recording, first)
            said = insurance(first, search.looked_at)
            self.statement += f" {said}" if said else ""
        elif any(recorded(law) for law in table.latency):
            self.scope, self.separated = RECORDING, False
            first_is = self._best_here
            if search.unresolved:
                first_is = f"{self._of_law()} That is so of this recording"
            self.statement = (
                f"{first_is}{self._assumed()}. What it says of its cluster is counted where "
                'latency takes whole rows, with order = "rows" or "replay", and scaling adds none '
                "of them up."
            )
        else:
            self.scope, self.separated = LAW, not search.unresolved
            self.statement = self._of_law()

    def _assumed(self) -> str:
        """What a recording is taken for where its rows are taken apart."""
        laws = self._table.latency
        orders = {part.order for law in laws for part in recorded(law)}
        if len(laws) == 1 and "pooled" in orders:
            return (
                ' if its workers are alike and independent of each other, as order = "pooled" '
                "takes them"
            )
        if orders & {"pooled", "workers"}:
            return " if its workers are independent of each other, as they are taken here"
        return ""

    def _of_law(self) -> str:
        search, percent = self._search, self._percent
        if not search.unresolved:
            return f"Under this law the first is certainly, at {percent}, {self._best}."
        said = f"Under this law the first is not certainly {self._best}: "
        if any(c.heavy for c in (*search.unresolved, *search.equal)):
            return (
                f"{said}an infinite variance lets no number of trials tell it from "
                f'{several(search.unresolved)}; goal = "quantile(0.5)" would.'
            )
        return (
            f"{said}{search.trials} trials do not tell the first from "
            f"{several(search.unresolved)} at {percent}; give more trials, or take either."
        )

    def _of_rows(self, recording: Recording, first: Candidate) -> None:
        rows = f"{recording.rows} rows in blocks of {recording.length}"
        silence = recording.silence(first)
        if silence is not None:
            self.scope, self.separated = RECORDING, False
            self.statement = (
                f"{self._best_here}. Whether it is the best on the cluster, too, so few rows do "
                f"not tell: {silence}. {self._spread(recording, first)}"
            )
            return
        unresolved = recording.unresolved(first)
        self.scope, self.separated = CLUSTER, not unresolved
        if unresolved:
            self.statement = (
                f"{self._best_here}; its {rows} do not tell it from "
                f"{several(unresolved)} at {self._percent} for the cluster."
            )
        else:
            self.statement = (
                f"On this recording the first is certainly, at {self._percent}, {self._best}, and "
                f"on the cluster if it goes on as recorded ({rows})."
            )
        if math.inf in recording.interval(first):
            self.statement += f" {self._spread(recording, first)}"

    @staticmethod
    def _spread(recording: Recording, first: Candidate) -> str:
        """Return what few rows show where they bound no mean."""
        return (
            f"The first takes within {100 * recording.spread(first):.2g} % of its mean in each of "
            f"the {recording.rows} rows."
        )


def several(candidates: Sequence[Candidate]) -> str:
    """Name the first of some candidates, and say how many more there are."""
    texts = [written(candidate.system.settings()) for candidate in candidates[:3]]
    more = len(candidates) - len(texts)
    return ", ".join(texts) + (f" and {more} more" if more else "")


# ---- What a system other than the best costs, and saves if one worker becomes slow for good
# No recording warns of what did not happen while it was made.


#: How many times as long the slow worker takes.
_SLOWER = 10
#: Workers of which each becomes the slow one, at most, and systems of a family that are tried.
_WORKERS, _EACH = 16, 4
#: Less is not worth a sentence.
_SAVES = 1.25
#: Less is hardly longer.
_NOTED = 1.05


def insurance(first: Candidate, candidates: Sequence[Candidate]) -> str:
    """Return a sentence on the system that is best if one worker stays slow; empty without rows.

    Times are means over which worker it is. Systems that lose what their stragglers hold are no
    insurance. ``candidates`` are all that were looked at.
    """
    slow = _slow(first)
    if slow is None or not 0 < first.value < math.inf:
        return ""
    tried: dict[str, list[Candidate]] = {}
    for candidate in sorted(candidates, key=lambda c: (c.value, c.load)):
        own = tried.setdefault(candidate.family, [])
        if candidate is not first and candidate.gradient == first.gradient and len(own) < _EACH:
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
    longer = slow / first.value
    much = f"{longer:.2g} times as long" if longer >= _NOTED else "hardly longer"
    return f"{event[0].upper()}{event[1:]}, the first takes {much}."


def _slow(candidate: Candidate) -> float | None:
    """The goal if one worker is slow, averaged over which; None where rows do not say."""
    timed = candidate.timed
    n = timed.scenario.n
    level = timed.table.level
    places = np.unique(np.linspace(0, n - 1, min(n, _WORKERS)).round().astype(int))
    order = timed.table.placement.fastest
    if order is not None and candidate.places is None:  # its places are workers in their order
        places = np.array(order)[places]
    found = timed.done_if_slow(places.tolist(), _SLOWER)
    if found is None:
        return None
    laws = [SampleTime(done) for done in found]
    values = [law.mean() if level is None else float(law.quantile(level)) for law in laws]
    return math.fsum(values) / len(values)
