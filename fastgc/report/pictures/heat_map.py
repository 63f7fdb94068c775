"""Maps: a quantity over two swept keys."""

import math
from collections.abc import Sequence

import numpy as np

from fastgc.report import wording
from fastgc.report.pictures import draw, words
from fastgc.report.pictures.curve import beside, curves, is_number, swept
from fastgc.report.pictures.picture import Axes, Picture, matplotlib
from fastgc.report.text import distinct
from fastgc.results.rows import Row

KIND = "heat-map"
#: A swept key has at least so many values, else curves say it better.
FEWEST = 3


def keys_of(rows: Sequence[Row]) -> tuple[str, str] | None:
    """Return the two keys that are swept, numbers first; None unless there are just two."""
    points = [row.point for row in rows]
    own = swept(rows)
    longest = {key: len(distinct(p[key] for p in points if key in p)) for key in own}
    is_grid = all(set(own) <= set(point) for point in points) and len(own) == 2
    if not is_grid or min(longest.values()) < FEWEST or beside(rows, own[0]):
        return None
    numeric = {key: all(is_number(point[key]) for point in points) for key in own}
    first, second = sorted(own, key=lambda key: (not numeric[key], -longest[key]))
    return first, second


def pictures(rows: Sequence[Row], keys: tuple[str, str]) -> list[Picture]:
    """Return a map for each experiment; the first key goes to the right, the second up."""
    return [_picture(curve.rows or curve.theory, keys, curve.label) for curve in curves(rows, keys)]


def _picture(rows: Sequence[Row], keys: tuple[str, str], name: str) -> Picture:
    right, up = (distinct(row.point[key] for row in rows) for key in keys)
    for values in (right, up):
        if all(map(is_number, values)):
            values.sort()
    fields = np.full((len(up), len(right)), np.nan)
    for row in rows:
        if row.estimate.value is not None:
            place = up.index(row.point[keys[1]]), right.index(row.point[keys[0]])
            fields[place] = row.estimate.value
    label = wording.named(rows[0].quantity, rows[0].statistic, rows[0].index)
    title = f"{label} over {words.axis(keys[0])} and {words.axis(keys[1])}"
    title += f": {name}" if name else ""
    known = fields[np.isfinite(fields)]
    above = known[known > draw.AXIS_ROUNDING * np.abs(known).max(initial=0.0)]

    def draw_on(axes: Axes) -> None:
        colors = matplotlib("colors")
        norm = colors.Normalize()
        # by decades where the values span them; what is 0 is then as dark as the smallest
        if len(above) and known.min() >= 0 and above.max() / above.min() >= 10**draw.DECADES:
            norm = colors.LogNorm(above.min(), above.max(), clip=True)
        image = axes.imshow(fields, norm=norm, origin="lower", aspect="auto")
        for values, most, set_ticks in ((right, 6, axes.set_xticks), (up, 8, axes.set_yticks)):
            step = math.ceil(len(values) / most)
            set_ticks(range(0, len(values), step), words.settings(values)[::step])
        axes.grid(visible=False)
        below, beside_it = (words.with_unit(words.axis(key), words.unit_of(key)) for key in keys)
        axes.set(xlabel=below, ylabel=words.upright(beside_it))
        bar = axes.figure.colorbar(image, ax=axes)
        bar.set_label(words.upright(words.with_unit(label, rows[0].unit)))

    said = [title, f"it lies between {np.nanmin(fields):.3g} and {np.nanmax(fields):.3g}"]
    widest = max((row.estimate.high or 0) - (row.estimate.low or 0) for row in rows) / 2
    intervals = words.sampled("intervals", rows)
    said += [f"{each}; the widest half is {widest:.2g}" for each in intervals]
    return draw.made(KIND, said, rows, draw_on)
