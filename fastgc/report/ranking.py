"""A ranking of systems as text."""

from __future__ import annotations

import math

from fastgc.report.columns import columns
from fastgc.results.ranking import Ranking
from fastgc.results.rows import EXACT


def design(found: Ranking) -> str:
    """Return the systems in order, the least time for each load, and notes."""
    percent = f"{100 * found.confidence:g} %"
    table = [["", "system", found.goal, f"{percent} interval", "load", "messages", "method", ""]]
    for place, choice in enumerate(found, 1):
        table.append(
            [
                str(place),
                choice.name,
                _seconds(choice.value),
                "" if choice.method == EXACT else f"[{choice.low:.6g}, {choice.high:.6g}]",
                f"{choice.load:.4g}",
                f"{choice.messages:.4g}",
                choice.method,
                choice.note,
            ]
        )
    sure = f"certainly, at {percent}," if found.separated else "not certainly"
    lines = [*columns(table), "", f"The first is {sure} the best of all that were looked at."]
    lines += ["", "load against time: the fastest for each load"]
    entries = [["load", found.goal, "system"]]
    for choice in found.front:
        entries.append([f"{choice.load:.4g}", _seconds(choice.value), choice.name])
    lines += columns(entries, indent=2)
    if found.notes:
        lines += ["", *found.notes]
    return "\n".join(lines)


def _seconds(value: float) -> str:
    return f"{value:.6g}" if math.isfinite(value) else "infinite"
