"""Which closed forms of paper codedreduce apply to an experiment: gradient codes, trees, rings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from fastgc.theory.codedreduce.load import tree_load, tree_size
from fastgc.theory.codedreduce.resilience import LARGEST_TREE, decodable_probability
from fastgc.theory.codedreduce.time import tree_mean, tree_tail, tree_variance
from fastgc.theory.known.completion import (
    chosen,
    is_completion,
    law_of_time,
    load_form,
    receive,
    star_forms,
    time_forms,
)
from fastgc.theory.known.straggler_law import is_probability
from fastgc.theory.papers.closed_form import ClosedForm

#: More children take long to sum over.
_MOST_CHILDREN = 100_000


def closed_forms(experiment: Mapping[str, Any]) -> list[ClosedForm]:
    """Every closed form of paper codedreduce that applies to an experiment.

    Parameters
    ----------
    experiment
        One ``[[experiment]]`` table of a study as plain data, its sweep already applied. Gradient
        codes and regular trees without a port, rings; laws of `fastgc.theory.known.time_law`.

    Examples
    --------
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
    if not is_completion(experiment):
        return []
    system = experiment.get("system") or {}
    family, n = system.get("family"), system.get("n")
    if not isinstance(n, int) or not 1 <= n <= _MOST_CHILDREN:
        return []
    if family == "gradient-code":
        s = system["s"]
        claim = "codedreduce.group.mean.printed"
        return chosen(experiment, star_forms(experiment, n, n - s, (s + 1) / n, claim))
    if family == "ring-all-reduce":
        return chosen(experiment, _ring(experiment, n))
    if family == "coded-reduce" and isinstance(system.get("layers"), int):
        return chosen(experiment, _tree(experiment, n, system["layers"], system["s"]))
    return []


def _ring(experiment: Mapping[str, Any], n: int) -> Iterator[ClosedForm]:
    yield load_form(experiment, 1.0 / n, None)
    if experiment.get("stragglers") is None:
        yield ClosedForm("messages", "mean", None, 2.0 * n * (n - 1), None)
    law = law_of_time(experiment, 1.0 / n)
    if law is None:
        return
    messages = 2.0 * (n - 1) * receive(experiment) / n
    mean, variance = law.order(n, n)

    def tail(t: float) -> float:
        late = law.tail(t - messages)
        return -math.expm1(n * math.log1p(-late)) if late < 1.0 else 1.0

    claim = "codedreduce.simulation.means.corrected" if law.exponential else None
    yield from time_forms(experiment, (mean + messages, variance), tail, claim)


def _tree(experiment: Mapping[str, Any], n: int, layers: int, s: int) -> Iterator[ClosedForm]:
    share = float(tree_load(n, layers, s))
    yield load_form(experiment, share, "codedreduce.theorem1.load.printed")
    stragglers = experiment.get("stragglers")
    if stragglers is not None:
        yield from _decodable(stragglers, n, layers, s)
        return
    law = law_of_time(experiment, share)
    if law is None or receive(experiment) > 0:
        return
    moments = None
    if law.exponential is not None:
        mean, shift = law.exponential
        moments = (
            float(tree_mean(n, layers, s, mean, shift)),
            float(tree_variance(n, layers, s, mean)),
        )
    claim = "codedreduce.tree.mean.derived"
    yield from time_forms(
        experiment, moments, lambda t: float(tree_tail(n, layers, s, law.tail(t))), claim
    )


def _decodable(stragglers: Mapping[str, Any], n: int, layers: int, s: int) -> Iterator[ClosedForm]:
    workers = int(tree_size(n, layers))
    model, p, count = (stragglers.get(key) for key in ("model", "p", "stragglers"))
    if model == "iid" and is_probability(p):
        value = decodable_probability(n, layers, s, p=p)
    elif model == "uniform" and isinstance(count, int) and count <= workers <= LARGEST_TREE:
        value = decodable_probability(n, layers, s, stragglers=count)
    else:
        return
    claim = "codedreduce.remark3.random.corrected"
    yield ClosedForm("decodable", "mean", None, float(value), claim)
