"""Rows of results as people read them: a line for each road to a number, and what tells nothing."""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from fastgc.registry.counts import spaced
from fastgc.report.export import Rows
from fastgc.report.numbers import failures, number

#: A measure with more entries than this is shown by a few of them, from the first to the last, its
#: variance by the last alone; ``--json`` and ``--csv`` have everything.
LONGEST_VECTOR = 24
STEPS = 10
#: Measures whose mean is a probability.
PROBABILITIES = ("exact", "decodable", "survivors", "reached", "diverged")
#: A minimum below it, a squared residual that should be 0, is rounding.
ROUNDING = 1e-24
_LIKELY = 0.999  # a probability above it is told by that of its failure


@dataclass(frozen=True)
class Entry:
    """One row as text.

    Attributes
    ----------
    label : str
        Quantity, index and statistic.
    method, value, interval, remark : str
        ``interval`` is empty where the value is exact.
    """

    label: str
    method: str = ""
    value: str = ""
    interval: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Block:
    """What there is to say of one point.

    Attributes
    ----------
    experiment : str
    point : dict
    trials : int or None
        Those of every sampled row, if they are the same.
    entries : list of Entry
    left_out : int
        Rows that tell nothing.
    """

    experiment: str
    point: dict[str, Any]
    trials: int | None
    entries: list[Entry]
    left_out: int


def blocks(rows: Rows) -> list[Block]:
    """Return what there is to say of each point, in the rows' order."""
    points: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        points.setdefault((row["experiment"], json.dumps(row["point"])), []).append(row)
    return [_block(own) for own in points.values()]


def _block(rows: Rows) -> Block:
    constant = {_number(row) for row in rows if _is_spread_of_nothing(row)}
    telling = [row for row in rows if not _tells_nothing(row, constant)]
    sampled = {row["trials"] for row in telling if row["trials"]}
    trials = sampled.pop() if len(sampled) == 1 else None
    statistics: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in telling:
        statistics.setdefault((row["quantity"], row["statistic"]), []).append(row)
    entries: list[Entry] = []
    for (_, statistic), own in statistics.items():
        own.sort(key=lambda row: -1 if row["index"] is None else row["index"])
        shown = spread(own, STEPS if statistic != "variance" else 0)
        entries += [_entry(row, trials) for row in shown]
        if len(shown) < len(own):
            left = len({row["index"] for row in own}) - len({row["index"] for row in shown})
            entries.append(Entry(f"… {left} more entries: --csv"))
    first = rows[0]
    return Block(first["experiment"], first["point"], trials, entries, len(rows) - len(telling))


def _number(row: dict[str, Any]) -> tuple[str, int | str | None]:
    return row["quantity"], row["index"]


def _is_spread_of_nothing(row: dict[str, Any]) -> bool:
    return (row["statistic"], row["method"], row["value"]) == ("variance", "exact", 0)


def _tells_nothing(row: dict[str, Any], constant: Container[tuple[str, int | str | None]]) -> bool:
    """Whether a row says no more than others: a minimum of 0, the spread of what is constant."""
    if row["statistic"] == "minimum" and row["value"] is not None and 0 <= row["value"] < ROUNDING:
        return True
    return row["statistic"] not in ("mean", "ratio") and _number(row) in constant


def _entry(row: dict[str, Any], trials: int | None) -> Entry:
    place = "" if row["index"] is None else f"[{row['index']}]"
    remark = row.get("note") or ""
    if row["trials"] and row["trials"] != trials:
        remark = f"{spaced(row['trials'])} trials" + (remark and f", {remark}")
    elif row["method"] == "closed-form" and row["claim"]:
        remark = str(row["claim"])
    label = f"{row['quantity']}{place} {row['statistic']}"
    return Entry(label, row["method"], shown(row), _interval(row), remark)


def shown(row: dict[str, Any]) -> str:
    """Return a row's value with its standard error; a probability near 1 by its failures."""
    return (failures if _is_likely(row) else number)(row["value"], row["standard_error"])


def _is_likely(row: dict[str, Any]) -> bool:
    return row["value"] is not None and _LIKELY <= row["value"] < 1 and _is_probability(row)


def _interval(row: dict[str, Any]) -> str:
    """The interval of what was sampled or bounded; an end that is not known is an ellipsis."""
    ends = row["low"], row["high"]
    if ends == (None, None) or (row["trials"] is None and ends[0] == ends[1]):
        return ""
    if _is_likely(row) and None not in ends:
        return f"[1 − {1 - ends[0]:.2g}, {f'1 − {1 - ends[1]:.2g}' if ends[1] < 1 else '1'}]"
    low, high = ("…" if end is None else f"{end:.6g}" for end in ends)
    return f"[{low}, {high}]"


def _is_probability(row: dict[str, Any]) -> bool:
    if row["statistic"] == "mean":
        return row["quantity"] in PROBABILITIES
    return bool(row["statistic"].startswith("P("))


def spread(rows: Rows, steps: int) -> Rows:
    """Return all rows, or those of a few indices where a measure has very many."""
    places = sorted({row["index"] for row in rows if isinstance(row["index"], int)})
    if len(places) <= LONGEST_VECTOR:
        return rows
    last = len(places) - 1
    kept = {places[last]} | {places[round(step * last / steps)] for step in range(steps)}
    return [row for row in rows if row["index"] in kept]
