"""Verdicts as plain data that a file keeps, and the same verdicts again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from fastgc.results import sound
from fastgc.results.verdicts import Finding, Verdict
from fastgc.statistics.estimates import Estimate
from fastgc.statistics.tallies import Histogram
from fastgc.theory.papers.claim import Case

_NOT_FINITE = "float"  # the key under which JSON has a number that it has no word for


def data_of(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict, with every case and estimate, as JSON has it; defaults are left out."""
    data: dict[str, Any] = _plain(verdict)
    return data


def verdict_of(data: Mapping[str, Any]) -> Verdict:
    """Return the verdict of which `data_of` made this.

    Lists stand in points and experiments where tuples were.

    Raises
    ------
    Exception
        Of any kind, where they are not as `data_of` makes them: see `sound.reading`.
    """
    given: dict[str, Any] = _read(data)
    given["findings"] = tuple(_finding(each) for each in given["findings"])
    verdict = Verdict(**given)
    sound.require(sound.fits(verdict, Verdict))
    return verdict


def _finding(given: dict[str, Any]) -> Finding:
    made = given | {"case": Case(**given["case"]), "estimate": _estimate(given["estimate"])}
    if "sampled" in given:
        made["sampled"] = _estimate(given["sampled"])
    return Finding(**made)


def _estimate(given: dict[str, Any]) -> Estimate:
    made = dict(given)
    if "others" in given:
        made["others"] = tuple(_estimate(each) for each in given["others"])
    if "histogram" in given:
        histogram = given["histogram"]
        counts = {int(number): count for number, count in histogram.pop("counts", {}).items()}
        made["histogram"] = Histogram(counts, **histogram)
    return Estimate(**made)


def _plain(item: Any) -> Any:
    if is_dataclass(item):
        found = ((each, getattr(item, each.name)) for each in fields(item))
        return {
            each.name: _plain(value)
            for each, value in found
            if each.default is MISSING or value != each.default
        }
    if isinstance(item, Mapping):
        return {str(key): _plain(value) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [_plain(value) for value in item]
    if isinstance(item, float) and not math.isfinite(item):
        return {_NOT_FINITE: str(item)}
    return item


def _read(item: Any) -> Any:
    if isinstance(item, Mapping):
        if item.keys() == {_NOT_FINITE}:
            return float(item[_NOT_FINITE])
        return {key: _read(value) for key, value in item.items()}
    return [_read(value) for value in item] if isinstance(item, list) else item
