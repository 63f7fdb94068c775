"""What is known of the completion times of systems, and of training by who is selected."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from fastgc.theory import codedreduce, hierarchical
from fastgc.theory.codedreduce.resilience import LARGEST_TREE
from fastgc.theory.common.numerics import hypergeometric
from fastgc.theory.common.order_statistics import order_tail
from fastgc.theory.hierarchical.time import unfinished_probability
from fastgc.theory.known.laws import TimeLaw, is_probability, time_law
from fastgc.theory.known.registered import (
    Known,
    Table,
    Time,
    if_answered,
    receive,
    selection,
    system,
)
from fastgc.theory.literature.order_statistics import (
    frc_completion_mean,
    frc_completion_tail,
    frc_completion_variance,
)
from fastgc.theory.literature.remedies import (
    clones_mean,
    drop_late_mean,
    local_sgd_mean,
    local_sgd_tail,
    local_sgd_variance,
)
from fastgc.theory.literature.rounds import finish_answers, finish_mean
from fastgc.theory.papers.claim import ClosedForm

#: More workers take long to sum over.
_MOST_WORKERS = 100_000

#: Answers from which more rounds of late workers take long to sum over.
_MOST_STEPS = 100_000
#: Staircase probabilities of more take seconds.
_LARGEST = 400
#: More children take long to sum over.
_MOST_CHILDREN = 100_000
#: Above it the probability that groups answer takes seconds.
_MOST_REPLICATED = 128
#: Curves of more iterations get no closed forms, one an iteration.
_LONGEST = 10_000


@system("uncoded")
def uncoded(experiment: Table, n: int) -> Known:
    """All workers must answer."""
    return _star(n, n, 1.0 / n)


@system("ignore-stragglers")
def ignore_stragglers(experiment: Table, n: int) -> Known:
    """All but so many workers must answer."""
    return _star(n, n - experiment["system"]["stragglers"], 1.0 / n)


@system("k-of-n")
def k_of_n(experiment: Table, n: int) -> Known:
    """An MDS code, of which k workers with 1/k of the work must answer."""
    k = experiment["system"]["k"]
    return _star(n, k, 1.0 / k)


@system("gradient-code")
def gradient_code(experiment: Table, n: int) -> Known | None:
    """All but s workers, with s + m of n partitions each, must answer."""
    s, m = experiment["system"]["s"], experiment["system"].get("m", 1)
    if n > _MOST_WORKERS:
        return None
    claim = "codedreduce.group.mean.printed" if m == 1 else None
    return _star(n, n - s, (s + m) / n, claim)


@system("ring-all-reduce")
def ring(experiment: Table, n: int) -> Known | None:
    """A ring waits for its slowest worker, and then passes 2(n − 1) messages around."""
    if n > _MOST_WORKERS:
        return None
    messages = 2.0 * (n - 1) * receive(experiment) / n

    def time(law: TimeLaw) -> Time:
        mean, variance = law.order(n, n)

        def tail(t: float) -> float:
            late = law.tail(t - messages)
            return -math.expm1(n * math.log1p(-late)) if late < 1.0 else 1.0

        return Time((mean + messages, variance), tail)

    claim = "codedreduce.simulation.means.derived"
    return Known(1.0 / n, time, claim, lambda _: None, messages=2.0 * n * (n - 1), port=True)


def _star(n: int, need: int, load: float, claim: str | None = None) -> Known:
    def time(law: TimeLaw) -> Time:
        return Time(law.order(n, need), lambda t: order_tail(n, need, law.tail(t)))

    def worked(law: TimeLaw) -> float | None:
        if law.exponential is None:
            return n * law.order(1, 1)[0] if need == n else None
        mean, shift = law.exponential
        return need * mean + n * shift

    def finishing(rounds: int) -> tuple[float, float]:
        return float(finish_mean(n, need, rounds)), float(finish_answers(n, need, rounds))

    return Known(
        load,
        time,
        claim,
        if_answered(n, lambda r: float(r >= need)),
        float(need),
        worked,
        finishing=finishing if need * (n - need) <= _MOST_STEPS else None,
    )


# ---- what people do instead of coding


@system("bounded-wait")
def bounded_wait(experiment: Table, n: int) -> Known:
    """The first k workers must answer."""
    return _star(n, experiment["system"]["k"], 1.0 / n)


@system("spare")
def spare(experiment: Table, n: int) -> Known:
    """n of n + b workers must answer."""
    return _star(n + experiment["system"].get("b", 0), n, 1.0 / n)


@system("balanced", "leave-out")
def by_speed(experiment: Table, n: int) -> Known | None:
    """Workers who are alike: k of them have no work, the others as much of it as each other."""
    if "load" in experiment["system"]:  # says how fast they are thought, not what they are given
        return None
    left = n - experiment["system"].get("k", 0)
    known = _star(left, left, 1.0 / left)
    return known if left == n else replace(known, decodable=lambda _: None)


@system("clones")
def clones(experiment: Table, n: int) -> Known:
    """One of r copies of each piece, begun one after the other, must answer."""
    r, after = experiment["system"]["r"], experiment["system"].get("after", 0.0)

    def time(law: TimeLaw) -> Time:
        moments = None
        if law.exponential is not None:
            moments = float(clones_mean(n, r, after, *law.exponential)), math.nan

        def tail(t: float) -> float:
            late = math.prod(law.tail(t - i * after) for i in range(r))
            return float(order_tail(n, n, late))

        return Time(moments, tail)

    def worked(law: TimeLaw) -> float | None:
        mean, shift = law.exponential or (0.0, 1.0)
        return n * mean if shift == 0 else None

    decodable = if_answered(n * r, lambda left: groups_answer(n * r, r, n, left))
    return Known(
        1.0 / n,
        time,
        None,
        decodable if n * r <= _MOST_REPLICATED else lambda _: None,
        float(n),
        worked,
        worked_claim="literature.clones.cost.derived",
    )


@system("local-sgd")
def local_sgd(experiment: Table, n: int) -> Known:
    """All must answer once in so many rounds of exponential times."""
    period = experiment["system"]["period"]

    def time(law: TimeLaw) -> Time | None:
        if law.exponential is None:
            return None
        mean, shift = law.exponential
        return Time(
            (local_sgd_mean(n, period, mean, shift), local_sgd_variance(n, period, mean)),
            lambda t: local_sgd_tail(n, period, t, mean, shift),
        )

    return Known(
        1.0 / n,
        time,
        None,
        lambda _: None,
        n / period,
        lambda law: n * law.order(1, 1)[0],
    )


@system("drop-late")
def drop_late(experiment: Table, n: int) -> Known:
    """All must answer, until a deadline."""
    deadline = experiment["system"]["deadline"]

    def time(law: TimeLaw) -> Time:
        moments = None
        if law.exponential is not None:
            moments = drop_late_mean(n, deadline, *law.exponential), math.nan
        return Time(moments, lambda t: order_tail(n, n, law.tail(t)) if t < deadline else 0.0)

    return Known(1.0 / n, time, None, lambda _: 1.0)


# ---- tasks in layers, of which layer j needs k_j answers


@system("hierarchical")
def layers(experiment: Table, n: int) -> Known | None:
    """Exponential times with one speed a worker."""
    k = experiment["system"].get("k")
    one_speed = (experiment["system"].get("draws") or "speed") == "speed"
    if k is None or n > _LARGEST or len(k) > _LARGEST:
        return None

    def time(law: TimeLaw) -> Time | None:
        if law.exponential is None or not one_speed:
            return None
        mean, shift = law.exponential
        return Time(
            (
                hierarchical.finishing_mean(n, k, mean, shift),
                hierarchical.finishing_variance(n, k, mean, shift),
            ),
            lambda t: unfinished_probability(n, k, t, mean, shift),
        )

    return Known(
        len(k) / sum(k),
        time,
        "hierarchical.mean.derived",
        if_answered(n, lambda r: float(r >= max(k))),
        tasks=len(k),
        task=1.0,
    )


# ---- CodedReduce on a regular tree


@system("coded-reduce")
def tree(experiment: Table, n: int) -> Known | None:
    """Every parent needs n − s of n children."""
    layers = experiment["system"].get("layers")
    if n > _MOST_CHILDREN or not isinstance(layers, int):
        return None
    s = experiment["system"]["s"]

    def time(law: TimeLaw) -> Time:
        moments = None
        if law.exponential is not None:
            mean, shift = law.exponential
            moments = (
                codedreduce.tree_mean(n, layers, s, mean, shift),
                codedreduce.tree_variance(n, layers, s, mean),
            )
        return Time(moments, lambda t: codedreduce.tree_tail(n, layers, s, law.tail(t)))

    return Known(
        codedreduce.tree_load(n, layers, s),
        time,
        "codedreduce.tree.mean.derived",
        partial(_decodable, n, layers, s),
        load_claim="codedreduce.theorem1.load.printed",
        decodable_claim="codedreduce.remark3.random.derived",
    )


def _decodable(n: int, layers: int, s: int, stragglers: Table) -> float | None:
    workers = int(codedreduce.tree_size(n, layers))
    model, p, count = (stragglers.get(key) for key in ("model", "p", "stragglers"))
    if model == "iid" and is_probability(p):
        return float(codedreduce.decodable_probability(n, layers, s, p=p))
    if model == "uniform" and isinstance(count, int) and count <= workers <= LARGEST_TREE:
        return float(codedreduce.decodable_probability(n, layers, s, stragglers=count))
    return None


# ---- replicated work: the fastest of each group of d workers counts


@system("replication")
def replication(experiment: Table, n: int) -> Known:
    """All groups, or so many of them, must answer."""
    d, groups = experiment["system"]["d"], experiment["system"].get("groups")
    needed = n // d if groups is None else groups

    def time(law: TimeLaw) -> Time:
        moments = None
        if law.exponential is not None:
            mean, shift = law.exponential
            moments = (
                frc_completion_mean(n, d, mean, shift, needed),
                frc_completion_variance(n, d, mean, needed),
            )
        return Time(moments, lambda t: frc_completion_tail(n, d, law.tail(t), needed))

    decodable = if_answered(n, lambda r: groups_answer(n, d, needed, r))
    return Known(d / n, time, None, decodable if n <= _MOST_REPLICATED else lambda _: None)


def groups_answer(n: int, d: int, needed: int, survivors: int) -> float:
    """Probability that at least so many groups of d have one of r survivors.

    >>> groups_answer(4, 2, 2, 2)
    0.6666666666666666
    """
    states = {(survivors, 0): 1.0}
    for group in range(n // d):
        left = n - d * group
        after: dict[tuple[int, int], float] = {}
        for (alive, reached), probability in states.items():
            here = hypergeometric(left, alive, d)
            for i, p in enumerate(here):
                if p:
                    place = (alive - i, reached + (i > 0))
                    after[place] = after.get(place, 0.0) + probability * p
        states = after
    probabilities = [0.0] * (n // d + 1)
    for (_, reached), probability in states.items():
        probabilities[reached] += probability
    return math.fsum(probabilities[needed:])


# ---- training by who is selected; rules but "all" have bounds only


@selection("all")
def all_workers(experiment: Table) -> Iterator[ClosedForm]:
    """What all workers cost after 0 … L iterations: messages, gradients, mean time."""
    workers, batch = (experiment["selection"].get(key) for key in ("workers", "batch"))
    iterations = experiment.get("iterations")
    if not isinstance(workers, int) or not isinstance(iterations, int) or iterations > _LONGEST:
        return
    each: dict[str, tuple[float, str]] = {
        "downloads": (workers, "communication"),
        "uploads": (workers, "communication"),
    }
    if isinstance(batch, int):
        each["gradients"] = workers * batch, "computation"
    work, scaling = experiment.get("work") or 1.0, experiment.get("scaling") or "server-dependent"
    law = time_law(experiment.get("latency"), work, scaling)
    if law is not None:
        each["time"] = law.order(workers, workers)[0], "time"
    for quantity, (cost, what) in each.items():
        claim = f"gcada.adam.{what}.printed"
        for iteration in range(iterations + 1):
            yield ClosedForm(quantity, "mean", iteration, float(iteration * cost), claim)
