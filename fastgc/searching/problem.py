"""What is searched for: the sizes of a code, who straggles, and what is to be least."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

import pydantic
from pydantic import Field

from fastgc.registry import Table, toml
from fastgc.registry.numbers import Seed

#: Workers of a code that is searched for, at most: it is judged by all 2ⁿ patterns.
MOST_WORKERS = 20
#: Its partitions, at most.
_MOST_PARTITIONS = 64

_Few = Annotated[int, Field(ge=1, le=_MOST_PARTITIONS)]


class Problem(Table):
    """The table ``[search]``: which encoding matrix is wanted.

    Parameters
    ----------
    n : int
        Workers, at most 20: codes are judged by all patterns of stragglers.
    k : int, optional
        Partitions, at most 64; as many as workers by default.
    d : int, optional
        Partitions that a worker holds, at most. Give d or ``total``.
    total : int, optional
        Partitions that all workers hold together, at most.
    p : float, optional
        Probability that a worker straggles, independently of others. Give p or ``s``.
    s : int, optional
        Stragglers, all sets of so many equally likely.
    goal : {"mean", "worst", "exact"}
        What is wanted: the least mean error (the default), the least worst error of s stragglers,
        or the largest probability of exact recovery.
    decoder : {"optimal", "one-step", "fixed"}
        Whose error counts, as for `fastgc.decode`.
    rho : float, optional
        The weight of the fixed decoder, which needs it.
    entries : {"0/1", "±1"}
        What the matrix may hold: zeros and ones (the default), or also minus ones.
    seed : int
        Of all that is random, 0 ≤ seed < 2⁶⁴; 1 by default.
    steps : int
        Changes that are tried, at most; 100 000 by default.
    seconds : float, optional
        Ends the search early.

    Examples
    --------
    >>> Problem(n=8, d=3, p=0.1).partitions
    8
    """

    n: Annotated[int, Field(ge=1, le=MOST_WORKERS)]
    k: _Few | None = None
    d: _Few | None = None
    total: Annotated[int, Field(ge=1, le=MOST_WORKERS * _MOST_PARTITIONS)] | None = None
    p: Annotated[float, Field(gt=0, lt=1)] | None = None
    s: Annotated[int, Field(ge=0)] | None = None
    goal: Literal["mean", "worst", "exact"] = "mean"
    decoder: Literal["optimal", "one-step", "fixed"] = "optimal"
    rho: Annotated[float, Field(allow_inf_nan=False)] | None = None
    entries: Literal["0/1", "±1"] = "0/1"
    seed: Seed = 1
    steps: Annotated[int, Field(ge=0, le=10**9)] = 100_000
    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @pydantic.model_validator(mode="after")
    def _fits(self) -> "Problem":
        wrong = self._contradiction()
        if wrong is not None:
            raise ValueError(wrong)
        return self

    def _contradiction(self) -> str | None:
        """Return what is wrong with the keys together."""
        if (self.d is None) == (self.total is None):
            return f"give either d or total (got {'neither' if self.d is None else 'both'})"
        if (self.p is None) == (self.s is None):
            return f"give either p or s (got {'neither' if self.p is None else 'both'})"
        if self.d is not None and self.d > self.partitions:
            return f"d must be at most k (got d={self.d}, k={self.partitions})"
        if self.s is not None and self.s > self.n:
            return f"s must be at most n (got n={self.n}, s={self.s})"
        if self.goal == "worst" and self.s is None:
            return 'goal "worst" needs s, how many straggle'
        if (self.decoder == "fixed") != (self.rho is not None):
            return 'rho and decoder "fixed" go together'
        return None

    @property
    def partitions(self) -> int:
        """Partitions k."""
        return self.k or self.n

    @property
    def most_load(self) -> int:
        """Partitions that one worker holds, at most."""
        return self.d or min(self.total or 1, self.partitions)

    @property
    def most_entries(self) -> int:
        """Partitions that all workers hold together, at most."""
        return self.total or self.n * (self.d or 1)

    def weights(self) -> list[Fraction]:
        """Return the probability of one pattern with 0 … n stragglers.

        Examples
        --------
        >>> Problem(n=2, d=1, p=0.1).weights()
        [Fraction(81, 100), Fraction(9, 100), Fraction(1, 100)]
        """
        n = self.n
        if self.s is not None:
            return [Fraction(int(s == self.s), math.comb(n, s)) for s in range(n + 1)]
        p = Fraction(repr(self.p))
        return [p**s * (1 - p) ** (n - s) for s in range(n + 1)]


def keys_of(words: Sequence[str]) -> dict[str, Any]:
    """Read words ``key=value``; entries are names although they look like numbers.

    Examples
    --------
    >>> keys_of(["n=8", "entries=0/1"])
    {'n': 8, 'entries': '0/1'}
    """
    quoted = [
        f"entries={toml.written(word[8:])}" if word.startswith("entries=") else word
        for word in words
    ]
    return toml.values_of("search", quoted)
