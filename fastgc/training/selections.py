"""Whose gradients an iteration asks for: those of all workers, CADA's choice, G-CADA's choice."""

from typing import Annotated, ClassVar, Literal, Self

import pydantic
from pydantic import Field

from fastgc.errors import FastgcError
from fastgc.registry import Member, register
from fastgc.training.data import Data
from fastgc.training.optimizers import NotNegative, Positive

Count = Annotated[int, Field(ge=1)]


class Selection(Member):
    """Which workers compute a gradient in an iteration, and what it is a gradient of.

    The data are cut into parts, runs of consecutive samples (`fastgc.training.data.bounds`),
    each held by one worker or, with groups, by several. A worker that computes a gradient takes its
    next mini-batch of ``batch`` samples.

    * ``workers`` (int): M; at most 100 000.
    * ``batch`` (int, optional): Samples in a mini-batch, at most those in the smallest part; by
      default all that the worker holds.
    * ``batch_order`` ({"cyclic", "random"}): In order around the worker's data (the default), each
      batch beginning where the worker's last one ended, and the i-th of r workers with the same n
      samples at sample ⌊i n/r⌋; or drawn anew for each gradient, all sets of ``batch`` alike.
    * ``gradient`` ({"sum", "mean"}): The gradient that is descended is the sum of the gradients of
      all samples used, as (3) of paper ``gcada`` has it (the default), or their mean. In both,
      parts that are not selected count with their last gradient.
    """

    GROUP: ClassVar[str | None] = "selection"

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

    def check(self, data: Data) -> None:
        """Refuse data of which a part would be empty or smaller than a batch."""
        if data.samples < self.parts:
            raise FastgcError(
                f"{self.parts} of them need at least {self.parts} samples (got {data.samples})",
                "groups" if self.holders > 1 else "workers",
            )
        smallest = data.samples // self.parts
        if self.batch is not None and self.batch > smallest:
            raise FastgcError(
                f"must be at most {smallest}, what the smallest of {self.parts} parts holds "
                f"(got {self.batch})",
                "batch",
            )


@register("selection")
class All(Selection):
    """Every worker computes a gradient in every iteration, and the slowest is waited for.

    With the optimizer ``gradient-descent`` this is distributed SGD, with ``adam`` or ``amsgrad``
    distributed Adam, of which paper ``gcada`` leaves open which it is. The parameters are those of
    `Selection`.

    >>> All(workers=12, batch=100).parts
    12
    """

    method: Literal["all"] = "all"


class Adaptive(Selection):
    """A part is selected where its last gradient must have changed, or is old.

    In iteration k a part whose last gradient is of θ^(k−τ), τ being its age, is selected iff
    L² ‖θ^k − θ^(k−τ)‖² > Σ_{d=1}^{D} c_d ‖θ^(k+1−d) − θ^(k−d)‖², where θ before the first iteration
    is θ^0, or its age demands it; see (7) and (9) of paper ``gcada``. In the first iteration all
    are. The parameters are those of `Selection`, and:

    * ``c`` (float or tuple of float): At least 0; one number for all steps back, as in (7) and (9),
      or c_1 … c_D, as Algorithm 1 has them.
    * ``window`` (int): D, at most 10 000; 10 by default, as no value is given in the paper.
    * ``refresh`` ({"at", "after"}): Select a part of age τ ≥ D (the default, as in Algorithm 1 and
      for CADA in Section III), or only of age τ > D (as Section IV has it).
    * ``trigger`` ({"sum-of-squares", "square-of-sum"}): The right-hand side as above (the default,
      as printed), or c ‖Σ_d (θ^(k+1−d) − θ^(k−d))‖² = c ‖θ^k − θ^(k−D)‖² (as in the authors'
      published script) with one c.
    * ``smoothness`` ("estimated", float or tuple of float): L of each part: the largest eigenvalue
      of its mean loss's Hessian in linear regression, and of a bound on all Hessians in logistic
      and softmax regression, found by power iteration; or numbers, one a part or one for all.
    """

    c: NotNegative | tuple[NotNegative, ...]
    window: Annotated[int, Field(ge=1, le=10_000)] = 10
    refresh: Literal["at", "after"] = "at"
    trigger: Literal["sum-of-squares", "square-of-sum"] = "sum-of-squares"
    smoothness: Literal["estimated"] | Positive | tuple[Positive, ...] = "estimated"

    @pydantic.model_validator(mode="after")
    def _one_c_a_step(self) -> Self:
        if isinstance(self.c, tuple):
            if len(self.c) != self.window:
                raise FastgcError(
                    f"must be one number or a list of as many as window (got {len(self.c)} for "
                    f"window = {self.window})",
                    "c",
                )
            if self.trigger == "square-of-sum":
                raise FastgcError('must be one number with trigger = "square-of-sum"', "c")
        return self

    def check(self, data: Data) -> None:
        super().check(data)
        if isinstance(self.smoothness, tuple) and len(self.smoothness) != self.parts:
            what = "groups" if self.holders > 1 else "workers"
            raise FastgcError(
                f"must be one number or a list of one for each of {self.parts} {what} "
                f"(got {len(self.smoothness)})",
                "smoothness",
            )


@register("selection")
class Cada(Adaptive):
    """CADA, the server choosing the workers: Section III of paper ``gcada``.

    Every worker has data of its own; the selected ones download the parameters, compute and upload
    a gradient, and the slowest of them is waited for. The parameters are those of `Adaptive`.

    >>> Cada(workers=12, c=2.0, batch=100).window
    10
    """

    method: Literal["cada"] = "cada"


@register("selection")
class GCada(Adaptive):
    """G-CADA, Algorithm 1 of paper ``gcada``.

    Worker m is in group ⌊m/(M/G)⌋. All workers of a selected group download the parameters and
    compute a gradient, each of its own mini-batch; the fastest uploads it (of equally fast ones the
    first), and the slowest selected group is waited for. Parameters are those of `Adaptive`, and:

    * ``groups`` (int): G, which divides the number of workers.

    >>> GCada(workers=12, groups=3, c=0.3).holders
    4
    """

    method: Literal["g-cada"] = "g-cada"
    groups: Count

    @pydantic.model_validator(mode="after")
    def _divides(self) -> "GCada":
        if self.workers % self.groups:
            raise FastgcError(
                f"must divide the {self.workers} workers (got {self.groups})", "groups"
            )
        return self

    @property
    def parts(self) -> int:
        return self.groups
