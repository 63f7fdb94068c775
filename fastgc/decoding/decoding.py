"""What decoding one pattern gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Decodings:
    """Errors and decoding vectors of many patterns.

    Attributes
    ----------
    errors : float64 array (patterns,)
        As `Decoding.error`.
    vectors : float64 array (patterns, n), complex128 where B is complex
        One weight for each worker, 0 for stragglers. Where answers are m pieces (patterns, n · m).
    """

    errors: NDArray[np.float64]
    vectors: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Decoding:
    """Error, decoding vector and residual of one pattern.

    Attributes
    ----------
    error : float
        Decoding error ‖B[:, survivors] x − 1‖²; the least of all x where decoding is optimal.
    vector : float64 array (survivors,), complex128 where B is complex
        One weight for each survivor, in the order given; the shortest of all optimal ones. Where
        answers are m pieces, one for each piece: (survivors, m).
    residual : float64 or complex128 array (k,)
        B[:, survivors] x − 1; of m pieces (k · m, m).
    amplification : float
        ‖x‖², the factor by which the variance of independent noise in the answers grows; of
        pieces, on average.
    """

    error: float
    vector: NDArray[Any]
    residual: NDArray[Any]
    amplification: float

    def gradient(self, answers: ArrayLike) -> NDArray[Any]:
        """Return the gradient that the survivors' answers add up to.

        Parameters
        ----------
        answers : array_like (survivors, …)
            One row a survivor, in the order in which they were given.

        Returns
        -------
        array (l,)
            Its m pieces, where answers are as long as one, one after the other.

        Examples
        --------
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
