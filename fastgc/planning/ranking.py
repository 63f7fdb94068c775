"""From candidates to what is shown of them: values with their intervals, gains and costs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fastgc.arrays import Values
from fastgc.latency.empirical import Empirical
from fastgc.latency.listed import recorded
from fastgc.planning.candidate import Candidate, moments
from fastgc.planning.recording import Recording
from fastgc.planning.search import Search, leading
from fastgc.results.ranking import Remedy, written
from fastgc.results.rows import EXACT, MONTE_CARLO
from fastgc.statistics.estimates import normal_quantile
from fastgc.study.design import DesignTable, schemes

#: A number and the ends of its interval; None where it is not known.
Known = tuple[float | None, float | None, float | None]


def remedy(
    candidate: Candidate, value: tuple[float, float, float], gain: Known, **more: Any
) -> Remedy:
    """Return a candidate as a remedy: its value and gain with their intervals, and ``more``."""
    messages, worked = candidate.costs
    law, *others = candidate.table.latency
    places = () if others or candidate.places is None else candidate.places
    return Remedy(
        candidate.system.settings(),
        *value,
        more.pop("gradient", candidate.gradient),
        candidate.load,
        EXACT if candidate.known is not None else MONTE_CARLO,
        messages,
        worked,
        *gain,
        lost=lost_by(candidate),
        places=tuple(law.trace.workers[j] for j in places),
        **more,
    )


def shown(
    candidate: Candidate,
    also: Sequence[Candidate],
    baseline: Candidate | None,
    recordings: Mapping[str, Recording],
) -> Remedy:
    """Return a candidate as a remedy, with its gain over uncoded work, and what else it is called.

    ``recordings`` are those that values are a sample of, by what systems do to the gradient.
    """
    value, z = candidate.value, normal_quantile(candidate.table.confidence)
    recording = recordings.get(candidate.gradient)
    low, high = candidate.interval(z) if recording is None else recording.interval(candidate)
    gain: Known = (None, None, None)
    if baseline is not None and value > 0 and not baseline.value == value == math.inf:
        ends: tuple[float, float] | None = (1.0, 1.0)
        if baseline is not candidate and baseline.identity != candidate.identity:
            if recording is not None:
                ends = recording.gain(candidate, baseline)
            else:
                ends = _gain_ends(candidate, baseline, z)
        gain = baseline.value / value, *(ends or (None, None))
    return remedy(
        candidate,
        (value, low, high),
        gain,
        trials=None if candidate.known is not None else candidate.trials,
        note=_note(candidate),
        also=tuple(other.system.settings() for other in also),
    )


def _gain_ends(candidate: Candidate, base: Candidate, z: float) -> tuple[float, float]:
    if math.inf in (base.value, candidate.value):
        return base.value / candidate.value, base.value / candidate.value
    trials = min(base.trials, candidate.trials)
    unknown = base.known is None and candidate.known is None
    if unknown and trials > 1 and base.table.level is None:
        return paired(base.sample(trials), candidate.sample(trials), z)
    (low, high), (base_low, base_high) = (c.interval(z) for c in (candidate, base))
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


_WITH = {
    "exact": "with the exact gradient",
    "fresh": "with fresh mini-batches",
    "lost": "that lose a share of the gradient",
    "stale": "with stale gradients",
}
_NOT_EXACT = {
    "fresh": "the gradient is that of the fresh mini-batches that came first; where data is dealt "
    "out to workers, that of the late ones is lost",
    "lost": "a share of the gradient is lost, always the same where the same workers are late",
    "stale": "workers move on their own parameters, so that gradients are stale",
}
#: How workers of a recording are taken whose rows are taken apart.
_APART = {"pooled": "alike and independent of each other", "workers": "independent of each other"}
LAW, CLUSTER, RECORDING = "law", "cluster", "recording"


def certainty(
    table: DesignTable, search: Search, first: Candidate, recordings: Mapping[str, Recording]
) -> tuple[str, bool, str]:
    """Return of what the first system is certainly the best, whether it is, and a sentence."""
    unlike = len({c.gradient for c in search.looked_at}) > 1
    among = f" among systems {_WITH[first.gradient]}" if unlike else ""
    percent = f"{100 * table.confidence:g} %"
    best, best_here = "the best of all that were looked at", "The first is the best of this"
    best, best_here = best + among, f"{best_here} recording{among}"
    recording = recordings.get(leading(search.looked_at))
    if recording is not None:
        rows = f"{recording.rows} rows in blocks of {recording.length}"
        silence, unresolved = recording.silence(first), []
        if silence is not None:
            said = f"{best_here}; of the cluster so few rows do not tell: {silence}."
        elif unresolved := recording.unresolved(first):
            said = (
                f"{best_here}; its {rows} do not tell it from {several(unresolved)} at {percent} "
                "for the cluster."
            )
        else:
            said = (
                f"On this recording the first is certainly, at {percent}, {best}, and on the "
                f"cluster if it goes on as recorded ({rows})."
            )
        silent = silence is not None
        return RECORDING if silent else CLUSTER, not (silent or unresolved), said
    of_law = f"Under this law the first is certainly, at {percent}, {best}."
    if search.unresolved:
        heavy = any(c.heavy for c in (*search.unresolved, *search.equal))
        many = "an infinite variance lets no number of" if heavy else f"{search.trials}"
        do = 'goal = "quantile(0.5)" would' if heavy else "give more trials, or take either"
        of_law = (
            f"Under this law the first is not certainly {best}: {many} trials "
            f"{'tell' if heavy else 'do not tell'} it from {several(search.unresolved)} at "
            f"{percent}; {do}."
        )
    orders = {part.order for law in table.latency for part in recorded(law)}
    if not orders:
        return LAW, not search.unresolved, of_law
    assumed = next((each for order, each in _APART.items() if order in orders), None)
    if len(table.latency) > 1:
        assumed = assumed and _APART["workers"]
    first_is = f"{of_law} That is so of this recording" if search.unresolved else best_here
    if assumed:
        first_is += f" if its workers are {assumed}, as they are taken here"
    return (
        RECORDING,
        False,
        f'{first_is}. Rows that are taken whole, with order = "rows" or "replay", speak for the '
        "cluster.",
    )


def several(candidates: Sequence[Candidate]) -> str:
    """Name the first of some candidates, and say how many more there are."""
    texts = [written(candidate.system.settings()) for candidate in candidates[:3]]
    more = len(candidates) - len(texts)
    return ", ".join(texts) + (f" and {more} more" if more else "")


def remarks(
    table: DesignTable,
    search: Search,
    kept: Sequence[Candidate],
    also: Mapping[int, Sequence[Candidate]],
    refused: Sequence[tuple[str, str]],
) -> Iterator[str]:
    """Yield sentences on what the ranking leaves out or cannot say."""
    sequences = [c.rounds for c in kept if c.scenario.carries and c.done_in_rows() is None]
    if sequences:
        yield (
            f'between_rounds = "finish": a sampled time is the mean of {sequences[0]} rounds, '
            "before the first of which all workers are free"
        )
    named = [kept[0], *also[id(kept[0])]]
    equal = [c for c in search.equal if all(c is not other for other in named)]
    if equal:
        yield f"as fast as the first: {several(equal)}"
    if any(c.known == math.inf for c in search.looked_at):
        yield 'some means are infinite; goal = "quantile(0.99)" compares all systems'
    for gradient, said in _NOT_EXACT.items():
        names = dict.fromkeys(c.family for c in kept if c.gradient == gradient)
        if names:
            yield f"{' and '.join(names)}: {said}; time alone does not compare them"
    linear = [name for name in table.wanted if schemes()[name].LINEAR]
    if linear:
        yield (
            f"{' and '.join(linear)}: for linear computations alone, like products with a matrix; "
            "other gradients they cannot code"
        )
    if table.scaling == "recorded":
        rates = [each.slope for law in table.latency for each in recorded(law) if each.slope]
        yield from dict.fromkeys(e.straight for e in rates if e.straight and not e.curved)
        yield (
            "tails do not grow with the load: it adds the same seconds to every time, so that "
            "waiting for the slowest is too short where slow times are slow in proportion"
        )
    for each in search.lists:
        if each.seen < len(each):
            yield (
                f"of {len(each)} {each.scheme} systems {each.seen} were looked at: all near "
                "the best, some further away"
            )
    for scheme in dict.fromkeys(scheme for scheme, _ in refused):
        reasons = [reason for own, reason in refused if own == scheme]
        yield f"{len(reasons)} {scheme} cannot be timed: {reasons[0]}"


def growing(first: float, last: float) -> str:
    """Return that rounds grow slower, or faster, all the time."""
    how = "slower" if last > first else "faster"
    return (
        f"Rounds grow {abs(100 * (last / first - 1)):.2g} % {how} from the first to the last: how "
        "that goes on the recording does not say, and its two halves are not comparable."
    )
