"""Completion of every structure against a simulation message by message, and known answers."""

import itertools
import math

import numpy as np
import pytest

from fastgc.codes import frc
from fastgc.systems import CodedReduce, block, coded_reduce, hierarchical, k_of_n
from fastgc.systems.timing.completing import complete
from fastgc.systems.timing.gates import Composed
from fastgc.systems.timing.group_structures import Layers, Replicated
from fastgc.systems.timing.rounds import Evaluator, Port
from fastgc.systems.timing.stars import Flat, Patient, Ring
from fastgc_kernels.complete import networks, part_times
from suite.checks import refusal
from suite.parts import BATCHES, PARTIAL, SHARES, TERMS
from twins import completion as twin

IRREGULAR = CodedReduce(parents=(0, 0, 0, 1, 1, 2, 2, 2, 5, 5, 8, 8, 8, 3, 3), s=1).structure()

PORTS = {"none": (0.0, "start"), "start": (0.3, "start"), "after-own": (0.3, "after-own")}

STRUCTURES = [
    Flat(7, 5), Flat(4, 4), Flat(1, 1), Flat(70, 33), Ring(6), Ring(1), Replicated(12, 3, 4),
    Replicated(12, 3, 2), Replicated(5, 1, 3), Replicated(5, 5, 1), Layers(6, (5, 3, 2)),
    Layers(6, (1, 4, 0, 4, 0, 0)), Layers(6, (4,)), Layers(6, (5, 3, 2), fresh=True),
    Layers(6, (0, 6, 1, 0), fresh=True), CodedReduce(n=3, layers=2, s=1).structure(),
    CodedReduce(n=2, layers=4, s=1).structure(), CodedReduce(n=1, layers=5, s=0).structure(),
    CodedReduce(n=5, layers=1, s=2).structure(), IRREGULAR,
]  # fmt: skip
STRUCTURES += [system.structure() for system in [*PARTIAL, *BATCHES]]
STRUCTURES += [Composed(of.workers, of) for of in TERMS]
STRUCTURES += [
    Patient(part, 0.5) for part in (Flat(5, 3), Flat(5, 5), Flat(5, 1), Replicated(6, 2, 3))
]
STRUCTURES += [Patient(Replicated(6, 2, 1), 0.7), Patient(Replicated(6, 6, 1), 0.7)]
THROUGH = [*itertools.product(STRUCTURES, PORTS.values())]
THROUGH += [(block(n=4, blocks=shares).structure(), PORTS["none"]) for shares in SHARES]


def drawn(structure, trials, seed=1):
    """Times (n, T) or (n, tasks, T): first with ties, at last with workers lost."""
    rng = np.random.default_rng(seed)
    shape = (structure.workers, *([structure.tasks] if structure.tasks > 1 else []), trials)
    times = rng.exponential(size=shape)
    third = trials // 3
    if not (isinstance(structure, Layers) and structure.ends):  # blocks that tie are all counted
        times[..., :third] = rng.integers(0, 4, times[..., :third].shape)
    lost = rng.random(times[..., -third:].shape) < 0.2
    times[..., -third:] = np.where(lost, math.inf, times[..., -third:])
    return times


@pytest.mark.parametrize(("structure", "port"), THROUGH, ids=lambda each: str(each)[:40])
def test_against_a_simulation(structure, port):
    receive, opens = port
    times = drawn(structure, 96 if structure.workers > 50 else 330)
    expected = np.array(
        [twin.completion(structure, trial, receive, opens) for trial in np.moveaxis(times, -1, 0)]
    )
    found = complete(structure, times, receive, opens)
    np.testing.assert_allclose(found.time, expected[:, 0], rtol=1e-14)
    assert np.array_equal(found.messages, expected[:, 1])
    np.testing.assert_allclose(found.waiting, expected[:, 2], rtol=1e-12, atol=1e-12)
    assert np.array_equal(Evaluator(structure, receive, opens).done(times), found.time)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 12, 64, 100, 257])
