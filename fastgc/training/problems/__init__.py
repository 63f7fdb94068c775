"""What is learnt: linear, logistic and softmax regression, and a network with one hidden layer."""

from fastgc.training.problems.linear import Linear
from fastgc.training.problems.logistic import Logistic
from fastgc.training.problems.network import Network
from fastgc.training.problems.problem import Problem
from fastgc.training.problems.softmax import Softmax

__all__ = ["Linear", "Logistic", "Network", "Problem", "Softmax"]
