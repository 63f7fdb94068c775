"""Runs of fastgc: continued, in shards, precise, on recordings, under own laws, and planned."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from fastgc.draws.streams import Batch
from fastgc.engine.parcels import Parcel
from fastgc.latency.draws import Draws
from fastgc.latency.law import DrawnLaw, Scaling
from fastgc.latency.time import Values
from fastgc.planning import design
from fastgc.planning.candidate import Candidate
from fastgc.planning.timed_system import Setting
from fastgc.results.rows import Result
from fastgc.runs.open import open as reopen
from fastgc.runs.replay import replay
from fastgc.runs.run import run
from fastgc.study.design import parse
from fastgc.systems.gradient_code import gradient_code

_TRIALS_OF_A_RUN = 8


def _study(trials: int, **stop: float) -> dict[str, Any]:
    """frc, whose errors are whole numbers, so that sums and means can be compared exactly."""
    experiment = {
        "name": "frc",
        "code": {"family": "frc", "n": 8, "d": 2},
        "stragglers": {"model": "iid", "p": 0.3},
        "method": "monte-carlo",
        "measure": ["error"],
    }
    return {"seed": 5, "stop": {"trials": trials, **stop}, "experiment": [experiment]}


@lru_cache(_TRIALS_OF_A_RUN)
def _whole(trials: int) -> Result:
    return run(_study(trials))


def _row(result: Result, statistic: str = "mean") -> dict[str, Any]:
    [found] = [
        row
        for row in result.rows()
        if (row["statistic"], row["method"]) == (statistic, "monte-carlo")
    ]
    return found


def _trials(result: Result) -> float:
    """Trials behind the mean; 0 where there is none."""
    return float(
        sum(
            row["trials"]
            for row in result.rows()
            if (row["statistic"], row["method"]) == ("mean", "monte-carlo")
        )
    )


def _sum(result: Result) -> Fraction:
    """Sum of all errors: a whole number."""
    row = _row(result)
    return Fraction(round(row["value"] * row["trials"]))


def _in_file(use: Callable[[Path], float]) -> float:
    with TemporaryDirectory() as folder:
        return use(Path(folder) / "run.h5")


def _continued(first: int, trials: int, use: Callable[[Result], float]) -> float:
    def in_two(path: Path) -> float:
        run(_study(first), out=path)
        return use(run(_study(trials), out=path))

    return _in_file(in_two)


def trials_of_continued(first: int, trials: int) -> float:
    """Trials of a run that was continued from a shorter one."""
    return _continued(first, trials, _trials)


def continued_difference(first: int, trials: int, statistic: str) -> float:
    """Mean or variance of such a run, less that of one in one go."""
    whole = _row(_whole(trials), statistic)["value"]
    return _continued(first, trials, lambda result: _row(result, statistic)["value"] - whole)


def trials_of_reopened(trials: int) -> float:
    """Trials of a run whose file is read again."""

    def written(path: Path) -> float:
        run(_study(trials), out=path)
        return _trials(reopen(path))

    return _in_file(written)


def _shards(trials: int, shards: int) -> list[Result]:
    return [run(_study(trials), shard=(own, shards)) for own in range(shards)]


def trials_of_shards(trials: int, shards: int) -> float:
    """Trials of all shards of a run."""
    return sum(map(_trials, _shards(trials, shards)))


def shards_difference(trials: int, shards: int) -> float:
    """Sum of all errors in the shards, less that in the whole run."""
    return float(sum(map(_sum, _shards(trials, shards))) - _sum(_whole(trials)))


def replayed_difference(trials: int, more: int) -> float:
    """Sum of the last errors of a run, ``more`` of them, less that of these trials replayed."""
    replayed = (replay(_study(1), trial=trials + i) for i in range(more))
    errors = sum(round(trial["iterations"][0]["error"]) for trial in replayed)
    return float(_sum(_whole(trials + more)) - _sum(_whole(trials)) - errors)


def _precise(relative_error: float) -> dict[str, Any]:
    return _row(run(_study(100_000_000, relative_error=relative_error)))


def relative_half_width(relative_error: float) -> float:
    """Half of the interval of a run that stopped by itself, as a share of the value."""
    row = _precise(relative_error)
    return float((row["high"] - row["low"]) / 2 / row["value"])


def trials_of_precise(relative_error: float) -> float:
    """Trials of a run that stopped by itself."""
    return float(_precise(relative_error)["trials"])


def error_of_share(iterations: int, trials: int) -> float:
    """Standard error of the probability that at most one of six workers straggles."""
    experiment = {
        "kind": "completion",
        "system": {"family": "gradient-code", "n": 6, "s": 1},
        "latency": {"distribution": "exponential", "mean": 1.0},
        "stragglers": {"model": "iid", "p": 0.2},
        "method": "monte-carlo",
        "iterations": iterations,
        "measure": ["decodable"],
    }
    return float(_row(run({"experiment": [experiment]}, trials=trials))["standard_error"])


def _sampled(trials: int, level: float) -> Candidate:
    """A star whose time was sampled so many times."""
    table = parse(
        {
            "workers": 6,
            "schemes": ["gradient-code"],
            "latency": {"distribution": "exponential", "mean": 1.0},
            "goal": f"quantile({level})",
        }
    )
    found = Candidate(Parcel(Setting(table)), gradient_code(n=6, s=2))
    found.sample(trials)
    return found


def design_quantile_rank(trials: int, level: float) -> float:
    """Which of so many sampled times, from the smallest, a quantile is."""
    found = _sampled(trials, level)
    return float(np.count_nonzero(found.sample(trials) <= found.value))


def design_quantile_coverage(trials: int, level: float) -> float:
    """Chance that a quantile lies between the sampled times that are its interval's ends."""
    found = _sampled(trials, level)
    times = found.sample(trials)
    low, high = found.interval()
    first, last = int(np.count_nonzero(times <= low)), int(np.count_nonzero(times < high))
    return math.fsum(
        math.comb(trials, below) * level**below * (1.0 - level) ** (trials - below)
        for below in range(first, last + 1)
    )


