"""Codes for the children of a parent: one for all alike in a regular tree, or of unequal shares."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, combinations, pairwise

import numpy as np
from numpy.typing import ArrayLike

from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code, code_of
from fastgc.codes.cyclic import cyclic
from fastgc.codes.cyclic_mds import cyclic_mds
from fastgc.codes.regular import frc
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc_kernels.decode import elimination, jacobi

_FAMILIES = {"frc": frc, "cyclic-mds": cyclic_mds}
_MOST_PATTERNS = 20_000


def code_for(code: Code | ArrayLike | str | None, n: int, s: int, seed: int = 0) -> Code:
    """Return a code for n children that survives any s < n stragglers and loads all children alike.

    ``code`` is one, a matrix (k, n), or a family's name; None is the cyclic code of Tandon et al.,
    which paper `codedreduce` uses, of this ``seed``. A matrix without a known tolerance is tried
    with all patterns. A FastgcError says what does not fit.

    >>> code_for("frc", n=4, s=1).name
    'frc(n=4, d=2)'
    """
    if code is None or isinstance(code, str):
        if code is None or code == "cyclic":
            return cyclic(n, s + 1, seed)
        if code not in _FAMILIES:
            allowed = ", ".join(f'"{family}"' for family in ("cyclic", *_FAMILIES))
            raise FastgcError(f"code: must be a Code, a matrix or one of {allowed} (got {code!r})")
        try:
            return _FAMILIES[code](n, s + 1)
        except FastgcError as problem:
            raise FastgcError(f"code: {problem} with d = s + 1") from None
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
    if own.tolerance is None:
        gone = np.array(list(combinations(range(n), s)), np.int64)
        alive = np.ones((len(gone), n), np.bool_)
        np.put_along_axis(alive, gone, False, axis=1)
        survives = bool(np.all(_vectors(own, alive)[1] <= 1e-8))
    else:
        survives = own.tolerance >= s
    if not survives:
        raise FastgcError(
            f"code: must survive any s={s} stragglers ({own.name} survives "
            + ("fewer)" if own.tolerance is None else f"{own.tolerance})")
        )
    return own


def weights(code: Code, alive: Mask) -> tuple[Values, float]:
    """Return the shortest decoding vector (n,), 0 for stragglers, and the largest |Ba − 1|."""
    vectors, off = _vectors(code, alive[np.newaxis])
    return vectors[0], float(off[0])


def _vectors(code: Code, alive: Mask) -> tuple[Values, Values]:
    """Return the decoding vectors of patterns (T, n), and the largest |Ba − 1| of each."""
    words = -(-code.n // 64)
    padded = np.zeros((len(alive), 64 * words), np.bool_)
    padded[:, : code.n] = alive
    packed = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    out = np.empty((len(alive), code.n))
    jacobi.decoding_vectors(packed, np.ascontiguousarray(code.B.T), out)
    return out, np.abs(out @ code.B.T - 1.0).max(axis=1)


_ATTEMPTS = 100


def arcs(
    shares: Sequence[Fraction], total: Fraction, s: int, seed: int = 0
) -> tuple[Code, tuple[Fraction, ...]]:
    """Build a code for workers of given shares, each point held by s + 1, exact with s stragglers.

    Shares, at most ``total`` each and (s + 1) ``total`` together, lie end to end around a circle
    that is as long as the data, so that they go around it s + 1 times. Where shares begin cuts the
    data into partitions, whose sizes are returned with the code.

    The decoding vectors are taken from a random space of s + 1 dimensions, rows of Q (s + 1, n):
    one of them vanishes on any s stragglers. A row of B with the holders H solves
    Σ_{j ∈ H} b_j Q_j = g with one g for all rows, so that every a = Qᵀu with u·g = 1 gives B a = 1.
    With the powers of n points as Q these are divided differences; random numbers lose fewer
    digits (n = 30, s = 10: 5 instead of 7).

    >>> code, sizes = arcs([Fraction(1), Fraction(2), Fraction(1)], Fraction(2), s=1)
    >>> (code.B != 0).astype(int).tolist(), [str(size) for size in sizes]
    ([[1, 1, 0], [0, 1, 1]], ['1', '1'])
    """
    unit = math.lcm(total.denominator, *(share.denominator for share in shares))
    around = int(total * unit)
    lengths = [int(share * unit) for share in shares]
    starts = [start % around for start in accumulate(lengths[:-1], initial=0)]
    cuts = sorted(set(starts))
    sizes = tuple(Fraction(b - a, unit) for a, b in pairwise([*cuts, around]))
    # whole numbers of any size: deep trees have large denominators
    dtype = np.int64 if around < 2**62 else object
    since = np.array(cuts, dtype)[:, np.newaxis] - np.array(starts, dtype)
    holds = np.asarray(since % around < np.array(lengths, dtype), np.bool_)
    name = f"arcs(n={len(shares)}, s={s}, seed={seed})"
    return code_of(_weights(holds, s, seed, name), name, s), sizes


def _weights(holds: Mask, s: int, seed: int, name: str) -> Values:
    """Encoding matrix with given supports of s + 1 workers a row, the largest entries 1."""
    if s == 0 or holds.all() or np.all(holds.sum(axis=0) == 1):
        return holds.astype(np.float64)  # one holder of each partition is enough, and there is one
    for attempt in range(_ATTEMPTS):
        found = _solved(holds, s, seed, attempt)
        if found is not None:
            return found
    raise FastgcError(f"{name}: all of {_ATTEMPTS} draws are singular; take another seed")


def _solved(holds: Mask, s: int, seed: int, attempt: int) -> Values | None:
    k, n = holds.shape
    # sums of twelve uniforms are normal for all practical purposes
    draws = uniforms(seed, f"arcs/{n}/{s}/{attempt}", 12 * (s + 1) * (n + 1))
    normal = np.full((s + 1, n + 1), -6.0)
    for part in draws.reshape(12, s + 1, n + 1):
        normal += part
    Q, g = normal[:, :n], np.ascontiguousarray(normal[:, n])
    B = np.zeros((k, n))
    x = np.empty(s + 1)
    for row in range(k):
        holders = np.flatnonzero(holds[row])
        if not elimination.solve(np.ascontiguousarray(Q[:, holders]), g, x):
            return None
        B[row, holders] = x
    largest = np.abs(B).argmax(axis=0)
    return np.asarray(B / B[largest, np.arange(n)])
