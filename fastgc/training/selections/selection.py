"""What all selections share: workers, their shares of the data, and their mini-batches."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from fastgc.errors import FastgcError
from fastgc.registry import Member
from fastgc.training import partitions
from fastgc.training.data.data import Data

Count = Annotated[int, Field(ge=1)]


class Selection(Member):
    """Which workers compute a gradient in an iteration, and what it is a gradient of.

    The data are cut into parts, runs of consecutive samples (`fastgc.training.partitions.bounds`),
    each held by one worker or, with groups, by several. A worker that computes a gradient takes its
    next mini-batch of ``batch`` samples.

    Parameters
    ----------
    workers : int
        M; at most 100 000.
    batch : int, optional
        Samples in a mini-batch, at most those in the smallest part; by default all that the worker
        holds.
    batch_order : {"cyclic", "random"}
        In order around the worker's data (the default), each batch beginning where the worker's
        last one ended, and the i-th of r workers with the same n samples at sample ⌊i n/r⌋; or
        drawn anew for each gradient, all sets of ``batch`` samples alike.
    gradient : {"sum", "mean"}
        The gradient that is descended is the sum of the gradients of all samples used, as (3) of
        paper ``gcada`` has it (the default), or their mean. In both, parts that are not selected
        count with their last gradient.
    """

    ROOM: ClassVar[str | None] = "selection"

    method: str
    workers: Annotated[int, Field(ge=1, le=100_000)]
    batch: Count | None = None
    batch_order: Literal["cyclic", "random"] = "cyclic"
    gradient: Literal["sum", "mean"] = "sum"

    @property
    def parts(self) -> int:
        """Parts of the data: one a worker, or one a group."""
        return self.workers

    @property
    def holders(self) -> int:
        """Workers that hold the same part."""
        return self.workers // self.parts

    @property
    def needs_times(self) -> bool:
        """Whether the gradients depend on which worker of a group answers first."""
        return self.holders > 1 and self.batch is not None and self.batch_order == "cyclic"

    def check(self, data: Data, model: str) -> None:
        """Refuse data that cannot be shared out so.

        Parameters
        ----------
        data : Data
        model : str
            Of the problem.

        Raises
        ------
        FastgcError
            If a part would be empty or smaller than a batch.
        """
        if data.samples < self.parts:
            raise FastgcError(
                f"{self.parts} of them need at least {self.parts} samples (got {data.samples})",
                "groups" if self.holders > 1 else "workers",
            )
        smallest = data.samples // self.parts
        if self.batch is not None and self.batch > smallest:
            raise FastgcError(
                f"must be at most {smallest}, what the smallest part holds "
                f"({partitions.describe(data.samples, self.parts)}; got {self.batch})",
                "batch",
            )
