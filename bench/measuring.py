"""Schemes run for real, against the clock: ``python -m bench.measuring``.

Of every scheme: how far rounds are from their prediction, in how many it is the predicted workers
that are late, and how far exact gradients are from true ones.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import fastgc
from bench import command
from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.systems import System

#: What a table may show: ms, or % of a round; by what exact gradients may be off, where a decoding
#: error counts as none.
MS, PERCENT, TRUE, EXACT = 2.0, 3.0, 1e-12, 1e-9
Row = dict[str, Any]

#: Workers that sleep; seconds that a quarter of the work takes at least, and as many more on
#: average.
N, SECONDS = 4, 0.01
PROBLEM = {"model": "logistic", "samples": 96, "features": 8}


@register("system")
class Median(System):
    """A plug-in: any three of four workers do."""

    family: Literal["bench-median"] = "bench-median"
    n: int

    def workers(self) -> int:
        return self.n

    def default_share(self) -> float:
        return 2 / self.n

    def done(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.sort(times, axis=1)[:, self.n - 2])


#: Systems, and codes where they are not those that fit the system's load.
SCHEMES: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "uncoded": ({"family": "uncoded"}, None),
    "groups": ({"family": "gradient-code", "s": 1}, {"family": "frc", "d": 2}),
    "cyclic": ({"family": "gradient-code", "s": 1}, {"family": "cyclic", "d": 2}),
    "cyclic, s = 2": ({"family": "gradient-code", "s": 2}, {"family": "cyclic", "d": 3}),
    "in pieces": ({"family": "gradient-code", "s": 1, "m": 2}, None),
    "patient": ({"family": "gradient-code", "s": 1, "patience": 0.5}, None),
    "replication": ({"family": "replication", "d": 2}, None),
    "k of n": ({"family": "k-of-n", "k": 3}, None),
    "ignore stragglers": ({"family": "ignore-stragglers", "stragglers": 1}, None),
    "bounded wait": ({"family": "bounded-wait", "k": 3}, None),
    "random code": (
        {"family": "bounded-wait", "k": 3},
        {"family": "bernoulli", "k": N, "seed": 1, "density": 0.6},
    ),
    "drop late": ({"family": "drop-late", "deadline": 0.025}, None),
    "spare": ({"family": "spare", "n": N - 1, "b": 1}, None),
    "clones": ({"family": "clones", "n": 2, "r": 2, "after": 0.01}, None),
    "plug-in": ({"family": "bench-median"}, None),
    "hierarchical": ({"family": "hierarchical", "k": [2, 3]}, None),
    "coded reduce": ({"family": "coded-reduce", "n": 2, "layers": 2, "s": 1}, None),
    "leave out": ({"family": "leave-out", "k": 1}, None),
    "balanced": ({"family": "balanced"}, None),
}


def study(name: str, rounds: int, seed: int) -> dict[str, Any]:
    """Return the study of a scheme."""
    system, code = SCHEMES[name]
    coded = {} if code is None else {"code": {"n": N, **code}}
    return {
        "kind": "completion",
        "seed": seed,
        "system": {"n": N, **system},
        "latency": {"distribution": "exponential", "shift": SECONDS, "mean": SECONDS},
        "work": float(N),
        "measure": {"rounds": rounds, "problem": PROBLEM, **coded},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the schemes; 1 if ``--check`` finds less than is asked."""
    shared = ("--check", "--json", "--only", "--quick", "--seed")
    given = command.parse("bench.measuring", __doc__, arguments, *shared)
    print(f"{'':20}{'|Δ| ms':>8}{'|Δ| %':>8}{'late':>8}{'gradient':>10}")
    names = [name for name in SCHEMES if given.only in name]
    found = [row(name, 10 if given.quick else 30, given.seed) for name in names]
    missed = list(_wrong(found))
    command.write(given.json, {"table": found})
    print(*missed, sep="\n", file=sys.stderr)
    return 1 if given.check and missed else 0


def row(name: str, rounds: int, seed: int) -> Row:
    """Run a scheme; print and return what is told of it, or the sentence that refuses it."""
    try:
        found = fastgc.measure(study(name, rounds, seed))
    except FastgcError as refusal:
        print(f"{name:20}refused: {refusal}")
        return {"scheme": name, "refused": str(refusal).splitlines()[0]}
    arrays, off = found.arrays, np.abs(found.measured - found.predicted)
    exact = arrays["decoding_error"] <= EXACT
    own = {
        "scheme": name,
        "off_ms": 1e3 * float(np.median(off)),
        "off_percent": 100 * float(np.median(off / found.measured)),
        "late_as_predicted": float((arrays["used"] == arrays["predicted_used"]).all(axis=1).mean()),
        "gradient_error": float(np.sqrt(np.nanmax(arrays["gradient_error"][exact], initial=0.0))),
        "verdicts": {each["comparison"]: each["verdict"] for each in found.verdicts},
    }
    said = ", ".join(f"{which} {verdict}" for which, verdict in own["verdicts"].items())
    numbers = f"{own['off_ms']:8.2f}{own['off_percent']:8.2f}{own['late_as_predicted']:8.0%}"
    print(f"{name:20}{numbers}{own['gradient_error']:10.0e}  {said}", flush=True)
    return own


def _wrong(rows: list[Row]) -> Iterator[str]:
    for row in rows:
        at = row["scheme"]
        if "refused" in row:
            yield f"{at}: {row['refused']}"
        elif row["gradient_error"] > TRUE:
            yield f"{at}: an exact gradient is off by {row['gradient_error']:.1g} of itself"
        elif row["off_ms"] > MS and row["off_percent"] > PERCENT:
            yield f"{at}: rounds are off by {row['off_ms']:.2g} ms in the median"


if __name__ == "__main__":
    sys.exit(main())
