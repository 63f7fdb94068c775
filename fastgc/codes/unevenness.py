"""How far a code's loads are from even (paper `binary`, Definition 2)."""

from __future__ import annotations

import numpy as np

from fastgc.codes.code import Code
from fastgc.errors import FastgcError


def unevenness(code: Code, s: int) -> float:
    """Return d_s(B) = Σ_j |load_j − k (s + 1)/n| (paper `binary`, Definition 2).

    Parameters
    ----------
    code : Code
        Any code.
    s : int
        Stragglers that the code is meant to survive, 0 ≤ s < n.

    Returns
    -------
    float
        In partitions; 0 exactly when all loads equal k (s + 1)/n.

    Raises
    ------
    FastgcError
        If ``code`` is no `Code` or s is no integer with 0 ≤ s < n.

    Examples
    --------
    >>> from fastgc.codes import binary
    >>> unevenness(binary(n=11, s=3), s=3)
    6.0
    """
    if not isinstance(code, Code):
        raise FastgcError(f"unevenness: code must be a Code (got {type(code).__name__})")
    if isinstance(s, bool) or not isinstance(s, int | np.integer) or not 0 <= s < code.n:
        raise FastgcError(f"unevenness: s must be an integer, 0 ≤ s < n (got n={code.n}, s={s!r})")
    # In whole numbers, so that an even code gives exactly 0.
    excess = sum(abs(code.n * load - code.k * (int(s) + 1)) for load in code.loads.tolist())
    return float(excess / code.n)
