"""The distribution of times or errors: how often more than t, and how often about t."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastgc.report.pictures import numbers, scales, words
from fastgc.report.pictures.curves import curves
from fastgc.report.pictures.legends import height, legend
from fastgc.report.pictures.looks import BAND, LINES, Look, looks
from fastgc.report.pictures.picture import COLUMN, HEIGHT, Picture
from fastgc.results.rows import Row
from fastgc.statistics import shares
from fastgc.statistics.estimates import normal_quantile
from fastgc.statistics.tallies import Histogram, bin_edges

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TAIL, DISTRIBUTION = "tail", "distribution"
#: A curve has at most so many steps, and a distribution so many bins.
STEPS, BINS = 300, 48
#: Quantiles and P(> t) that make a curve.
ENOUGH = 4


@dataclass
class Law:
    """What is known of the distribution of one curve.

    Attributes
    ----------
    label : str
    unit : str or None
        Of the values.
    histogram : Histogram or None
        Of what was sampled, its values smaller by ``shift``.
    trials : int
        Independent trials behind it.
    quantiles, above : list of Row
        Rows of quantiles, and of P(> t).
    partitions : list of int or None
        Of the code in each row, where errors are measured.
    """

    label: str
    unit: str | None = None
    histogram: Histogram | None = None
    shift: float = 0.0
    trials: int = 0
    quantiles: list[Row] = field(default_factory=list)
    above: list[Row] = field(default_factory=list)
    partitions: list[int | None] = field(default_factory=list)

    @property
    def is_well_known(self) -> bool:
        """Whether it was sampled, or so much was asked for that a curve says something."""
        return self.histogram is not None or len(self.quantiles) + len(self.above) >= ENOUGH

    def steps(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Values, rising, and the share of what was sampled that is larger than each."""
        assert self.histogram is not None
        bins = sorted(self.histogram.counts)
        counts = np.array([self.histogram.counts[number] for number in bins], np.float64)
        edges = np.array([min(bin_edges(number)[1], self.histogram.high) for number in bins])
        larger = 1 - np.cumsum(counts) / counts.sum()
        larger[-1] = 0.0
        edges = np.concatenate([[self.histogram.low], edges]) + self.shift
        larger = np.concatenate([[1.0], larger])
        return edges, np.maximum(larger, 0.0)


def laws(rows: Sequence[Row], quantity: str) -> list[Law]:
    """Return what is known of a measure's distribution, for each experiment and setting."""
    own = [row for row in rows if row.quantity == quantity and row.index is None]
    found = []
    for curve in curves([row for row in own if _says(row)]):
        unit = next((row.unit for row in curve.all if not row.statistic.startswith("P(>")), None)
        law = Law(curve.label, unit, partitions=[row.partitions for row in curve.all])
        for row in curve.all:
            if row.estimate.histogram is not None and law.histogram is None:
                law.histogram, law.shift = row.estimate.histogram, row.estimate.shift
                law.trials = row.estimate.trials or 0
        for row in curve.rows:
            if row.statistic.startswith("quantile("):
                law.quantiles.append(row)
            elif row.statistic.startswith("P(>"):
                law.above.append(row)
        if law.histogram is not None or len(law.quantiles) + len(law.above) > 1:
            found.append(law)
    return found


def _says(row: Row) -> bool:
    is_level = row.statistic.startswith(("quantile(", "P(>"))
    return is_level or row.estimate.histogram is not None


def tail(found: Sequence[Law], quantity: str) -> Picture:
    """Return the picture of P(> t) on a logarithmic axis."""

    def draw(axes: Axes) -> None:
        seen: list[float] = []
        least = min(map(_least, found))
        for law, look in zip(found, looks(), strict=False):
            seen += _draw_tail(axes, law, look, least, marked=len(found) > len(LINES))
        axes.set_yscale("log")
        scales.of_values(axes, seen, "x")
        axes.set_xlabel(words.with_unit(f"{words.plain(quantity)} t", found[0].unit))
        axes.set_ylabel("P(> t)")
        axes.set_ylim(least, 1.4)
        legend(axes)

    said = "marks are what was asked for"
    if any(law.histogram is not None for law in found):
        said = "lines are what was sampled, hollow marks what was asked for"
    remark = _remark(found, quantity)
    return _picture(TAIL, f"P({words.plain(quantity)} > t)", found, draw, said, remark)


