"""Laws of time that kernels know, by number, and how their parameters lie in a flat array.

Each is the law of offset + factor · Y for a Y made from a standard exponential number e, which is
−log P(Y > y): parameters begin with offset and factor, and Y's own follow.
"""

EXPONENTIAL = 0  #: Y = e
WEIBULL = 1  #: Y = e^a; a = 1/shape
PARETO = 2  #: Y = exp(a e); a = 1/shape
UNIFORM = 3  #: Y = 1 − exp(−e)
LOGNORMAL = 4  #: Y = exp(a + b z) with P(Z > z) = exp(−e) for a standard normal Z
DETERMINISTIC = 5  #: Y = 0
VALUES = 6  #: Y = one of the values that follow, in ascending order, all alike
GAMMA = 7  #: Y of mean and variance a, by numbers of its own: no function of e
#: p, kind and number of parameters of the fast law, kind of the slow one, then both laws' own:
#: with probability p the slow law, else the fast one; no function of e
MIXTURE = 8

#: Laws whose times are a growing function of e.
INVERTIBLE = (EXPONENTIAL, WEIBULL, PARETO, UNIFORM, LOGNORMAL, DETERMINISTIC, VALUES)
