"""A replayed trial as text."""

from __future__ import annotations

from typing import Any

from fastgc.report.columns import columns
from fastgc.report.export import plain


def trial(found: dict[str, Any]) -> str:
    """Return a trial as text, with a line for each iteration and the columns of its kind."""
    from fastgc.experiments import KINDS  # which rows are printed without

    swept = "  ".join(f"{key}={plain(value)}" for key, value in found["point"].items())
    head = f"{found['experiment']}  {swept}".rstrip()
    table = KINDS[found["kind"]].experiment.columns(found["iterations"])
    cells = zip(*(map(_cell, column) for column in table.values()), strict=True)
    lines = columns([list(table), *cells], 2)
    return "\n".join([f"{head}, trial {found['trial']}, seed {found['seed']}", *lines])


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, list | tuple):
        return " ".join(map(_cell, value)) or "–"
    return "–" if value is None else str(value)
