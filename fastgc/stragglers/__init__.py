"""Who answers: models of stragglers.

A model is a `Stragglers`: it says who survives (``survivors``), or draws patterns (``draw``) once
it knows the code (``bind``). Where it knows them exactly it also has ``distribution``, the
probability of every pattern in one iteration, and either ``conditional_means``, given what stays
hidden for a whole trial, or ``lagged``, the mean of what two iterations give together.
"""

from fastgc.draws.patterns import Patterns
from fastgc.stragglers.deadline import Deadline
from fastgc.stragglers.iid import Iid, Markov, TwoClass
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc.stragglers.stragglers import Stragglers
from fastgc.stragglers.trace import Trace
from fastgc.stragglers.uniform import Adversarial, Uniform

__all__ = [
    "Adversarial",
    "Deadline",
    "Iid",
    "Markov",
    "PatternLaw",
    "Patterns",
    "Stragglers",
    "Trace",
    "TwoClass",
    "Uniform",
]
