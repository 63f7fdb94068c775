"""What is known of CodedReduce on a regular tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fastgc.theory import codedreduce
from fastgc.theory.codedreduce.resilience import LARGEST_TREE
from fastgc.theory.known.completion import Completion
from fastgc.theory.known.registered import system
from fastgc.theory.known.straggler_law import is_probability
from fastgc.theory.papers.closed_form import ClosedForm

#: More children take long to sum over.
_MOST_CHILDREN = 100_000


@system("coded-reduce")
def tree(run: Completion) -> Iterator[ClosedForm]:
    """Load, time without a port, and the probability to be ever done.

    >>> from fastgc.theory import closed_forms
    >>> forms = closed_forms({
    ...     "kind": "completion",
    ...     "system": {"family": "coded-reduce", "n": 12, "layers": 2, "s": 5},
    ...     "work": 6.0,
    ...     "latency": {"distribution": "exponential", "mean": 1.0},
    ...     "measure": ["time"],
    ... })
    >>> [(form.statistic, round(form.value, 6)) for form in forms]
    [('mean', 1.117551), ('variance', 0.046388)]
    """
    n, layers = run.n, run.system.get("layers")
    if not 1 <= n <= _MOST_CHILDREN or not isinstance(layers, int):
        return
    s = run.system["s"]
    share = codedreduce.tree_load(n, layers, s)
    yield run.load_form(share, "codedreduce.theorem1.load.printed")
    if run.stragglers is not None:
        yield from _decodable(run.stragglers, n, layers, s)
        return
    law = run.time_of(share)
    if law is None:
        return
    moments = None
    if law.exponential is not None:
        mean, shift = law.exponential
        moments = (
            codedreduce.tree_mean(n, layers, s, mean, shift),
            codedreduce.tree_variance(n, layers, s, mean),
        )
    yield from run.time_forms(
        moments,
        lambda t: codedreduce.tree_tail(n, layers, s, law.tail(t)),
        "codedreduce.tree.mean.derived",
    )


def _decodable(stragglers: Mapping[str, Any], n: int, layers: int, s: int) -> Iterator[ClosedForm]:
    workers = int(codedreduce.tree_size(n, layers))
    model, p, count = (stragglers.get(key) for key in ("model", "p", "stragglers"))
    if model == "iid" and is_probability(p):
        given = {"p": p}
    elif model == "uniform" and isinstance(count, int) and count <= workers <= LARGEST_TREE:
        given = {"stragglers": count}
    else:
        return
    value = codedreduce.decodable_probability(n, layers, s, **given)
    claim = "codedreduce.remark3.random.corrected"
    yield ClosedForm("decodable", "mean", None, value, claim)
