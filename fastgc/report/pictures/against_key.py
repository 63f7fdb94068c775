"""A quantity against a swept key: a curve for each experiment, with bands and closed forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fastgc.report.pictures import scales, words
from fastgc.report.pictures.curves import Curve, curves, is_number, swept
from fastgc.report.pictures.legends import height, legend
from fastgc.report.pictures.looks import BAND, BLACK, Look, looks
from fastgc.report.pictures.picture import COLUMN, HEIGHT, Picture
from fastgc.results.rows import CONFIDENCE, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KIND = "sweep"


def key_of(rows: Sequence[Row]) -> str | None:
    """Return the swept key that goes on the axis: numbers before words, the longest first."""
    points = [row.point for row in rows]
    values = {key: [p[key] for p in points if key in p] for key in swept(points)}
    numeric = [key for key in values if all(map(is_number, values[key]))]
    longest = {key: len(set(map(str, values[key]))) for key in numeric or values}
    return max(longest, key=lambda key: longest[key], default=None)


def picture(rows: Sequence[Row], key: str) -> Picture:
    """Return the picture of one quantity's rows against a key."""
    on_axis = [row for row in rows if key in row.point]
    values = [value for value in _distinct(row.point[key] for row in on_axis)]
    numeric = all(map(is_number, values))
    found = curves(rows, [key])
    label = words.quantity(rows[0])
    names = [curve.label for curve in found] + ["closed form"] * any(c.theory for c in found)

    def draw(axes: Axes) -> None:
        places = dict(zip(map(str, values), values if numeric else range(len(values)), strict=True))
        ends = min(places.values(), default=0), max(places.values(), default=1)
        for turn, (curve, look) in enumerate(zip(found, looks(), strict=False)):
            shift = 0.0 if numeric else 0.5 * ((turn + 0.5) / len(found) - 0.5)
            if all(key not in row.point for row in curve.all):
                _level(axes, curve, look, ends)
            elif numeric:
                _line(axes, curve, look, lambda row: row.point[key])
            else:
                _marks(axes, curve, look, lambda row, by=shift: places[str(row.point[key])] + by)
        if numeric:
            scales.of_settings(axes, values)
        else:
            axes.set_xticks(range(len(values)), words.settings(values))
            axes.set_xlim(-0.5, len(values) - 0.5)
            axes.grid(visible=False, axis="x")
        scales.of_values(axes, [end for row in rows for end in _ends(row)])
        axes.set_xlabel(key)
        axes.set_ylabel(words.with_unit(label, rows[0].unit))
        legend(axes)

    of = words.listed(curve.label for curve in found if curve.label)
    said = [f"{label} against {key}" + (f", for {of}" if of else "")]
    if sampled := words.trials(rows):
        said.append(f"bands and bars are {100 * CONFIDENCE:g} % intervals of {sampled}")
    if any(curve.theory for curve in found):
        said.append("dotted: the closed form")
    caption = " ".join(map(words.sentence, said))
    title = f"{label} against {key}"
    return Picture(KIND, title, caption, draw, (COLUMN, HEIGHT + height(names)))


def _line(axes: Axes, curve: Curve, look: Look, place: Any) -> None:
    """Draw a curve over numbers."""
    rows = sorted(curve.rows, key=place)
    known = [(place(row), *_numbers(row)) for row in rows if row.estimate.value is not None]
    if known:
        x, y, low, high = zip(*known, strict=True)
        axes.plot(x, y, label=curve.label, **look.marked)
        if any(a != b for a, b in zip(low, high, strict=True)):
            axes.fill_between(x, low, high, color=look.color, alpha=BAND, linewidth=0)
    _bars(axes, curve.beside, look, place)
    _theory(axes, curve.theory, place, "-" if not known else ":")


def _marks(axes: Axes, curve: Curve, look: Look, place: Any) -> None:
    """Draw a curve over words: marks with bars, which no line joins."""
    _bars(axes, curve.rows, look, place, curve.label)
    for row in curve.theory:
        if row.estimate.value is not None:
            half = 0.06
            ends = [place(row) - half, place(row) + half]
            axes.plot(ends, [row.estimate.value] * 2, color=BLACK, linestyle=":", linewidth=0.9)


def _level(axes: Axes, curve: Curve, look: Look, ends: tuple[float, float]) -> None:
    """Draw what does not depend on the key as a level line."""
    for row in curve.rows or curve.theory:
        value, low, high = _numbers(row)
        if value is not None:
            axes.plot(ends, [value, value], label=curve.label, **look.line)
            axes.fill_between(ends, low, high, color=look.color, alpha=BAND, linewidth=0)


def _bars(axes: Axes, rows: Sequence[Row], look: Look, place: Any, label: str = "") -> None:
    """Draw values with their intervals as bars."""
    known = [(place(row), *_numbers(row)) for row in rows if row.estimate.value is not None]
    if not known:
        return
    x, y, low, high = zip(*known, strict=True)
    down = [v - a for v, a in zip(y, low, strict=True)]
    up = [b - v for v, b in zip(y, high, strict=True)]
    axes.errorbar(
        x,
        y,
        [down, up],
        fmt=look.marker,
        color=look.color,
        markerfacecolor="none" if not label else look.color,
        capsize=1.8,
        elinewidth=0.8,
        label=label or None,
    )


def _theory(axes: Axes, rows: Sequence[Row], place: Any, line: str) -> None:
    """Draw a closed form above the curve that it should meet."""
    known = sorted(
        (place(row), row.estimate.value) for row in rows if row.estimate.value is not None
    )
    if known:
        x, y = zip(*known, strict=True)
        axes.plot(x, y, color=BLACK, linestyle=line, linewidth=0.9, label="closed form", zorder=4)


def _numbers(row: Row) -> tuple[Any, Any, Any]:
    """Return value and interval; the value where an end is not known."""
    low, high = row.estimate.interval(CONFIDENCE)
    value = row.estimate.value
    return value, value if low is None else low, value if high is None else high


def _ends(row: Row) -> tuple[Any, Any, Any]:
    return _numbers(row)


def _distinct(values: Any) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found
