"""Distributions of times in the form that kernels know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fastgc_kernels.draw import law_numbers


@dataclass(frozen=True, eq=False)
class Compiled:
    """A kind of law and its parameters, as `fastgc_kernels.draw.law_numbers` has them.

    Attributes
    ----------
    kind : int
    params : float64 array
        Offset and factor first.
    """

    kind: int
    params: NDArray[np.float64]

    @classmethod
    def of(cls, kind: int, offset: float, factor: float, *own: float) -> Compiled:
        """Put together the law of ``offset`` + ``factor`` · Y from the parameters of Y."""
        return cls(kind, np.array([offset, factor, *own], np.float64))

    @property
    def invertible(self) -> bool:
        """Whether times are a function of −log(survival) that kernels know."""
        return self.kind in law_numbers.INVERTIBLE

    @property
    def content(self) -> tuple[int, bytes]:
        """What makes two of them the same law."""
        return self.kind, self.params.tobytes()

    def affine(self, factor: float, offset: float) -> Compiled:
        """Return the law of ``offset`` + ``factor`` · T."""
        params = self.params.copy()
        if self.kind == law_numbers.MIXTURE:
            fast, slow = self._parts()
            return mixture(params[0], fast.affine(factor, offset), slow.affine(factor, offset))
        params[0] = offset + factor * params[0]
        params[1] *= factor
        return Compiled(self.kind, params)

    def _parts(self) -> tuple[Compiled, Compiled]:
        _, fast, size, slow = self.params[:4].astype(np.int64).tolist()
        return Compiled(fast, self.params[4 : 4 + size]), Compiled(slow, self.params[4 + size :])


def mixture(p_slow: float, fast: Compiled, slow: Compiled) -> Compiled:
    """Return the law of ``slow`` with probability ``p_slow``, else of ``fast``: no mixtures."""
    head = np.array([p_slow, fast.kind, fast.params.size, slow.kind], np.float64)
    return Compiled(law_numbers.MIXTURE, np.concatenate([head, fast.params, slow.params]))
