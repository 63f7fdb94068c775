"""Systems: loads, whose answers are waited for, and what cannot be."""

import re

import numpy as np
import pydantic
import pytest

import fastgc.systems as systems
from fastgc.errors import FastgcError
from fastgc.latency import Exponential
from fastgc.registry import union
from fastgc.systems import CodedReduce
from fastgc.systems.system import Cluster
from fastgc.systems.timing.parts import Layers, Replicated
from fastgc.systems.timing.stars import Flat, Ring
from fastgc.systems.uncoded import LeaveOut

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


@pytest.mark.parametrize(
    ("n", "layers", "s", "load"),
    [
        (12, 2, 5, 1 / 6), (3, 2, 1, 4 / 15), (12, 2, 1, 1 / 42),
        (4, 3, 3, 1 / 3), (1, 4, 0, 1 / 4), (5, 1, 2, 3 / 5),
    ],
)  # fmt: skip
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


@pytest.mark.parametrize(
    ("parents", "s"), [((0, 0, 1, 1, 1, 2, 2, 2), 1), ((0, 1, 2, 0), 0), ((0, 0, 0), 2)]
)
def test_irregular_trees(parents, s):
    system = CodedReduce(parents=parents, s=s)
    assert system.workers() == len(parents)
    need = system.structure().need
    counts = [parents.count(node) for node in range(len(parents) + 1)]
    assert need == tuple(count - s if count else 0 for count in counts)


def test_a_regular_tree_numbered_otherwise_is_irregular():
    parents = (0, 1, 1, 0, 4, 4)  # depth first
    assert CodedReduce(parents=parents, s=1).structure().regular is None
    assert CodedReduce(parents=parents, s=1).share() == CodedReduce(n=2, layers=2, s=1).share()


@pytest.mark.night
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


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: systems.uncoded(0), "uncoded: n: must be at least 1 (got 0)"),
        (lambda: systems.uncoded(4, load=0.0), "uncoded: load: must be more than 0 (got 0.0)"),
        (lambda: systems.ignore_stragglers(4, 4), "must be less than n (got n=4, stragglers=4)"),
        (lambda: systems.k_of_n(3, 4), "k_of_n: k: must be at most n (got n=3, k=4)"),
        (lambda: systems.gradient_code(3, 3), "s: must be less than n (got n=3, s=3)"),
        (lambda: systems.replication(6, 4), "d: must divide n (got n=6, d=4)"),
        (lambda: systems.replication(6, 3, 3), "groups: must be at most n/d"),
        (lambda: systems.ring_all_reduce(200_000), "n: must be at most 100000 (got 200000)"),
        (lambda: systems.hierarchical(4, [2, 5]), "k: must be at most n in every layer"),
        (lambda: systems.hierarchical(4, [0, 0]), "k: must be more than 0 in some layer"),
        (lambda: systems.hierarchical(4, []), "k: must hold at least 1 (got 0)"),
        (lambda: systems.hierarchical(4), "(got none of them)"),
        (
            lambda: systems.hierarchical(4, layers=2, rule="optimal"),
            "give either k or layers, tasks and rule (got layers and rule without tasks)",
        ),
        (lambda: systems.hierarchical(4, [2], layers=2), "(got k and layers)"),
        (lambda: systems.hierarchical(4, layers=2, tasks=9, rule="optimal"), "at most layers · n"),
        (lambda: systems.hierarchical(10_000, layers=101, tasks=10, rule="optimal"), "· layers ("),
        (lambda: systems.hierarchical(4, [2], draws="tasks"), "did you mean 'task'?"),
        (lambda: tree({"n": 3, "s": 1}), "(got n without layers)"),
        (lambda: tree({"s": 1}), "give either n and layers or parents (got none of them)"),
        (lambda: tree({"n": 2, "parents": (0, 0), "s": 1}), "(got parents and n)"),
        (lambda: tree({"n": 3, "layers": 2, "s": 3}), "s must be less than n, the children of"),
        (lambda: tree({"n": 12, "layers": 1000, "s": 3}), "must have at most 100000 workers"),
        (lambda: tree({"parents": (0, 2), "s": 0}), "node 2 can be child of 0, the master, to 1"),
        (lambda: tree({"parents": (0, 0, 1), "s": 1}), "every parent needs more than s children"),
    ],
)
def test_what_cannot_be(call, sentence):
    with pytest.raises((FastgcError, pydantic.ValidationError), match=re.escape(sentence)):
        call()


@pytest.mark.parametrize(("workers", "left_out"), [(1, []), (2, [1]), (9, [1, 2, 3, 4])])
def test_at_most_half_of_the_workers_are_left_out(workers, left_out):
    found = LeaveOut.candidates(Cluster(workers=workers, basis=7))
    offered = [system for each in found for system in each.systems]
    assert [(each.n, each.k, each.basis) for each in offered] == [(workers, k, 7) for k in left_out]
