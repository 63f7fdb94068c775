"""Uncoded work: all are waited for, or not the slowest; spare workers, copies, shares by speed."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pydantic

from fastgc.arrays import Values
from fastgc.latency.law import NotNegative, Positive
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.registry.number_types import AtMostN, BelowN, limited
from fastgc.systems.system import (
    LARGEST,
    Candidates,
    Cluster,
    Count,
    Gradient,
    PatientSystem,
    SizedSystem,
    Workers,
)
from fastgc.systems.timing.gates import Delayed
from fastgc.systems.timing.stars import Capped, Flat, Patient, Ring, Summed
from fastgc.systems.timing.terms import answers, at_least
from fastgc.systems.timing.timed_structure import Structure


class FixedSystem(SizedSystem):
    """Base of the systems whose keys a cluster gives: `fastgc.design` has nothing to choose."""

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        keys = {*cls.model_fields} & {"stragglers", "deadline", "basis"}
        return cls.offered([{"n": cluster.workers} | {k: getattr(cluster, k) for k in keys}])

    def structure(self) -> Structure:
        return Flat(self.n, self.n)


@register("system")
class Uncoded(FixedSystem):
    """Uncoded work: each of n workers has an n-th, and the master waits for all.

    UMW of paper `codedreduce`.

    >>> uncoded(n=4).share()
    0.25
    """

    family: Literal["uncoded"] = "uncoded"


uncoded = maker(Uncoded)


@register("system")
class RingAllReduce(FixedSystem):
    """A ring of n workers, each with an n-th of the work (RAR of paper `codedreduce`).

    When all are ready, the sums go round: every worker sends 2 (n − 1) messages, each an n-th of a
    gradient, to its neighbour; all ports receive at the same time.

    >>> ring_all_reduce(n=4).share()
    0.25
    """

    family: Literal["ring-all-reduce"] = "ring-all-reduce"

    def structure(self) -> Ring:
        return Ring(self.n)


ring_all_reduce = maker(RingAllReduce)


@register("system")
class IgnoreStragglers(FixedSystem, PatientSystem):
    """Uncoded work whose slowest answers are left out (SGD of paper `codedreduce`).

    Each of n workers has an n-th of the work; the slowest ``stragglers`` are not waited for.

    * ``stragglers`` (int): Workers that are not waited for, 0 ≤ stragglers < n.
    * ``patience`` (float, optional): How long the master waits on after the fastest, in its times.
      With stragglers = n − 1 it is the only rule: all answers until then are used.

    >>> ignore_stragglers(n=4, stragglers=1).structure()
    Flat(n=4, need=3)
    """

    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("stragglers",)
    GRADIENT: ClassVar[Gradient] = "lost"

    family: Literal["ignore-stragglers"] = "ignore-stragglers"
    stragglers: Annotated[Count, BelowN]

    def structure(self) -> Flat | Patient:
        return self.waiting(Flat(self.n, self.n - self.stragglers))


ignore_stragglers = maker(IgnoreStragglers)


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

    GRADIENT: ClassVar[Gradient] = "stale"
    LOOKS_BACK: ClassVar[bool] = True

    family: Literal["local-sgd"] = "local-sgd"
    period: Annotated[int, pydantic.Field(ge=1, le=1000)]

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        return cls.offered({"n": cluster.workers, "period": 2**i} for i in range(1, 6))

    def structure(self) -> Summed:
        return Summed(self.n, self.period)


local_sgd = maker(LocalSgd)


@register("system")
class DropLate(FixedSystem):
    """Uncoded work of which every answer counts that is there at a deadline (DropCompute).

    The round is over when all have answered, or at the deadline; what is late is lost (Giladi et
    al., *DropCompute*, 2023, which drops a late worker's last micro-batches alone).

    * ``deadline`` (float): Seconds, more than 0.

    >>> from fastgc.systems import complete
    >>> complete(drop_late(n=3, deadline=2.0), [1.0, 9.0, 1.5]).time
    2.0
    """

    GRADIENT: ClassVar[Gradient] = "lost"
    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("deadline",)

    family: Literal["drop-late"] = "drop-late"
    deadline: Positive

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

    GRADIENT: ClassVar[Gradient] = "fresh"

    family: Literal["spare"] = "spare"
    b: Annotated[Count, limited(lambda b, n: n + b <= LARGEST, f"n + b must be at most {LARGEST}")]

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
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

    >>> from fastgc.systems import complete
    >>> complete(clones(n=1, r=2, after=1.0), [5.0, 1.5]).time
    2.5
    """

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
        n, after = cluster.workers, cluster.deadline
        divisors = (r for r in range(2, n + 1) if n % r == 0)
        return cls.offered({"n": n // r, "r": r, "after": after} for r in divisors)

    def workers(self) -> int:
        return self.n * self.r

    def structure(self) -> Delayed:
        delays = [i * self.after for i in range(self.r)] * self.n
        each = answers(self.workers(), delays=delays)
        pieces = [at_least(1, *each[j : j + self.r]) for j in range(0, len(each), self.r)]
        return Delayed(len(each), at_least(self.n, *pieces), self.r)


clones = maker(Clones)


_Who = Annotated[tuple[Annotated[int, pydantic.Field(ge=0)], ...], pydantic.Field(min_length=1)]


class SpeedSystem(FixedSystem):
    """Base of the systems that share out uncoded work by how fast workers were before the round.

    All who have work are waited for. Of laws the mean times are known. Of a recording, which must
    be replayed, they are those of the rows before the round, so that the first rows are not timed.

    * ``basis`` (int): Rows of a recording before a round that say how fast workers are, default 10.
    """

    LOOKS_BACK: ClassVar[bool] = True

    basis: Annotated[int, pydantic.Field(ge=1, le=1_000_000)] = 10

    def rows_before(self) -> int:
        return self.basis


@register("system")
class LeaveOut(SpeedSystem):
    """Uncoded work without the k slowest workers, whose part the others share.

    * ``k`` (int): Workers that are left out, 0 ≤ k < n: those that took longest on average before
      the round.
    * ``who`` (list of int, optional): Or these k workers in all rounds, by their places 0 … n − 1.

    Raises FastgcError if not 0 ≤ k < n, or ``who`` does not name k workers.

    >>> leave_out(n=3, k=1).shares(np.array([1.0, 5.0, 1.2])).tolist()
    [0.5, 0.0, 0.5]
    """

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
        n = cluster.workers  # of which at most half are left out
        return cls.offered({"n": n, "k": k, "basis": cluster.basis} for k in range(1, n // 2 + 1))

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

    family: Literal["balanced"] = "balanced"

    def shares(self, means: Values) -> Values:
        """Return shares in proportion to speeds; a worker that takes no time is taken for slow."""
        least = means[means > 0].min(initial=np.inf)
        speeds = 1.0 / np.where(means > 0, means, least if np.isfinite(least) else 1.0)
        total = np.zeros(means.shape[:-1])
        for j in range(self.n):  # in one order
            total += speeds[..., j]
        return np.asarray(speeds / total[..., np.newaxis])


balanced = maker(Balanced)
