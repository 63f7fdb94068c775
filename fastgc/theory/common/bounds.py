"""What no code can go below."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fastgc.theory.common.arguments import check_probabilities


def error_lower_bound(holders: ArrayLike, p: float) -> float:
    """Lower bound Σ_i q^(d_i) of the mean error for iid stragglers, any code; frc attains it.

    A partition without a surviving holder costs 1. ``holders`` are the numbers d_i of workers that
    hold partition i, ``p`` is q. Derived; it contradicts "CRC better than FRC" of agc, Sec. V.

    >>> round(error_lower_bound([2] * 8, 0.247), 6)
    0.488072
    """
    check_probabilities(p=p)
    return float(np.sum(p ** np.asarray(holders, dtype=np.float64)))
