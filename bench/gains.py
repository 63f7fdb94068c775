"""How often the interval of a code's gain holds it: ``python -m bench.gains [--repetitions 120]``.

`fastgc.advise` looks at 200 rounds of 12 workers of laws that stay as they are. The interval of the
first gradient code that it judges is held against the gain of a very long run, which it is for, and
against that of the next 150 rounds, which scatter more.
"""

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastgc
from bench import command
from bench.advise import written

Values = NDArray[np.float64]
WORKERS, ROWS, NEXT, LONG = 12, 200, 150, 50_000
#: What all of the work costs, as a share of the mean time.
COST = 0.2


def _dependent(rng: np.random.Generator, rows: int) -> Values:
    """Draw log-normal times whose logarithms are an autoregression with coefficient .8."""
    state, found = np.zeros(WORKERS), np.empty((rows, WORKERS))
    for i in range(rows):
        state = 0.8 * state + 0.6 * rng.normal(size=WORKERS)
        found[i] = state
    return np.exp(0.25 * found)


def _spells(rng: np.random.Generator, rows: int) -> Values:
    """Draw times of workers of two speeds that stay slow for five rounds on average."""
    slow, found = rng.random(WORKERS) < 0.1, np.empty((rows, WORKERS))
    for i in range(rows):
        slow = rng.random(WORKERS) < np.where(slow, 0.8, 0.022)
        found[i] = np.where(slow, 3.0, 1.0)
    return found * (1 + 0.05 * rng.random((rows, WORKERS)))


LAWS: dict[str, Callable[[np.random.Generator, int], Values]] = {
    "exponential": lambda rng, rows: 1 + rng.exponential(0.3, (rows, WORKERS)),
    "pareto": lambda rng, rows: 1 + 0.2 * rng.pareto(2.2, (rows, WORKERS)),
    "autoregression": _dependent,
    "slow spells": _spells,
}


def gain(rows: Values, s: int, rate: float) -> float:
    """Return how many times as long uncoded work takes as a code for s stragglers."""
    coded = np.sort(rows, axis=1)[:, WORKERS - 1 - s].mean() + rate * s / WORKERS
    return float(rows.max(axis=1).mean() / coded)


def held(law: str, seed: int, many: int, folder: Path) -> tuple[int, int, int]:
    """Return how many intervals there were, and how many held the long run and the next rounds."""
    rng = np.random.default_rng([seed, list(LAWS).index(law)])
    long, found = LAWS[law](rng, LONG), [0, 0, 0]
    for _ in range(many):
        rows = LAWS[law](rng, ROWS + NEXT)
        written(rows[:ROWS], folder / "rows.csv")
        advice: Any = fastgc.advise(folder / "rows.csv", rate=COST * float(rows[:ROWS].mean()))
        codes = [each for each in advice.remedies if each.system["family"] == "gradient-code"]
        for each in codes[:1]:
            found[0] += 1
            for place, other in enumerate((long, rows[ROWS:]), 1):
                own = gain(other, each.system["s"], each.rate)
                found[place] += each.gain.low <= own <= each.gain.high
    return found[0], found[1], found[2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the shares for each law."""
    given = command.parse("bench.gains", __doc__, arguments, "--seed", repetitions=120)
    print(f"{'law':16} intervals  long run  next {NEXT}")
    with tempfile.TemporaryDirectory() as folder:
        for law in LAWS:
            size, run, later = held(law, given.seed, given.repetitions, Path(folder))
            print(f"{law:16} {size:9} {run / max(1, size):9.3f} {later / max(1, size):9.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
