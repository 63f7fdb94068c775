"""What is known of stars, whose master waits for some of n workers, and of rings."""

from __future__ import annotations

import math
from collections.abc import Iterator

from fastgc.theory.common.order_statistics import order_tail
from fastgc.theory.known.completion import Completion
from fastgc.theory.known.registered import system
from fastgc.theory.papers.closed_form import ClosedForm

#: More workers take long to sum over.
_MOST_WORKERS = 100_000


@system("uncoded", "ignore-stragglers", "k-of-n")
def star(run: Completion) -> Iterator[ClosedForm]:
    """A star whose master waits for all workers, for all but some, or for k of them.

    >>> from fastgc.theory import closed_forms
    >>> forms = closed_forms({
    ...     "kind": "completion",
    ...     "system": {"family": "k-of-n", "n": 20, "k": 16},
    ...     "work": 16.0,
    ...     "latency": {"distribution": "exponential", "mean": 1.0},
    ...     "measure": ["time"],
    ... })
    >>> forms[0].statistic, round(forms[0].value, 6)
    ('mean', 1.514406)
    """
    if run.n < 1:
        return
    need = int(run.system.get("k") or run.n - run.system.get("stragglers", 0))
    parts = need if run.system["family"] == "k-of-n" else run.n
    claim = "literature.order-statistics.exponential.derived"
    yield from _star(run, need, 1.0 / parts, claim)


@system("gradient-code")
def gradient_code(run: Completion) -> Iterator[ClosedForm]:
    """A star whose master waits for n − s workers with s + 1 of n partitions each."""
    if 1 <= run.n <= _MOST_WORKERS:
        s = run.system["s"]
        claim = "codedreduce.group.mean.printed"
        yield from _star(run, run.n - s, (s + 1) / run.n, claim)


@system("ring-all-reduce")
def ring(run: Completion) -> Iterator[ClosedForm]:
    """A ring that waits for its slowest worker and then passes 2(n − 1) messages around."""
    n = run.n
    if not 1 <= n <= _MOST_WORKERS:
        return
    yield run.load_form(1.0 / n)
    if run.stragglers is None:
        yield ClosedForm("messages", "mean", None, 2.0 * n * (n - 1), None)
    law = run.time_of(1.0 / n, port=True)
    if law is None:
        return
    messages = 2.0 * (n - 1) * run.receive / n
    mean, variance = law.order(n, n)

    def tail(t: float) -> float:
        late = law.tail(t - messages)
        return -math.expm1(n * math.log1p(-late)) if late < 1.0 else 1.0

    claim = "codedreduce.simulation.means.corrected" if law.exponential else None
    yield from run.time_forms((mean + messages, variance), tail, claim)


def _star(run: Completion, need: int, share: float, claim: str) -> Iterator[ClosedForm]:
    """A star that waits for ``need`` of n answers, without a port where it is about time."""
    yield run.load_form(share)
    if run.stragglers is not None:
        yield from run.decodable_form(run.n, lambda r: float(r >= need))
        return
    yield ClosedForm("messages", "mean", None, float(need), None)
    law = run.time_of(share)
    if law is None:
        return
    yield from run.time_forms(
        law.order(run.n, need),
        lambda t: order_tail(run.n, need, law.tail(t)),
        claim if law.exponential is not None else None,
    )
