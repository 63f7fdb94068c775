"""Decoding experiments: how far from the exact gradient the best decoding of the survivors is.

One trial is ``iterations`` straggler patterns that share what persists (who is slow); each is
decoded, and the measures summarise the errors.
"""

from fastgc.experiments.decoding.decoding_experiment import DecodingExperiment
from fastgc.experiments.decoding.decoding_table import DecodingTable
from fastgc.experiments.decoding.measures import DecodingMeasure, Outcome
from fastgc.experiments.table import Kind

__all__ = ["KIND", "DecodingExperiment", "DecodingMeasure", "DecodingTable", "Outcome"]

KIND = Kind(DecodingTable, DecodingExperiment)
