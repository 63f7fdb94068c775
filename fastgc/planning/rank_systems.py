"""From candidates to what is shown and said of them: values, intervals and gains, and certainty.

A recording's rows are drawn again in blocks: a system's completion times in them are a series, and
all systems have theirs in the same rows.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.streams import normals, uniforms
from fastgc.latency.empirical import Empirical
from fastgc.latency.listed import recorded
from fastgc.planning.candidate import Candidate, moments
from fastgc.planning.system_search import Search, leading
from fastgc.results.remedies import Remedy, written
from fastgc.results.rows import EXACT, MONTE_CARLO
from fastgc.statistics import resampling
from fastgc.statistics.estimates import normal_quantile
from fastgc.study.design import DesignTable, schemes

Interval = tuple[float, float]

#: A recording speaks for its cluster if it has so many blocks that are nearly independent, and so
#: many rows, without which dependence is not seen.
FEWEST_BLOCKS, FEWEST_ROWS = 10, 30
#: Resamples, at least, and for each unit of 1/(1 − confidence); and at most.
_RESAMPLES, _PER_TAIL, _MOST = 2000, 40, 20_000
#: Systems whose series decide how long blocks are.
_ASKED = 5


def _bounded(low: float, high: float) -> Interval:
    """Return ends for what is not negative: none where rows do not bound it from below."""
    return (0.0, math.inf) if low == -math.inf else (max(0.0, low), high)


def deciding_length(base: Values, own: Values) -> int:
    """Return the length of blocks that are nearly independent, by what decides between two systems.

    That is the difference of their times in each row, (rows,) each, one brought to the other's
    mean: what slows both alike decides nothing.
    """
    mean = float(own.mean())
    return resampling.block_length(base - own * (float(base.mean()) / mean) if mean > 0 else base)


class ClusterSample:
    """The rows of a recording as a sample of its cluster, a block being ``length`` rows."""

    def __init__(
        self,
        table: DesignTable,
        candidates: Sequence[Candidate],
        series: Values,
        baseline: Candidate | None,
    ) -> None:
        self._table = table
        self._place = {candidate: j for j, candidate in enumerate(candidates)}
        self._candidates = list(candidates)
        self._series = series
        self.rows = len(series)
        base = None if baseline is None else self._place[baseline]
        if table.level is not None:
            self.length = self._longest(series)
        elif base is None or self.rows < 2:
            self.length = self._longest(series[:, :1])
        else:  # by the best system's difference from uncoded work
            own = int(base == 0 and len(candidates) > 1)
            self.length = deciding_length(series[:, base], series[:, own])
        law = table.latency[0]
        assert isinstance(law, Empirical)
        self._slopes, self._errors = np.zeros(len(candidates)), np.zeros(len(candidates))
        self._all_errors = np.zeros(len(candidates))  # what the whole error of the rate moves
        self._influence = np.zeros((self.rows, 1))
        tail = math.ceil(_PER_TAIL / (1 - table.confidence))
        self._size = min(_MOST, max(_RESAMPLES, tail))
        self._drawn: dict[int, resampling.Resampling] = {}
        self._noise = np.zeros(self._size)
        rate = law.slope
        if rate is not None and rate.error > 0:
            for j, candidate in enumerate(candidates):  # by how much a second a unit more moves it
                up, down = (candidate.done_in_rows(sign * rate.error) for sign in (1, -1))
                assert up is not None and down is not None
                self._slopes[j] = float((up - down).mean()) / (2 * rate.error)
            self._errors, self._all_errors = self._slopes * rate.rest, self._slopes * rate.error
            rounds = law.trace.rows[-self.rows :].mean(axis=1)  # the first may say who is slow
            self._influence = rate.own * (rounds - rounds.mean())[:, np.newaxis]
            self._noise = normals(table.seed, "design rate", self._size)
            self._noise -= self._noise.mean()

    @classmethod
    def of(
        cls, table: DesignTable, candidates: Sequence[Candidate], baseline: Candidate | None
    ) -> "ClusterSample | None":
        """Return it for candidates with values; None where times do not come from rows alone."""
        ordered = sorted(candidates, key=lambda c: (c.value, c.load))
        found = [candidate.done_in_rows() for candidate in ordered]
        series = [done for done in found if done is not None]
        if len(series) < len(found):
            return None
        return cls(table, ordered, np.stack(series, axis=1), baseline)

    @staticmethod
    def _longest(series: Values) -> int:
        columns = series.shape[1]
        asked = np.unique(np.linspace(0, columns - 1, min(columns, _ASKED)).round().astype(int))
        return max(resampling.block_length(series[:, j]) for j in asked)

    def _again(self, length: int) -> resampling.Resampling:
        if length not in self._drawn:
            blocks = resampling.Resampling.blocks_of(self.rows, length)
            numbers = uniforms(self._table.seed, "design rows", blocks * self._size)
            self._drawn[length] = resampling.Resampling(self.rows, length, numbers)
        return self._drawn[length]

    # ---- what is known of one system

    def interval(self, candidate: Candidate) -> Interval:
        """Return the interval of a system's goal, for the cluster."""
        if self.rows < 2:
            return 0.0, math.inf
        j = self._place[candidate]
        if self._table.level is None:
            means = self._means(self._moved([j]), self._errors[[j]])
            return _bounded(*means.interval(0, self._table.confidence))
        (low, high), value = self._quantile_ends(j), candidate.value
        wide = normal_quantile(self._table.confidence) * abs(self._all_errors[j])
        down, up = math.hypot(value - low, wide), math.hypot(high - value, wide)
        return max(0.0, value - down), value + up

    def gain(self, candidate: Candidate, baseline: Candidate) -> Interval | None:
        """Return the interval of the ratio of two systems' goals; None where rows are too few."""
        j, base = self._place[candidate], self._place[baseline]
        if j == base:
            return 1.0, 1.0
        if self.rows < 2:
            return None
        ratio = baseline.value / candidate.value
        if self._table.level is None:
            off = self._moved([base]) - ratio * self._moved([j])
            errors = self._errors[[base]] - ratio * self._errors[[j]]
            again = self._again(self._longest(off))
            both = again.means(self._moved([base, j]), self._rate(self._errors[[base, j]])).found
            with np.errstate(divide="ignore"):
                ratios = np.where(both[:, 1] > 0, both[:, 0] / both[:, 1], math.inf)
            low, high = self._means(off, errors).interval(0, self._table.confidence, ratios, ratio)
            return _bounded(low, high)
        if math.inf in (self._quantile_ends(j)[1], self._quantile_ends(base)[1]):
            return None
        both = self._resampled([base, j])
        outside = (1 - self._table.confidence) / 2
        ends = np.quantile(both[:, 0] / both[:, 1], [outside, 1 - outside])
        return float(ends[0]), float(ends[1])

    # ---- what is known of all

    def unresolved(self, leader: Candidate) -> list[Candidate]:
        """Return the systems that the rows do not tell from the best one, or to be worse."""
        j = self._place[leader]
        alike = [c.gradient == leader.gradient for c in self._candidates]
        others = [i for i, own in enumerate(alike) if own and i != j]
        if self._table.level is not None:  # those whose quantile may be the smaller one
            sure = 1 - (1 - self._table.confidence) / (10 * (len(others) + 1))  # very wide
            wide = normal_quantile(sure) * np.abs(self._all_errors)
            ends = {
                i: resampling.quantile_interval(
                    self._series[:, i], self._table.level, sure, self.length
                )
                for i in (j, *others)
            }
            others = [i for i in others if ends[i][0] - wide[i] <= ends[j][1] + wide[j]]
        if not others:
            return []
        if self._table.level is None:
            off = self._moved(others) - self._moved([j])
            means = self._means(off, self._errors[others] - self._errors[j])
            open_ = ~(means.lower_bounds(self._table.confidence) > 0)
        else:
            found = self._resampled([j, *others])
            better = found[:, 1:] <= found[:, :1]
            risk = 1 - self._table.confidence
            if better.any(axis=1).mean() <= risk:
                return []
            open_ = better.mean(axis=0) > risk / len(others)
        return [self._candidates[i] for i, each in zip(others, open_, strict=True) if each]

    def silence(self, leader: Candidate) -> str | None:
        """Return why the recording does not speak for its cluster; None where it does."""
        j = self._place[leader]
        level = self._table.level
        if level is not None and self._quantile_ends(j)[1] == math.inf:
            point = leader.value
            alone = resampling.worth((self._series[:, j] > point).astype(float), self.length)
            need = resampling.rows_for(level, self._table.confidence)
            return f"{self._table.goal} needs some {need} independent rows, and it has {alone}"
        if self.rows < FEWEST_ROWS:
            rows = "1 row" if self.rows == 1 else f"{self.rows} rows"
            return f"it has {rows}, and {FEWEST_ROWS} are needed"
        if self.rows < FEWEST_BLOCKS * self.length:
            blocks = f"{self.rows} rows are some {self.rows // self.length} independent blocks"
            return f"its {blocks} of {self.length}, and {FEWEST_BLOCKS} are needed"
        return None

    # ---- parts

    def _moved(self, places: Sequence[int]) -> Values:
        """Series whose means move with the rate that their own rows make."""
        return self._series[:, places] + self._influence * self._slopes[places]

    def _rate(self, errors: Values) -> Values | None:
        return np.outer(errors, self._noise) if errors.any() else None

    def _means(self, series: Values, errors: Values) -> resampling.Means:
        return self._again(self._longest(series)).means(series, self._rate(errors))

    def _quantile_ends(self, j: int) -> Interval:
        series = self._series[:, j]
        table = self._table
        assert table.level is not None
        low, high = resampling.quantile_interval(series, table.level, table.confidence, self.length)
        return max(low, 0.0), high  # of times

    def _resampled(self, places: Sequence[int]) -> Values:
        """Quantiles of some systems in each resample, (resamples, places)."""
        assert self._table.level is not None
        found = self._again(self.length).quantiles(self._series[:, places], self._table.level)
        return np.asarray(found + np.outer(self._noise, self._all_errors[places]))


