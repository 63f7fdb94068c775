"""What no set of so many stragglers can cost more than."""

from __future__ import annotations

import numpy as np

from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.decoding.factorization import scale_columns


def upper_bound(decoder: Decoder, code: Code, stragglers: int) -> tuple[float, str]:
    """Return an upper bound on the error of any set of s stragglers, and its name.

    Whoever drops the stragglers' weights x_T from the best x leaves ‖B x_T‖² more than the error
    without stragglers, no more than σ₁² ‖x_T‖². Where each of n workers holds d partitions of n,
    and each partition is held by d, with weight 1, the error is at most (σ₂/d)² n s/(n − s) too.

    Parameters
    ----------
    decoder : Decoder
        Of the code.
    stragglers : int
        Fewer than n.
    """
    B, n, s = code.B, code.n, stragglers
    exponents, parts = scale_columns(B)[1], decoder.decomposition
    x = parts.shortest
    largest = np.sort(x * x)[::-1][:s].sum()
    bounds = [(parts.remainder + parts.S[0] ** 2 * largest, "spectral bound")]
    d = int(code.loads[0])
    regular = np.all((B == 0) | (B == 1)) and code.k == n
    if regular and np.all(code.loads == d) and np.all(np.count_nonzero(B, axis=1) == d) and d:
        second = np.ldexp(parts.S[1] if n > 1 else 0.0, int(exponents[0]))
        bounds.append(((second / d) ** 2 * n * s / (n - s), "expander bound"))
    bounds.append((float(code.k), "no answer at all"))
    bound, name = min(bounds)
    return float(bound), name
