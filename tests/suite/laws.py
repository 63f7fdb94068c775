"""Laws of latency of every kind, with P(X > t) to as many digits as are asked for."""

import mpmath

from fastgc.latency import (
    Bimodal,
    Deterministic,
    Exponential,
    Gamma,
    Lognormal,
    Pareto,
    Uniform,
    Weibull,
)

F = mpmath.mpf
INVERTIBLE = {
    "exponential": Exponential(mean=2.0, shift=0.5),
    "weibull, heavy": Weibull(shape=0.5, scale=2.0),
    "weibull, light": Weibull(shape=3.0, scale=2.0, shift=1.0),
    "pareto": Pareto(shape=2.5, scale=3.0),
    "uniform": Uniform(low=1.0, high=3.0),
    "lognormal": Lognormal(mu=0.25, sigma=0.5),
}
OTHERS = {
    "gamma, 0.5": Gamma(shape=0.5, scale=2.0),
    "gamma, 30": Gamma(shape=30.0, scale=0.25, shift=0.25),
    "bimodal": Bimodal(
        p_slow=0.125, fast=Exponential(mean=1.0, shift=0.5), slow=Pareto(shape=3.0, scale=4.0)
    ),
}
LAWS = INVERTIBLE | OTHERS
CERTAIN = Deterministic(value=1.25)

#: P(X > t) for t between the ends, which are where it begins to fall and where it is 0.
SURVIVAL = {
    "exponential": lambda t: mpmath.exp(-(t - F(0.5)) / 2),
    "weibull, heavy": lambda t: mpmath.exp(-mpmath.sqrt(t / 2)),
    "weibull, light": lambda t: mpmath.exp(-(((t - 1) / 2) ** 3)),
    "pareto": lambda t: (3 / t) ** F(2.5),
    "uniform": lambda t: (3 - t) / 2,
    "lognormal": lambda t: mpmath.erfc((mpmath.log(t) - F(0.25)) / F(0.5) / mpmath.sqrt(2)) / 2,
    "gamma, 0.5": lambda t: mpmath.gammainc(F(0.5), t / 2, regularized=True),
    "gamma, 30": lambda t: mpmath.gammainc(30, (t - F(0.25)) * 4, regularized=True),
    "bimodal": lambda t: F(0.875) * mpmath.exp(-(t - F(0.5))) + F(0.125) * min(F(1), (4 / t) ** 3),
}
START = dict.fromkeys(LAWS, 0.0)
START |= {"exponential": 0.5, "weibull, light": 1.0, "pareto": 3.0, "uniform": 1.0}
START |= {"gamma, 30": 0.25, "bimodal": 0.5}
END = dict.fromkeys(LAWS, float("inf")) | {"uniform": 3.0}
