"""Experiments beside each other: a line for each, with a mark for its number."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from fastgc.report.pictures import draw, words
from fastgc.report.pictures.curve import curves
from fastgc.report.pictures.picture import BLACK, GREY, LINE, Axes, Picture
from fastgc.results.rows import Row

KIND = "comparison"
#: A picture compares at most so many rows; more are a sweep, or are dealt out to several pictures.
MOST = 20
#: Letters of a name that are shown.
LONGEST = 34
#: How numbers were found, by whether they are exact.
_GROUPS = {True: "exact", False: "sampled"}


class Dot(NamedTuple):
    """A name with what is drawn beside it: a mark for a number, a stroke for a closed form.

    ``group`` is what the legend calls marks of its look; ``printed`` are numbers of a paper in its
    place.
    """

    name: str
    number: draw.Number | None
    group: str
    theory: float | None
    printed: tuple[float, ...]


def of_rows(rows: Sequence[Row]) -> list[Picture]:
    """Return the pictures of rows of one quantity, none of which has an index."""
    label, found = words.quantity(rows[0]), curves(rows)
    dots = []
    for curve in found:
        form = curve.theory[0].estimate.value if curve.theory else None
        for row in curve.rows or curve.theory:
            number = draw.number(row.estimate)
            group = _GROUPS[number is None or row.estimate.trials is None]
            name = curve.label or row.experiment
            dots.append(Dot(name, number, group, form, row.printed or ()))
    said = words.sampled("bars", rows)
    said += ["strokes are closed forms"] * any(dot.theory is not None for dot in dots)
    said += ["stars are what the paper prints"] * any(dot.printed for dot in dots)
    said += words.partitions((row.partitions for row in rows), rows[0].quantity)
    pictures, pages = [], math.ceil(len(dots) / MOST)
    size = math.ceil(len(dots) / pages)
    for i in range(pages):
        own, page = dots[i * size :][:size], f", {i + 1} of {pages}" * (pages > 1)
        of = words.of((dot.name for dot in own), " of ", most=12)
        title = f"{label}, compared{page}"
        axis = words.with_unit(label, rows[0].unit)
        pictures.append(_picture(title, [f"{label}{of}{page}", *said], own, axis))
    return pictures


def _picture(title: str, said: Sequence[str], dots: Sequence[Dot], label: str) -> Picture:
    """Return the picture of names and their marks, the first at the top."""
    numbers = [dot.number for dot in dots if dot.number is not None]
    ends = [*numbers, *(draw.Number(0.0, x, x, x) for dot in dots for x in dot.printed)]
    legend = list(dict.fromkeys(dot.group for dot in dots))
    legend += [draw.CLOSED_FORM] * any(dot.theory is not None for dot in dots)
    legend += [draw.PRINTED] * any(dot.printed for dot in dots)
    legend += [draw.LIMIT] * any(number.is_limit for number in numbers)

    def draw_on(axes: Axes) -> None:
        axes.locator_params(axis="x", nbins=5)
        draw.scale_for(axes, ends, "x")
        styles = dict(zip((_GROUPS[True], _GROUPS[False]), draw.looks(), strict=False))
        for place, dot in enumerate(dots):
            _mark(axes, place, dot, styles[dot.group])
        axes.set_yticks(range(len(dots)), [words.cut(dot.name, LONGEST) for dot in dots])
        axes.set_ylim(max(2.5, len(dots) - 0.5), -0.5)
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(label)

    names = legend if len(legend) > 1 else []
    height = 0.62 + LINE * 1.12 * max(3, len(dots))
    return draw.made(KIND, said, draw_on, names, height=height, title=title)


def _mark(axes: Axes, place: int, dot: Dot, look: draw.Look) -> None:
    if dot.number is not None:
        draw.marks(axes, [dot.number._replace(x=place)], look, dot.group, across=True)
    else:
        middle: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "fontsize": 6}
        middle |= {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1}}
        axes.text(0.5, place, "no number", color=GREY, ha="center", va="center", **middle)
    if dot.theory is not None and math.isfinite(dot.theory):
        stroke: dict[str, Any] = {"marker": "|", "markersize": 8, "linestyle": ""}
        axes.plot([dot.theory], [place], color=BLACK, label=draw.CLOSED_FORM, zorder=4, **stroke)
    draw.stars(axes, [(each, place) for each in dot.printed])
