"""Systems: loads, whose answers are waited for, rules that share out tasks, and what cannot be."""

import itertools
import re

import numpy as np
import pydantic
import pytest

import fastgc.systems as systems
from fastgc.errors import FastgcError
from fastgc.latency import Deterministic, Exponential, Lognormal, Pareto, Uniform
from fastgc.latency.empirical import SampleTime
from fastgc.registry import union
from fastgc.systems import CodedReduce
from fastgc.systems.rules import choose, rounded
from fastgc.systems.timing.group_structures import Layers, Replicated
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.stars import Flat, Ring
from suite.checks import every, refusal

TABLES = [
    ({"family": "uncoded", "n": 156}, 1 / 156, Flat(156, 156)),
    ({"family": "ignore-stragglers", "n": 156, "stragglers": 65}, 1 / 156, Flat(156, 91)),
    ({"family": "k-of-n", "n": 20, "k": 16}, 1 / 16, Flat(20, 16)),
    ({"family": "gradient-code", "n": 156, "s": 65}, 66 / 156, Flat(156, 91)),
    ({"family": "replication", "n": 12, "d": 3}, 1 / 4, Replicated(12, 3, 4)),
    ({"family": "replication", "n": 12, "d": 3, "groups": 2}, 1 / 4, Replicated(12, 3, 2)),
    ({"family": "ring-all-reduce", "n": 156}, 1 / 156, Ring(156)),
    ({"family": "hierarchical", "n": 4, "k": (3, 2)}, 2 / 5, Layers(4, (3, 2))),
    (
        {"family": "hierarchical", "n": 4, "k": (3, 0, 2, 0), "draws": "task"},
        3 / 5,
        Layers(4, (3, 0, 2, 0), fresh=True),
    ),
]


def made(table):
    return pydantic.TypeAdapter(union("system")).validate_python(table)


def tree(keys):
    return made({"family": "coded-reduce"} | keys)


@pytest.mark.parametrize(("table", "load", "structure"), TABLES)
def test_loads_and_structures(table, load, structure):
    system = made(table)
    assert (system.burden(), system.structure()) == (load, structure)
    assert system.workers() == structure.workers == table["n"]
    assert system.share() == (1.0 if table["family"] == "hierarchical" else load)
    assert system.for_time(None) is system
    given = made(table | {"load": 0.125})
    tasks = 1 if "k" not in table or isinstance(table["k"], int) else round(load * 5)
    assert (given.share(), given.burden()) == (0.125, 0.125 * tasks)
    parameters = {key: value for key, value in table.items() if key != "family"}
    assert getattr(systems, table["family"].replace("-", "_"))(**parameters) == system


@pytest.mark.parametrize(("n", "layers", "s", "load"), [
    (12, 2, 5, 1 / 6), (3, 2, 1, 4 / 15), (12, 2, 1, 1 / 42),
    (4, 3, 3, 1 / 3), (1, 4, 0, 1 / 4), (5, 1, 2, 3 / 5),
])  # fmt: skip
def test_regular_trees(n, layers, s, load):
    system = CodedReduce(n=n, layers=layers, s=s)
    assert system.share() == system.burden() == load
    assert system.workers() == sum(n**layer for layer in range(1, layers + 1))
    tree = system.structure()
    inner = system.workers() - n**layers + 1
    assert tree.need == (n - s,) * inner + (0,) * n**layers
    assert tree.regular == (n, layers, n - s)
    offsets, nodes = tree.children
    assert nodes.tolist() == list(range(1, system.workers() + 1))
    assert np.diff(offsets).tolist() == [n] * inner + [0] * n**layers
    listed = CodedReduce(parents=tree.parents, s=s)
    assert (listed.share(), listed.structure()) == (load, tree)


def test_a_regular_tree_numbered_otherwise_is_irregular():
    parents = (0, 1, 1, 0, 4, 4)  # depth first
    assert CodedReduce(parents=parents, s=1).structure().regular is None
    assert CodedReduce(parents=parents, s=1).share() == CodedReduce(n=2, layers=2, s=1).share()


