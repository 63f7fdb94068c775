"""Decoding of one pattern, to error and vector, or of a table of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.arrays import Brief, Mask, Values
from fastgc.codes.code import AnyCode
from fastgc.codes.matrix import code_given
from fastgc.decoding import doubt
from fastgc.decoding.algorithms import complex_weights, real_form
from fastgc.decoding.decoder import Decoder, check_decoder, rule_of
from fastgc.decoding.factorization import least_squares
from fastgc.decoding.rule import DecodingRule
from fastgc.decoding.sparse import decode_one, is_sparse
from fastgc.draws.patterns import packed
from fastgc.errors import FastgcError, FastgcWarning, public
from fastgc.registry.given import worker_indices

_FEWEST_BY_DESCENT = 512  # rows or columns; one pattern of fewer takes an SVD of a second at most
_MOST_LOOKED_UP = 16  # workers of a code whose errors, 2¹⁶, stay in the cache


@dataclass(frozen=True, eq=False, repr=False)
class Decodings(Brief):
    """Errors and decoding vectors of many patterns.

    * ``errors`` (float64 array (patterns,)): as `Decoding.error`.
    * ``vectors`` (float64 array (patterns, n), complex128 where B is complex): one weight for each
      worker, 0 for stragglers.
    * ``note``: why they may be wrong; None where nothing is known against them.
    """

    errors: Values
    vectors: NDArray[Any]
    note: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Decoding(Brief):
    """Error, decoding vector and residual of one pattern.

    * ``error``: decoding error ‖B[:, survivors] x − 1‖²; the least where decoding is optimal.
    * ``vector`` (float64 array (survivors,), complex128 where B is complex): one weight for each
      survivor, in the order given; the shortest of all optimal ones.
    * ``residual`` (float64 or complex128 array (k,)): B[:, survivors] x − 1.
    * ``note``: why error and vector may be wrong; None where nothing is known against them.
    """

    error: float
    vector: NDArray[Any]
    residual: NDArray[Any]
    note: str | None = None

    @property
    def amplification(self) -> float:
        """‖x‖², the factor by which the variance of independent noise in the answers grows."""
        return float(np.vdot(self.vector, self.vector).real)

    def gradient(self, answers: ArrayLike) -> NDArray[Any]:
        """Return the gradient that the survivors' answers add up to.

        ``answers``, array_like (survivors, …): one row a survivor, in the order they were given.

        Returns an array (l,).

        >>> import fastgc
        >>> code = fastgc.codes.cyclic(n=5, d=2)
        >>> answers = code.answers(np.arange(10.0).reshape(5, 2))
        >>> left = [0, 1, 3, 4]
        >>> fastgc.decode(code, left).gradient(answers[left]).round(9).tolist()
        [20.0, 25.0]
        """
        return np.asarray(self.vector.T @ np.asarray(answers)).reshape(-1)


AnyDecoder = str | DecodingRule | Mapping[str, Any]


@overload
def decode(
    code: AnyCode, survivors: Sequence[int], decoder: AnyDecoder = ..., rho: float | None = ...
) -> Decoding: ...


@overload
def decode(
    code: AnyCode, survivors: ArrayLike, decoder: AnyDecoder = ..., rho: float | None = ...
) -> Decoding | Decodings: ...


@public
def decode(
    code: "AnyCode",
    survivors: "ArrayLike",
    decoder: "AnyDecoder" = "optimal",
    rho: float | None = None,
) -> Decoding | Decodings:
    """Decode one straggler pattern, or many.

    Parameters
    ----------
    code : Code, array_like (k, n), sparse matrix, networkx graph, or file
        A code or any encoding matrix, partitions × workers; the edges of a graph are its workers.
    survivors : array_like
        The workers that answered: distinct indices from 0, or n booleans; of many patterns a table
        of booleans (patterns, n).
    decoder : {"optimal", "one-step", "fixed", "class"}, table or DecodingRule
        ``optimal``: least squares, err(A) of Charles, Papailiopoulos and Ellenberg,
        arXiv:1711.06771, Section 2. ``one-step``: every survivor with the weight ρ (there,
        Section 3). ``class``: Algorithm 3 of Charalambides, Mahdavifar and Hero, paper `binary`,
        for codes whose classes are known. ``fixed``: every survivor with the weight ρ that is
        given. Or a rule of one's own. A table names it with its keys, as in a study:
        ``{"method": "mine", "strength": 0.1}``.
    rho : float, optional
        ρ of the fixed decoder, in studies 1/(d (1 − p)) where p, the mean probability to straggle,
        is known. Or that of the one-step decoder, by default k/(r d) with r survivors, where d is
        the sum of a worker's weights, its column of B, on average over workers: the partitions that
        it holds where these weigh 1. Needed where that sum is not positive.

    Returns
    -------
    Decoding or Decodings
        Of a table of patterns the arrays ``errors`` (patterns,) and ``vectors`` (patterns, n). With
        no survivor the error is k and the amplification 0. Where rounding may decide which columns
        are dependent, ``note`` says so, and a FastgcWarning.

    Raises
    ------
    FastgcError
        If B is no matrix of finite numbers, or survivors or decoder are none that it has.

    Examples
    --------
    >>> decoding = decode([[1, 0, 1], [1, 1, 0], [0, 1, 1]], survivors=[0, 1])
    >>> round(decoding.error, 12), decoding.vector.round(12).tolist()
    (0.333333333333, [0.666666666667, 0.666666666667])
    """
    own = code_given(code, "B")
    decoder = rule_of(decoder)
    check_decoder(own, decoder, rho)
    alive = masks(survivors, own.n)
    if alive is not None:
        looked_up = len(alive) >> min(own.n, _MOST_LOOKED_UP) > 0
        every = Decoder(own, use_lookup=looked_up, decoder=decoder, rho=rho)
        words = packed(alive)
        return Decodings(every.errors(words), every.vectors(words), _warned(every.doubt))
    chosen = worker_indices("survivors", survivors, own.n)
    found, times = np.unique(chosen, return_counts=True)
    if np.any(times > 1):
        twice = int(found[times > 1][0])
        raise FastgcError(f"survivors: every worker can be listed once (got {twice} twice)")
    if decoder != "optimal":
        A = np.ascontiguousarray(own.B[:, chosen])
        one = Decoder(own, decoder=decoder, rho=rho)
        words = packed(np.isin(np.arange(own.n), chosen)[np.newaxis])
        vector = one.vectors(words)[0, chosen]
        return Decoding(float(one.errors(words)[0]), vector, A @ vector - 1.0)
    if is_sparse(own, _FEWEST_BY_DESCENT) and own.columns.are_ones:
        return Decoding(*decode_one(own, chosen))
    A = own.B[:, chosen]
    real = real_form(A)
    error, vector = least_squares(np.ascontiguousarray(real))
    if own.is_complex:
        error, vector = 0.5 * error, complex_weights(vector)
    note = _warned(doubt.SAID if doubt.has_doubt(real, whole=True) else None)
    return Decoding(error, vector, A @ vector - 1.0, note)


def _warned(note: str | None) -> str | None:
    if note is not None:
        FastgcWarning.warn(f"decode: {note}; check it in exact arithmetic")
    return note


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
