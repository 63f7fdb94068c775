"""How numbers with intervals are drawn on axes: looks, marks, lines, scales and legends.

The looks are distinct with colour blindness and in grey print.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from fastgc.report.pictures import picture, words
from fastgc.report.pictures.picture import BLACK, GREY, LINE, STYLE, Axes, Picture, matplotlib
from fastgc.results.rows import CONFIDENCE, Row
from fastgc.statistics.estimates import Estimate

#: How a curve is drawn: keywords of `Axes.plot`, at least color, linestyle and marker.
Look = dict[str, Any]
Way = Literal["x", "y"]

# in numbers without a common divisor: 105 curves before a look comes again
LINES = ("-", "--", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "X", "P", "<", ">", "h", "*")
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
#: Of what an axis spans, what a line is wide.
THIN = 0.007
#: A line has at most some so many markers.
MOST_MARKERS = 12
#: What spans so much is shown by decades.
DECADES = 1.7
#: An axis with a smaller ratio of its ends has ticks between decades, too, and plain numbers.
FEW_DECADES = 150.0
#: Letters of a legend's font in a column's width, and those that a line and its space take.
_LETTERS, _HANDLE = 58, 6


def looks() -> Iterator[Look]:
    """Yield looks, one a curve: of the style in force, where it has its own colours."""
    library = matplotlib()
    cycle = library.rcParams["axes.prop_cycle"]
    if cycle == library.rcParamsDefault["axes.prop_cycle"]:
        cycle = library.rc_params_from_file(STYLE, False, False)["axes.prop_cycle"]
    for line, marker, own in zip(*map(itertools.cycle, (LINES, MARKERS, cycle)), strict=False):
        yield {"color": BLACK, "linestyle": line, "marker": marker} | own


class Mark(NamedTuple):
    """A value at a place, perhaps infinite, with the ends of its interval, if need be the value."""

    x: float
    value: float
    low: float
    high: float

    @property
    def is_limit(self) -> bool:
        """Whether no trial saw the event, so that only the upper end can stand on a log axis."""
        return self.low >= 0 and self.value <= ROUNDING * self.high and self.low != self.high


def number(estimate: Estimate, x: float = 0.0) -> Mark | None:
    """Return the number of an estimate; None where there is nothing to be drawn."""
    value = estimate.value
    if value is None:
        is_infinite = (estimate.note or "").startswith("infinite")
        return Mark(x, math.inf, math.inf, math.inf) if is_infinite else None
    low, high = estimate.interval(CONFIDENCE)
    return Mark(x, value, value if low is None else low, value if high is None else high)


def numbers(rows: Iterable[Row], place: Callable[[Row], float] = lambda _: 0.0) -> list[Mark]:
    """Return the numbers of rows, each at its place, from left to right."""
    found = [number(row.estimate, place(row)) for row in rows]
    return sorted((each for each in found if each is not None), key=lambda each: each.x)


def line(axes: Axes, given: Sequence[Mark], look: Look, label: str = "") -> None:
    """Draw a line, some of its numbers with markers, and a band where they are uncertain."""
    known = _placed(axes, given, look, label)
    if len(known) < 2:  # no line, no band
        marks(axes, known, look, label)
        return
    x, y, low, high = zip(*known, strict=True)
    axes.plot(x, y, label=label or None, markevery=math.ceil(len(x) / MOST_MARKERS), **look)
    if low != high:
        band(axes, x, low, high, look)


def marks(
    axes: Axes, given: Sequence[Mark], look: Look, label: str = "", *, hollow: bool = False
) -> None:
    """Draw markers with bars, which no line joins."""
    known = _placed(axes, given, look, label)
    if known:
        x, values, low, high = np.array(known).T
        axes.errorbar(
            x,
            values,
            yerr=np.maximum([values - low, high - values], 0),
            fmt=look["marker"],
            color=look["color"],
            markerfacecolor="none" if hollow else look["color"],
            capsize=1.8 if (low != high).any() else 0.0,
            elinewidth=0.8,
            label=label or None,
        )


def band(axes: Axes, x: Any, low: Any, high: Any, look: Look, **how: Any) -> None:
    """Draw intervals as a band in a curve's colour."""
    axes.fill_between(x, low, high, color=look["color"], alpha=0.22, linewidth=0, **how)


def are_seen(given: Sequence[Mark]) -> bool:
    """Return whether any interval is wider than a line, on an axis of whichever scale."""
    known = [each for each in given if math.isfinite(each.value)]
    spans = THIN * np.ptp([each.value for each in known] or [0.0])
    return any(each.high - each.low > min(spans, 4 * THIN * abs(each.value)) for each in known)


def theory(axes: Axes, given: Sequence[Mark]) -> None:
    """Draw a closed form, dotted above the curve that it should meet."""
    known = [(each.x, each.value) for each in given if math.isfinite(each.value)]
    if known:
        way: Look = {"linestyle": ":", "marker": ""}
        if len(known) == 1:
            way = {"linestyle": "", "marker": "_", "markersize": 9}
        way |= {"linewidth": 0.9, "label": CLOSED_FORM, "zorder": 4}
        axes.plot(*zip(*known, strict=True), color=BLACK, **way)


