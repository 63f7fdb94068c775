"""Systems that cut the samples themselves: by the workers' speeds, for local steps, for a tree."""

import math
from collections.abc import Mapping
from functools import partial
from itertools import combinations, islice, pairwise
from typing import Any, ClassVar

import numpy as np

from fastgc import codes
from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.decoding.algorithms import packed
from fastgc.decoding.decoder import Decoder
from fastgc.errors import FastgcError
from fastgc.measuring.schemes import CodedGradient, Rows, Scheme
from fastgc.measuring.worker import (
    GradientPiece,
    LocalPiece,
    Piece,
    SharedPiece,
    TreePiece,
    gradient_of,
)
from fastgc.systems.coded_reduce import CodedReduce
from fastgc.systems.schemes.reduction import CodedReduceTree, coded_reduce
from fastgc.systems.system import System
from fastgc.training.data import bounds
from fastgc.training.local import LocalDescent, local_losses
from fastgc.training.optimizers import GradientDescent, Optimizer
from fastgc.training.problems import Problem

#: Sets of children whose decoding vectors a parent is sent at most.
_MOST_VECTORS = 20_000


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


# ---- A tree of workers that add up gradients themselves


def joined(system: System, problem: Problem, code: Code | None) -> CodedGradient | None:
    """Return what workers compute who hear each other; None for all other systems.

    Raises FastgcError if a code does not fit the system, or samples are too few for it.
    """
    if not isinstance(system, CodedReduce):
        return None
    below = code
    if code is None and system.parents is None and system.n is not None:
        d = system.s + 1  # copies lose no digits; else the paper's code
        below = codes.frc(n=system.n, d=d) if system.n % d == 0 else None
    given = system.n, system.layers, system.s
    tree = coded_reduce(*given, parents=system.parents, code=below)
    found = TreeGradient.of_problem(problem, problem.load(), tree.code, Decoder(tree.code))
    assert isinstance(found, TreeGradient)
    found.settle(tree)
    found.name = f"gradient of a {problem.model} model by {tree!r}"
    return found


class TreeGradient(CodedGradient):
    """The gradient by a tree of workers, each of whose parents decodes what its children send.

    Samples are filled up with empty ones until the tree can cut them into whole partitions. The
    master hears its own children, by the code of whom errors are told.
    """

    def settle(self, tree: CodedReduceTree) -> None:
        """Take the tree; a FastgcError says if it is too large for the samples."""
        assert self.data is not None
        if tree.multiple > self.data.samples:
            raise FastgcError(
                f"cannot be run for real: needs a problem of {tree.multiple} samples or more, so "
                f"that each worker of the tree has whole ones (got {self.data.samples})",
                "system",
            )
        self._tree = tree
        self._children = [[node - 1 for node in each] for each in tree.children]
        for children, need in zip(self._children, tree.structure().need, strict=True):
            if math.comb(len(children), need) > _MOST_VECTORS:
                raise FastgcError(
                    f"cannot be run for real: a parent has more than {_MOST_VECTORS} ways to miss "
                    f"{tree.s} of {len(children)} children",
                    "system",
                )
        self.sizes = [self.parameters + tree.workers] * tree.workers

    def pieces(self) -> list[Piece]:
        """Return each worker's samples, and how it decodes what its children tell."""
        assert self.data is not None
        X, y, many = self.data.X, self.data.y, self.data.samples
        shares = self._tree.allocate(-(-many // self._tree.multiple) * self._tree.multiple).shares
        found: list[Piece] = []
        for place, share in enumerate(shares):
            real = share.samples < many
            samples = share.samples[real]
            weights, group = np.unique(share.coefficients[real], return_inverse=True)
            held = [samples[group == i] for i in range(weights.size)]
            parts = [(X[each], y[each]) for each in held]
            own = GradientPiece(self._function, parts, weights, 1, self.parameters)
            how = place, self._tree.workers, self._vectors(place + 1)
            found.append(TreePiece(own, *how, self._children[place + 1]))
        return found

    def _vectors(self, node: int) -> dict[tuple[int, ...], Values]:
        """Return the decoding vectors of the sets of children that a parent may have."""
        children, code = self._children[node], self._tree.codes[node]
        if code is None:
            return {}
        sets = list(combinations(range(code.n), self._tree.structure().need[node]))
        masks = np.zeros((len(sets), code.n), np.bool_)
        np.put_along_axis(masks, np.array(sets), True, axis=1)
        vectors = Decoder(code).vectors(packed(masks))
        return {
            tuple(children[i] for i in each): vector[list(each)]
            for each, vector in zip(sets, vectors, strict=True)
        }

    def result(self, answers: Mapping[int, Values]) -> Values:
        """Return the gradient, decoded from what the master's children sent."""
        top = self._children[0]
        sent = {top.index(j): values for j, values in answers.items() if j in top}
        return super().result({j: values[: self.parameters] for j, values in sent.items()})

    def included(self, used: Mask, answers: Mapping[int, Values]) -> Mask:
        """Return whose gradients are in those answers, (n,)."""
        found = np.zeros(used.shape, np.bool_)
        for j in np.flatnonzero(used).tolist():
            found |= answers[j][self.parameters :] > 0
        return found

    def errors(self, survivors: Mask) -> Values:
        return super().errors(np.ascontiguousarray(survivors[:, self._children[0]]))

    def weights(self, survivors: Mask) -> Values:
        return super().weights(np.ascontiguousarray(survivors[:, self._children[0]]))
