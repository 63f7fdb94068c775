"""Descent with decoded gradients: from the partitions' weights in each iteration to curves."""

from collections.abc import Callable, Collection
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.arrays import Values
from fastgc.statistics.tallies import dot
from fastgc.training.data import Data, bounds
from fastgc.training.optimizers import Optimizer
from fastgc.training.problems import Problem
from fastgc_kernels.train import descent_general, descent_linear

CURVES = ("loss", "gradient_error", "distance")

_LARGEST_GRAM = 1024  # features; the optimum near which Gram matrices work costs their cube

#: Fills the curves of runs.
Fill = Callable[[descent_general.Runs, descent_general.Curves], None]


class CodedDescent:
    """Training of one problem with gradients decoded from the answers of workers.

    An iteration's decoded gradient is ĝ = (1/N) Σ_i w_i Σ_{n in partition i} ∇ℓ_n(θ), the weights w
    = B[:, survivors] x being what decoding gives the partitions. Linear regression touches no
    sample in an iteration but each partition's Gram matrix XᵀX, unless these are larger than twice
    the data or have more than 1024 rows; all other losses are one pass over the samples. A run's
    numbers do not depend on what other runs are computed with it. ``data`` is what
    ``problem.load()`` returned, cut into k partitions as by `fastgc.training.data.bounds`.
    """

    def __init__(
        self, problem: Problem, data: Data, k: int, optimizer: Optimizer, iterations: int
    ) -> None:
        self._k = k
        self._iterations = iterations
        self._data = data
        self._settings = optimizer.vector()
        self._start = np.ascontiguousarray(problem.start(data), np.float64)
        self._fill = _procedure(problem.model, data, k)

    def run(
        self, weights: ArrayLike, index: ArrayLike, wanted: Collection[str] = ("loss",)
    ) -> dict[str, Values]:
        """Train T times, and return the curves of the runs.

        ``weights``, array_like (m, k): finite weights that decoding gives the partitions, one row
        for every way to decode; ``index``, array_like of integers (L, T): row of ``weights`` that
        each iteration of each run decodes with; ``wanted``: of "loss", "gradient_error" and
        "distance" from θ*; the loss is always computed.

        ``loss``, float64 array (L + 1, T): mean loss over all samples after 0 … L iterations;
        ``gradient_error``, float64 array (L, T): ‖ĝ − g‖²/‖g‖² of the decoded gradient ĝ and the
        full one g in iterations 1 … L; 0 where they are equal, infinite where only g is 0;
        ``distance``, float64 array (L + 1, T): ‖θ − θ*‖²/‖θ*‖² after 0 … L iterations; ‖θ‖² where
        θ* is 0. A run has diverged once its loss is not finite or exceeds 10¹² times its first loss
        plus 1; from there on all its numbers are NaN.
        """
        ways = np.ascontiguousarray(weights, np.float64)
        rows = np.ascontiguousarray(index, np.int64)
        best, scale = np.empty(0), 0.0
        if "distance" in wanted:
            assert self._data.best is not None  # or the study is refused
            best = np.array(self._data.best)
            square = float(dot(best, best))
            scale = 1.0 / square if square > 0.0 else 1.0
        trials = rows.shape[1]
        if np.array_equal(rows[:, 1:], rows[:, :-1]):  # one run stands for all: they are alike
            rows = np.ascontiguousarray(rows[:, :1])
        L, T = rows.shape
        curves = descent_general.Curves(
            np.empty((L + 1, T)),
            np.empty((L if "gradient_error" in wanted else 0, T)),
            np.empty((L + 1 if "distance" in wanted else 0, T)),
            best,
            scale,
        )
        self._fill(descent_general.Runs(ways, rows, self._settings, self._start), curves)
        return {
            name: curve if trials == T else np.repeat(curve, trials, axis=1)
            for name, curve in zip(CURVES, curves[:3], strict=True)
            if name == "loss" or name in wanted
        }


def _procedure(model: str, data: Data, k: int) -> Fill:
    cuts, f = bounds(data.samples, k), data.features
    if model == "linear" and f <= _LARGEST_GRAM and k * f <= 2 * data.samples:
        return _by_gram_matrices(data, cuts)
    given = data.X, data.y, cuts
    if model in ("linear", "logistic"):
        return partial(descent_general.margins, *given, model == "logistic")
    return partial(descent_general.softmax, *given, data.classes)


def _by_gram_matrices(data: Data, cuts: NDArray[np.int64]) -> Fill:
    k, f = len(cuts) - 1, data.features
    grams, gradients, shift = np.empty((k, f, f)), np.empty((k, f)), np.empty(f)
    descent_linear.gram_matrices(data.X, cuts, grams)
    descent_linear.reference(data.X, data.y, grams, shift)
    rest = np.empty(data.samples)
    base = descent_linear.residuals(data.X, data.y, shift, rest)
    descent_linear.reference_gradients(data.X, rest, cuts, gradients)

    def fill(runs: descent_general.Runs, curves: descent_general.Curves) -> None:
        best = curves.best - shift if curves.best.size else curves.best
        moved = curves._replace(best=best)
        own = runs._replace(start=runs.start - shift)
        descent_linear.descend(grams, gradients, base, data.samples, own, moved)

    return fill
