"""Words for rows: which number it is, at which point, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastgc.report import wording
from fastgc.report.document import Interval, Number
from fastgc.results.rows import LOWER_BOUND
from fastgc.theory.papers.claim import Case

Data = dict[str, Any]

_UNITS = {"seconds": "s", "seconds^2": "s²"}  # others stand in full


def quantity(row: Data, kind: str = "") -> str:
    """Return which number a row has, in words: ``mean error``; ``kind`` is its experiment's."""
    case = Case({}, 0.0, {"kind": kind}, row["quantity"], row["statistic"], row["index"])
    return wording.quantity(case)


def unit(row: Data) -> str:
    """Return a row's unit as it stands behind numbers; nothing where there is none."""
    own = row.get("unit")
    return "" if own in (None, "1") else _UNITS.get(str(own), str(own).replace("^2", "²"))


def point(values: Mapping[str, Any]) -> str:
    """Return swept keys with their values: ``stragglers.p = 0.1, code.d = 2``."""
    return ", ".join(f"{key} = {setting(value)}" for key, value in values.items())


def setting(value: Any) -> str:
    """Return the value of a swept key; of a member its name with its parameters."""
    return wording.point({"": value}).removeprefix("=")


def value(row: Data) -> str:
    """Return a row's value and how sure it is, in words."""
    if row["value"] is None:
        return f"not known ({row['note']})" if row.get("note") else "not known"
    behind = f" {unit(row)}" if unit(row) else ""
    said = f"{Number(row['value'], row['standard_error'])}{behind}"
    if row["method"] == LOWER_BOUND:
        return f"at least {said}"
    if row["trials"] is None:
        return f"{said} (exact)"
    if row["low"] is None and row["high"] is None:
        return said
    return f"{said} (95 % interval {Interval(row['low'], row['high'])})"
