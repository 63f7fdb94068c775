"""Relays between workers and master, which compute nothing and wait for all but some."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import pydantic

from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import AtMostN, BelowN, Candidates, Cluster, Count, SizedSystem, Workers
from fastgc.systems.timing.structure import Relayed


@register("system")
class Relays(SizedSystem):
    """Gradient codes on two hops: relays wait for workers, and the master for relays.

    n workers below so many relays, which add up what they are sent and pass it on (Gholami,
    Jahani-Nezhad, Wan, Caire, arXiv:2502.18251). Each relay stands for (``s_relays`` + 1) shares of
    the data among the relays, and each of its workers for (s + 1) among its own; so any n/relays −
    s workers of any relays − ``s_relays`` relays hold the gradient, at the load (s + 1)(s_relays +
    1)/n. In `CodedReduce` parents work, too; these relays only listen. Their ports, and the
    master's, receive one message at a time.

    * ``load`` (float, optional): Share of the work that a worker is given, instead of (s +
      1)(s_relays + 1)/n.
    * ``relays`` (int): Relays; divides n.
    * ``s`` (int): Workers that each relay does not wait for, fewer than it has.
    * ``s_relays`` (int): Relays that the master does not wait for; 0 by default.

    Raises FastgcError if relays does not divide n, s ≥ n/relays or s_relays ≥ relays.

    >>> system = relays(n=12, relays=3, s=1, s_relays=1)
    >>> system.structure(), round(system.share(), 9)
    (Relayed(n=12, size=4, of=3, need=2), 0.333333333)
    """

    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("relays",)
    PRECEDENCE: ClassVar[int] = 16

    family: Literal["relays"] = "relays"
    relays: Annotated[Workers, AtMostN]
    s: Annotated[Count, BelowN]
    s_relays: Count = 0

    @pydantic.model_validator(mode="after")
    def _possible(self) -> Self:
        n, relays = self.n, self.relays
        if n % relays:
            raise ValueError(f"relays must divide n (got n={n}, relays={relays})")
        if self.s >= n // relays:
            raise ValueError(
                f"s must be less than the workers of a relay, n/relays={n // relays} (got {self.s})"
            )
        if self.s_relays >= relays:
            raise ValueError(f"s_relays must be less than relays={relays} (got {self.s_relays})")
        return self

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return codes of every s, for each number of relays that are left out."""
        assert cluster.relays is not None
        n, relays, found = cluster.workers, cluster.relays, []
        keys = {"n": n, "relays": relays}
        for out in range(relays):
            own = [keys | {"s": s, "s_relays": out} for s in range(max(1, n // relays))]
            found.append(Candidates(tuple(map(cls.model_validate, own)), f"s_relays {out}"))
        return found

    def structure(self) -> Relayed:
        """Return how many workers of how many relays are waited for."""
        size = self.n // self.relays
        return Relayed(self.n, size, size - self.s, self.relays - self.s_relays)

    def default_share(self) -> float:
        """Return (s + 1)(s_relays + 1)/n."""
        return (self.s + 1) * (self.s_relays + 1) / self.n

    def facts(self) -> dict[str, Any]:
        """Return the stragglers survived, wherever they are, beside what all systems tell."""
        size = self.n // self.relays
        # s + 1 late workers make a relay late; beyond s_relays of those the master waits
        worst = (self.s + 1) * (self.s_relays + 1) - 1
        return super().facts() | {
            "tolerance": worst,
            "master_messages": self.relays - self.s_relays,
            "relay_messages": size - self.s,
        }


relays = maker(Relays)
