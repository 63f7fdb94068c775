"""What a model learns from: a data set as it was read, and as it is ready to be learnt from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fastgc.registry.cached import cached_property


@dataclass(frozen=True, eq=False)
class Raw:
    """Features X (N, f) and targets y (N,), float64 or names of classes; messages call it ``name``.

    ``arrays`` is what an npz calls the two.
    """

    name: str
    X: NDArray[np.float64]
    y: NDArray[Any]
    arrays: tuple[str, str] = ("X", "y")

    @property
    def text(self) -> bool:
        """Whether the targets are names."""
        return self.y.dtype.kind == "U"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all features and targets."""
        content = hashlib.sha256(repr((self.X.shape, self.text)).encode())
        # −0.0 and 0.0 are one number
        content.update((self.X + 0.0).astype("<f8").tobytes())
        if self.text:
            content.update("\0".join(self.y.tolist()).encode())
        else:
            content.update((self.y + 0.0).astype("<f8").tobytes())
        return content.hexdigest()


Values: TypeAlias = NDArray[np.float64]


class Data:
    """Samples with their targets, ready to be learnt from; never changed.

    X (N, f) has one sample a row, with the intercept's column last, if any. y (N,) holds numbers
    for linear models, ±1 for logistic ones, class numbers 0 … C − 1 of C ``classes`` for the
    others. Distances are measured from ``best``, θ* (p,), or from what it returns when first asked
    for.
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
