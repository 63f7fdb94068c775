"""What is known of CodedReduce on a regular tree."""

from __future__ import annotations

from functools import partial

from fastgc.theory import codedreduce
from fastgc.theory.codedreduce.resilience import LARGEST_TREE
from fastgc.theory.known.completion import Known, Table, Time
from fastgc.theory.known.registered import system
from fastgc.theory.known.straggler_law import is_probability
from fastgc.theory.known.time_law import TimeLaw

#: More children take long to sum over.
_MOST_CHILDREN = 100_000


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
