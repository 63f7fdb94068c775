"""The measures of a decoding experiment: what each tallies, and the rows it becomes.

A measure owns a run of cells in the tally. ``add`` fills them for one block, ``rows`` turns the
sums over all blocks into estimates; the ways to sum are `fastgc.experiments.accumulators`.
"""

from typing import Any

from fastgc import registry
from fastgc.experiments.decoding.measures.base import (
    Block,
    ExactForm,
    Levels,
    Measure,
    Scale,
    Scope,
    Setting,
    in_range,
    threshold_margin,
)
from fastgc.experiments.decoding.measures.indexed import (
    ErrorBySurvivors,
    ErrorLag,
    Exact,
    NotAccessed,
    Stability,
    Survivors,
)
from fastgc.experiments.decoding.measures.own import DecodingMeasure, OfMember, Outcome
from fastgc.experiments.decoding.measures.spreads import (
    Amplification,
    Error,
    ErrorPerPartition,
    MeanError,
    Norm,
    Spread,
)

__all__ = [
    "MEASURES",
    "Block",
    "DecodingMeasure",
    "ExactForm",
    "Levels",
    "Measure",
    "OfMember",
    "Outcome",
    "Scale",
    "Scope",
    "Setting",
    "Spread",
    "class_of",
    "in_range",
    "made",
    "threshold_margin",
]


def made(name: str, setting: Setting) -> Measure:
    """Return the measure of that name, of fastgc or registered, for one experiment."""
    own: Any = registry.members("measure").get(name)
    measure: Measure = MEASURES[name](setting) if own is None else OfMember(setting, own())
    return measure


def class_of(name: str) -> type[ExactForm]:
    """Return the class of the measure of that name, of fastgc or registered."""
    found: type[ExactForm] = MEASURES.get(name, OfMember)
    return found


MEASURES: dict[str, Any] = {
    "error": Error,
    "mean_error": MeanError,
    "error_by_survivors": ErrorBySurvivors,
    "error_lag": ErrorLag,
    "exact": Exact,
    "survivors": Survivors,
    "not_accessed": NotAccessed,
    "norm": Norm,
    "error_per_partition": ErrorPerPartition,
    "amplification": Amplification,
    "stability": Stability,
}
DecodingMeasure.RESERVED = frozenset(MEASURES)
