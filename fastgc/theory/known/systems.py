"""What is known of the completion times of systems, and of training."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fastgc.theory import codedreduce, hierarchical
from fastgc.theory.codedreduce.resilience import LARGEST_TREE
from fastgc.theory.common.order_statistics import order_tail
from fastgc.theory.common.repetition import frc_uncovered_probability
from fastgc.theory.hierarchical.time import unfinished_probability
from fastgc.theory.known.laws import (
    Entry,
    Table,
    TimeLaw,
    is_probability,
    law_of,
    time_law,
)
from fastgc.theory.literature import order_statistics as replicated
from fastgc.theory.literature import order_statistics as rounds
from fastgc.theory.papers.claim import ClosedForm

#: More workers, children, or answers from which more rounds of late workers, take long to sum.
_MOST = 100_000
#: Staircase probabilities of more take seconds.
_LARGEST = 400
#: Above it the probability that groups answer takes seconds.
_MOST_REPLICATED = 128
#: Curves of more iterations get no closed forms, one an iteration.
_LONGEST = 10_000

_OF_TREES = {
    "load": "codedreduce.theorem1.load.printed",
    "time": "codedreduce.tree.mean.derived",
    "decodable": "codedreduce.remark3.random.derived",
}


def _unknown(*_: Any) -> None:
    """Nothing is known."""


@dataclass(frozen=True)
class System:
    """What is known of a system; functions give None where they do not know.

    * ``load``: a worker's share of the work; ``task``: the part whose time is the law's, and
      ``tasks``: how many a worker has, if a study's ``load`` is that of one.
    * ``moments``: mean and variance of the completion time, and ``tail``: P(T > t), from the law of
      a worker's time; ``port``: also where a port takes the messages one by one.
    * ``claims``: ids of claims that test means, by quantity; that of the time if exponential.
    * ``decodable``: probability to be ever done under a table of stragglers.
    * ``messages``: how many, where all answer; ``worked``: mean seconds of all workers.
    * ``finishing``: mean time of a round, in those of a worker, and mean number of answers, of so
      many rounds whose late workers with exponential times finish.
    """

    load: float
    moments: Callable[[TimeLaw], tuple[float, float] | None]
    tail: Callable[[TimeLaw, float], float | None]
    claims: Mapping[str, str] = field(default_factory=dict)
    decodable: Callable[[Table], float | None] = _unknown
    messages: float | None = None
    worked: Callable[[TimeLaw], float | None] = _unknown
    finishing: Callable[[int], tuple[float, float]] | None = None
    task: float | None = None
    tasks: int = 1
    port: bool = False


def system_forms(experiment: Table, known: System | None) -> Iterator[ClosedForm]:
    """Load, messages and time where all workers answer, else the probability to be done."""
    if known is None:
        return

    def means(is_tested: bool = True, **values: float | None) -> Iterator[ClosedForm]:
        for quantity, value in values.items():
            if value is not None:
                claim = known.claims.get(quantity) if is_tested else None
                yield ClosedForm(quantity, "mean", None, value, claim)

    load, stragglers = experiment["system"].get("load"), experiment.get("stragglers")
    yield from means(load=float(known.load if load is None else known.tasks * load))
    task = known.load if known.task is None else known.task
    law = time_law(experiment, task if load is None else load)
    if experiment.get("between_rounds") == "finish":
        if known.finishing and law and law.exponential and law.exponential[1] == 0:
            mean, (time, answers) = law.exponential[0], known.finishing(experiment["iterations"])
            seconds = mean * answers
            yield from means(False, time=mean * time, messages=answers, worker_seconds=seconds)
        return
    if stragglers is not None:
        yield from means(decodable=known.decodable(stragglers))
        return
    yield from means(messages=known.messages)
    if law is None or not (known.port or _receive(experiment.get("port")) == 0):
        return
    yield from means(worker_seconds=known.worked(law))
    moments = known.moments(law)
    if moments is not None:
        yield from means(law.exponential is not None, time=moments[0])
        yield ClosedForm("time", "variance", None, moments[1], None)
    for threshold in experiment.get("thresholds") or ():
        late = known.tail(law, threshold)
        if late is not None:
            yield ClosedForm("time", f"P(>{float(threshold)!r})", None, late, None)


def _receive(port: Table | None) -> float:
    """Seconds that a port takes for a message; 0 is no port."""
    return float((port or {}).get("receive") or 0.0)


def _if_answered(n: int, given: Callable[[int], float]) -> Callable[[Table], float | None]:
    """Probability to be ever done, from that given r of n workers that answer."""

    def decodable(stragglers: Table) -> float | None:
        law = law_of(n, stragglers)
        return None if law is None else min(law.mixed(given), 1.0)

    return decodable


def _exponential(own: tuple[Any, ...], mean: Any, variance: Any, **more: Any) -> Any:
    """Moments of exponential times by formulas, which take what is a system's own first."""

    def moments(law: TimeLaw) -> tuple[float, float] | None:
        if law.exponential is None:
            return None
        return mean(*own, *law.exponential, **more), variance(*own, law.exponential[0], **more)

    return moments


