"""Layered tasks: every worker does one task a layer, and each layer has an MDS code of its own."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, Self, get_args

import pydantic

from fastgc.errors import FastgcError
from fastgc.latency.time import Time
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.systems.system import (
    LARGEST,
    MOST_TASKS,
    Candidates,
    Cluster,
    Count,
    SizedSystem,
    Workers,
    require_either,
)
from fastgc.systems.timing.parts import Layers

Rule = Literal["equal-exponent", "quantile", "optimal", "single-rate"]


@register("system")
class Hierarchical(SizedSystem):
    """Layered tasks with an MDS code a layer (paper `hierarchical`).

    Each of n workers does one coded task a layer, in turn; layer j is done with k_j answers. Either
    ``k`` says how many answers each layer needs, or ``rule`` shares out ``tasks`` answers among
    ``layers`` layers. A time of the latency law is that of one task of all the ``work``; with
    ``load`` = 1/tasks it is that of a task's true share.

    * ``load`` (float, optional): Share of the work that one task is; without it a time of the
      latency law is that of a task.
    * ``k`` (sequence of int, optional): Answers that each layer needs, from 0 to n, in any order;
      layers after the last that needs any are not worked on.
    * ``layers`` (int, optional): Instead of ``k``, with ``tasks`` and ``rule``: how many layers
      there are.
    * ``tasks`` (int, optional): Answers that all layers need together, at most layers · n.
    * ``rule`` ({"equal-exponent", "quantile", "optimal", "single-rate"}, optional): How ``tasks``
      are shared out among the layers; see `fastgc.systems.rules.choose`.
    * ``draws`` ({"speed", "task"}): Whether a worker's tasks all take one time X, so that its j-th
      is done at j·X (the default), or each takes a time of its own.

    Raises FastgcError if some k_j > n, or the tasks cannot be shared out.

    >>> hierarchical(n=4, k=(3, 2)).structure()
    Layers(n=4, k=(3, 2), fresh=False, ends=())
    """

    DESIGN_KEYS: ClassVar[tuple[str, ...]] = ("layers", "tasks")
    LINEAR: ClassVar[bool] = True
    PRECEDENCE: ClassVar[int] = 7

    family: Literal["hierarchical"] = "hierarchical"
    k: Annotated[tuple[Count, ...] | None, pydantic.Field(min_length=1, max_length=LARGEST)] = None
    layers: Workers | None = None
    tasks: Annotated[int | None, pydantic.Field(ge=1)] = None
    rule: Rule | None = None
    draws: Literal["speed", "task"] = "speed"

    @pydantic.field_validator("k")
    @classmethod
    def _possible(
        cls, k: tuple[int, ...] | None, info: pydantic.ValidationInfo
    ) -> tuple[int, ...] | None:
        n = info.data.get("n")
        if k is None:
            return k
        if n is not None and max(k) > n:
            layer = next(j for j, need in enumerate(k) if need > n)
            raise ValueError(f"must be at most n in every layer (got n={n}, k[{layer}]={k[layer]})")
        if max(k) == 0:
            raise ValueError("must be more than 0 in some layer, or nothing is waited for")
        return k

    @pydantic.model_validator(mode="after")
    def _given_once(self) -> Self:
        layers = (self.layers or 0) if self.k is None else len(self.k)
        if self.n * layers > MOST_TASKS:
            raise ValueError(
                f"workers can have at most {MOST_TASKS} tasks together, n · layers "
                f"(got n={self.n}, layers={layers})"
            )
        keys = ("layers", "tasks", "rule")
        require_either(self, "k", keys, "k or layers, tasks and rule")
        if self.layers and self.tasks and self.tasks > self.layers * self.n:
            raise ValueError(
                f"tasks must be at most layers · n, one a worker and layer "
                f"(got tasks={self.tasks}, layers={self.layers}, n={self.n})"
            )
        return self

    @classmethod
    def candidates(cls, cluster: Cluster) -> Sequence[Candidates]:
        """Return what every rule makes of the layers and tasks."""
        n, tasks = cluster.workers, cluster.tasks
        assert tasks is not None
        keys = {"n": n, "layers": cluster.layers, "tasks": tasks, "load": 1 / tasks}
        offered = (cls.offered([keys | {"rule": rule}], rule) for rule in get_args(Rule))
        return [each for own in offered for each in own]

    def structure(self) -> Layers:
        if self.k is None:
            raise FastgcError(
                f'rule: "{self.rule}" depends on the law of times, which a study has: run one, or '
                "give k (in Python it must be settled by for_time(law of a task's time))"
            )
        return Layers(self.n, self.k, self.draws == "task")

    def default_share(self) -> float:
        return 1.0  # a time is that of one task

    def burden(self) -> float:
        """Return the share of the work that a worker's tasks are together."""
        if self.k is None:
            assert self.layers is not None and self.tasks is not None
            layers, tasks = self.layers, self.tasks
        else:
            layers, tasks = max(j for j, need in enumerate(self.k, 1) if need), sum(self.k)
        return layers / tasks if self.load is None else layers * self.load

    def settling_rule(self) -> Rule | None:
        return self.rule

    def for_time(self, time: Time | None) -> Self:
        if self.k is not None:
            return self
        from fastgc.systems.rules import choose

        assert self.rule is not None and self.layers is not None and self.tasks is not None
        k = choose(self.rule, self.n, self.layers, self.tasks, time, self.draws)
        return self.model_copy(update={"k": k, "layers": None, "tasks": None, "rule": None})


hierarchical = maker(Hierarchical)
