"""The precision that a study asks for: its rule, and how far from it a tally is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fastgc.engine.blocks import Precision
from fastgc.engine.units import Unit
from fastgc.runs.plan import name_of
from fastgc.statistics.estimates import Estimate, events
from fastgc.statistics.tallies import Tally
from fastgc.study.study import Stop


@dataclass(frozen=True)
class Reached:
    """How precisely a unit is known, against what its study asks for."""

    name: str  #: The unit's point.
    trials: int  #: Its trials.
    #: Half the width of the 95 % interval of its first measure's mean, and the mean.
    half_width: float | None
    value: float | None
    events: float  #: Non-zero outcomes behind it, at least.
    rule: str | None  #: The rule that is satisfied, if one is.
    #: About how many more trials it takes; 0 if a rule is satisfied, None where nothing is known.
    more: int | None

    @classmethod
    def of(cls, unit: Unit, tally: Tally, rule: Precision) -> "Reached":
        """Return how precisely a unit is known, and about how many more trials the rule takes."""
        estimate, met = rule.of(unit, tally), rule.reached(unit, tally)
        half, more = None, None
        if estimate.value and estimate.standard_error is not None:
            half, wanted = rule.half_width(estimate), rule.needed(estimate, tally.trials)
            if met:
                more = 0
            elif wanted is not None:
                left = max(max(wanted) - tally.trials, 1.0)
                digit = 10 ** max(0, math.floor(math.log10(left)) - 1)
                more = math.ceil(left / digit) * digit
        known = half, estimate.value, events(estimate), met, more
        return cls(name_of(unit), tally.trials, *known)


def summary(found: Sequence[Reached]) -> list[str]:
    """Return sentences: how many points are precise, and what the others take."""
    if not found:
        return []
    met = sum(each.rule is not None for each in found)
    lines = [f"{met} of {len(found)} points have the precision that is asked for"]
    wanted = [(each.trials + each.more, each.name) for each in found if each.more]
    if wanted:
        most, name = max(wanted)
        lines.append(
            f"to get there, run each shard again with --trials {most} and merge again; {name} "
            "takes most"
        )
    return lines


def precision_of(stop: Stop) -> Precision | None:
    """Return the rule that looks at precision, if a study has one."""
    if stop.relative_error is None and stop.absolute_error is None:
        return None
    return Precision(least_certain, stop.relative_error, stop.absolute_error, stop.events)


def least_certain(unit: Unit, tally: Tally) -> Estimate:
    """Mean of the first measure; of several points or entries the least certain one."""

    def spread(estimate: Estimate) -> float:
        return (estimate.standard_error or 0.0) / abs(estimate.value or 1.0)

    known = [estimate for estimate in unit.firsts(tally) if estimate.value]
    return max(known, key=spread, default=Estimate(None, None))
