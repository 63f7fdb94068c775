"""How often a change is seen that is none: ``python -m bench.changes [--recordings N]``.

Recordings of ten workers are made up that never change: independent times, times that depend on
the last one (AR(1), .5 and .9), slow moments of five rows on average, and both together. Promised:
of no kind more than 1 % are said to change. Below, one worker changes for good, and it is counted
how often that is said of it alone, and within how many rows of the right one nine of ten are.
"""

import sys
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bench import command
from fastgc.statistics.changes import changes

Values = NDArray[np.float64]
Generator = np.random.Generator

RECORDINGS = 1000
WORKERS = 10
ROWS = (60, 100, 300, 1000)
ALLOWED = 0.01


def independent(rng: Generator, rows: int) -> Values:
    """Heavy-tailed times."""
    return 1 + rng.pareto(2.0, (rows, WORKERS))


def remembering(share: float) -> Callable[[Generator, int], Values]:
    """Lognormal times whose logarithms correlate with the next ones."""

    def draw(rng: Generator, rows: int) -> Values:
        found = np.empty((rows, WORKERS))
        found[0] = rng.normal(size=WORKERS)
        for t in range(1, rows):
            own = rng.normal(size=WORKERS)
            found[t] = share * found[t - 1] + np.sqrt(1 - share**2) * own
        return np.asarray(np.exp(0.3 * found))

    return draw


def bursts(rng: Generator, rows: int) -> Values:
    """Slow moments of five rows on average, a tenth of the time."""
    late = np.empty((rows, WORKERS), bool)
    late[0] = rng.random(WORKERS) < 0.1
    for t in range(1, rows):
        late[t] = rng.random(WORKERS) < np.where(late[t - 1], 0.8, 0.2 / 9)
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


def alarms(kind: str, rows: int, recordings: int, seed: int = 1) -> int:
    """Return how many recordings that never change are said to."""
    rng = np.random.default_rng(seed)
    return sum(bool(_changed(KINDS[kind](rng, rows))) for _ in range(recordings))


def seen(kind: str, at: float, rows: int, recordings: int, seed: int = 1) -> tuple[int, int]:
    """Return how many changes of one worker are seen, and how far off nine of ten are, in rows.

    The worker takes three times as long after a share ``at`` of the rows.
    """
    rng = np.random.default_rng(seed)
    after = round(at * rows)
    off = []
    for _ in range(recordings):
        times = KINDS[kind](rng, rows)
        times[after:, 3] *= 3
        found = _changed(times)
        if set(found) == {3}:
            off.append(min(abs(place - after) for place in found[3]))
    return len(off), int(np.quantile(off, 0.9)) if off else 0


def _changed(times: Values) -> dict[int, list[int]]:
    every = {j: changes(own, WORKERS) for j, own in enumerate(times.T)}
    return {j: found for j, found in every.items() if found}


def main(arguments: Sequence[str] | None = None) -> int:
    asked = command.parse("bench.changes", __doc__, arguments, "--seed", recordings=RECORDINGS)
    many, wrong = asked.recordings, False
    print(f"said to change, of {many} that never do{'':6}" + "".join(f"{r:>12}" for r in ROWS))
    for kind in KINDS:
        counts = [alarms(kind, rows, many, asked.seed) for rows in ROWS]
        wrong |= max(counts) > ALLOWED * many
        print(f"{kind:40}" + "".join(f"{count:12}" for count in counts))
    few = -(-many // 10)
    print(f"{f'changes seen, of {few} (rows off)':40}" + "".join(f"{r:>12}" for r in ROWS))
    for kind in KINDS:
        cells = [seen(kind, 0.5, rows, few, asked.seed) for rows in ROWS]
        print(f"{kind:40}" + "".join(f"{f'{hits} ({off})':>12}" for hits, off in cells))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
