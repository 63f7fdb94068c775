"""Uncoded work: all are waited for, or the slowest are not; spare workers and copies of work."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import pydantic

from fastgc.latency.law import NotNegative, Positive
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import (
    LARGEST,
    AtMostN,
    BelowN,
    Candidates,
    Cluster,
    Count,
    Gradient,
    PatientSystem,
    SizedSystem,
    Workers,
    limited,
)
from fastgc.systems.timing.later import Capped, Delayed, Patient
from fastgc.systems.timing.parts import Replicated
from fastgc.systems.timing.stars import Flat, Ring, Summed


class _OfAllWorkers(SizedSystem):
    """Each of n workers has an n-th of the work, and all are waited for."""

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        return cls.offered([{"n": cluster.workers}])


@register("system")
class Uncoded(_OfAllWorkers):
    """Uncoded work: each of n workers has an n-th, and the master waits for all.

    UMW of paper `codedreduce`.

    >>> uncoded(n=4).share()
    0.25
    """

    PRECEDENCE: ClassVar[int] = 0

    family: Literal["uncoded"] = "uncoded"

    def structure(self) -> Flat:
        return Flat(self.n, self.n)


uncoded = maker(Uncoded)


@register("system")
class RingAllReduce(_OfAllWorkers):
    """A ring of n workers, each with an n-th of the work (RAR of paper `codedreduce`).

    When all are ready, the sums go round: every worker sends 2 (n − 1) messages, each an n-th of a
    gradient, to its neighbour; all ports receive at the same time.

    >>> ring_all_reduce(n=4).share()
    0.25
    """

    PRECEDENCE: ClassVar[int] = 5

    family: Literal["ring-all-reduce"] = "ring-all-reduce"

    def structure(self) -> Ring:
        return Ring(self.n)


ring_all_reduce = maker(RingAllReduce)


@register("system")
class IgnoreStragglers(PatientSystem):
    """Uncoded work whose slowest answers are left out (SGD of paper `codedreduce`).

    Each of n workers has an n-th of the work; the slowest ``stragglers`` are not waited for.

    * ``stragglers`` (int): Workers that are not waited for, 0 ≤ stragglers < n.
    * ``patience`` (float, optional): How long the master waits on after the fastest, in its times.
      With stragglers = n − 1 it is the only rule: all answers until then are used.

    >>> ignore_stragglers(n=4, stragglers=1).structure()
    Flat(n=4, need=3)
    """

    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("stragglers",)
    PRECEDENCE: ClassVar[int] = 1
    GRADIENT: ClassVar[Gradient] = "lost"

    family: Literal["ignore-stragglers"] = "ignore-stragglers"
    stragglers: Annotated[Count, BelowN]

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        assert cluster.stragglers is not None
        return cls.offered([{"n": cluster.workers, "stragglers": cluster.stragglers}])

    def structure(self) -> Flat | Patient:
        return self.waiting(Flat(self.n, self.n - self.stragglers))


ignore_stragglers = maker(IgnoreStragglers)


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
        return cls.offered({"n": cluster.workers, "period": each} for each in _PERIODS)

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
        return cls.offered([{"n": cluster.workers, "deadline": cluster.deadline}])

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
        return cls.offered({"n": cluster.workers, "k": k} for k in range(1, cluster.workers))

    def structure(self) -> Flat:
        return Flat(self.n, self.k)


bounded_wait = maker(BoundedWait)


@register("system")
class Spare(SizedSystem):
    """Uncoded work on n + b workers with an n-th each, of which the first n answers count.

    Each worker draws a fresh mini-batch in every round, so that any n of them make one of the whole
    size (backup workers; Chen et al., *Revisiting Distributed Synchronous SGD*, 2016). Where data
    is dealt out to workers, those that are late are missing, as with `bounded_wait`.

    * ``n`` (int): Workers that are waited for.
    * ``b`` (int): Spare workers, at least 0.

    >>> spare(n=4, b=1).structure(), spare(n=4, b=1).share()
    (Flat(n=5, need=4), 0.25)
    """

    PRECEDENCE: ClassVar[int] = 8
    GRADIENT: ClassVar[Gradient] = "fresh"

    family: Literal["spare"] = "spare"
    b: Annotated[Count, limited(lambda b, n: n + b <= LARGEST, f"n + b must be at most {LARGEST}")]

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return every split of the workers into some that are waited for and spare ones."""
        n = cluster.workers
        return cls.offered({"n": n - b, "b": b} for b in range(1, n))

    def workers(self) -> int:
        return self.n + self.b

    def structure(self) -> Flat:
        return Flat(self.n + self.b, self.n)


spare = maker(Spare)


@register("system")
class Clones(SizedSystem):
    """Uncoded work of n pieces, each of which up to r workers do, one after the other.

    The first copies begin at once; of a piece that is not done ``after`` seconds later a second
    worker begins a copy, and so on. When one copy is done, the others of the piece stop (delayed
    relaunch; Aktaş, Peng, Soljanin, *Straggler Mitigation by Delayed Relaunch of Tasks*, 2017).
    Workers g·r … g·r + r − 1 are those of piece g.

    * ``n`` (int): Pieces.
    * ``r`` (int): Workers for each piece, at least 1.
    * ``after`` (float): Seconds from one copy of a piece to the next; with 0 all begin at once.

    >>> from fastgc import complete
    >>> complete(clones(n=1, r=2, after=1.0), [5.0, 1.5]).time
    2.5
    """

    PRECEDENCE: ClassVar[int] = 10
    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("deadline",)

    family: Literal["clones"] = "clones"
    r: Annotated[
        int,
        pydantic.Field(ge=1),
        limited(lambda r, n: n * r <= LARGEST, f"n · r must be at most {LARGEST}"),
    ]
    after: NotNegative = 0.0

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return copies after the cluster's deadline, as many as divide the workers."""
        n, after = cluster.workers, cluster.deadline
        divisors = (r for r in range(2, n + 1) if n % r == 0)
        return cls.offered({"n": n // r, "r": r, "after": after} for r in divisors)

    def workers(self) -> int:
        return self.n * self.r

    def structure(self) -> Delayed:
        part = Replicated(self.n * self.r, self.r, self.n)
        return Delayed(part, tuple(i * self.after for i in range(self.r)) * self.n)


clones = maker(Clones)
