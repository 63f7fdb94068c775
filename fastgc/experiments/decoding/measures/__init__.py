"""The measures of a decoding experiment: what each tallies, and the rows it becomes.

A measure owns a run of cells in the tally. ``add`` fills them for one block, ``rows`` turns the
sums over all blocks into estimates; the ways to sum are `fastgc.experiments.accumulators`.
"""

from typing import Any

from fastgc import registry
from fastgc.experiments.decoding.measures import builtin
from fastgc.experiments.decoding.measures.base import ErrorMeasure
from fastgc.experiments.decoding.measures.own import DecodingMeasure, MemberMeasure, Outcome

__all__ = ["MEASURES", "DecodingMeasure", "MemberMeasure", "Outcome", "class_of", "make"]


def make(name: str, experiment: Any) -> ErrorMeasure:
    """Return the measure of that name, of fastgc or registered, for one experiment."""
    own: Any = registry.members("measure").get(name)
    made: ErrorMeasure = (
        MEASURES[name](experiment) if own is None else MemberMeasure(experiment, own())
    )
    return made


def class_of(name: str) -> type[ErrorMeasure]:
    """Return the class of the measure of that name, of fastgc or registered."""
    found: type[ErrorMeasure] = MEASURES.get(name, MemberMeasure)
    return found


MEASURES: dict[str, Any] = {
    "error": builtin.Error,
    "mean_error": builtin.MeanError,
    "error_by_survivors": builtin.ErrorBySurvivors,
    "error_lag": builtin.ErrorLag,
    "exact": builtin.Exact,
    "survivors": builtin.Survivors,
    "not_accessed": builtin.NotAccessed,
    "norm": builtin.Norm,
    "error_per_partition": builtin.ErrorPerPartition,
    "amplification": builtin.Amplification,
    "stability": builtin.Stability,
    "lost": builtin.LostPartitions,
}
DecodingMeasure.RESERVED = frozenset(MEASURES)
