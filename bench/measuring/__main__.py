"""Schemes run for real, against the clock: ``python -m bench.measuring [--part …]``.

``table``: every scheme on processes, on ranks of MPI and on workers of Dask: how far rounds are
from their prediction, in how many it is the predicted workers that are late, and how far exact
gradients are from true ones. ``lies``: as often, workers follow another law than the study's, the
master sleeps, or nothing is wrong; the comparison that it is about must find it, and no other.
``coverage``: intervals of the mean round, from the rounds before, hold it in 90 … 99 % of cases.
``natural``: real work in place of sleep. ``grows``: overhead by length of messages and by workers.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from bench import command
from bench.measuring import carriers, lies, others
from bench.measuring.schemes import SCHEMES

PARTS, CARRIERS = ("table", "lies", "coverage", "natural", "grows"), ("processes", "mpi", "dask")
#: What a table on processes may show: ms, or % of a round; by what exact gradients may be off.
MS, PERCENT, TRUE = 2.0, 3.0, 1e-12
Row = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts; 1 if ``--check`` finds less than is asked."""
    shared = ("--check", "--json", "--only", "--quick", "--seed")
    times = {"type": int, "help": "measurements of lies and coverage"}
    own = {"part": PARTS, "executor": CARRIERS, "repetitions": times}
    given = command.parse("bench.measuring", __doc__, arguments, *shared, **own)
    many, seed = given.repetitions or (2 if given.quick else 50), given.seed
    rounds = 10 if given.quick else 30
    names = [name for name in SCHEMES if given.only in name]
    found: dict[str, list[Row]] = {part: [] for part in given.part or PARTS}
    missed: list[str] = []
    for part, kept in found.items():
        if part == "table":
            print(f"{'':30}{'|Δ| ms':>8}{'|Δ| %':>8}{'late':>8}{'gradient':>10}")
            for executor in given.executor or CARRIERS:
                kept += _printed(carriers.rows(executor, names, rounds, seed), _of_table)
            missed += _wrong(kept)
        elif part == "lies":
            kept += lies.rows(many, seed)
            missed += _judged(kept)
        elif part == "coverage":
            kept += others.coverage(2 * many, seed)
            missed += _covered(kept)
        else:
            kept += _printed(getattr(others, part)(seed, rounds), _of_overhead)
    command.write(given.json, found)
    print(*missed, sep="\n", file=sys.stderr)
    return 1 if given.check and missed else 0


def _printed(rows: Iterable[Row], line: Callable[[Row], str]) -> Iterator[Row]:
    for row in rows:
        print(line(row), flush=True)
        yield row


def _of_table(row: Row) -> str:
    head = f"{row['scheme']:20}{row['carrier']:10}"
    if "refused" in row:
        return f"{head}refused: {row['refused']}"
    error = f"{row['gradient_error']:.0e}" if row["exact_rounds"] else "–"
    said = ", ".join(f"{name} {verdict}" for name, verdict in row["verdicts"].items())
    numbers = f"{row['off_ms']:8.2f}{row['off_percent']:8.2f}{row['late_as_predicted']:8.0%}"
    return f"{head}{numbers}{error:>10}  {said}"


def _of_overhead(row: Row) -> str:
    parts = f"carrying {row['carrying_ms']:7.2f} ms, decoding {row['decoding_ms']:6.2f} ms"
    held = row["verdicts"]["structure"]
    return f"{row['what']:24}{row['of']:8}  own {row['own_ms']:6.2f} ms  {parts}; structure {held}"


def _wrong(rows: list[Row]) -> Iterator[str]:
    """What of the table is not as it is to be."""
    for row in rows:
        at = f"{row['scheme']} on {row['carrier']}"
        if "refused" in row:
            yield f"{at}: {row['refused']}"
        elif row["gradient_error"] > TRUE:
            yield f"{at}: an exact gradient is off by {row['gradient_error']:.1g} of itself"
        elif row["carrier"] == CARRIERS[0] and row["off_ms"] > MS and row["off_percent"] > PERCENT:
            yield f"{at}: rounds are off by {row['off_ms']:.2g} ms in the median"


def _judged(rows: list[Row]) -> Iterator[str]:
    """Print which lies were found; return those that were judged wrongly."""
    counts = Counter((row["group"], row["lie"], row["right"]) for row in rows)
    for group, lie in dict.fromkeys((row["group"], row["lie"]) for row in rows):
        right, wrong = counts[group, lie, True], counts[group, lie, False]
        print(f"{group:10}{lie:24}{right:4} of {right + wrong} judged rightly", flush=True)
    yield from (
        f"{row['lie']}, seed {row['seed']}: {row['said']}" for row in rows if not row["right"]
    )


def _covered(rows: list[Row]) -> Iterator[str]:
    """Print how often intervals hold; return where that is too seldom, or too often."""
    for kind, rounds in dict.fromkeys((row["kind"], row["rounds"]) for row in rows):
        own = [row["holds"] for row in rows if (row["kind"], row["rounds"]) == (kind, rounds)]
        said = f"{kind}, {rounds} rounds: {sum(own)} of {len(own)} intervals hold"
        print(said, flush=True)
        if not others.WANTED[0] <= sum(own) / len(own) <= others.WANTED[1]:
            yield said


if __name__ == "__main__":
    sys.exit(main())
