"""What workers are given for a system, and what the master makes of their answers.

Codes, decoding vectors and the generator of products are those of the simulation; whose answers are
waited for is said by the system alone.
"""

import contextlib
import hashlib
import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from fastgc import codes
from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.decoding.algorithms import packed
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.rule import DecodingRule
from fastgc.errors import FastgcError
from fastgc.measuring.worker import (
    GradientPiece,
    Piece,
    ProductPiece,
    gradient_of,
    partial_gradient,
)
from fastgc.systems.schemes.layered import LayeredProduct, layered
from fastgc.systems.system import System
from fastgc.systems.timing.structure import Structure
from fastgc.training.data import Data, bounds
from fastgc.training.gradients import sums
from fastgc.training.problems import Problem

#: Numbers of each worker, a row a round.
Rows = Sequence[Values]


class Scheme(ABC):
    """What is sent to each worker, and how answers become what is wanted.

    ``name`` says it to people; what is wanted has so many ``parameters``, answers have ``sizes``.
    Answers are numbered as in `fastgc.measuring.rule.Rule`.
    """

    #: Whether shares of the work follow the workers' speeds.
    by_speed: ClassVar[bool] = False
    #: Whether what is wanted are the next parameters, in place of a gradient.
    averages: ClassVar[bool] = False

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

    def message(self, number: int, theta: Values, shares: Values) -> Values:
        """Return the numbers that the orders of a round carry: by default the parameters alone."""
        return theta

    def given(self, start: Values) -> str:
        """Return a hash of what no study says, and where parameters start; empty by default."""
        return ""

    @abstractmethod
    def result(self, answers: Mapping[int, Values]) -> Values:
        """Return what the answers add up to, by their numbers in the order of arrival."""

    def included(self, used: Mask, answers: Mapping[int, Values]) -> Mask:
        """Return what is in a result: the answers that were used, by default."""
        return used

    @abstractmethod
    def truth(self, message: Values) -> tuple[Values, float]:
        """Return what all of the work gives, computed here, and the loss (NaN without one)."""

    @abstractmethod
    def errors(self, survivors: Mask) -> Values:
        """Return the decoding errors of patterns of answers, as the simulation has them."""


#: Gives the gradient of a partition, of the parameters and what is in it.
Gradient = Callable[[Values, Any], Values]


