"""Completion experiments: how long until the master can decode.

One trial is ``iterations`` rounds, each with a time for every worker; rounds of one trial are tied
together only by a recorded trace that is replayed.
"""

from fastgc.experiments.completion.exact import (
    exact_cost,
    exact_rows,
    exact_seconds,
    method,
    obstacle,
)
from fastgc.experiments.completion.sampler import SAMPLES, Sampler
from fastgc.experiments.completion.table import describe, table, unit

__all__ = [
    "SAMPLES",
    "Sampler",
    "describe",
    "exact_cost",
    "exact_rows",
    "exact_seconds",
    "method",
    "obstacle",
    "table",
    "unit",
]
