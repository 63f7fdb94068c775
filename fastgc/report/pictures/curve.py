"""Curves: a quantity against a swept key, its own index, rounds or what was spent on these.

They are the rows of one quantity, distinguished by what is not on the axis below.
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastgc.registry.complaints import one_line
from fastgc.report import wording
from fastgc.report.pictures import draw, words
from fastgc.report.pictures.picture import HEIGHT, Axes, Picture, matplotlib
from fastgc.report.text import distinct
from fastgc.results.rows import CLOSED_FORM, MONTE_CARLO, PREFERENCE, Row

SWEEP, INDEX, ITERATIONS, CLOCK = "sweep", "index", "iterations", "clock"
COMPARISON = "comparison"
#: Names on the axis below that are slanted; more stand upright.
MOST_SLANTED = 8
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
FALLING = ("loss", "distance", "gradient_error")
SPENT = {"time": CLOCK, "downloads": "downloads", "uploads": "uploads", "gradients": "gradients"}


@dataclass
class CurveRows:
    """One curve: ``rows`` of the sharpest method, samples ``beside`` them, closed forms."""

    label: str
    rows: list[Row] = field(default_factory=list)
    beside: list[Row] = field(default_factory=list)
    theory: list[Row] = field(default_factory=list)

    @property
    def all(self) -> list[Row]:
        """Rows of all methods."""
        return [*self.rows, *self.beside, *self.theory]


def curves(rows: Sequence[Row], without: Sequence[str] = ()) -> list[CurveRows]:
    """Return a curve for each experiment and setting of swept keys but those ``without``."""
    keys = [key for key in swept(rows) if key not in without]
    labels: dict[str, dict[str, str]] = {}
    for key in keys:  # how each of its values is called in a legend
        texts = sorted({_text(row.point[key]) for row in rows if key in row.point})
        values = list(map(json.loads, texts))
        short = key.rpartition(".")[2]
        labels[key] = {
            text: f"{short}={said}" if isinstance(value, int | float | list) else said
            for text, value, said in zip(texts, values, words.settings(values), strict=True)
        }
    several = len({row.experiment for row in rows}) > 1

    def place(row: Row) -> str:
        return _text([row.experiment, row.point, row.index, row.statistic])

    measured = [row for row in rows if row.method != CLOSED_FORM]
    measured.sort(key=lambda row: -PREFERENCE.index(row.method))
    sharpest = {place(row): row for row in measured}
    found: dict[str, CurveRows] = {}
    for row in rows:
        rest = {key: value for key, value in row.point.items() if key not in without}
        own = [labels[key][_text(row.point[key])] for key in keys if key in row.point]
        label = one_line(" ".join([*([row.experiment] if several else []), *own]))
        curve = found.setdefault(_text([row.experiment, rest]), CurveRows(label))
        if row.method == CLOSED_FORM:
            curve.theory.append(row)
        elif sharpest[place(row)] is row:
            curve.rows.append(row)
        elif row.method == MONTE_CARLO:
            curve.beside.append(row)
    return list(found.values())


def swept(rows: Sequence[Row]) -> list[str]:
    """Return the keys that have more than one value, in their order."""
    points = [row.point for row in rows]
    keys = dict.fromkeys(key for point in points for key in point)
    return [key for key in keys if len({_text(p[key]) for p in points if key in p}) > 1]


def beside(rows: Sequence[Row], key: str) -> list[str]:
    """Return the keys that are swept together with one: its value says what theirs is."""
    found = []
    for other in swept(rows):
        pairs = {
            (row.experiment, _text(row.point[key]), _text(row.point[other]))
            for row in rows
            if key in row.point and other in row.point
        }
        if other != key and pairs and len({pair[:2] for pair in pairs}) == len(pairs):
            found.append(other)
    return found


def is_number(value: Any) -> bool:
    """Return whether a setting can stand on an axis."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@dataclass(frozen=True)
