"""A checkpoint in a line: when it was written, how far its run was, and what it knew least."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from fastgc.registry.numbers import spaced
from fastgc.report.numbers import number
from fastgc.results.rows import MONTE_CARLO
from fastgc.results.stored import StoredRun


def written(stored: StoredRun) -> datetime:
    """Return when a file was written, in local time."""
    return datetime.fromisoformat(stored.provenance["written"]).astimezone()


def checkpoint(stored: StoredRun) -> str:
    """Return a checkpoint in a line."""
    done = sum(unit.stopped_by is not None for unit in stored.units)
    kind = "points" if stored.study else "experiments"
    total = len(stored.units)
    parts = [f"{done} of {total} {kind} sampled" if stored.study else f"{total} {kind} begun"]
    parts.append(f"{spaced(sum(unit.trials for unit in stored.units))} trials")
    worst = max(_means(stored.rows), key=_spread, default=None)
    if worst is not None:
        swept = " ".join(f"{key}={value}" for key, value in worst["point"].items())
        place = f"{worst['experiment']} {swept}".strip()
        value = number(worst["value"], worst["standard_error"])
        parts.append(f"least certain: {worst['quantity']} {value} of {place}")
    return f"{written(stored).isoformat(' ', 'seconds')[:19]} {', '.join(parts)}"


def _means(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means of single numbers that were sampled, and are not 0."""
    return [
        row
        for row in rows
        if (row["method"], row["statistic"], row["index"]) == (MONTE_CARLO, "mean", None)
        and row["value"]
        and row["standard_error"]
    ]


def _spread(row: dict[str, Any]) -> float:
    spread: float = row["standard_error"] / abs(row["value"])
    return spread
