"""Legends above the axes, which cover nothing and are not cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fastgc.report.pictures.picture import LINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Letters of a legend's font, and those that a line and its space take, in a column's width.
_LETTERS, _HANDLE = 56, 8


def columns(names: Sequence[str]) -> int:
    """Return in how many columns names fit side by side."""
    longest = max(map(len, names), default=0) + _HANDLE
    fitting = max(1, min(len(names), _LETTERS // longest))
    lines = math.ceil(len(names) / fitting) if names else 1
    return math.ceil(len(names) / lines) if names else 1


def height(names: Sequence[str]) -> float:
    """Return what the legend of these names takes above the axes, in inches."""
    known = _named(names)
    return 0.05 + LINE * math.ceil(len(known) / columns(known)) if known else 0.0


def _named(names: Sequence[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name and not name.startswith("_")]


def legend(axes: Axes, last: Sequence[str] = ()) -> None:
    """Draw the legend of what has a name, each name once; those of ``last`` come last."""
    handles, names = axes.get_legend_handles_labels()
    known = sorted(zip(names, handles, strict=True), key=lambda each: each[0] in last)
    by_name = {name: handle for name, handle in reversed(known) if name}
    by_name = dict(reversed(by_name.items()))
    if by_name:
        axes.legend(
            by_name.values(),
            by_name.keys(),
            loc="lower right",  # a wide one has the room above the names of ticks, too
            bbox_to_anchor=(1.0, 1.0),
            ncols=columns(list(by_name)),
        )