def design_best_quantile(workers: int, level: float, shift: float) -> float:
    """Quantile of the best k-of-n for shifted unit exponential times."""
    table = {
        "workers": workers,
        "schemes": ["k-of-n"],
        "latency": {"distribution": "exponential", "mean": 1.0, "shift": shift},
        "goal": f"quantile({level})",
    }
    return design(table, threads=1)[0].value


def design_separates(shift: float, trials: int, seed: int) -> float:
    """Whether the best of 20 stars of unlike workers behind a port is certain, by the median.

    Their shift decides between one answer of all the work and all answers of a share each.
    """
    latency = [
        {"distribution": "exponential", "mean": 1.0 + 0.02 * j, "shift": shift} for j in range(20)
    ]
    table = {
        "workers": 20,
        "schemes": ["gradient-code"],
        "latency": latency,
        "port": {"receive": 1e-4},
        "goal": "quantile(0.5)",
        "trials": trials,
        "seed": seed,
    }
    return float(design(table, threads=1).separated)


def value_on_trace(
    experiment: Mapping[str, Any],
    rows: Sequence[Sequence[float]],
    quantity: str,
    statistic: str,
    index: int | None = None,
) -> float:
    """A number of an experiment whose stragglers or times come from a table of these rows."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace.csv"
        lines = [",".join(f"worker{j}" for j in range(len(rows[0])))]
        lines += [",".join(map(repr, row)) for row in rows]
        path.write_text("\n".join(lines) + "\n")
        key = "stragglers" if "stragglers" in experiment else "latency"
        table = {**experiment[key], "file": str(path)}
        found = run({**experiment, key: table}).rows()
    wanted = (quantity, statistic, index)
    [value] = [
        row["value"]
        for row in found
        if row["method"] == "exact" and (row["quantity"], row["statistic"], row["index"]) == wanted
    ]
    return float(value)


class Steady(DrawnLaw):
    """A law of which only draws are known: ``shift`` and a half, always."""

    distribution: Literal["steady"] = "steady"
    shift: float = 0.0

    def times(self, uniforms: Values) -> Values:
        """Return the time of a load of 1."""
        return np.full(uniforms.shape, self.shift + 0.5)


def own_law_time(load: float, shift: float, scaling: Scaling) -> float:
    """Mean drawn time of a load under a law that takes the shift and a half for a load of 1."""
    draws = Draws([Steady(shift=shift)], 1, load, scaling)
    return float(draws.times(Batch(1, "own law", 0, 1, 1)).mean())
