"""What `fastgc.advise` says of a part of a recording, held against what followed.

``python -m bench.advise [FILE|FOLDER …] [--repetitions 1000] [--check]``

Windows of so many successive rows are cut out of each recording, and of made-up ones of clusters
that stay as they are. Of each it is asked what to do, at known costs of load c (seconds that all of
the work costs, as a share of the mean time) and without; the remedy that is named, or doing
nothing, is timed on all rows after the window, and so is every other that makes the same gradient.
Counted is how often it takes at most 5 % more than the best of them in hindsight (without a known
cost: at every c, where what is named may depend on it), and how often the interval of its gain
holds the gain there.

Made-up recordings behind a barrier, in mixed units and of clocks must all be refused, and never
sound ones for that. Beside them is shown how often a change of one worker is told or refused.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import fastgc
from bench import command, made_up
from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.traces import parse
from fastgc.results.remedies import Ranking
from fastgc.systems.coded_reduce import CodedReduce
from fastgc.systems.timing.rounds import Evaluator
from fastgc.systems.uncoded import Clones

Key = tuple[str, int]

LENGTHS, COSTS = (20, 30, 40, 80, 160), (1.0, 0.5, 0.25, 0.1, 0.0)
#: At most so much longer than the best is right; so many rows must follow.
RIGHT, FOLLOWING = 0.05, 10
#: Rows after a window of a made-up recording.
MADE_UP = 2000
#: What is asked: the share of named remedies that are right.
ASKED = 0.9
#: Words of a verdict that tell why a recording is refused.
REASONS = {
    "barrier": "times of the round",
    "unit": "in different units",
    "clock": "clock",
    "change": "changed",
}


@dataclass(frozen=True)
class Window:
    """What was said of a window, and what came of it.

    ``cost`` is None where it was not known. ``excess`` is the share of the time that the best in
    hindsight would have saved, less 1; ``gain`` what was gained, ``low`` and ``high`` what was
    said of that. All are None where nothing was named.
    """

    recording: str
    rows: int
    cost: float | None
    kind: str
    system: Mapping[str, Any] | None = None
    excess: float | None = None
    gain: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def right(self) -> bool:
        """Whether what was named is near the best in hindsight."""
        return self.excess is not None and self.excess <= RIGHT

    @property
    def holds(self) -> bool:
        """Whether the interval holds the gain."""
        if self.gain is None or self.low is None or self.high is None:
            return False
        return self.low * (1 - 1e-9) <= self.gain <= self.high * (1 + 1e-9)


def hindsight(times: Values, basis: int, cost: float, mean: float) -> dict[Key, float]:
    """Return the mean time of each system with the exact gradient, by its scheme and parameter.

    Parameters
    ----------
    times : float64 array (basis + rounds, n)
        Times for an n-th of the work; the first rows only say who is slow.
    basis : int
        Rows before each round that say how fast workers are.
    cost, mean : float
        A load that is larger by an n-th of the work takes ``cost`` · ``mean`` more.
    """
    rows, n = times[basis:], times.shape[1]
    unit = cost * mean
    ordered = np.sort(rows, axis=1)
    found = {("uncoded", 0): float(ordered[:, -1].mean())}
    for s in range(1, n):
        found["gradient-code", s] = float(ordered[:, n - 1 - s].mean()) + unit * s
    for d in (each for each in range(2, n + 1) if n % each == 0):
        done = rows.reshape(len(rows), n // d, d).min(axis=2).max(axis=1)
        found["replication", d] = float(done.mean()) + unit * (d - 1)
    before = np.stack([times[t : t + basis].mean(axis=0) for t in range(len(rows))])
    by_speed = np.argsort(-before, axis=1, kind="stable")
    # the slowest of those that are left when the first k are out
    left = np.maximum.accumulate(np.take_along_axis(rows, by_speed, axis=1)[:, ::-1], axis=1)
    for k in range(1, n // 2 + 1):
        found["leave-out", k] = float(left[:, n - 1 - k].mean()) + unit * (n / (n - k) - 1)
    speeds = 1 / np.where(before > 0, before, before[before > 0].min(initial=1.0))
    shares = speeds / speeds.sum(axis=1, keepdims=True)
    balanced = rows + unit * (n * shares - 1)
    if (balanced >= 0).all():
        found["balanced", 0] = float(balanced.max(axis=1).mean())
    return found


def key_of(system: Mapping[str, Any]) -> Key:
    """Return a system's scheme and parameter."""
    family = system["family"]
    if "who" in system:
        return f"{family} {sorted(system['who'])}", system["k"]
    if family in ("uncoded", "gradient-code", "replication", "leave-out", "balanced"):
        return family, next((system[key] for key in ("s", "d", "k") if key in system), 0)
    return str(system), 0


