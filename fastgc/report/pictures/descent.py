"""Descent: a curve of training against iterations, or against what was spent on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fastgc.report.pictures import numbers, parts, scales, words
from fastgc.report.pictures.curves import Curve, curves
from fastgc.report.pictures.legends import height, legend
from fastgc.report.pictures.looks import looks
from fastgc.report.pictures.picture import COLUMN, HEIGHT, Picture
from fastgc.results.rows import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ITERATIONS, CLOCK = "iterations", "clock"
#: A descent is shown by decades if it is so many deep.
DECADES = 0.7
#: What a training experiment measures in every iteration: what falls, and what is spent.
FALLING = ("loss", "distance", "gradient_error")
SPENT = {"time": CLOCK, "downloads": "downloads", "uploads": "uploads", "gradients": "gradients"}


def is_curve(row: Row) -> bool:
    """Return whether a row is of one iteration of a training experiment."""
    return row.quantity in (*FALLING, *SPENT) and isinstance(row.index, int)


def pictures(rows: Sequence[Row], quantity: str) -> Iterator[Picture]:
    """Return the pictures of what falls: against what was spent on it, and against iterations."""
    own = [row for row in rows if row.quantity == quantity and row.statistic == "mean"]
    found = curves(own)
    for spent, kind in SPENT.items():
        axis = {
            _place(row): row for row in rows if row.quantity == spent and row.statistic == "mean"
        }
        if quantity != spent and all(_place(row) in axis for curve in found for row in curve.rows):
            said = "time since the beginning" if spent == "time" else f"{spent} so far"
            unit = next(iter(axis.values())).unit
            yield _picture(kind, found, words.with_unit(f"mean {said}", unit), axis)
    yield _picture(ITERATIONS, found, "iterations", None)


def _place(row: Row) -> tuple[str, str, int | str | None]:
    return row.experiment, str(sorted(row.point.items(), key=str)), row.index


def _picture(
    kind: str,
    found: Sequence[Curve],
    axis: str,
    spent: dict[tuple[str, str, int | str | None], Row] | None,
) -> Picture:
    first = found[0].all[0]
    label = words.statistic(words.plain(first.quantity), first.statistic)

    def place(row: Row) -> float:
        if spent is None:
            return float(row.index or 0)
        return spent[_place(row)].estimate.value or 0.0

    def draw(axes: Axes) -> None:
        drawn = []
        for turn, (curve, look) in enumerate(zip(found, looks(), strict=False)):
            own = numbers.of_rows(curve.rows, place)
            parts.line(axes, own, look, curve.label, turn)
            drawn += own
        values = [each for number in drawn for each in number[1:]]
        scales.of_values(axes, values, decades=DECADES)
        axes.set_xlim(left=0.0)
        axes.set_xlabel(axis)
        axes.set_ylabel(words.with_unit(label, first.unit))
        legend(axes)

    of = words.listed(curve.label for curve in found if curve.label)
    said = [f"{label} against {axis}" + (f", for {of}" if of else "")]
    sampled = words.trials(row for curve in found for row in curve.rows)
    if sampled:
        said.append(f"bands are {numbers.INTERVAL} of {sampled}")
    caption = " ".join(map(words.sentence, said))
    size = COLUMN, HEIGHT + height([curve.label for curve in found])
    return Picture(kind, f"{label} against {axis.split(' (')[0]}", caption, draw, size)
