"""Training experiments: how the loss falls when some gradients are late, wrong or left out.

One trial is one training run of ``iterations`` steps.
"""

from fastgc.experiments.training.sampler import SAMPLES, Sampler
from fastgc.experiments.training.table import (
    describe,
    exact_cost,
    exact_rows,
    exact_seconds,
    method,
    obstacle,
    table,
    unit,
)

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
