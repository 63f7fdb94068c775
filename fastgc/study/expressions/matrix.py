"""What an expression may say of the encoding matrix: its singular values, rank and trace."""

from collections.abc import Callable, Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property

#: Entries of B, at most: a decomposition of more would take longer than expressions may.
_MOST = 1_000_000


class MatrixFunctions:
    """``sigma(i)``, the i-th largest singular value of B, its ``rank`` and ``trace``.

    ``build``: makes B (k, n); it is called when a function is first used.

    >>> functions = MatrixFunctions(lambda: np.diag([1.0, 3.0, 0.0]))
    >>> functions.call("sigma", 2), functions.call("rank"), functions.call("trace")
    (1.0, 2, 4.0)
    """

    #: How many numbers each takes.
    ARGUMENTS: ClassVar[Mapping[str, int]] = {"sigma": 1, "rank": 0, "trace": 0}

    def __init__(self, build: Callable[[], NDArray[np.float64]]) -> None:
        self._build = build

    @cached_property
    def _matrix(self) -> NDArray[np.float64]:
        B = self._build()
        if B.size > _MOST:
            k, n = B.shape
            raise FastgcError(f"B has {k} × {n} entries; sigma, rank and trace take {_MOST}")
        return B

    @cached_property
    def _singular_values(self) -> NDArray[np.float64]:
        return np.asarray(np.linalg.svd(self._matrix, compute_uv=False), np.float64)

    def call(self, name: str, *given: object) -> float:
        """Return a function's value.

        Raises FastgcError if it takes other numbers, B is too large, or B has no trace.
        """
        if len(given) != self.ARGUMENTS[name]:
            wanted = "one number, sigma(1) being the largest" if name == "sigma" else "no number"
            raise FastgcError(f"{name} takes {wanted} (got {len(given)})")
        if name == "rank":
            least = max(self._matrix.shape) * np.finfo(np.float64).eps * self._singular_values[0]
            return int(np.count_nonzero(self._singular_values > least))
        if name == "trace":
            if self._matrix.shape[0] != self._matrix.shape[1] or np.iscomplexobj(self._matrix):
                raise FastgcError("trace needs a square and real B")
            return float(np.trace(self._matrix))
        [i] = given
        last = len(self._singular_values)
        if not isinstance(i, int) or not 1 <= i <= last:
            raise FastgcError(f"sigma takes a whole number from 1 to {last} (got {i})")
        return float(self._singular_values[i - 1])
