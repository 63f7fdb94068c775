"""Decoding of one pattern, to error and vector, or of a table of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.codes.code import Code
from fastgc.codes.given import code_given
from fastgc.decoding import doubt, forms
from fastgc.decoding.decoder import Decoder, check_decoder, rule_of
from fastgc.decoding.decoding import Decoding, Decodings, indices, masks, packed
from fastgc.decoding.factorization import least_squares
from fastgc.decoding.rule import DecodingRule
from fastgc.decoding.sparse.algorithm import decode_one, is_sparse
from fastgc.errors import FastgcWarning

_FEWEST_BY_DESCENT = 512  # rows or columns; one pattern of fewer takes an SVD of a second at most
_MOST_LOOKED_UP = 16  # workers of a code whose errors, 2¹⁶, stay in the cache


def decode(
    code: Code | ArrayLike,
    survivors: ArrayLike,
    decoder: str | DecodingRule | Mapping[str, Any] = "optimal",
    rho: float | None = None,
) -> Any:
    """Decode one straggler pattern, or many.

    Parameters
    ----------
    code : Code, array_like (k, n), sparse matrix, networkx graph, or file
        A code or any encoding matrix, partitions × workers; the edges of a graph are its workers.
    survivors : array_like
        The workers that answered: distinct indices from 0, or n booleans; of many patterns a table
        of booleans (patterns, n).
    decoder : {"optimal", "one-step", "fixed", "class", "ridge"}, table or DecodingRule
        ``optimal``: least squares, err(A) of Charles, Papailiopoulos and Ellenberg,
        arXiv:1711.06771, Section 2. ``one-step``: every survivor with the weight ρ (there,
        Section 3). ``class``: Algorithm 3 of Charalambides, Mahdavifar and Hero, paper `binary`,
        for codes whose classes are known. ``fixed``: every survivor with the weight ρ that is
        given. ``ridge``: `fastgc.decoding.Ridge`. Or a rule of one's own. A table names it with its
        keys, as in a study: ``{"method": "ridge", "strength": 0.1}``.
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
    >>> masks = np.array([[True, True, False], [True, True, True]])
    >>> decode([[1, 0, 1], [1, 1, 0], [0, 1, 1]], masks).errors.round(12).tolist()
    [0.333333333333, 0.0]
    """
    own = code_given(code, "B")
    decoder = rule_of(decoder)
    check_decoder(own, decoder, rho)
    many = masks(survivors, own.n)
    if many is not None:
        looked_up = len(many) >> min(own.n, _MOST_LOOKED_UP) > 0
        every = Decoder(own, use_lookup=looked_up, decoder=decoder, rho=rho)
        words = packed(many)
        return Decodings(every.errors(words), every.vectors(words), _warned(every.doubt))
    chosen = indices(survivors, own.n)
    if decoder == "optimal":
        if is_sparse(own, _FEWEST_BY_DESCENT) and own.columns.are_ones:
            error, vector, residual = decode_one(own, chosen)
            return Decoding(error, vector, residual, _squared(vector))
        error, vector, residual = forms.least_squares(own, chosen, least_squares)
        is_unclear = doubt.has_doubt(forms.real_form(own.B[:, chosen]), whole=True)
        note = _warned(doubt.SAID if is_unclear else None)
        return Decoding(error, vector, residual, _squared(vector) / own.pieces, note)
    A = np.ascontiguousarray(own.B[:, chosen])
    mine = Decoder(own, decoder=decoder, rho=rho)
    alive = np.zeros((1, own.n), bool)
    alive[0, chosen] = True
    words = packed(alive)
    vector = mine.vectors(words)[0, chosen]
    residual = A @ vector - 1.0
    return Decoding(float(mine.errors(words)[0]), vector, residual, _squared(vector))


def _warned(note: str | None) -> str | None:
    if note is not None:
        FastgcWarning.warn(f"decode: {note}; check it in exact arithmetic")
    return note


def _squared(vector: NDArray[Any]) -> float:
    """Return ‖x‖² of a vector."""
    return float(np.vdot(vector, vector).real)
