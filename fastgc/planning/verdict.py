"""From what was found of a recording to what to do about it: `fastgc.advise`."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.latency.empirical import Rate
from fastgc.latency.slowdown import IntervalValue, Slowdown, slowdown
from fastgc.planning.judging import PARTS, SEED, Question, done_series
from fastgc.planning.offered import AGREE, ALIKE, CODES, NEAR, representatives, system_near_best
from fastgc.planning.rank_systems import FEWEST_BLOCKS, growing
from fastgc.planning.rank_systems import named as named_workers
from fastgc.registry.number_types import counted
from fastgc.results.remedies import BreakEven, CostRange, Ranking, Remedy, at_cost, written
from fastgc.systems.system import GRADIENTS
from fastgc.systems.uncoded import LocalSgd, Uncoded

#: Rounds between synchronisations, of which the first is taken that so few rows allow.
_PERIODS = (4, 2)
#: Workers that a sentence names which tells what to do.
_TO_DO = 12
#: With S below this there is nothing to explain.
_LITTLE = 1.05
#: Of workers that are always slow: a share of S − 1 that is worth a repair.
_WORTH = 0.1
_WAITS = "unless these times contain the wait for the others"
_LATER = "Record again when workers or the work change."
#: Kind, verdict, and what to do next.
AdviceVerdict = tuple[str, str, str]


def gain_figure(remedy: Remedy) -> IntervalValue:
    """Return how many times as long uncoded work takes, with its interval."""
    assert remedy.gain is not None and remedy.gain_low is not None and remedy.gain_high is not None
    return IntervalValue(remedy.gain, remedy.gain_low, remedy.gain_high)


class AdviceFindings:
    """What was found of a recording, and what to do about it.

    ``named`` is the system chosen on the first half of the rows, ``remedies`` were judged on the
    other half, in which perhaps another is ``better``, by a share of the time. Without a named one
    there are ``ranges`` of costs, and ``sure`` is one remedy where it gains least, if its gain is
    certain at every cost. All rows make ``blocks`` of ``length`` that are nearly independent.
    ``recorded`` are loads of other recordings that were given.
    """

    def __init__(self, asked: Question, slope: Rate | None, recorded: Sequence[float] = ()) -> None:
        self.asked, self.slope, self._recorded = asked, slope, recorded
        own, highest = asked.own, asked.highest(slope)
        rates: tuple[float, ...] = (0.0, highest)
        if slope is not None:
            wide = 1.96 * slope.error
            rates = tuple(sorted({max(0.0, slope.value - wide), slope.value, slope.value + wide}))
        self.rates = rates
        first = {rate: asked.on_half(rate) for rate in rates}
        named = system_near_best({rate: asked.alike(found) for rate, found in first.items()})
        every = asked.timed(own, 0.0)
        self.even = asked.break_even(every, highest)
        several = [named]
        if named is None:
            several = asked.several(first[rates[0]], rates, self.even)
            named = several[0] if len(several) == 1 else None
        kept = {rate: representatives(found, named) for rate, found in first.items()}
        seen = {rate: asked.on_half(rate, systems) for rate, systems in kept.items()}
        self.ranges: tuple[CostRange, ...] = ()
        self.sure: Remedy | None = None
        if named is None and (ends := asked.ends(several, rates, self.even)):
            self.ranges = asked.ranges(several, ends, rates)
            # times rise straight with the cost, so that a gain is least at one of its ends
            last = [c for c in several if c.settings()["family"] not in ("uncoded", "balanced")]
            at_ends = ((at, c) for at in (rates[0], rates[-1]) for c in seen[at])
            both = [(at, c) for at, c in at_ends if c.system in last[-1:]]
            gains = [asked.remedies([seen[at][0], c], at)[1] for at, c in both]
            if len(gains) == 2 and all(gain_figure(each).low > 1 for each in gains):
                self.sure = min(gains, key=lambda each: gain_figure(each).value)
        self.remedies: list[Remedy] = []
        for rate in rates:
            judged = [c for c in seen[rate] if c.system in kept[rate]]
            self.remedies += asked.remedies(judged, rate)
        n = own.n
        wanted = [Uncoded(n=n), *(LocalSgd(n=n, period=each) for each in _PERIODS)]
        for rate in rates:  # judged on all rows: the period of local steps is not chosen, but fixed
            self.remedies += asked.remedies(asked.timed(own, rate, wanted), rate)[1:2]
        self.named: dict[str, Any] | None = None if named is None else named.settings()
        self.better = None if named is None else asked.better(seen, named)
        self.length = asked.length(every, self.remedies, self.named)
        self.blocks = len(done_series(every[0])) // self.length
        named_too = () if self.better is None else (self.better[0],)  # by the verdict
        for rate in rates:
            more = [c for c in seen[rate] if c.system in named_too and c.system not in kept[rate]]
            self.remedies += asked.remedies([seen[rate][0], *more], rate)[1:]
        self._exact = [each for each in self.remedies if each.gradient == "exact"]
        self.slowdown = slowdown(own.rows, SEED) if own.rows.any() else None
        self._seen = seen

    def ranking(self) -> Ranking:
        """Return the advice that follows from what was found."""
        asked = self.asked
        kind, verdict, then = self._verdict()
        of, rows = self.slowdown, asked.own.rows
        if kind == "unsure" and of and of.M_always and of.M_always.low > _WORTH:
            do = "Repair or replace what is slow, or give it less work. What else is best is not"
            do = f"{always_slow(of, rows, asked.names)}. {do} certain:"
            kind, verdict = "slow", verdict.replace("Cannot tell:", do)
            then = f"Do that, and record again. {then}"
        now = "unknown; record at two loads"
        if self.slope is not None:
            longer = f"{100 * self.slope.value * asked.share / asked.mean:.3g} %"
            now = f"{self.slope.value:.3g}, with which twice the work takes {longer} longer"
        order = sorted(self.remedies, key=lambda each: (GRADIENTS.index(each.gradient), each.value))
        order.sort(key=lambda each: each.rate or 0.0)
        more: dict[str, Any] = {"why": self._why(), "next": then, "slowdown": self.slowdown}
        more |= {"rates": self.rates, "rate_known": self.slope is not None, "break_even": self.even}
        more["system"] = self.named if kind in ("remedy", "nothing") else None
        more["ranges"] = self.ranges if kind == "load" else ()
        more["notes"] = () if kind == "load" else (f"Break-even: {self._codes()} (now: {now})",)
        return asked.answer(tuple(order), kind, verdict, **more)

    def _why(self) -> tuple[str, ...]:
        asked = self.asked
        if self.slowdown is None:
            return ()
        every = f"{asked.half} of them, every other of {PARTS} parts"
        chosen = f"the first {asked.half} of them" if asked.trend is None else every
        known = f"The {asked.rows} rounds are worth {self._blocks()}. Remedies were chosen on "
        known += f"{chosen}, and gains are of the other {asked.rows - asked.half}."
        if asked.since:
            why = asked.change or "the last ones are enough"
            known += f" Earlier rounds, up to row {asked.since}, are left out: {why}."
        S = with_interval(self.slowdown.S, len(asked.names))
        return (
            f"A round that waits for its slowest worker takes S = {S} times as long as a worker "
            "does on average.",
            because(self.slowdown, asked.own.rows, asked.names),
            *(() if asked.trend is None else (growing(*asked.trend),)),
            known,
        )

    def _blocks(self) -> str:
        if self.length == 1:
            return f"some {self.blocks} independent ones"
        return f"some {counted(self.blocks, 'independent blocks')} of {self.length} rounds"

    # ---- the verdict

    def _verdict(self) -> AdviceVerdict:
        rows = self.asked.rows
        if self.blocks < FEWEST_BLOCKS:
            few = f"the {rows} rounds are worth {self._blocks()}, and {FEWEST_BLOCKS} are needed"
            return self._cannot(few, max(FEWEST_BLOCKS * self.length, 2 * rows))
        if self.named is None:
            return self._judge_ranges()
        own = [each for each in self.remedies if each.system == self.named]
        if self.better is not None:
            best, saved = self.better
            was = f"{own[0].name} was the best in the first half of the rounds, but in the other"
            now = f"half {written(best.settings())} takes {100 * saved:.2g} % less time"
            return self._unsure(2, f"{was} {now}")
        is_nothing = self.named["family"] == "uncoded"
        return self._judge_nothing() if is_nothing else self._judge_remedy(own)

    def _cannot(self, why: str, rows: int) -> AdviceVerdict:
        steady = "" if self.asked.trend is None else ", when times are steady"
        # what was before a change does not count
        since = "" if self.asked.change is None else f" like those after row {self.asked.since}"
        return "unsure", f"Cannot tell: {why}.", f"Record {rows} rounds or more{since}{steady}."

    def _unsure(self, times: float, why: str) -> AdviceVerdict:
        """Return that the rows do not tell, and that so many times as many would."""
        rows = self.asked.rows * min(times, 100.0)
        digits = 10 ** max(0, math.floor(math.log10(rows)) - 1)
        return self._cannot(why, math.ceil(rows / digits) * digits)

    def _unsure_gain(self, times: float, best: Remedy) -> AdviceVerdict:
        why = "by the half of the rounds that nothing was chosen on, it is not certain whether the"
        gain = f"makes rounds faster: {with_interval(gain_figure(best))} times as fast"
        return self._unsure(times, f"{why} best remedy, {best.name}, {gain}")

    def _judge_ranges(self) -> AdviceVerdict:
        coded = [each for each in self.ranges if each.system["family"] != "uncoded"]
        gains = [max(map(gain_figure, each.judged), key=lambda one: one.value) for each in coded]
        behind = max((each.behind for each in self.ranges), default=math.inf)
        if behind > AGREE or any(gain.low <= 1 for gain in gains):
            why = "the two halves of the rounds do not agree on what is best at which cost"
            return self._unsure(2, f"what is best depends on what load costs, and {why}")
        asked, slope = self.asked, self.slope
        why = "which the recording does not say"
        then = "Record at a third load, or more rounds, so that the cost has a smaller error."
        if slope is not None:
            wide = IntervalValue(slope.value, self.rates[0], self.rates[-1])
            why = f"which is known as {self._cost(wide)} only"
        else:
            load = asked.share
            other = (2 if load <= 0.5 else 0.5) * load if load else 1 / len(asked.names)
            much = "work" if not load else "twice the work" if load <= 0.5 else "half the work"
            then = (
                f"Find out what load costs: record the same workers with {much}, "
                f"{100 * other:.4g} % of all of it on each, and run {self._again(other)}."
            )
        what, scale = "what all of the work costs", ""
        if self._in_twice:
            one = f"1 % is `--rate {asked.mean / (100 * asked.share):.3g}`"
            what, scale = "how much longer twice the work takes", f" (100 %: in proportion; {one})"
        wheres = [f"up to {self._cost(each.high)}" for each in self.ranges[:-1]] + ["above that"]
        both = zip(self.ranges, wheres, strict=True)
        self.ranges = tuple(replace(each, where=where) for each, where in both)
        does = [(each.where, advised(each.judged[0], asked.names)) for each in self.ranges]
        parts = [f"{where}, {do[0].lower()}{do[1:]}" for where, do in does]
        last, first = self.ranges[-1], ""
        if self.sure is not None:
            low, high = (self._part(each) for each in (self.rates[0], self.rates[-1]))
            of = "longer for twice the work" if self._in_twice else "for all of the work"
            first = f"{advised(self.sure, asked.names)}: whatever load costs ({low} to {high}"
            least = with_interval(gain_figure(self.sure))
            first += f"{self._unit} {of}), rounds are at least {least} times as fast. "
            first += self._as_good(self.sure, f" at {self._part(self.sure.rate or 0)}{self._unit}")
        if self.sure is not None and self.sure.system == last.system:
            parts[-1] = f"{wheres[-1]}, what is said first"
        elif last.system["family"] != "uncoded":
            gain = gain_figure(last.judged[1])
            parts[-1] += f" (rounds {with_interval(gain)} times as fast at the highest cost"
            # it is certain at one end of the range, or there was no verdict
            parts[-1] += ")" if gain.low > 1 else ", where that is not certainly more than 1)"
        codes, near = self._codes() + self._most(), "; ".join(parts)
        head = f"{codes[0].upper()}{codes[1:]}. What is best depends on {what}{scale}, {why}."
        return "load", f"{first}{head} Near the best: {near}.", then

    def _most(self) -> str:
        """Return what codes gain at most, where load costs least, beside what is no code."""
        own = [each for each in self._exact if each.rate == self.rates[0]]
        own.sort(key=lambda each: each.gain or 0.0)
        best = {each.system["family"] in CODES: with_interval(gain_figure(each)) for each in own}
        if self.even is None or not self.even.value or True not in best:
            return ""
        at = f"; at most, if load costs {'least' if self.rates[0] else 'nothing'}, one makes rounds"
        return f"{at} {best[True]} times as fast, and the best way without one {best[False]} times"

    @property
    def _in_twice(self) -> bool:
        """Whether costs are what twice the work adds to a time, as no other is known."""
        return self.slope is None and self.asked.share > 0

    def _cost(self, at: IntervalValue | BreakEven) -> str:
        value, low, high = map(self._part, (at.value, at.low, at.high))
        return f"{value} [{low}, {high}]{self._unit}"

    def _part(self, cost: float) -> str:
        # a worker's own part would come once more
        part = 100 * self.asked.share / self.asked.mean if self._in_twice else 1.0
        return f"{float(f'{part * cost:.3g}'):g}"

    @property
    def _unit(self) -> str:
        return " %" if self._in_twice else f" {self.asked.unit or ''}".rstrip()

    def _codes(self) -> str:
        """Return at which cost codes help: where some code is the fastest of the exact remedies."""
        if self.even is None:
            return "no code could be compared"
        if self.even.high == 0:
            return "codes do not help, even if more work takes no more time"
        if self._in_twice:
            return f"codes help while twice the work takes less than {self._cost(self.even)} longer"
        return f"codes help while all of the work costs less than {self._cost(self.even)} a round"

    def _judge_remedy(self, own: Sequence[Remedy]) -> AdviceVerdict:
        least = min(own, key=lambda each: gain_figure(each).low)
        most = max(own, key=lambda each: gain_figure(each).value)
        gain, known = gain_figure(least), self.slope is not None
        if gain.low <= 1:
            short = ((gain.value - gain.low) / (gain.value - 1)) ** 2 if gain.value > 1 else 4.0
            return self._unsure_gain(max(2.0, short), least)

        def where(each: Remedy) -> str:
            return at_cost(each.rate, self.asked.unit, known=known)

        times = f"{with_interval(gain)} times as fast"
        if gain_figure(most).value > gain.value * (1 + NEAR):
            times += f" {where(least)}, {with_interval(gain_figure(most))} times {where(most)}"
        run = "run `fastgc advise` on the new recording."
        then = (
            f"Try it: time {100 * own[0].load:.3g} % of the work on each worker, which the "
            f"recording does not have, and run {self._again(own[0].load)}."
        )
        if any(math.isclose(own[0].load, each, rel_tol=1e-2) for each in self._recorded):
            then = f"Do it: a recording at that load is among those given. {_LATER}"
        if "who" in own[0].system:
            then = "Look at what is left out: sound workers in its place would be better still. "
            then += f"Then record again, and {run}"
        elif own[0].system["family"] in ("leave-out", "balanced"):
            then = f"Do it, record the workers again, and {run}"
        said = f"{advised(own[0], self.asked.names)}: that makes rounds {times}."
        both = [(a, b) for a in own for b in self._exact if a.rate == b.rate]
        faster = [(b.value / a.value, b) for a, b in both if b.value < a.value]
        if faster:
            part, first = min(faster, key=lambda pair: pair[0])
            at = f" {where(first)}" * (len(own) > 1)
            said += (
                f" The first row, {first.name}, takes {100 - 100 * part:.2g} % less time{at}; what "
                f"is named is within {100 * NEAR:g} % of the fastest by the rounds it was chosen "
                f"on, and the simplest of those that come as near within {100 * ALIKE:g} %."
            )
        said = f"{said} {self._as_good(least)}".rstrip()
        return "remedy", said, then

    def _as_good(self, judged: Remedy, at: str = "") -> str:
        """Return the simplest remedy that is as good, at a cost, by the rounds that judge one."""
        asked, seen = self.asked, self._seen[judged.rate or 0.0]
        simpler, others = asked.as_good(seen, judged.system)
        if not simpler:
            return ""
        [one] = asked.remedies([seen[0], simpler[0]], judged.rate or 0.0)[1:]
        do = advised(one, asked.names)
        how = "As good or better" if one.value <= judged.value else "Not certainly slower"
        systems = [c.system.settings() for c in (*simpler, *others)]
        many = {own["k"] for own in (judged.system, *systems) if own["family"] == "leave-out"}
        doubt = ""
        if len(many) > 1 and judged.system["family"] == "leave-out":
            doubt = f"; how many, {min(many)} to {max(many)}, is not certain"
        gain = f"{with_interval(gain_figure(one))} times as fast"
        how += f"{at} by the rounds that judge it, and simpler"
        return f"{how}: {do[0].lower()}{do[1:]} ({gain}{doubt}). "

    def _judge_nothing(self) -> AdviceVerdict:
        others = [each for each in self._exact if each.system["family"] != "uncoded"]
        if not others:
            return "nothing", "Do nothing: there is no other system for so few workers.", _LATER
        rivals = [
            max((each for each in others if each.rate == rate), key=lambda r: gain_figure(r).value)
            for rate in dict.fromkeys(each.rate for each in others)
        ]
        best = max(rivals, key=lambda each: gain_figure(each).high)
        if gain_figure(best).high > 1 + 2 * NEAR:
            return self._unsure_gain(4, best)
        waits = self.slowdown is None or self.slowdown.S.high < _LITTLE
        verdict = (
            f"Do nothing{f', {_WAITS}' * waits}: of the remedies that keep the gradient exact, the "
            f"best, {best.name}, makes rounds {with_interval(gain_figure(best))} times as fast."
        )
        return "nothing", verdict, _LATER

    def _again(self, other: float) -> str:
        """Return the options that take another recording for what load costs."""
        load, n = self.asked.share, len(self.asked.names)
        own = "" if math.isclose(load, 1 / n) else f"--load {load:.4g} "
        place = " in place of `--rate`" if self.slope and not self.slope.recordings else ""
        return f"the same command with `{own}--fit OTHER.csv:{other:.4g}`{place}"


def because(found: Slowdown, rows: Values, names: Sequence[str]) -> str:
    """Return who causes the waiting."""
    if found.M_W is None or found.balanced is None or found.S.high < _LITTLE:
        said = f"Workers take nearly the same time, so that little is lost by waiting, {_WAITS}: "
        return f"{said}nearly equal times cannot tell. Then record the time before the all-reduce."
    who, alone = named_workers([names[w] for w in found.slowest]), len(found.slowest) == 1
    first, *others = (found.S_w[w] for w in found.ranked)
    # of few workers, of two above all, any one's replacement takes much of the waiting away
    apart = all(first.high < one.low for one in others) and found.ranked[0] == found.slowest[0]
    if found.M_W.low > 0.5 and (not alone or apart):
        said = f"{who}: most of the waiting, M_W = {with_interval(found.M_W)} of S − 1"
        like = f"; S would be {with_interval(first)} if it were like the others"
        return f"{said}{like * alone}."
    if found.M_together is not None and found.M_together.low > 0.5:
        who = named_workers([names[w] for w in found.together])
        gone = f"{with_interval(found.M_together)} of S − 1"
        return f"{who}: most of the waiting together, {gone} would go if they were as fast."
    left = f"{with_interval(found.balanced)} of S − 1 would be left"
    if found.always:
        slow = always_slow(found, rows, names)
        return f"{slow}. By slow moments {left} even if all workers were as fast on average."
    said = "Who causes the waiting is not certain"
    if found.balanced.low > 0.5:
        said = "No single worker causes the waiting, slow moments wander"
    elif found.balanced.high < 0.5:
        said = "Some workers are always slower than others"
    return f"{said}: {left} if all workers were as fast on average."


def always_slow(found: Slowdown, rows: Values, names: Sequence[str]) -> str:
    """Return who is slow in nearly all rounds, how much, and what that causes of the waiting."""
    assert found.M_always is not None
    slow, rest = rows[:, list(found.always)], np.delete(rows, found.always, axis=1)
    factor = float(np.median(slow.mean(axis=1) / np.median(rest, axis=1)))
    return (
        f"Always slow: {named_workers([names[w] for w in found.always], _TO_DO)}, {factor:.3g} "
        "times as long as the others in the median round, and in nine of ten longer than any other "
        f"usually is; that causes {with_interval(found.M_always)} of the waiting, S − 1"
    )


def advised(own: Remedy, names: Sequence[str]) -> str:
    """Return what to do, as a command to the reader; workers are named that are always left out."""
    system = own.system
    family, k, basis = system["family"], system.get("k", 0), system.get("basis", 10)
    its = "its" if k == 1 else "their"
    before = f"Before every round {{}} in the {basis} rounds before"
    if family == "uncoded":
        return "Do nothing"
    if "who" in system:
        who = named_workers([names[w] for w in system["who"]], _TO_DO)
        return f"Leave out {who} in all rounds, and share {its} work among the others"
    if family == "leave-out":
        those = f"leave out the {counted(k, 'workers')} that took longest"
        return f"{before.format(those)}, and share {its} work among the others"
    if family == "balanced":
        return before.format("share out the work in proportion to the workers' speeds")
    if family == "spare":
        n, spare = system["n"], counted(system["b"], "workers")
        return (
            f"Keep {spare} spare: give each worker a mini-batch of 1/{n}, and take the first {n} "
            f"answers ({own.name})"
        )
    return f"Use the code {written(system)}, with {100 * own.load:.3g} % of the work on each worker"


def with_interval(found: IntervalValue, most: float = math.inf) -> str:
    """Return a number, at ``most`` so large, with its interval, to the digits that allows."""
    width = found.high - found.low
    digits = 2 if not math.isfinite(width) or width <= 0 else max(2, -math.floor(math.log10(width)))
    low, high = (f"{end:.{min(digits, 4)}f}" for end in (found.low, found.high))
    high = high if found.high < most else "not bounded"
    return f"{found.value:.{min(digits, 4)}f} [{low}, {high}]"
