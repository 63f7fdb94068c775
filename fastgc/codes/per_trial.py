"""Codes of which every trial may have a matrix of its own, drawn entry by entry."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NoReturn

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.codes.code import Made, code_of
from fastgc.codes.columns import Columns
from fastgc.codes.family import SizedFamily
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.registry.cached import cached_property
from fastgc.registry.complaints import show
from fastgc.registry.numbers import Seed, Size

LARGEST_PER_TRIAL = 1_000_000
"""Entries of a matrix that is drawn anew in every trial."""

NEVER = -1
"""The kind of entries that are always 0."""


class TossedFamily(SizedFamily):
    """Base of the families whose 0/1 entries are tossed independently.

    Parameters
    ----------
    k : int, optional
        Partitions, at most 16 384; n by default.
    seed : int or "trial"
        0 ≤ seed < 2⁶⁴; 1 by default. "trial" is a new matrix in every trial, n·k ≤ 10⁶.
    """

    k: Size | None = None
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

    @property
    def partitions(self) -> int:
        """Return k, n where it is not given."""
        return self.n if self.k is None else self.k

    @abstractmethod
    def title(self) -> str:
        """Return the code and its parameters, for people."""

    @abstractmethod
    def chances(self, workers: slice = slice(None)) -> NDArray[np.float64]:
        """Return the probability that a worker holds partition i, float64 array (workers, k)."""

    def build(self) -> Any:
        """Return the code, or a `CodeOfTrials` that has no fixed matrix."""
        n, k = self.n, self.partitions
        if self.seed == "trial":
            return CodeOfTrials(self.title(), n, k, self.chances())
        held = []
        for worker in range(n):
            tosses = uniforms(int(self.seed), f"bernoulli/{k}/{worker}", k)
            own = np.flatnonzero(tosses < self.chances(slice(worker, worker + 1))[0])
            held.append(own.astype(np.int32))
        offsets = np.cumsum([0, *map(len, held)])
        return code_of(Columns.of_ones(k, offsets, np.concatenate(held)), self.title())


@dataclass(frozen=True, eq=False)
class CodeOfTrials(Made):
    """A code whose matrix is drawn anew in every trial; asking for a fixed matrix is refused.

    Attributes
    ----------
    name : str
        The code and its parameters, for people.
    n, k : int
        Workers and partitions.
    chances : float64 array (n, k)
        Probability that an entry is 1, worker by worker.
    tolerance, classes : None
        Nothing is guaranteed.

    Examples
    --------
    >>> import fastgc
    >>> fastgc.codes.bernoulli(n=4, density=0.5, seed="trial").name
    'bernoulli(n=4, k=4, density=0.5, seed=trial)'
    """

    name: str
    n: int
    k: int
    chances: NDArray[np.float64]
    tolerance: None = None
    classes: None = None

    @cached_property
    def tosses(self) -> tuple[NDArray[np.int16], NDArray[np.uint64]]:
        """As kernels want it: every entry's kind, (n, k), and each kind's largest draw for a 1."""
        values, kinds = np.unique(self.chances, return_inverse=True)
        kinds = kinds.reshape(self.n, self.k).astype(np.int16)
        if values[0] == 0.0:
            values, kinds = values[1:], kinds - np.int16(1)
        last = [-(-Fraction(float(value)) * 2**64 // 1) - 1 for value in values]
        return np.ascontiguousarray(kinds, np.int16), np.array(last, np.uint64)

    @property
    def B(self) -> NoReturn:  # noqa: N802
        """Raise FastgcError: every trial has a matrix of its own."""
        raise self._refusal("a matrix")

    @property
    def held(self) -> NoReturn:
        """Raise FastgcError: in every trial other workers hold a partition."""
        raise self._refusal("holders")

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
