"""Uncoded work that does not wait for all in every round: local steps, deadlines, the first k."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import pydantic

from fastgc.latency.law import Positive
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import AtMostN, Candidates, Cluster, Gradient, SizedSystem, Workers
from fastgc.systems.timing.later import Capped
from fastgc.systems.timing.stars import Flat, Summed

#: Periods that `fastgc.design` looks at.
_PERIODS = (2, 4, 8, 16, 32)


@register("system")
class LocalSgd(SizedSystem):
    """Uncoded work of workers that are waited for once in some rounds (local SGD).

    In between every worker makes local steps, one round after the other. A time is that of a round
    on average: that of the slowest sum of ``period`` rounds, over ``period`` (Wang, Joshi,
    *Adaptive Communication Strategies*, 2019). Parameters differ between workers until then, which
    the time does not show.

    * ``period`` (int): Rounds from one synchronisation to the next, 1 … 1000.

    >>> local_sgd(n=4, period=8).structure()
    Summed(n=4, period=8)
    """

    PRECEDENCE: ClassVar[int] = 11
    GRADIENT: ClassVar[Gradient] = "stale"
    LOOKS_BACK: ClassVar[bool] = True

    family: Literal["local-sgd"] = "local-sgd"
    period: Annotated[int, pydantic.Field(ge=1, le=1000)]

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        return [Candidates(tuple(cls(n=cluster.workers, period=each) for each in _PERIODS))]

    def structure(self) -> Summed:
        return Summed(self.n, self.period)


local_sgd = maker(LocalSgd)


@register("system")
class DropLate(SizedSystem):
    """Uncoded work of which every answer counts that is there at a deadline (DropCompute).

    The round is over when all have answered, or at the deadline; what is late is lost (Giladi et
    al., *DropCompute*, 2023, which drops a late worker's last micro-batches alone).

    * ``deadline`` (float): Seconds, more than 0.

    >>> from fastgc import complete
    >>> complete(drop_late(n=3, deadline=2.0), [1.0, 9.0, 1.5]).time
    2.0
    """

    PRECEDENCE: ClassVar[int] = 12
    GRADIENT: ClassVar[Gradient] = "lost"
    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("deadline",)

    family: Literal["drop-late"] = "drop-late"
    deadline: Positive

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return the one system with the cluster's deadline."""
        assert cluster.deadline is not None
        return [Candidates((cls(n=cluster.workers, deadline=cluster.deadline),))]

    def structure(self) -> Capped:
        return Capped(Flat(self.n, self.n), self.deadline)


drop_late = maker(DropLate)


@register("system")
class BoundedWait(SizedSystem):
    """Uncoded work of which the first k answers are taken, the others dropped.

    It is done when `ignore_stragglers` with n − k stragglers is; `fastgc.design` looks at every k.
    Where the same workers are always late, what they hold is always missing: the gradient is
    biased (fastest-k SGD; Dutta et al., *Slow and Stale Gradients Can Win the Race*, 2018).

    * ``k`` (int): Answers that are waited for, 1 ≤ k ≤ n.

    >>> bounded_wait(n=4, k=3).structure()
    Flat(n=4, need=3)
    """

    PRECEDENCE: ClassVar[int] = 9
    GRADIENT: ClassVar[Gradient] = "lost"

    family: Literal["bounded-wait"] = "bounded-wait"
    k: Annotated[Workers, AtMostN]

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return every k below all workers."""
        n = cluster.workers
        return [Candidates(tuple(cls(n=n, k=k) for k in range(1, n)))] if n > 1 else ()

    def structure(self) -> Flat:
        return Flat(self.n, self.k)


bounded_wait = maker(BoundedWait)
