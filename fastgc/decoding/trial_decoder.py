"""Decoding of codes whose matrix is drawn anew in every trial."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.per_trial import CodeOfTrials
from fastgc.draws.patterns import Patterns
from fastgc_kernels.decode import tossed_codes

#: What asks for a matrix that stays.
MEASURES_OF_A_FIXED_MATRIX = frozenset({"not_accessed", "amplification", "stability"})


class TrialDecoder:
    """Computes errors of patterns, each with the matrix of its own trial."""

    algorithm = "tossed"
    linear_algebra = "compiled"

    def __init__(self, code: CodeOfTrials, decoder: str, rho: float | None) -> None:
        self._code = code
        self._decoder = decoder
        self._rho = np.nan if rho is None else rho
        self.exact_threshold = 1e-9 * code.k

    def errors_of(self, patterns: Patterns) -> NDArray[np.float64]:
        """Return the errors of a batch's patterns, iteration-major."""
        packed, batch = patterns.packed, patterns.batch
        out = np.empty(len(packed))
        code = self._code
        first, key = np.uint64(batch.first), batch.key("data")
        if self._decoder == "one-step":
            tossed_codes.one_step_errors(
                packed, *code.tosses, self._rho, first, batch.trials, key, out
            )
        else:
            tossed_codes.errors(packed, *code.tosses, first, batch.trials, key, out)
        return out
