"""Which experiment has the least, or of probabilities of success the largest, in words."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence

from fastgc.report.pages import words
from fastgc.report.pages.words import Data
from fastgc.results.rows import Row, growth

#: To which exact values are good: what differs by less is the same.
EXACT_TO = 1e-9
_MORE_IS_BETTER = ("exact", "decodable", "reached")
#: Partitions of the code by experiment and point.
Partitions = Mapping[tuple[str, str], int]


def partitions_of(rows: Sequence[Row]) -> dict[tuple[str, str], int]:
    """Return how many partitions the code of each point has, where errors are measured."""
    return {
        (row.experiment, json.dumps(row.point, sort_keys=True)): row.partitions
        for row in rows
        if row.partitions is not None
    }


def number_of(row: Data, partitions: Partitions) -> int | None:
    """Return how many partitions the code behind a row has, where that is known."""
    return partitions.get((row["experiment"], _place(row)))


def below(left: Data, right: Data) -> bool:
    """Return whether one interval lies below the other, and not only by rounding."""
    if left["high"] is None or right["low"] is None or alike(left, right):
        return False
    return bool(left["high"] < right["low"])


def alike(left: Data, right: Data) -> bool:
    """Return whether two values are the same, but for what the last digits of exact ones say."""
    exact = left["trials"] is None and right["trials"] is None
    return math.isclose(left["value"], right["value"], rel_tol=EXACT_TO if exact else 0.0)


def all_of(points: int) -> str:
    """Return a number of points in words."""
    return "both" if points == 2 else f"all {points}"


def compared(
    firsts: Sequence[Sequence[Data]], kinds: dict[str, str], partitions: Partitions
) -> Iterator[str]:
    """Yield a sentence on experiments that measure the same at the same points.

    Errors of codes that have not as many partitions are compared per partition.

    Parameters
    ----------
    firsts : sequence of sequences of dict
        Of each experiment the rows of one number, one a point.
    kinds : dict
        Kind of each experiment by its name.
    partitions : mapping
        As `partitions_of` gives them.
    """
    groups: dict[str, list[Sequence[Data]]] = {}
    for rows in firsts:
        keys = ("quantity", "statistic", "index")
        shared = [[rows[0][key] for key in keys], sorted(map(_place, rows))]
        groups.setdefault(json.dumps(shared), []).append(rows)
    for group in groups.values():
        if len(group) > 1:
            names = [rows[0]["experiment"] for rows in group]
            among = "" if len(group) == len(firsts) else f"Of {_listed(names)}: "
            what = words.quantity(group[0][0], kinds[names[0]])
            counts = sorted({number_of(row, partitions) or 0 for rows in group for row in rows})
            power = growth(group[0][0]["quantity"], group[0][0]["statistic"])
            if not _differ(group, partitions) or power == 0:
                yield from _best(group, what, among)
            elif power is None:
                have = f"codes have {_listed(list(map(str, counts)))} partitions"
                yield f"{among}{what} is not compared, for the {have}."
            else:
                each = [[_divided(row, power, partitions) for row in rows] for rows in group]
                divided = "per partition" if power == 1 else f"÷ k^{power:g}, of k partitions"
                yield from _best(each, f"{what} {divided}", among)


def _differ(group: Sequence[Sequence[Data]], partitions: Partitions) -> bool:
    """Whether codes have another number of partitions somewhere at the same point."""
    found: dict[str, set[int | None]] = {}
    for rows in group:
        for row in rows:
            found.setdefault(_place(row), set()).add(number_of(row, partitions))
    return any(len(numbers) > 1 and None not in numbers for numbers in found.values())


def _divided(row: Data, power: float, partitions: Partitions) -> Data:
    """A row divided by what it grows with, where its value is known."""
    scale = float(number_of(row, partitions) or 1) ** power
    keys = ("value", "low", "high")
    return row | {key: None if row[key] is None else row[key] / scale for key in keys}


def _best(group: Sequence[Sequence[Data]], what: str, among: str) -> Iterator[str]:
    """Who is the first at each point, and at how many of them that is certain."""
    most = group[0][0]["quantity"] in _MORE_IS_BETTER
    sure, wins = 0, list[str]()
    for place in map(_place, group[0]):
        there = [row for rows in group for row in rows if _place(row) == place]
        if any(row["value"] is None for row in there):
            continue
        first = (max if most else min)(there, key=lambda row: row["value"])
        ties = [row for row in there if alike(row, first)]
        others = [row for row in there if row not in ties]
        wins.append(_listed([row["experiment"] for row in ties]))
        sure += all(below(row, first) if most else below(first, row) for row in others)
    if wins:
        said = f"{'largest' if most else 'least'} {what}: "
        reach = f"no other interval reaches so {'high' if most else 'low'}"
        said = f"{among}{said}{_at_points(wins)}; {_certainty(len(wins), sure, reach)}."
        yield said[0].upper() + said[1:]


def _at_points(wins: Sequence[str]) -> str:
    if len(wins) == 1:
        return wins[0]
    counts = {name: wins.count(name) for name in dict.fromkeys(wins)}
    if len(counts) == 1:
        return f"{wins[0]} at {all_of(len(wins))} points"
    parts = ", ".join(f"{name} at {count}" for name, count in counts.items())
    return f"{parts} of {len(wins)} points"


def _certainty(points: int, sure: int, reach: str) -> str:
    if sure == points:
        return reach
    return f"at {sure} of them {reach}" if sure else "but intervals overlap"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _place(row: Data) -> str:
    return json.dumps(row["point"], sort_keys=True)
