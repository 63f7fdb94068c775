"""From what was found of a recording to what to do about it: `fastgc.advise`."""

import math
from collections.abc import Sequence
from typing import Any

from fastgc.latency.empirical import Rate
from fastgc.latency.recording import DEFAULT_THRESHOLD
from fastgc.latency.slowdown import Figure, slowdown
from fastgc.planning import sentences as said
from fastgc.planning.judging import PARTS, SEED, Question, always_late, rounds_of
from fastgc.planning.offered import AGREE, NEAR, named_of, representatives
from fastgc.planning.recording import FEWEST_BLOCKS
from fastgc.planning.sentences import with_interval
from fastgc.registry.numbers import counted
from fastgc.results.ranking import Range, Ranking, Remedy, at_cost, written
from fastgc.systems.system import GRADIENTS
from fastgc.systems.uncoded import LocalSgd, Uncoded

#: Rounds between synchronisations, of which the first is taken that so few rows allow.
_PERIODS = (4, 2)
#: Kind, verdict, and what to do next.
Verdict = tuple[str, str, str]


def gain_of(remedy: Remedy) -> Figure:
    """Return how many times as long uncoded work takes, with its interval."""
    assert remedy.gain is not None and remedy.gain_low is not None and remedy.gain_high is not None
    return Figure(remedy.gain, remedy.gain_low, remedy.gain_high)


