"""What is searched for: the sizes of a code, who straggles, and what is to be least."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal

import pydantic
from pydantic import Field

from fastgc import registry
from fastgc.latency import Law, listed
from fastgc.registry import Table, toml
from fastgc.registry.numbers import Seed
from fastgc.searching.clock import Clock

#: Workers of a code that is searched for, at most.
MOST_WORKERS = 64
#: Workers of codes that are judged by all 2ⁿ patterns, at most.
MOST_ENUMERATED = 20

#: Weight of what takes infinitely long.
_LONG = 10**30
Goal = Literal["mean", "worst", "exact", "amplification", "time"]
_Few = Annotated[int, Field(ge=1, le=MOST_WORKERS)]


class Problem(Table):
    """The table ``[search]``: which encoding matrix is wanted.

    Parameters
    ----------
    n : int
        Workers, at most 64.
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
    goal : {"mean", "worst", "exact", "amplification", "time"}
        What is wanted: the least mean error (the default); the least worst error of s stragglers;
        the largest probability of exact recovery; the least mean ‖x‖² of the decoding vector among
        codes that survive every s stragglers; or the least time until the answers decode exactly.
    latency : Law, optional
        Of goal "time": the law of the seconds until a worker answers, independent and alike for
        all, whatever they hold; exponential with mean 1 by default.
    quantile : float, optional
        Of goal "time": the level of the quantile that is to be least, instead of the mean.
    decoder : {"optimal", "one-step", "fixed"}
        Whose error counts, as for `fastgc.decode`.
    rho : float, optional
        The weight of the fixed decoder, which needs it.
    entries : {"0/1", "±1", "real"}
        What the matrix may hold: zeros and ones (the default), also minus ones, or any real
        numbers.
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

    n: _Few
    k: _Few | None = None
    d: _Few | None = None
    total: Annotated[int, Field(ge=1, le=MOST_WORKERS**2)] | None = None
    p: Annotated[float, Field(gt=0, lt=1)] | None = None
    s: Annotated[int, Field(ge=0)] | None = None
    goal: Goal = "mean"
    latency: Any = None
    quantile: Annotated[float, Field(gt=0, lt=1)] | None = None
    decoder: Literal["optimal", "one-step", "fixed"] = "optimal"
    rho: Annotated[float, Field(allow_inf_nan=False)] | None = None
    entries: Literal["0/1", "±1", "real"] = "0/1"
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
        if self.goal == "time" and (self.p, self.s, self.decoder) != (None, None, "optimal"):
            return 'goal "time" is of decoder "optimal", and takes neither p nor s'
        if self.goal != "time" and (self.latency, self.quantile) != (None, None):
            return f'latency and quantile are of goal "time" (got goal "{self.goal}")'
        if self.latency is not None and (wrong := self._unlike()) is not None:
            return f"latency: {wrong}"
        if self.goal != "time" and (self.p is None) == (self.s is None):
            return f"give either p or s (got {'neither' if self.p is None else 'both'})"
        if self.d is not None and self.d > self.partitions:
            return f"d must be at most k (got d={self.d}, k={self.partitions})"
        if self.s is not None and self.s > self.n:
            return f"s must be at most n (got n={self.n}, s={self.s})"
        if self.goal in ("worst", "amplification") and self.s is None:
            return f'goal "{self.goal}" needs s, how many straggle'
        if self.goal == "amplification" and self.decoder != "optimal":
            return 'goal "amplification" is of decoder "optimal" alone'
        if (self.decoder == "fixed") != (self.rho is not None):
            return 'rho and decoder "fixed" go together'
        sampled = self.goal in ("mean", "exact", "time")
        if not self.is_enumerated and not (sampled and self.decoder == "optimal"):
            what = f'decoder "{self.decoder}"' if sampled else f'goal "{self.goal}"'
            return f"{what} is judged by all patterns, up to n={MOST_ENUMERATED} (got n={self.n})"
        return None

    def _unlike(self) -> str | None:
        """Return why answers of a law are not independent and alike, or not known."""
        found = listed.complaints([self.latency], self.n)
        if found:
            return found[0][1]
        if not isinstance(self.latency, Law):
            return "must be a law whose distribution function is known"
        rows = any(part.order in ("rows", "replay") for part in listed.recorded(self.latency))
        if rows or len(listed.of_workers([self.latency], self.n)) > 1:
            return 'must be the same for all workers, and independent; take order = "pooled"'
        return None

    @cached_property
    def clock(self) -> Clock:
        """When answers decode, of goal "time"."""
        law = self.latency
        return Clock(self.n, None if law is None else law.time(), self.quantile)

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

    @property
    def has_weights(self) -> bool:
        """Whether entries may be any numbers, so that there are weights to look for."""
        return self.entries == "real"

    @property
    def is_enumerated(self) -> bool:
        """Whether values come from all patterns."""
        return self.n <= MOST_ENUMERATED

    def settings(self) -> dict[str, Any]:
        """Return the table as JSON data."""
        return super().settings() | of_laws(() if self.latency is None else [self.latency])

    @property
    def is_rational(self) -> bool:
        """Whether weights of patterns are fractions, and the value is their sum."""
        return self.latency is None and self.quantile is None

    def weights(self) -> list[Fraction]:
        """Return the probability of one pattern with 0 … n stragglers.

        For the time: how long it is the pattern of those that have not answered, in the mean; for
        its quantile, the probability while each partition's d holders are out as often as it says.

        Examples
        --------
        >>> Problem(n=2, d=1, p=0.1).weights()
        [Fraction(81, 100), Fraction(9, 100), Fraction(1, 100)]
        """
        n = self.n
        if self.s is not None:
            return [Fraction(int(s == self.s), math.comb(n, s)) for s in range(n + 1)]
        if self.goal == "time" and self.quantile is None:
            steps = [min(step, _LONG) for step in self.clock.steps]
            return [Fraction(step) / math.comb(n, s) for s, step in enumerate(steps)]
        late = None if self.quantile is None else (1.0 - self.quantile) ** (1.0 / self.most_load)
        p = Fraction(repr(self.p)) if late is None else Fraction(late)
        return [p**s * (1 - p) ** (n - s) for s in range(n + 1)]


def of_laws(laws: Sequence[Any]) -> dict[str, Any]:
    """Return the key ``latency`` as JSON data, with the names of laws.

    >>> from fastgc.latency import Exponential
    >>> of_laws([Exponential(mean=1.0)])
    {'latency': {'distribution': 'exponential', 'mean': 1.0, 'shift': 0.0}}
    """
    each = [law.model_dump(mode="json", exclude_none=True) for law in laws]
    return {"latency": each[0] if len(each) == 1 else each} if each else {}


def table() -> type[Problem]:
    """Return the table with the laws that are registered now."""
    law: Any = registry.union("latency", optional=True)
    return pydantic.create_model("Problem", __base__=Problem, latency=(law, None))


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
