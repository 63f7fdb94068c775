"""Codes for the children of every parent in a regular tree: choosing, checking, decoding."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.codes.code import Code, code_of
from fastgc.codes.cyclic import cyclic
from fastgc.codes.cyclic_mds import cyclic_mds
from fastgc.codes.frc import frc
from fastgc.errors import FastgcError
from fastgc_kernels.decode import decoding_vectors

_FAMILIES = {"cyclic": cyclic, "frc": frc, "cyclic-mds": cyclic_mds}
_MOST_PATTERNS = 20_000


def code_for(code: Code | ArrayLike | str | None, n: int, s: int, seed: int = 0) -> Code:
    """Return a code for n children that survives any s stragglers and loads all children alike.

    Parameters
    ----------
    code : Code, array_like (k, n), {"cyclic", "frc", "cyclic-mds"} or None
        None is "cyclic": the code of Tandon et al., which paper `codedreduce` uses.
    n, s : int
        0 ≤ s < n.
    seed : int
        Seed of the cyclic code.

    Raises
    ------
    FastgcError
        If the code has not n workers, has unequal loads, or does not survive any s stragglers. A
        matrix without a known tolerance is tried with all patterns.

    Examples
    --------
    >>> code_for("frc", n=4, s=1).name
    'frc(n=4, d=2)'
    """
    if code is None or isinstance(code, str):
        return _named(code or "cyclic", n, s, seed)
    own = code if isinstance(code, Code) else code_of(code, "the matrix")
    if own.n != n:
        raise FastgcError(f"code: must have n={n} workers, one a child (got {own.n})")
    loads = own.loads
    if np.ptp(loads):
        raise FastgcError(
            f"code: must give all workers equally many partitions, as their subtrees are alike "
            f"(got {loads.min()} to {loads.max()})"
        )
    if own.tolerance is None and math.comb(n, s) > _MOST_PATTERNS:
        raise FastgcError(
            f"code: must say that it survives s={s} stragglers, as there are more than "
            f"{_MOST_PATTERNS} patterns to try; give fastgc.codes.code_of(B, tolerance={s})"
        )
    survives = _survives(own, s) if own.tolerance is None else own.tolerance >= s
    if not survives:
        raise FastgcError(
            f"code: must survive any s={s} stragglers ({own.name} survives "
            + ("fewer)" if own.tolerance is None else f"{own.tolerance})")
        )
    return own


def weights(code: Code, alive: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float]:
    """Return the shortest decoding vector (n,), 0 for stragglers, and the largest |Ba − 1|."""
    vectors, off = _vectors(code, alive[np.newaxis])
    return vectors[0], float(off[0])


def _named(name: str, n: int, s: int, seed: int) -> Code:
    if name not in _FAMILIES:
        allowed = ", ".join(f'"{family}"' for family in _FAMILIES)
        raise FastgcError(f"code: must be a Code, a matrix or one of {allowed} (got {name!r})")
    if name == "cyclic":
        return cyclic(n, s + 1, seed)
    try:
        return _FAMILIES[name](n, s + 1)
    except FastgcError as problem:
        raise FastgcError(f"code: {problem} with d = s + 1") from None


def _survives(code: Code, s: int) -> bool:
    gone = np.array(list(combinations(range(code.n), s)), np.int64)
    alive = np.ones((len(gone), code.n), np.bool_)
    np.put_along_axis(alive, gone, False, axis=1)
    return bool(np.all(_vectors(code, alive)[1] <= 1e-8))


def _vectors(
    code: Code, alive: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the decoding vectors of patterns (T, n), and the largest |Ba − 1| of each."""
    words = -(-code.n // 64)
    padded = np.zeros((len(alive), 64 * words), np.bool_)
    padded[:, : code.n] = alive
    packed = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    out = np.empty((len(alive), code.n))
    decoding_vectors.vectors(packed, np.ascontiguousarray(code.B.T), out)
    return out, np.abs(out @ code.B.T - 1.0).max(axis=1)
