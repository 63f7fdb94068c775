"""What computes the curves of runs: kernels for each model."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.training.data.data import Data, bounds
from fastgc_kernels.train import descent, descent_linear, descent_samples

_LARGEST_GRAM = 1024  # features; the optimum near which Gram matrices work costs their cube

#: Fills the curves of runs.
Fill = Callable[[descent.Runs, descent.Curves], None]


def procedure(model: str, data: Data, k: int) -> Fill:
    """Return what computes runs for one loss, with data in k partitions."""
    cuts, f = bounds(data.samples, k), data.features
    if model == "linear" and f <= _LARGEST_GRAM and k * f <= 2 * data.samples:
        return _by_gram_matrices(data, cuts)
    given = data.X, data.y, cuts
    if model in ("linear", "logistic"):
        return partial(descent_samples.margins, *given, model == "logistic")
    return partial(descent_samples.softmax, *given, data.classes)


def ends(fill: Fill, runs: descent.Runs) -> tuple[Values, Values]:
    """Return where runs end, (p, T), and their losses, (L + 1, T)."""
    rounds, trials = runs.index.shape
    loss, end = np.empty((rounds + 1, trials)), np.empty((runs.start.size, trials))
    none = np.empty((0, trials))
    fill(runs, descent.Curves(loss, none, none.copy(), np.empty(0), 0.0, end))
    return end, loss


def _by_gram_matrices(data: Data, cuts: NDArray[np.int64]) -> Fill:
    k, f = len(cuts) - 1, data.features
    grams, gradients, shift = np.empty((k, f, f)), np.empty((k, f)), np.empty(f)
    descent_linear.gram_matrices(data.X, cuts, grams)
    descent_linear.reference(data.X, data.y, grams, shift)
    rest = np.empty(data.samples)
    base = descent_linear.residuals(data.X, data.y, shift, rest)
    descent_linear.reference_gradients(data.X, rest, cuts, gradients)

    def fill(runs: descent.Runs, curves: descent.Curves) -> None:
        best = curves.best - shift if curves.best.size else curves.best
        moved = curves._replace(best=best)
        own = runs._replace(start=runs.start - shift)
        descent_linear.descend(grams, gradients, base, data.samples, own, moved)
        curves.end[:] += shift[:, np.newaxis] if curves.end.size else 0.0

    return fill
