"""Local SGD: workers make steps of their own, and their parameters are averaged now and then."""

import itertools

import numpy as np

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.training.coded import Descent
from fastgc.training.data import Data, bounds
from fastgc.training.optimizers import GradientDescent, Optimizer
from fastgc.training.problems import Problem


class LocalDescent:
    """Workers that make steps on their own samples, and whose parameters are then averaged.

    ``data`` are cut for ``n`` workers as `bounds` does; the ``optimizer``'s step decays from one of
    the ``period`` local steps to the next.

    Raises FastgcError if the optimizer is none of gradient descent, or there are fewer samples than
    workers.
    """

    def __init__(
        self, problem: Problem, data: Data, n: int, optimizer: Optimizer, period: int
    ) -> None:
        if not isinstance(optimizer, GradientDescent):
            raise FastgcError("local steps are those of gradient descent, which has no memory")
        self.optimizer, self.period = optimizer, period
        cuts = bounds(data.samples, n)
        self._parts = [
            Descent(problem, Data(data.X[a:b], data.y[a:b], data.classes), 1, optimizer, period)
            for a, b in itertools.pairwise(cuts)
        ]
        self._whole = Descent(problem, data, 1, optimizer, 1)
        #: Each worker's share of the samples, by which its parameters count.
        self.shares = np.diff(cuts) / data.samples

    def of_period(self, place: int) -> GradientDescent:
        """Return what makes the local steps of a period, from 0."""
        own = self.optimizer
        slower = 1.0 + own.decay * (place * self.period)
        return GradientDescent(step=own.step / slower, decay=own.decay / slower)

    def loss(self, theta: Values) -> float:
        """Return the mean loss over all samples."""
        return self._whole.steps(theta, self.optimizer)[1]

    def after(self, theta: Values, own: GradientDescent) -> Values:
        """Return the averaged parameters after a period from ``theta``."""
        ends = [part.steps(theta, own)[0] for part in self._parts]
        theta = np.zeros_like(theta)
        for share, end in zip(self.shares, ends, strict=True):  # in one order
            theta += share * end
        return theta


def local_losses(
    problem: Problem, data: Data, n: int, optimizer: Optimizer, period: int, iterations: int
) -> Values:
    """Return the loss of the averaged parameters after 0, 1, … synchronisations.

    Each of n workers has a partition of the data, as `bounds` cuts them. In a period it makes
    ``period`` steps of gradient descent on the mean loss of its own samples. Then the parameters
    are averaged, each worker's in proportion to its samples, and all go on from there (Stich,
    *Local SGD Converges Fast and Communicates Little*, ICLR 2019). Nothing here is random: all
    workers are waited for, so that no loss depends on who is late.

    ``data``: what ``problem.load()`` returned; ``n``: workers; ``optimizer``: its step decays from
    one local step to the next; ``period``: local steps from one synchronisation to the next;
    ``iterations``: local steps of a worker in all; those after the last synchronisation are not
    made.

    Returns a float64 array (iterations // period + 1,): mean losses over all samples; NaN once the
    run has diverged, as in `Descent`. Raises FastgcError if the optimizer is none of gradient
    descent, or there are fewer samples than workers.
    """
    local = LocalDescent(problem, data, n, optimizer, period)
    theta = np.ascontiguousarray(problem.start(data), np.float64)
    losses = np.full(iterations // period + 1, np.nan)
    for place in range(losses.size):
        losses[place] = local.loss(theta)
        if not losses[place] <= Descent.limit(losses[0]):
            losses[place] = np.nan
            break
        theta = local.after(theta, local.of_period(place))
    return losses
