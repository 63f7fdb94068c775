"""Names from above to below, each with a mark and its interval on a common axis."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastgc.report.pictures.looks import BLACK, Look, looks
from fastgc.report.pictures.numbers import Number
from fastgc.report.pictures.parts import CLOSED_FORM
from fastgc.report.pictures.picture import LINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Letters of a name that are shown.
LONGEST = 34


@dataclass(frozen=True)
class Dot:
    """A name with what is drawn beside it.

    Attributes
    ----------
    name : str
    number : Number or None
        Its value and interval; x plays no part. None where there is none.
    look : Look or int
        A look, or the number of one of the style's.
    hollow : bool
        Whether the mark is not filled.
    group : str
        What the legend calls marks of this look; nothing by default.
    theory : float or None
        A closed form, drawn as a stroke.
    """

    name: str
    number: Number | None
    look: Look | int
    hollow: bool = False
    group: str = ""
    theory: float | None = None


def height(dots: Sequence[Dot]) -> float:
    """Return the height that so many names and the axis below them take, in inches."""
    return 0.62 + LINE * 1.12 * max(3, len(dots))


def brief(name: str) -> str:
    """Return a name that is not too long for half of a column."""
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST // 2]}…{name[-LONGEST // 2 + 1 :]}"


def draw(axes: Axes, dots: Sequence[Dot]) -> None:
    """Draw the names and their marks, the first at the top."""
    known = list(itertools.islice(looks(), 7))
    own = [known[dot.look] if isinstance(dot.look, int) else dot.look for dot in dots]
    for place, dot in enumerate(dots):
        if dot.number is not None and math.isfinite(dot.number.value):
            _mark(axes, place, dot, dot.number, own[place])
        if dot.theory is not None and math.isfinite(dot.theory):
            line: dict[str, Any] = {"marker": "|", "markersize": 8, "linestyle": ""}
            axes.plot([dot.theory], [place], color=BLACK, label=CLOSED_FORM, zorder=4, **line)
    axes.set_yticks(range(len(dots)), [brief(dot.name) for dot in dots])
    axes.set_ylim(max(2.5, len(dots) - 0.5), -0.5)
    axes.locator_params(axis="x", nbins=5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    for place, dot in enumerate(dots):
        if dot.number is not None and math.isinf(dot.number.value):
            across = axes.get_yaxis_transform()
            axes.plot(
                [0.98], [place], ">", transform=across, color=own[place].color, label="infinite"
            )


def _mark(axes: Axes, place: int, dot: Dot, number: Number, look: Look) -> None:
    below, above = max(0.0, number.value - number.low), max(0.0, number.high - number.value)
    axes.errorbar(
        [number.value],
        [place],
        xerr=[[below], [above]],
        fmt=look.marker,
        color=look.color,
        markerfacecolor="none" if dot.hollow else look.color,
        capsize=1.8 if number.is_uncertain else 0.0,
        elinewidth=0.9,
        label=dot.group or None,
    )
