"""The distribution of times or errors: how often more than t."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc.report import wording
from fastgc.report.pictures import draw, words
from fastgc.report.pictures.curve import curves
from fastgc.report.pictures.picture import Axes, Picture
from fastgc.results.rows import CONFIDENCE, Row
from fastgc.statistics import shares
from fastgc.statistics.estimates import Estimate, normal_quantile
from fastgc.statistics.tallies import bin_edges

KIND = "tail"
#: A curve has at most so many steps.
STEPS = 300
#: Quantiles and P(> t) that make a curve.
ENOUGH = 4
#: An exact tail is shown down to this share of what sampled ones reach.
DEEPER = 1e-3


@dataclass(frozen=True)
class CurveLaw:
    """What is known of the distribution of one curve.

    ``sampled`` has the histogram of what was sampled, if it was; ``asked`` are the quantiles and
    P(> t) that were asked for: values, rising, and the share that is larger.
    """

    label: str
    rows: list[Row]
    sampled: Estimate | None
    asked: list[tuple[float, float]]

    @property
    def trials(self) -> int:
        """Independent trials behind the histogram."""
        return self.sampled.trials or 0 if self.sampled else 0

    def steps(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Values, rising, and the share of what was sampled that is larger than each.

        Of very many steps some are returned, at about equal ratios of what is larger.
        """
        assert self.sampled is not None and self.sampled.histogram is not None
        histogram = self.sampled.histogram
        bins, counts = map(np.array, zip(*sorted(histogram.counts.items()), strict=True))
        ends = [min(bin_edges(int(number))[1], histogram.high) for number in bins]
        edges = np.array([histogram.low, *ends]) + self.sampled.shift
        larger = np.append(1.0, np.maximum(1 - np.cumsum(counts) / counts.sum(), 0.0))
        larger[-1] = 0.0
        if len(edges) <= STEPS:
            return edges, larger
        height = np.log(np.maximum(larger, larger[larger > 0].min() / 2))
        place = np.linspace(height[0], height[-1], STEPS)
        kept = np.unique(np.searchsorted(-height, -place, side="left").clip(0, len(edges) - 1))
        return edges[kept], larger[kept]


def laws(rows: Sequence[Row], quantity: str) -> list[CurveLaw]:
    """Return what is known of a measure's distribution, for each experiment and setting."""
    levels = ("quantile(", "P(>")
    own = [row for row in rows if row.quantity == quantity and row.index is None]
    own = [r for r in own if r.statistic.startswith(levels) or r.estimate.histogram is not None]
    shown = {row.experiment for row in own}
    only = shown.pop() if len(shown) == 1 < len({row.experiment for row in rows}) else ""
    found = []
    for curve in curves(own):
        sampled = [row.estimate for row in curve.all if row.estimate.histogram is not None]
        asked = []
        of_levels = [row for row in curve.rows if row.statistic.startswith(levels)]
        for row in of_levels:
            number, value = float(row.statistic.partition("(")[2].strip(">)")), row.estimate.value
            if row.statistic.startswith("quantile(") and value is not None:
                asked.append((value, 1 - number))
            elif row.statistic.startswith("P(>") and value:
                asked.append((number, value))
        if sampled or len(of_levels) > 1:
            first = sampled[0] if sampled else None
            found.append(CurveLaw(curve.label or only, curve.all, first, sorted(asked)))
    return found


def tail(found: Sequence[CurveLaw], quantity: str) -> Picture:
    """Return the picture of P(> t) on a logarithmic axis."""
    name = wording.plain(quantity)
    sampled = [law for law in found if law.sampled is not None]
    hollow = any(law.asked for law in sampled)
    depth = min((1 / law.trials for law in sampled if law.trials), default=0.0)
    known = [share for law in found for _, share in law.asked if share > DEEPER * depth]
    least = 0.5 * min([depth or 1.0, *known])
    rows = [row for law in found for row in law.rows]
    unit = next((row.unit for row in rows if not row.statistic.startswith("P(>")), None)

    def draw_on(axes: Axes) -> None:
        draw.by_powers(axes, "y", 1 / least)
        seen: list[float] = []
        for law, look in zip(found, draw.looks(), strict=False):
            seen += _draw_law(axes, law, look, least, marked=len(found) > len(draw.LINES))
        if hollow:
            draw.explain(axes, draw.ASKED)
        draw.scale_of(axes, seen, "x")
        axes.set(xlabel=words.with_unit(f"{name} t", unit), ylabel=f"P({name} > t)")
        axes.set_ylim(least, 1.4)

    title = f"P({name} > t)"
    said = [title + words.of(law.label for law in found)]
    said += words.sampled("lines are what was sampled, bands", [r for s in sampled for r in s.rows])
    said += ["hollow marks are what was asked for"] * hollow
    said += ["filled marks are what was asked for"] * (len(found) > len(sampled))
    names = [*(law.label for law in found), *[draw.ASKED] * hollow]
    return draw.made(KIND, said, rows, draw_on, names, title=title)


def _draw_law(
    axes: Axes, law: CurveLaw, look: draw.Look, least: float, *, marked: bool
) -> list[float]:
    # returns the values on the axis below; ``least`` is the lower end of the axis of shares
    seen: list[float] = []
    if law.sampled is not None:
        edges, larger = law.steps()
        larger[-1] = least / 10  # down to below the axes: nothing is above the largest
        low, high = np.transpose([_interval(p, law.trials) for p in larger.tolist()])
        way = look | ({"markevery": 0.2} if marked else {"marker": ""})
        axes.step(edges, larger, where="post", label=law.label or None, **way)
        draw.band(axes, edges, low, high, look, step="post")
        seen += edges.tolist()
    if shown := [(value, share) for value, share in law.asked if share >= least]:
        x, y = zip(*shown, strict=True)
        if law.sampled is None:
            axes.plot(x, y, label=law.label or None, **look)
        else:
            axes.plot(x, y, **look | {"linestyle": "", "markerfacecolor": "white"})
        seen += x
    return seen


def _interval(p: float, trials: int) -> tuple[float, float]:
    """The interval of a share; of several iterations a trial, as of one."""
    error = math.sqrt(p * (1 - p) / max(1, trials - 1))
    return shares.interval(p, error, trials, normal_quantile(CONFIDENCE))
