"""What is known of replicated work: the fastest of each group of d workers counts."""

from __future__ import annotations

import math

from fastgc.theory.common.combinatorics import hypergeometric
from fastgc.theory.known.completion import Known, Table, Time, if_answered
from fastgc.theory.known.registered import system
from fastgc.theory.known.time_law import TimeLaw
from fastgc.theory.literature.replication import (
    frc_completion_mean,
    frc_completion_tail,
    frc_completion_variance,
)

#: Above it the probability that groups answer takes seconds.
_LARGEST = 128


@system("replication")
def replication(experiment: Table, n: int) -> Known:
    """All groups, or so many of them, must answer."""
    d, groups = experiment["system"]["d"], experiment["system"].get("groups")
    needed = n // d if groups is None else groups

    def time(law: TimeLaw) -> Time:
        moments = None
        if law.exponential is not None:
            mean, shift = law.exponential
            moments = (
                frc_completion_mean(n, d, mean, shift, needed),
                frc_completion_variance(n, d, mean, needed),
            )
        return Time(moments, lambda t: frc_completion_tail(n, d, law.tail(t), needed))

    decodable = if_answered(n, lambda r: groups_answer(n, d, needed, r))
    claim = "literature.frc.completion.derived"
    return Known(d / n, time, claim, decodable if n <= _LARGEST else lambda _: None)


def groups_answer(n: int, d: int, needed: int, survivors: int) -> float:
    """Probability that at least so many groups of d have one of r survivors.

    >>> groups_answer(4, 2, 2, 2)
    0.6666666666666666
    """
    states = {(survivors, 0): 1.0}
    for group in range(n // d):
        left = n - d * group
        after: dict[tuple[int, int], float] = {}
        for (alive, reached), chance in states.items():
            here = hypergeometric(left, alive, d)
            for i, p in enumerate(here):
                if p:
                    place = (alive - i, reached + (i > 0))
                    after[place] = after.get(place, 0.0) + chance * p
        states = after
    chances = [0.0] * (n // d + 1)
    for (_, reached), chance in states.items():
        chances[reached] += chance
    return math.fsum(chances[needed:])
