"""How long a task takes: laws of latency.

Each law says what time a load takes (``time(load, scaling)``): survival and distribution function,
both quantile functions, mean, and times from uniform numbers.
"""

from fastgc.latency.empirical import Empirical
from fastgc.latency.law import DrawnLaw, Law, Scaling
from fastgc.latency.laws import (
    Bimodal,
    Deterministic,
    Exponential,
    Gamma,
    Lognormal,
    Pareto,
    Uniform,
    Weibull,
)
from fastgc.latency.time import Time

__all__ = [
    "Bimodal",
    "Deterministic",
    "DrawnLaw",
    "Empirical",
    "Exponential",
    "Gamma",
    "Law",
    "Lognormal",
    "Pareto",
    "Scaling",
    "Time",
    "Uniform",
    "Weibull",
]
