"""What decoding takes, survivors as users name them, and what it gives."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.arrays import Mask, Values
from fastgc.errors import FastgcError


@dataclass(frozen=True, eq=False)
class Decodings:
    """Errors and decoding vectors of many patterns.

    * ``errors`` (float64 array (patterns,)): as `Decoding.error`.
    * ``vectors`` (float64 array (patterns, n), complex128 where B is complex): one weight for each
      worker, 0 for stragglers. Where answers are m pieces (patterns, n · m).
    * ``note``: why they may be wrong; None where nothing is known against them.
    """

    errors: Values
    vectors: NDArray[Any]
    note: str | None = None


@dataclass(frozen=True, eq=False)
class Decoding:
    """Error, decoding vector and residual of one pattern.

    * ``error``: decoding error ‖B[:, survivors] x − 1‖²; the least of all x where decoding is
      optimal.
    * ``vector`` (float64 array (survivors,), complex128 where B is complex): one weight for each
      survivor, in the order given; the shortest of all optimal ones. Where answers are m pieces,
      one for each piece: (survivors, m).
    * ``residual`` (float64 or complex128 array (k,)): B[:, survivors] x − 1; of m pieces (k · m,
      m).
    * ``amplification``: ‖x‖², the factor by which the variance of independent noise in the answers
      grows; of pieces, on average.
    * ``note``: why error and vector may be wrong; None where nothing is known against them.
    """

    error: float
    vector: NDArray[Any]
    residual: NDArray[Any]
    amplification: float
    note: str | None = None

    def gradient(self, answers: ArrayLike) -> NDArray[Any]:
        """Return the gradient that the survivors' answers add up to.

        ``answers``, array_like (survivors, …): one row a survivor, in the order in which they were
        given.

        Returns an array (l,): its m pieces, where answers are as long as one, one after the other.

        >>> import fastgc
        >>> code = fastgc.codes.ye_abbe(n=5, s=1, m=2)  # answers half as long as the gradient
        >>> answers = code.answers(np.arange(20.0).reshape(5, 4))
        >>> answers.shape
        (5, 2)
        >>> left = [0, 1, 3, 4]
        >>> fastgc.decode(code, left).gradient(answers[left]).round(9).tolist()
        [40.0, 45.0, 50.0, 55.0]
        """
        return np.asarray(self.vector.T @ np.asarray(answers)).reshape(-1)


def masks(survivors: ArrayLike, n: int) -> Mask | None:
    """Return the patterns of a table of booleans (patterns, n); None of a single pattern."""
    try:
        given = np.asarray(survivors)
    except ValueError:
        return None
    if given.ndim != 2:
        return None
    if given.dtype.kind != "b" or given.shape[1] != n:
        remedy = "; write 0 and 1 as masks.astype(bool)" if given.dtype.kind in "iuf" else ""
        raise FastgcError(
            f"survivors: patterns must be booleans of shape (patterns, {n}), true where a worker "
            f"answered (got {given.dtype} of shape {given.shape}){remedy}"
        )
    return given


def packed(alive: Mask) -> NDArray[np.uint64]:
    """Return patterns as words: bit j % 64 of word j // 64 is set if worker j survived."""
    words = -(-alive.shape[1] // 64)
    out = np.zeros((len(alive), 8 * words), np.uint8)
    octets = np.packbits(alive, axis=1, bitorder="little")
    out[:, : octets.shape[1]] = octets
    return out.view("<u8").astype(np.uint64)


def indices(survivors: ArrayLike, n: int) -> NDArray[np.int64]:
    """Check survivors and return their indices."""
    try:
        given = np.asarray(survivors)
    except ValueError:
        given = np.empty((0, 0))
    if given.ndim != 1 or not (given.size == 0 or given.dtype.kind in "bui"):
        raise FastgcError(
            f"survivors: must be a list of workers' indices or of {n} booleans (got {survivors!r})"
        )
    if given.dtype.kind == "b":
        if given.size != n:
            raise FastgcError(f"survivors: must have {n} booleans, one a worker (got {given.size})")
        return np.flatnonzero(given)
    outside = given[(given < 0) | (given >= n)]
    if outside.size:
        raise FastgcError(
            f"survivors: every index must be from 0 to {n - 1} (got {int(outside[0])})"
        )
    indices = given.astype(np.int64)
    found, times = np.unique(indices, return_counts=True)
    if np.any(times > 1):
        raise FastgcError(
            f"survivors: every worker can be listed once (got {int(found[times > 1][0])} twice)"
        )
    return indices
