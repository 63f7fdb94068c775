"""Layered tasks: every worker does one task a layer, and each layer has an MDS code of its own.

The rules that share out tasks are those of paper `hierarchical` and two to hold against them. Each
gives real numbers first, then whole ones that add up to ``tasks`` by largest remainders; all give
k_1 ≥ k_2 ≥ …, for deeper layers come later and any other order is slower in every single case.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, ClassVar, Literal, Self, get_args

import numpy as np
import pydantic

from fastgc.arrays import Values
from fastgc.errors import FastgcError
from fastgc.latency.time import Time
from fastgc.registry import register
from fastgc.registry.makers import maker
from fastgc.statistics.tallies import dot
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
from fastgc.systems.timing.group_structures import Layers
from fastgc.systems.timing.laws import CompletionLaw, distribution
from fastgc.systems.timing.laws.evaluation import Worker
from fastgc.systems.timing.laws.part_laws import LayersEvaluation

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
        n, tasks = cluster.workers, cluster.tasks
        assert tasks is not None
        keys = {"n": n, "layers": cluster.layers, "tasks": tasks, "load": 1 / tasks}
        systems = {rule: cls.model_validate(keys | {"rule": rule}) for rule in get_args(Rule)}
        return [Candidates((system,), rule) for rule, system in systems.items()]

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
        assert self.rule is not None and self.layers is not None and self.tasks is not None
        k = choose(self.rule, self.n, self.layers, self.tasks, time, self.draws)
        return self.model_copy(update={"k": k, "layers": None, "tasks": None, "rule": None})


hierarchical = maker(Hierarchical)


K = tuple[int, ...]


def choose(
    rule: str, n: int, layers: int, tasks: int, time: Time | None, draws: str = "speed"
) -> K:
    """Share out tasks among layers by a rule: how many answers each layer waits for.

    * ``rule`` ({"equal-exponent", "quantile", "optimal", "single-rate"}): ``equal-exponent``: k_j =
      n + 1 − u j between 0 and n, u such that they add up, which is 2(r(n + 1) − tasks)/(r(r + 1))
      for r layers where nothing is cut off. ``quantile``: k_j = n P(j tasks done by t*), t* such
      that they add up. ``optimal``: least mean completion time, of all ways where these are at most
      `MOST_TRIED`, else such that no move of tasks from one layer to another betters it.
      ``single-rate``: all alike.
    * ``n``, ``layers``, ``tasks``: workers, layers, and answers that all layers wait for together.
    * ``time``: law of a task's time, for ``quantile`` and ``optimal``.
    * ``draws`` ({"speed", "task"}): whether a worker's tasks all take one time, or each a time of
      its own.

    Raises FastgcError if the rule needs a law that is not there.
    """
    equal = rounded(np.full(layers, tasks / layers), n, tasks)
    if rule == "single-rate":
        return equal
    exponent = _equal_exponent(n, layers, tasks)
    if rule == "equal-exponent":
        return exponent
    if time is None:
        raise FastgcError(
            f'rule: "{rule}" needs one law of latency for all workers (use "equal-exponent" or '
            '"single-rate", or give k)'
        )
    fresh = draws == "task"
    laws = [time.total(j) if fresh else time.moved(j) for j in range(1, layers + 1)]
    quantile = _quantile(n, tasks, laws)
    if rule == "quantile":
        return quantile
    return best(n, tasks, laws, [exponent, quantile, equal], fresh=fresh)


def rounded(shares: Values, n: int, tasks: int) -> K:
    """Round shares that add up to ``tasks`` to whole numbers from 0 to n that do so too.

    All are rounded down; what is missing goes to the largest remainders, the earlier layer first
    where they are equal to a billionth.
    """
    whole = np.clip(np.floor(shares + 1e-9), 0, n).astype(np.int64)
    remainder = np.round(shares - whole, 9)
    while (short := tasks - int(whole.sum())) > 0:
        order = np.argsort(-remainder, kind="stable")
        chosen = order[whole[order] < n][:short]
        whole[chosen] += 1
        remainder[chosen] -= 1.0
    return tuple(int(k) for k in whole)


def _equal_exponent(n: int, layers: int, tasks: int) -> K:
    """k_j = n + 1 − u j, cut off at 0 and n; u by bisection of the sum, which falls with u."""
    j = np.arange(1, layers + 1)

    def shares(u: float) -> Values:
        return np.clip(n + 1 - u * j, 0.0, n)

    low, high = 0.0, float(n + 1)
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (low, middle) if shares(middle).sum() <= tasks else (middle, high)
    return rounded(shares(high), n, tasks)


def _quantile(n: int, tasks: int, laws: Sequence[Time]) -> K:
    """k_j = n P(j tasks done by t); t by bisection of the sum, which rises with t."""

    def shares(t: float) -> Values:
        return np.array([n * float(law.cdf(t)) for law in laws])

    low, high = 0.0, 1.0
    while shares(high).sum() < tasks:
        low, high = high, 2.0 * high
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (low, middle) if shares(middle).sum() >= tasks else (middle, high)
    # where times have atoms the sum jumps over tasks: part of the way from before it to after it
    before, after = shares(low), shares(high)
    jump = after.sum() - before.sum()
    part = (tasks - before.sum()) / jump if jump > 0 else 1.0
    return rounded(before + min(1.0, part) * (after - before), n, tasks)


#: Ways to share out that are all tried; beyond, the best is searched for.
MOST_TRIED = 2000
#: Means that differ by less than this share are compared exactly.
_CLOSE = 1e-5
_MOST_COMPARED = 10
_ROUNDS = 3
#: Quantiles of a start's law between which the grid has a panel each.
_TAIL = (1e-12, 1e-8, 1e-5, 1e-3, 0.02, 0.12)
_LEVELS = np.array([*_TAIL, 0.3, 0.5, 0.7])
_UPPER = np.array(_TAIL[::-1])
_MOST_BREAKS = 2000


def best(n: int, tasks: int, laws: Sequence[Time], starts: Sequence[K], fresh: bool) -> K:
    """Return the needs with the least mean completion time."""
    layers = len(laws)
    index = laws[0].tail_exponent()
    # the longest tail is that of the layer that can miss the fewest workers
    most = min(n, math.ceil(n + 1 - 1.0 / index) - 1) if index < math.inf else n
    if most * layers < tasks:
        raise FastgcError(
            'rule: "optimal" compares means, and they are infinite however the tasks are shared '
            'out; use "quantile"'
        )
    share, more = divmod(tasks, layers)
    level = tuple(share + (j < more) for j in range(layers))
    guesses = [k for k in starts if max(k) <= most] or [level]

    def exact(k: K) -> CompletionLaw:
        return distribution(Layers(n, k, fresh), [laws[0]])

    reference = min((exact(k) for k in guesses), key=lambda law: law.mean())
    every = list(itertools.islice(ways(tasks, layers, most), MOST_TRIED + 1))
    for _ in range(_ROUNDS):
        mean = _means_near(reference, n, laws)
        means = {k: mean(k) for k in (every if len(every) <= MOST_TRIED else guesses)}
        if len(every) > MOST_TRIED:
            _descend(means, mean, most)
        least = min(means.values())
        close = sorted((mean, k) for k, mean in means.items() if mean <= least * (1.0 + _CLOSE))
        found = min((exact(k).mean(), k) for _, k in close[:_MOST_COMPARED])[1]
        if found in guesses:
            break
        # a grid laid out for the best one seen may show a better one
        guesses = [found, *guesses]
        reference = exact(found)
    return found


def _descend(means: dict[K, float], mean: Callable[[K], float], most: int) -> None:
    """Move tasks from one layer to another while it helps: many at once first, then one."""
    k = min(means, key=means.__getitem__)
    step = max(1, max(k) // 8)
    while step:
        better = None
        for a, b in itertools.permutations(range(len(k)), 2):
            moved = list(k)
            moved[a] -= step
            moved[b] += step
            if moved[a] < 0 or moved[b] > most:
                continue
            other = tuple(sorted(moved, reverse=True))
            if other not in means:
                means[other] = mean(other)
            if means[other] < means[k] * (1.0 - 1e-12):
                better = k = other
        if better is None:
            step //= 2


def ways(tasks: int, layers: int, most: int) -> Iterator[K]:
    """Yield all needs that fall from layer to layer and add up to ``tasks``."""
    if layers == 1:
        if tasks <= most:
            yield (tasks,)
        return
    for first in range(min(most, tasks), -(-tasks // layers) - 1, -1):
        for rest in ways(tasks - first, layers - 1, first):
            yield (first, *rest)


def _means_near(reference: CompletionLaw, n: int, laws: Sequence[Time]) -> Callable[[K], float]:
    """Return what gives the mean of any law near a reference law, by Gauss's points."""
    sums = {j: Worker(law, 1.0) for j, law in enumerate(laws)}
    centre = float(reference.quantile(0.5))
    edges = np.concatenate([reference.quantile(_LEVELS), reference.upper_quantile(_UPPER)])
    edges = np.unique(np.append(edges, [0.5 * edges[0], 2.0 * edges[-1]]))
    breaks = np.unique(np.concatenate([time.bends() for time in laws]))
    breaks = breaks[(breaks > edges[0]) & (breaks < edges[-1])]
    atoms = laws[0].is_discrete() and breaks.size <= _MOST_BREAKS
    if atoms or breaks.size <= 4 * edges.size:
        edges = np.union1d(breaks, edges)
    nodes, weights = np.polynomial.legendre.leggauss(10)
    if atoms:
        nodes, weights = np.zeros(1), np.full(1, 2.0)
    half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
    points = (middle[:, None] + half[:, None] * nodes).ravel()
    weights = (half[:, None] * weights).ravel()

    def mean(k: K) -> float:
        cdf, survival = LayersEvaluation(k, [n], [sums])(points)
        found = centre + float(dot(weights, np.where(points > centre, survival, -cdf)))
        index = laws[0].tail_exponent() * (n - max(k) + 1)
        if math.isinf(index):
            return found
        return found + float(survival[-1]) * float(points[-1]) / (index - 1.0)

    return mean