def test_rules_are_settled_by_the_law_of_a_time():
    table = {"family": "hierarchical", "n": 10, "layers": 4, "tasks": 20, "rule": "optimal"}
    system = made(table)
    assert system.burden() == 1 / 5
    with pytest.raises(FastgcError, match=r'rule: "optimal" .* must be settled by for_time'):
        system.structure()
    settled = system.for_time(Exponential(mean=1.0, shift=1.0).time())
    assert settled.structure() == Layers(10, (9, 7, 4, 0))
    assert settled.burden() == 3 / 20  # no worker works on the last layer
    equal = made(table | {"rule": "equal-exponent", "load": 0.05}).for_time(None)
    assert equal.k == (9, 6, 4, 1)
    assert equal.share() == 0.05
    fresh = made(table | {"rule": "single-rate", "draws": "task"}).for_time(None)
    assert fresh.structure() == Layers(10, (5, 5, 5, 5), fresh=True)


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda: systems.uncoded(0), "uncoded: n: must be at least 1 (got 0)"),
    (lambda: systems.ignore_stragglers(4, 4), "must be less than n (got n=4, stragglers=4)"),
    (lambda: systems.k_of_n(3, 4), "k_of_n: k: must be at most n (got n=3, k=4)"),
    (lambda: systems.replication(6, 4), "d: must divide n (got n=6, d=4)"),
    (lambda: systems.replication(6, 3, 3), "groups: must be at most n/d"),
    (lambda: systems.ring_all_reduce(200_000), "n: must be at most 100000 (got 200000)"),
    (lambda: systems.hierarchical(4, [2, 5]), "k: must be at most n in every layer"),
    (lambda: systems.hierarchical(4, [0, 0]), "k: must be more than 0 in some layer"),
    (lambda: systems.hierarchical(4, layers=2, rule="optimal"),
     "give either k or layers, tasks and rule (got layers and rule without tasks)"),
    (lambda: systems.hierarchical(4, layers=2, tasks=9, rule="optimal"), "at most layers · n"),
    (lambda: systems.hierarchical(10_000, layers=101, tasks=10, rule="optimal"), "· layers ("),
    (lambda: systems.hierarchical(4, [2], draws="tasks"), "did you mean 'task'?"),
    (lambda: tree({"n": 3, "s": 1}), "(got n without layers)"),
    (lambda: tree({"n": 3, "layers": 2, "s": 3}), "s must be less than n, the children of"),
    (lambda: tree({"n": 12, "layers": 1000, "s": 3}), "must have at most 100000 workers"),
    (lambda: tree({"parents": (0, 2), "s": 0}), "node 2 can be child of 0, the master, to 1"),
    (lambda: tree({"parents": (0, 0, 1), "s": 1}), "every parent needs more than s children"),
    (lambda: systems.partial(5, 2, placement="frc"), "d must divide n"),
    (lambda: systems.partial(2, 2, order=[[0, 0], [0, 1]]), "order[0] must have d=2 different"),
    (lambda: systems.partial(2, 1, "frc", [[0], [1]]), "placement out"),
    (lambda: systems.batches(5, 2, "disjoint"), "n with placement disjoint"),
    (lambda: systems.batches(30, 1, "random"), "take a larger d"),
    (lambda: systems.batches(2, 1, [[0], [2]]), "got none for chunk 1"),
    (lambda: systems.block(3, (1, 2)), "must have n=3 numbers"),
    (lambda: systems.block(200, "1/mean"), "a rule needs n ≤ 100"),
    (lambda: systems.block(2, "one"), "1/mean"),
])  # fmt: skip
def test_what_cannot_be(call, sentence):
    with pytest.raises((FastgcError, pydantic.ValidationError), match=re.escape(sentence)):
        call()


# ---- rules against enumeration of all ways to share out tasks


SHIFTED = Exponential(mean=1.0, shift=1.0).time()


def mean(n, k, time, fresh=False):
    return distribution(Layers(n, k, fresh), [time]).mean()


@pytest.mark.parametrize("rule", ["equal-exponent", "quantile", "optimal", "single-rate"])
@pytest.mark.parametrize(
    ("n", "layers", "tasks"), [(1, 1, 1), (5, 3, 15), (5, 3, 1), (7, 4, 13), (3, 6, 10)]
)
def test_choices_add_up_and_fall(rule, n, layers, tasks):
    for time in (SHIFTED, Uniform(low=1.0, high=2.0).time(), Deterministic(value=2.0).time()):
        k = choose(rule, n, layers, tasks, time)
        assert len(k) == layers and sum(k) == tasks
        assert every(0 <= need <= n for need in k)
        assert list(k) == sorted(k, reverse=True)


@pytest.mark.parametrize("time", [
    SHIFTED,
    Exponential(mean=1.0).time(),
    Lognormal(mu=0.0, sigma=2.0).time(),
    Uniform(low=0.0, high=1.0).time(),
    Pareto(shape=1.2, scale=1.0).time(),
    SampleTime(np.array([1.0, 1.5, 1.7, 4.0, 9.0])),
], ids=lambda time: type(time).__name__)  # fmt: skip
@pytest.mark.parametrize("fresh", [False, True])
def test_optimum_is_the_least_mean_of_all_ways(time, fresh):
    if fresh and time not in (SHIFTED, Exponential(mean=1.0).time()):
        return
    n, layers, tasks = 5, 3, 8
    ways = [k for k in itertools.product(range(n + 1), repeat=layers) if sum(k) == tasks]
    least = min(mean(n, k, time, fresh) for k in ways)
    k = choose("optimal", n, layers, tasks, time, "task" if fresh else "speed")
    assert mean(n, k, time, fresh) == pytest.approx(least, rel=1e-9)


@pytest.mark.night
@pytest.mark.parametrize(("n", "layers", "tasks", "shift"), [
    (24, 3, 30, 1.0), (30, 3, 50, 0.1), (40, 2, 50, 3.0), (32, 3, 60, 3.0), (40, 3, 70, 1.0),
])  # fmt: skip
def test_local_search_ends_at_single_tasks(n, layers, tasks, shift, monkeypatch):
    """The optimum is no whole number of the first, coarse steps away from any start."""
    time = Exponential(mean=1.0, shift=shift).time()
    everything = choose("optimal", n, layers, tasks, time)
    assert max(everything) // 8 > 1, "steps begin at one task: nothing is coarse"
    monkeypatch.setattr("fastgc.systems.rules.MOST_TRIED", 0)
    assert choose("optimal", n, layers, tasks, time) == everything


def test_rounding_gives_what_is_missing_to_the_largest_remainders():
    assert rounded(np.array([2.5, 2.5, 1.0]), 5, 6) == (3, 2, 1)
    assert rounded(np.array([5.0, 2.9, 0.1]), 5, 8) == (5, 3, 0)
    assert rounded(np.array([1 / 3] * 3), 5, 1) == (1, 0, 0)


@pytest.mark.parametrize(("arguments", "match"), [
    (("optimal", 5, 3, 8, None), "one law of latency"),
    (("optimal", 5, 3, 15, Pareto(shape=0.9, scale=1.0).time()), "infinite"),
    (("quantile", 5, 3, 8, Lognormal(mu=0.0, sigma=1.0).time(), "task"), "no exact law"),
])  # fmt: skip
def test_bad_choices_say_why(arguments, match):
    assert match in refusal(choose, *arguments)
