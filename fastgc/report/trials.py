"""A replayed trial as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastgc.report.columns import columns
from fastgc.report.export import Rows, plain


def trial(found: dict[str, Any]) -> str:
    """Return a trial as text, with a line for each iteration."""
    swept = "  ".join(f"{key}={plain(value)}" for key, value in found["point"].items())
    head = f"{found['experiment']}  {swept}".rstrip()
    lines = {"decoding": _patterns, "completion": _rounds, "training": _curves}
    table = lines.get(found["kind"], _as_given)(found["iterations"])
    return "\n".join([f"{head}, trial {found['trial']}, seed {found['seed']}", *columns(table, 2)])


def _as_given(iterations: Rows) -> list[list[str]]:
    """Return the columns that a kind of experiment hands, as it names them."""
    names = list(dict.fromkeys(name for row in iterations for name in row))
    table = [["iteration", *(name.replace("_", " ") for name in names)]]
    for place, row in enumerate(iterations):
        table.append([str(place), *(_cell(row.get(name)) for name in names)])
    return table


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, list | tuple):
        return " ".join(map(_cell, value)) or "–"
    return "–" if value is None else str(value)


def _patterns(iterations: Rows) -> list[list[str]]:
    """Return the iterations of a decoding trial."""
    table = [["iteration", "error", "exact", "stragglers", "not accessed"]]
    for place, row in enumerate(iterations):
        table.append(
            [
                str(place),
                f"{row['error']:.9g}",
                "yes" if row["exact"] else "no",
                _listed(row["stragglers"]),
                _listed(row["not_accessed"]),
            ]
        )
    return table


def _rounds(iterations: Rows) -> list[list[str]]:
    """Return the iterations of a completion trial, with the times of the earliest workers."""
    table = [["iteration", "time", "stragglers", "earliest workers"]]
    for place, row in enumerate(iterations):
        earliest = "–"
        if row["workers"] is not None:
            firsts = [w[0] if isinstance(w, list) else w for w in row["workers"]]
            order = sorted((t, j) for j, t in enumerate(firsts) if t is not None)[:6]
            earliest = "  ".join(f"{j}: {t:.6g}" for t, j in order) or "–"
        time = "never" if row["time"] is None else f"{row['time']:.9g}"
        table.append([str(place), time, _listed(row["stragglers"]), earliest])
    return table


def _curves(iterations: Rows) -> list[list[str]]:
    """Return the curves of a training run, after 0, 1, … iterations."""
    whose = [name for name in ("stragglers", "columns") if name in iterations[0]]
    names = [name for name in iterations[0] if name not in whose]
    table = [["iterations", *names, *(f"next {name}" for name in whose)]]
    for place, row in enumerate(iterations):
        values = [row.get(name) for name in names]
        table.append([str(place), *("–" if v is None else f"{v:.9g}" for v in values)])
        table[-1] += [_listed(row.get(name)) for name in whose]
    return table


def _listed(workers: Sequence[int] | None) -> str:
    return " ".join(map(str, workers or ())) or "–"
