"""What one trial of each kind of experiment is, and its measures."""

from collections.abc import Mapping

from fastgc.experiments.table import KINDS, Kinds, MeasuredTable

__all__ = ["KINDS", "kinds"]


def kinds() -> Mapping[str, type[MeasuredTable]]:
    """Return the class of experiment tables of each kind, with the members now registered."""
    return Kinds(lambda kind: kind.table.current())
