"""What will stop a unit, and after how many trials, from a pilot.

Precision is looked at only after 1, 2, 4, 8, … blocks, so that the trials taken are the next such
number above those needed. Where the need lies near one of them, either that one or the next may be
the last.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from fastgc.engine.limits import Precision, Share
from fastgc.engine.units import Unit
from fastgc.runs.pilots import Pilot
from fastgc.runs.rates import SPREADS, Expected, spread
from fastgc.statistics.estimates import Estimate, events, normal_quantile
from fastgc.statistics.tallies import Tally

#: With so many trials without an event, an event more likely than this divided by the trials would
#: have been seen in 19 of 20 cases.
NEVER_SEEN = 3.0


@dataclass(frozen=True)
class Ending:
    """After how many trials a unit stops, and why."""

    trials: int  #: The most likely number.
    stopped_by: str  #: The rule that ends it then.
    #: Between these it is in most cases; equal where nothing is uncertain.
    low: int
    high: int
    #: Trials that the precision asked for takes, whatever else stops the unit first; None where
    #: none is asked for, or nothing is known of it.
    needed: Expected | None = None

    @classmethod
    def of(cls, unit: Unit, pilot: Pilot, share: Share, rule: Precision | None) -> Ending:
        """Return when a unit stops, if its time is not limited."""
        stored, most = pilot.stored, share.trials(unit.block)
        needed = _needed(unit, pilot, rule) if rule is not None and pilot.trials else None
        if stored.stopped_by is not None:
            return cls(stored.trials, stored.stopped_by, stored.trials, stored.trials, needed)
        if rule is None or not share.alone:
            return cls(most, "trials", most, most, needed)

        def look(enough: float) -> int:
            """Trials at the first look, after those of the pilot, that finds so many."""
            blocks = max(stored.done + 1, math.ceil(enough / unit.block))
            blocks = 1 << (blocks - 1).bit_length()
            return min(most, blocks * unit.block)

        if needed is None:
            least = rule.least_events * pilot.trials / NEVER_SEEN
            return cls(most, "trials", look(least), most)
        trials, low, high = (look(each) for each in (needed.value, needed.low, needed.high))
        stopped_by = "trials" if needed.value > trials else _name(unit, pilot, rule, trials)
        return cls(trials, stopped_by, low, high, needed)

    def in_time(self, block: int, rate: Expected, seconds: float) -> Ending:
        """Return the ending of a unit that has so many processor seconds at most.

        The blocks under way when time is up are still merged.
        """

        def fitting(seconds_a_trial: float) -> int:
            return block * max(1, math.ceil(seconds / seconds_a_trial / block))

        trials = fitting(rate.value)
        low, high = min(self.low, fitting(rate.high)), min(self.high, fitting(rate.low))
        if trials >= self.trials:
            return replace(self, low=low, high=max(high, self.trials))
        return Ending(trials, "seconds", min(low, trials), max(high, trials), self.needed)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        needed = None if self.needed is None else self.needed.as_dict()
        trials = Expected(self.trials, self.low, self.high).as_dict()
        return {"trials": trials, "stopped_by": self.stopped_by, "needed": needed}


def _needed(unit: Unit, pilot: Pilot, rule: Precision) -> Expected | None:
    """Trials that the precision takes: half-widths fall with their root, events grow with them.

    How sure that is, the parts of the pilot tell by how much they differ.
    """
    tally = pilot.stored.total()
    found = rule.of(unit, tally)
    seen = events(found)
    if not seen or not found.value or found.standard_error is None:
        return None
    wanted = max(rule.absolute or 0.0, (rule.relative or 0.0) * abs(found.value))
    half = normal_quantile(rule.confidence) * found.standard_error
    sure = _uncertainty(unit, pilot, tally, found, slope=2.0 if wanted != rule.absolute else 0.0)
    by_width = Expected.about(pilot.trials * (half / wanted) ** 2, 1 + SPREADS * sure)
    by_events = pilot.trials * rule.least_events / seen
    if by_width.value >= by_events:
        return by_width
    return Expected.about(by_events, 1 + SPREADS / math.sqrt(seen))


def _uncertainty(unit: Unit, pilot: Pilot, tally: Tally, found: Estimate, slope: float) -> float:
    """Relative standard error of variance divided by mean to the power of ``slope``."""
    if not found.value or not found.standard_error:
        return 0.0
    place = list(unit.firsts(tally)).index(found)
    deviations = []
    for part in pilot.parts:
        assert part.tally is not None
        own = list(unit.firsts(part.tally))[place]
        if own.value is None or own.standard_error is None:
            continue
        weight = part.trials / pilot.trials
        variance = weight * (own.standard_error / found.standard_error) ** 2
        deviations.append(weight * (variance - 1 - slope * (own.value / found.value - 1)))
    return spread(deviations) if len(deviations) > 1 else 1 / math.sqrt(events(found))


def _name(unit: Unit, pilot: Pilot, rule: Precision, trials: int) -> str:
    """Which of the two rules is met after so many trials; the absolute one is asked first."""
    error = rule.of(unit, pilot.stored.total()).standard_error
    if rule.absolute is None or error is None:
        return "relative_error"
    half = normal_quantile(rule.confidence) * error * math.sqrt(pilot.trials / trials)
    return "absolute_error" if half <= rule.absolute else "relative_error"
