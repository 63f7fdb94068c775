"""How numbers with intervals are drawn on axes: looks, marks, lines, scales and legends.

The looks are distinct with colour blindness and in grey print: the colours of Okabe and Ito without
yellow, which is too light for a line on white.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from fastgc.report.pictures import words
from fastgc.report.pictures.picture import (
    BLACK,
    COLOURS,
    COLUMN,
    GREY,
    HEIGHT,
    LINE,
    Axes,
    Picture,
    matplotlib,
)
from fastgc.results.rows import CONFIDENCE, Row
from fastgc.statistics.estimates import Estimate

#: How a curve is drawn: keywords of `Axes.plot`, at least color, linestyle and marker.
Look = dict[str, Any]
Way = Literal["x", "y"]

# in numbers without a common divisor: 105 curves before a look comes again
LINES = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "X", "P", "<", ">", "h", "*")
BAND = 0.22  # opacity

#: The legend's names of what is no curve; they stand last in it.
CLOSED_FORM = "closed form"
PRINTED = "printed"
BESIDE = "sample beside it"
ASKED = "asked for"
LIMIT = "upper limit, none seen"
INFINITE = "infinite (at the edge)"
EXPLAINED = (CLOSED_FORM, PRINTED, BESIDE, ASKED, LIMIT, INFINITE)
#: Below this share of the largest value it is what rounding leaves of a zero: of an event that no
#: trial saw, and of any value on an axis.
ROUNDING, AXIS_ROUNDING = 1e-12, 1e-24
#: A line has at most some so many markers.
MOST_MARKERS = 12
#: What spans so much is shown by decades.
DECADES = 1.7
#: An axis with a smaller ratio of its ends has ticks between decades, too, and plain numbers.
FEW_DECADES = 150.0
#: So many powers of ten are named on an axis below, and beside.
_NAMED = {"x": 5, "y": 8}
#: Letters of a legend's font in a column's width, and those that a line and its space take.
_LETTERS, _HANDLE = 58, 6


def looks() -> Iterator[Look]:
    """Yield looks, one a curve: of the style in force, where it has its own colours."""
    library = matplotlib()
    cycle = library.rcParams["axes.prop_cycle"]
    if cycle == library.rcParamsDefault["axes.prop_cycle"]:
        cycle = [{"color": color} for color in COLOURS]
    own = itertools.cycle(cycle)
    for line, marker in zip(itertools.cycle(LINES), itertools.cycle(MARKERS), strict=False):
        yield {"color": BLACK, "linestyle": line, "marker": marker} | next(own)


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


def number(estimate: Estimate, x: float = 0.0) -> Number | None:
    """Return the number of an estimate; None where there is nothing to be drawn."""
    value = estimate.value
    if value is None:
        is_infinite = (estimate.note or "").startswith("infinite")
        return Number(x, math.inf, math.inf, math.inf) if is_infinite else None
    low, high = estimate.interval(CONFIDENCE)
    return Number(x, value, value if low is None else low, value if high is None else high)


def numbers(rows: Iterable[Row], place: Callable[[Row], float] = lambda _: 0.0) -> list[Number]:
    """Return the numbers of rows, each at its place, from left to right."""
    found = [number(row.estimate, place(row)) for row in rows]
    return sorted((each for each in found if each is not None), key=lambda each: each.x)


def line(axes: Axes, given: Sequence[Number], look: Look, label: str = "", turn: int = 0) -> None:
    """Draw a line with markers, and a band where the numbers are uncertain.

    Where they are many, a few have markers, and others have them than in the lines of other turns.
    """
    known = _placed(axes, given, look, label)
    if len(known) < 2:  # no line, no band
        marks(axes, known, look, label)
        return
    x, y, low, high = zip(*known, strict=True)
    step = max(1, math.ceil(len(known) / MOST_MARKERS))
    axes.plot(x, y, label=label or None, markevery=(turn * 5 % step, step), **look)
    if any(each.is_uncertain for each in known):
        band(axes, x, low, high, look)


def marks(
    axes: Axes,
    given: Sequence[Number],
    look: Look,
    label: str = "",
    *,
    hollow: bool = False,
    across: bool = False,
) -> None:
    """Draw markers with bars, which no line joins; ``across``: values to the right, places down."""
    known = _placed(axes, given, look, label, across)
    if not known:
        return
    x, values = [each.x for each in known], [each.value for each in known]
    below = [max(0.0, each.value - each.low) for each in known]
    above = [max(0.0, each.high - each.value) for each in known]
    bars: dict[str, Any] = {"xerr" if across else "yerr": [below, above]}
    axes.errorbar(
        *((values, x) if across else (x, values)),
        **bars,
        fmt=look["marker"],
        color=look["color"],
        markerfacecolor="none" if hollow else look["color"],
        capsize=1.8 if any(each.is_uncertain for each in known) else 0.0,
        elinewidth=0.8,
        label=label or None,
    )


def band(axes: Axes, x: Any, low: Any, high: Any, look: Look, **how: Any) -> None:
    """Draw intervals as a band in a curve's colour."""
    axes.fill_between(x, low, high, color=look["color"], alpha=BAND, linewidth=0, **how)


