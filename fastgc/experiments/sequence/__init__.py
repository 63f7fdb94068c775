"""Sequence experiments: rounds whose master goes by who was late in the rounds before.

One trial is a fresh sequence of rounds, in which so many jobs begin, one a round, and are decoded.
"""

from fastgc.experiments.sequence.experiment import SequenceExperiment
from fastgc.experiments.sequence.table import SequenceTable
from fastgc.experiments.table import Kind

__all__ = ["KIND", "SequenceExperiment", "SequenceTable"]

KIND = Kind(SequenceTable, SequenceExperiment)
