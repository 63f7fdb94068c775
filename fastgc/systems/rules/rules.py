"""Rules that share out tasks among layers: how many answers k_j each layer waits for.

The rules of paper `hierarchical` and two to hold against them. Each gives real numbers first, then
whole ones that add up to ``tasks`` by largest remainders (`rounded`); all give k_1 ≥ k_2 ≥ …, for
deeper layers come later and any other order is slower in every single case.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fastgc.errors import FastgcError
from fastgc.latency.time import Time, Values
from fastgc.systems.rules.search import best
from fastgc.systems.timing.laws import nature
from fastgc.systems.timing.laws.nature import sum_of

K = tuple[int, ...]

RULES = ("equal-exponent", "quantile", "optimal", "single-rate")


@dataclass(frozen=True)
class Choice:
    """How a rule shared out the tasks.

    Attributes
    ----------
    k : tuple of int
    how : {"formula", "exhaustive", "local search"}
        Whether the rule is a formula, its optimum is the best of all ways to share out, or one that
        no move of tasks from one layer to another betters.
    """

    k: K
    how: str


def choose(
    rule: str, n: int, layers: int, tasks: int, time: Time | None, draws: str = "speed"
) -> K:
    """Return how many answers each layer waits for by a rule; see `settle`."""
    return settle(rule, n, layers, tasks, time, draws).k


def settle(
    rule: str, n: int, layers: int, tasks: int, time: Time | None, draws: str = "speed"
) -> Choice:
    """Share out tasks among layers by a rule, and say how.

    Parameters
    ----------
    rule : {"equal-exponent", "quantile", "optimal", "single-rate"}
        ``equal-exponent``: k_j = n + 1 − u j between 0 and n, u such that they add up, which is
        2(r(n + 1) − tasks)/(r(r + 1)) for r layers where nothing is cut off. ``quantile``:
        k_j = n P(j tasks done by t*), t* such that they add up. ``optimal``: least mean completion
        time. ``single-rate``: all alike.
    n, layers, tasks : int
        Workers, layers, and answers that all layers wait for together.
    time : Time or None
        Law of a task's time, for ``quantile`` and ``optimal``.
    draws : {"speed", "task"}
        Whether a worker's tasks all take one time, or each a time of its own.

    Raises
    ------
    FastgcError
        If the tasks cannot be shared out, or the rule needs a law that is not there.

    Examples
    --------
    >>> settle("equal-exponent", n=10, layers=4, tasks=20, time=None).k
    (9, 6, 4, 1)
    >>> from fastgc.latency import Exponential
    >>> settle("optimal", n=10, layers=4, tasks=20, time=Exponential(mean=1.0, shift=1.0).time())
    Choice(k=(9, 7, 4, 0), how='exhaustive')
    """
    if rule not in RULES:
        allowed = ", ".join(f'"{name}"' for name in RULES)
        raise FastgcError(f"rule: must be one of {allowed} (got {rule!r})")
    if draws not in ("speed", "task"):
        raise FastgcError(f'draws: must be "speed" or "task" (got {draws!r})')
    if not (n > 0 and layers > 0 and 0 < tasks <= n * layers):
        raise FastgcError(
            f"tasks: must be from 1 to n · layers = {n * layers} (got {tasks} for n={n}, "
            f"layers={layers})"
        )
    if rule == "single-rate":
        return Choice(rounded(np.full(layers, tasks / layers), n, tasks), "formula")
    if rule == "equal-exponent":
        return Choice(_equal_exponent(n, layers, tasks), "formula")
    if time is None:
        raise FastgcError(
            f'rule: "{rule}" needs one law of latency for all workers (use "equal-exponent" or '
            '"single-rate", or give k)'
        )
    if rule == "quantile":
        return Choice(_quantile(n, layers, tasks, time, draws), "formula")
    starts = [_equal_exponent(n, layers, tasks), _quantile(n, layers, tasks, time, draws)]
    starts.append(rounded(np.full(layers, tasks / layers), n, tasks))
    laws = _laws(time, layers, draws)
    k, everything = best(n, tasks, laws, starts, fresh=draws == "task")
    return Choice(k, "exhaustive" if everything else "local search")


def rounded(shares: Values, n: int, tasks: int) -> K:
    """Round shares that add up to ``tasks`` to whole numbers from 0 to n that do so too.

    All are rounded down; what is missing goes to the largest remainders, the earlier layer first
    where they are equal to a billionth.

    Examples
    --------
    >>> rounded(np.array([8.6, 6.2, 3.8, 1.4]), n=10, tasks=20)
    (9, 6, 4, 1)
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


def _quantile(n: int, layers: int, tasks: int, time: Time, draws: str) -> K:
    laws = _laws(time, layers, draws)

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


def _laws(time: Time, layers: int, draws: str) -> list[Time]:
    """Return the laws of the time that j tasks take, j = 1 to ``layers``."""
    if draws == "task":
        return [sum_of(time, j) for j in range(1, layers + 1)]
    return [nature.scaled(time, j) for j in range(1, layers + 1)]
