"""From candidates to what a search shows: its choices, and the least time for each load."""

import math
from collections.abc import Iterable, Mapping, Sequence

from fastgc.arrays import Values
from fastgc.latency.empirical import Empirical
from fastgc.planning.candidate import Candidate
from fastgc.planning.recording import Recording
from fastgc.planning.sentences import listed
from fastgc.planning.timed_system import moments
from fastgc.results.ranking import Choice
from fastgc.results.rows import EXACT, MONTE_CARLO
from fastgc.statistics.estimates import normal_quantile

#: Entries of "load against time", at most.
MOST_LOADS = 12


class Choices:
    """Makes choices of candidates: values with their intervals, gains and costs.

    Gains are over the ``baseline``, uncoded work, if it can be timed; ``recordings`` are what
    values are a sample of, where they are, by what systems do to the gradient.
    """

    def __init__(
        self, confidence: float, baseline: Candidate | None, recordings: Mapping[str, Recording]
    ) -> None:
        self._z = normal_quantile(confidence)
        self._baseline, self._recordings = baseline, recordings

    def of(self, candidate: Candidate, also: Sequence[Candidate] = ()) -> Choice:
        """Return a candidate as a choice, and what else it is called."""
        exact = candidate.known is not None
        recording = self._recordings.get(candidate.gradient)
        if recording is not None:
            low, high = recording.interval(candidate)
        else:
            low, high = candidate.interval(self._z)
        base, gain, ends = self._baseline, None, None
        known = base is not None and not base.value == candidate.value == math.inf
        if base is not None and known and candidate.value > 0:
            gain, ends = base.value / candidate.value, self._ends(candidate, base)
        messages, worked, error = candidate.costs
        return Choice(
            system=candidate.system.settings(),
            value=candidate.value,
            low=low,
            high=high,
            load=candidate.load,
            gradient=candidate.gradient,
            method=EXACT if exact else MONTE_CARLO,
            messages=messages,
            worked=worked,
            worked_low=max(0.0, worked - self._z * error),
            worked_high=worked + self._z * error,
            gain=gain,
            gain_low=None if ends is None else ends[0],
            gain_high=None if ends is None else ends[1],
            trials=None if exact else candidate.trials,
            note=_note(candidate),
            also=tuple(other.system.settings() for other in also),
        )

    def _ends(self, candidate: Candidate, base: Candidate) -> tuple[float, float] | None:
        if base is candidate or base.identity == candidate.identity:
            return 1.0, 1.0
        recording = self._recordings.get(candidate.gradient)
        if recording is not None:
            return recording.gain(candidate, base)
        if math.inf in (base.value, candidate.value):
            return base.value / candidate.value, base.value / candidate.value
        trials = min(base.trials, candidate.trials)
        unknown = base.known is None and candidate.known is None
        if unknown and trials > 1 and base.timed.table.level is None:
            return paired(base.sample(trials), candidate.sample(trials), self._z)
        (low, high), (base_low, base_high) = (c.interval(self._z) for c in (candidate, base))
        return base_low / high, base_high / low if low > 0 else math.inf


def paired(base: Values, own: Values, z: float) -> tuple[float, float]:
    """Return the interval of the ratio of two means over the same trials."""
    ratio = math.fsum(base) / math.fsum(own)
    _, error = moments((base - ratio * own) * (own.size / math.fsum(own)))
    return max(0.0, ratio - z * error), ratio + z * error


def _note(candidate: Candidate) -> str:
    notes = []
    if candidate.value == math.inf:
        notes.append("infinite")
    elif candidate.known is None and candidate.heavy:
        notes.append("infinite variance: the interval may be too short")
    if candidate.rule is not None:
        notes.append(f"rule {candidate.rule}")
    if candidate.idle:
        many = "worker is" if candidate.idle == 1 else f"{candidate.idle} workers are"
        who, law = "", candidate.timed.table.latency[0]
        if candidate.places is not None and isinstance(law, Empirical):  # of others none has a name
            names = [name for j, name in enumerate(law.trace.workers) if j not in candidate.places]
            who = f" ({listed(names)})"
        notes.append(f"the slowest {many} idle{who}")
    return ", ".join(notes)


def front(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the candidates by rising load, without those that a lighter one equals or beats."""
    found: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (c.load, c.value)):
        if candidate.value < (found[-1].value if found else math.inf):
            found.append(candidate)
    return found


def thinned(candidates: Sequence[Candidate], kept: Sequence[Candidate]) -> list[Candidate]:
    """Return at most `MOST_LOADS` candidates, their loads at about equal ratios.

    The first and the last are among them, and those of ``kept`` that are candidates.
    """
    if len(candidates) <= MOST_LOADS:
        return list(candidates)
    first, last = candidates[0], candidates[-1]
    wanted = [first, last, *(c for c in kept if c in candidates)]
    room = max(0, MOST_LOADS - len({id(c) for c in wanted}))
    for step in range(1, room + 1):
        load = first.load * (last.load / first.load) ** (step / (room + 1))
        wanted.append(min(candidates, key=lambda c: abs(math.log(c.load / load))))
    return [c for c in candidates if any(c is each for each in wanted)]
