"""A quantity against a swept key, its own index, iterations or what was spent on these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastgc.report.columns import distinct
from fastgc.report.pictures import numbers, parts, scales, words
from fastgc.report.pictures.curves import Curve, beside, curves, is_number, swept
from fastgc.report.pictures.legends import height, legend
from fastgc.report.pictures.looks import Look, looks
from fastgc.report.pictures.picture import COLUMN, HEIGHT, Picture, matplotlib
from fastgc.results.rows import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
from collections.abc import Iterator
from typing import TYPE_CHECKING

SWEEP, INDEX = "sweep", "index"
#: What the index of a measure counts.
_INDICES = {
    "survivors": "survivors",
    "error_by_survivors": "survivors",
    "error_lag": "lag (iterations)",
    "not_accessed": "partition",
    "stability": "noise of messages",
}


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
    name = f"{key}, with {words.listed(also)}" if also else key
    axis = _Axis(name, values, lambda row: row.point.get(key, _NOWHERE))
    return _picture(SWEEP, rows, axis, curves(rows, [key, *also]), words.quantity(rows[0]))


def against_index(rows: Sequence[Row]) -> Picture:
    """Return the picture of the rows of one measure, which has several numbers, by their index."""
    values = distinct(row.index for row in rows)
    if all(isinstance(value, int) for value in values):
        values.sort()
    first = rows[0]
    of = words.statistic(words.plain(first.quantity), first.statistic)
    if first.quantity == "survivors":
        of = "probability"
    axis = _Axis(_INDICES.get(first.quantity, "index"), values, lambda row: row.index)
    return _picture(INDEX, rows, axis, curves(rows), of)


_NOWHERE: Any = object()


@dataclass(frozen=True)
class _Axis:
    """The axis below: what stands on it, its values, and which of them a row has."""

    name: str
    values: list[Any]
    value_of: Callable[[Row], Any]

    @property
    def numeric(self) -> bool:
        return all(map(is_number, self.values))

    def place(self, row: Row) -> float:
        value = self.value_of(row)
        return float(value if self.numeric else self.values.index(value))

    def has(self, row: Row) -> bool:
        return self.value_of(row) is not _NOWHERE

    def finish(self, axes: Axes) -> None:
        """Choose its scale, or name its ticks."""
        axes.set_xlabel(words.axis(self.name))
        if not self.numeric:
            said = words.settings(self.values)
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


def _are_counts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int) for value in values)


def _picture(
    kind: str, rows: Sequence[Row], axis: _Axis, found: Sequence[Curve], label: str
) -> Picture:
    formed = any(curve.theory for curve in found)
    unlimited = any(numbers.is_infinite(row.estimate) for row in rows)
    names = [curve.label for curve in found]
    names += [parts.CLOSED_FORM] * formed + [parts.INFINITE] * unlimited

    def draw(axes: Axes) -> None:
        for turn, (curve, look) in enumerate(zip(found, looks(), strict=False)):
            shift = 0.0 if axis.numeric else 0.6 * ((turn + 0.5) / len(found) - 0.5)
            _curve(axes, curve, look, axis, shift, turn)
        axis.finish(axes)
        drawn = [numbers.of_estimate(row.estimate) for row in rows]
        scales.of_values(axes, [end for number in drawn if number for end in number[1:]])
        axes.set_ylabel(words.with_unit(label, rows[0].unit))
        legend(axes, [parts.CLOSED_FORM, parts.INFINITE])

    of = words.listed(curve.label for curve in found if curve.label)
    said = [f"{label} against {axis.name}" + (f", for {of}" if of else "")]
    if sampled := words.trials(rows):
        said.append(f"bands and bars are {numbers.INTERVAL} of {sampled}")
    if formed:
        said.append("the closed form is dotted")
    said += words.partitions((row.partitions for row in rows), rows[0].quantity)
    caption = " ".join(map(words.sentence, said))
    size = COLUMN, HEIGHT + height(names)
    return Picture(kind, f"{label} against {axis.name}", caption, draw, size)


def _curve(axes: Axes, curve: Curve, look: Look, axis: _Axis, shift: float, turn: int) -> None:
    """Draw one curve: over numbers as a line, over words as marks; level where it has no key."""
    ends = (min(axis.values), max(axis.values)) if axis.numeric else (-0.5, len(axis.values) - 0.5)
    rest = [row for row in curve.rows or curve.theory if not axis.has(row)]
    for number in numbers.of_rows(rest, lambda row: ends[0]):
        parts.level(axes, number, ends, look, curve.label)

    def placed(rows: Sequence[Row]) -> list[numbers.Number]:
        kept = [row for row in rows if axis.has(row)]
        return numbers.of_rows(kept, lambda row: axis.place(row) + shift)

    known, theory = placed(curve.rows), placed(curve.theory)
    if axis.numeric:
        parts.line(axes, known, look, curve.label, turn)
        parts.theory(axes, theory, alone=not known)
    else:
        parts.marks(axes, known, look, curve.label)
        for number in theory:
            parts.theory(axes, [number], alone=not known)
    parts.marks(axes, placed(curve.beside), look, hollow=True)


ITERATIONS, CLOCK = "iterations", "clock"
#: A descent is shown by decades if it is so many deep.
DECADES = 0.7
#: What a training experiment measures in every iteration: what falls, and what is spent.
FALLING = ("loss", "distance", "gradient_error")
SPENT = {"time": CLOCK, "downloads": "downloads", "uploads": "uploads", "gradients": "gradients"}


def is_curve(row: Row) -> bool:
    """Return whether a row is of one iteration of a training experiment."""
    return row.quantity in (*FALLING, *SPENT) and isinstance(row.index, int)


def descents(rows: Sequence[Row], quantity: str) -> Iterator[Picture]:
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
            yield _descent(kind, found, words.with_unit(f"mean {said}", unit), axis)
    yield _descent(ITERATIONS, found, "iterations", None)


def _place(row: Row) -> tuple[str, str, int | str | None]:
    return row.experiment, str(sorted(row.point.items(), key=str)), row.index


def _descent(
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
