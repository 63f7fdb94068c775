"""Large sparse codes: ``python -m bench.sparse [--rounds R] [--json FILE] [--check] [--only N]``.

Patterns of sparse-regular codes, d = 10, whose errors are computed by fastgc, by
`scipy.sparse.linalg.lsmr` in a loop, and up to n = 1000 by `numpy.linalg.lstsq` in a loop. What all
find is held against lsmr with tolerances of 1e-13; lsmr then gets the loosest tolerance, in half
decades, at which its largest error is no more than that of fastgc, or than 1e-11·k where fastgc is
better. One thread, one after the other in every round, minima of the rounds, processor time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import lsmr

from fastgc import codes
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.draws.patterns import bernoulli
from fastgc.draws.streams import WORD, Batch

#: Workers, probability to straggle, and how many times as fast as lsmr: floor and goal.
CASES = (
    (1000, 0.02, 100, None),
    (1000, 0.2, 8, 20),
    (6000, 0.02, 100, None),
    (6000, 0.05, 10, None),
    (6000, 0.2, None, None),
    (10_000, 0.02, None, None),
    (10_000, 0.2, 2, 4),
)
D = 10
ROUNDS = 5
PATTERNS = 128
IN_LOOP = 4  # patterns of the loops
ENOUGH = 1e-11  # of k: where fastgc is better, lsmr need not be
LARGEST_DENSE = 1000

Errors = NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """One case: milliseconds a pattern, largest errors as a part of k, and ratios.

    ``setup`` is the seconds that the code's tables take, once.
    """

    n: int
    p: float
    setup: float
    fastgc: float
    fastgc_error: float
    lsmr: float
    lsmr_error: float
    lsmr_tolerance: float
    lstsq: float | None
    ratio: float
    floor: float | None
    goal: float | None

    @property
    def passed(self) -> bool:
        """Whether the floor is reached and no error is above what is promised."""
        return (self.floor is None or self.ratio >= self.floor) and self.fastgc_error <= 1e-10


def measure(n: int, p: float, floor: float | None, goal: float | None, rounds: int) -> Result:
    """Measure one case."""
    code = codes.sparse_regular(n=n, d=D)
    batch = Batch(1, "bench", 0, PATTERNS // WORD, 1)
    packed = bernoulli(np.full(n, p), batch, "straggle").packed
    began = time.process_time()
    decoder = Decoder(code)
    decoder.errors(packed[:1])
    setup = time.process_time() - began
    columns = [_survivors(code, row) for row in packed[:IN_LOOP]]
    truth = _by_lsmr(columns, 1e-13)
    ours = decoder.errors(packed)
    our_error = float(np.abs(ours[:IN_LOOP] - truth).max()) / n
    tolerance, error = 1e-4, np.inf
    while error > max(our_error, ENOUGH):
        tolerance *= 10**-0.5
        error = float(np.abs(_by_lsmr(columns, tolerance) - truth).max()) / n
    runs: dict[str, tuple[Callable[[], Errors], int]] = {
        "fastgc": (lambda: decoder.errors(packed), len(packed)),
        "lsmr": (lambda: _by_lsmr(columns, tolerance), IN_LOOP),
    }
    if n <= LARGEST_DENSE:
        dense = [A.toarray() for A in columns]
        runs["lstsq"] = (lambda: _by_lstsq(dense), IN_LOOP)
    best = dict.fromkeys(runs, np.inf)
    for _ in range(rounds):
        for name, (run, patterns) in runs.items():
            began = time.process_time()
            run()
            best[name] = min(best[name], (time.process_time() - began) / patterns * 1e3)
    ratio = best["lsmr"] / best["fastgc"]
    return Result(
        *(n, p, setup, best["fastgc"], our_error, best["lsmr"], error, tolerance),
        *(best.get("lstsq"), ratio, floor, goal),
    )


def _survivors(code: Code, packed: NDArray[np.uint64]) -> csc_matrix:
    held = code.columns
    B = csc_matrix((np.array(held.values), held.places, held.offsets), shape=(code.k, code.n))
    alive = np.unpackbits(packed.view(np.uint8), bitorder="little")[: code.n].astype(bool)
    return B[:, alive]


def _by_lsmr(columns: Sequence[csc_matrix], tolerance: float) -> Errors:
    found = []
    for A in columns:
        ones = np.ones(A.shape[0])
        x = lsmr(A, ones, atol=tolerance, btol=tolerance, conlim=0, maxiter=100_000)[0]
        found.append(float(np.sum((A @ x - ones) ** 2)))
    return np.array(found)


def _by_lstsq(columns: Sequence[NDArray[np.float64]]) -> Errors:
    found = []
    for A in columns:
        ones = np.ones(len(A))
        x = np.linalg.lstsq(A, ones, rcond=None)[0]
        found.append(float(np.sum((A @ x - ones) ** 2)))
    return np.array(found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; with ``--check`` 1 where a ratio is below its floor, or an error large."""
    parser = argparse.ArgumentParser(prog="python -m bench.sparse", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path, help="file for the results")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", type=int, help="cases of so many workers only")
    options = parser.parse_args(arguments)
    print(
        "     n     p    setup     fastgc   error       lsmr   error     lstsq     ratio floor goal"
    )
    results = []
    for n, p, floor, goal in CASES:
        if options.only not in (None, n):
            continue
        found = measure(n, p, floor, goal, options.rounds)
        results.append(found)
        lstsq = "–" if found.lstsq is None else f"{found.lstsq:.1f} ms"
        print(
            f"{n:6} {p:5} {found.setup:6.2f} s {found.fastgc:7.4f} ms {found.fastgc_error:.1e} "
            f"{found.lsmr:7.2f} ms {found.lsmr_error:.1e} {lstsq:>9} {found.ratio:7.1f} × "
            f"{floor or '–':>5} {goal or '–':>4}",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps([asdict(found) for found in results], indent=1))
    return 0 if not options.check or all(found.passed for found in results) else 1


if __name__ == "__main__":
    sys.exit(main())
