"""What all models of stragglers share: the law of their patterns, and what does not fit a code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code
from fastgc.draws.all_patterns import Values
from fastgc.draws.patterns import Patterns
from fastgc.draws.streams import WORD, Batch
from fastgc.errors import FastgcError
from fastgc.registry import Member, plugins
from fastgc.stragglers.pattern_law import PatternLaw
from fastgc_kernels.draw import times


def _booleans(model: Any, found: Any, uniforms: Values) -> str | None:
    fits = isinstance(found, np.ndarray) and found.dtype == bool and found.shape == uniforms.shape
    return None if fits else f"booleans, trials × workers, of shape {uniforms.shape}"


def _law(model: Any, found: Any, code: Any) -> str | None:
    return None if isinstance(found, PatternLaw) else "a fastgc.stragglers.PatternLaw"


class Stragglers(Member, PatternLaw):
    """Base of every model of stragglers.

    A model says either who survives, by ``survivors`` in plain NumPy, or draws patterns itself, by
    ``draw``; one that depends on the code returns by ``bind`` what draws. The exact laws of
    `PatternLaw` are optional.

    Attributes
    ----------
    looks_at_code : bool
        Whether ``complaints_with`` has something to say: only then the code is built to be asked.

    Examples
    --------
    >>> from typing import Literal
    >>> from fastgc.draws.streams import Batch
    >>> class Racks(Stragglers):
    ...     model: Literal["racks"] = "racks"
    ...     p: float
    ...     def survivors(self, uniforms):
    ...         racks = uniforms[:, ::4] > self.p  # the first of four workers decides for all
    ...         return np.repeat(racks, 4, axis=1)[:, : uniforms.shape[1]]
    >>> Racks(p=0.5).draw(8, Batch(seed=1, stream="s", first=0, groups=1, iterations=1)).n
    8
    """

    looks_at_code: ClassVar[bool] = False

    ROOM: ClassVar[str | None] = "stragglers"
    CHECKS: ClassVar[Mapping[str, plugins.Check]] = {
        "survivors": _booleans,
        "bind": _law,
        "complaints_with": plugins.complaints,
    }

    @classmethod
    def missing(cls) -> list[str]:
        """Return what the class must have and has not: one of three methods is enough."""
        ways = ("survivors", "draw", "bind")
        some = any(plugins.overrides(cls, Stragglers, name) for name in ways)
        wrong = [name for name in ways if not callable(getattr(cls, name))]
        if plugins.overrides(cls, Stragglers, "complaints_with") and not cls.looks_at_code:
            wrong.append("looks_at_code")
        return wrong if some else ["survivors"]

    def survivors(self, uniforms: Values) -> NDArray[np.bool_]:
        """Return who survives one iteration of every trial.

        Parameters
        ----------
        uniforms : float64 array (trials, n)
            Independent uniform numbers in (0, 1), one a worker, drawn anew in every iteration.

        Returns
        -------
        bool array (trials, n)
            A trial's row must depend on its row of ``uniforms`` alone.
        """
        raise FastgcError(f"{plugins.path(type(self))}: needs a method survivors, or draw")

    def draw(self, n: int, batch: Batch) -> Patterns:
        """Draw the patterns of a batch from ``survivors``."""
        uniforms = np.empty((n, batch.iterations, batch.trials))
        key, first = batch.key("straggle"), np.uint64(batch.first)
        for j in range(n):
            times.draw_uniforms(j, 0, times.INVERSION, key, first, uniforms[j])
        words = -(-n // WORD)
        alive = np.zeros((batch.iterations, batch.trials, WORD * words), bool)
        for iteration in range(batch.iterations):
            alive[iteration, :, :n] = self.survivors(uniforms[:, iteration].T)
        packed = np.packbits(alive, axis=-1, bitorder="little").view(np.uint64)
        return Patterns(n, batch, packed=packed.reshape(-1, words))

    def bind(self, code: Code | None) -> PatternLaw:
        """Return what draws patterns for one code, None where there is none."""
        return self

    def complaints_with(self, code: Code, shuffle: str) -> list[tuple[str, str]]:
        """Return (field, sentence) for whatever does not fit a code under a shuffle.

        A model that defines this sets ``looks_at_code``.
        """
        return []
