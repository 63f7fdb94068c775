"""What is said of a ranking: how sure the first is the best, and of what; what it leaves out."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from fastgc.latency.empirical import Empirical, SampleTime
from fastgc.latency.listed import recorded
from fastgc.planning.candidate import Candidate, CandidateList
from fastgc.planning.lateness import late_together
from fastgc.planning.recording import Recording
from fastgc.planning.search import Search
from fastgc.results.advised import placement
from fastgc.results.ranking import written
from fastgc.study.design import DesignTable, schemes

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
LAW, CLUSTER, RECORDING = "law", "cluster", "recording"


def certainty(
    table: DesignTable, search: Search, first: Candidate, recording: Recording | None
) -> tuple[str, bool, str]:
    """Return of what the first system is certainly the best, whether it is, and a sentence.

    That is a law, the cluster or the recording. ``recording`` has the rows whose times systems
    take, where they take them from rows alone. True: it is certain, for the law or the cluster,
    that no system is better.
    """
    unlike = len({c.gradient for c in search.looked_at}) > 1
    among = f" among systems {_WITH[first.gradient]}" if unlike else ""
    best, percent = f"the best of all that were looked at{among}", f"{100 * table.confidence:g} %"
    best_here = f"The first is the best of this recording{among}"
    if recording is not None:
        scope, separated, said = _of_rows(recording, first, best, best_here, percent)
        insured = insurance(first, search.looked_at)
        return scope, separated, f"{said} {insured}" if insured else said
    of_law = f"Under this law the first is certainly, at {percent}, {best}."
    if search.unresolved:
        of_law = f"Under this law the first is not certainly {best}: "
        others = several(search.unresolved)
        if any(c.heavy for c in (*search.unresolved, *search.equal)):
            of_law += (
                f"an infinite variance lets no number of trials tell it from {others}; "
                'goal = "quantile(0.5)" would.'
            )
        else:
            of_law += (
                f"{search.trials} trials do not tell the first from {others} at {percent}; give "
                "more trials, or take either."
            )
    orders = {part.order for law in table.latency for part in recorded(law)}
    if not orders:
        return LAW, not search.unresolved, of_law
    assumed = ""  # of a recording whose rows are taken apart
    if len(table.latency) == 1 and "pooled" in orders:
        assumed = (
            ' if its workers are alike and independent of each other, as order = "pooled" takes '
            "them"
        )
    elif orders & {"pooled", "workers"}:
        assumed = " if its workers are independent of each other, as they are taken here"
    first_is = f"{of_law} That is so of this recording" if search.unresolved else best_here
    said = (
        f"{first_is}{assumed}. What it says of its cluster is counted where latency takes whole "
        'rows, with order = "rows" or "replay", and scaling adds none of them up.'
    )
    return RECORDING, False, said


def _of_rows(
    recording: Recording, first: Candidate, best: str, best_here: str, percent: str
) -> tuple[str, bool, str]:
    rows = f"{recording.rows} rows in blocks of {recording.length}"
    spread = (  # what few rows show where they bound no mean
        f"The first takes within {100 * recording.spread(first):.2g} % of its mean in each of the "
        f"{recording.rows} rows."
    )
    silence = recording.silence(first)
    if silence is not None:
        said = (
            f"{best_here}. Whether it is the best on the cluster, too, so few rows do not tell: "
            f"{silence}. {spread}"
        )
        return RECORDING, False, said
    unresolved = recording.unresolved(first)
    if unresolved:
        said = (
            f"{best_here}; its {rows} do not tell it from {several(unresolved)} at {percent} for "
            "the cluster."
        )
    else:
        said = (
            f"On this recording the first is certainly, at {percent}, {best}, and on the cluster "
            f"if it goes on as recorded ({rows})."
        )
    if math.inf in recording.interval(first):
        said += f" {spread}"
    return CLUSTER, not unresolved, said


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
    n, level = timed.scenario.n, timed.table.level
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


# ---- What a ranking leaves out or cannot say


def remarks(
    table: DesignTable,
    search: Search,
    kept: Sequence[Candidate],
    also: Mapping[int, Sequence[Candidate]],
    refused: Sequence[tuple[str, str]],
) -> list[str]:
    """Return sentences on what the ranking leaves out or cannot say.

    ``kept`` are its candidates, ``also`` what each is equal to, by its id; ``refused`` has a scheme
    and the reason for each system that could not be timed.
    """
    notes: list[str] = []
    named = [kept[0], *also[id(kept[0])]]
    equal = [c for c in search.equal if all(c is not other for other in named)]
    if equal:
        notes.append(f"as fast as the first: {several(equal)}")
    if any(c.known == math.inf for c in search.looked_at):
        notes.append('some means are infinite; goal = "quantile(0.99)" compares all systems')
    for gradient, said in _NOT_EXACT.items():
        names = dict.fromkeys(c.family for c in kept if c.gradient == gradient)
        if names:
            notes.append(f"{' and '.join(names)}: {said}; time alone does not compare them")
    lost = [f"{100 * c.lost:.2g} % by {written(c.system.settings())}" for c in kept if c.lost]
    if lost:
        notes.append(f"share of the gradient that is lost, on average: {', '.join(lost)}")
    linear = [name for name in table.wanted if schemes()[name].LINEAR]
    if linear:
        notes.append(
            f"{' and '.join(linear)}: for linear computations alone, like products with a matrix; "
            "other gradients they cannot code"
        )
    first = kept[0].system.settings()
    law = table.latency[0]
    if isinstance(law, Empirical) and law.order in ("rows", "replay"):
        systems = [c.system.settings() for c in kept]
        notes += late_together(law.trace, systems, table.placement.fastest or range(table.workers))
        places = kept[0].places
        if places:
            notes.append(placement([law.trace.workers[j] for j in places], first))
    return [*notes, *_of_lists(table, search.lists, refused)]


def _of_lists(
    table: DesignTable, lists: Sequence[CandidateList], refused: Sequence[tuple[str, str]]
) -> list[str]:
    """Return sentences on times, and on systems that were not looked at."""
    notes: list[str] = []
    if table.scaling == "recorded":
        rates = [each.slope for law in table.latency for each in recorded(law) if each.slope]
        notes += dict.fromkeys(e.straight for e in rates if e.straight and not e.curved)
        notes.append(
            "tails do not grow with the load: it adds the same seconds to every time, so that "
            "waiting for the slowest is too short where slow times are slow in proportion"
        )
    trees = [each for each in lists if each.scheme == "coded-reduce"]
    if trees and all(c.idle for each in trees for c in each.candidates):
        notes.append(f"no regular tree has exactly {table.workers} workers; some stay idle")
    for each in lists:
        if each.seen < len(each):
            notes.append(
                f"of {len(each)} {each.scheme} systems {each.seen} were looked at: all near "
                "the best, some further away"
            )
    for scheme in dict.fromkeys(scheme for scheme, _ in refused):
        reasons = [reason for own, reason in refused if own == scheme]
        notes.append(f"{len(reasons)} {scheme} left out: {reasons[0]}")
    return notes
