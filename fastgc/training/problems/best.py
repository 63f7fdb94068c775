"""The parameters with the least squares, which distances in linear regression are measured from."""

from __future__ import annotations

import numpy as np

from fastgc.training.data.data import Values
from fastgc_kernels.decode import jacobi

#: Above this many multiplications LAPACK is asked, whose last bits depend on its build.
LARGEST_COMPILED = 1 << 30


def shortest(X: Values, y: Values) -> Values:
    """Return the shortest θ that minimises ‖Xθ − y‖², where gradient descent from 0 ends.

    Parameters
    ----------
    X : float64 array (N, f)
    y : float64 array (N,)

    Returns
    -------
    float64 array (f,)

    Examples
    --------
    >>> import numpy as np
    >>> shortest(np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([2.0, 4.0])).round(12).tolist()
    [1.0, 1.0]
    """
    samples, features = X.shape
    cut = np.finfo(np.float64).eps * max(samples, features)
    if samples * features * min(samples, features) > LARGEST_COMPILED:
        return np.asarray(np.linalg.lstsq(X, y, rcond=cut)[0])
    S, V, coefficients, _ = jacobi.svd(X, y)
    rank = int(np.count_nonzero(cut * S[0] < S)) if S.size else 0
    if not rank:
        return np.zeros(features)
    return jacobi.combine(coefficients[:rank], V[:rank] / S[:rank, np.newaxis])
