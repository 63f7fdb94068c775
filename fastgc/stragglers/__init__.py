"""Who answers: models of stragglers.

Each model draws patterns (``draw``) and knows them exactly: ``distribution``, the probability of
every pattern, and ``conditional_means``, given what stays hidden for a whole trial.
"""

from fastgc.stragglers.iid import Iid
from fastgc.stragglers.two_class import TwoClass
from fastgc.stragglers.uniform import Uniform

__all__ = ["Iid", "TwoClass", "Uniform"]
