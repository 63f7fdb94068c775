"""How a gradient changes the parameters: gradient descent, Adam, AMSGrad."""

from fastgc.training.optimizers.adam import Adam
from fastgc.training.optimizers.amsgrad import Amsgrad
from fastgc.training.optimizers.gradient_descent import GradientDescent
from fastgc.training.optimizers.optimizer import Optimizer

__all__ = ["Adam", "Amsgrad", "GradientDescent", "Optimizer"]
