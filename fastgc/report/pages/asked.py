"""The question of a study, in words: what is measured, of what, at which points."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastgc.report import wording
from fastgc.report.columns import distinct
from fastgc.report.pages.words import setting
from fastgc.study.study import Study

#: Said in the sentence around them, or only of interest to whoever repeats the study.
_SAID = ("name", "kind", "measure", "quantiles", "thresholds", "method", "sweep")
_FEW = 4  # values of a swept key that are all said


def asked(study: Study) -> list[str]:
    """Return a sentence on each experiment."""
    said = []
    for data in study.experiment:
        points = [point for point in study.points() if point.experiment == data["name"]]
        swept = {
            key: distinct(point.sweep[key] for point in points if key in point.sweep)
            for key in dict.fromkeys(key for point in points for key in point.sweep)
        }
        measures = ", ".join(name.replace("_", " ") for name in points[0].table.measure)
        settings = wording.point(_settings(data, swept))
        sweep = "".join(f"; {_swept(key, values)}" for key, values in swept.items())
        said.append(f"{data['name']} ({data['kind']}): {measures} for {settings}{sweep}.")
    said += [f"The ratio of {first} to {second}." for first, second in study.ratio]
    return said


def _settings(data: Mapping[str, Any], swept: Iterable[str]) -> dict[str, Any]:
    """An experiment's own keys; dots stand for what is swept."""
    own = copy.deepcopy({key: value for key, value in data.items() if key not in _SAID})
    for path in swept:
        *above, last = path.split(".")
        inside: Any = own
        for key in above:
            inside = inside.setdefault(key, {}) if isinstance(inside, dict) else None
        if isinstance(inside, dict):
            inside[last] = "…"
    return own


def _swept(key: str, values: Sequence[Any]) -> str:
    if len(values) <= _FEW:
        return f"{key} = {', '.join(map(setting, values))}"
    return f"{key} = {setting(values[0])}, …, {setting(values[-1])} ({len(values)} values)"
