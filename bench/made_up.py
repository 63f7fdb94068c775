"""Recordings that are made up: sound ones of many clusters, and ones that cannot tell what to do.

A recording is what ``draw`` returns for a seed: rows of times, one column a worker.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench.trace_coverage import chains
from fastgc.latency.recording import OWN

Values = NDArray[np.float64]
Generator = np.random.Generator
Draw = Callable[[Generator, int, int], Values]

#: Least and most workers and rows.
WORKERS, ROWS = (2, 256), (30, 500)


def shifted(rng: Generator, rows: int, n: int) -> Values:
    """Shifted exponential times."""
    return np.asarray(rng.uniform(0.2, 2) + rng.exponential(rng.uniform(0.05, 2), (rows, n)))


def lognormal(rng: Generator, rows: int, n: int) -> Values:
    """Lognormal times."""
    return np.asarray(rng.lognormal(rng.normal(), rng.uniform(0.05, 1), (rows, n)))


def heavy(rng: Generator, rows: int, n: int) -> Values:
    """Pareto times."""
    return np.asarray(1 + rng.pareto(rng.uniform(1.2, 4), (rows, n)))


def bimodal(rng: Generator, rows: int, n: int) -> Values:
    """All are slow now and then, up to fifty times, the slower the more seldom."""
    slow = np.exp(rng.uniform(np.log(1.5), np.log(50)))
    late = rng.random((rows, n)) < min(0.3, 2 / slow) * rng.uniform(0.02, 1)
    return np.asarray(rng.uniform(1, 1.2, (rows, n)) * np.where(late, slow, 1.0))


def bursts(rng: Generator, rows: int, n: int) -> Values:
    """Slow moments that last (Gilbert-Elliott)."""
    stays, comes, slow = rng.uniform(0.3, 0.8), rng.uniform(0.005, 0.1), rng.uniform(1.5, 8)
    late = chains(rng, n, rows, comes, stays)
    return np.asarray((1 + rng.gamma(2, 0.05, (rows, n))) * np.where(late, slow, 1.0))


def slow_workers(rng: Generator, rows: int, n: int) -> Values:
    """Some workers are slow all the time, up to ten times."""
    slow = np.where(rng.random(n) < rng.uniform(0, 0.3), rng.uniform(1.2, 10), 1.0)
    return np.asarray((1 + rng.gamma(2, rng.uniform(0.01, 0.2), (rows, n))) * slow)


def unequal(rng: Generator, rows: int, n: int) -> Values:
    """Every worker has its own speed."""
    return lognormal(rng, rows, n) * rng.lognormal(0, rng.uniform(0.05, 0.3), n)


def together(rng: Generator, rows: int, n: int) -> Values:
    """Racks of workers are slow together."""
    racks = rng.integers(0, max(1, n // 4), n)
    late = rng.random((rows, n)) < rng.uniform(0.01, 0.2)
    return np.asarray(rng.uniform(1, 1.5, (rows, n)) * np.where(late[:, racks], 3.0, 1.0))


def batches(rng: Generator, rows: int, n: int) -> Values:
    """Batches differ from round to round for all alike; own times do by a fifth or more of that."""
    load = rng.lognormal(0, rng.uniform(0.05, 0.5), (rows, 1))
    share = rng.uniform(OWN, 0.6)
    return np.asarray(
        np.maximum(10 * load * (1 + share * load.std() * rng.normal(size=(rows, n))), 0.1)
    )


def coarse(rng: Generator, rows: int, n: int) -> Values:
    """Times in whole units, few of which differ, of workers of which one becomes slower."""
    times = np.round(rng.uniform(2, 20) * (1 + 0.05 * rng.normal(size=(rows, n))))
    times[rows // 2 :, rng.integers(n)] += 1
    return np.asarray(np.maximum(times, 1.0))


def drifting(rng: Generator, rows: int, n: int) -> Values:
    """All become slower by up to a tenth, less than a time's own spread."""
    drift = 1 + rng.uniform(0, 0.1) * np.arange(rows)[:, None] / rows
    return np.asarray(drift * (1 + rng.gamma(4, rng.uniform(0.05, 0.1), (rows, n))))


#: Sound recordings, and which of them are of clusters that stay as they are.
SOUND: dict[str, Draw] = {
    "shifted exponential": shifted,
    "lognormal": lognormal,
    "Pareto": heavy,
    "bimodal": bimodal,
    "bursts": bursts,
    "slow workers": slow_workers,
    "unequal workers": unequal,
    "racks": together,
    "batches differ": batches,
    "coarse times": coarse,
    "drifting": drifting,
}
STEADY = tuple(name for name in SOUND if name not in ("coarse times", "drifting"))


