"""Runs of fastgc: continued, in shards, replayed, until they are precise; and what they draw."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.draws import streams
from fastgc.results.rows import Result
from fastgc.runs.open import opened as reopen
from fastgc.runs.replay import replay
from fastgc.runs.run import run
from fastgc_kernels.draw import pairs, philox

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
    return float(
        sum(
            row["trials"]
            for row in result.rows()
            if (row["statistic"], row["method"]) == ("mean", "monte-carlo")
        )
    )


def _sum(result: Result) -> Fraction:
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


# ---- what is drawn


def philox_word(counter: Sequence[int], key: Sequence[int], place: int) -> float:
    """One of the four words of a counter under a key, each given as words of 32 bits."""
    out = np.empty((1, 4), np.uint64)
    whole = np.uint64(key[0] | key[1] << 32)
    philox.words(np.array([counter], np.uint64), whole, out)
    return float(out[0, place])


def _numbers(seed: int, numbers: int) -> Values:
    even, odd = np.empty(numbers // 2), np.empty(numbers // 2)
    key = streams.key(seed, "exponential", "time")
    pairs.exponentials(key, np.uint64(0), 0, 0, even, odd)
    return np.concatenate([even, odd])


def exponential_difference(seed: int, numbers: int) -> float:
    """Largest relative difference of drawn exponential numbers from −log of the uniform ones."""
    even, odd = np.empty(numbers // 2), np.empty(numbers // 2)
    key = streams.key(seed, "exponential", "time")
    pairs.uniforms(key, np.uint64(0), 0, 0, even, odd)
    truth = -np.log(np.concatenate([even, odd]))
    return float(np.max(np.abs(_numbers(seed, numbers) - truth) / truth))


def largest_exponential(seed: int, numbers: int) -> float:
    """Largest of so many exponential numbers."""
    return float(_numbers(seed, numbers).max())


def equal_draws(first: int, second: int, numbers: int) -> float:
    """How many of so many draws agree under two seeds."""
    one, other = (streams.uniforms(seed, "draws", numbers) for seed in (first, second))
    return float(np.count_nonzero(one == other))
