"""Gradients that workers add up themselves, over a tree of them."""

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from fastgc import codes
from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.decoding.algorithms import packed
from fastgc.decoding.decoder import Decoder
from fastgc.errors import FastgcError
from fastgc.measuring.joined import TreePiece
from fastgc.measuring.schemes import CodedGradient
from fastgc.measuring.worker import GradientPiece, Piece
from fastgc.systems.coded_reduce import CodedReduce
from fastgc.systems.schemes.reduction import CodedReduceTree, coded_reduce
from fastgc.systems.system import System
from fastgc.training.problems import Problem

#: Sets of children whose decoding vectors a parent is sent at most.
_MOST_VECTORS = 20_000


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
