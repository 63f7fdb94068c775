"""How fast the gradient of each part's mean loss can change."""

import numpy as np

from fastgc.arrays import Values
from fastgc.draws.streams import uniforms
from fastgc.training.data.data import Data, bounds
from fastgc_kernels.train.selection_data import largest_eigenvalues
from fastgc_kernels.train.selection_models import SAMPLES, WIDTH

#: Largest second derivative of a sample's loss by its score, or by its scores in any direction:
#: uᵀ(diag(p) − ppᵀ)u is the variance of u under p, at most ½ for ‖u‖ = 1.
CURVATURE = {"linear": 1.0, "logistic": 0.25, "softmax": 0.5}


def smoothness(model: str, data: Data, parts: int) -> Values:
    """Estimate the smoothness L of the mean loss of each of G ``parts``: float64 array (G,).

    Parts are runs of consecutive samples. L is the largest eigenvalue of XᵀX/n over the n samples
    of a part, by power iteration (the same bits on every machine); a quarter of it for logistic
    regression, half of it for softmax regression: no Hessian has a larger one.

    >>> from fastgc.training.data.data import Data
    >>> data = Data(X=[[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]], y=[1.0, -1.0, 1.0])
    >>> smoothness("linear", data, parts=2).round(9).tolist()
    [2.0, 9.0]
    """
    cuts = bounds(data.samples, parts)
    rows = padded(data.X)
    start = uniforms(1, "power iteration", rows.shape[1]) - 0.5
    out = np.empty(parts)
    largest_eigenvalues(rows, cuts, start, out)
    return CURVATURE[model] * out / np.diff(cuts)


def padded(rows: Values) -> Values:
    """Return rows (m, f) with zeros after them, up to a multiple of what is multiplied at a time.

    >>> padded(np.ones((2, 3))).shape
    (2, 8)
    """
    m, f = rows.shape
    out = np.zeros((m, -(-f // WIDTH) * WIDTH))
    out[:, :f] = rows
    return out


def tiles(rows: Values) -> Values:
    """Return padded rows (m, P) as tiles (⌈m/64⌉, P, 64), zeros filling up the last.

    >>> tiles(np.ones((65, 8))).shape
    (2, 8, 64)
    """
    m, P = rows.shape
    full = np.zeros((-(-m // SAMPLES), SAMPLES, P))
    full.reshape(-1, P)[:m] = rows
    return np.ascontiguousarray(full.transpose(0, 2, 1))