class CodedGradient(Scheme):
    """A sum of the gradients of partitions, by a code; of a problem of fastgc's, or a function."""

    problem: Problem | None = None
    data: Data | None = None

    @property
    def has_weights(self) -> bool:
        """Whether decoding gives each partition one weight, the same in all coordinates."""
        return self.code.pieces == 1

    def __init__(
        self,
        function: Gradient,
        parts: Sequence[Any],
        parameters: int,
        code: Code,
        rule: Decoder,
    ) -> None:
        if code.is_complex:
            raise FastgcError(f"code: {code.name} is complex; workers send real sums")
        if parameters % code.pieces:
            raise FastgcError(
                f"code: workers of {code.name} send {code.pieces} pieces, which must divide the "
                f"{parameters} parameters"
            )
        if len(parts) != code.k:
            raise FastgcError(f"partitions: {code.name} has {code.k} (got {len(parts)})")
        self._function, self._parts, self._decoder = function, parts, rule
        self.code, self.parameters, self._samples = code, parameters, 1.0
        self.sizes = [parameters // code.pieces] * code.n
        self.name = f"gradient by {code.name}"

    @classmethod
    def of_problem(cls, problem: Problem, data: Data, code: Code, rule: Decoder) -> "CodedGradient":
        """Return the gradient of a problem's mean loss."""
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
            rows, values = code.columns[j]
            held = np.unique(rows // code.pieces)
            weights = np.zeros((held.size, code.pieces))
            weights[np.searchsorted(held, rows // code.pieces), rows % code.pieces] = values
            parts = [self._parts[i] for i in held.tolist()]
            own = weights.ravel(), code.pieces, self.parameters // code.pieces
            found.append(GradientPiece(self._function, parts, *own))
        return found

    def given(self, start: Values) -> str:
        """Return a hash of a function's name, of the code, and of all partitions."""
        if self.problem is not None:
            return ""
        columns, name = self.code.columns, getattr(self._function, "__qualname__", "")
        found = hashlib.sha256(name.encode())
        for array in (start, columns.offsets, columns.places, columns.values):
            found.update(np.ascontiguousarray(array).tobytes())
        for part in self._parts:
            with contextlib.suppress(Exception):  # that it cannot be sent is said by the carrier
                found.update(pickle.dumps(part))
        return found.hexdigest()

    def result(self, answers: Mapping[int, Values]) -> Values:
        """Return the decoded gradient; 0 without an answer."""
        total = np.zeros((self.code.pieces, self.parameters // self.code.pieces))
        mask = np.zeros((1, self.code.n), np.bool_)
        mask[0, list(answers)] = True
        weights = self._decoder.vectors(packed(mask))[0].reshape(self.code.n, -1)
        for worker in sorted(answers):
            total += np.outer(weights[worker], answers[worker])
        return total.ravel() / self._samples

    def partial_gradients(self, parameters: Values) -> Values:
        """Return what each partition adds to the gradient, (k, parameters)."""
        found = [partial_gradient(self._function, parameters, part) for part in self._parts]
        return np.array(found) / self._samples

    def truth(self, message: Values) -> tuple[Values, float]:
        """Return the gradient, and the mean loss of a problem of fastgc's."""
        parameters = message[: self.parameters]
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

        ``survivors`` are patterns (rounds, n); of codes whose workers send whole gradients.
        """
        return np.asarray(self._decoder.vectors(packed(survivors)) @ self.code.B.T)


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

    def truth(self, message: Values) -> tuple[Values, float]:
        return self.data.X @ message, np.nan

    def errors(self, survivors: Mask) -> Values:
        """Return how many tasks are not known."""
        need = np.array(self.product.k)
        came = survivors.reshape(-1, self.product.n, self.product.layers).sum(axis=1)
        return np.asarray(np.where(came >= need, 0.0, need).sum(axis=1))


def scheme_of(
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
    data, n, refusal = problem.load(), structure.workers, ""
    if structure.layers is not None and not system.LINEAR:
        refusal = "has layers of tasks that are no products"
    elif not structure.runs:
        refusal = "is no master whose workers send one answer each, nor a tree of workers"
    elif system.shares(np.ones(n)) is not None:
        refusal = "shares out the work anew, in a way of its own"
    if refusal:
        family = system.settings()["family"]
        raise FastgcError(f"cannot be run for real: {family} {refusal}", "system")
    if system.LINEAR:
        need = structure.end.layers or (structure.end.needed,)
        k = np.trim_zeros(np.asarray(need), "b").tolist()
        return CodedProduct(data, layered(n=n, k=k))
    if code is None:
        code = code_of_system(system, structure)
        if system.GRADIENT == "fresh":  # any n of them, each with samples of its own, stand for all
            decoder = "one-step"
    if code.n != n:
        raise FastgcError(f"has {n} workers, and the code {code.n}; give both as many", "system")
    rule = Decoder(code, decoder=decoder, rho=rho)
    return CodedGradient.of_problem(problem, data, code, rule)


def code_of_system(system: System, structure: Structure) -> Code:
    """Return a code with the load of a system: groups; d of n partitions each; or uncoded."""
    n = structure.workers
    if structure.group is not None:
        return codes.frc(n=n, d=structure.group)
    d = system.share() * n
    held = round(d)
    if system.GRADIENT == "fresh" or abs(d - held) > 1e-9 or not 1 < held <= n:
        return codes.uncoded(n=n)
    pieces = round(1.0 / system.message())
    if pieces > 1:
        return codes.ye_abbe(n=n, s=held - pieces, m=pieces)
    if n % held == 0:
        return codes.frc(n=n, d=held)
    return codes.cyclic(n=n, d=held) if (n - held) % 2 else codes.cyclic_mds(n=n, d=held)
