"""How long a task takes: laws of latency.

Each law says what time a load takes (``time(load, scaling)``): survival and distribution function,
both quantile functions, mean, and times from uniform numbers.
"""

from fastgc.latency.bimodal import Bimodal
from fastgc.latency.deterministic import Deterministic
from fastgc.latency.empirical import Empirical
from fastgc.latency.exponential import Exponential
from fastgc.latency.gamma import Gamma
from fastgc.latency.law import DrawnLaw, Law, Scaling
from fastgc.latency.lognormal import Lognormal
from fastgc.latency.pareto import Pareto
from fastgc.latency.time import Time
from fastgc.latency.uniform import Uniform
from fastgc.latency.weibull import Weibull

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
