"""The code whose 0/1 entries are tossed independently: once, or anew in every trial."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal, NoReturn

import numpy as np
import pydantic

from fastgc.codes.code import TableHolder, code_of
from fastgc.codes.columns import Columns
from fastgc.codes.family import SizedFamily
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.registry.complaints import show
from fastgc.registry.makers import maker
from fastgc.registry.number_types import Seed, Size

LARGEST_PER_TRIAL = 1_000_000
"""Entries of a matrix that is drawn anew in every trial."""


def _refused(what: str) -> Any:
    def refuse(code: "CodeOfTrials") -> NoReturn:
        raise FastgcError(
            f"{code.name}: has {what} of its own in every trial; give a number as seed"
        )

    return property(refuse)


@dataclass(frozen=True, eq=False)
class CodeOfTrials(TableHolder):
    """A code whose matrix is drawn anew in every trial; asking for a fixed matrix is refused.

    Every entry is 1 with the probability ``density``. No tolerance is guaranteed, and no classes
    are known.

    >>> import fastgc
    >>> fastgc.codes.bernoulli(n=4, density=0.5, seed="trial").name
    'bernoulli(n=4, k=4, density=0.5, seed=trial)'
    """

    name: str
    n: int
    k: int
    density: float
    tolerance: None = None
    classes: None = None

    @property
    def last(self) -> np.uint64:
        """As kernels want the density: the largest draw of 64 bits for a 1."""
        return np.uint64(-(-Fraction(self.density) * 2**64 // 1) - 1)

    # of its own in every trial
    B = _refused("a matrix")
    loads = _refused("loads")
    structure = _refused("a structure")


@register("code")
class Bernoulli(SizedFamily):
    """The Bernoulli gradient code of Charles, Papailiopoulos and Ellenberg (1711.06771).

    Every worker holds every partition with probability ``density``, independently; nothing is
    guaranteed of it. Matrices of one seed grow with the density.

    * ``k`` (int, optional): Partitions, at most 16 384; n by default.
    * ``seed`` (int or "trial"): 0 ≤ seed < 2⁶⁴; 1 by default. "trial" is a new matrix in every
      trial, n·k ≤ 10⁶.
    * ``density`` (float): Probability that an entry is 1, 0 < density ≤ 1.

    >>> bernoulli(n=4, density=1.0).loads.tolist()
    [4, 4, 4, 4]
    """

    family: Literal["bernoulli"] = "bernoulli"
    k: Size | None = None
    seed: Seed | Literal["trial"] = 1
    density: Annotated[float, pydantic.Field(gt=0, le=1)]

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
        return self.seed == "trial"

    def build(self) -> Any:
        n, k = self.n, self.k or self.n
        name = f"bernoulli(n={n}, k={k}, density={self.density:g}, seed={self.seed})"
        if self.seed == "trial":
            return CodeOfTrials(name, n, k, self.density)
        held = []
        for worker in range(n):
            tosses = uniforms(int(self.seed), f"bernoulli/{k}/{worker}", k)
            held.append(np.flatnonzero(tosses < self.density).astype(np.int32))
        offsets = np.cumsum([0, *map(len, held)])
        return code_of(Columns.from_ones(k, offsets, np.concatenate(held)), name)


bernoulli = maker(Bernoulli, build=True)
