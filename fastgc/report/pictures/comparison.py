"""One quantity of several experiments beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fastgc.report.pictures import dots, numbers, scales, words
from fastgc.report.pictures.curves import curves
from fastgc.report.pictures.legends import height, legend
from fastgc.report.pictures.parts import CLOSED_FORM
from fastgc.report.pictures.picture import COLUMN, Picture
from fastgc.results.rows import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KIND = "comparison"
_EXACT, _SAMPLED = "exact", "sampled"
_LOOKS = {_EXACT: 0, _SAMPLED: 1}


def picture(rows: Sequence[Row]) -> Picture:
    """Return the picture of rows of one quantity, none of which has an index."""
    label = words.quantity(rows[0])
    entries = []
    for curve in curves(rows):
        theory = [row.estimate.value for row in curve.theory]
        for row in curve.rows or curve.theory:
            number = numbers.of_estimate(row.estimate)
            sampled = number is not None and row.estimate.trials is not None
            group = _SAMPLED if sampled else _EXACT
            form = theory[0] if theory else None
            name = curve.label or row.experiment
            entries.append(dots.Dot(name, number, _LOOKS[group], group=group, theory=form))
    formed = any(entry.theory is not None for entry in entries)
    names = [*dict.fromkeys(entry.group for entry in entries), *[CLOSED_FORM] * formed]

    def draw(axes: Axes) -> None:
        dots.draw(axes, entries)
        known = [entry.number for entry in entries if entry.number is not None]
        scales.of_values(axes, [end for number in known for end in number[1:]], "x")
        axes.set_xlabel(words.with_unit(label, rows[0].unit))
        if len(names) > 1:
            legend(axes, [CLOSED_FORM])

    of = words.listed((entry.name for entry in entries), most=12)
    said = [f"{label} of {of}"]
    if trials := words.trials(rows):
        said.append(f"bars are {numbers.INTERVAL} of {trials}")
    if formed:
        said.append("strokes are closed forms")
    said += words.partitions((row.partitions for row in rows), rows[0].quantity)
    caption = " ".join(map(words.sentence, said))
    size = COLUMN, dots.height(entries) + height(names)
    return Picture(KIND, f"{label}, compared", caption, draw, size)
