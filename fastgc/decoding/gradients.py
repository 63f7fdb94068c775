"""The error of the gradient itself, where partial gradients g_i differ: ‖ĝ − g‖².

Wanted is g = Σ t_i g_i. Weights w of the answers make ĝ − g = Σ r_i g_i with r = Bw − t, whose
squared length is rᵀGr, where G holds the inner products of the partial gradients. With G = LLᵀ it
is ‖LᵀBw − Lᵀt‖². A reflection turns Lᵀt into a multiple of the vector of ones: so the weights that
make it least are those of optimal decoding of another matrix, by the algorithms for any matrix.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.arrays import Values
from fastgc.codes.code import Code, code_of
from fastgc.decoding.algorithms import Algorithm, Errors, Lookup, Matrix, Packed
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.factorization import EPSILON
from fastgc.decoding.rule import DecodingRule
from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc_kernels.decode import jacobi

#: Of the largest squared length: products that are off by so much count as rounded ones.
_ROUNDED = 1e-9
#: Of its length before, what is left of a column is rounding.
_NOTHING = 1e-13
#: Of ‖Lᵀt‖², a squared difference from c·1 that has lost half of its digits.
_NEARLY = 1e-8
_MOST_LOOKED_UP = 12
#: Partitions whose products, k × k, are factored in a second or two.
MOST_PARTITIONS = 1000


class Gradients:
    """What is wanted of partial gradients, and their inner products.

    * ``target`` (float64 array (k,)): the weights t of the partial gradients in the gradient.
    * ``gram`` (float64 array (k, k)): G; by default that of orthonormal ones.
    * ``known``: whether the master knows G: then optimal decoding makes ‖ĝ − g‖² least, else ‖Bw −
      t‖².

    * ``square``: ‖g‖² = tᵀGt.

    Raises FastgcError if no gradients have such products, or they add up to a gradient of 0.

    >>> gradients = Gradients(np.ones(2), np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> gradients.square, gradients.squares(np.array([[1.0, 0.0], [1.0, -1.0]])).tolist()
    (3.0, [1.0, 1.0])
    """

    def __init__(self, target: Values, gram: Matrix | None = None, known: bool = False) -> None:
        self.target, self.gram = target, gram
        self.known = known or gram is None
        self._factor = None if gram is None else _factor(gram)
        self.wanted = self._through(target[:, np.newaxis])[:, 0]
        self.square = float(self.squares(target[np.newaxis])[0])
        longest = 1.0 if gram is None else float(np.diagonal(gram).max())
        if not self.square > EPSILON**2 * longest * float((target * target).sum()):
            name = "target" if gram is None else "gram"
            raise FastgcError("makes a gradient of 0, of which no error is a share", name)

    def _through(self, rows: Matrix) -> Matrix:
        """Return Lᵀ·rows, (rank, …), summing in one order on every machine."""
        if self._factor is None:
            return rows
        if self._factor.ndim == 1:
            return np.asarray(self._factor[:, np.newaxis] * rows)
        out = np.zeros((self._factor.shape[1], rows.shape[1]))
        for own, row in zip(self._factor, rows, strict=True):
            out += own[:, np.newaxis] * row
        return out

    def squares(self, residuals: Matrix) -> Errors:
        """Return the squared lengths of Σ r_i g_i, (T,), for residuals (T, k)."""
        total = np.zeros(len(residuals))
        for row in self._through(np.ascontiguousarray(residuals.T)):
            total += row * row
        return total

    def residuals(self, B: Matrix, vectors: Matrix) -> Matrix:
        """Return Bw − t, (T, k), for weights (T, n)."""
        out = np.zeros((len(vectors), len(B)))
        for worker, column in enumerate(B.T):  # in one order, on every machine
            out += vectors[:, worker, np.newaxis] * column
        return out - self.target

    @cached_property
    def lengths(self) -> Values:
        """The length of each partial gradient, (k,)."""
        if self.gram is None:
            return np.ones(self.target.size)
        return np.sqrt(np.maximum(np.diagonal(self.gram), 0.0))

    @cached_property
    def eigenvalues(self) -> tuple[float, float]:
        """The least and the largest eigenvalue of G."""
        if self._factor is None or self._factor.ndim == 1:
            squares = self.lengths**2
            return float(squares.min()), float(squares.max())
        k = len(self._factor)
        S = jacobi.svd(np.ascontiguousarray(self._factor), np.ones(k))[0]
        return (float(S[-1] ** 2) if S.size == k else 0.0), float(S[0] ** 2)

    def bounds(self, residuals: Matrix) -> tuple[Errors, Errors, Errors]:
        """Return what ‖ĝ − g‖² is between, each (T,), from Bw − t (T, k) and little else.

        λ_min(G) ‖r‖² and λ_max(G) ‖r‖² (Rayleigh), and (Σ |r_i| ‖g_i‖)² by the triangle inequality,
        which needs the lengths alone and is attained by parallel gradients.
        """
        plain, sides = np.zeros(len(residuals)), np.zeros(len(residuals))
        for row, length in zip(residuals.T, self.lengths.tolist(), strict=True):
            plain += row * row
            sides += np.abs(row) * length
        least, largest = self.eigenvalues
        return least * plain, largest * plain, sides * sides

    def turned(self, code: Code) -> tuple[Code, float]:
        """Return a code whose optimal weights make ‖ĝ − g‖² least, and what to multiply errors by.

        Its matrix is (c⁻¹ H Lᵀ) B with c = ‖Lᵀt‖/√rank and the reflection H that takes Lᵀt to c·1.
        """
        M, t = self._through(code.B).copy(), self.wanted
        before = np.sqrt(self._longest(code.B))
        M[:, np.sqrt((M * M).sum(axis=0)) <= _NOTHING * before] = 0.0  # what cancels, but for
        c = np.sqrt(self.square / t.size)  # rounding
        v, sign = t - c, 1.0
        if float((v * v).sum()) < _NEARLY * self.square:  # cancelled: by way of -c·1, which is far
            v, sign = t + c, -1.0
        square = float((v * v).sum())
        if np.abs(t - c).max() > t.size * EPSILON * c:  # else Lᵀt is c·1, but for rounding
            along = np.zeros(code.n)
            for u, row in zip(v.tolist(), M, strict=True):
                along += u * row
            M = sign * (M - (2.0 / square) * v[:, np.newaxis] * along)
        return code_of(M / c, code.name), float(c * c)

    def _longest(self, B: Matrix) -> Errors:
        """(Σ |B_ij| ‖g_i‖)² of each worker, (n,)."""
        total = np.zeros(B.shape[1])
        for row, length in zip(np.abs(B), self.lengths.tolist(), strict=True):
            total += row * length
        return total * total


def _factor(gram: Matrix) -> Matrix:
    """Return L with G = LLᵀ, (k, rank): pivoted Cholesky; of a diagonal G the roots, (k,).

    Higham, Accuracy and Stability of Numerical Algorithms (2002), Section 10.3.
    """
    diagonal = np.diagonal(gram).copy()
    limit = _ROUNDED * float(np.abs(gram).max(initial=0.0))
    if diagonal.min() < -limit:
        raise _impossible(f"a squared length of {diagonal.min():.6g}")
    if np.abs(gram - gram.T).max() > limit:
        i, j = np.unravel_index(int(np.argmax(np.abs(gram - gram.T))), gram.shape)
        raise _impossible(f"{gram[i, j]:.6g} in row {i}, column {j}, and {gram[j, i]:.6g} across")
    if not (gram - np.diag(diagonal)).any():
        return np.sqrt(np.maximum(diagonal, 0.0))
    left, columns = 0.5 * (gram + gram.T), []
    for _ in range(len(gram)):
        pivot = int(np.argmax(np.diagonal(left)))
        value = float(left[pivot, pivot])
        if value <= limit * 1e-5:
            break
        column = left[:, pivot] / np.sqrt(value)
        columns.append(column)
        left = left - column[:, np.newaxis] * column
        left[pivot, :] = left[:, pivot] = 0.0
    if np.abs(left).max() > limit:
        raise _impossible("a negative eigenvalue")
    return np.array(columns).T.reshape(len(gram), -1)


def _impossible(found: str) -> FastgcError:
    said = "must be a matrix of inner products, symmetric and positive semidefinite"
    return FastgcError(f"{said} (it has {found})", "gram")


class OfWeights(Algorithm):
    """Errors of the gradient under weights that another algorithm gives."""

    def __init__(self, weights: Algorithm, B: Matrix, gradients: Gradients) -> None:
        self.name = "weights"
        self._weights, self._B, self._gradients = weights, B, gradients

    def errors(self, packed: Packed, out: Errors) -> None:
        residuals = self._gradients.residuals(self._B, self.vectors(packed))
        out[:] = self._gradients.squares(residuals)

    def vectors(self, packed: Packed) -> NDArray[Any]:
        return self._weights.vectors(packed)


class GradientDecoder(Decoder):
    """A `Decoder` whose errors are ‖ĝ − g‖².

    Where the master knows G, or it is the identity, optimal weights make that least; else they are
    those of the target alone. Other decoders have the weights that they always have.

    * ``turned``: the code whose optimal decoding makes ‖ĝ − g‖² least, where that is what is done.

    >>> gram = np.array([[1.0, 1.0], [1.0, 1.0]])  # equal gradients: one answer says all
    >>> every = [GradientDecoder(np.eye(2), Gradients(np.ones(2), gram, known))
    ...          for known in (False, True)]
    >>> [decoder.errors(np.array([[1]], np.uint64)).round(12).tolist() for decoder in every]
    [[1.0], [0.0]]
    """

    gradients: Gradients

    def __init__(
        self,
        code: Code | ArrayLike,
        gradients: Gradients,
        decoder: str | DecodingRule = "optimal",
        rho: float | None = None,
    ) -> None:
        own = code if isinstance(code, Code) else code_of(code)
        is_least = self._projects = decoder == "optimal"
        refuse(own, gradients, is_least)
        self.gradients, self._scale = gradients, 1.0
        self.turned: Code | None = None
        alone = Gradients(gradients.target)
        if is_least and gradients.known:
            self.turned, self._scale = gradients.turned(own)
            super().__init__(self.turned)
            self.exact_threshold *= self._scale
            return
        plain = not is_least or bool((gradients.target == 1.0).all())
        super().__init__(own if plain else alone.turned(own)[0], True, False, decoder, rho)
        share = max(self.exact_threshold / own.k, 1e-9)
        self.exact_threshold, self.is_optimal = share * gradients.square, False
        self._algorithm = OfWeights(self._algorithm, own.B, gradients)
        if own.n <= _MOST_LOOKED_UP:
            self._all_errors = self._every_error()
            self._algorithm = Lookup(self._all_errors, self._algorithm)

    @cached_property
    def least(self) -> Decoder | None:
        """Decodes `turned`: errors in shares of ‖g‖²/k."""
        return None if self.turned is None else Decoder(self.turned, use_lookup=False)

    @property
    def scale(self) -> float:
        """What errors of `least` are multiplied by."""
        return self._scale

    @property
    def most(self) -> float:
        if self.turned is not None:
            return self.gradients.square
        if not self._projects:
            return math.inf
        target = self.gradients.target
        return self.gradients.eigenvalues[1] * float((target * target).sum())

    def errors(self, packed: Packed) -> Errors:
        return super().errors(packed) * self._scale

    def errors_of_all_patterns(self) -> Errors:
        return super().errors_of_all_patterns() * self._scale


def refuse(code: Code, gradients: Gradients, is_optimal: bool = True) -> None:
    """Raise a `FastgcError` where gradients do not fit a code or its decoder."""
    key = "target" if gradients.gram is None else "gram"
    if code.obstacle is not None:
        raise FastgcError(f"needs one real weight a worker, and {code.obstacle}", key)
    if gradients.target.size != code.k:
        raise FastgcError(f"must have {code.k} entries, one a partition", key)
    if not is_optimal and not (gradients.target == 1.0).all():
        raise FastgcError('needs decoder "optimal"; the others decode the sum', "target")
