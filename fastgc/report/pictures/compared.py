"""Experiments beside each other: a line for each, with a mark for its number."""

import math
from collections.abc import Sequence
from typing import Any

from fastgc.report import wording
from fastgc.report.pictures import draw, words
from fastgc.report.pictures.curve import curves
from fastgc.report.pictures.picture import BLACK, GREY, LINE, Axes, Picture
from fastgc.results.rows import Row

KIND = "comparison"
#: A picture compares at most so many rows; more are a sweep, or are dealt out to several pictures.
MOST = 20
#: Letters of a name that are shown.
LONGEST = 34
#: A name with its row, and the closed form beside it.
Dot = tuple[str, Row, float | None]


def of_rows(rows: Sequence[Row]) -> list[Picture]:
    """Return the pictures of rows of one quantity, none of which has an index."""
    label = wording.named(rows[0].quantity, rows[0].statistic, rows[0].index)
    dots: list[Dot] = []
    for curve in curves(rows):
        form = curve.theory[0].estimate.value if curve.theory else None
        measured = curve.rows or curve.theory
        dots += [(curve.label or row.experiment, row, form) for row in measured]
    said = words.sampled("bars", rows)
    said += ["strokes are closed forms"] * any(form is not None for *_, form in dots)
    said += ["stars are what the paper prints"] * any(row.printed for _, row, _ in dots)
    pages = math.ceil(len(dots) / MOST)
    size = math.ceil(len(dots) / pages)
    pictures = []
    for i in range(pages):
        own, page = dots[i * size :][:size], f", {i + 1} of {pages}" * (pages > 1)
        of = words.of((name for name, *_ in own), " of ", most=12)
        first = f"{label}{of}{page}"
        pictures.append(_picture(rows, own, f"{label}, compared{page}", [first, *said]))
    return pictures


def _picture(rows: Sequence[Row], dots: Sequence[Dot], title: str, said: Sequence[str]) -> Picture:
    label = wording.named(rows[0].quantity, rows[0].statistic, rows[0].index)
    numbers = [draw.number(row.estimate, place) for place, (_, row, _) in enumerate(dots)]
    known = [number for number in numbers if number is not None]
    printed = [(x, place) for place, (_, row, _) in enumerate(dots) for x in row.printed or ()]
    forms = [(form, place) for place, (*_, form) in enumerate(dots) if form is not None]
    groups = [
        "exact" if number is None or row.estimate.trials is None else "sampled"
        for number, (_, row, _) in zip(numbers, dots, strict=True)
    ]
    legend = [*dict.fromkeys(groups), *[draw.CLOSED_FORM] * bool(forms)]
    legend += [draw.PRINTED] * bool(printed)
    legend += [draw.LIMIT] * any(number.is_limit for number in known)

    def draw_on(axes: Axes) -> None:
        axes.locator_params(axis="x", nbins=5)
        draw.scale_for(axes, [*known, *(draw.Number(0.0, x, x, x) for x, _ in printed)], "x")
        styles = dict(zip(("exact", "sampled"), draw.looks(), strict=False))
        for place, (number, group) in enumerate(zip(numbers, groups, strict=True)):
            if number is not None:
                draw.marks(axes, [number], styles[group], group, across=True)
                continue
            middle: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "fontsize": 6}
            middle |= {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1}}
            axes.text(0.5, place, "no number", color=GREY, ha="center", va="center", **middle)
        stroke: dict[str, Any] = {"marker": "|", "markersize": 8, "linestyle": "", "zorder": 4}
        for x, place in forms:
            if math.isfinite(x):
                axes.plot([x], [place], color=BLACK, label=draw.CLOSED_FORM, **stroke)
        draw.stars(axes, printed)
        axes.set_yticks(range(len(dots)), [words.cut(name, LONGEST) for name, *_ in dots])
        axes.set_ylim(max(2.5, len(dots) - 0.5), -0.5)
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(words.with_unit(label, rows[0].unit))

    height = 0.62 + LINE * 1.12 * max(3, len(dots))
    names = legend if len(legend) > 1 else []
    return draw.made(KIND, said, rows, draw_on, names, height, title)
