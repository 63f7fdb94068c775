"""Parts of pictures: lines with bands, marks with bars, level lines, and what is infinite."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fastgc.report.pictures.looks import BAND, BLACK, Look
from fastgc.report.pictures.numbers import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The legend's name of a closed form.
CLOSED_FORM = "closed form"
INFINITE = "infinite (at the top)"
#: A line has at most some so many markers.
MARKERS = 12


def line(axes: Axes, numbers: Sequence[Number], look: Look, label: str = "", turn: int = 0) -> None:
    """Draw a line with markers, and a band where the numbers are uncertain.

    Where they are many, a few have markers, and others have them than in the lines of other turns.
    """
    known = _finite(axes, numbers, look)
    if not known:
        return
    x, y, low, high = zip(*known, strict=True)
    step = max(1, math.ceil(len(known) / MARKERS))
    axes.plot(x, y, label=label or None, markevery=(turn * 5 % step, step), **look.marked)
    if any(number.is_uncertain for number in known):
        axes.fill_between(x, low, high, color=look.color, alpha=BAND, linewidth=0)


def marks(
    axes: Axes, numbers: Sequence[Number], look: Look, label: str = "", *, hollow: bool = False
) -> None:
    """Draw markers with bars, which no line joins."""
    known = _finite(axes, numbers, look)
    if not known:
        return
    axes.errorbar(
        [number.x for number in known],
        [number.value for number in known],
        _lengths(known),
        fmt=look.marker,
        color=look.color,
        markerfacecolor="none" if hollow else look.color,
        capsize=1.8 if any(number.is_uncertain for number in known) else 0.0,
        elinewidth=0.8,
        label=label or None,
    )


def level(
    axes: Axes, number: Number, ends: tuple[float, float], look: Look, label: str = ""
) -> None:
    """Draw a value that is the same everywhere, with its band."""
    axes.plot(ends, [number.value] * 2, label=label or None, **look.line)
    if number.is_uncertain:
        axes.fill_between(ends, number.low, number.high, color=look.color, alpha=BAND, linewidth=0)


def theory(axes: Axes, numbers: Sequence[Number], *, alone: bool = False) -> None:
    """Draw a closed form, dotted above the curve that it should meet."""
    known = [number for number in numbers if math.isfinite(number.value)]
    if known:
        x, y, *_ = zip(*known, strict=True)
        way: dict[str, Any] = {"linestyle": "-" if alone else ":", "marker": ""}
        if len(known) == 1:
            way = {"linestyle": "", "marker": "_", "markersize": 9}
        axes.plot(x, y, color=BLACK, linewidth=0.9, label=CLOSED_FORM, zorder=4, **way)


def _finite(axes: Axes, numbers: Sequence[Number], look: Look) -> list[Number]:
    """Return the finite numbers; the others are hollow at the upper end of the axes."""
    beyond = [number.x for number in numbers if math.isinf(number.value)]
    if beyond:
        axes.plot(
            beyond,
            [0.97] * len(beyond),
            transform=axes.get_xaxis_transform(),
            marker=look.marker,
            linestyle="",
            color=look.color,
            markerfacecolor="none",
            label=INFINITE,
        )
    return [number for number in numbers if math.isfinite(number.value)]


def _lengths(numbers: Sequence[Number]) -> list[list[float]]:
    """Return the lengths of bars below and above the values, never less than nothing."""
    below = [max(0.0, number.value - number.low) for number in numbers]
    above = [max(0.0, number.high - number.value) for number in numbers]
    return [below, above]
