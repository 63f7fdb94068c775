"""Schemes run for real, against the clock: ``python -m bench.measuring [--part …]``.

``table``: every scheme: how far rounds are from their prediction, in how many it is the predicted
workers that are late, and how far exact gradients are from true ones. ``lies``: as often, workers
follow another law than the study's, the master sleeps, or nothing is wrong; the comparison that it
is about must find it, and no other.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import fastgc
from bench import command
from bench.measuring import lies
from bench.measuring.schemes import SCHEMES, study
from fastgc.errors import FastgcError

PARTS = ("table", "lies")
#: What a table may show: ms, or % of a round; by what exact gradients may be off, where a decoding
#: error counts as none.
MS, PERCENT, TRUE, EXACT = 2.0, 3.0, 1e-12, 1e-9
Row = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts; 1 if ``--check`` finds less than is asked."""
    shared = ("--check", "--json", "--only", "--quick", "--seed")
    own = {"part": PARTS, "repetitions": 50}
    given = command.parse("bench.measuring", __doc__, arguments, *shared, **own)
    rounds, many = (10, 2) if given.quick else (30, given.repetitions)
    found: dict[str, list[Row]] = {}
    missed: list[str] = []
    if "table" in (given.part or PARTS):
        print(f"{'':20}{'|Δ| ms':>8}{'|Δ| %':>8}{'late':>8}{'gradient':>10}")
        names = [name for name in SCHEMES if given.only in name]
        found["table"] = [row(name, rounds, given.seed) for name in names]
        missed += _wrong(found["table"])
    if "lies" in (given.part or PARTS):
        found["lies"] = list(lies.rows(many, given.seed))
        missed += _judged(found["lies"])
    command.write(given.json, found)
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
    """What of the table is not as it is to be."""
    for row in rows:
        at = row["scheme"]
        if "refused" in row:
            yield f"{at}: {row['refused']}"
        elif row["gradient_error"] > TRUE:
            yield f"{at}: an exact gradient is off by {row['gradient_error']:.1g} of itself"
        elif row["off_ms"] > MS and row["off_percent"] > PERCENT:
            yield f"{at}: rounds are off by {row['off_ms']:.2g} ms in the median"


def _judged(rows: list[Row]) -> Iterator[str]:
    """Print which lies were found; return those that were judged wrongly."""
    for place, count in Counter((row["group"], row["lie"]) for row in rows).items():
        own = [row for row in rows if (row["group"], row["lie"]) == place]
        right = sum(row["right"] for row in own)
        print(f"{place[0]:10}{place[1]:24}{right:4} of {count} judged rightly", flush=True)
        yield from (
            f"{row['lie']}, seed {row['seed']}: {row['said']}" for row in own if not row["right"]
        )


if __name__ == "__main__":
    sys.exit(main())
