"""The question of a study, in words: what is measured, of what, at which points."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from fastgc.report import wording
from fastgc.report.pages.words import setting
from fastgc.study.study import Study

#: Said in the sentence around them, or only of interest to whoever repeats the study.
_SAID = ("name", "kind", "measure", "quantiles", "thresholds", "method", "sweep")
_FEW = 4  # values of a swept key that are all said


def asked(study: Study) -> list[str]:
    """Return a sentence on each experiment."""
    tables = {point.experiment: point.table for point in study.points()}
    said = []
    for data in study.experiment:
        table = tables[data["name"]]
        measures = ", ".join(name.replace("_", " ") for name in table.measure)
        settings = wording.point(_settings(data))
        sweep = "".join(f"; {_swept(key, data)}" for key in data.get("sweep", {}))
        said.append(f"{data['name']} ({data['kind']}): {measures} for {settings}{sweep}.")
    said += [f"The ratio of {first} to {second}." for first, second in study.ratio]
    return said


def _settings(data: Mapping[str, Any]) -> dict[str, Any]:
    """An experiment's own keys; dots stand for what is swept."""
    own = copy.deepcopy({key: value for key, value in data.items() if key not in _SAID})
    for path in data.get("sweep", {}):
        *above, last = path.split(".")
        inside: Any = own
        for key in above:
            inside = inside.setdefault(key, {}) if isinstance(inside, dict) else None
        if isinstance(inside, dict):
            inside[last] = "…"
    return own


def _swept(key: str, data: Mapping[str, Any]) -> str:
    values = data["sweep"][key]
    if not isinstance(values, list):
        return key
    if len(values) <= _FEW:
        return f"{key} = {', '.join(map(setting, values))}"
    return f"{key} = {setting(values[0])}, …, {setting(values[-1])} ({len(values)} values)"
