"""Codes whose entries are tossed independently: one fixed matrix, or a new one in every trial."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal, NoReturn

import numpy as np
import pydantic

from fastgc.codes.code import Code, Made, code_of
from fastgc.codes.family import SizedFamily
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.registry.complaints import show
from fastgc.registry.makers import maker
from fastgc.registry.numbers import Seed, Size

LARGEST_PER_TRIAL = 1_000_000
"""Entries of a matrix that is drawn anew in every trial."""


@register("code")
class Bernoulli(SizedFamily):
    """The Bernoulli gradient code of Charles, Papailiopoulos and Ellenberg (1711.06771).

    Every worker holds every partition with probability ``density``, independently; nothing is
    guaranteed of it.

    Parameters
    ----------
    n : int
        Workers, 1 ≤ n ≤ 16 384.
    k : int, optional
        Partitions, at most 16 384; n by default.
    density : float
        Probability that an entry is 1, 0 < density ≤ 1. Matrices of one seed grow with it.
    seed : int or "trial"
        0 ≤ seed < 2⁶⁴; 1 by default. "trial" is a new matrix in every trial, n·k ≤ 10⁶.

    Raises
    ------
    FastgcError
        If a parameter is out of range.

    Examples
    --------
    >>> bernoulli(n=4, density=1.0).loads.tolist()
    [4, 4, 4, 4]
    """

    family: Literal["bernoulli"] = "bernoulli"
    k: Size | None = None
    density: Annotated[float, pydantic.Field(gt=0, le=1)]
    seed: Seed | Literal["trial"] = 1

    @pydantic.field_validator("seed", mode="before")
    @classmethod
    def _number_or_trial(cls, seed: Any) -> Any:
        if seed != "trial" and (isinstance(seed, bool) or not isinstance(seed, int)):
            raise ValueError(f'must be an integer or "trial" (got {show(seed)})')
        return seed

    @pydantic.field_validator("seed")
    @classmethod
    def _small_enough(cls, seed: int | str, info: pydantic.ValidationInfo) -> int | str:
        n, k = info.data.get("n"), info.data.get("k")
        if seed == "trial" and n is not None and n * (k or n) > LARGEST_PER_TRIAL:
            raise ValueError(
                f'"trial" needs n·k ≤ {LARGEST_PER_TRIAL} (got n={n}, k={k or n}); give a number'
            )
        return seed

    @property
    def per_trial(self) -> bool:
        """Whether every trial draws a matrix of its own."""
        return self.seed == "trial"

    def build(self) -> Any:
        """Return the code, or a `CodeOfTrials` that has no fixed matrix."""
        k = self.n if self.k is None else self.k
        name = f"bernoulli(n={self.n}, k={k}, density={self.density:g}, seed={self.seed})"
        if self.seed == "trial":
            return CodeOfTrials(name, self.n, k, self.density)
        return _build(name, self.n, k, self.density, int(self.seed))


@dataclass(frozen=True)
class CodeOfTrials(Made):
    """A code whose matrix is drawn anew in every trial; asking for a fixed matrix is refused.

    Attributes
    ----------
    name : str
        The code and its parameters, for people.
    n, k : int
        Workers and partitions.
    density : float
        Probability that an entry is 1.
    tolerance, classes : None
        Nothing is guaranteed.
    """

    name: str
    n: int
    k: int
    density: float
    tolerance: None = None
    classes: None = None

    @property
    def last(self) -> np.uint64:
        """Largest 64-bit draw that makes an entry 1, as kernels want it."""
        return np.uint64(-(-Fraction(self.density) * 2**64 // 1) - 1)

    @property
    def B(self) -> NoReturn:  # noqa: N802
        """Raise FastgcError: every trial has a matrix of its own."""
        raise self._refusal("a matrix")

    @property
    def loads(self) -> NoReturn:
        """Raise FastgcError: every trial has loads of its own."""
        raise self._refusal("loads")

    @property
    def structure(self) -> NoReturn:
        """Raise FastgcError: every trial has a structure of its own."""
        raise self._refusal("a structure")

    def _refusal(self, what: str) -> FastgcError:
        return FastgcError(
            f"{self.name}: has {what} of its own in every trial; give a number as seed"
        )


bernoulli = maker(Bernoulli, build=True)


def _build(name: str, n: int, k: int, density: float, seed: int) -> Code:
    B = np.empty((k, n))
    for worker in range(n):
        B[:, worker] = uniforms(seed, f"bernoulli/{k}/{worker}", k) < density
    return code_of(B, name)
