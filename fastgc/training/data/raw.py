"""A data set as it was read, before a model's needs are put on it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastgc.registry.cached import cached_property


@dataclass(frozen=True, eq=False)
class Raw:
    """Features and targets.

    Attributes
    ----------
    name : str
        How messages call the set.
    X : float64 array (N, f)
    y : array (N,)
        float64 numbers, or text where the targets are names of classes.
    arrays : tuple of two str
        What an npz calls features and targets.
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
