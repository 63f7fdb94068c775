"""From candidates to what is shown of them: values with their intervals, gains and costs."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastgc.arrays import Values
from fastgc.latency.empirical import Empirical
from fastgc.planning.candidate import Candidate, moments
from fastgc.planning.recording import Recording
from fastgc.results.ranking import Remedy
from fastgc.results.rows import EXACT, MONTE_CARLO
from fastgc.statistics.estimates import normal_quantile


class Remedies:
    """Makes remedies of candidates."""

    def __init__(
        self, confidence: float, baseline: Candidate | None, recordings: Mapping[str, Recording]
    ) -> None:
        self._z = normal_quantile(confidence)
        self._baseline, self._recordings = baseline, recordings

    def of(self, candidate: Candidate, also: Sequence[Candidate] = ()) -> Remedy:
        """Return a candidate as a remedy, and what else it is called."""
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
        messages, worked = candidate.costs
        law, *others = candidate.table.latency
        places = () if others or candidate.places is None else candidate.places
        return Remedy(
            system=candidate.system.settings(),
            value=candidate.value,
            low=low,
            high=high,
            gradient=candidate.gradient,
            load=candidate.load,
            method=EXACT if exact else MONTE_CARLO,
            messages=messages,
            worked=worked,
            gain=gain,
            gain_low=None if ends is None else ends[0],
            gain_high=None if ends is None else ends[1],
            trials=None if exact else candidate.trials,
            lost=lost_by(candidate),
            places=tuple(law.trace.workers[j] for j in places),
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
        if unknown and trials > 1 and base.table.level is None:
            return paired(base.sample(trials), candidate.sample(trials), self._z)
        (low, high), (base_low, base_high) = (c.interval(self._z) for c in (candidate, base))
        return base_low / high, base_high / low if low > 0 else math.inf


def paired(base: Values, own: Values, z: float) -> tuple[float, float]:
    """Return the interval of the ratio of two means over the same trials."""
    ratio = math.fsum(base) / math.fsum(own)
    _, error = moments((base - ratio * own) * (own.size / math.fsum(own)))
    return max(0.0, ratio - z * error), ratio + z * error


def lost_by(candidate: Candidate) -> dict[str, Any] | None:
    """Return the share of the gradient that is lost on average, and whose part is most often."""
    if candidate.gradient != "lost":
        return None
    answers, done = candidate.answers_of_rows(), candidate.done_in_rows()
    if answers is None or done is None or candidate.scenario.carries:
        always = candidate.scenario.same_lost
        return None if always is None else {"mean": always}
    late, law = (answers[0] > done).mean(axis=-1).tolist(), candidate.table.latency[0]
    most = max(late)
    worker = law.trace.workers[late.index(most)]
    return {"mean": math.fsum(late) / len(late), "most": most, "worker": worker}


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
        who, law = "", candidate.table.latency[0]
        if candidate.places is not None and isinstance(law, Empirical):  # of others none has a name
            names = [name for j, name in enumerate(law.trace.workers) if j not in candidate.places]
            who = f" ({named(names)})"
        notes.append(f"the slowest {many} idle{who}")
    return ", ".join(notes)


def named(names: Sequence[str], most: int = 3) -> str:
    """Return some workers' names, and how many more there are; a number alone is no name."""
    more = len(names) - most
    said = ", ".join(f"worker {each}" if each.isdigit() else each for each in names[:most])
    return f"{said} and {more} more" if more > 0 else said