#: A number and the ends of its interval; None where it is not known.
Known = tuple[float | None, float | None, float | None]


def remedy(
    candidate: Candidate, value: tuple[float, float, float], gain: Known, **more: Any
) -> Remedy:
    """Return a candidate as a remedy: its value and gain with their intervals, and ``more``."""
    messages, worked = candidate.costs
    law, *others = candidate.table.latency
    places = () if others or candidate.places is None else candidate.places
    more |= {"lost": lost_by(candidate), "places": tuple(law.trace.workers[j] for j in places)}
    gradient, system = more.pop("gradient", candidate.gradient), candidate.system.settings()
    method = EXACT if candidate.known is not None else MONTE_CARLO
    load = candidate.load
    return Remedy(system, *value, gradient, load, method, messages, worked, *gain, **more)


def shown(
    candidate: Candidate,
    also: Sequence[Candidate],
    baseline: Candidate | None,
    recordings: Mapping[str, ClusterSample],
) -> Remedy:
    """Return a candidate as a remedy, with its gain over uncoded work, and what else it is called.

    ``recordings`` are those that values are a sample of, by what systems do to the gradient.
    """
    value, z = candidate.value, normal_quantile(candidate.table.confidence)
    recording = recordings.get(candidate.gradient)
    low, high = candidate.interval(z) if recording is None else recording.interval(candidate)
    gain: Known = (None, None, None)
    if baseline is not None and value > 0 and not baseline.value == value == math.inf:
        ratio = baseline.value / value
        ends: tuple[float | None, float | None]
        trials = min(baseline.trials, candidate.trials)
        unknown = baseline.known is None and candidate.known is None
        if baseline is candidate or baseline.identity == candidate.identity:
            ends = 1.0, 1.0
        elif recording is not None:
            ends = recording.gain(candidate, baseline) or (None, None)
        elif math.inf in (baseline.value, value):
            ends = ratio, ratio
        elif unknown and trials > 1 and candidate.table.level is None:
            ends = paired(baseline.sample(trials), candidate.sample(trials), z)
        else:
            base_low, base_high = baseline.interval(z)
            ends = base_low / high, base_high / low if low > 0 else math.inf
        gain = ratio, *ends
    sampled = None if candidate.known is not None else candidate.trials
    same = tuple(other.system.settings() for other in also)
    more = {"trials": sampled, "note": _note(candidate), "also": same}
    return remedy(candidate, (value, low, high), gain, **more)


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
    table: DesignTable, search: Search, first: Candidate, recordings: Mapping[str, ClusterSample]
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
    return named([written(candidate.system.settings()) for candidate in candidates])


