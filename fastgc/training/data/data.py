"""What a model learns from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values: TypeAlias = NDArray[np.float64]


class Data:
    """Samples with their targets, ready to be learnt from; never changed.

    Parameters
    ----------
    X : array_like (N, f)
        Features, one sample a row; the column of an intercept, if any, comes last.
    y : array_like (N,)
        Numbers for linear models, ±1 for logistic ones, class numbers 0 … C − 1 for the others.
    classes : int
        C; 0 where y holds no class numbers.
    best : array_like (p,), or a function that finds it, optional
        Parameters θ* that distances are measured from. A function is called when first asked for.
    """

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: int = 0,
        best: ArrayLike | Callable[[], Values] | None = None,
    ) -> None:
        self._X = _kept(X)
        self._y = _kept(y)
        self._classes = classes
        self._best = best

    @property
    def X(self) -> Values:  # noqa: N802
        """Features (N, f), C-contiguous."""
        return self._X

    @property
    def y(self) -> Values:
        """Targets (N,)."""
        return self._y

    @property
    def classes(self) -> int:
        """Classes C, or 0."""
        return self._classes

    @property
    def best(self) -> Values | None:
        """θ* (p,), or None where there is none to be measured from."""
        if self._best is None:
            return None
        if not isinstance(self._best, np.ndarray):
            self._best = _kept(self._best() if callable(self._best) else self._best)
        return self._best

    @property
    def samples(self) -> int:
        """Number of samples N."""
        return len(self._y)

    @property
    def features(self) -> int:
        """f, with the intercept's column."""
        return int(self._X.shape[1])


def _kept(values: ArrayLike) -> Values:
    out = np.array(values, dtype=np.float64, order="C")
    out.flags.writeable = False
    return out