def asked(name: str, window: Values, after: Values, cost: float | None, file: Path) -> Window:
    """Ask what to do of a window, and time it on the rows after."""
    mean, n = float(window.mean()), window.shape[1]
    written(window, file)
    found = fastgc.advise(file, rate=None if cost is None else cost * mean * n)
    said = partial(Window, name, len(window), cost, reason(found) or found.kind)
    if found.system is None and not found.ranges:
        return said()
    basis = max(1, min(10, found.rounds // 8))
    excess, gain = 0.0, 1.0
    for each in COSTS if cost is None else (cost,):
        times = np.concatenate([window[-basis:], after])
        known = hindsight(times, basis, each, mean)
        costs = each * mean * n  # of all of the work, in one of the ranges
        ranges = [own for own in found.ranges if costs <= own.high.value] or found.ranges[-1:]
        system = found.system or ranges[0].system
        key = key_of(system)
        for other in (system, *(r.system for r in found if r.gradient == "exact")):
            if key_of(other) not in known:
                known[key_of(other)] = _otherwise(other, after, each, mean)
        excess = max(excess, known[key] / min(known.values()) - 1)
        gain = known["uncoded", 0] / known[key]
    if cost is None or found.system is None:
        return said(found.system or {"family": "by cost"}, excess)
    own = next(r for r in found if r.system == found.system)
    return said(found.system, excess, gain, own.gain_low, own.gain_high)


def _otherwise(system: Mapping[str, Any], rows: Values, cost: float, mean: float) -> float:
    """Return the mean time of a tree, of clones, or without some workers in all rounds.

    Infinite of what no time is known of.
    """
    n = rows.shape[1]
    if "who" in system:
        rest = np.delete(rows, system["who"], axis=1)
        more = cost * mean * (n / rest.shape[1] - 1)
        return float(rest.max(axis=1).mean() + more)
    keys = {key: each for key, each in system.items() if key != "family"}
    makers = {"coded-reduce": CodedReduce, "clones": Clones}
    if system["family"] not in makers:
        return np.inf
    made = makers[system["family"]](**keys)
    times = rows + cost * mean * (n * made.share() - 1)
    return float(Evaluator(made.structure()).done(times.T).mean())


def written(rows: Values, file: Path) -> None:
    """Write a recording as a wide table."""
    lines = [",".join(f"w{j}" for j in range(rows.shape[1]))]
    lines += [",".join(map(repr, row)) for row in rows.tolist()]
    file.write_text("\n".join(lines), encoding="utf-8")


def reason(found: Ranking) -> str | None:
    """Return for which of `REASONS` a recording is refused: "few" for any other, None for none."""
    if found.kind != "refused":
        return None
    return next((key for key, words in REASONS.items() if words in found.verdict), "few")


# ---- Windows of recordings, and of made-up ones


def recordings(places: Sequence[str], columns: Sequence[str]) -> dict[str, Values]:
    """Return the rows of every csv file of places, files or folders, wide or long, by its name.

    ``columns``: of long tables: the columns worker, value and perhaps iteration.
    """
    long = dict(zip(("worker", "value", "iteration"), columns, strict=False))
    found = {}
    for place in map(Path, places):
        for path in sorted(place.glob("*.csv")) if place.is_dir() else [place]:
            text = path.read_text()
            try:
                found[path.stem] = parse(text, path.name).rows
            except FastgcError:
                found[path.stem] = parse(text, path.name, **long).rows
    return found


def of_recording(name: str, times: Values, lengths: Sequence[int], starts: int) -> list[Window]:
    """Ask of windows of a recording, which begin at equal steps."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in lengths:
            last = len(times) - rows - FOLLOWING
            if last < 0:
                continue
            for start in np.unique(np.linspace(0, last, starts).round().astype(int)):
                window, after = times[start : start + rows], times[start + rows :]
                for cost in (None, *COSTS):
                    found.append(asked(name, window, after, cost, Path(folder, "window.csv")))
    return found


def of_seed(seed: int, place: int) -> Window:
    """Ask of a made-up recording of a cluster that stays as it is."""
    rng = np.random.default_rng([seed, 1, place])
    rows, n = made_up.sizes(rng)
    name = made_up.STEADY[place % len(made_up.STEADY)]
    times = made_up.SOUND[name](rng, rows + MADE_UP, n)
    cost = (None, *COSTS)[rng.integers(1 + len(COSTS))]
    with tempfile.TemporaryDirectory() as folder:
        return asked(name, times[:rows], times[rows:], cost, Path(folder, "made-up.csv"))


# ---- Refusals

#: Made-up recordings, and what must be said of each: why it is refused, None for sound ones.
KINDS: dict[str, tuple[made_up.Draw, str | None]] = {
    **{name: (d, why) for why, kinds in made_up.SPOILT.items() for name, d in kinds.items()},
    **{name: (draw, None) for name, draw in made_up.SOUND.items()},
    "a worker changes": (made_up.worse_later, "change"),
}
#: What may be said instead of a spoilt one, and of all others.
ALLOWED = ("barrier", "unit", "clock", "change", "few"), ("change", "told", "few", "")


def refused(seed: int, name: str, place: int) -> str:
    """Return why a made-up recording is refused, "" if it is not."""
    rng = np.random.default_rng([seed, 2, list(KINDS).index(name), place])
    rows = KINDS[name][0](rng, *made_up.sizes(rng))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "made-up.csv")
        written(rows, file)
        found = fastgc.advise(file, rate=float(rows.mean()))
    why = reason(found)
    if why is None and any(REASONS["change"] in each for each in found.why):
        return "told"
    return why or ""


# ---- What is printed


def table(found: Iterable[Window], by: Callable[[Window], str]) -> Iterator[str]:
    """Return a line for each group of windows."""

    def share(part: int, of: int) -> str:
        return f"{100 * part / of:.0f} %" if of else "–"

    groups: dict[str, list[Window]] = {}
    for each in found:
        groups.setdefault(by(each), []).append(each)
    yield f"{'':30} windows  named   right   holds"
    for name, own in groups.items():
        named = [each for each in own if each.system is not None]
        right = share(sum(each.right for each in named), len(named))
        gains = [each.holds for each in named if each.gain not in (None, 1.0)]
        yield (
            f"{name:30} {len(own):7} {len(named):6} {right:>7} {share(sum(gains), len(gains)):>7}"
        )


#: What windows are counted by; those of made-up recordings by the first two.
BY: list[Callable[[Window], str]] = [
    lambda each: each.recording,
    lambda each: "all",
    lambda each: "c unknown" if each.cost is None else f"c = {each.cost:g}",
    lambda each: f"{each.rows} rows",
]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; 1 if ``--check`` finds less than is asked."""
    given = command.parse(
        "bench.advise",
        __doc__,
        arguments,
        *("--check", "--json", "--seed", "--workers"),
        files_={"nargs": "*", "metavar": "FILE|FOLDER", "type": str},
        columns="worker,batch_time_norm,time",
        rows=",".join(map(str, LENGTHS)),
        windows=8,
        repetitions=1000,
    )
    many, missed = given.repetitions, []
    lengths = [int(each) for each in given.rows.split(",")]
    with ProcessPoolExecutor(given.workers, get_context("spawn")) as pool:
        real: list[Window] = []
        parts = recordings(given.files, given.columns.split(",")).items()
        jobs = [pool.submit(of_recording, *each, lengths, given.windows) for each in parts]
        for job in jobs:
            real += job.result()
        drawn = list(pool.map(partial(of_seed, given.seed), range(many), chunksize=8))
        for title, found in (("recordings", real), ("made-up recordings", drawn)):
            if not found:
                continue
            for by in BY if title == "recordings" else BY[:2]:
                print(f"{title}:", *table(found, by), sep="\n", flush=True)
            named = [each for each in found if each.system is not None]
            right = sum(each.right for each in named)
            if right < ASKED * len(named):
                missed.append(f"{title}: {right} of {len(named)} named remedies are right")
        missed += _refusals(pool, given.seed, many)
    command.write(given.json, [asdict(each) for each in (*real, *drawn)])
    print(*missed, sep="\n", file=sys.stderr)
    return 1 if given.check and missed else 0


def _refusals(pool: ProcessPoolExecutor, seed: int, many: int) -> list[str]:
    each = -(-many // 10)
    jobs = [(name, place) for name in KINDS for place in range(each)]
    said: dict[str, Counter[str]] = {}
    found = pool.map(partial(refused, seed), *zip(*jobs, strict=True), chunksize=8)
    for (name, _), why in zip(jobs, found, strict=True):
        said.setdefault(name, Counter())[why] += 1
    columns = (*REASONS, "told", "few", "")
    print(f"{'refused as':30}" + "".join(f"{each or 'not':>9}" for each in columns))
    missed = []
    for name, counts in said.items():
        print(f"{name:30}" + "".join(f"{counts[each]:9}" for each in columns), flush=True)
        allowed = ALLOWED[KINDS[name][1] in (None, "change")]
        wrong = counts.total() - sum(counts[each] for each in allowed)
        if wrong:
            missed.append(f"{name}: {wrong} of {counts.total()} are judged wrongly")
    return missed


if __name__ == "__main__":
    sys.exit(main())
