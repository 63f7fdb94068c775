"""What one trial of each kind of experiment is, and its measures."""

from __future__ import annotations

from fastgc.experiments.completion import CompletionExperiment, CompletionTable
from fastgc.experiments.decoding import DecodingExperiment, DecodingTable
from fastgc.experiments.table import KINDS, Kind, MeasuredTable
from fastgc.experiments.training import TrainingExperiment, TrainingTable

__all__ = ["KINDS", "kinds"]

KINDS.update(
    decoding=Kind(DecodingTable, DecodingExperiment),
    completion=Kind(CompletionTable, CompletionExperiment),
    training=Kind(TrainingTable, TrainingExperiment),
)


def kinds() -> dict[str, type[MeasuredTable]]:
    """Return the class of experiment tables of each kind, with the members now registered."""
    return {name: kind.table.current() for name, kind in KINDS.items()}
