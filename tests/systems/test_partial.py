"""Chunks that are sent as they are finished: events one by one, and all counts that can be."""

import heapq
import itertools
import math

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.latency import Exponential
from fastgc.latency.empirical import SampleTime
from fastgc.systems import partial
from fastgc.systems.timing.laws import distribution, tail_index
from fastgc.systems.timing.laws.parts import Plan, ring_size
from fastgc.systems.timing.laws.structure_law import Asked, evaluation_of
from fastgc.systems.timing.parts import Chunks
from fastgc.systems.timing.rounds import Evaluator, Port
from suite.checks import refusal

UNIT = Exponential(mean=1.0).time()
LATER = Exponential(mean=0.5, shift=0.5).time()
TURNED = [[w, (w + 1) % 6, (w + 2) % 6][:: 1 if w % 2 == 0 else -1] for w in range(6)]


def simulate(orders, copies, times, receive=0.0):
    """Time and messages of one round, event by event; ``times`` (n, d) of each chunk."""
    missing = {chunk: copies for own in orders for chunk in own}
    events = [(own[0], w, 0) for w, own in enumerate(times) if own[0] < math.inf]
    heapq.heapify(events)
    clock, messages = 0.0, 0
    while events:
        now, w, place = heapq.heappop(events)
        clock, messages = max(clock, now) + receive, messages + 1
        missing[orders[w][place]] -= 1
        if max(missing.values()) <= 0:
            return clock, messages
        if place + 1 < len(orders[w]):
            heapq.heappush(events, (now + times[w][place + 1], w, place + 1))
    return math.inf, messages


CASES = [
    partial(n=5, d=3),
    partial(n=6, d=3, placement="frc"),
    partial(n=6, d=2, placement="frc", order="sorted"),
    partial(n=6, d=3, order=TURNED),
    partial(n=5, d=3, copies=2, draws="task"),
    partial(n=6, d=3, draws="task", order="random", seed=5),
    partial(n=4, d=4, order="sorted", copies=4),
    partial(n=3, d=1),
    partial(n=3, d=2, order=[[3, 1], [2, 0], [1, 2]]),
]


@pytest.mark.parametrize("receive", [0.0, 0.2])
@pytest.mark.parametrize("system", CASES, ids=str)
def test_rounds_are_those_of_an_event_simulation(system, receive):
    chunks = system.structure()
    draw = np.random.default_rng(1)
    shape = (system.n, system.d) if chunks.fresh else (system.n,)
    times = draw.exponential(size=(*shape, 200)) + 0.1
    times[0, ..., :20] = math.inf  # who never answers
    found = Evaluator(chunks, receive).counted(times)
    for t in range(200):
        own = times[..., t] if chunks.fresh else np.repeat(times[:, None, t], system.d, axis=1)
        wanted = simulate(chunks.orders, chunks.copies, own.tolist(), receive)
        assert (found[0][t], found[1][t]) == pytest.approx(wanted, rel=1e-12)
    assert Evaluator(chunks, receive).done(times).tolist() == found[0].tolist()


def counted(orders, copies, cumulative):
    """P(all chunks have their copies): a sum over every vector of finished chunks."""
    total = 0.0
    chunks = {chunk for own in orders for chunk in own}
    for counts in itertools.product(*(range(len(own) + 1) for own in orders)):
        done = [c for own, j in zip(orders, counts, strict=True) for c in own[:j]]
        if all(done.count(chunk) >= copies for chunk in chunks):
            ends = [[1.0, *own, 0.0] for own in cumulative]
            total += math.prod(own[j] - own[j + 1] for own, j in zip(ends, counts, strict=True))
    return total


def cumulative(law, d, t, fresh):
    """P(1, …, d chunks are finished by t), from definitions alone."""
    mean, shift = (1.0, 0.0) if law is UNIT else (0.5, 0.5)
    if not fresh:
        return [1 - math.exp(-max(t / j - shift, 0) / mean) for j in range(1, d + 1)]
    found = []
    for j in range(1, d + 1):
        x = max(t - j * shift, 0) / mean
        found.append(1 - math.exp(-x) * sum(x**i / math.factorial(i) for i in range(j)))
    return found


