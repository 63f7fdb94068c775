"""What the exact road of each point costs: it is taken where that is quick, else reckoned."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from fastgc.engine.units import Unit
from fastgc.experiments.point import Point
from fastgc.results.rows import EXACT, Row
from fastgc.runs.foretelling.expected import Expected
from fastgc.runs.foretelling.memory import Growth
from fastgc.runs.plan import Plan, enumerated, rare_part, sought
from fastgc.statistics.estimates import Estimate

#: Processor seconds for all points that are tried.
SECONDS = 5.0
#: A point that is reckoned to take longer is not tried; what is reckoned is 3 to 7 times too much.
LONGEST = 30.0
#: Bytes a pattern: measured at n = 20 to 23.
PATTERN_BYTES = 76
#: Tallied from so few trials, a point shows which rows it has.
FEW = 64


@dataclass(frozen=True)
class Enumerated:
    """A point on the exact road.

    Attributes
    ----------
    point : Point
    patterns : int
        How many are enumerated; 1 for a law, 0 for a search for the worst.
    seconds : Expected
        Of processor time.
    memory : int
        Bytes that it takes while it lasts.
    rows : list of Row
        What it gives; rows like those, where it was not tried.
    tried : bool
        Whether it was.
    is_rare : bool
        Whether it takes the road to rare events instead.
    """

    point: Point
    patterns: int
    seconds: Expected
    memory: int
    rows: list[Row]
    tried: bool
    is_rare: bool = False


def exact_pilots(plan: Plan) -> Iterator[Enumerated]:
    """Yield every point of the exact road, tried as long as there is time."""
    spent = 0.0
    ratios: list[float] = []
    before: dict[str, Enumerated] = {}
    for place, point in enumerate(plan.exact):
        if plan.is_rare(place):
            found = _rare(plan, place, spent < SECONDS)
            spent += found.seconds.low if found.tried else 0.0
            yield found
            continue
        patterns = point.compiled.exact_cost() or 0
        reckoned = point.compiled.exact_seconds(patterns) if patterns else 0.0
        if spent < SECONDS and reckoned <= LONGEST:
            if point.experiment not in before and reckoned < 1.0:
                _load(plan, point)
            memory, started = Growth(), time.process_time()
            plan.learn(place, enumerated(plan.exactly(place)))
            rows = plan.known[place]
            took = time.process_time() - started
            spent += took
            if reckoned and patterns > 1:
                ratios.append(took / reckoned)
            found = Enumerated(
                point, patterns, _about(took, 1.2), memory.most or 0, rows, tried=True
            )
            before[point.experiment] = found
        else:
            found = _reckoned(plan, point, patterns, reckoned, ratios, before.get(point.experiment))
        yield found


def _rare(plan: Plan, place: int, try_it: bool) -> Enumerated:
    """A point on the road to rare events: its first look, if there is time for it."""
    point = plan.exact[place]
    if not try_it:
        return Enumerated(point, 0, Expected(0.0, 0.0, LONGEST), 0, [], tried=False, is_rare=True)
    memory, started = Growth(), time.process_time()
    unit, asked = plan.exactly(place), plan.asked(place)
    plan.learn(place, sought(unit, replace(asked, trials=1), partial(rare_part, unit)))
    rows = plan.known.pop(place)
    took = time.process_time() - started
    times = [_wider(row.estimate, asked.relative) for row in rows if row.estimate.trials]
    most = max(1.0, min(max(times, default=1.0), asked.trials / 4096))
    seconds = Expected(took * most, took, 2.0 * took * most)
    return Enumerated(point, 0, seconds, memory.most or 0, rows, tried=True, is_rare=True)


def _wider(estimate: Estimate, relative: float) -> float:
    """How many times as many islands make an interval as narrow as is asked for, about."""
    low, high = estimate.interval()
    if not estimate.value or low is None or high is None:
        return 1.0
    smaller = min(estimate.value, 1.0 - estimate.value)  # a failure is to be known as well
    return ((high - low) / (2 * relative * smaller)) ** 2 if smaller else 1.0


def _load(plan: Plan, point: Point) -> None:
    """Load the kernels that a point needs, and forget what they gave."""
    twin = pickle.loads(pickle.dumps(point))
    for _ in twin.compiled.exact_rows():
        pass


def _reckoned(
    plan: Plan,
    point: Point,
    patterns: int,
    reckoned: float,
    ratios: list[float],
    like: Enumerated | None,
) -> Enumerated:
    """What a point costs that was not tried."""
    if patterns > 1:
        ratio = sum(ratios) / len(ratios) if ratios else 0.25
        seconds = _about(reckoned * ratio, 2.0 if ratios else 3.0)
    else:
        seconds = Expected(0.0, 0.0, SECONDS) if like is None else _about(like.seconds.value, 3.0)
    rows = _like(plan, point) if like is None else like.rows
    rows = [replace(row, point=point.sweep) for row in rows]
    return Enumerated(point, patterns, seconds, PATTERN_BYTES * patterns, rows, tried=False)


def _like(plan: Plan, point: Point) -> list[Row]:
    """Rows like those of a point's exact road: of the sampled one, which has about the same."""
    if not point.compiled.exact_cost():
        return []  # of a worst case there is one alone
    unit = Unit([point], plan.study.seed, "dry run")
    tally = unit.run([0], FEW).tally
    return [
        Row(own.experiment, own.sweep, quantity, statistic, index, EXACT, estimate)
        for own, quantity, statistic, index, estimate in unit.rows(tally)
    ]


def _about(value: float, factor: float) -> Expected:
    return Expected(value, value / factor, value * factor)
