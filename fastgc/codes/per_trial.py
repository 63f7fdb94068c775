"""Codes whose 0/1 entries are tossed independently: once, or anew in every trial."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal, NoReturn

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.arrays import Values
from fastgc.codes.code import Made, code_of
from fastgc.codes.columns import Columns
from fastgc.codes.family import SizedFamily
from fastgc.draws.streams import uniforms
from fastgc.errors import FastgcError
from fastgc.registry import register
from fastgc.registry.cached import cached_property
from fastgc.registry.complaints import show
from fastgc.registry.makers import maker
from fastgc.registry.numbers import Seed, Size

LARGEST_PER_TRIAL = 1_000_000
"""Entries of a matrix that is drawn anew in every trial."""


class TossedFamily(SizedFamily):
    """Base of the families whose 0/1 entries are tossed independently.

    * ``k`` (int, optional): Partitions, at most 16 384; n by default.
    * ``seed`` (int or "trial"): 0 ≤ seed < 2⁶⁴; 1 by default. "trial" is a new matrix in every
      trial, n·k ≤ 10⁶.
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
        return self.seed == "trial"

    @property
    def partitions(self) -> int:
        """Return k, n where it is not given."""
        return self.n if self.k is None else self.k

    @abstractmethod
    def title(self) -> str:
        """Return the code and its parameters, for people."""

    @abstractmethod
    def probabilities(self, workers: slice = slice(None)) -> Values:
        """Return the probability that a worker holds partition i, float64 array (workers, k)."""

    def build(self) -> Any:
        """Return the code, or a `CodeOfTrials` that has no fixed matrix."""
        n, k = self.n, self.partitions
        if self.seed == "trial":
            return CodeOfTrials(self.title(), n, k, self.probabilities())
        held = []
        for worker in range(n):
            tosses = uniforms(int(self.seed), f"bernoulli/{k}/{worker}", k)
            own = np.flatnonzero(tosses < self.probabilities(slice(worker, worker + 1))[0])
            held.append(own.astype(np.int32))
        offsets = np.cumsum([0, *map(len, held)])
        return code_of(Columns.of_ones(k, offsets, np.concatenate(held)), self.title())


def _refused(what: str) -> Any:
    """A property that is refused, because every trial has one of its own."""

    def refuse(code: "CodeOfTrials") -> NoReturn:
        raise FastgcError(
            f"{code.name}: has {what} of its own in every trial; give a number as seed"
        )

    return property(refuse)


