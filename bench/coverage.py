"""How often 95 % intervals hold the truth: ``python -m bench.coverage [--replications N]``.

Every situation is sampled with so many seeds, through the blocks, stop rules and estimates of a
run, and the intervals that hold the known truth are counted: at least 93.5 % of them, where only a
floor is promised, 93.5 … 96.5 % of means and of quantiles of kept continuous samples.

A count that would come less than once in a thousand from a coverage at the edge of its band is a
failure. So of numbers that keep their promise at most one in a thousand is called a failure; one
whose coverage is 95 % never is, in practice: 4 000 replications have a standard error of .34 %.

``seconds`` is not measured: where it stops depends on the machine. It looks at the clock alone,
never at a number, and so its runs are those of ``trials``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from bench.coverage_situations import situations
from bench.situation import Key, Promise, Situation
from fastgc.draws import streams
from fastgc.engine import blocks
from fastgc.engine.executors.pool import Pool
from fastgc.engine.limits import Limits
from fastgc.engine.units import Unit
from fastgc.results.sample_quantiles import quantile
from fastgc.results.stored import StoredUnit
from fastgc.runs.precision import precision_of
from fastgc.statistics.tallies import Tally

REPLICATIONS = 4000
#: How seldom a coverage at the edge of its band is called a failure.
ALARM = 0.001
#: Of the truth: what two roads differ in by rounding.
ROUNDING = 1e-9

Ends = tuple[float | None, float | None]


@dataclass(frozen=True)
class Covered:
    """How often the intervals of a number hold its truth."""

    situation: str
    said: str
    trials: float
    promise: str
    replications: int
    hits: int
    fine: bool

    @property
    def coverage(self) -> float:
        """Share of the intervals."""
        return self.hits / self.replications

    @property
    def error(self) -> float:
        """Standard error of the share."""
        return math.sqrt(self.coverage * (1 - self.coverage) / self.replications)


class _Here(Executor):
    """Runs tasks at once, where they are handed out."""

    def submit(self, fn: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*arguments, **named))
        return future


def keeps(promise: Promise, hits: int, replications: int) -> bool:
    """Whether so many hits are no less and no more than a promise makes likely."""
    if promise.least is None:
        return True
    if stats.binom.cdf(hits, replications, promise.least) < ALARM:
        return False
    if promise.most is None:
        return True
    return bool(stats.binom.sf(hits - 1, replications, promise.most) >= ALARM)


def covered(situation: Situation, seeds: Sequence[int]) -> tuple[Counter[Key], int]:
    """Count the intervals of every number that hold its truth, and all trials."""
    found: Counter[Key] = Counter()
    trials = 0
    largest = streams.LARGEST_BLOCK
    streams.LARGEST_BLOCK = situation.block
    try:
        for seed in seeds:
            ends, taken = _intervals(situation, seed)
            trials += taken
            for number in situation.numbers:
                found[number.key] += _holds(ends[number.key], situation.truths[number.key])
    finally:
        streams.LARGEST_BLOCK = largest
    return found, trials


def _holds(ends: Ends, truth: float) -> bool:
    slack = ROUNDING * abs(truth)
    low, high = ends
    return (low is None or low <= truth + slack) and (high is None or truth - slack <= high)


def _intervals(situation: Situation, seed: int) -> tuple[dict[Key, Ends], int]:
    """Sample a situation once: the interval of everything measured, and the number of trials."""
    ends: dict[Key, Ends] = {}
    trials = 0
    for planned in situation.plan.units:
        unit = Unit(planned.points, seed, planned.stream, together=planned.together)
        tally, samples = _sampled(situation, unit)
        trials += tally.trials
        for point, quantity, statistic, index, estimate in unit.rows(tally):
            ends[point.experiment, quantity, statistic, index] = estimate.interval()  # type: ignore[index]
        if unit.together:
            upper, lower = (point.experiment for point in unit.points)
            quantity = unit.points[0].table.measure[0]
            ratio = unit.compare(tally, 0, 1, "ratio").interval()
            ends[f"{upper}/{lower}", quantity, "ratio", None] = ratio
        if situation.kept:
            times = np.concatenate(samples)
            for level in unit.points[0].table.quantiles:
                kept = quantile(times, level)
                key = unit.points[0].experiment, "time", f"quantile({level!r})", None
                ends[key] = kept.low, kept.high
    return ends, trials


def _sampled(situation: Situation, unit: Unit) -> tuple[Tally, list[Any]]:
    """Sample a unit as a run does, its shards as runs of their own."""
    stop = situation.plan.study.stop
    samples: list[Any] = []

    def take(kept: list[list[dict[str, Any]]], _: bool) -> None:
        samples.extend(block[0]["time"] for block in kept)

    keep = take if situation.kept else None
    total: Tally | None = None
    for own in range(situation.shards):
        stored = unit.fresh()
        if situation.first:
            _sample(unit, stored, Limits(situation.first), (own, situation.shards))
        precision = precision_of(stop) if situation.shards == 1 else None
        limits = Limits(stop.trials, precision, samples=keep)
        _sample(unit, stored, limits, (own, situation.shards))
        if total is None:
            total = stored.total()
        else:
            total.merge(stored.total())
    assert total is not None
    return total, samples


def _sample(unit: Unit, stored: StoredUnit, limits: Limits, shard: tuple[int, int]) -> None:
    for _ in blocks.sample(unit, stored, limits, Pool(_Here(), lambda: 1), shard):
        pass


def _covered_at(place: int, seeds: Sequence[int]) -> tuple[Counter[Key], int]:
    """Count one situation of the list, in another process."""
    return covered(_all()[place], seeds)


_known: list[Situation] = []


def _all() -> list[Situation]:
    """All situations; a process makes them once."""
    if not _known:
        _known.extend(situations())
    return _known


def judged(
    situation: Situation, found: Counter[Key], trials: int, replications: int
) -> list[Covered]:
    """Every number of a situation with its coverage, and whether it keeps its promise."""
    return [
        Covered(
            situation.name,
            number.said,
            trials / replications,
            str(number.promise),
            replications,
            found[number.key],
            keeps(number.promise, found[number.key], replications),
        )
        for number in situation.numbers
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; exit with 1 if a number does not keep its promise."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.coverage", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--replications", type=int, default=REPLICATIONS)
    parser.add_argument("--only", default="", help="situations whose name has this")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was counted")
    options = parser.parse_args(arguments)
    chosen = [i for i, each in enumerate(_all()) if options.only in each.name]
    share = max(1, options.replications // 40)
    parts = [
        range(start, min(start + share, options.replications))
        for start in range(0, options.replications, share)
    ]
    rows: list[Covered] = []
    print("| situation | trials | number | coverage % | promised |\n|---|---|---|---|---|")
    with _executor(options.workers) as executor:
        for place in chosen:
            started = time.perf_counter()
            jobs = [executor.submit(_covered_at, place, part) for part in parts]
            total: Counter[Key] = Counter()
            trials = 0
            for job in jobs:
                found, taken = job.result()
                total.update(found)
                trials += taken
            new = judged(_all()[place], total, trials, options.replications)
            rows += new
            for row in new:
                print(_line(row), flush=True)
            took = time.perf_counter() - started
            print(f"{_all()[place].name}: {took:.0f} s", file=sys.stderr, flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 0 if all(row.fine for row in rows) else 1


def _executor(workers: int) -> Executor:
    return _Here() if workers == 1 else ProcessPoolExecutor(workers, get_context("spawn"))


def _line(row: Covered) -> str:
    known = f"{100 * row.coverage:.1f} ± {100 * row.error:.1f}"
    said = row.promise if row.fine else f"{row.promise}: **missed**"
    return f"| {row.situation} | {row.trials:.0f} | {row.said} | {known} | {said} |"


if __name__ == "__main__":
    sys.exit(main())
