"""Spare workers, and copies of work that is late."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import pydantic

from fastgc.latency.law import NotNegative
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import LARGEST, Candidates, Cluster, Count, Gradient, SizedSystem
from fastgc.systems.timing.later import Delayed
from fastgc.systems.timing.parts import Replicated
from fastgc.systems.timing.stars import Flat


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
    b: Count

    @pydantic.field_validator("b")
    @classmethod
    def _not_too_many(cls, b: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is not None and n + b > LARGEST:
            raise ValueError(f"n + b must be at most {LARGEST} (got n={n}, b={b})")
        return b

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return every split of the workers into some that are waited for and spare ones."""
        n = cluster.workers
        return [Candidates(tuple(cls(n=n - b, b=b) for b in range(1, n)))] if n > 1 else ()

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
    r: Annotated[int, pydantic.Field(ge=1)]
    after: NotNegative = 0.0

    @pydantic.field_validator("r")
    @classmethod
    def _not_too_many(cls, r: int, info: pydantic.ValidationInfo) -> int:
        n = info.data.get("n")
        if n is not None and n * r > LARGEST:
            raise ValueError(f"n · r must be at most {LARGEST} (got n={n}, r={r})")
        return r

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return copies after the cluster's deadline, as many as divide the workers."""
        assert cluster.deadline is not None
        n = cluster.workers
        offered = tuple(
            cls(n=n // r, r=r, after=cluster.deadline) for r in range(2, n + 1) if n % r == 0
        )
        return [Candidates(offered)] if offered else ()

    def workers(self) -> int:
        return self.n * self.r

    def structure(self) -> Delayed:
        """Return groups of r workers that begin one after the other."""
        part = Replicated(self.n * self.r, self.r, self.n)
        return Delayed(part, tuple(i * self.after for i in range(self.r)) * self.n)


clones = maker(Clones)
