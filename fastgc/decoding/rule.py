"""Decoders of one's own: what weight each survivor's answer gets."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc import registry
from fastgc.registry import Member, plugins

Matrix = NDArray[np.float64]

#: The decoders that fastgc has itself.
DECODERS = ("optimal", "one-step", "fixed", "class")


def by_name(given: Any) -> Any:
    """Return the name of a decoder that fastgc has itself, and the table of any other.

    Raises
    ------
    ValueError
        If a table gives a decoder of fastgc keys that it has not.
    """
    if isinstance(given, str) and given in registry.members("decoder"):
        return {"method": given}
    if isinstance(given, Mapping) and given.get("method") in DECODERS:
        method = given["method"]
        if len(given) > 1:
            raise ValueError(f'"{method}" has no keys of its own; rho stands beside the decoder')
        return method
    return given


def _vectors(rule: Any, found: Any, B: Matrix, alive: NDArray[np.bool_]) -> str | None:
    fits = isinstance(found, np.ndarray) and found.shape == alive.shape
    if not (fits and found.dtype == np.float64):
        return f"weights, a float64 array of shape {alive.shape}, patterns × workers"
    if not np.isfinite(found).all():
        return "finite weights"
    return None if not found[~alive].any() else "weights that are 0 for every straggler"


class DecodingRule(Member):
    """Base of every decoder of one's own.

    It says with which weights the survivors' answers are added up; what error that makes is
    computed from B. A study names it by ``decoder = { method = "…" }`` with its keys, or by its
    name alone.

    Examples
    --------
    >>> from typing import Literal
    >>> import fastgc
    >>> class Share(DecodingRule):
    ...     method: Literal["share"] = "share"
    ...     factor: float = 1.0
    ...     def vectors(self, B, alive):
    ...         every = np.maximum(alive.sum(axis=1, keepdims=True), 1)
    ...         return np.where(alive, self.factor * alive.shape[1] / every, 0.0)
    >>> fastgc.decode([[1, 0], [0, 1]], [0], decoder=Share()).vector.tolist()
    [2.0]
    """

    ROOM: ClassVar[str | None] = "decoder"
    RESERVED: ClassVar[frozenset[str]] = frozenset(DECODERS)
    CHECKS: ClassVar[Mapping[str, plugins.Check]] = {"vectors": _vectors}

    @abstractmethod
    def vectors(self, B: Matrix, alive: NDArray[np.bool_]) -> Matrix:
        """Return the decoding vectors of some patterns.

        Parameters
        ----------
        B : float64 array (k, n), read-only
            Encoding matrix, partitions × workers.
        alive : bool array (patterns, n)
            Who survived. There are always 64 patterns; some may be without a survivor.

        Returns
        -------
        float64 array (patterns, n)
            The weight of each worker's answer, 0 for stragglers: answers add up to the weights
            B x of the partitions, which should be 1. A pattern's row must depend on its row of
            ``alive`` and on B alone.
        """