def stars(axes: Axes, places: Sequence[tuple[float, float]], color: str = BLACK) -> None:
    """Draw numbers that a paper prints, at (x, y)."""
    if places:
        way: Look = {"marker": "*", "markersize": 7, "markerfacecolor": "none", "linestyle": ""}
        axes.plot(*zip(*places, strict=True), color=color, label=PRINTED, zorder=5, **way)


def explain(axes: Axes, name: str, marker: str = "o") -> None:
    """Give the legend a hollow mark with a name, which stands for those of all colours."""
    axes.plot([], [], marker, color=GREY, markerfacecolor="none", label=name)


def _placed(axes: Axes, given: Sequence[Mark], look: Look, label: str) -> list[Mark]:
    # draws, hollow, at the edge what is infinite, and at the end of its interval what no trial saw
    way = look | {"linestyle": "", "markerfacecolor": "none"}
    if beyond := [each.x for each in given if math.isinf(each.value)]:
        edge = axes.get_xaxis_transform()
        axes.plot(beyond, [0.97] * len(beyond), transform=edge, label=INFINITE, **way)
    known = [each for each in given if math.isfinite(each.value)]
    unseen = [each for each in known if each.is_limit]
    if not unseen or axes.get_yscale() == "linear":
        return known
    explain(axes, LIMIT, "v")
    if len(unseen) == len(known) and label:  # there is nothing else to name
        way["label"] = label
    places = [each.x for each in unseen], [each.high for each in unseen]
    axes.plot(*places, **way | {"marker": "v"})
    return [each for each in known if not each.is_limit]


def scale_for(axes: Axes, given: Iterable[Mark], decades: float = DECADES) -> None:
    """Choose the scale of an axis before numbers are drawn on it.

    By decades, an event that no trial saw is drawn as an upper limit, and a bar that ends at 0
    leaves the picture, so neither makes room for a 0.
    """
    known = [each for each in given if math.isfinite(each.value)]
    ends = [(each, end) for each in known for end in each[3 if each.is_limit else 1 :]]
    seen = [end for each, end in ends if end > 0 or end == each.value]
    if scale_of(axes, seen, "y", decades) == "linear":
        scale_of(axes, [end for each in known for end in each[1:]], "y", math.inf)


def scale_of(axes: Axes, values: Iterable[float], way: Way = "y", decades: float = DECADES) -> str:
    """Choose the scale of an axis by its values, and return its name.

    Values over decades are shown by decades; where there are zeros, too, the axis is linear from 0
    to below the smallest value, so that they are seen.
    """
    known = [value for value in values if math.isfinite(value)]
    most, least = max(map(abs, known), default=0.0), min(known, default=0.0)
    above = [value for value in known if value > AXIS_ROUNDING * most]
    ratio = max(above) / min(above) if above else 1.0
    if not above or math.log10(ratio) < decades or least < -AXIS_ROUNDING * most:
        # from 0 where that leaves the values enough of the axis
        if most > 0 and (0 <= least <= 0.5 * most or least == most):
            axes.set(**{f"{way}lim": (0.0, most * 1.06)})
        return "linear"
    if len(above) == len(known):
        by_powers(axes, way, ratio)
        return "log"
    smallest = 10.0 ** math.floor(math.log10(min(above)))
    (axes.set_xscale if way == "x" else axes.set_yscale)("symlog", linthresh=smallest)
    axes.set(**{f"{way}lim": (-0.08 * smallest, 10 ** math.ceil(math.log10(most * 1.05)))})
    return "symlog"


def by_powers(axes: Axes, way: Way, ratio: float) -> None:
    """Make an axis logarithmic; where its ends have a small ratio, 1, 2 and 5 are named, too."""
    ticker = matplotlib("ticker")
    axes.set(**{f"{way}scale": "log"})
    axis = axes.xaxis if way == "x" else axes.yaxis
    axis.set_major_locator(ticker.LogLocator(numticks=5 if way == "x" else 8))
    if ratio < FEW_DECADES:
        axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
        axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(ticker.NullFormatter())


def made(
    kind: str,
    said: Sequence[str],
    rows: Sequence[Row],
    draw: Callable[[Axes], None],
    names: Iterable[str] = (),
    height: float = picture.HEIGHT,
    title: str = "",
) -> Picture:
    """Return the picture of rows, whose caption are the sentences ``said``.

    Where it has names, what is drawn has a legend above the axes, where it covers nothing and is
    not cut. Without a ``title`` it is the first sentence.
    """
    known = [name for name in dict.fromkeys(names) if name]
    if known:
        height += 0.05 + LINE * math.ceil(len(known) / _columns(known))

    def drawn(axes: Axes) -> None:
        draw(axes)
        handles, shown = axes.get_legend_handles_labels()
        if known and shown:
            by_name = dict(zip(reversed(shown), reversed(handles), strict=True))
            order = sorted(dict.fromkeys(shown), key=lambda name: name in EXPLAINED)
            place: Look = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0)}
            own = [by_name[name] for name in order]
            axes.legend(own, order, ncols=_columns(order), **place)

    sentences = [*said, *words.partitions(rows)]
    caption = " ".join(f"{s[:1].upper()}{s[1:].removesuffix('.')}." for s in sentences)
    return Picture(kind, title or said[0], caption, drawn, (picture.COLUMN, height))


def _columns(names: Sequence[str]) -> int:
    fitting = max(1, min(len(names), _LETTERS // (max(map(len, names)) + _HANDLE)))
    return math.ceil(len(names) / math.ceil(len(names) / fitting))
