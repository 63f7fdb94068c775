"""What a model learns from: a data set as it was read, made, ready to be learnt from, and cut."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.arrays import Values
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError


@dataclass(frozen=True, eq=False)
class RawData:
    """Features X (N, f) and targets y (N,), float64; messages call it ``name``."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.float64]


class Data:
    """Samples with their targets, ready to be learnt from; never changed.

    X (N, f), C-contiguous, has one of N ``samples`` a row, with the intercept's column last, if
    any. y (N,) holds numbers for linear models, ±1 for logistic ones, class numbers 0 … C − 1 of C
    ``classes`` for the others. Distances are measured from ``best``, θ* (p,), or from what it
    returns when first asked for; None where there is none.
    """

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: int = 0,
        best: ArrayLike | Callable[[], Values] | None = None,
    ) -> None:
        self.X, self.y, self.classes = _kept(X), _kept(y), classes
        self.samples, self.features = len(self.y), int(self.X.shape[1])
        self._best = best

    @property
    def best(self) -> Values | None:
        """θ* (p,), or None where there is none to be measured from."""
        if self._best is None:
            return None
        if not isinstance(self._best, np.ndarray):
            self._best = _kept(self._best() if callable(self._best) else self._best)
        return self._best


def _kept(values: ArrayLike) -> Values:
    out = np.array(values, dtype=np.float64, order="C")
    out.flags.writeable = False
    return out


def bounds(samples: int, k: int) -> NDArray[np.int64]:
    """Cut samples into k runs of consecutive ones, as equal as can be: int64 array (k + 1,).

    Partition i holds the samples from entry i up to, not including, entry i + 1. Each of the first
    N mod k partitions holds one sample more than the others; none may be empty.
    """
    if k < 1:
        raise FastgcError(f"partitions: must be at least 1 (got {k})")
    if samples < k:
        raise FastgcError(f"partitions: {k} of them need at least {k} samples (got {samples})")
    whole, longer = divmod(samples, k)
    number = np.arange(k + 1, dtype=np.int64)
    return whole * number + np.minimum(number, longer)


# ---- From a set as it was read: rows, targets, scale


#: What a model's targets are: any number, −1 or +1, or a class number.
Kind = Literal["number", "sign", "class"]


def select(
    raw: RawData, labels: Sequence[int] | None, samples: int | None, order: str, seed: int
) -> tuple[NDArray[np.intp], Values]:
    """Choose samples with the given labels, in order, the first so many.

    Returns their rows in ``raw``, (N,), and their targets; with labels, the places of theirs in the
    list: class numbers.
    """
    rows = np.arange(len(raw.y))
    y = raw.y
    if labels is not None:
        place = np.full(len(y), -1)
        for i, label in enumerate(labels):
            place[y == label] = i
        rows, y = rows[place >= 0], place.astype(np.float64)
    if order == "random":
        draws = uniforms(seed, "order of samples", rows.size)
        rows = rows[np.argsort(draws, kind="stable")]
    if samples is not None:
        if samples > rows.size:
            which = "of these labels" if labels is not None else "samples"
            raise FastgcError(f"{raw.name} has {rows.size} {which} (got {samples})", "samples")
        rows = rows[:samples]
    return rows, y[rows]


def targets(name: str, y: Values, kind: Kind, binarize: float | str | None) -> tuple[Values, int]:
    """Return targets as a model of some kind takes them, and the number of classes (or 0).

    ``name`` is how messages call the data set.
    """
    if binarize is not None:
        threshold = float(np.median(y)) if isinstance(binarize, str) else binarize
        positive = y > threshold
        if positive.all() or not positive.any():
            side = "above" if positive.all() else "at or below"
            raise FastgcError(
                f"all targets of {name} are {side} {threshold:g}; choose a threshold "
                f"from {y.min():g} to below {y.max():g}",
                "binarize",
            )
        return np.where(positive, 1.0, -1.0), 0
    if kind == "number":
        return y, 0
    values, places = np.unique(y, return_inverse=True)
    if kind == "sign":
        if values.size != 2:
            raise FastgcError(
                f"{name}: logistic regression needs targets of two values (got {values.size}); "
                "choose two by labels, or say by binarize above what they count as +1"
            )
        return np.where(places == 1, 1.0, -1.0), 0
    if values.size < 2:
        raise FastgcError(
            f"{name}: all targets are {values[0]:g}, and two classes are needed; take more "
            'samples, or take them in order = "random"'
        )
    classes = int(y.max()) + 1
    if values.size < classes:
        missing = int(np.setdiff1d(np.arange(classes), values)[0])
        raise FastgcError(
            f"{name}: targets go up to {classes - 1} but none is {missing}; list those that there "
            "are as labels, which numbers them in that order"
        )
    return y, classes


def scale(X: Values, standardize: bool | str) -> Values:
    """Scale features: each to mean 0 and variance 1, or all by the largest one; or leave them.

    A feature that is the same in all samples becomes 0 when standardized.
    """
    if standardize == "range":
        largest = np.abs(X).max(initial=0.0)
        return np.asarray(X / largest if largest else X)
    if not standardize:
        return X
    centred = X - X.mean(axis=0)
    # a constant's mean may be off by rounding, and its spread then is not 0
    centred[:, np.ptp(X, axis=0) == 0] = 0.0
    spread = np.sqrt((centred * centred).mean(axis=0))
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))
