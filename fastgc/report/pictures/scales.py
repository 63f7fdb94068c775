"""Whether an axis is linear or logarithmic, how zeros are shown on the latter, and legends."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from fastgc.report.pictures import words
from fastgc.report.pictures.parts import EXPLAINED, Number
from fastgc.report.pictures.picture import COLUMN, HEIGHT, LINE, Axes, Picture, matplotlib

#: What spans so much is shown by decades.
DECADES = 1.7
#: Below this share of the largest value it is what rounding leaves of a zero.
ROUNDING = 1e-24

#: An axis of fewer decades has ticks between them, too, and plain numbers.
FEW_DECADES = 150.0
#: So many powers of ten are named on an axis below, and beside.
_NAMED = {"x": 5, "y": 8}

#: Letters of a legend's font in a column's width, and those that a line and its space take.
_LETTERS, _HANDLE = 58, 6

Way = Literal["x", "y"]


def of_numbers(
    axes: Axes, numbers: Iterable[Number], way: Way = "y", decades: float = DECADES
) -> None:
    """Choose the scale of an axis before numbers are drawn on it.

    By decades, an event that no trial saw is drawn as an upper limit, and a bar that ends at 0
    leaves the picture, so neither makes room for a 0.
    """
    known = [number for number in numbers if math.isfinite(number.value)]
    seen = [
        end
        for each in known
        for end in each[3 if each.is_limit else 1 :]
        if end > 0 or end == each.value
    ]
    if of_values(axes, seen, way, decades) == "linear":
        of_values(axes, [end for each in known for end in each[1:]], way, math.inf)


def of_values(axes: Axes, values: Iterable[float], way: Way = "y", decades: float = DECADES) -> str:
    """Choose the scale of an axis by its values, and return its name.

    Values over decades are shown by decades; where there are zeros, too, the axis is linear from 0
    to below the smallest value, so that they are seen.
    """
    known = [value for value in values if math.isfinite(value)]
    most = max(map(abs, known), default=0.0)
    above = [v for v in known if v > ROUNDING * most]
    by_decades = bool(above) and math.log10(max(above) / min(above)) >= decades
    if not by_decades or min(known) < -ROUNDING * most:
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


def of_settings(axes: Axes, values: Sequence[float]) -> str:
    """Choose the scale of the axis of a swept key, by decades if it was swept so."""
    known = sorted(set(values))
    if len(known) > 2 and known[0] > 0 and known[-1] / known[0] >= 20:
        middle = known[len(known) // 2]
        if middle <= (known[0] + known[-1]) / 4:
            by_powers(axes, "x", known[-1] / known[0])
            return "log"
    return "linear"


def made(
    kind: str,
    title: str,
    said: Sequence[str],
    draw: Callable[[Axes], None],
    names: Sequence[str] = (),
    shared: str = "",
    height: float = HEIGHT,
) -> Picture:
    """Return the picture whose caption are the sentences ``said``.

    Where it has names, what is drawn has a legend above the axes, where it covers nothing and is
    not cut, its title what all names share.
    """
    known = [name for name in dict.fromkeys(names) if name]
    if known:
        height += 0.05 + LINE * (math.ceil(len(known) / _columns(known)) + bool(shared))

    def drawn(axes: Axes) -> None:
        draw(axes)
        if known:
            _legend(axes, shared)

    return Picture(kind, title, " ".join(map(words.sentence, said)), drawn, (COLUMN, height))


def _columns(names: Sequence[str]) -> int:
    """Return in how many columns the names of a legend fit side by side."""
    fitting = max(1, min(len(names), _LETTERS // (max(map(len, names)) + _HANDLE)))
    return math.ceil(len(names) / math.ceil(len(names) / fitting))


def _legend(axes: Axes, shared: str) -> None:
    """Draw each name once, and last those that explain marks."""
    by_name: dict[str, Any] = {}
    handles, names = axes.get_legend_handles_labels()
    for name, handle in sorted(zip(names, handles, strict=True), key=lambda e: e[0] in EXPLAINED):
        by_name.setdefault(name, handle)
    if by_name:
        axes.legend(
            by_name.values(),
            by_name.keys(),
            loc="lower right",  # a wide one has the room above the names of ticks, too
            bbox_to_anchor=(1.0, 1.0),
            ncols=_columns(list(by_name)),
            title=shared or None,
            title_fontsize=7,
        )
