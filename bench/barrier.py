"""How often times behind a barrier are seen as such: ``python -m bench.barrier [--recordings N]``.

Recordings are made up: workers' own times of several laws, and what the same workers record behind
a barrier, where all wait for the slowest. Every clock has its own offset there, noise of up to 5 %
of the spread of the rounds, and a last digit of up to 5 % of it. Promised: all of these are
refused, and none of workers' own times, also where rounds differ for all workers alike.
"""

import sys
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bench import command
from fastgc.latency import remarks

Values = NDArray[np.float64]
Generator = np.random.Generator

RECORDINGS = 1000
#: Noise of a clock and the last digit, at most, as shares of the spread of the rounds.
NOISE, DIGIT = 0.05, 0.05
#: Workers' own spread over that of the rounds where rounds differ for all alike.
COMMON = (remarks.OWN, 1.0)


def iid(rng: Generator, rounds: int, n: int) -> Values:
    """Independent times of one law."""
    drawn = (
        1 + rng.exponential(rng.uniform(0.05, 2), (rounds, n)),
        rng.gamma(rng.uniform(1, 30), 1, (rounds, n)),
        rng.lognormal(0, rng.uniform(0.05, 1), (rounds, n)),
        1 + rng.pareto(rng.uniform(1.5, 4), (rounds, n)),
    )
    return np.asarray(drawn[rng.integers(len(drawn))])


def slow_workers(rng: Generator, rounds: int, n: int) -> Values:
    """Some workers are slow all the time, others now and then."""
    times = 1 + rng.gamma(2, 0.05, (rounds, n))
    times = times * np.where(rng.random(n) < 0.2, rng.uniform(1.5, 4), 1)
    return np.asarray(times * np.where(rng.random((rounds, n)) < 0.03, 4, 1))


def bursts(rng: Generator, rounds: int, n: int) -> Values:
    """Times that depend on the last one, and slow moments that last."""
    times = np.empty((rounds, n))
    level, late = rng.normal(size=n), rng.random(n) < 0.1
    for t in range(rounds):
        level = 0.9 * level + np.sqrt(1 - 0.81) * rng.normal(size=n)
        late = rng.random(n) < np.where(late, 0.8, 0.02)
        times[t] = (3 + 0.2 * level) * np.where(late, 3, 1)
    return times


def common(rng: Generator, rounds: int, n: int) -> Values:
    """The load differs from round to round, for all workers alike."""
    load = rng.lognormal(0, rng.uniform(0.05, 0.5), (rounds, 1))
    share = rng.uniform(*COMMON)
    return np.asarray(10 * load + 10 * load.std() * share * rng.normal(size=(rounds, n)))


KINDS: dict[str, Callable[[Generator, int, int], Values]] = {
    "independent": iid,
    "slow workers": slow_workers,
    "bursts": bursts,
    "common load": common,
}


def waited(rng: Generator, own: Values) -> Values:
    """What workers record behind a barrier: the slowest one's time and their own clock's errors."""
    rounds = own.max(axis=1)
    unit = float(rounds.std())
    offsets = rng.normal(size=own.shape[1]) * unit * rng.uniform(0, 3)
    noise = rng.normal(size=own.shape) * unit * rng.uniform(0, NOISE)
    digit = unit * rng.uniform(0.001, DIGIT)
    times = rounds[:, None] + rng.uniform(0, 5) * unit + offsets + noise
    return np.asarray(np.round(times / digit) * digit)


def refused(kind: str, behind: bool, recordings: int, seed: int = 1) -> tuple[int, float, float]:
    """Return how many made-up recordings are refused, and the least and largest spread seen.

    ``kind``: of `KINDS`; ``behind``: whether they are recorded behind a barrier.
    """
    rng = np.random.default_rng(seed)
    many, found = 0, []
    for _ in range(recordings):
        rounds = int(rng.integers(30 if behind else 5, 300))
        times = KINDS[kind](rng, rounds, int(rng.integers(2, 65)))
        times = waited(rng, times) if behind else times
        many += remarks.of_rounds(times) is not None
        found.append(remarks.spread(times) or 0.0)
    return many, min(found), max(found)


def main(arguments: Sequence[str] | None = None) -> int:
    asked = command.parse("bench.barrier", __doc__, arguments, "--seed", recordings=RECORDINGS)
    each = -(-asked.recordings // len(KINDS))
    wrong = 0
    print(f"{'times':34} {'recordings':>10} {'refused':>7} {'spread':>15}")
    for behind in (True, False):
        for kind in KINDS:
            many, least, most = refused(kind, behind, each, asked.seed)
            wrong += each - many if behind else many
            name = f"{kind}, {'behind a barrier' if behind else 'own times'}"
            print(f"{name:34} {each:10} {many:7} {least:7.3f} {most:7.3f}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
