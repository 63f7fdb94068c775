"""Completion experiments: how long until the master can decode.

One trial is ``iterations`` rounds, each with a time for every worker; rounds of one trial are tied
together only by a recorded trace that is replayed.
"""

from fastgc.experiments.completion.completion_experiment import CompletionExperiment
from fastgc.experiments.completion.completion_table import CompletionTable
from fastgc.experiments.table import Kind

__all__ = ["KIND", "CompletionExperiment", "CompletionTable"]

KIND = Kind(CompletionTable, CompletionExperiment)
