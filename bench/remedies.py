"""The atlas of recordings, held against NumPy: times of its systems, a few lines for each scheme.

``python -m bench.remedies FOLDER [--columns worker,batch_time_norm,time]``

`fastgc.atlas` chooses systems on the first half of each recording. Their times on the second half,
but those of trees, are computed again here, and the largest difference is printed for each
recording; then in how many a code pays at each cost of load: takes less than .99 of the time
without a remedy, and .005 of it less than where work is shared out anew.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fastgc
from bench import command
from bench.windows import recordings
from fastgc.planning.cells import KINDS, Cell

Values = NDArray[np.float64]

#: A code pays that takes less than this share of the time without, and so much less of it than
#: with work shared out anew.
PAYS, BEATS = 0.99, 0.005
#: What rounding leaves of a difference.
NEAR = 1e-9


def done(system: Mapping[str, Any], rows: Values, basis: int, cost: float) -> Values:
    """Return when a system is done in each row after the basis, (rounds,).

    ``system``: a ``system`` table of a study; ``rows``, float64 array (basis + rounds, n): times
    for an n-th of the work; ``basis``: rows before a round that say how fast workers are; ``cost``:
    seconds that another n-th of the work takes.
    """
    return np.asarray(_done(system, rows, basis, cost), np.float64)


def _done(system: Mapping[str, Any], rows: Values, basis: int, cost: float) -> Any:
    later, n, family = rows[basis:], rows.shape[1], system["family"]
    ordered, slowest = np.sort(later, axis=1), later.max(axis=1)
    match family:
        case "uncoded":
            return slowest
        case "gradient-code":
            return ordered[:, n - 1 - system["s"]] + cost * system["s"]
        case "replication":
            groups = later.reshape(len(later), -1, system["d"])
            return groups.min(axis=2).max(axis=1) + cost * (system["d"] - 1)
        case "clones":
            r = system["r"]
            begun = later.reshape(len(later), -1, r) + system["after"] * np.arange(r)
            return (begun + cost * (r - 1)).min(axis=2).max(axis=1)
        case "spare":
            return ordered[:, system["n"] - 1] + cost * (n / system["n"] - 1)
        case "bounded-wait":
            return ordered[:, system["k"] - 1]
        case "drop-late":
            return np.minimum(slowest, system["deadline"])
        case "local-sgd":
            # a period may begin in any row; after the last one comes the first
            turned = np.stack([np.roll(later, -i, axis=0) for i in range(system["period"])])
            return turned.sum(axis=0).max(axis=1) / system["period"]
    found = []
    for t in range(basis, len(rows)):
        means = rows[t - basis : t].mean(axis=0)
        shares = 1 / means / (1 / means).sum()
        if family == "leave-out":
            shares = np.full(n, 1 / (n - system["k"]))
            shares[system.get("who", np.argsort(-means, kind="stable")[: system["k"]])] = 0.0
        found.append(((rows[t] + cost * (n * shares - 1)) * (shares > 0)).max())
    return found


def off(cell: Cell, rows: Values) -> float:
    """Return the largest difference of a cell's times from those computed here."""
    half, basis = len(rows) // 2, max(1, min(10, len(rows) // 8))
    assert cell.share is not None
    cost = cell.share * float(rows[:half].mean())
    worst = 0.0
    for each in cell.worths:
        if each.family == "coded-reduce":
            continue
        start = 0 if each.family == "local-sgd" else half - basis  # periods are not chosen
        own = done(each.system, rows[start:], basis, cost)
        plain = rows[start + basis :].max(axis=1)
        worst = max(worst, abs(own.mean() / plain.mean() - each.time.value))
    return worst


def pays(cell: Cell) -> bool:
    """Return whether a code beats doing nothing and work that is shared out anew."""
    codes, others = (
        min((w.time.value for w in cell.worths if w.family in KINDS[kind]), default=np.inf)
        for kind in ("code", "sharing")
    )
    return codes < PAYS and codes < others - BEATS


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the largest difference of each recording, and where codes pay; 1 if one is large."""
    columns = "worker,batch_time_norm,time"
    asked = command.parse(
        "bench.remedies", __doc__, arguments, "--json", folder_={"type": Path}, columns=columns
    )
    names = dict(zip(("worker", "value", "iteration"), asked.columns.split(","), strict=False))
    found = fastgc.atlas(asked.folder, columns=names)
    rows, worst = recordings([str(asked.folder)], asked.columns.split(",")), 0.0
    cells = [cell for each in found.subjects for cell in each.cells if cell.cost != "fitted"]
    for each in found.subjects:
        own = rows[each.name][-each.rounds :]
        largest = max(off(cell, own) for cell in each.cells if cell.cost != "fitted")
        print(f"{each.name:24} {each.workers:4} workers, times are off by {largest:.1e}")
        worst = max(worst, largest)
    for cost in dict.fromkeys(cell.cost for cell in cells):
        some = [cell for cell in cells if cell.cost == cost]
        print(f"cost {cost:4}: a code pays in {sum(map(pays, some))} of {len(some)}")
    command.write(asked.json, found.as_dict())
    return int(worst > NEAR)


if __name__ == "__main__":
    sys.exit(main())
