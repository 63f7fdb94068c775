"""Worst cases: ``python -m bench.worst [--most SETS]``.

Of random sparse codes: what looking at all sets of stragglers costs, a set, against least squares
by LAPACK in a loop; and whether the climbs find the worst without looking at all.
"""

import itertools
import math
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bench import command, peers
from bench.timing import seconds
from fastgc import codes
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.worst import Worst, worst_case

CASES = (
    (30, 5, 6),
    (40, 5, 6),
    (50, 6, 6),
    (60, 6, 6),
    (30, 5, 12),
    (50, 6, 8),
    (100, 8, 5),
    (60, 6, 8),
    (60, 6, 10),
)
SEED = 3
LOOP = 2000  # sets of the loop


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where a climb finds more than looking at all sets did."""
    most = command.parse("bench.worst", __doc__, arguments, most=2e9).most
    print(
        "   n  d  s       sets       all   a set      loop   largest   climbs  hits  found  bound"
    )
    wrong = 0
    for n, d, s in CASES:
        sets = math.comb(n, s)
        if sets > most:
            continue
        code = codes.sparse_regular(n=n, d=d, seed=SEED)
        decoder = Decoder(code)
        took, known = _timed(lambda: worst_case(decoder, code, s, most=int(most)))  # noqa: B023
        climbed, found = _timed(lambda: worst_case(decoder, code, s, most=0))  # noqa: B023
        loop = _loop(code.B, s)
        wrong += found.error > known.error + 1e-9 * n
        print(
            f"{n:4}{d:3}{s:3}{sets:11.2e}{took:9.2f}s{took / sets * 1e9:6.1f}ns"
            f"{loop / (took / sets):8.0f} ×{known.error:10.5f}{climbed:8.2f}s"
            f"{found.hits:6}{'   all' if found.error > known.error - 1e-9 * n else '  less'}"
            f"{found.at_most:7.2f}",
            flush=True,
        )
    return 1 if wrong else 0


def _timed(call: Callable[[], Worst]) -> tuple[float, Worst]:
    begun = time.process_time()
    found = call()
    return time.process_time() - begun, found


def _loop(B: NDArray[np.float64], s: int) -> float:
    """Seconds a set of least squares by LAPACK, in a loop."""
    n = B.shape[1]
    alive = np.ones((LOOP, n), bool)
    for row, stragglers in zip(alive, itertools.combinations(range(n), s), strict=False):
        row[list(stragglers)] = False
    return seconds(lambda: peers.lstsq_loop(B, alive)) / LOOP


if __name__ == "__main__":
    sys.exit(main())