def sound(rng: Generator, rows: int, n: int) -> Values:
    """Any of those that stay as they are."""
    return SOUND[STEADY[rng.integers(len(STEADY))]](rng, rows, n)


# ---- What cannot tell


def waited(rng: Generator, own: Values) -> Values:
    """What workers record behind a barrier: the slowest one's time, by clocks with errors.

    Every clock has its own offset, noise and a last digit of up to 5 % of the rounds' spread.
    """
    rounds = own.max(axis=1)
    unit = float(rounds.std())
    offsets = rng.normal(size=own.shape[1]) * unit * rng.uniform(0, 3)
    noise = rng.normal(size=own.shape) * unit * rng.uniform(0, 0.05)
    digit = unit * rng.uniform(0.001, 0.05)
    times = rounds[:, None] + rng.uniform(0, 5) * unit + offsets + noise
    times = np.round(times / digit) * digit
    return np.asarray(times - min(0.0, float(times.min())))


def barrier(rng: Generator, rows: int, n: int) -> Values:
    """What clocks see around rounds that wait for the slowest."""
    return waited(rng, sound(rng, rows, n))


def drifting_barrier(rng: Generator, rows: int, n: int) -> Values:
    """The same, of rounds that become longer, by clocks that do not go equally fast."""
    slower = 1 + rng.uniform(0, 0.5) * np.arange(rows)[:, None] / rows
    return waited(rng, sound(rng, rows, n) * slower) * (1 + 1e-4 * rng.normal(size=n))


def in_unit(rng: Generator, rows: int, n: int, factor: float) -> Values:
    """Some workers, or one, in another unit."""
    times = sound(rng, rows, n)
    many = 1 if rng.random() < 0.5 else int(rng.integers(1, n))
    times[:, rng.choice(n, many, replace=False)] *= factor
    return times


def unit_later(rng: Generator, rows: int, n: int) -> Values:
    """One worker, or all, go over to another unit on the way."""
    times = sound(rng, rows, n)
    who = slice(None) if rng.random() < 0.5 else rng.integers(n)
    times[int(rng.integers(rows // 4, 3 * rows // 4)) :, who] *= rng.choice([1000.0, 1 / 60, 60.0])
    return times


def cumulative(rng: Generator, rows: int, n: int) -> Values:
    """Seconds since the start, of all workers or of one."""
    times = sound(rng, rows, n)
    who = slice(None) if rng.random() < 0.5 else rng.integers(n)
    times[:, who] = np.cumsum(times[:, who], axis=0)
    return times


def stamps(rng: Generator, rows: int, n: int) -> Values:
    """Points in time since 1970, in seconds or milliseconds, when each worker's work was done."""
    times = sound(rng, rows, n)
    starts = np.concatenate([[0.0], np.cumsum(times.max(axis=1))[:-1]])
    return np.asarray((1.7e9 + starts[:, None] + times) * rng.choice([1.0, 1000.0]))


def since_start(rng: Generator, rows: int, n: int) -> Values:
    """Whole milliseconds since each process began, at the end of each round."""
    ends = np.cumsum(sound(rng, rows, n).max(axis=1))[:, None]
    return np.asarray(np.round(1000 * (ends + rng.uniform(0, 5, n))))


def epochs(rng: Generator, rows: int, n: int) -> Values:
    """Seconds since an epoch of twelve rounds or more began."""
    times = sound(rng, rows, n)
    long = int(rng.integers(12, max(13, rows // 2)))
    for first in range(0, rows, long):
        times[first : first + long] = np.cumsum(times[first : first + long], axis=0)
    return times


#: Why a recording cannot tell, and recordings that cannot.
SPOILT: dict[str, dict[str, Draw]] = {
    "barrier": {"barrier": barrier, "barrier, drifting": drifting_barrier},
    "unit": {
        "milliseconds": partial(in_unit, factor=1000.0),
        "minutes": partial(in_unit, factor=1 / 60),
        "unit changes": unit_later,
    },
    "clock": {
        "cumulative": cumulative,
        "since 1970": stamps,
        "since the start": since_start,
        "since an epoch": epochs,
    },
}


def worse_later(rng: Generator, rows: int, n: int) -> Values:
    """One worker becomes three to eight times slower, after a quarter of the rows or later."""
    times = sound(rng, rows, n)
    times[int(rng.integers(rows // 4, rows)) :, rng.integers(n)] *= rng.uniform(3, 8)
    return times


def sizes(rng: Generator) -> tuple[int, int]:
    """Draw rows and workers, small ones as often as large ones."""
    low, high = np.log(ROWS), np.log(WORKERS)
    return round(np.exp(rng.uniform(*low))), round(np.exp(rng.uniform(*high)))
