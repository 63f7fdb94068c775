"""Training with the gradients of selected workers: from times to losses and their costs."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.arrays import Mask, Values
from fastgc.draws.streams import Trials, key, uniforms
from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.training.data import Data, bounds
from fastgc.training.optimizers import Optimizer
from fastgc.training.problems import Problem
from fastgc.training.selections import Adaptive, Selection
from fastgc_kernels.train import selection as selection_kernel
from fastgc_kernels.train import selection_models
from fastgc_kernels.train.selection_models import SAMPLES, WIDTH, largest_eigenvalues, triangle

MODELS = {
    "linear": selection_models.LINEAR,
    "logistic": selection_models.LOGISTIC,
    "softmax": selection_models.SOFTMAX,
}
#: Numbers that one run may keep: 2²⁸ of them are 2 GiB.
LARGEST = 1 << 28
#: Runs that are trained side by side, at most, so that the samples stay in the cache.
SIDE_BY_SIDE = 16
#: Numbers that runs side by side may keep together.
ROOM = 1 << 25
#: The cost of a triangle is spread over so many runs: the fewest that are sampled together.
RUNS = 64


class SelectionDescent:
    """Training runs of one problem under one selection, on ``problem.load()``.

    ``alike`` says whether all runs have the same losses, because their gradients do not depend on
    anything random: then one run is trained for all, and only times differ. Data that cannot be
    shared out as the selection says are refused, and runs that do not fit in memory.
    """

    def __init__(
        self,
        problem: Problem,
        data: Data,
        optimizer: Optimizer,
        selection: Selection,
        iterations: int,
    ) -> None:
        selection.check(data)
        self._problem, self._data, self._selection = problem, data, selection
        self._optimizer, self._iterations = optimizer.vector(), iterations
        self._bounds = bounds(data.samples, selection.parts)
        self._random = selection.batch is not None and selection.batch_order == "random"
        self.alike = not self._random and not selection.needs_times
        size = self._beginning.size
        if self._kept * size > LARGEST:
            what = "groups" if selection.holders > 1 else "workers"
            raise FastgcError(
                f"{what}: {selection.parts} of them make a run keep {self._kept} vectors of {size} "
                f"parameters, more than {LARGEST} numbers; take fewer, or a smaller window"
            )

    @property
    def _kept(self) -> int:
        # vectors, each as long as the parameters, that one run keeps
        selection = self._selection
        if not isinstance(selection, Adaptive):
            return selection.parts + 4
        displaced = selection.trigger == "square-of-sum"
        return 2 * selection.parts + 4 + (selection.window if displaced else 0)

    @cached_property
    def smoothness(self) -> Values:
        """Smoothness L of each part (G,); an empty array where the selection does not need it."""
        selection = self._selection
        if not isinstance(selection, Adaptive):
            return np.empty(0)
        if selection.smoothness == "estimated":
            return smoothness(self._problem.model, self._data, selection.parts)
        return np.array(np.broadcast_to(selection.smoothness, selection.parts), float)

    def run(self, times: ArrayLike | None = None, batch: Trials | None = None) -> dict[str, Values]:
        """Train T runs of L iterations, and return losses and costs, float64 arrays (L + 1, T).

        ``times``, array_like (L, M, T), optional: Seconds that each worker would take in each
        iteration. Needed where gradients depend on who is first (``selection.needs_times``); else
        without them time is left out. ``batch``: The trials that are trained. It gives T where
        there are no times, and random mini-batches where ``batch_order`` is "random".

        A run that diverges (a loss that is not finite, or more than 10¹² times its first plus 1, or
        a step whose square is not finite) has NaN in all curves from there on.

        * ``loss``: mean loss over all data after l iterations.
        * ``time``: seconds, cumulative, as (4) of paper ``gcada``: an iteration lasts until the
          slowest selected group has sent its fastest worker's gradient. Only where times are given.
        * ``downloads``, ``uploads``, ``gradients``: cumulative, as (5) and (6): workers that got
          the parameters, gradients that were sent, and gradients of single samples computed.
        """
        given = None if times is None else np.ascontiguousarray(times, np.float64)
        selection, parts = self._selection, self._selection.parts
        trials = batch.trials if batch is not None else 0 if given is None else given.shape[-1]
        least, winners = given, np.empty((0, 0, 0), np.int64)
        if given is not None and selection.holders > 1:
            least = np.empty((self._iterations, parts, trials))
            first = np.empty(least.shape, np.int64)
            selection_kernel.fastest(given, selection.holders, least, first)
            if selection.needs_times:
                winners = first
        trained = 1 if self.alike else trials
        loss = np.empty((self._iterations + 1, trained))
        selected = np.empty((self._iterations, parts, trained), np.bool_)
        used = self._data.samples if selection.batch is None else selection.batch * parts
        selection_kernel.train(
            self._task,
            self._everything,
            (self._bounds, selection.holders, selection.batch or 0),
            self._rule,
            (
                self._random,
                np.uint64(0) if batch is None else key(batch.seed, batch.stream, "batch"),
                np.uint64(0 if batch is None else batch.first),
            ),
            self._optimizer,
            1.0 / used if selection.gradient == "mean" else 1.0,
            max(1, min(SIDE_BY_SIDE, trained, ROOM // (self._kept * self._beginning.size))),
            self._beginning,
            winners,
            loss,
            selected,
        )
        return self._curves(loss, selected, least, trials)

    def _curves(
        self, loss: Values, selected: Mask, least: Values | None, trials: int
    ) -> dict[str, Values]:
        per_part = np.diff(self._bounds).astype(float)
        if self._selection.batch is not None:
            per_part[:] = self._selection.batch
        holders = self._selection.holders
        uploads, gradients = np.zeros((2, *loss.shape))
        np.cumsum(selected.sum(axis=1), axis=0, out=uploads[1:])
        of_each = np.einsum("g,lgt->lt", holders * per_part, selected)
        np.cumsum(of_each, axis=0, out=gradients[1:])
        curves = {
            "loss": loss,
            "downloads": holders * uploads,
            "uploads": uploads,
            "gradients": gradients,
        }
        if least is not None:
            curves["time"] = np.empty((self._iterations + 1, trials))
            selection_kernel.elapsed(least, selected, curves["time"])
        diverged, shape = np.isnan(loss), (len(loss), trials)
        for curve in curves.values():
            curve[np.broadcast_to(diverged, curve.shape)] = np.nan
        return {name: np.array(np.broadcast_to(own, shape)) for name, own in curves.items()}

    # --- what kernels take ------------------------------------------------------------------------

    @cached_property
    def _units(self) -> int:
        return self._data.classes if self._problem.model == "softmax" else 1

    @cached_property
    def _task(self) -> tuple[int, int, Values, Values]:
        data = self._data
        return MODELS[self._problem.model], self._units, padded(data.X), data.y

    @cached_property
    def _beginning(self) -> Values:
        # each row of weights for the features is padded with zeros
        start, f = self._problem.start(self._data), self._data.features
        return padded(start.reshape(self._units, f)).reshape(-1)

    @cached_property
    def _rule(self) -> tuple[Values, Values, bool, bool, bool]:
        selection = self._selection
        if not isinstance(selection, Adaptive):
            return np.zeros(selection.parts), np.zeros(1), False, False, True
        after, displaced = selection.refresh == "after", selection.trigger == "square-of-sum"
        c = np.array(np.broadcast_to(selection.c, selection.window), float)
        return self.smoothness**2, c, after, displaced, False

    @cached_property
    def _everything(self) -> tuple[Values, NDArray[np.int64], Values, float, int]:
        # the form of all data that the loss is computed from: samples, or a triangle
        data = self._data
        N, f = data.X.shape
        runs = 1 if self.alike else RUNS
        if self._problem.model != "linear" or runs * self._iterations * (N - f / 2) < 2 * N * f:
            cut = tiles(padded(data.X))
            return cut, np.zeros(len(cut), np.int64), data.y, 0.0, N
        R = np.empty((f + 1, f + 1))
        triangle(data.X, data.y, f, R)
        cut = tiles(padded(R[:f, :f]))
        starts = SAMPLES * np.arange(len(cut))
        targets = R[:f, f].copy()
        targets.flags.writeable = False  # as data.y: kernels are compiled for one form
        return cut, starts, targets, 0.5 * float(R[f, f]) ** 2, N


# ---- How fast the gradient of each part's mean loss can change

#: Largest second derivative of a sample's loss by its score, or by its scores in any direction:
#: uᵀ(diag(p) − ppᵀ)u is the variance of u under p, at most ½ for ‖u‖ = 1.
CURVATURE = {"linear": 1.0, "logistic": 0.25, "softmax": 0.5}


def smoothness(model: str, data: Data, parts: int) -> Values:
    """Estimate the smoothness L of the mean loss of each of G ``parts``: float64 array (G,).

    Parts are runs of consecutive samples. L is the largest eigenvalue of XᵀX/n over the n samples
    of a part, by power iteration (the same bits on every machine); a quarter of it for logistic
    regression, half of it for softmax regression: no Hessian has a larger one.
    """
    cuts = bounds(data.samples, parts)
    rows = padded(data.X)
    start = uniforms(1, "power iteration", rows.shape[1]) - 0.5
    out = np.empty(parts)
    largest_eigenvalues(rows, cuts, start, out)
    return CURVATURE[model] * out / np.diff(cuts)


def padded(rows: Values) -> Values:
    """Return rows (m, f), filled up with zeros to a multiple of what is multiplied at a time."""
    return np.pad(rows, ((0, 0), (0, -rows.shape[1] % WIDTH)))


def tiles(rows: Values) -> Values:
    """Return padded rows (m, P) as tiles (⌈m/64⌉, P, 64), zeros filling up the last."""
    full = np.pad(rows, ((0, -len(rows) % SAMPLES), (0, 0)))
    return np.ascontiguousarray(full.reshape(-1, SAMPLES, rows.shape[1]).transpose(0, 2, 1))
