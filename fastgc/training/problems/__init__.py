"""What is learnt: linear, logistic and softmax regression, and a network with one hidden layer."""

from fastgc.training.problems.models import Linear, Logistic, Network, Softmax
from fastgc.training.problems.problem import Problem

__all__ = ["Linear", "Logistic", "Network", "Problem", "Softmax"]