class Findings:
    """What was found of a recording, and what to do about it.

    ``named`` is the system chosen on the first half of the rows, ``remedies`` were judged on the
    other half, in which perhaps another is ``better``, by a share of the time. Without a named one
    there are ``ranges`` of costs. All rows make ``blocks`` of ``length`` that are nearly
    independent; ``always`` are workers that are late in all rounds, alone.
    """

    def __init__(self, asked: Question, slope: Rate | None) -> None:
        self.asked, self.slope = asked, slope
        own, highest = asked.own, asked.highest(slope)
        rates: tuple[float, ...] = (0.0, highest)
        if slope is not None:
            wide = 1.96 * slope.error
            rates = tuple(sorted({max(0.0, slope.value - wide), slope.value, slope.value + wide}))
        self.rates = rates
        first = {rate: asked.on_half(rate) for rate in rates}
        named = named_of({rate: asked.alike(found) for rate, found in first.items()})
        every = asked.timed(own, 0.0)
        self.even = asked.break_even(every, highest)
        several = [named]
        if named is None:
            several = asked.several(first[rates[0]], rates, self.even)
            named = several[0] if len(several) == 1 else None
        kept = {rate: representatives(found, named) for rate, found in first.items()}
        seen = {rate: asked.on_half(rate, systems) for rate, systems in kept.items()}
        self.ranges: tuple[Range, ...] = ()
        if named is None and (ends := asked.ends(several, rates, self.even)):
            self.ranges = asked.ranges(several, ends, rates)
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
        self.blocks = len(rounds_of(every[0])) // self.length
        self.slowdown = slowdown(own.rows, SEED) if own.rows.any() else None
        self.always = always_late(own.rows, own.threshold(DEFAULT_THRESHOLD))

    def ranking(self) -> Ranking:
        """Return the advice that follows from what was found."""
        asked = self.asked
        kind, verdict, then = self._verdict()
        if self.always is not None and (kind == "unsure" or asked.stages):
            slow = said.always_slow(self.always, asked.names, asked.rows, asked.stages)
            rest = verdict.replace("Cannot tell:", "What else is best is not certain:")
            if kind == "unsure":
                slow, then = f"{slow} {rest}", f"Do that, and record again. {then}"
            kind, verdict = "slow", slow
        order = sorted(
            self.remedies,
            key=lambda each: (each.rate or 0.0, GRADIENTS.index(each.gradient), each.value),
        )
        return asked.answer(
            tuple(order),
            kind,
            verdict,
            why=self._why(),
            next=then,
            system=self.named if kind in ("remedy", "nothing") else None,
            rates=self.rates,
            rate_known=self.slope is not None,
            ranges=self.ranges if kind == "load" else (),
            break_even=self.even,
            slowdown=self.slowdown,
        )

    def _why(self) -> tuple[str, ...]:
        asked = self.asked
        if self.slowdown is None:
            return ()
        how = "" if asked.trend is None else f", every other of {PARTS} parts"
        known = said.KNOWN.format(
            rows=asked.rows,
            blocks=self._blocks(),
            chosen=f"{'the first ' if asked.trend is None else ''}{asked.half}",
            how=how,
            judged=asked.rows - asked.half,
        )
        if asked.since:
            known += said.EARLIER.format(
                since=asked.since, why=asked.change or "the last ones are enough"
            )
        return (
            said.WAITING.format(with_interval(self.slowdown.S)),
            said.because(self.slowdown, asked.names),
            *(() if asked.trend is None else (said.growing(*asked.trend),)),
            known,
        )

    def _blocks(self) -> str:
        if self.length == 1:
            return f"some {self.blocks} independent ones"
        return f"some {counted(self.blocks, 'independent blocks')} of {self.length} rounds"

    # ---- the verdict

    def _verdict(self) -> Verdict:
        rows = self.asked.rows
        if self.blocks < FEWEST_BLOCKS:
            few = said.FEW.format(rows=rows, blocks=self._blocks(), fewest=FEWEST_BLOCKS)
            many = max(FEWEST_BLOCKS * self.length, 2 * rows)
            return "unsure", said.CANNOT.format(few), self._more(many)
        if self.named is None:
            return self._of_ranges()
        own = [each for each in self.remedies if each.system == self.named]
        if self.better is not None:
            best, saved = self.better
            words = {"own": own[0].name, "best": written(best.settings()), "saved": 100 * saved}
            return self._unsure(2, said.BETTER, **words)
        return self._of_nothing() if self.named["family"] == "uncoded" else self._of_remedy(own)

    def _unsure(self, times: float, template: str, **words: Any) -> Verdict:
        rows = self.asked.rows * min(times, 100.0)
        digits = 10 ** max(0, math.floor(math.log10(rows)) - 1)
        more = self._more(math.ceil(rows / digits) * digits)
        return "unsure", said.CANNOT.format(template.format(**words)), more

    def _more(self, rows: int) -> str:
        return said.MORE.format(rows, "" if self.asked.trend is None else said.STEADY)

    def _of_ranges(self) -> Verdict:
        coded = [each for each in self.ranges if each.system["family"] != "uncoded"]
        gains = [max(map(gain_of, each.judged), key=lambda one: one.value) for each in coded]
        behind = max((each.behind for each in self.ranges), default=math.inf)
        if behind > AGREE or any(gain.low <= 1 for gain in gains):
            return self._unsure(2, said.DISAGREE)
        asked, slope = self.asked, self.slope
        unit = "" if asked.unit is None else f" {asked.unit}"
        in_twice = slope is None and asked.share > 0

        def in_terms(at: Figure) -> str:
            """A cost as what twice the work adds to a time, or itself."""
            if not in_twice:
                return f"{said.cost(at)}{unit}"
            part = 100 * asked.share / asked.mean  # a worker's own part would come once more
            return f"{said.cost(Figure(at.value * part, at.low * part, at.high * part))} %"

        why = "which the recording does not say"
        if slope is not None:
            wide = Figure(slope.value, self.rates[0], self.rates[-1])
            why = f"which is known as {said.cost(wide)}{unit} only"
        parts = []
        for place, each in enumerate(ranges := self.ranges[::-1]):
            do = said.advised(each.judged[0], asked.names)
            do, least = do[0].lower() + do[1:], in_terms(each.low)
            if place == 0:  # at the highest costs times are in proportion to the work
                if each.system["family"] != "uncoded":
                    gain = with_interval(gain_of(each.judged[1]))
                    do += f" (rounds {gain} times as fast at the highest cost)"
                template = said.FROM_TWICE if in_twice else said.FROM_COST
                parts.append(template.format(least=least, do=do))
            else:
                last = place == len(ranges) - 1
                parts.append(f"{'below that' if last else f'from {least} to that'}, {do}")
        words = {"why": why, "parts": "; ".join(parts)}
        return "load", said.DEPENDS.format(**words), self._two_loads()

    def _of_remedy(self, own: Sequence[Remedy]) -> Verdict:
        least = min(own, key=lambda each: gain_of(each).low)
        most = max(own, key=lambda each: gain_of(each).value)
        gain, known = gain_of(least), self.slope is not None
        if gain.low <= 1:
            short = ((gain.value - gain.low) / (gain.value - 1)) ** 2 if gain.value > 1 else 4.0
            words = {"own": own[0].name, "gain": with_interval(gain)}
            return self._unsure(max(2.0, short), said.UNSURE, **words)

        def where(each: Remedy) -> str:
            return at_cost(each.rate, self.asked.unit, known=known)

        times = f"{with_interval(gain)} times as fast"
        if gain_of(most).value > gain.value * (1 + NEAR):
            times += f" {where(least)}, {with_interval(gain_of(most))} times {where(most)}"
        verdict = said.SAVES.format(do=said.advised(own[0], self.asked.names), times=times)
        then = said.TRY_IT.format(share=100 * own[0].load, again=self._again(own[0].load))
        if "who" in own[0].system:
            then = said.LEFT_OUT
        elif own[0].system["family"] in ("leave-out", "balanced"):
            then = said.DO_IT
        return "remedy", verdict, then

    def _of_nothing(self) -> Verdict:
        others = [each for each in self.remedies if each.gradient == "exact"]
        others = [each for each in others if each.system["family"] != "uncoded"]
        if not others:
            return "nothing", said.NO_OTHER, said.LATER
        rivals = [
            max((each for each in others if each.rate == rate), key=lambda r: gain_of(r).value)
            for rate in dict.fromkeys(each.rate for each in others)
        ]
        best = max(rivals, key=lambda each: gain_of(each).high)
        words = {"own": best.name, "gain": with_interval(gain_of(best))}
        if gain_of(best).high > 1 + 2 * NEAR:
            return self._unsure(4, said.UNSURE, **words)
        return "nothing", said.NOTHING.format(**words), said.LATER

    # ---- what to do next

    def _again(self, other: float) -> str:
        load, n = self.asked.share, len(self.asked.names)
        own = "" if math.isclose(load, 1 / n) else f"--load {load:.4g} "
        return f"the same command with `{own}--fit OTHER.csv:{other:.4g}`"

    def _two_loads(self) -> str:
        if self.slope is not None:
            return said.THIRD_LOAD
        load = self.asked.share
        other = (2 if load <= 0.5 else 0.5) * load if load else 1 / len(self.asked.names)
        much = "work" if not load else "twice the work" if load <= 0.5 else "half the work"
        return said.TWO_LOADS.format(much=much, share=100 * other, again=self._again(other))
