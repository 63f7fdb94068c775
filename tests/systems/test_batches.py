"""Batches that are answered for at once: every set of workers, and rounds one by one."""

import itertools
import math

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.latency import Exponential
from fastgc.stragglers.iid import Iid
from fastgc.systems import Cluster, batches
from fastgc.systems.chunks import BatchesSystem
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.laws.structure_law import Asked, decodable, evaluation_of
from fastgc.systems.timing.rounds import Evaluator, Port
from suite.checks import every

UNIT = Exponential(mean=1.0).time()
CASES = [
    batches(n=6, d=2),
    batches(n=6, d=3, placement="disjoint"),
    batches(n=7, d=3),
    batches(n=8, d=4, placement="random-batches", seed=3),
    batches(n=6, d=3, placement="random", seed=5),
    batches(n=3, d=2, placement=[[0, 1], [1, 2], [3, 0]]),
    batches(n=4, d=4),
]


def covers(system, workers):
    """Whether these workers' answers have all chunks."""
    held = system.held()
    return {c for w in workers for c in held[w]} == {c for own in held for c in own}


def chance(system, p):
    """The probability that workers who are there with probabilities p have all chunks."""
    return math.fsum(
        math.prod(q if there else 1 - q for q, there in zip(p, own, strict=True))
        for own in itertools.product((0, 1), repeat=system.n)
        if covers(system, np.flatnonzero(own).tolist())
    )


@pytest.mark.parametrize("system", CASES, ids=str)
def test_rounds_end_with_the_answer_that_covers_all(system):
    n = system.n
    times = np.random.default_rng(2).exponential(size=(n, 300))
    times[0, :40] = math.inf
    done, messages, _ = Evaluator(system.structure()).counted(times)
    for t in range(300):
        order = [w for w in np.argsort(times[:, t]).tolist() if times[w, t] < math.inf]
        need = [a for a in range(1, n + 1) if a <= len(order) and covers(system, order[:a])]
        if need:
            assert (done[t], messages[t]) == (times[order[need[0] - 1], t], need[0])
        else:
            assert done[t] == math.inf


@pytest.mark.parametrize("system", CASES, ids=str)
def test_the_law_is_a_sum_over_all_sets_of_workers(system):
    found = distribution(system.structure(), [UNIT])
    for t in (0.3, 1.1, 4.0):
        wanted = chance(system, [1 - math.exp(-t)] * system.n)
        assert float(found.cdf(t)) == pytest.approx(wanted, rel=1e-10, abs=1e-14)
    wanted = chance(system, [0.7] * system.n)
    assert decodable(system.structure(), Iid(p=0.3)) == pytest.approx(wanted, rel=1e-10)


def test_what_nobody_has_sent_by_the_deadline_is_lost():
    system = batches(n=6, d=2, deadline=0.7)
    part = system.structure().part
    law = evaluation_of(part, Asked([UNIT])).missing(0.7)
    q, wanted = math.exp(-0.7), np.zeros(7)
    for own in itertools.product((0, 1), repeat=6):
        missing = sum(not (own[c] or own[c - 1]) for c in range(6))
        wanted[missing] += (1 - q) ** sum(own) * q ** (6 - sum(own))
    assert law == pytest.approx(wanted, rel=1e-10, abs=1e-14)
    times = np.random.default_rng(3).exponential(size=(6, 1, 20_000))
    short = 6 * part.lost(times, np.full(20_000, 0.7), Port())
    assert abs(short.mean() - wanted @ np.arange(7)) < 5 * short.std() / math.sqrt(20_000)


def test_random_placements_hold_every_chunk_and_are_those_of_the_seed():
    for placement in ("random-batches", "random"):
        found = {batches(n=12, d=4, placement=placement, seed=seed).held() for seed in range(9)}
        assert len(found) == 9
        assert every(len(set(own)) == 4 for held in found for own in held)
        assert every({c for own in held for c in own} == set(range(12)) for held in found)
        again = batches(n=12, d=4, placement=placement, seed=3).held()
        assert again in found
    whole = batches(n=12, d=4, placement="random-batches", seed=3).held()
    assert {own[0] % 4 for own in whole} == {0}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"n": 5, "d": 2, "placement": "disjoint"}, "d must divide n with placement disjoint"),
        ({"n": 30, "d": 1, "placement": "random"}, "take a larger d"),
        ({"n": 2, "d": 1, "placement": [[0], [2]]}, "got 0 for chunk 1"),
        ({"n": 2, "d": 2, "placement": [[0, 1], [1]]}, "d=2 different chunks"),
        ({"n": 2, "d": 1, "placement": [[0]]}, "one list a worker"),
        ({"n": 2, "d": 3}, "at most n"),
    ],
)
def test_mistakes_are_said(keys, said):
    with pytest.raises(FastgcError, match=said):
        batches(**keys)


def test_there_is_no_port_where_chunks_are_waited_for_until_a_deadline():
    system = {"family": "batches", "n": 12, "d": 4, "deadline": 2.0}
    law = {"distribution": "exponential", "mean": 4.0}
    study = {"kind": "completion", "system": system, "latency": law, "port": {"receive": 0.1}}
    with pytest.raises(FastgcError, match=r"must be 0 with chunks that are waited for until"):
        fastgc.run(study)


@pytest.mark.parametrize("system", CASES, ids=str)
def test_a_port_takes_one_answer_after_the_other(system):
    """Whatever comes while the port is busy waits, also if it is no longer needed."""
    n, receive = system.n, 0.3
    times = np.random.default_rng(4).exponential(size=(n, 200))
    times[:, :100] = np.ceil(4 * times[:, :100]) / 4  # many come at one moment
    done, messages, _ = Evaluator(system.structure(), receive).counted(times)
    for t in range(200):
        clock, heard = 0.0, []
        for w in np.argsort(times[:, t], kind="stable").tolist():
            clock = max(clock, times[w, t]) + receive
            heard.append(w)
            if covers(system, heard):
                break
        assert done[t] == pytest.approx(clock, rel=1e-12)
        assert messages[t] == len(heard)


def test_design_looks_at_placements_of_up_to_so_many_chunks():
    found = BatchesSystem.candidates(Cluster(workers=6, chunks=3))
    sizes = {each.group: [system.d for system in each.systems] for each in found}
    assert sizes == {"cyclic": [1, 2, 3], "disjoint": [1, 2, 3], "random-batches": [1, 2, 3]}


def test_a_message_of_several_chunks_keeps_the_port_as_much_longer():
    def mean(placement):
        system = {"family": "batches", "n": 4, "d": 4, "placement": placement}
        law = {"distribution": "deterministic", "value": 1.0}
        study = {"kind": "completion", "system": system, "latency": law, "port": {"receive": 0.25}}
        return fastgc.run(study, trials=64)["experiment1"]["time"].mean.value

    assert mean("disjoint") == pytest.approx(1.25, rel=1e-12)
    assert mean("cyclic") == pytest.approx(2.0, rel=1e-12)
