"""How often a change is seen that is none: ``python -m bench.changes [--replications N]``.

Recordings of ten workers are made up that never change: independent times, times that depend on
the last one (AR(1), .5 and .9), slow moments of five rows on average, and both together. Promised:
of no kind more than 1 % are said to change. Then one worker takes three times as long in the second
half: it is counted how often that is said of it alone, and how many rows off the right one.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from bench.intervals import NONE, Promise, Setting, judge
from bench.trace_coverage import chains
from fastgc.statistics.changes import changes

Values = NDArray[np.float64]
Generator = np.random.Generator

RECORDINGS = 1000
WORKERS = 10
ROWS = (60, 100, 300, 1000)
ALLOWED = Promise(0.0, 0.01, alarm=0.5)
ALARM, SEEN = "said to change", "a worker's change is seen"


def independent(rng: Generator, rows: int) -> Values:
    """Heavy-tailed times."""
    return 1 + rng.pareto(2.0, (rows, WORKERS))


def remembering(share: float) -> Callable[[Generator, int], Values]:
    """Lognormal times whose logarithms correlate with the next ones."""

    def draw(rng: Generator, rows: int) -> Values:
        own = rng.normal(size=(rows, WORKERS))
        own[1:] *= np.sqrt(1 - share**2)
        return np.asarray(np.exp(0.3 * signal.lfilter([1.0], [1.0, -share], own, axis=0)))

    return draw


def bursts(rng: Generator, rows: int) -> Values:
    """Slow moments of five rows on average, a tenth of the time."""
    late = chains(rng, WORKERS, rows, 0.2 / 9, 0.8)
    return np.asarray((1 + 0.2 * rng.random((rows, WORKERS))) * np.where(late, 3, 1))


def both(rng: Generator, rows: int) -> Values:
    """Times that remember, and bursts."""
    return remembering(0.9)(rng, rows) * bursts(rng, rows)


KINDS: dict[str, Callable[[Generator, int], Values]] = {
    "independent": independent,
    "AR(1) .5": remembering(0.5),
    "AR(1) .9": remembering(0.9),
    "bursts": bursts,
    "AR(1) .9 and bursts": both,
}


def situation(kind: str, rows: int) -> Setting:
    """Recordings of a kind, and the same where one worker changes in the middle."""

    def hits(seed: int) -> Counter[str]:
        times = KINDS[kind](np.random.default_rng([rows, seed]), rows)
        found = Counter({ALARM: int(bool(_changed(times)))})
        times[rows // 2 :, 3] *= 3
        places = _changed(times)
        if set(places) == {3}:
            off = min(abs(place - rows // 2) for place in places[3])
            found.update({SEEN: 1, "off": off})
        return found

    def note(found: Counter[str], recordings: int) -> str:
        return f"{found['off'] / max(1, found[SEEN]):.0f} rows off"

    return Setting(f"{kind}, {rows} rows", {ALARM: ALLOWED, SEEN: NONE}, hits, note)


def situations() -> list[Setting]:
    return [situation(kind, rows) for kind in KINDS for rows in ROWS]


def _changed(times: Values) -> dict[int, list[int]]:
    every = {j: changes(own, WORKERS) for j, own in enumerate(times.T)}
    return {j: found for j, found in every.items() if found}


def main(arguments: Sequence[str] | None = None) -> int:
    return judge("bench.changes", __doc__, situations, RECORDINGS, arguments)


if __name__ == "__main__":
    sys.exit(main())
