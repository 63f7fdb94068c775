"""What one trial of each kind of experiment is, and its measures."""

from __future__ import annotations

from fastgc.experiments.completion import CompletionTable
from fastgc.experiments.decoding import DecodingTable
from fastgc.experiments.table import KINDS, MeasuredTable
from fastgc.experiments.training import TrainingTable

__all__ = ["KINDS", "kinds"]

KINDS.update(decoding=DecodingTable, completion=CompletionTable, training=TrainingTable)


def kinds() -> dict[str, type[MeasuredTable]]:
    """Return the class of experiment tables of each kind, with the members now registered."""
    return {name: table.current() for name, table in KINDS.items()}