class _Axis:
    """The axis below: what stands on it, its values, and which of them a row has, perhaps none."""

    name: str
    unit: str | None
    values: list[Any]
    value_of: Callable[[Row], Any]

    @property
    def numeric(self) -> bool:
        return all(map(is_number, self.values))

    def place(self, row: Row) -> float:
        value = self.value_of(row)
        return float(value if self.numeric else self.values.index(value))

    def finish(self, axes: Axes) -> None:
        axes.set_xlabel(words.with_unit(self.name, self.unit))
        if not self.numeric:
            said = words.settings(self.values)
            turned: dict[str, Any] = {"rotation": 25, "ha": "right", "rotation_mode": "anchor"}
            if len(said) > MOST_SLANTED:
                turned = {"rotation": 90}
            axes.set_xticks(range(len(said)), said, **turned if sum(map(len, said)) > 34 else {})
            axes.set_xlim(-0.5, len(said) - 0.5)
            axes.grid(visible=False, axis="x")
            return
        known = sorted(set(self.values))
        middle = known[len(known) // 2]
        wide = len(known) > 2 and known[0] > 0 and known[-1] / known[0] >= 20
        if wide and middle <= (known[0] + known[-1]) / 4:  # as it was swept
            draw.by_powers(axes, "x", known[-1] / known[0])
        elif all(isinstance(value, int) for value in known):
            locator = matplotlib("ticker").MaxNLocator
            axes.xaxis.set_major_locator(locator("auto", integer=True, steps=[1, 2, 5, 10]))


def key_of(rows: Sequence[Row]) -> str | None:
    """Return the swept key that goes on the axis: numbers before words, the longest first."""
    values = {key: [row.point[key] for row in rows if key in row.point] for key in swept(rows)}
    numeric = [key for key in values if all(map(is_number, values[key]))]
    longest = {key: len(distinct(values[key])) for key in numeric or values}
    return max(longest, key=lambda key: longest[key], default=None)


def against_key(rows: Sequence[Row], key: str) -> Picture:
    """Return the picture of one quantity's rows against a key."""
    values = distinct(row.point[key] for row in rows if key in row.point)
    also = beside(rows, key)
    name = words.axis(key) + (f", with {wording.listed(map(words.axis, also))}" if also else "")
    axis = _Axis(name, None if also else words.unit_of(key), values, lambda row: row.point.get(key))
    label = wording.named(rows[0].quantity, rows[0].statistic, rows[0].index)
    return _picture(SWEEP, curves(rows, [key, *also]), axis, label)


def against_index(rows: Sequence[Row]) -> Picture:
    """Return the picture of the rows of one measure, which has several numbers, by their index."""
    values, first = distinct(row.index for row in rows), rows[0]
    if all(isinstance(value, int) for value in values):
        values.sort()
    label = "probability"
    if first.quantity != "survivors":
        label = wording.statistic(wording.plain(first.quantity), first.statistic)
    axis = _Axis(_INDICES.get(first.quantity, "index"), None, values, lambda row: row.index)
    return _picture(INDEX, curves(rows), axis, label)


def by_name(rows: Sequence[Row]) -> Picture:
    """Return the picture of experiments beside each other, a mark for each."""
    label = wording.named(rows[0].quantity, rows[0].statistic, rows[0].index)
    whole, names = CurveRows(""), dict[int, str]()
    for each in curves(rows):
        names |= {id(row): each.label or row.experiment for row in each.all}
        whole.rows += each.rows
        whole.beside += each.beside
        whole.theory += each.theory
    axis = _Axis("", None, distinct(names.values()), lambda row: names[id(row)])
    return _picture(COMPARISON, [whole], axis, label)


def is_per_round(row: Row) -> bool:
    """Return whether a row is of one iteration of a training experiment."""
    return row.quantity in (*FALLING, *SPENT) and isinstance(row.index, int)


def descents(rows: Sequence[Row], quantity: str) -> Iterator[Picture]:
    """Return the pictures of what falls: against what was spent on it, and against iterations."""
    means = [row for row in rows if row.statistic == "mean" and is_per_round(row)]
    found = curves([row for row in means if row.quantity == quantity])
    own = [row for curve in found for row in curve.all]
    label = wording.statistic(wording.plain(quantity), "mean")

    def place(row: Row) -> str:
        return _text([row.experiment, row.point, row.index])

    for spent, kind in SPENT.items():
        cost = {place(row): row.estimate.value or 0.0 for row in means if row.quantity == spent}
        if quantity == spent or not own or any(place(row) not in cost for row in own):
            continue
        name = "mean time since the beginning" if spent == "time" else f"mean {spent} so far"
        unit = next(row.unit for row in means if row.quantity == spent)
        values: list[Any] = [cost[place(row)] for row in own]
        axis = _Axis(name, unit, values, lambda row, cost=cost: cost[place(row)])  # type: ignore[misc]
        yield _picture(kind, found, axis, label)
    axis = _Axis("iterations", None, [row.index for row in own], lambda row: row.index)
    yield _picture(ITERATIONS, found, axis, label)


def _picture(kind: str, found: Sequence[CurveRows], axis: _Axis, label: str) -> Picture:
    rows = [row for curve in found for row in curve.all]
    is_descent = kind not in (SWEEP, INDEX, COMPARISON)
    formed = any(curve.theory for curve in found)
    sampled_beside = any(curve.beside for curve in found)
    drawn = draw.numbers(rows)
    compared = any(row.printed for row in rows)
    names = [curve.label for curve in found]
    names += [draw.CLOSED_FORM] * formed + [draw.PRINTED] * compared
    names += [draw.BESIDE] * sampled_beside
    names += [draw.INFINITE] * any(math.isinf(number.value) for number in drawn)
    names += [draw.LIMIT] * any(number.is_limit for number in drawn)

    def draw_on(axes: Axes) -> None:
        axis.finish(axes)
        # an axis has room for what a paper prints, too
        room = (draw.Mark(0.0, x, x, x) for row in rows for x in row.printed or ())
        draw.scale_for(axes, [*drawn, *room], decades=DECADES if is_descent else draw.DECADES)
        if compared:
            draw.explain(axes, draw.PRINTED, "*")
        for turn, (curve, look) in enumerate(zip(found, draw.looks(), strict=False)):
            shift = 0.0 if axis.numeric else 0.6 * ((turn + 0.5) / len(found) - 0.5)
            _curve(axes, curve, look, axis, shift)
        if sampled_beside:
            draw.explain(axes, draw.BESIDE)
        if is_descent:
            axes.set_xlim(left=0.0)
        axes.set_ylabel(words.upright(words.with_unit(label, rows[0].unit)))

    title = f"{label} against {axis.name}" if axis.name else f"{label}, compared"
    shapes = ["bands"] * axis.numeric + ["bars"] * (sampled_beside or not axis.numeric)
    said = [title + words.of(curve.label for curve in found)]
    if not axis.name:
        said = [label + words.of(axis.values, " of ", most=12)]
    wide = draw.are_seen(drawn)
    said += words.sampled(" and ".join(shapes) if wide else "", rows)
    level = any(axis.value_of(row) is None for row in rows)
    said += [f"level lines are of experiments with one {axis.name} or none"] * level
    said += [
        "strokes are closed forms" if kind == COMPARISON else "closed forms are dotted over curves"
    ] * formed
    said += ["stars are what the paper prints"] * compared
    height = HEIGHT
    if kind == COMPARISON:  # names on the axis take room below it
        height += 0.03 * max(map(len, words.settings(axis.values)))
    return draw.made(kind, said, rows, draw_on, names, height, title)


def _curve(axes: Axes, curve: CurveRows, look: draw.Look, axis: _Axis, shift: float) -> None:
    # over numbers as a line, over words as marks; level where it has no key
    ends = (min(axis.values), max(axis.values)) if axis.numeric else (-0.5, len(axis.values) - 0.5)
    rest = [row for row in curve.rows or curve.theory if axis.value_of(row) is None]
    for _, value, low, high in draw.numbers(rest):
        axes.plot(ends, [value] * 2, label=curve.label or None, **look | {"marker": ""})
        if low != high:
            draw.band(axes, ends, low, high, look)

    def placed(rows: Sequence[Row]) -> list[draw.Mark]:
        own = [row for row in rows if axis.value_of(row) is not None]
        return draw.numbers(own, lambda row: axis.place(row) + shift)

    # where nothing else is known the curve itself is the closed form
    there = [axis.value_of(row) for row in curve.rows]
    known = placed([*curve.rows, *(r for r in curve.theory if axis.value_of(r) not in there)])
    theory = placed(curve.theory)
    if axis.numeric:
        draw.line(axes, known, look, curve.label)
        draw.theory(axes, theory)
    else:
        draw.marks(axes, known, look, curve.label)
        for number in theory:
            draw.theory(axes, [number])
    draw.marks(axes, placed(curve.beside), look, hollow=True)
    there = [row for row in curve.all if axis.value_of(row) is not None and row.printed]
    stars = [(axis.place(row) + shift, each) for row in there for each in row.printed or ()]
    draw.stars(axes, stars, look["color"])
