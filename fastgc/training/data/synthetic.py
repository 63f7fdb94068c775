"""Data made from a model: normal features, a normal true model, normal noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fastgc.draws.normals import normals
from fastgc.training.data.data import Values


class Scores(NamedTuple):
    """Features (N, f), the true models (m, f), and the noisy scores (N, m) that they give."""

    X: Values
    models: Values
    scores: Values


def scores(
    samples: int, features: int, noise: float, seed: int, *, models: int, intercept: bool
) -> Scores:
    """Make features and what true models say of them, (10) of paper ``codedreduce`` for one model.

    N ``samples`` of f ``features``, m true ``models`` and the noise are independent standard normal
    numbers; the noise of every score is multiplied by ``noise``. With ``intercept`` a column of
    ones comes last, for which the true models have a weight too. More samples of the same seed and
    features begin with the same samples.

    Examples
    --------
    >>> made = scores(4, 2, 0.0, 1, models=1, intercept=False)
    >>> bool(np.allclose(made.X @ made.models[0], made.scores[:, 0]))
    True
    """
    X = normals(seed, "synthetic/features", samples * features).reshape(samples, features)
    if intercept:
        X = np.hstack([X, np.ones((samples, 1))])
    width = X.shape[1]
    truth = normals(seed, "synthetic/model", models * width).reshape(models, width)
    found = noise * normals(seed, "synthetic/noise", samples * models).reshape(samples, models)
    for j in range(width):  # not a product of matrices: BLAS builds round differently
        found += X[:, j, np.newaxis] * truth[:, j]
    return Scores(X, truth, found)
