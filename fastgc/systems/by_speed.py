"""Uncoded work shared out by speed: without the slowest workers, or in proportion to all speeds."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pydantic

from fastgc.arrays import Values
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import BelowN, Candidates, Cluster, Count, SizedSystem
from fastgc.systems.timing.stars import Flat

#: Workers that `fastgc.design` looks at leaving out, as a share of all.
_MOST = 0.5

_Who = Annotated[tuple[Annotated[int, pydantic.Field(ge=0)], ...], pydantic.Field(min_length=1)]


class SpeedSystem(SizedSystem):
    """Base of the systems that share out uncoded work by how fast workers were before the round.

    All who have work are waited for. Of laws the mean times are known. Of a recording, which must
    be replayed, they are those of the rows before the round, so that the first rows are not timed.

    * ``basis`` (int): Rows of a recording before each round that say how fast workers are; 10 by
      default.
    """

    LOOKS_BACK: ClassVar[bool] = True

    basis: Annotated[int, pydantic.Field(ge=1, le=1_000_000)] = 10

    def rows_before(self) -> int:
        return self.basis

    def structure(self) -> Flat:
        """Return that all are waited for; who has no work takes no time."""
        return Flat(self.n, self.n)

    @abstractmethod
    def shares(self, means: Values) -> Values:
        """Return each worker's share of the work, float64 array (…, n)."""


@register("system")
class LeaveOut(SpeedSystem):
    """Uncoded work without the k slowest workers, whose part the others share.

    * ``k`` (int): Workers that are left out, 0 ≤ k < n: those that took longest on average before
      the round.
    * ``who`` (list of int, optional): Or these k workers in all rounds, by their places from 0 to n
      − 1.

    Raises FastgcError if not 0 ≤ k < n, or ``who`` does not name k workers.

    >>> leave_out(n=3, k=1).shares(np.array([1.0, 5.0, 1.2])).tolist()
    [0.5, 0.0, 0.5]
    """

    PRECEDENCE: ClassVar[int] = 6

    family: Literal["leave-out"] = "leave-out"
    k: Annotated[Count, BelowN]
    who: _Who | None = None

    @pydantic.field_validator("who")
    @classmethod
    def _are_k(cls, who: tuple[int, ...] | None, info: pydantic.ValidationInfo) -> Any:
        n, k = (info.data.get(key, len(who or ())) for key in "nk")
        if who is not None and (len({*who}) != len(who) or len(who) != k or max(who) >= n):
            raise ValueError(f"must be k different workers below n (got n={n}, k={k}, {[*who]})")
        return who

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return the systems that leave out one worker, two, and so on, up to half of them."""
        n = cluster.workers
        return cls.offered(
            {"n": n, "k": k, "basis": cluster.basis} for k in range(1, int(_MOST * n) + 1) if k < n
        )

    def shares(self, means: Values) -> Values:
        """Return 1/(n − k) of the work for those that were fastest, 0 for the others."""
        found = np.full(means.shape, 1.0 / (self.n - self.k))
        if self.who is not None:
            found[..., list(self.who)] = 0.0
            return found
        slowest = np.argsort(-means, axis=-1, kind="stable")[..., : self.k]
        np.put_along_axis(found, slowest, 0.0, axis=-1)
        return found

    def idle(self) -> int:
        return self.k

    def burden(self) -> float:
        return 1 / (self.n - self.k)


leave_out = maker(LeaveOut)


@register("system")
class Balanced(SpeedSystem):
    """Uncoded work shared out in proportion to the workers' speeds before the round.

    A worker's speed is one over its mean time for an equal share, so that all would take the same
    time if times grew with the load alone.

    >>> balanced(n=2).shares(np.array([1.0, 3.0])).tolist()
    [0.75, 0.25]
    """

    PRECEDENCE: ClassVar[int] = 7

    family: Literal["balanced"] = "balanced"

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        return cls.offered([{"n": cluster.workers, "basis": cluster.basis}])

    def shares(self, means: Values) -> Values:
        """Return shares in proportion to speeds; a worker that takes no time is taken for slow."""
        least = means[means > 0].min(initial=np.inf)
        speeds = 1.0 / np.where(means > 0, means, least if np.isfinite(least) else 1.0)
        total = np.zeros(means.shape[:-1])
        for j in range(self.n):  # in one order
            total += speeds[..., j]
        return np.asarray(speeds / total[..., np.newaxis])


balanced = maker(Balanced)
