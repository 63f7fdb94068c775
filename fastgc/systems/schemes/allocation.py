"""Shares of samples with coefficients, by Algorithms 1 and 2 of paper `codedreduce`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from fastgc.codes.code import Code


@dataclass(frozen=True, eq=False)
class Share:
    """Samples, each with the coefficient that its gradient is multiplied by.

    Attributes
    ----------
    samples : int64 array (m,)
    coefficients : float64 array (m,)
    """

    samples: NDArray[np.int64]
    coefficients: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.samples)

    def part(self, first: int, last: int) -> Share:
        """Return samples ``first`` … ``last`` − 1 of the share."""
        return Share(self.samples[first:last], self.coefficients[first:last])


def allocate(share: Share, code: Code, sizes: Sequence[int]) -> list[Share]:
    """Give every worker of a code its partitions: CompAlloc, Algorithm 1 of paper `codedreduce`.

    Parameters
    ----------
    share : Share
        All data.
    code : Code
        Worker i holds partition κ with the coefficient ``code.B[κ, i]``, where that is not 0.
    sizes : sequence of int (k,)
        Samples of each partition; they follow each other.

    Returns
    -------
    list of Share
        One a worker; its coefficients are those of ``share`` times B's.

    Examples
    --------
    >>> from fastgc.codes import frc
    >>> share = Share(np.arange(6), np.ones(6))
    >>> [each.samples.tolist() for each in allocate(share, frc(n=2, d=1), [3, 3])]
    [[0, 1, 2], [3, 4, 5]]
    """
    ends = np.cumsum(sizes).tolist()
    partitions = [share.part(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    given = []
    for column in code.B.T:
        held = np.flatnonzero(column).tolist()
        given.append(
            Share(
                np.concatenate([partitions[i].samples for i in held]),
                np.concatenate([column[i] * partitions[i].coefficients for i in held]),
            )
        )
    return given


@dataclass(frozen=True, eq=False)
class Allocation(Sequence[NDArray[np.int64]]):
    """The samples of every worker: a sequence of int64 arrays, worker 0 first.

    Attributes
    ----------
    shares : tuple of Share
        The samples of every worker with their coefficients.

    Examples
    --------
    >>> from fastgc.systems import coded_reduce
    >>> allocation = coded_reduce(n=2, layers=1, s=0).allocate(4)
    >>> allocation[1].tolist(), allocation.coefficients[1].tolist()
    ([2, 3], [1.0, 1.0])
    """

    shares: tuple[Share, ...]

    @property
    def coefficients(self) -> tuple[NDArray[np.float64], ...]:
        """Coefficient of each of a worker's samples, one array a worker."""
        return tuple(share.coefficients for share in self.shares)

    def __len__(self) -> int:
        """Return the number of workers."""
        return len(self.shares)

    @overload
    def __getitem__(self, worker: int) -> NDArray[np.int64]: ...

    @overload
    def __getitem__(self, worker: slice) -> list[NDArray[np.int64]]: ...

    def __getitem__(self, worker: int | slice) -> NDArray[np.int64] | list[NDArray[np.int64]]:
        """Return the samples of one worker, or of several."""
        if isinstance(worker, slice):
            return [share.samples for share in self.shares[worker]]
        return self.shares[worker].samples

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        """Go through the workers' samples."""
        return (share.samples for share in self.shares)

    def __repr__(self) -> str:
        """Return the numbers of workers and of samples that they hold."""
        return f"Allocation({len(self)} workers, {sum(map(len, self.shares))} samples held)"
