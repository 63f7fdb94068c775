"""A quantity against a swept key, its own index, iterations or what was spent on these."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fastgc.registry.cached import cached_property
from fastgc.report import wording
from fastgc.report.columns import distinct
from fastgc.report.pictures import parts, scales, words
from fastgc.report.pictures.curves import Curve, beside, curves, is_number, place_of, swept
from fastgc.report.pictures.looks import Look, looks
from fastgc.report.pictures.picture import Axes, Picture, matplotlib
from fastgc.results.rows import Row

SWEEP, INDEX = "sweep", "index"
ITERATIONS, CLOCK, LOADS = "iterations", "clock", "loads"
#: A descent is shown by decades if it is so many deep.
DECADES = 0.7
#: What the index of a measure counts.
_INDICES = {
    "survivors": "survivors",
    "error_by_survivors": "survivors",
    "error_lag": "lag (iterations)",
    "not_accessed": "partition",
    "stability": "noise of messages",
}
#: What a training experiment measures in every iteration: what falls, and what is spent.
FALLING = ("loss", "distance", "gradient_error", "loss_bound")
SPENT = {"time": CLOCK, "downloads": "downloads", "uploads": "uploads", "gradients": "gradients"}
_NOWHERE: Any = object()


@dataclass(frozen=True)
class _Axis:
    """The axis below: what stands on it, its values, and which of them a row has."""

    name: str
    unit: str | None
    values: list[Any]
    value_of: Callable[[Row], Any]

    @cached_property
    def numeric(self) -> bool:
        return all(map(is_number, self.values))

    def place(self, row: Row) -> float:
        value = self.value_of(row)
        return float(value if self.numeric else self.values.index(value))

    def has(self, row: Row) -> bool:
        return self.value_of(row) is not _NOWHERE

    def finish(self, axes: Axes) -> None:
        """Choose its scale, or name its ticks."""
        name = self.name
        if not self.numeric:
            said, shared = words.shortened(words.settings(self.values))
            name += f": {shared}" if shared else ""
            axes.set_xticks(range(len(said)), said)
            if sum(map(len, said)) > 34:
                axes.tick_params(axis="x", rotation=25, pad=1)
                for text in axes.get_xticklabels():
                    text.set(ha="right", rotation_mode="anchor")
            axes.set_xlim(-0.5, len(said) - 0.5)
            axes.grid(visible=False, axis="x")
        elif scales.of_settings(axes, self.values) == "linear" and _are_counts(self.values):
            axes.xaxis.set_major_locator(
                matplotlib("ticker").MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10])
            )
        axes.set_xlabel(words.with_unit(name, self.unit))


def _are_counts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int) for value in values)


def key_of(rows: Sequence[Row]) -> str | None:
    """Return the swept key that goes on the axis: numbers before words, the longest first."""
    points = [row.point for row in rows]
    values = {key: [p[key] for p in points if key in p] for key in swept(points)}
    numeric = [key for key in values if all(map(is_number, values[key]))]
    longest = {key: len(distinct(values[key])) for key in numeric or values}
    return max(longest, key=lambda key: longest[key], default=None)


def against_key(rows: Sequence[Row], key: str) -> Picture:
    """Return the picture of one quantity's rows against a key."""
    values = distinct(row.point[key] for row in rows if key in row.point)
    also = beside(rows, key)
    name = words.axis(key) + (f", with {wording.listed(map(words.axis, also))}" if also else "")
    unit = None if also else words.unit_of(key)
    axis = _Axis(name, unit, values, lambda row: row.point.get(key, _NOWHERE))
    return _picture(SWEEP, curves(rows, [key, *also]), axis, words.quantity(rows[0]))


def against_index(rows: Sequence[Row]) -> Picture:
    """Return the picture of the rows of one measure, which has several numbers, by their index."""
    values = distinct(row.index for row in rows)
    if _are_counts(values):
        values.sort()
    first = rows[0]
    of = words.statistic(wording.plain(first.quantity), first.statistic)
    if first.quantity == "survivors":
        of = "probability"
    axis = _Axis(_INDICES.get(first.quantity, "index"), None, values, lambda row: row.index)
    return _picture(INDEX, curves(rows), axis, of)


def is_curve(row: Row) -> bool:
    """Return whether a row is of one iteration of a training experiment."""
    return row.quantity in (*FALLING, *SPENT) and isinstance(row.index, int)


def descents(rows: Sequence[Row], quantity: str) -> Iterator[Picture]:
    """Return the pictures of what falls: against what was spent on it, and against iterations."""
    means = [row for row in rows if row.statistic == "mean" and is_curve(row)]
    found = curves([row for row in means if row.quantity == quantity])
    own = [row for curve in found for row in curve.all]
    label = words.statistic(wording.plain(quantity), "mean")
    for spent, kind in SPENT.items():
        axis = _spent_axis(means, own, spent)
        if quantity != spent and axis is not None:
            yield _picture(kind, found, axis, label, DECADES)
    axis = _Axis("iterations", None, [row.index for row in own], lambda row: row.index)
    yield _picture(ITERATIONS, found, axis, label, DECADES)