def theory(axes: Axes, given: Sequence[Number], *, alone: bool = False) -> None:
    """Draw a closed form, dotted above the curve that it should meet."""
    known = [each for each in given if math.isfinite(each.value)]
    if known:
        x, y, *_ = zip(*known, strict=True)
        way: dict[str, Any] = {"linestyle": "-" if alone else ":", "marker": ""}
        if len(known) == 1:
            way = {"linestyle": "", "marker": "_", "markersize": 9}
        axes.plot(x, y, color=BLACK, linewidth=0.9, label=CLOSED_FORM, zorder=4, **way)


def stars(axes: Axes, places: Sequence[tuple[float, float]], color: str = BLACK) -> None:
    """Draw numbers that a paper prints, at (x, y)."""
    if places:
        x, y = zip(*places, strict=True)
        way: dict[str, Any] = {"marker": "*", "markersize": 7, "markerfacecolor": "none"}
        axes.plot(x, y, linestyle="", color=color, label=PRINTED, zorder=5, **way)


def explain(axes: Axes, name: str, marker: str = "o") -> None:
    """Give the legend a hollow mark with a name, which stands for those of all colours."""
    axes.plot([], [], marker, color=GREY, markerfacecolor="none", label=name)


def _placed(
    axes: Axes, given: Sequence[Number], look: Look, label: str, across: bool = False
) -> list[Number]:
    """Draw what has no place on the axis, hollow; return the other numbers.

    What is infinite stands at its edge, and at the upper end of its interval what no trial saw.
    """
    beyond = [each.x for each in given if math.isinf(each.value)]
    way = look | {"linestyle": "", "markerfacecolor": "none"}
    if beyond:
        edge = [0.97] * len(beyond)
        only = axes.get_yaxis_transform() if across else axes.get_xaxis_transform()
        places = (edge, beyond) if across else (beyond, edge)
        axes.plot(*places, transform=only, label=INFINITE, **way)
    known = [each for each in given if math.isfinite(each.value)]
    scale = axes.get_xscale() if across else axes.get_yscale()
    unseen = [each for each in known if each.is_limit]
    if scale == "linear" or not unseen:
        return known
    explain(axes, LIMIT, "<" if across else "v")
    if len(unseen) == len(known) and label:  # there is nothing else to name
        way["label"] = label
    x, high = [each.x for each in unseen], [each.high for each in unseen]
    axes.plot(*((high, x) if across else (x, high)), **way | {"marker": "<" if across else "v"})
    return [each for each in known if not each.is_limit]


def scale_for(
    axes: Axes, given: Iterable[Number], way: Way = "y", decades: float = DECADES
) -> None:
    """Choose the scale of an axis before numbers are drawn on it.

    By decades, an event that no trial saw is drawn as an upper limit, and a bar that ends at 0
    leaves the picture, so neither makes room for a 0.
    """
    known = [each for each in given if math.isfinite(each.value)]
    seen = [
        end
        for each in known
        for end in each[3 if each.is_limit else 1 :]
        if end > 0 or end == each.value
    ]
    if scale_of(axes, seen, way, decades) == "linear":
        scale_of(axes, [end for each in known for end in each[1:]], way, math.inf)


