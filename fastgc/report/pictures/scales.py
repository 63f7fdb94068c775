"""Whether an axis is linear or logarithmic, and how zeros are shown on the latter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from fastgc.report.pictures.picture import matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What spans so much is shown by decades.
DECADES = 1.7
#: Below this share of the largest value it is what rounding leaves of a zero.
ROUNDING = 1e-24

#: An axis of fewer decades has ticks between them, too, and plain numbers.
FEW_DECADES = 60.0

Way = Literal["x", "y"]


def of_values(
    axes: Axes, values: Iterable[float | None], way: Way = "y", decades: float = DECADES
) -> str:
    """Choose the scale of an axis by its values, and return its name.

    Values over decades are shown by decades; where there are zeros, too, the axis is linear from 0
    to below the smallest value, so that they are seen.
    """
    known = [v for v in values if v is not None and math.isfinite(v)]
    most = max(map(abs, known), default=0.0)
    above = [v for v in known if v > ROUNDING * most]
    by_decades = bool(above) and math.log10(max(above) / min(above)) >= decades
    if not by_decades or min(known) < -ROUNDING * most:
        if known and min(known) >= 0:
            _from_zero(axes, known, way)
        return "linear"
    if len(above) == len(known):
        axes.set(**{f"{way}scale": "log"})
        if max(above) / min(above) < FEW_DECADES:
            _plain_ticks(axes, way)
        return "log"
    least = 10.0 ** math.floor(math.log10(min(above)))
    room = 0.3 + math.log10(max(above) / least) / 8  # of the linear part, in decades
    set_scale = axes.set_xscale if way == "x" else axes.set_yscale
    set_scale("symlog", linthresh=least, linscale=room)
    axes.set(**{f"{way}lim": (0.0 - 0.08 * least, 10 ** math.ceil(math.log10(most * 1.05)))})
    return "symlog"


def _from_zero(axes: Axes, known: Sequence[float], way: Way) -> None:
    """Let an axis begin at 0 where that leaves the values enough of it."""
    if max(known) > 0 and (min(known) <= 0.5 * max(known) or min(known) == max(known)):
        axes.set(**{f"{way}lim": (0.0, max(known) * 1.06)})


def _plain_ticks(axes: Axes, way: Way) -> None:
    """Name 1, 2 and 5 of each decade by plain numbers."""
    ticker = matplotlib("ticker")
    axis = axes.xaxis if way == "x" else axes.yaxis
    axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(ticker.NullFormatter())


def of_settings(axes: Axes, values: Sequence[float]) -> str:
    """Choose the scale of the axis of a swept key, by decades if it was swept so."""
    known = sorted(set(values))
    if len(known) > 2 and known[0] > 0 and known[-1] / known[0] >= 20:
        middle = known[len(known) // 2]
        if middle <= (known[0] + known[-1]) / 4:
            axes.set_xscale("log")
            return "log"
    return "linear"
