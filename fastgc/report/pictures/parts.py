"""Colours, lines and markers, and how numbers are drawn with their intervals.

The looks are distinct with colour blindness and in grey print: the colours of Okabe and Ito without
yellow, which is too light for a line on white.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from fastgc.report.pictures.picture import BLACK, COLOURS, GREY, Axes, matplotlib
from fastgc.results.rows import CONFIDENCE, Row
from fastgc.statistics.estimates import Estimate

#: How a curve is drawn: keywords of `Axes.plot`, at least color, linestyle and marker.
Look = dict[str, Any]

# in numbers without a common divisor: 105 curves before a look comes again
LINES = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "X", "P", "<", ">", "h", "*")
BAND = 0.22  # opacity


def looks() -> Iterator[Look]:
    """Yield looks, one a curve: of the style in force, where it has its own colours."""
    library = matplotlib()
    cycle = library.rcParams["axes.prop_cycle"]
    if cycle == library.rcParamsDefault["axes.prop_cycle"]:
        cycle = [{"color": color} for color in COLOURS]
    own = itertools.cycle(cycle)
    for line, marker in zip(itertools.cycle(LINES), itertools.cycle(MARKERS), strict=False):
        yield {"color": BLACK, "linestyle": line, "marker": marker} | next(own)


#: The legend's names of a closed form, and of marks that are hollow.
CLOSED_FORM = "closed form"
BESIDE = "sample beside it"
ASKED = "asked for"
LIMIT = "upper limit, none seen"
INFINITE = "infinite (at the edge)"
PRINTED = "printed"
#: Names that stand last in a legend.
EXPLAINED = (CLOSED_FORM, PRINTED, BESIDE, ASKED, LIMIT, INFINITE)
#: Below this share of the largest value it is what rounding leaves of a zero.
ROUNDING = 1e-12
#: A line has at most some so many markers.
MOST_MARKERS = 12


class Number(NamedTuple):
    """A value at a place, with the ends of its interval; the value itself where one is not known.

    A value that is infinite stands at its place all the same.
    """

    x: float
    value: float
    low: float
    high: float

    @property
    def is_uncertain(self) -> bool:
        """Whether its interval has a width."""
        return self.low != self.high

    @property
    def is_limit(self) -> bool:
        """Whether no trial saw the event, so that only the upper end can stand on a log axis."""
        return self.low >= 0 and self.value <= ROUNDING * self.high and self.is_uncertain


def of_estimate(estimate: Estimate, x: float = 0.0) -> Number | None:
    """Return the number of an estimate; None where there is nothing to be drawn."""
    value = estimate.value
    if value is None:
        is_infinite = (estimate.note or "").startswith("infinite")
        return Number(x, math.inf, math.inf, math.inf) if is_infinite else None
    low, high = estimate.interval(CONFIDENCE)
    return Number(x, value, value if low is None else low, value if high is None else high)


def of_rows(rows: Iterable[Row], place: Callable[[Row], float] = lambda _: 0.0) -> list[Number]:
    """Return the numbers of rows, each at its place, from left to right."""
    found = [of_estimate(row.estimate, place(row)) for row in rows]
    return sorted((each for each in found if each is not None), key=lambda number: number.x)


def line(axes: Axes, numbers: Sequence[Number], look: Look, label: str = "", turn: int = 0) -> None:
    """Draw a line with markers, and a band where the numbers are uncertain.

    Where they are many, a few have markers, and others have them than in the lines of other turns.
    """
    known = _placed(axes, numbers, look, label)
    if len(known) < 2:  # no line, no band
        marks(axes, known, look, label)
        return
    x, y, low, high = zip(*known, strict=True)
    step = max(1, math.ceil(len(known) / MOST_MARKERS))
    axes.plot(x, y, label=label or None, markevery=(turn * 5 % step, step), **look)
    if any(number.is_uncertain for number in known):
        band(axes, x, low, high, look)


def marks(
    axes: Axes,
    numbers: Sequence[Number],
    look: Look,
    label: str = "",
    *,
    hollow: bool = False,
    across: bool = False,
) -> None:
    """Draw markers with bars, which no line joins; ``across``: values to the right, places down."""
    known = _placed(axes, numbers, look, label, across)
    if not known:
        return
    x, values = [number.x for number in known], [number.value for number in known]
    # bars below and above the values, never shorter than nothing
    bars: dict[str, Any] = {
        "xerr" if across else "yerr": [
            [max(0.0, number.value - number.low) for number in known],
            [max(0.0, number.high - number.value) for number in known],
        ]
    }
    axes.errorbar(
        *((values, x) if across else (x, values)),
        **bars,
        fmt=look["marker"],
        color=look["color"],
        markerfacecolor="none" if hollow else look["color"],
        capsize=1.8 if any(number.is_uncertain for number in known) else 0.0,
        elinewidth=0.8,
        label=label or None,
    )


def band(axes: Axes, x: Any, low: Any, high: Any, look: Look, **how: Any) -> None:
    """Draw intervals as a band in a curve's colour."""
    axes.fill_between(x, low, high, color=look["color"], alpha=BAND, linewidth=0, **how)


