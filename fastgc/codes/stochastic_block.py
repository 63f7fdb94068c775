"""Codes in which workers hold partitions of their own block with another probability."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray

from fastgc.codes.per_trial import TossedFamily
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.numbers import Size

Probability = Annotated[float, pydantic.Field(ge=0, le=1)]
_Entry = Probability | tuple[Probability, ...]


@register("code")
class StochasticBlock(TossedFamily):
    """The stochastic block code of Charles and Papailiopoulos (1805.10378).

    Workers and partitions lie in blocks; whether a worker holds a partition is tossed
    independently, with a probability that depends on their two blocks. It lies between fractional
    repetition, P = [1, 0], and the Bernoulli code, P = [p, p]; nothing is guaranteed of it.

    Parameters
    ----------
    blocks : int or list of int
        How many blocks of sizes that differ by at most 1, or the sizes of all blocks, which add up
        to n = k. Workers and partitions are in blocks in their order.
    P : list
        Probability that a worker holds a partition of its own block, and of another block:
        ``[0.9, 0.1]``; or a table with a row for each block of partitions and a column for each
        block of workers.

    Raises
    ------
    FastgcError
        If a parameter is out of range, or blocks and P do not fit.

    Examples
    --------
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
        """Return the code and its parameters, for people."""
        blocks = list(self.blocks) if isinstance(self.blocks, tuple) else self.blocks
        own = f"n={self.n}, k={self.partitions}, blocks={blocks}"
        return f"stochastic-block({own}, P={np.array(self.P).tolist()}, seed={self.seed})"

    def chances(self, workers: slice = slice(None)) -> NDArray[np.float64]:
        """Return the probability that a worker holds partition i, float64 array (workers, k)."""
        own, partitions = self._block_of(self.n)[workers], self._block_of(self.partitions)
        P: NDArray[np.float64] = np.array(self.P)
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
