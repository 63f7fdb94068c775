"""Decoding experiments: how far from the exact gradient the best decoding of the survivors is.

One trial is ``iterations`` straggler patterns that share what persists (who is slow); each is
decoded, and the measures summarise the errors.
"""

from fastgc.experiments.decoding.exact import (
    MOST_WORKERS,
    exact_cost,
    exact_rows,
    exact_seconds,
    method,
    obstacle,
)
from fastgc.experiments.decoding.sampler import SAMPLES, Sampler
from fastgc.experiments.decoding.table import describe, table, unit

__all__ = [
    "MOST_WORKERS",
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
