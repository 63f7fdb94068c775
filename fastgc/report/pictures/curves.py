"""Curves of a result: the rows of one quantity, told apart by what is not on the axis."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fastgc.registry.complaints import one_line
from fastgc.report.pictures import words
from fastgc.results.rows import CLOSED_FORM, MONTE_CARLO, PREFERENCE, Row


@dataclass
class Curve:
    """The numbers of one curve.

    Attributes
    ----------
    label : str
        What tells it from the others; empty where it is the only one.
    shared : str
        Words that the labels of all curves would have, which are not in them.
    rows : list of Row
        The numbers, by the sharpest method, in the order of the result.
    beside : list of Row
        Samples beside exact numbers.
    theory : list of Row
        Closed forms.
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
    for curve, label in zip(found.values(), short, strict=True):
        curve.label, curve.shared = label, shared
        _sort(curve)
    return [curve for curve in found.values() if curve.all]


def _sort(curve: Curve) -> None:
    """Keep of every number the row of the sharpest method, and samples beside it."""
    best: dict[str, Row] = {}
    for row in curve.rows:
        place = _text([row.point, row.index, row.statistic])
        known = best.get(place)
        if known is None or PREFERENCE.index(row.method) < PREFERENCE.index(known.method):
            best[place] = row
    kept = list(best.values())
    curve.beside = [
        row
        for row in curve.rows
        if row.method == MONTE_CARLO and not any(row is each for each in kept)
    ]
    curve.rows = kept


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
    values = [p[key] for p in points if key in p]
    known = [value for value, _ in itertools.groupby(sorted(map(_text, values)))]
    made = [json.loads(text) for text in known]
    said = words.settings(made)
    short = key.rpartition(".")[2]
    needs_key = [is_number(value) or isinstance(value, bool | list) for value in made]
    return {
        text: f"{short}={word}" if needed else word
        for text, word, needed in zip(known, said, needs_key, strict=True)
    }


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