def loads(rows: Sequence[Row]) -> Iterator[Picture]:
    """Return the pictures of what is sent and computed against the time since the beginning."""
    means = [row for row in rows if row.statistic == "mean" and is_curve(row)]
    for quantity in (each for each in SPENT if each != "time"):
        found = curves([row for row in means if row.quantity == quantity])
        axis = _spent_axis(means, [row for curve in found for row in curve.all], "time")
        if found and axis is not None:
            yield _picture(LOADS, found, axis, f"mean {quantity} so far", math.inf)


def _spent_axis(means: Sequence[Row], own: Sequence[Row], spent: str) -> _Axis | None:
    """What was spent until the iterations of rows, as an axis; None if it was not measured."""
    cost = {(place_of(row), row.index): row for row in means if row.quantity == spent}
    if not own or any((place_of(row), row.index) not in cost for row in own):
        return None

    def value_of(row: Row) -> float:
        return cost[place_of(row), row.index].estimate.value or 0.0

    said = "time since the beginning" if spent == "time" else f"{spent} so far"
    unit = next(iter(cost.values())).unit
    return _Axis(f"mean {said}", unit, list(map(value_of, own)), value_of)


def _picture(
    kind: str, found: Sequence[Curve], axis: _Axis, label: str, decades: float = scales.DECADES
) -> Picture:
    rows = [row for curve in found for row in curve.all]
    formed = any(curve.theory for curve in found)
    sampled_beside = any(curve.beside for curve in found)
    drawn = parts.of_rows(rows)
    shared = found[0].shared
    names = [curve.label for curve in found]
    compared = any(row.printed for row in rows)
    names += [parts.CLOSED_FORM] * formed + [parts.PRINTED] * compared
    names += [parts.BESIDE] * sampled_beside
    names += [parts.INFINITE] * any(math.isinf(number.value) for number in drawn)
    names += [parts.LIMIT] * any(number.is_limit for number in drawn)

    def draw(axes: Axes) -> None:
        axis.finish(axes)
        scales.of_numbers(axes, parts.with_printed(drawn, rows), decades=decades)
        if compared:
            parts.explain(axes, parts.PRINTED, "*")
        for turn, (curve, look) in enumerate(zip(found, looks(), strict=False)):
            shift = 0.0 if axis.numeric else 0.6 * ((turn + 0.5) / len(found) - 0.5)
            _curve(axes, curve, look, axis, shift, turn)
        if sampled_beside:
            parts.explain(axes, parts.BESIDE)
        if kind not in (SWEEP, INDEX):
            axes.set_xlim(left=0.0)
        axes.set_ylabel(words.upright(words.with_unit(label, rows[0].unit)))

    title = f"{label} against {axis.name}"
    shapes = ["bands"] * axis.numeric + ["bars"] * (sampled_beside or not axis.numeric)
    said = [title + words.of((curve.label for curve in found), shared)]
    said += words.sampled(" and ".join(shapes), rows)
    said += ["the closed form is dotted"] * formed
    said += ["stars are what the paper prints"] * compared
    said += words.partitions((row.partitions for row in rows), rows[0].quantity)
    return scales.made(kind, title, said, draw, names, shared)


def _curve(axes: Axes, curve: Curve, look: Look, axis: _Axis, shift: float, turn: int) -> None:
    """Draw one curve: over numbers as a line, over words as marks; level where it has no key."""
    ends = (min(axis.values), max(axis.values)) if axis.numeric else (-0.5, len(axis.values) - 0.5)
    rest = [row for row in curve.rows or curve.theory if not axis.has(row)]
    for number in parts.of_rows(rest):
        parts.level(axes, number, ends, look, curve.label)

    def placed(rows: Sequence[Row]) -> list[parts.Number]:
        return parts.of_rows(filter(axis.has, rows), lambda row: axis.place(row) + shift)

    known, theory = placed(curve.rows), placed(curve.theory)
    if axis.numeric:
        parts.line(axes, known, look, curve.label, turn)
        parts.theory(axes, theory, alone=not known)
    else:
        parts.marks(axes, known, look, curve.label)
        for number in theory:
            parts.theory(axes, [number], alone=not known)
    parts.marks(axes, placed(curve.beside), look, hollow=True)
    there = [(axis.place(row) + shift, row) for row in curve.all if axis.has(row)]
    stars = [(x, each) for x, row in there for each in row.printed or ()]
    parts.printed(axes, stars, look["color"])
