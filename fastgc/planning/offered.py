"""The systems that are looked at for a recording, and which of them stand for the others."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.planning.candidate import Candidate
from fastgc.study.design import DesignTable
from fastgc.systems.uncoded import Clones, DropLate, LeaveOut

#: What is as good as the best, in parts of its time.
NEAR = 0.05
#: Halves agree on a system that takes at most so much longer than the best of the second.
AGREE = 2 * NEAR
#: Clones are codes here: replicated work, of which copies start later.
CODES = ("gradient-code", "replication", "coded-reduce", "clones")
SCHEMES = ("uncoded", "leave-out", "balanced", "spare", *CODES, "bounded-wait", "drop-late")
#: Quantiles of the first half's times: when clones start, when drop-late stops waiting.
_DEADLINES = {"clones": (0.5, 0.9), "drop-late": (0.9, 0.95, 0.99, 0.995)}
#: Systems of a scheme that are looked at, at most; workers that may be dropped in a round.
_MOST, _DROPPED = 32, 0.1
#: Systems of a scheme that are as good as its best, in parts of its time.
ALIKE = 0.01


def looked_at(table: DesignTable, rows: Values, share: float) -> list[Any]:
    """Return some systems of each scheme, with small parameters close to each other."""
    n, found = table.workers, list[Any]()
    for scheme in SCHEMES:
        try:
            lists: Sequence[Any] = [] if scheme in _DEADLINES else table.candidates(scheme)
        except FastgcError:  # it offers none for so few workers
            continue
        for systems in (each.systems for each in lists):
            if scheme == "coded-reduce":  # what idle workers save is not the tree's
                systems = [c for c in systems if c.workers() == n and c.layers > 1]
            if scheme == "bounded-wait":
                systems = [systems[max(1, n - max(1, int(_DROPPED * n))) - 1]]
            found += _some(systems)
    # the same workers in all rounds: the slowest of both halves, who of workers that are alike
    # seldom are the same: the probability is 1/n for one, and less for several
    early, late, both = (
        np.argsort(-part.mean(axis=0), kind="stable").tolist()
        for part in (rows[: len(rows) // 2], rows[len(rows) // 2 :], rows)
    )
    agreed = [k for k in range(1, n // 2 + 1) if {*early[:k]} == {*late[:k]} == {*both[:k]}]
    found[1:1] = _some([LeaveOut(n=n, k=k, who=tuple(both[:k]), basis=table.basis) for k in agreed])
    # deadlines: what some of the first half's times would be with their work
    [law] = table.latency
    for scheme, quantiles in _DEADLINES.items():
        for quantile in np.unique(np.quantile(rows, quantiles)):
            for r in [r for r in range(2, n + 1) if n % r == 0] if scheme == "clones" else [1]:
                deadline = float(quantile) + law.rate * (r / n - share)
                if deadline > 0:
                    system = Clones(n=n // r, r=r, after=deadline)
                    found.append(system if r > 1 else DropLate(n=n, deadline=deadline))
    return found


def _some(systems: Sequence[Any]) -> list[Any]:
    size = len(systems)
    if size <= _MOST:
        return list(systems)
    places = np.unique(np.geomspace(1, size, _MOST).round().astype(int)) - 1
    return [systems[place] for place in places]


def shortfall(time: float, best: float) -> float:
    """Return how much longer a time is than the best, in parts of that."""
    if time <= best:
        return 0.0
    return time / best - 1 if best > 0 else math.inf


def system_near_best(first: Mapping[float, Sequence[Candidate]]) -> Any:
    """Return the system that is near the best at all rates; None if none is."""
    worst: dict[str, float] = {}
    systems: dict[str, Any] = {}
    for candidates in first.values():
        found = {str(c.system.settings()): c for c in candidates}
        systems = systems or {key: c.system for key, c in found.items()}
        best, uncoded = min(c.value for c in found.values()), candidates[0].value
        now = {k: shortfall(c.value, best) for k, c in found.items() if c.value <= uncoded}
        worst = {key: max(worst.get(key, 0.0), now.get(key, math.inf)) for key in systems}
    least = min(worst.values())
    if least > NEAR:
        return None
    uncoded_first = next(iter(systems))
    if worst[uncoded_first] <= NEAR:
        return systems[uncoded_first]
    return systems[next(key for key, each in worst.items() if each <= least + ALIKE)]


def representatives(found: Sequence[Candidate], named: Any) -> list[Any]:
    """Return uncoded work, the first of each scheme as good as its best, and the named."""
    kept = []
    for scheme in SCHEMES:
        own = [c for c in found if c.family == scheme]
        if scheme in CODES:
            own = [c for c in own if c.load > found[0].load * 1.001]
        best = min((c.value for c in own), default=0.0)
        if scheme == "drop-late":
            kept += [c.system for c in own if c.value <= best * (1 + NEAR)][-1:]
        else:
            kept += [c.system for c in own if c.value <= best * (1 + ALIKE)][:1]
    return kept if named is None or named in kept else [*kept, named]