@pytest.mark.parametrize("law", [UNIT, LATER], ids=["unit", "later"])
@pytest.mark.parametrize("system", CASES, ids=str)
def test_the_law_is_a_sum_over_all_counts(system, law):
    chunks = system.structure()
    found = distribution(chunks, [law])
    for t in (0.4, 1.3, 2.6):
        ends = [cumulative(law, system.d, t, chunks.fresh)] * system.n
        wanted = counted(chunks.orders, chunks.copies, ends)
        assert float(found.cdf(t)) == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        assert float(found.survival(t)) == pytest.approx(1 - wanted, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("placement", ["cyclic", "frc"])
def test_unlike_workers_on_a_ring_are_counted_too(placement):
    chunks = partial(n=6, d=3, placement=placement).structure()
    laws = [Exponential(mean=0.5 + 0.3 * w).time() for w in range(6)]
    found = distribution(chunks, laws)
    for t in (0.7, 2.0):
        ends = [[1 - math.exp(-t / j / (0.5 + 0.3 * w)) for j in (1, 2, 3)] for w in range(6)]
        assert float(found.cdf(t)) == pytest.approx(counted(chunks.orders, 1, ends), rel=1e-9)


def test_the_matrix_and_the_sets_of_counts_agree_far_in_the_tail():
    """The ring's walk and the counts share no step; P(T > 60) is below 1e-8, with all digits."""
    chunks = partial(n=8, d=3).structure()
    masses = [math.exp(-60.0), math.exp(-30) - math.exp(-60), math.exp(-20) - math.exp(-30)]
    each = [np.array([mass]) for mass in [*masses, 1 - math.exp(-20)]]
    _, late = Plan.of(chunks, 1).probabilities([each] * 8, 1)
    assert float(distribution(chunks, [UNIT]).survival(60.0)) == pytest.approx(
        float(late[0]), rel=1e-9, abs=0
    )
    assert 0 < float(late[0]) < 1e-8


@pytest.mark.parametrize("system", CASES, ids=str)
def test_worst_chunks_are_always_enough_and_one_fewer_is_not(system):
    chunks = system.structure()
    short = 0
    for counts in itertools.product(range(system.d + 1), repeat=system.n):
        done = [c for own, j in zip(chunks.orders, counts, strict=True) for c in own[:j]]
        if any(done.count(chunk) < chunks.copies for chunk in range(system.chunks())):
            short = max(short, len(done))
    assert system.worst_chunks() == short + 1


def test_what_is_lost_at_a_deadline():
    system = partial(n=6, d=3, draws="task", copies=2, deadline=1.5)
    chunks = system.structure().part
    law = evaluation_of(chunks, Asked([UNIT])).missing(1.5)
    times = np.random.default_rng(4).exponential(size=(6, 3, 40_000))
    short = 6 * chunks.lost(times, np.full(40_000, 1.5), Port())
    ends = np.cumsum(times, axis=1)
    for t in range(200):
        done = [c for w in range(6) for j, c in enumerate(chunks.orders[w]) if ends[w, j, t] <= 1.5]
        assert short[t] == sum(done.count(chunk) < 2 for chunk in range(6))
    for missing in range(7):
        share = np.mean(short == missing)
        error = math.sqrt(max(law[missing] * (1 - law[missing]), 1e-6) / 40_000)
        assert abs(share - law[missing]) < 4.5 * error


def test_tails_atoms_and_rings():
    pareto = fastgc.latency.Pareto(shape=1.5, scale=1.0).time()
    assert tail_index(partial(n=5, d=3).structure(), [pareto]) == 4.5
    assert tail_index(partial(n=5, d=3, copies=2).structure(), [pareto]) == 3.0
    assert tail_index(partial(n=5, d=3).structure(), [pareto], 0.5) == 1.5
    two = SampleTime(np.array([1.0, 3.0]))  # both fast: 1; one: 2, it does both; none: 3
    assert distribution(Chunks(((0, 1), (1, 0))), [two]).mean() == pytest.approx(2.0)
    assert ring_size(partial(n=6, d=3).structure()) == 6
    assert ring_size(partial(n=6, d=3, placement="frc").structure()) == 3
    assert ring_size(partial(n=6, d=3, order="sorted").structure()) is None


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"n": 4, "d": 5}, "must be at most n"),
        ({"n": 5, "d": 2, "placement": "frc"}, "d must divide n"),
        ({"n": 4, "d": 2, "copies": 3}, "copies must be at most d"),
        ({"n": 2, "d": 1, "order": [[0]]}, "one list a worker"),
        ({"n": 2, "d": 2, "order": [[0, 0], [0, 1]]}, r"order\[0\] must have d=2 different"),
        ({"n": 2, "d": 1, "order": [[0], [2]]}, "in at least 1 lists"),
        ({"n": 2, "d": 1, "order": [[0], [1]], "placement": "frc"}, "leave placement out"),
    ],
)
def test_mistakes_are_said(keys, sentence):
    with pytest.raises(FastgcError, match=sentence):
        partial(**keys)


@pytest.mark.night
def test_what_cannot_be_asked():
    chunks = partial(n=4, d=2).structure()
    many = partial(n=40, d=8, order="random").structure()
    assert "never answer have no exact law" in refusal(distribution, chunks, [UNIT], answers=0.5)
    assert "chunks behind a port" in refusal(distribution, chunks, [UNIT], receive=0.1)
    assert "too many ways" in refusal(distribution, many, [UNIT])
    experiment = {
        "kind": "completion",
        "system": {"family": "partial", "n": 4, "d": 2, "copies": 2},
        "latency": {"distribution": "exponential", "mean": 1.0},
        "port": {"receive": 0.1},
    }
    assert "only reported until each has its copies" in refusal(fastgc.run, experiment)