def distribution(found: Sequence[Law], quantity: str) -> Picture:
    """Return the picture of the shares of values by their size, of the laws that were sampled."""
    sampled = [law for law in found if law.histogram is not None]

    def draw(axes: Axes) -> None:
        steps = [law.steps() for law in sampled]
        low = min(float(edges[0]) for edges, _ in steps)
        high = max(float(edges[-1]) for edges, _ in steps)
        by_decades = low > 0 and math.log10(high / low) >= scales.DECADES
        if by_decades:
            bins = np.geomspace(low, high * (1 + 1e-9), BINS + 1)
        else:
            bins = np.linspace(low, high + 1e-9 * (high - low or 1.0), BINS + 1)
        for (edges, larger), law, look in zip(steps, sampled, looks(), strict=False):
            # the share above each end, as if a bin's values were spread evenly over it
            above = np.interp(bins, edges, larger, left=1.0, right=0.0)
            above[0] = 1.0
            axes.stairs(-np.diff(above), bins, label=law.label or None, **look.line)
        if by_decades:
            axes.set_xscale("log")
        axes.set_ylim(bottom=0.0)
        axes.set_xlabel(words.with_unit(words.plain(quantity), sampled[0].unit))
        axes.set_ylabel("share of values in a bin")
        legend(axes)

    said = f"{BINS} bins of equal width on this axis"
    title = f"distribution of {words.plain(quantity)}"
    return _picture(DISTRIBUTION, title, sampled, draw, said, _remark(sampled, quantity))


def _remark(found: Sequence[Law], quantity: str) -> list[str]:
    return words.partitions((count for law in found for count in law.partitions), quantity)


def _least(law: Law) -> float:
    """Return the lower end of an axis on which all that is known of a law is seen."""
    known = [share for _, share in _marks(law) if share > 0]
    return 0.5 * min([1 / law.trials if law.trials else 1.0, *known])


def _draw_tail(axes: Axes, law: Law, look: Look, least: float, *, marked: bool) -> list[float]:
    """Draw one law, its line perhaps with markers; return the values on the axis below.

    ``least`` is the lower end of the axis of shares.
    """
    seen: list[float] = []
    if law.histogram is not None:
        edges, larger = _thinned(*law.steps())
        larger[-1] = least / 10  # down to below the axes: nothing is above the largest
        low, high = np.transpose([_interval(p, law.trials) for p in larger.tolist()])
        way = look.marked | {"markevery": 0.2} if marked else look.line
        axes.step(edges, larger, where="post", label=law.label or None, **way)
        band: dict[str, Any] = {"color": look.color, "alpha": BAND, "linewidth": 0}
        axes.fill_between(edges, low, high, step="post", **band)
        seen += edges.tolist()
    asked = sorted(_marks(law))
    alone = law.histogram is None
    if asked:
        x, y = zip(*asked, strict=True)
        line = look.marked if alone else {"marker": look.marker, "linestyle": ""}
        axes.plot(
            x,
            y,
            **line | {"color": look.color, "markerfacecolor": look.color if alone else "white"},
            label=(law.label or None) if alone else None,
        )
        seen += x
    return seen


def _marks(law: Law) -> Iterator[tuple[float, float]]:
    """(value, share that is larger) of quantiles and of P(> t), where they are known."""
    for row in law.quantiles:
        if row.estimate.value is not None:
            yield row.estimate.value, 1 - float(row.statistic[9:-1])
    for row in law.above:
        if row.estimate.value:
            yield float(row.statistic[3:-1]), row.estimate.value


def _interval(p: float, trials: int) -> tuple[float, float]:
    """Return the interval of a share; of several iterations a trial, as of one."""
    error = math.sqrt(p * (1 - p) / max(1, trials - 1))
    return shares.interval(p, error, trials, normal_quantile(numbers.CONFIDENCE))


def _thinned(
    edges: NDArray[np.float64], larger: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return at most `STEPS` of the steps, at about equal ratios of what is larger."""
    if len(edges) <= STEPS:
        return edges, larger
    least = larger[larger > 0].min()
    height = np.log(np.maximum(larger, least / 2))
    place = np.linspace(height[0], height[-1], STEPS)
    kept = np.unique(np.searchsorted(-height, -place, side="left").clip(0, len(edges) - 1))
    return edges[kept], larger[kept]


def _picture(
    kind: str,
    title: str,
    found: Sequence[Law],
    draw: Callable[[Axes], None],
    said: str,
    remark: list[str],
) -> Picture:
    of = words.listed(law.label for law in found if law.label)
    parts = [title + (f", for {of}" if of else ""), said]
    if any(law.histogram is not None for law in found):
        counts = sorted({law.trials for law in found if law.trials})
        parts.append(f"from {words.span(counts)} trials")
        if kind == TAIL:
            parts.append(f"bands are {numbers.INTERVAL}")
    caption = " ".join(map(words.sentence, [*parts, *remark]))
    size = COLUMN, HEIGHT + height([law.label for law in found])
    return Picture(kind, title, caption, draw, size)
