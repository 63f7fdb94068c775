"""What is known of stars, whose master waits for some of n workers, and of rings."""

from __future__ import annotations

import math

from fastgc.theory.common.order_statistics import order_tail
from fastgc.theory.known.completion import Known, Table, Time, if_answered, receive
from fastgc.theory.known.registered import system
from fastgc.theory.known.time_law import TimeLaw

#: More workers take long to sum over.
_MOST_WORKERS = 100_000

_ORDER = "literature.order-statistics.exponential.printed"


@system("uncoded")
def uncoded(experiment: Table, n: int) -> Known:
    """All workers must answer."""
    return _star(n, n, 1.0 / n, _ORDER)


@system("ignore-stragglers")
def ignore_stragglers(experiment: Table, n: int) -> Known:
    """All but so many workers must answer."""
    return _star(n, n - experiment["system"]["stragglers"], 1.0 / n, _ORDER)


@system("k-of-n")
def k_of_n(experiment: Table, n: int) -> Known:
    """An MDS code, of which k workers with 1/k of the work must answer."""
    k = experiment["system"]["k"]
    return _star(n, k, 1.0 / k, _ORDER)


@system("gradient-code")
def gradient_code(experiment: Table, n: int) -> Known | None:
    """All but s workers, with s + m of n partitions each, must answer."""
    s, m = experiment["system"]["s"], experiment["system"].get("m", 1)
    if n > _MOST_WORKERS:
        return None
    claim = "codedreduce.group.mean.printed" if m == 1 else _ORDER
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


def _star(n: int, need: int, load: float, claim: str) -> Known:
    def time(law: TimeLaw) -> Time:
        return Time(law.order(n, need), lambda t: order_tail(n, need, law.tail(t)))

    return Known(load, time, claim, if_answered(n, lambda r: float(r >= need)), float(need))