def level(
    axes: Axes, number: Number, ends: tuple[float, float], look: Look, label: str = ""
) -> None:
    """Draw a value that is the same everywhere, with its band."""
    axes.plot(ends, [number.value] * 2, label=label or None, **look | {"marker": ""})
    if number.is_uncertain:
        band(axes, ends, number.low, number.high, look)


def theory(axes: Axes, numbers: Sequence[Number], *, alone: bool = False) -> None:
    """Draw a closed form, dotted above the curve that it should meet."""
    known = [number for number in numbers if math.isfinite(number.value)]
    if known:
        x, y, *_ = zip(*known, strict=True)
        way: dict[str, Any] = {"linestyle": "-" if alone else ":", "marker": ""}
        if len(known) == 1:
            way = {"linestyle": "", "marker": "_", "markersize": 9}
        axes.plot(x, y, color=BLACK, linewidth=0.9, label=CLOSED_FORM, zorder=4, **way)


def printed(axes: Axes, places: Sequence[tuple[float, float]], color: str = BLACK) -> None:
    """Draw numbers that a paper prints, at (x, y)."""
    if places:
        x, y = zip(*places, strict=True)
        way: dict[str, Any] = {"marker": "*", "markersize": 7, "markerfacecolor": "none"}
        axes.plot(x, y, linestyle="", color=color, label=PRINTED, zorder=5, **way)


def explain(axes: Axes, name: str, marker: str = "o") -> None:
    """Give the legend a hollow mark with a name, which stands for those of all colours."""
    axes.plot([], [], marker, color=GREY, markerfacecolor="none", label=name)


def _placed(
    axes: Axes, numbers: Sequence[Number], look: Look, label: str, across: bool = False
) -> list[Number]:
    """Draw what has no place on the axis, hollow; return the other numbers.

    What is infinite stands at its edge, and at the upper end of its interval what no trial saw.
    """
    beyond = [number.x for number in numbers if math.isinf(number.value)]
    way = look | {"linestyle": "", "markerfacecolor": "none"}
    if beyond:
        edge = [0.97] * len(beyond)
        places = (edge, beyond) if across else (beyond, edge)
        only = axes.get_yaxis_transform() if across else axes.get_xaxis_transform()
        axes.plot(*places, transform=only, label=INFINITE, **way)
    known = [number for number in numbers if math.isfinite(number.value)]
    scale = axes.get_xscale() if across else axes.get_yscale()
    if scale == "linear" or not any(number.is_limit for number in known):
        return known
    x, high = zip(*((each.x, each.high) for each in known if each.is_limit), strict=True)
    explain(axes, LIMIT, "<" if across else "v")
    if len(x) == len(known) and label:  # there is nothing else to name
        way["label"] = label
    axes.plot(*((high, x) if across else (x, high)), **way | {"marker": "<" if across else "v"})
    return [number for number in known if not number.is_limit]
