"""What workers are given for a system, and what the master makes of their answers.

Codes, decoding vectors and the generator of products are those of the simulation; whose answers are
waited for is said by the system alone.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations, islice, pairwise
from typing import Any, ClassVar, Self

import numpy as np

from fastgc import codes
from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.rule import DecodingRule
from fastgc.draws.patterns import packed
from fastgc.errors import FastgcError
from fastgc.measuring.worker import (
    GradientPiece,
    Piece,
    ProductPiece,
    SharedPiece,
    TreePiece,
    gradient_of,
    partial_gradient,
)
from fastgc.systems.schemes import CodedReduceTree, LayeredProduct, coded_reduce, layered
from fastgc.systems.system import System
from fastgc.systems.timing.timed_structure import Structure
from fastgc.training.data import Data, bounds
from fastgc.training.problems import Problem
from fastgc.training.sample_gradients import sums

#: Numbers of each worker, a row a round.
Rows = Sequence[Values]
#: Gives the gradient of a partition, of the parameters and what is in it.
Gradient = Callable[[Values, Any], Values]
#: Sets of children whose decoding vectors a parent is sent at most.
_MOST_VECTORS = 20_000


class Scheme(ABC):
    """What is sent to each worker, and how answers become what is wanted.

    ``name`` says it to people; what is wanted has so many ``parameters``, answers have ``sizes``.
    Answers are numbered as in `fastgc.measuring.plans.RoundRule`.
    """

    #: Whether shares of the work follow the workers' speeds.
    by_speed: ClassVar[bool] = False

    name: str
    parameters: int
    sizes: Sequence[int]

    @abstractmethod
    def pieces(self) -> Sequence[Piece]:
        """Return what each worker is sent once."""

    @property
    def carried(self) -> int:
        """How many numbers an order carries."""
        return self.parameters

    def shares(self, own: Rows, given: Rows, alive: Mask) -> Values | None:
        """Return each worker's share of the work of the next round, (n,); None for the system's.

        ``own`` are the seconds, ``given`` the shares of the rounds before, ``alive`` (n,) who is
        still there.
        """
        return None

    def message(self, theta: Values, shares: Values) -> Values:
        """Return the numbers that the orders of a round carry: by default the parameters alone."""
        return theta

    @abstractmethod
    def result(self, answers: Mapping[int, Values]) -> Values:
        """Return what the answers add up to, by their numbers in the order of arrival."""

    def included(self, used: Mask, answers: Mapping[int, Values]) -> Mask:
        """Return what is in a result: the answers that were used, by default."""
        return used

    @abstractmethod
    def truth(self, parameters: Values) -> tuple[Values, float]:
        """Return what all of the work gives, computed here, and the loss (NaN without one)."""

    @abstractmethod
    def errors(self, survivors: Mask) -> Values:
        """Return the decoding errors of patterns of answers, as the simulation has them."""


class CodedGradient(Scheme):
    """A sum of the gradients of partitions, by a code; of a problem of fastgc's, or a function."""

    problem: Problem | None = None
    data: Data | None = None

    def __init__(
        self, function: Gradient, parts: Sequence[Any], parameters: int, code: Code, rule: Decoder
    ) -> None:
        if code.is_complex:
            raise FastgcError(f"code: {code.name} is complex; workers send real sums")
        if len(parts) != code.k:
            raise FastgcError(f"partitions: {code.name} has {code.k} (got {len(parts)})")
        self._function, self._parts, self._decoder = function, parts, rule
        self.code, self.parameters, self._samples = code, parameters, 1.0
        self.sizes = [parameters] * code.n
        self.name = f"gradient by {code.name}"

    @classmethod
    def from_problem(cls, problem: Problem, code: Code, rule: Decoder) -> Self:
        """Return the gradient of a problem's mean loss."""
        data = problem.load()
        cuts = bounds(data.samples, code.k).tolist()
        parts = [(data.X[i:j], data.y[i:j]) for i, j in pairwise(cuts)]
        function = partial(gradient_of, problem.model, data.classes)
        found = cls(function, parts, int(problem.parameters(data)), code, rule)
        found.problem, found.data, found._samples = problem, data, float(data.samples)
        found.name = f"gradient of a {problem.model} model by {code.name}"
        return found

    def pieces(self) -> list[Piece]:
        """Return each worker's partitions and its column of B."""
        code = self.code
        found: list[Piece] = []
        for j in range(code.n):
            held, weights = code.columns[j]
            parts = [self._parts[i] for i in held.tolist()]
            found.append(GradientPiece(self._function, parts, weights, self.parameters))
        return found

    def result(self, answers: Mapping[int, Values]) -> Values:
        """Return the decoded gradient; 0 without an answer."""
        total = np.zeros(self.parameters)
        mask = np.zeros((1, self.code.n), np.bool_)
        mask[0, list(answers)] = True
        weights = self._decoder.vectors(packed(mask))[0]
        for worker in sorted(answers):
            total += weights[worker] * answers[worker]
        return total / self._samples

    def truth(self, parameters: Values) -> tuple[Values, float]:
        """Return the gradient, and the mean loss of a problem of fastgc's."""
        if self.problem is None or self.data is None:
            total = np.zeros(self.parameters)
            for part in self._parts:
                total += partial_gradient(self._function, parameters, part)
            return total, np.nan
        model, data = self.problem.model, self.data
        loss, gradient = sums(model, data.X, data.y, parameters, data.classes)
        return gradient / self._samples, loss / self._samples

    def errors(self, survivors: Mask) -> Values:
        return np.asarray(self._decoder.errors(packed(survivors)))

    def weights(self, survivors: Mask) -> Values:
        """Return the weights w = Bx that decoding gives the partitions, (rounds, k).

        ``survivors`` are patterns (rounds, n).
        """
        return np.asarray(self._decoder.vectors(packed(survivors)) @ self.code.B.T)