def scale_of(axes: Axes, values: Iterable[float], way: Way = "y", decades: float = DECADES) -> str:
    """Choose the scale of an axis by its values, and return its name.

    Values over decades are shown by decades; where there are zeros, too, the axis is linear from 0
    to below the smallest value, so that they are seen.
    """
    known = [value for value in values if math.isfinite(value)]
    most = max(map(abs, known), default=0.0)
    above = [value for value in known if value > AXIS_ROUNDING * most]
    by_decades = bool(above) and math.log10(max(above) / min(above)) >= decades
    if not by_decades or min(known) < -AXIS_ROUNDING * most:
        # from 0 where that leaves the values enough of the axis
        least = min(known, default=0.0)
        if most > 0 and (0 <= least <= 0.5 * most or least == most):
            axes.set(**{f"{way}lim": (0.0, most * 1.06)})
        return "linear"
    if len(above) == len(known):
        by_powers(axes, way, max(above) / min(above))
        return "log"
    least = 10.0 ** math.floor(math.log10(min(above)))
    room = 0.3 + math.log10(max(above) / least) / 8  # of the linear part, in decades
    set_scale = axes.set_xscale if way == "x" else axes.set_yscale
    set_scale("symlog", linthresh=least, linscale=room)
    axes.set(**{f"{way}lim": (0.0 - 0.08 * least, 10 ** math.ceil(math.log10(most * 1.05)))})
    powers = math.log10(most / least)
    if powers >= _NAMED[way]:
        step = math.ceil((powers + 2) / _NAMED[way])
        ticks = [0.0, *(least * 10.0**i for i in range(0, math.ceil(powers) + 1, step))]
        axes.set(**{f"{way}ticks": ticks})
    return "symlog"


def by_powers(axes: Axes, way: Way, ratio: float) -> None:
    """Make an axis logarithmic; where its ends have a small ratio, 1, 2 and 5 are named, too."""
    ticker = matplotlib("ticker")
    axes.set(**{f"{way}scale": "log"})
    axis = axes.xaxis if way == "x" else axes.yaxis
    axis.set_major_locator(ticker.LogLocator(numticks=_NAMED[way]))
    if ratio < FEW_DECADES:
        axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
        axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(ticker.NullFormatter())


def made(
    kind: str,
    said: Sequence[str],
    draw: Callable[[Axes], None],
    names: Sequence[str] = (),
    height: float = HEIGHT,
    title: str = "",
) -> Picture:
    """Return the picture whose caption are the sentences ``said``.

    Where it has names, what is drawn has a legend above the axes, where it covers nothing and is
    not cut. Without a ``title`` it is the first sentence.
    """
    known = [name for name in dict.fromkeys(names) if name]
    if known:
        height += 0.05 + LINE * math.ceil(len(known) / _columns(known))

    def drawn(axes: Axes) -> None:
        draw(axes)
        if known:
            _legend(axes)

    caption = " ".join(map(words.sentence, said))
    return Picture(kind, title or said[0], caption, drawn, (COLUMN, height))


def _columns(names: Sequence[str]) -> int:
    """Return in how many columns the names of a legend fit side by side."""
    fitting = max(1, min(len(names), _LETTERS // (max(map(len, names)) + _HANDLE)))
    return math.ceil(len(names) / math.ceil(len(names) / fitting))


def _legend(axes: Axes) -> None:
    """Draw each name once, and last those that explain marks."""
    handles, names = axes.get_legend_handles_labels()
    by_name = dict(zip(reversed(names), reversed(handles), strict=True))
    order = sorted(dict.fromkeys(names), key=lambda name: name in EXPLAINED)
    if order:
        axes.legend(
            [by_name[name] for name in order],
            order,
            loc="lower right",  # a wide one has the room above the names of ticks, too
            bbox_to_anchor=(1.0, 1.0),
            ncols=_columns(order),
        )