def _late(formula: Callable[..., float], *own: Any, **more: Any) -> Any:
    """P(T > t) by a formula that takes P(X > t) of a worker."""
    return lambda law, t: formula(*own, law.tail(t), **more)


# ---- so many of n workers, whose fastest answers count; all in a ring


def _star(n: int, need: int, load: float, **claims: str) -> System:
    def finishing(times: int) -> tuple[float, float]:
        of = n, need, times
        return float(rounds.finish_mean(*of)), float(rounds.finish_answers(*of))

    def worked(law: TimeLaw) -> float | None:
        if law.exponential is None:
            return n * law.order(1, 1)[0] if need == n else None
        return need * law.exponential[0] + n * law.exponential[1]

    decodable = _if_answered(n, lambda r: float(r >= need))
    known, tail = finishing if need * (n - need) <= _MOST else None, _late(order_tail, n, need)
    return System(
        load, lambda law: law.order(n, need), tail, claims, decodable, float(need), worked, known
    )


def _gradient_code(n: int, s: int, m: int | None) -> System | None:
    """All but s workers, with s + m of n partitions each, must answer."""
    claims = {} if m and m > 1 else {"time": "codedreduce.group.mean.printed"}
    return _star(n, n - s, (s + (m or 1)) / n, **claims) if n <= _MOST else None


def _by_speed(n: int, k: int | None) -> System:
    """Workers who are alike: k of them have no work, the others as much of it as each other."""
    left = n - (k or 0)
    known = _star(left, left, 1.0 / left)
    return known if left == n else replace(known, decodable=_unknown)


def _ring(n: int, port: Table | None) -> System | None:
    """A ring waits for its slowest worker, and then passes 2(n − 1) messages around."""
    messages = 2.0 * (n - 1) * _receive(port) / n

    def moments(law: TimeLaw) -> tuple[float, float]:
        mean, variance = law.order(n, n)
        return mean + messages, variance

    def tail(law: TimeLaw, t: float) -> float:
        late = law.tail(t - messages)
        return -math.expm1(n * math.log1p(-late)) if late < 1.0 else 1.0

    claims = {"time": "codedreduce.simulation.means.derived"}
    known = System(1.0 / n, moments, tail, claims, messages=2.0 * n * (n - 1), port=True)
    return known if n <= _MOST else None


# ---- what people do instead of coding


def _clones(n: int, r: int, after: float | None) -> System:
    """One of r copies of each piece, begun one after the other, must answer."""
    wait = after or 0.0
    claims = {"worker_seconds": "literature.clones.cost.derived"}

    def tail(law: TimeLaw, t: float) -> float:
        return float(order_tail(n, n, math.prod(law.tail(t - i * wait) for i in range(r))))

    def worked(law: TimeLaw) -> float | None:
        mean, shift = law.exponential or (0.0, 1.0)
        return n * mean if shift == 0 else None

    return System(1.0 / n, _unknown, tail, claims, _groups(n * r, r, n), float(n), worked)


# ---- tasks in layers, trees, and groups whose fastest counts


def _layers(n: int, k: list[int], draws: str | None) -> System | None:
    """Layer j of tasks needs k_j answers; exponential times with one speed a worker."""
    if max(n, len(k)) > _LARGEST:
        return None
    one_speed = draws in (None, "speed")

    def moments(law: TimeLaw) -> tuple[float, float] | None:
        if law.exponential is None or not one_speed:
            return None
        own = n, k, *law.exponential
        return hierarchical.finishing_mean(*own), hierarchical.finishing_variance(*own)

    def tail(law: TimeLaw, t: float) -> float | None:
        if law.exponential is None or not one_speed:
            return None
        return unfinished_probability(n, k, t, *law.exponential)

    decodable = _if_answered(n, lambda r: float(r >= max(k)))
    claims, tasks = {"time": "hierarchical.mean.derived"}, len(k)
    return System(tasks / sum(k), moments, tail, claims, decodable, task=1.0, tasks=tasks)


