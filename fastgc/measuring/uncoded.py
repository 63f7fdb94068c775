"""Uncoded work of shares that follow the workers' speeds, and local steps that are averaged."""

from collections.abc import Mapping
from functools import partial
from itertools import islice, pairwise
from typing import Any, ClassVar

import numpy as np

from fastgc import codes
from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.errors import FastgcError
from fastgc.measuring.schemes import CodedGradient, Rows, Scheme
from fastgc.measuring.worker import LocalPiece, SharedPiece, gradient_of
from fastgc.systems.system import System
from fastgc.training.data import bounds
from fastgc.training.local import LocalDescent, local_losses
from fastgc.training.optimizers import GradientDescent, Optimizer
from fastgc.training.problems import Problem


def uncoded(
    system: System, problem: Problem, optimizer: Optimizer, code: Code | None
) -> Scheme | None:
    """Return what workers compute for a system that no code fits; None for all others.

    Raises FastgcError if a code, or an optimizer, does not fit the system.
    """
    if not system.LOOKS_BACK:
        return None
    n, family = system.workers(), system.settings()["family"]
    if code is not None and not (code.k == code.n == n and np.array_equal(code.B, np.eye(n))):
        raise FastgcError(f"must be left out with {family}, whose work is uncoded", "code")
    if system.GRADIENT == "stale":
        return Averaged(problem, optimizer, n, system.structure().tasks)
    own = codes.uncoded(n=n)
    scheme = SharedOut.of_problem(problem, problem.load(), own, Decoder(own))
    assert isinstance(scheme, SharedOut)
    scheme.system, scheme.name = system, f"gradient of a {problem.model} model by {family}"
    return scheme


class SharedOut(CodedGradient):
    """The gradient of all samples, of which each worker has as many as it is fast.

    All have all samples; an order says which are whose. Until all have answered ``basis`` rounds
    the shares are equal. Then they are the system's, by each worker's mean of the seconds a unit of
    load in its last ``basis`` rounds. A worker that never answered or is lost is slower than all.
    """

    by_speed: ClassVar[bool] = True
    system: System

    @property
    def carried(self) -> int:
        """Parameters, and where the samples of each worker begin and end."""
        return self.parameters + self.code.n + 1

    def pieces(self) -> list[Any]:
        """Return all samples, and the worker's place."""
        assert self.data is not None
        given = self._function, self.data.X, self.data.y
        return [SharedPiece(*given, place, self.parameters) for place in range(self.code.n)]

    def shares(self, own: Rows, given: Rows, alive: Mask) -> Values:
        """Return the system's shares, in whole samples."""
        basis = self.system.rows_before()
        if len(own) < basis and getattr(self.system, "who", None) is None:
            wanted = alive / max(1, alive.sum())
        else:
            means = np.full(alive.size, np.inf)
            for j in np.flatnonzero(alive):
                before = zip(reversed(own), reversed(given), strict=True)
                known = (a[j] / b[j] for a, b in before if b[j] > 0 and np.isfinite(a[j]))
                last = list(islice(known, basis))[::-1]
                means[j] = sum(last) / len(last) if last else np.inf
            wanted = self.system.shares(means)
        return np.diff(self._cuts(wanted)) / self._samples

    def _cuts(self, shares: Values) -> Values:
        """Return where the samples of each worker begin, and the last ones end, (n + 1,)."""
        return np.rint(np.concatenate([[0.0], np.cumsum(shares)]) * self._samples)

    def message(self, number: int, theta: Values, shares: Values) -> Values:
        return np.concatenate([theta, self._cuts(shares)])


class Averaged(Scheme):
    """Parameters that workers have moved on their own samples, averaged (local SGD)."""

    averages: ClassVar[bool] = True

    def __init__(self, problem: Problem, optimizer: Optimizer, n: int, period: int) -> None:
        self.data = problem.load()
        self.descent = LocalDescent(problem, self.data, n, optimizer, period)
        self.problem, self.n, self.period = problem, n, period
        self.parameters = int(problem.parameters(self.data))
        self.sizes = [self.parameters] * n
        self.name = f"{period} local steps of a {problem.model} model"

    @property
    def carried(self) -> int:
        """Parameters, the step and its decay."""
        return self.parameters + 2

    def pieces(self) -> list[Any]:
        """Return each worker's samples, and how many steps it makes."""
        own = self.problem.model, self.data.classes
        function, (X, y) = partial(gradient_of, *own), (self.data.X, self.data.y)
        cuts = pairwise(bounds(self.data.samples, self.n).tolist())
        how = self.period, self.parameters
        return [LocalPiece(function, (X[i:j], y[i:j]), *how) for i, j in cuts]

    def message(self, number: int, theta: Values, shares: Values) -> Values:
        """Return the parameters, the first local step and its decay."""
        own = self.descent.of_period(number)
        return np.concatenate([theta, [own.step, own.decay]])

    def result(self, answers: Mapping[int, Values]) -> Values:
        """Return the average of the parameters; NaN without an answer."""
        total, mass = np.zeros(self.parameters), 0.0
        for worker in sorted(answers):
            share = self.descent.shares[worker]
            total, mass = total + share * answers[worker], mass + share
        return total / mass if mass > 0 else np.full(self.parameters, np.nan)

    def truth(self, message: Values) -> tuple[Values, float]:
        """Return the parameters that the simulation has after the round, and the loss before it."""
        theta, (step, decay) = message[:-2].copy(), message[-2:].tolist()
        own = GradientDescent(step=step, decay=decay)
        return self.descent.after(theta, own), self.descent.loss(theta)

    def errors(self, survivors: Mask) -> Values:
        return np.asarray((~survivors).sum(axis=1), np.float64)

    def losses(self, rounds: int) -> Values:
        """Return the simulation's losses after 0, 1, … rounds in which all answered."""
        period, n = self.period, self.n
        own = self.descent.optimizer, period, rounds * period
        return local_losses(self.problem, self.data, n, *own)
