"""What one trial of each kind of experiment is, and its measures."""

from __future__ import annotations

from typing import Any

from fastgc.experiments import completion, decoding, training
from fastgc.experiments.measures import of_statistic

_KINDS = {"decoding": decoding, "completion": completion, "training": training}


def kinds() -> dict[str, Any]:
    """Return the class of experiment tables of each kind, with the members now registered."""
    return {name: table_of(name) for name in _KINDS}


def table_of(kind: str) -> Any:
    """Return the class of experiment tables of a kind, with the members now registered."""
    return _KINDS[kind].table()


def kind_of(table: Any) -> Any:
    """Return the module that runs experiments of a table's kind."""
    return _KINDS[table.kind]


def unit(kind: str, measure: str, statistic: str) -> str:
    """Unit of a statistic of a measure of a kind of experiment."""
    return of_statistic(_KINDS[kind].unit(measure), statistic)
