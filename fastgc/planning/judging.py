"""Remedies for the stragglers of a recording: chosen on one half of its rows, judged on the other.

Where it is not known what load costs, one remedy is named if it is near the best at both extremes:
load costs nothing, and all of the time is load. Times that rise straight with the load make that
enough: what lies in between is then near the best, too. Else there is one for each range.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from fastgc.arrays import Mask, Values
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError, StoppedError
from fastgc.latency.empirical import Empirical, Rate
from fastgc.latency.recording import Recording
from fastgc.latency.slowdown import IntervalValue
from fastgc.planning.candidate import Candidate, by_value
from fastgc.planning.offered import AGREE, ALIKE, CODES, NEAR, SCHEMES, looked_at, shortfall
from fastgc.planning.rank_systems import deciding_length, remedy
from fastgc.results.remedies import BreakEven, CostRange, Ranking, Remedy
from fastgc.statistics.changes import trend
from fastgc.statistics.resampling import Resampling, block_length, error_of_mean, shortened
from fastgc.study.design import DesignTable, Placement
from fastgc.systems.uncoded import Uncoded

#: Shares of the highest rate at which systems are timed whose times do not rise straight with it.
KNOTS = np.linspace(0.0, 1.0, 9)
#: Shares of the highest rate that are looked at first, small ones close to each other.
LOOKED_AT = np.linspace(0.0, 1.0, 65) ** 2
_HALVINGS = 40


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
        best = 0 if those[0] == 0 else int((means <= means.min() * (1 + ALIKE)).argmax())
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


def last_winning_rate(means: Values, is_code: Any) -> Values:
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


#: Rows that say how fast workers are, at most, and as a share of all: an eighth.
_BASIS, _EIGHTH = 10, 8
_CONFIDENCE, _RESAMPLES = 0.95, 1000
#: Rows that are looked at, the last ones: more tell of a cluster as it was long ago.
_LAST = 20_000
_ENDS = (0.025, 0.975)
#: Of the rows that are drawn again.
SEED = 1
#: Parts of rows that make two halves in turns.
PARTS = 16
#: Says why to stop, asked often.
Stop = Callable[[], str | None]


class Question:
    """A recording that can be looked at, and what it is asked.

    ``share``: what each worker had of the work; ``since``: rows before that are not looked at;
    ``fastest``: workers by the mean times of the first half, fastest first, to deal copies by.
    """

    def __init__(
        self, source: Recording, share: float, *, fresh: bool, unit: str | None, interrupted: Stop
    ) -> None:
        self._source, self.share = source, share
        self._fresh, self._interrupted = fresh, interrupted
        self.trace, self.names, self.unit = source.name, source.workers, unit
        self.since = max(source.goes_on, len(source.rows) - _LAST)
        self.own = source.after(self.since)
        self.change = changed(source) if source.goes_on else None
        self.mean = float(self.own.rows.mean())
        self._n, self.rows = self.own.n, len(self.own.rows)
        self._basis = max(1, min(_BASIS, self.rows // _EIGHTH))
        self.half = self.rows // 2
        self.split = replace(self.own, frame=self.own.rows, labels=None)
        self.trend = trend(self.own.rows.mean(axis=1))
        if self.trend is not None:
            # the halves take parts of the rows in turns
            parts = np.array_split(np.arange(self.rows), PARTS)
            first = np.concatenate([part for i, part in enumerate(parts) if i % 4 in (0, 3)])
            places, self.half = np.r_[first, np.setdiff1d(np.arange(self.rows), first)], first.size
            self.split = replace(self.split, frame=self.own.rows[places])
        early = self.split.rows[: self.half].T
        keys = [(float(own.mean()), own.tobytes()) for own in early if own.size]
        self.fastest = sorted(range(len(keys)), key=keys.__getitem__)

    def answer(self, remedies: tuple[Remedy, ...], kind: str, verdict: str, **more: Any) -> Ranking:
        """Return what was found, with what is known of the recording."""
        more |= {"trace": self.trace, "workers": self.names, "rounds": self.rows}
        return Ranking(remedies, kind, verdict, self.unit, load=self.share, **more)

    def on_half(self, rate: float, more: Sequence[Any] | None = None) -> list[Candidate]:
        """Return systems on the first half; with ``more`` on the other one.

        Rows before that say how fast workers are at first.
        """
        own = self.split.rows
        own = own[: self.half] if more is None else own[self.half - self._basis :]
        return self.timed(replace(self.split, frame=own), rate, more=more or ())

    def highest(self, slope: Rate | None) -> float:
        """Return the rate at which all of the time is load, as far as no time is negative then."""
        mean, least = float(self.own.rows.mean()), float(self.own.rows.min())
        rate = mean / self.share if self.share else math.inf
        if self.share > 1 / self._n:
            rate = min(rate, least / (self.share - 1 / self._n))
        if math.isinf(rate):
            assert slope is not None
            rate = 4 * slope.value
        return max(rate, 0.0 if slope is None else slope.value + 1.96 * slope.error)

    def timed(
        self,
        own: Recording,
        rate: float,
        systems: Sequence[Any] | None = None,
        more: Sequence[Any] = (),
    ) -> list[Candidate]:
        """Return systems that can be timed at a rate, with their mean times."""
        law = Empirical.model_construct(
            file=self._source.name, order="replay", recorded_load=self.share, rate=rate
        )
        law._trace, law._slope = own, Rate(rate, 0.0)
        known: Any = {"latency": (law,), "scaling": "recorded", "basis": self._basis}
        table = DesignTable.model_construct(workers=self._n, schemes=SCHEMES, seed=SEED, **known)
        table.__dict__["placement"] = Placement(self.fastest)  # by other rows than these
        found = list[Candidate]()
        if systems is None:
            systems = looked_at(table, self.split.rows[: self.half], self.share)
        for place, system in enumerate((*systems, *more)):
            reason = self._interrupted()
            if reason is not None:
                raise StoppedError(f"stopped early by {reason}: nothing was advised yet")
            try:
                candidate = Candidate(table, system)
            except FastgcError:  # too little load for its rate, or too long a period
                continue
            done = candidate.done_in_rows()
            again = place >= len(systems) and any(candidate.system == c.system for c in found)
            if done is not None and not again:
                candidate.known = float(done.mean())
                found.append(candidate)
        if not found or found[0].family != "uncoded":
            raise FastgcError(
                f"load: at a rate of {rate:.4g} a load of {self.share:g} takes longer than some "
                "times that were recorded; give the right load, or a smaller rate"
            )
        return found

    def alike(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the systems with the exact gradient, or of fresh mini-batches where these do."""
        return [c for c in candidates if self._group(c) == "exact"]

    def _group(self, candidate: Candidate) -> str:
        return "exact" if self._fresh and candidate.gradient == "fresh" else candidate.gradient

    def remedies(self, candidates: Sequence[Candidate], rate: float) -> list[Remedy]:
        """Return what systems are worth in their rows; the first is uncoded work."""
        base = done_series(candidates[0])
        found = []
        for candidate in candidates:
            own = done_series(candidate)
            time, gain = self._figure(own), IntervalValue(1.0, 1.0, 1.0)
            if not np.allclose(base, own, rtol=1e-12, atol=0.0):
                ratio = float(base.mean()) / time.value if time.value > 0 else math.inf
                gain = self._figure(np.asarray(ratio + (base - ratio * own) / own.mean()))
            both = [(each.value, each.low, each.high) for each in (time, gain)]
            found.append(remedy(candidate, *both, gradient=self._group(candidate), rate=rate))
        return found

    def as_good(self, seen: Sequence[Candidate], named: Any) -> tuple[list[Candidate], ...]:
        """Return simpler systems and, where workers are left out, others that do so.

        Those alone that are near what is named, and not certainly slower at 95 %.
        """
        own = [c for c in self.alike(seen) if c.family != "uncoded"]
        place = next((i for i, c in enumerate(own) if c.system.settings() == named), 0)
        more = [c for c in own[place:] if c.family == named["family"] == "leave-out"]

        def is_as_good(candidate: Candidate) -> bool:
            time = done_series(own[place])
            behind = done_series(candidate) - time
            most = min(1.96 * error_of_mean(behind), NEAR * float(time.mean()))
            return bool(behind.mean() <= most)

        return tuple([c for c in part if is_as_good(c)] for part in (own[:place], more))

    def better(
        self, seen: Mapping[float, Sequence[Candidate]], named: Any
    ) -> tuple[Any, float] | None:
        """Return what takes clearly less time than the named system in the second half's rows."""
        found, most = None, 0.0
        for candidates in map(self.alike, seen.values()):
            own = next((c.value for c in candidates if c.system == named), math.inf)
            best = min(candidates, key=by_value)
            if shortfall(own, best.value) > max(most, AGREE):
                found, most = best.system, shortfall(own, best.value)
        saved = most / (1 + most) if most < math.inf else 1.0
        return None if found is None else (found, saved)

    def several(
        self, first: Sequence[Candidate], rates: Sequence[float], even: BreakEven | None
    ) -> list[Any]:
        """Return few systems, each near the best over a range of costs, from low to high."""
        times, systems, is_code = [], [], []
        for candidate in self.alike(first):
            series = at_knots(candidate, rates[-1] - rates[0])
            if series is not None:
                times.append(np.interp(LOOKED_AT, KNOTS, series.mean(axis=0)))
                systems.append(candidate.system)
                is_code.append(candidate.family in CODES)
        both = np.stack(times)
        near = both <= (1 + NEAR) * both.min(axis=0)
        beyond = rates[0] + LOOKED_AT * (rates[-1] - rates[0]) > (
            math.inf if even is None else even.value
        )
        left = near & ~(np.array(is_code)[:, np.newaxis] & beyond)
        kept = covering(both, np.where(left.any(axis=0), left, near))
        if both[0, -1] < both[kept[-1], -1]:  # at the highest cost the best is to do nothing
            kept.append(0)
        return [systems[place] for place in kept]

    def ends(
        self, several: Sequence[Any], rates: Sequence[float], even: BreakEven | None
    ) -> list[IntervalValue]:
        """Return at which cost each but the last gives way to the next, by all rows."""
        candidates = self.timed(self.own, rates[0], [Uncoded(n=self._n), *several])[1:]
        found = [at_knots(candidate, rates[-1] - rates[0]) for candidate in candidates]
        series = [each for each in found if each is not None]
        if len(series) < len(several):
            return []
        length = max(block_length(each[:, 0]) for each in series)
        means = self._again(len(series[0]), length).means(np.concatenate(series, axis=1))
        both = np.concatenate([means.value[np.newaxis], means.found])
        each = np.split(both, len(series), axis=1)
        ends = []
        is_code = [candidate.family in CODES for candidate in candidates]
        for place, (before, after) in enumerate(pairwise(each)):
            costs = rates[0] + (rates[-1] - rates[0]) * overtaken(before, after)
            low, high = np.quantile(costs[1:], _ENDS)
            ends.append(IntervalValue(float(costs[0]), float(low), float(high)))
            gives_way = is_code[place] and not is_code[place + 1]
            if gives_way and even is not None and even.value < costs[0]:
                ends[-1] = IntervalValue(even.value, even.low, even.high)
        return ends

    def ranges(
        self, systems: Sequence[Any], ends: Sequence[IntervalValue], rates: Sequence[float]
    ) -> tuple[CostRange, ...]:
        """Judge systems, one more than ``ends``, each over its range of costs."""
        costs = [IntervalValue(rate, rate, rate) for rate in (rates[0], rates[-1])]
        costs[1:1] = ends
        if any(before.value >= after.value for before, after in pairwise(costs)):
            return ()
        timed = [self.on_half(cost.value, systems) for cost in costs]
        found = []
        for place, system in enumerate(systems):
            judged, behind = [], 0.0
            for candidates in timed[place : place + 2]:
                own = [c for c in candidates if c.system.settings() == system.settings()]
                if not own:
                    return ()
                best = min(c.value for c in self.alike(candidates))
                behind = max(behind, shortfall(own[0].value, best))
                judged += self.remedies([candidates[0], own[0]], costs[place].value)[1:]
            found.append(CostRange(costs[place], costs[place + 1], (judged[0], judged[1]), behind))
        return tuple(found)

    def _figure(self, series: Values) -> IntervalValue:
        means = self._again(len(series), block_length(series)).means(series[:, np.newaxis])
        low, high = means.interval(0, _CONFIDENCE)
        return IntervalValue(float(series.mean()), max(0.0, low), high)

    def _again(self, rows: int, length: int) -> Resampling:
        numbers = uniforms(SEED, "advice", Resampling.blocks_of(rows, length) * _RESAMPLES)
        return Resampling(rows, length, numbers)

    def length(
        self, every: Sequence[Candidate], remedies: Sequence[Remedy], named: dict[str, Any] | None
    ) -> int:
        """Return how long blocks of rows are, by what decides: a difference of two systems."""
        if named is None or named["family"] == "uncoded":
            exact = [each for each in remedies[1:] if each.gradient == "exact"]
            named = max(exact, key=lambda each: each.gain or 0.0, default=remedies[0]).system
        base = done_series(every[0])
        own = next((done_series(c) for c in every if c.system.settings() == named), base)
        return deciding_length(base, own)

    def break_even(self, every: Sequence[Candidate], highest: float) -> BreakEven | None:
        """Return the largest rate at which the best code beats the best exact system without."""
        kept, ends = [], []
        for candidate in self.alike(every):
            if candidate.family == "balanced":
                continue
            done = candidate.done_in_rows(highest)
            if done is not None:
                kept.append(candidate)
                ends.append(shortened(done))
        is_code = np.array([c.family in CODES and c.load > kept[0].load * 1.001 for c in kept])
        if not is_code.any():
            return None
        start = np.stack([done_series(c) for c in kept], axis=1)
        balanced = [at_knots(c, highest) for c in every if c.family == "balanced"][:1]
        inner = [series for series in balanced if series is not None]
        series = np.concatenate([start, np.stack(ends, axis=1), *inner], axis=1)
        means = series.mean(axis=0)[np.newaxis]
        value = last_winning_rate(means, is_code)[0]
        length = max(block_length(start[:, 0]), block_length(start[:, int(is_code.argmax())]))
        again = self._again(len(series), length).means(series).found
        low, high = np.quantile(last_winning_rate(again, is_code), _ENDS)
        value, low, high = (float(share) * highest for share in (value, low, high))
        return BreakEven(value, low, high, highest)


def changed(source: Recording) -> str:
    """Return which workers changed for good, without what to do about it."""
    return source.warnings[0].rpartition(": ")[0]


def done_series(candidate: Candidate) -> Values:
    """Return when a system is done in each row; see `shortened`."""
    done = candidate.done_in_rows()
    assert done is not None  # or it was left out
    return shortened(done)
