"""Which system is searched for by its completion time: layers, trees, orders and holders."""

from typing import Annotated, Any, Literal

import pydantic
from pydantic import Field

from fastgc.latency import Law, Scaling, listed
from fastgc.latency.bimodal import has_memory
from fastgc.latency.law import Positive
from fastgc.latency.time import Time
from fastgc.registry import Table
from fastgc.registry.numbers import Seed
from fastgc.searching.problem import MOST_WORKERS, of_laws
from fastgc.systems.timing.port import Port

#: Keys of each system: those that it needs, and those that it may have.
_KEYS = {
    "hierarchical": ({"layers", "tasks"}, {"draws"}),
    "coded-reduce": (set[str](), {"s"}),
    "partial": ({"d"}, {"copies", "draws"}),
    "batches": ({"d"}, set[str]()),
}
_Few = Annotated[int, Field(ge=1, le=MOST_WORKERS)]


class SystemProblem(Table):
    """The table ``[search]`` with ``system``: whose parts are to make the least completion time.

    * ``system`` ({"hierarchical", "coded-reduce", "partial", "batches"}): What is searched for: how
      many answers each layer needs; the tree of workers; the order in which each worker does its
      chunks, and which it holds; or which it holds, where it answers once.
    * ``n`` (int): Workers, at most 64; a tree may leave some idle.
    * ``latency`` (Law or tuple of Law): The law of the seconds that a load of 1 takes: one for all
      workers, or, but for trees, a list of one each.
    * ``work`` (float): The load of all data together, more than 0; 1 by default.
    * ``port`` (Port): How the master, and parents in a tree, receive; by default messages take no
      time.
    * ``quantile`` (float, optional): The level of the quantile that is to be least, instead of the
      mean.
    * ``layers`` (int, optional): Of hierarchical: layers of tasks.
    * ``tasks`` (int, optional): Of hierarchical: answers that all layers need together.
    * ``s`` (int, optional): Of coded-reduce: children of each parent that are not waited for; any
      number by default.
    * ``d`` (int, optional): Of partial and batches: chunks that each worker holds, of n.
    * ``copies`` (int): Of partial: workers that must have finished a chunk; 1 by default.
    * ``draws`` ({"speed", "task"}): Of hierarchical and partial: whether a worker's tasks all take
      one time (the default), or each a time of its own.
    * ``seed`` (int): Of all that is random, 0 ≤ seed < 2⁶⁴; 1 by default.
    * ``steps`` (int): Changes that are tried, at most; 2 000 by default.
    * ``seconds`` (float, optional): Ends the search early.
    """

    system: Literal["hierarchical", "coded-reduce", "partial", "batches"]
    n: _Few
    latency: Any
    scaling: Scaling = "server-dependent"
    work: Positive = 1.0
    port: Port = Port()
    quantile: Annotated[float, Field(gt=0, lt=1)] | None = None
    layers: _Few | None = None
    tasks: Annotated[int, Field(ge=1)] | None = None
    s: Annotated[int, Field(ge=0)] | None = None
    d: _Few | None = None
    copies: Annotated[int, Field(ge=1)] = 1
    draws: Literal["speed", "task"] = "speed"
    seed: Seed = 1
    steps: Annotated[int, Field(ge=0, le=10**7)] = 2_000
    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    @property
    def goal(self) -> Literal["time"]:
        """What is wanted, as of a matrix."""
        return "time"

    @pydantic.model_validator(mode="after")
    def _fits(self) -> "SystemProblem":
        wrong = self._contradiction() or self._unfit_law()
        if wrong is not None:
            raise ValueError(wrong)
        return self

    def _contradiction(self) -> str | None:
        """Return what is wrong with the keys together."""
        needed, allowed = _KEYS[self.system]
        own = set[str]().union(*(both[0] | both[1] for both in _KEYS.values()))
        given = own & self.model_fields_set
        for key in sorted(needed - given):
            return f"{key}: missing; {self.system} needs it"
        for key in sorted(given - needed - allowed):
            return f"{key}: does not belong to {self.system}; drop it"
        if self.tasks is not None and self.tasks > (most := (self.layers or 0) * self.n):
            return f"tasks: must be at most layers · n = {most} (got {self.tasks})"
        if self.d is not None and self.d > self.n:
            return f"d: must be at most n (got n={self.n}, d={self.d})"
        if self.d is not None and self.copies > self.d:
            return f"copies: must be at most d (got d={self.d}, copies={self.copies})"
        if self.s is not None and self.s >= self.n:
            return f"s: must be less than n (got n={self.n}, s={self.s})"
        if self.copies > 1 and self.port.receive > 0:
            return "port.receive: must be 0 with copies, which workers only report"
        return None

    def _unfit_law(self) -> str | None:
        """Return why the laws do not fit the workers, or say too little."""
        wrong = listed.complaints(self.latency, self.n)
        wrong += listed.scaling_complaints(self.latency, self.scaling)
        if wrong:
            return ": ".join(wrong[0])
        for law in self.latency:
            if not isinstance(law, Law):
                return "latency: must be laws whose distribution functions are known"
            if any(part.order in ("rows", "replay") for part in listed.recorded(law)):
                return 'latency: order must be "pooled" or "workers", for workers are independent'
            if has_memory(law):
                return "latency: p_slow_after_slow is for rounds that follow each other; drop it"
        if self.system == "coded-reduce" and len(listed.of_workers(self.latency, self.n)) > 1:
            return "latency: must be one law for all workers of a tree, who are not told apart"
        return None

    def settings(self) -> dict[str, Any]:
        """Return the table as JSON data."""
        return super().settings() | of_laws(self.latency)

    def times(self, load: float, n: int) -> list[Time]:
        """Return the laws of the times that n workers need for a load: one for all, or one each."""
        laws = listed.of_workers(self.latency, self.n)[:n]
        return [law.time(load, self.scaling) for law in laws]

    def common(self, load: float) -> Time | None:
        """Return the law of all workers' times; None where they are unlike."""
        found = self.times(load, self.n)
        return found[0] if len(found) == 1 else None


def table() -> type[SystemProblem]:
    """Return the table with the laws that are registered now."""
    law: Any = listed.laws()
    return pydantic.create_model("SystemProblem", __base__=SystemProblem, latency=(law, ...))