def test_networks_put_every_wanted_place_in_order(n):
    rng = np.random.default_rng(n)
    values = rng.integers(0, n, (n, 64)).astype(float)
    middle, ends = [n // 2], [max(n - 2, 0), n - 1]
    for places in (middle, ends, [n - 1], [0], [min(1, n - 1)], list(range(n)), [n // 3, n - 1]):
        wanted = np.zeros(n, bool)
        wanted[places] = True
        rows = values.copy()
        for i, j in networks.selection(wanted):
            rows[[i, j]] = np.minimum(rows[i], rows[j]), np.maximum(rows[i], rows[j])
        assert np.array_equal(rows[places], np.sort(values, axis=0)[places])
    for only in (0, n - 1):  # an extreme needs no more
        assert len(networks.selection(np.arange(n) == only)) == n - 1
    assert not networks.selection(np.zeros(n, bool)).size


def test_more_workers_than_a_network_takes():
    n = networks.LARGEST + 10
    times = np.random.default_rng(3).exponential(size=(n, 3))
    ranked = np.sort(times, axis=0)
    done, messages, mine = Evaluator(Flat(n, n - 9)).counted(times)
    assert np.array_equal(done, ranked[n - 10])
    assert messages.tolist() == mine.tolist() == [n - 9] * 3
    clock = np.zeros(3)
    for row in ranked[: n - 9]:
        clock = np.maximum(clock, row) + 1e-4
    assert np.array_equal(Evaluator(Flat(n, n - 9), 1e-4).done(times), clock)
    times[5:, 1] = math.inf
    done, messages, _ = Evaluator(Flat(n, 6)).counted(times)
    assert (done[1], messages[1]) == (math.inf, 5)


@pytest.mark.parametrize(
    "structure", [Layers(5, (4, 2, 3)), Layers(5, (4, 2), fresh=True), Replicated(6, 2, 3)]
)
def test_many_answers_are_served_one_trial_at_a_time(structure):
    times = drawn(structure, 60)
    done, messages, _ = Evaluator(structure).counted(times)
    served = [done.copy(), done.copy()]
    tasks = len(getattr(structure, "k", (1,)))
    of_tasks = times if times.ndim == 3 else times[:, np.newaxis]
    every = networks.selection(np.ones(structure.workers * tasks, bool))
    part_times.serve(of_tasks, tasks, every, messages, 0.1, served[0])
    part_times._serve_each(of_tasks, tasks, messages, 0.1, served[1])
    assert np.array_equal(*served)


@pytest.mark.parametrize(("system", "times", "sentence"), [
    (k_of_n(3, 2), [1, 2, -1], "times[2]: must be at least 0, infinite for a worker that"),
    (k_of_n(3, 2), [[1, 2], [3, 4]], "must have shape (3,) or (3, trials) for 3 workers (got"),
    (k_of_n(3, 2), ["a"], "times: must be a table of numbers (got ['a'])"),
    (hierarchical(3, k=(2, 1), draws="task"), [1, 2, 3],
     "must have shape (3, 2) or (3, 2, trials) for 3 workers with 2 tasks each (got (3,))"),
    ({"family": "uncoded", "n": 3}, [1, 2, 3], "system: must be what a function of fastgc.sys"),
    (frc(3, 1), [1, 2, 3], "or its structure (got Code)"),
    (hierarchical(3, layers=2, tasks=3, rule="optimal"), [1, 2, 3], "must be settled"),
])  # fmt: skip
def test_refused_times(system, times, sentence):
    assert sentence in refusal(complete, system, times)


def test_refused_ports():
    for port, sentence in (
        ((-1.0,), "receive: must be finite and at least 0 (got -1.0)"),
        ((math.nan,), "receive: must be finite"),
        ((0.1, "later"), 'opens: must be "start" or "after-own" (got \'later\')'),
    ):
        assert sentence in refusal(complete, k_of_n(2, 1), [1, 2], *port)


def test_the_tree_on_real_data_takes_its_system_s_times():
    tree = coded_reduce(n=2, layers=2, s=1)
    times = drawn(tree.system.structure(), 9)[:, :3]
    assert np.array_equal(complete(tree, times).time, complete(tree.system, times).time)


TREES = {
    "star": {"n": 5, "layers": 1, "s": 2},
    "regular": {"n": 3, "layers": 3, "s": 1},
    "any": {"parents": (0, 0, 1, 1, 1, 0, 3, 3), "s": 1},
}


@pytest.mark.parametrize("receive", [0.0, 0.4])
@pytest.mark.parametrize("opens", ("start", "after-own"))
@pytest.mark.parametrize("name", TREES)
def test_nobody_else_is_waited_for(name, receive, opens):
    tree = CodedReduce(**TREES[name]).structure()
    times = np.random.default_rng(1).exponential(size=(tree.workers, 400))
    done = Evaluator(tree, receive, opens).done
    found = tree.answered(times, done(times), Port(receive=receive, opens=opens))
    assert np.array_equal(done(np.where(found, times, np.inf)), done(times))
    offsets, nodes = tree.children
    for v in np.flatnonzero(tree.need).tolist():
        there = np.ones(400, bool) if v == 0 else found[v - 1]
        taken = found[nodes[offsets[v] : offsets[v + 1]] - 1].sum(axis=0)
        assert np.array_equal(taken, np.where(there, tree.need[v], 0))


def test_of_a_tree_that_never_is_done_the_master_has_what_came():
    tree = coded_reduce(n=2, layers=2, s=0).structure()
    times = np.array([[1.0], [1.0], [1.0], [1.0], [1.0], [np.inf]])
    found = tree.answered(times, np.full(1, np.inf), Port())
    assert found.ravel().tolist() == [True, False, True, True, False, False]
