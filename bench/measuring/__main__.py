"""Schemes run for real, against the clock: ``python -m bench.measuring [--part …]``.

``table``: every scheme: how far rounds are from their prediction, in how many it is the predicted
workers that are late, and how far exact gradients are from true ones. ``lies``: as often, workers
follow another law than the study's, the master sleeps, or nothing is wrong; the comparison that it
is about must find it, and no other.
``natural``: real work in place of sleep. ``grows``: overhead by length of messages and by workers.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from bench import command
from bench.measuring import lies, telling
from bench.measuring.schemes import SCHEMES

PARTS = ("table", "lies", "natural", "grows")
#: What a table may show: ms, or % of a round; by what exact gradients may be off.
MS, PERCENT, TRUE = 2.0, 3.0, 1e-12
Row = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts; 1 if ``--check`` finds less than is asked."""
    shared = ("--check", "--json", "--only", "--quick", "--seed")
    own = {"part": PARTS, "repetitions": 50}
    given = command.parse("bench.measuring", __doc__, arguments, *shared, **own)
    rounds, many = (10, 2) if given.quick else (30, given.repetitions)
    names = [name for name in SCHEMES if given.only in name]
    found: dict[str, list[Row]] = {}
    missed: list[str] = []
    for part in given.part or PARTS:
        if part == "table":
            print(f"{'':20}{'|Δ| ms':>8}{'|Δ| %':>8}{'late':>8}{'gradient':>10}")
            rows = (telling.row(name, rounds, given.seed) for name in names)
            found[part] = _printed(rows, _of_table)
            missed += _wrong(found[part])
        elif part == "lies":
            found[part] = list(lies.rows(many, given.seed))
            missed += _judged(found[part])
        else:
            found[part] = _printed(getattr(telling, part)(given.seed, rounds), _of_overhead)
    command.write(given.json, found)
    print(*missed, sep="\n", file=sys.stderr)
    return 1 if given.check and missed else 0


def _printed(rows: Iterable[Row], line: Callable[[Row], str]) -> list[Row]:
    kept = []
    for row in rows:
        print(line(row), flush=True)
        kept.append(row)
    return kept


def _of_table(row: Row) -> str:
    head = f"{row['scheme']:20}"
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