def remarks(
    table: DesignTable,
    search: Search,
    alike: Mapping[Candidate, Sequence[Candidate]],
    refused: Sequence[tuple[str, str]],
) -> Iterator[str]:
    """Yield sentences on what the ranking leaves out or cannot say."""
    sequences = [c.rounds for c in alike if c.scenario.carries and c.done_in_rows() is None]
    if sequences:
        yield (
            f'between_rounds = "finish": a sampled time is the mean of {sequences[0]} rounds, '
            "before the first of which all workers are free"
        )
    first = next(iter(alike))
    if equal := [c for c in search.equal if c is not first and c not in alike[first]]:
        yield f"as fast as the first: {several(equal)}"
    if any(c.known == math.inf for c in search.looked_at):
        yield 'some means are infinite; goal = "quantile(0.99)" compares all systems'
    for gradient, said in _NOT_EXACT.items():
        if names := dict.fromkeys(c.family for c in alike if c.gradient == gradient):
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
    unasked = [
        f"{name} ({', '.join(family.DESIGN_KEYS)})"
        for name, family in schemes().items()
        if family.DESIGN_KEYS and name not in table.wanted and table.schemes is None
        if table.computation == "linear" or not family.LINEAR
    ]
    if unasked:
        yield f"not looked at without their keys: {', '.join(unasked)}"
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
