"""What to do about slow workers: the best of each remedy, chosen on one half, judged on the other.

``python -m bench.remedies FILE|FOLDER … [--rates 1,.5,.25,.1,0]``

For each recording, and each cost of load c: which gradient code or replication, which number of
workers left out, which number of spare ones takes the least time on the first half of the rows, and
how long it takes on the second, over what no remedy takes there; beside them loads in proportion to
speed, and local SGD with a period of 4, over no remedy in the same rows. A time is the recorded one
+ c · mean · (load ÷ recorded load − 1), the mean being that of the first half: with c = 1 all of it
is work, with c = 0 nothing. Who is slow, and how slow, is what the first half says. A remedy has no
number where less work would take less than no time. Times of rounds are named, and left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import command
from bench.windows import recordings
from fastgc import systems
from fastgc.latency.remarks import of_rounds
from fastgc.systems import System
from fastgc.systems.relaxed import LocalSgd
from fastgc.systems.timing.evaluator import Evaluator

Values = NDArray[np.float64]

RATES = (1.0, 0.5, 0.25, 0.1, 0.0)
PERIOD = 4
#: A code pays that takes less than this share of the time without, and so much less of it than with
#: workers left out.
PAYS, BEATS = 0.99, 0.005


def candidates(n: int) -> dict[str, list[System]]:
    """Return the systems of each remedy on n workers; doing nothing is the first of its own."""
    divisors = [d for d in range(2, n + 1) if n % d == 0]
    return {
        "code": [systems.gradient_code(n=n, s=s) for s in range(n)]
        + [systems.replication(n=n, d=d) for d in divisors],
        "leave out": [systems.leave_out(n=n, k=k) for k in range(n // 2 + 1)],
        "spare": [systems.spare(n=n - b, b=b) for b in range(n)],
        "balanced": [systems.balanced(n=n)],
        f"local-sgd({PERIOD})": [systems.local_sgd(n=n, period=PERIOD)],
    }


def done(system: System, rows: Values, means: Values, rate: float, mean: float) -> Values | None:
    """Return when a system is done in each round; None where a worker's time would be negative.

    Parameters
    ----------
    system : System
    rows : float64 array (rounds, n)
        Times for an n-th of the work.
    means : float64 array (n,)
        How long each worker takes, by which work is shared out.
    rate, mean : float
        Less work is so much of the mean time less.
    """
    shares = system.shares(means)
    given = np.full(means.size, system.share()) if shares is None else shares
    times = rows + rate * mean * (means.size * given - 1.0)
    times[:, given == 0] = 0.0
    if (times < 0).any():
        return None
    each = times.T
    if isinstance(system, LocalSgd):
        each = np.lib.stride_tricks.sliding_window_view(times, system.period, axis=0)
        each = each[:: system.period].transpose(1, 2, 0)
    return Evaluator(system.structure()).done(each)


@dataclass(frozen=True)
class Judged:
    """A remedy of a recording at one cost of load.

    ``chosen`` is the system that the first half of the rows says is best, None where there is none;
    ``ratio`` its time on the second half over that of no remedy.
    """

    remedy: str
    rate: float
    chosen: Mapping[str, Any] | None
    ratio: float | None


def judged(rows: Values, rate: float) -> list[Judged]:
    """Choose each remedy on the first half of the rows, and judge it on the second."""
    half = len(rows) // 2
    first, second = rows[:half], rows[half:]
    means, mean, plain = first.mean(axis=0), float(first.mean()), second.max(axis=1)
    found = []
    for remedy, offered in candidates(rows.shape[1]).items():
        before = [(each, done(each, first, means, rate, mean)) for each in offered]
        known = [(float(own.mean()), i) for i, (_, own) in enumerate(before) if own is not None]
        best = offered[min(known)[1]] if known else None
        after = None if best is None else done(best, second, means, rate, mean)
        if best is None or after is None:
            found.append(Judged(remedy, rate, None, None))
            continue
        rounds = best.period if isinstance(best, LocalSgd) else 1
        ratio = float(after.mean() / plain[: rounds * after.size].mean())
        found.append(Judged(remedy, rate, best.settings(), ratio))
    return found


def _line(name: str, n: object, rate: str, cells: Iterable[str]) -> str:
    return f"{name:22} {n:>4} {rate:>5}" + "".join(f"{each:>14}" for each in cells)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each recording and cost of load, and in how many a code pays."""
    asked = command.parse(
        "bench.remedies",
        __doc__,
        arguments,
        "--json",
        files_={"nargs": "+", "metavar": "FILE|FOLDER", "type": str},
        rates=",".join(f"{rate:g}" for rate in RATES),
        columns="worker,batch_time_norm,time",
    )
    rates = [float(rate) for rate in asked.rates.split(",")]
    paying, kept = dict.fromkeys(rates, 0), {}
    print(_line("recording", "n", "c", candidates(2)))
    for name, rows in recordings(asked.files, asked.columns.split(",")).items():
        if of_rounds(rows) is not None:
            print(f"{name:22} refused: times of rounds", file=sys.stderr)
            continue
        kept[name] = {rate: judged(rows, rate) for rate in rates}
        for rate, found in kept[name].items():
            cells = ["–" if each.ratio is None else f"{each.ratio:.3f}" for each in found]
            print(_line(name, rows.shape[1], f"{rate:g}", cells), flush=True)
            code, leave = (each.ratio or np.inf for each in found[:2])
            paying[rate] += code < PAYS and code < leave - BEATS
    counts = ", ".join(f"{count} at c = {rate:g}" for rate, count in paying.items())
    print(f"a code beats doing nothing and leaving out in, of {len(kept)}: {counts}")
    every = {name: [asdict(e) for each in own.values() for e in each] for name, own in kept.items()}
    command.write(asked.json, every)
    return 0


if __name__ == "__main__":
    sys.exit(main())