class SharedGradient(CodedGradient):
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
        return np.rint(np.concatenate([[0.0], np.cumsum(shares)]) * self._samples)

    def message(self, theta: Values, shares: Values) -> Values:
        return np.concatenate([theta, self._cuts(shares)])


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
        shares = self._tree.allocate(-(-many // self._tree.multiple) * self._tree.multiple)
        found: list[Piece] = []
        for place, share in enumerate(shares):
            real = share.samples < many
            samples = share.samples[real]
            weights, group = np.unique(share.coefficients[real], return_inverse=True)
            held = [samples[group == i] for i in range(weights.size)]
            parts = [(X[each], y[each]) for each in held]
            own = GradientPiece(self._function, parts, weights, self.parameters)
            how = place, self._tree.workers, self._vectors(place + 1)
            found.append(TreePiece(own, *how, self._children[place + 1]))
        return found

    def _vectors(self, node: int) -> dict[tuple[int, ...], Values]:
        children, code = self._children[node], self._tree.joined
        if not children:
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


class CodedProduct(Scheme):
    """The product of a problem's features with parameters, by an MDS code a layer."""

    def __init__(self, data: Data, product: LayeredProduct) -> None:
        self.data, self.product = data, product
        self.parameters = data.features
        self.sizes = [product.rows(data.samples)] * product.n * product.layers
        self.name = f"product of a {data.samples} × {data.features} matrix by {product!r}"

    def pieces(self) -> list[Piece]:
        """Return each worker's coded blocks; of zeros in a layer that needs no answer."""
        coded = self.product.encode(self.data.X)
        shape = self.product.n, *coded[0].shape[1:]
        blocks = [layer if len(layer) else np.zeros(shape) for layer in coded]
        return [ProductPiece(each) for each in np.stack(blocks, axis=1)]

    def result(self, answers: Mapping[int, Values]) -> Values:
        """Return the product; NaN where answers are too few."""
        known: list[dict[int, Values]] = [{} for _ in self.product.k]
        for place, values in answers.items():
            known[place % self.product.layers][place // self.product.layers] = values
        parts = [np.full(need * self.sizes[0], np.nan) for need in self.product.k]
        for j, need in enumerate(self.product.k):
            if len(known[j]) >= need:
                parts[j] = self.product.decode(j, known[j]).ravel()
        return np.concatenate(parts)[: self.data.samples]

    def truth(self, parameters: Values) -> tuple[Values, float]:
        return self.data.X @ parameters, np.nan

    def errors(self, survivors: Mask) -> Values:
        """Return how many tasks are not known."""
        need = np.array(self.product.k)
        came = survivors.reshape(-1, self.product.n, self.product.layers).sum(axis=1)
        return np.asarray(np.where(came >= need, 0.0, need).sum(axis=1))


def make_scheme(
    system: System,
    structure: Structure,
    problem: Problem,
    code: Code | None = None,
    decoder: str | DecodingRule = "optimal",
    rho: float | None = None,
) -> Scheme:
    """Return what workers compute for a system; without ``code`` by one that fits its load.

    Raises FastgcError if the system cannot be run, or the code does not fit it.
    """
    n, refusal, keys = structure.workers, "", system.settings()
    by_speed = system.shares(np.ones(n)) is not None
    is_tree = structure.CUTS and structure.layers is None
    regular = getattr(structure, "regular", None)
    if structure.layers is not None and not system.LINEAR:
        refusal = "has layers of tasks that are no products"
    elif not (structure.runs or is_tree):
        refusal = "is no master whose workers send one answer each, nor a tree of workers"
    elif is_tree and regular is None:
        refusal = "is a tree whose parents are unlike, which have no code for their data"
    elif by_speed and not system.LOOKS_BACK:
        refusal = "shares out the work anew, in a way of its own"
    if refusal:
        raise FastgcError(f"cannot be run for real: {keys['family']} {refusal}", "system")
    if system.LINEAR:
        need = structure.end.layers or (structure.end.needed,)
        k = np.trim_zeros(np.asarray(need), "b").tolist()
        return CodedProduct(problem.load(), layered(n=n, k=k))
    if by_speed:
        if code is not None and not (code.k == code.n == n and np.array_equal(code.B, np.eye(n))):
            said = f"must be left out with {keys['family']}, whose work is uncoded"
            raise FastgcError(said, "code")
        own = codes.uncoded(n=n)
        shared = SharedGradient.from_problem(problem, own, Decoder(own))
        shared.system = system
        shared.name = f"gradient of a {problem.model} model by {keys['family']}"
        return shared
    if is_tree:
        assert regular is not None
        n, layers, needed = regular
        if code is None and n % (n - needed + 1) == 0:
            code = codes.frc(n=n, d=n - needed + 1)  # copies lose no digits; else the paper's code
        tree = coded_reduce(n, layers, n - needed, code=code)
        found = TreeGradient.from_problem(problem, tree.code, Decoder(tree.code))
        found.settle(tree)
        found.name = f"gradient of a {problem.model} model by {tree!r}"
        return found
    if code is None:
        code = default_code(system, structure)
        if system.GRADIENT == "fresh":  # any n of them, each with samples of its own, stand for all
            decoder = "one-step"
    if code.n != n:
        raise FastgcError(f"has {n} workers, and the code {code.n}; give both as many", "system")
    return CodedGradient.from_problem(problem, code, Decoder(code, decoder=decoder, rho=rho))


def default_code(system: System, structure: Structure) -> Code:
    """Return a code with the load of a system: groups; d of n partitions each; or uncoded."""
    n = structure.workers
    if structure.group is not None:
        return codes.frc(n=n, d=structure.group)
    d = system.share() * n
    held = round(d)
    if system.GRADIENT == "fresh" or abs(d - held) > 1e-9 or not 1 < held <= n:
        return codes.uncoded(n=n)
    if n % held == 0:
        return codes.frc(n=n, d=held)
    return codes.cyclic(n=n, d=held) if (n - held) % 2 else codes.cyclic_mds(n=n, d=held)