@dataclass(frozen=True, eq=False)
class CodeOfTrials(Made):
    """A code whose matrix is drawn anew in every trial; asking for a fixed matrix is refused.

    ``probabilities`` (n, k) are those that an entry is 1, worker by worker. No tolerance is
    guaranteed, and no classes are known.

    >>> import fastgc
    >>> fastgc.codes.bernoulli(n=4, density=0.5, seed="trial").name
    'bernoulli(n=4, k=4, density=0.5, seed=trial)'
    """

    name: str
    n: int
    k: int
    probabilities: Values
    tolerance: None = None
    classes: None = None

    @cached_property
    def tosses(self) -> tuple[NDArray[np.int16], NDArray[np.uint64]]:
        """As kernels want it: every entry's kind, (n, k), and each kind's largest draw for a 1."""
        values, kinds = np.unique(self.probabilities, return_inverse=True)
        kinds = kinds.reshape(self.n, self.k).astype(np.int16)
        if values[0] == 0.0:
            values, kinds = values[1:], kinds - np.int16(1)
        last = [-(-Fraction(float(value)) * 2**64 // 1) - 1 for value in values]
        return np.ascontiguousarray(kinds, np.int16), np.array(last, np.uint64)

    B = _refused("a matrix")
    held = _refused("holders")
    loads = _refused("loads")
    structure = _refused("a structure")


@register("code")
class Bernoulli(TossedFamily):
    """The Bernoulli gradient code of Charles, Papailiopoulos and Ellenberg (1711.06771).

    Every worker holds every partition with probability ``density``, independently; nothing is
    guaranteed of it. Matrices of one seed grow with the density.

    * ``density`` (float): Probability that an entry is 1, 0 < density ≤ 1.

    >>> bernoulli(n=4, density=1.0).loads.tolist()
    [4, 4, 4, 4]
    """

    family: Literal["bernoulli"] = "bernoulli"
    density: Annotated[float, pydantic.Field(gt=0, le=1)]

    def title(self) -> str:
        own = f"n={self.n}, k={self.partitions}, density={self.density:g}, seed={self.seed}"
        return f"bernoulli({own})"

    def probabilities(self, workers: slice = slice(None)) -> Values:
        return np.full((len(range(self.n)[workers]), self.partitions), self.density)


bernoulli = maker(Bernoulli, build=True)


Probability = Annotated[float, pydantic.Field(ge=0, le=1)]
_Entry = Probability | tuple[Probability, ...]


@register("code")
class StochasticBlock(TossedFamily):
    """The stochastic block code of Charles and Papailiopoulos (1805.10378).

    Workers and partitions lie in blocks; whether a worker holds a partition is tossed
    independently, with a probability that depends on their two blocks. It lies between fractional
    repetition, P = [1, 0], and the Bernoulli code, P = [p, p]; nothing is guaranteed of it.

    * ``blocks`` (int or list of int): How many blocks of sizes that differ by at most 1, or the
      sizes of all blocks, which add up to n = k. Workers and partitions are in blocks in their
      order.
    * ``P`` (list): Probability that a worker holds a partition of its own block, and of another
      block: ``[0.9, 0.1]``; or a table with a row for each block of partitions and a column for
      each block of workers.

    Raises FastgcError if a parameter is out of range, or blocks and P do not fit.

    >>> stochastic_block(n=4, blocks=2, P=[1.0, 0.0]).B.astype(int).tolist()
    [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    >>> stochastic_block(n=3, blocks=[1, 2], P=[[0.0, 1.0], [1.0, 0.0]]).B.astype(int).tolist()
    [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    """

    family: Literal["stochastic-block"] = "stochastic-block"
    blocks: Size | Annotated[tuple[Size, ...], pydantic.Field(min_length=1)]
    P: tuple[_Entry, ...]

    @pydantic.field_validator("blocks")
    @classmethod
    def _fit(
        cls, blocks: int | tuple[int, ...], info: pydantic.ValidationInfo
    ) -> int | tuple[int, ...]:
        n, k = info.data.get("n"), info.data.get("k")
        if n is None:
            return blocks
        if isinstance(blocks, tuple):
            if k not in (None, n):
                raise ValueError(f"sizes of blocks need k = n (got n={n}, k={k}); give a number")
            if sum(blocks) != n:
                raise ValueError(f"must add up to n={n} (got {list(blocks)}, {sum(blocks)})")
        elif blocks > min(n, k or n):
            raise ValueError(f"must be at most n and k (got {blocks} for n={n}, k={k or n})")
        return blocks

    @pydantic.field_validator("P")
    @classmethod
    def _square(cls, P: tuple[_Entry, ...], info: pydantic.ValidationInfo) -> tuple[_Entry, ...]:
        blocks = info.data.get("blocks")
        if blocks is None:
            return P
        count = blocks if isinstance(blocks, int) else len(blocks)
        sizes = [len(entry) for entry in P if isinstance(entry, tuple)]
        pair = len(P) == 2 and not sizes
        if not (pair or (len(P) == len(sizes) == count and set(sizes) == {count})):
            got = f"rows of {', '.join(map(str, sizes))}" if sizes else f"{len(P)} numbers"
            raise ValueError(
                f"must be two numbers, or {count} rows of {count}, as there are {count} blocks "
                f"(got {got})"
            )
        return P

    def title(self) -> str:
        blocks = list(self.blocks) if isinstance(self.blocks, tuple) else self.blocks
        own = f"n={self.n}, k={self.partitions}, blocks={blocks}"
        return f"stochastic-block({own}, P={np.array(self.P).tolist()}, seed={self.seed})"

    def probabilities(self, workers: slice = slice(None)) -> Values:
        own, partitions = self._block_of(self.n)[workers], self._block_of(self.partitions)
        P: Values = np.array(self.P)
        if P.ndim == 1:
            inside, outside = P
            return np.asarray(np.where(own[:, np.newaxis] == partitions, inside, outside))
        return np.asarray(P.T[own[:, np.newaxis], partitions], np.float64)

    def _block_of(self, count: int) -> NDArray[np.int64]:
        """The block of each worker, or of each partition."""
        if isinstance(self.blocks, tuple):
            return np.repeat(np.arange(len(self.blocks)), self.blocks)
        return np.arange(count) * self.blocks // count


stochastic_block = maker(StochasticBlock, build=True)
