"""Curves of a result: the rows of one quantity, distinguished by what is not on the axis."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fastgc.registry.complaints import one_line
from fastgc.report.pictures import words
from fastgc.results.rows import CLOSED_FORM, MONTE_CARLO, PREFERENCE, Row


@dataclass
class Curve:
    """The numbers of one curve, in the order of the result.

    ``rows`` are those of the sharpest method, ``beside`` samples of the same numbers, ``theory``
    closed forms. ``label`` tells it from other curves, without the words ``shared`` by all labels.
    """

    label: str
    rows: list[Row] = field(default_factory=list)
    beside: list[Row] = field(default_factory=list)
    theory: list[Row] = field(default_factory=list)
    shared: str = ""

    @property
    def all(self) -> list[Row]:
        """Rows of all methods."""
        return [*self.rows, *self.beside, *self.theory]


def curves(rows: Sequence[Row], without: Sequence[str] = ()) -> list[Curve]:
    """Return a curve for each experiment and setting of swept keys but those ``without``."""
    points = [row.point for row in rows]
    keys = [key for key in swept(points) if key not in without]
    labels = {key: _labels(key, points) for key in keys}
    experiments = list(dict.fromkeys(row.experiment for row in rows))
    found: dict[str, Curve] = {}
    for row in rows:
        own = [labels[key][_text(row.point[key])] for key in keys if key in row.point]
        name = [row.experiment] if len(experiments) > 1 else []
        label = one_line(" ".join([*name, *own]))
        rest = {key: value for key, value in row.point.items() if key not in without}
        curve = found.setdefault(_text([row.experiment, rest]), Curve(label))
        (curve.theory if row.method == CLOSED_FORM else curve.rows).append(row)
    short, shared = words.shortened([curve.label for curve in found.values()])
    if len(experiments) == len(keys) == 1 and not any("=" in label for label in short):
        shared = shared or words.axis(keys[0])  # what words of a setting are about
    for curve, label in zip(found.values(), short, strict=True):
        curve.label, curve.shared = label, shared
        _sort(curve)
    return [curve for curve in found.values() if curve.all]


def _sort(curve: Curve) -> None:
    """Keep of every number the row of the sharpest method, and samples beside it."""
    best: dict[str, Row] = {}
    for row in sorted(curve.rows, key=lambda row: PREFERENCE.index(row.method)):
        best.setdefault(_text([row.point, row.index, row.statistic]), row)
    kept = {id(row) for row in best.values()}
    others = [row for row in curve.rows if id(row) not in kept]
    curve.beside = [row for row in others if row.method == MONTE_CARLO]
    curve.rows = [row for row in curve.rows if id(row) in kept]


def swept(points: Sequence[dict[str, Any]]) -> list[str]:
    """Return the keys that have more than one value, in their order."""
    keys = dict.fromkeys(key for point in points for key in point)
    return [key for key in keys if len({_text(p[key]) for p in points if key in p}) > 1]


def beside(rows: Sequence[Row], key: str) -> list[str]:
    """Return the keys that are swept together with one: its value says what theirs is."""
    found = []
    for other in swept([row.point for row in rows]):
        pairs = {
            (row.experiment, _text(row.point[key]), _text(row.point[other]))
            for row in rows
            if key in row.point and other in row.point
        }
        if other != key and pairs and len({pair[:2] for pair in pairs}) == len(pairs):
            found.append(other)
    return found


def place_of(row: Row) -> tuple[str, str]:
    """Return the experiment and the point of a row, which its other measures share."""
    return row.experiment, _text(row.point)


def is_number(value: Any) -> bool:
    """Return whether a setting can stand on an axis."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _labels(key: str, points: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return how each value of a key is called in a legend."""
    texts = sorted({_text(point[key]) for point in points if key in point})
    values = [json.loads(text) for text in texts]
    short = key.rpartition(".")[2]
    return {
        text: f"{short}={said}" if isinstance(value, int | float | list) else said
        for text, value, said in zip(texts, values, words.settings(values), strict=True)
    }


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
