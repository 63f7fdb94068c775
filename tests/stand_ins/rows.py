"""Rows of small studies, printed: ``python -m stand_ins.rows [NAME…]``."""

from __future__ import annotations

import sys
import tomllib

from fastgc.runs.run import run
from fastgc.study.examples import examples

#: One for each way that trials go: groups, any matrix, intervals, subsets, times, a port.
NAMES = (
    "code cyclic",
    "code binary",
    "code tossed",
    "stragglers uniform",
    "stragglers two-class",
    "latency gamma",
    "replication port",
    "coded-reduce port",
    "one layer",
)
#: Studies that are no examples of the handbook.
OTHERS = {
    "one layer": {
        "kind": "completion",
        "system": {"family": "hierarchical", "n": 5, "k": [3], "draws": "task"},
        "latency": {"distribution": "exponential", "mean": 1.0},
        "measure": ["time", "messages"],
    }
}


def rows(name: str) -> list[str]:
    """Every row of a study with all digits."""
    data = OTHERS[name] if name in OTHERS else tomllib.loads(examples()[name])
    found = run(data, trials=2000, method="monte-carlo", threads=1)
    return [repr(row) for row in found.rows()]


if __name__ == "__main__":
    for name in sys.argv[1:] or NAMES:
        print(name, *rows(name), sep="\n")
