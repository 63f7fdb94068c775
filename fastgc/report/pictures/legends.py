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


def legend(axes: Axes) -> None:
    """Draw the legend of what has a name, each name once."""
    handles, names = axes.get_legend_handles_labels()
    by_name = {name: handle for handle, name in zip(handles, names, strict=True) if name}
    if by_name:
        axes.legend(
            by_name.values(),
            by_name.keys(),
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=columns(list(by_name)),
        )
