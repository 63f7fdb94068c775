"""Rare completion times: ``python -m bench.tails [--replications N]``.

How often 95 % intervals of union sampling hold the exact value, where that is known: 93 to 97 %.
Where all samples are alike the interval is wider than it need be, and only a floor is promised.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import stats

from bench.intervals import Promise, Setting, judge
from fastgc.draws.streams import key, uniforms
from fastgc.latency import Exponential
from fastgc.latency.time import Time
from fastgc.systems import Structure
from fastgc.systems.timing.group_structures import Layers
from fastgc.systems.timing.laws import Union, distribution
from fastgc.systems.timing.laws.structure_law import LawRequest, evaluation_of
from fastgc.systems.timing.stars import Flat

REPEATS = 1000
LEVELS = (0.2, 1e-2, 1e-6, 1e-12, 1e-70)
BAND, FLOOR = Promise(0.93, 0.97), Promise(0.93)


def unlike(n: int, sigma: float = 0.5) -> list[Time]:
    """Exponential laws whose means are lognormal."""
    normal = stats.norm.ppf(uniforms(1, "unlike workers", n))
    return [Exponential(mean=float(np.exp(sigma * z))).time() for z in normal]


@dataclass(frozen=True)
class TailCase:
    """A completion time: when it ends, its workers' laws, and how likely each answers."""

    name: str
    structure: Structure
    times: list[Time]
    receive: float = 0.0
    answers: float = 1.0


_UNIT = [Exponential(mean=1.0).time()]
KNOWN = (
    TailCase("80 of 100, port", Flat(100, 80), _UNIT, 0.01),
    TailCase("9 of 12 unlike, port", Flat(12, 9), unlike(12), 0.05),
    TailCase("9 of 12 unlike, some silent", Flat(12, 9), unlike(12), 0.05, 0.95),
    TailCase("layers, two laws", Layers(40, (35, 25, 15)), unlike(2) * 20),
)


def counted(each: TailCase, probability: float) -> Setting:
    """Intervals of union sampling where P(> t) is known."""
    number = f"P = {probability:.1e}"
    law = distribution(each.structure, each.times, each.receive, answers=each.answers)
    t = float(law.upper_quantile(probability))
    exact = float(law.survival(t))
    asked = LawRequest(each.structure.workers, each.times, each.receive, answers=each.answers)
    union = Union.late(evaluation_of(each.structure, asked), t)
    alike = float(union.failures.sum()) < 1.05 * exact * law.decodable

    def hits(seed: int) -> Counter[str]:
        found = union.probability(partial(union.islands, key(seed, "bench", "tail")), 0.02)
        low, high = found.interval()
        assert low is not None and high is not None
        holds = low * (1 - 1e-12) <= exact <= high * (1 + 1e-12)
        return Counter({number: int(holds), "samples": found.trials or 0})

    def note(found: Counter[str], repeats: int) -> str:
        return f"{found['samples'] / repeats:.0f} samples{', alike' * alike}"

    return Setting(each.name, {number: FLOOR if alike else BAND}, hits, note)


def situations() -> list[Setting]:
    return [counted(each, probability) for each in KNOWN for probability in LEVELS]


def main(arguments: Sequence[str] | None = None) -> int:
    return judge("bench.tails", __doc__, situations, REPEATS, arguments)


if __name__ == "__main__":
    sys.exit(main())
