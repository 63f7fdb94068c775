"""What `fastgc.advise` says of a part of a recording, held against what followed.

``python -m bench.advise [--replications 100]``

Recordings of clusters that stay as they are are made up. Of their first rows it is asked what to
do, at known costs of load c (seconds that all of the work costs, as a share of the mean time) and
without; the remedy that is named, or doing nothing, is timed on all rows that follow, and so is
every other that makes the same gradient.
Counted is how often it takes at most 5 % more than the best of them in hindsight (without a known
cost: at every c, where what is named may depend on it), and how often the interval of its gain
holds the gain there.

Made-up recordings behind a barrier, in mixed units and of clocks must all be refused, and never
sound ones for that. Beside them is shown how often a change of one worker is told or refused.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import fastgc
from bench import made_up
from bench.intervals import NONE, Promise, Setting, judge
from fastgc.arrays import Values
from fastgc.results.remedies import Ranking
from fastgc.systems.coded_reduce import CodedReduce
from fastgc.systems.timing.rounds import Evaluator
from fastgc.systems.uncoded import Clones

Key = tuple[str, int]

COSTS = (1.0, 0.5, 0.25, 0.1, 0.0)
RIGHT = 0.05  # at most so much longer than the best is right
#: Rows after a window of a made-up recording.
MADE_UP = 2000
#: Of each kind.
RECORDINGS = 100
WORSE, HELD = "nothing worse is named", "the gain is held"
ASKED, ALL = Promise(0.9), Promise(1.0, alarm=0.5)
#: Words of a verdict that tell why a recording is refused.
REASONS = {
    "barrier": "times of the round",
    "unit": "in different units",
    "clock": "clock",
    "change": "changed",
}


@dataclass(frozen=True)
class Window:
    """What came of what was named for a window.

    ``excess`` is the share of the time that the best in hindsight would have saved, less 1;
    ``gain`` what was gained, ``low`` and ``high`` what was said of that, where something was.
    """

    system: Mapping[str, Any]
    excess: float
    gain: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def right(self) -> bool:
        """Whether what was named is near the best in hindsight."""
        return self.excess <= RIGHT

    @property
    def holds(self) -> bool:
        """Whether the interval holds the gain, where there is one."""
        if self.gain is None or self.low is None or self.high is None:
            return True
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


def asked(window: Values, after: Values, cost: float | None, file: Path) -> Window | None:
    """Ask what to do of a window, and time it on the rows after; None where nothing is named."""
    mean, n = float(window.mean()), window.shape[1]
    written(window, file)
    found = fastgc.advise(file, rate=None if cost is None else cost * mean * n)
    if found.system is None and not found.ranges:
        return None
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
        return Window(found.system or {"family": "by cost"}, excess)
    own = next(r for r in found if r.system == found.system)
    return Window(found.system, excess, gain, own.gain_low, own.gain_high)


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
    names = ",".join(f"w{j}" for j in range(rows.shape[1]))
    np.savetxt(file, rows, "%.17g", ",", header=names, comments="")


def reason(found: Ranking) -> str | None:
    """Return for which of `REASONS` a recording is refused: "few" for any other, None for none."""
    if found.kind != "refused":
        return None
    return next((key for key, words in REASONS.items() if words in found.verdict), "few")


def advised(name: str) -> Setting:
    """Ask of made-up recordings of a cluster that stays as it is."""

    def hits(seed: int) -> Counter[str]:
        rng = np.random.default_rng([1, made_up.STEADY.index(name), seed])
        rows, n = made_up.sizes(rng)
        times = made_up.SOUND[name](rng, rows + MADE_UP, n)
        cost = (None, *COSTS)[rng.integers(1 + len(COSTS))]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "made-up.csv")
            found = asked(times[:rows], times[rows:], cost, file)
        right, holds = (True, True) if found is None else (found.right, found.holds)
        return Counter({WORSE: int(right), HELD: int(holds), "named": int(found is not None)})

    promises = {WORSE: ASKED, HELD: NONE}
    return Setting(name, promises, hits, lambda found, _: f"{found['named']} named")


# ---- Refusals

#: Made-up recordings, and what must be said of each: why it is refused, None for sound ones.
KINDS: dict[str, tuple[made_up.Draw, str | None]] = {
    **{name: (d, why) for why, kinds in made_up.SPOILT.items() for name, d in kinds.items()},
    **{name: (draw, None) for name, draw in made_up.SOUND.items()},
    "a worker changes": (made_up.worse_later, "change"),
}
#: What may be said instead of a spoilt one, and of all others.
ALLOWED = ("barrier", "unit", "clock", "change", "few"), ("change", "told", "few", "")


def refused(name: str, seed: int) -> str:
    """Return why a made-up recording is refused, "" if it is not."""
    rng = np.random.default_rng([2, list(KINDS).index(name), seed])
    rows = KINDS[name][0](rng, *made_up.sizes(rng))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "made-up.csv")
        written(rows, file)
        found = fastgc.advise(file, rate=float(rows.mean()))
    why = reason(found)
    if why is None and any(REASONS["change"] in each for each in found.why):
        return "told"
    return why or ""


def refusals(name: str) -> Setting:
    """Ask of made-up recordings of a kind whether they are refused for the right reason."""
    allowed = ALLOWED[KINDS[name][1] in (None, "change")]

    def hits(seed: int) -> Counter[str]:
        why = refused(name, seed)
        return Counter({"judged rightly": int(why in allowed), why or "not": 1})

    def note(found: Counter[str], _: int) -> str:
        rest = {why: many for why, many in found.items() if why != "judged rightly"}
        return ", ".join(f"{why} {many}" for why, many in sorted(rest.items()))

    return Setting(f"refused: {name}", {"judged rightly": ALL}, hits, note)


def situations() -> list[Setting]:
    return [*map(advised, made_up.STEADY), *map(refusals, KINDS)]


def main(arguments: Sequence[str] | None = None) -> int:
    return judge("bench.advise", __doc__, situations, RECORDINGS, arguments)


if __name__ == "__main__":
    sys.exit(main())