def _tree(n: int, layers: int, s: int) -> System | None:
    """CodedReduce on a regular tree: every parent needs n − s of n children."""
    own = n, layers, s

    def decodable(stragglers: Table) -> float | None:
        model, p, count = (stragglers.get(key) for key in ("model", "p", "stragglers"))
        if model == "iid" and is_probability(p):
            return float(codedreduce.decodable_probability(*own, p=p))
        few = isinstance(count, int) and count <= codedreduce.tree_size(n, layers) <= LARGEST_TREE
        if model == "uniform" and few:
            return float(codedreduce.decodable_probability(*own, stragglers=count))
        return None

    if n > _MOST:
        return None
    moments = _exponential(own, codedreduce.tree_mean, codedreduce.tree_variance)
    load, tail = codedreduce.tree_load(*own), _late(codedreduce.tree_tail, *own)
    return System(load, moments, tail, _OF_TREES, decodable)


def _replication(n: int, d: int, groups: int | None) -> System:
    """The fastest of each group of d workers counts; all groups, or so many, must answer."""
    need = n // d if groups is None else groups
    mean, variance = replicated.frc_completion_mean, replicated.frc_completion_variance
    moments = _exponential((n, d), mean, variance, groups=need)
    tail = _late(replicated.frc_completion_tail, n, d, groups=need)
    return System(d / n, moments, tail, decodable=_groups(n, d, need))


def _groups(n: int, d: int, needed: int) -> Callable[[Table], float | None]:
    known = _if_answered(n, lambda r: groups_answer(n, d, needed, r))
    return known if n <= _MOST_REPLICATED else _unknown


def groups_answer(n: int, d: int, needed: int, survivors: int) -> float:
    """Probability that at least so many groups of d have one of r survivors.

    >>> groups_answer(4, 2, 2, 2)
    0.6666666666666666
    """
    lost = range(n // d - needed + 1)
    return math.fsum(frc_uncovered_probability(n, d, u, survivors=survivors) for u in lost)


# ---- training by who is selected; rules but "all" have bounds only


def _all_workers(
    experiment: Table, workers: int, batch: Any, iterations: int
) -> Iterator[ClosedForm]:
    """What all workers cost after 0 … L iterations: messages, gradients, mean time."""
    if iterations > _LONGEST:
        return
    law = time_law(experiment, 1.0)
    costs: dict[str, float | None] = {
        "downloads": workers,
        "uploads": workers,
        "gradients": workers * batch if isinstance(batch, int) else None,
        "time": law.order(workers, workers)[0] if law else None,
    }
    for quantity, cost in costs.items():
        claim = "gcada.adam.time.printed" if quantity == "time" else None
        for iteration in range(iterations + 1) if cost is not None else ():
            yield ClosedForm(quantity, "mean", iteration, float(iteration * (cost or 0)), claim)


# ---- the list: what an experiment is, and what is known of it


def _system(family: str, make: Callable[..., System | None], **keys: Any) -> Entry:
    """No formula knows of a master that waits on, or of times to send."""
    own = {"family": family, "n": int, "patience": (None, 0)} | keys
    port = {"port": own.pop("port")} if "port" in own else {}
    template = {"kind": "completion", "system": own, "send": None, **port}

    def forms(experiment: Table, n: int, **holes: Any) -> Iterator[ClosedForm]:
        return system_forms(experiment, make(n, **holes) if n >= 1 else None)

    return template, forms


_ALL = {"method": "all", "workers": int, "batch": object}
SYSTEMS: list[Entry] = [
    _system("uncoded", lambda n: _star(n, n, 1.0 / n)),
    _system("ignore-stragglers", lambda n, stragglers: _star(n, n - stragglers, 1.0 / n),
            stragglers=int),
    _system("k-of-n", lambda n, k: _star(n, k, 1.0 / k), k=int),
    _system("gradient-code", _gradient_code, s=int, m=int | None),
    _system("bounded-wait", lambda n, k: _star(n, k, 1.0 / n), k=int),
    _system("spare", lambda n, b: _star(n + (b or 0), n, 1.0 / n), b=int | None),
    # a load there says how fast workers are thought, not what they are given
    _system("balanced", _by_speed, k=int | None, load=...),
    _system("leave-out", _by_speed, k=int | None, load=...),
    _system("ring-all-reduce", _ring, port=object),
    _system("clones", _clones, r=int, after=int | float | None),
    _system("hierarchical", _layers, k=list, draws=str | None),
    _system("coded-reduce", _tree, layers=int, s=int),
    _system("replication", _replication, d=int, groups=int | None),
    ({"kind": "training", "selection": _ALL, "iterations": int}, _all_workers),
]  # fmt: skip
