"""Experiments on a recorded trace, which fastgc reads from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastgc.runs.run import run


def value_on_trace(
    experiment: Mapping[str, Any],
    rows: Sequence[Sequence[float]],
    quantity: str,
    statistic: str,
    index: int | None = None,
) -> float:
    """A number of an experiment whose stragglers or times come from a table of these rows."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace.csv"
        lines = [",".join(f"worker{j}" for j in range(len(rows[0])))]
        lines += [",".join(map(repr, row)) for row in rows]
        path.write_text("\n".join(lines) + "\n")
        key = "stragglers" if "stragglers" in experiment else "latency"
        table = {**experiment[key], "file": str(path)}
        found = run({**experiment, key: table}).rows()
    wanted = (quantity, statistic, index)
    [value] = [
        row["value"]
        for row in found
        if row["method"] == "exact" and (row["quantity"], row["statistic"], row["index"]) == wanted
    ]
    return float(value)
