"""What is searched for: the sizes of a code, who straggles, and what is to be least."""

import math
from fractions import Fraction
from typing import Annotated, Literal, TypedDict

import pydantic
from pydantic import Field

from fastgc.registry import Table
from fastgc.registry.number_types import Seed

#: Workers of a code that is searched for, at most: it is judged by all 2ⁿ patterns.
MOST_WORKERS = 20
#: Its partitions, at most.
_MOST_PARTITIONS = 64

_Few = Annotated[int, Field(ge=1, le=_MOST_PARTITIONS)]


class SearchKeys(TypedDict, total=False):
    """The keys of a `SearchTable` as `fastgc.planning.search` takes them."""

    n: int
    k: int
    d: int
    p: float
    s: int
    goal: Literal["mean", "worst", "exact"]
    seed: int
    steps: float
    seconds: float


class SearchTable(Table):
    """The table ``[search]``: which encoding matrix is wanted.

    * ``n`` (int): Workers, at most 20: codes are judged by all patterns of stragglers.
    * ``k`` (int, optional): Partitions, at most 64; as many as workers by default.
    * ``d`` (int): Partitions that a worker holds, at most.
    * ``p`` (float, optional): Probability that a worker straggles, independently of others. Give p
      or ``s``.
    * ``s`` (int, optional): Stragglers, all sets of so many equally likely.
    * ``goal`` ({"mean", "worst", "exact"}): What is wanted: the least mean error (the default), the
      least worst error of s stragglers, or the largest probability of exact recovery.
    * ``seed`` (int): Of all that is random, 0 ≤ seed < 2⁶⁴; 1 by default.
    * ``steps`` (int): Changes that are tried, at most; 100 000 by default.
    * ``seconds`` (float, optional): Ends the search early.
    """

    n: Annotated[int, Field(ge=1, le=MOST_WORKERS)]
    k: _Few | None = None
    d: _Few
    p: Annotated[float, Field(gt=0, lt=1)] | None = None
    s: Annotated[int, Field(ge=0)] | None = None
    goal: Literal["mean", "worst", "exact"] = "mean"
    seed: Seed = 1
    steps: Annotated[int, Field(ge=0, le=10**9)] = 100_000
    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @pydantic.model_validator(mode="after")
    def _fits(self) -> "SearchTable":
        if (self.p is None) == (self.s is None):
            got = "neither" if self.p is None else "both"
            raise ValueError(f"give either p or s (got {got})")
        for one, most, other in (("d", self.partitions, "k"), ("s", self.n, "n")):
            value = getattr(self, one)
            if value is not None and value > most:
                raise ValueError(
                    f"{one} must be at most {other} (got {one}={value}, {other}={most})"
                )
        if self.goal == "worst" and self.s is None:
            raise ValueError('goal "worst" needs s, how many straggle')
        return self

    @property
    def partitions(self) -> int:
        """Partitions k."""
        return self.k or self.n

    def weights(self) -> list[Fraction]:
        """Return the probability of one pattern with 0 … n stragglers."""
        n = self.n
        if self.s is not None:
            return [Fraction(int(s == self.s), math.comb(n, s)) for s in range(n + 1)]
        p = Fraction(repr(self.p))
        return [p**s * (1 - p) ** (n - s) for s in range(n + 1)]
