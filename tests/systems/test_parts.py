"""Work in parts, in chunks, batches and blocks: their laws by all outcomes, and what cannot be."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import fastgc
from fastgc.experiments.completion.scenario import Scenario
from fastgc.latency import Deterministic, Exponential, Pareto, Uniform
from fastgc.latency.empirical import SampleTime
from fastgc.stragglers.iid import Iid
from fastgc.systems import Cluster, batches, block, gradient_code, partial
from fastgc.systems.chunks import BatchesSystem
from fastgc.systems.timing.group_structures import Chunks
from fastgc.systems.timing.laws import distribution, tail_index
from fastgc.systems.timing.laws.part_laws import ChunkSteps, ring_size
from fastgc.systems.timing.laws.structure_law import LawRequest, decodable, evaluation_of
from fastgc.systems.timing.rounds import Evaluator, Port
from suite.checks import every, refusal
from suite.parts import BATCHES, PARTIAL, SHARES
from twins import completion as twin
from twins.completion import FEW, FEW_LEVELS, MANY, MANY_LEVELS, enumerate_law

UNIT = Exponential(mean=1.0).time()
LATER = Exponential(mean=0.5, shift=0.5).time()

# ---- chunks that are sent as they are finished


PARTS = [system.structure() for system in [*PARTIAL, *BATCHES]]
PARTS += [block(n=4, blocks=shares).structure() for shares in SHARES]


@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize("parts", [each for each in PARTS if not each.fresh], ids=str)
def test_the_law_is_that_of_all_outcomes(parts, alike):
    n = parts.workers
    levels = [FEW_LEVELS if alike or w % 2 else MANY_LEVELS for w in range(n)]
    wanted = enumerate_law(parts, levels, [1.0] * n, 0.0, "start")
    found = distribution(parts, [FEW if alike or w % 2 else MANY for w in range(n)])
    for t in map(np.mean, itertools.pairwise(sorted(wanted))):
        late = math.fsum(p for time, p in wanted.items() if time > t)
        assert float(found.survival(t)) == pytest.approx(late, rel=1e-9, abs=0)
        assert float(found.cdf(t)) == pytest.approx(1 - late, rel=1e-9, abs=1e-12)
    answers = enumerate_law(parts, [{0.0: 1.0}] * n, [0.7] * n, 0.0, "start")
    assert decodable(parts, Iid(p=0.3)) == pytest.approx(answers[0.0], rel=1e-10)


@pytest.mark.parametrize("chunks", [each for each in PARTS if each.fresh], ids=str)
def test_the_law_of_fresh_times_is_that_of_samples(chunks):
    times = 0.5 + np.random.default_rng(5).exponential(0.5, (chunks.workers, chunks.d, 40_000))
    done = Evaluator(chunks).done(times)
    # two tests: a false alarm once in 5000
    assert stats.kstest(done, distribution(chunks, [LATER]).cdf).pvalue > 1e-4


def test_the_matrix_and_the_sets_of_counts_agree_far_in_the_tail():
    """The ring's walk and the counts share no step; P(T > 60) is below 1e-8, with all digits."""
    chunks = partial(n=8, d=3).structure()
    masses = [math.exp(-60.0), math.exp(-30) - math.exp(-60), math.exp(-20) - math.exp(-30)]
    each = [np.array([mass]) for mass in [*masses, 1 - math.exp(-20)]]
    _, late = ChunkSteps.of(chunks, 1).probabilities([each] * 8, 1)
    assert float(distribution(chunks, [UNIT]).survival(60.0)) == pytest.approx(
        float(late[0]), rel=1e-9, abs=0
    )
    assert 0 < float(late[0]) < 1e-8


@pytest.mark.parametrize("system", PARTIAL, ids=str)
def test_worst_chunks_are_always_enough_and_one_fewer_is_not(system):
    chunks = system.structure()
    short = 0
    for counts in itertools.product(range(system.d + 1), repeat=system.n):
        done = [c for own, j in zip(chunks.orders, counts, strict=True) for c in own[:j]]
        if len(set(done)) < system.chunks():
            short = max(short, len(done))
    assert system.worst_chunks() == short + 1


@pytest.mark.parametrize("system", [
    partial(n=6, d=3, draws="task", deadline=1.5), batches(n=6, d=2, deadline=0.7),
], ids=str)  # fmt: skip
def test_what_is_lost_at_a_deadline(system):
    chunks, end = system.structure().part, system.deadline
    law = evaluation_of(chunks, LawRequest(6, [UNIT])).missing(end)
    times = np.random.default_rng(4).exponential(size=(6, chunks.tasks, 40_000))
    short = 6 * chunks.lost(times, np.full(40_000, end), Port())
    for t in range(200):
        own = times[..., t] if chunks.fresh else times[:, 0, t]
        sent = [(w, j) for arrival, w, j in twin.answers(chunks, own) if arrival <= end]
        held = [chunks.orders[w] if chunks.at_once else [chunks.orders[w][j]] for w, j in sent]
        there = set().union(*held)
        assert short[t] == 6 - len(there)
    for missing in range(7):
        share = np.mean(short == missing)
        error = math.sqrt(max(law[missing] * (1 - law[missing]), 1e-6) / 40_000)
        assert abs(share - law[missing]) < 4.5 * error


def test_tails_atoms_and_rings():
    pareto = fastgc.latency.Pareto(shape=1.5, scale=1.0).time()
    assert tail_index(partial(n=5, d=3).structure(), [pareto]) == 4.5
    assert tail_index(partial(n=5, d=3).structure(), [pareto], 0.5) == 1.5
    # one holder of a chunk may be missing for good while the other is late
    assert tail_index(partial(n=3, d=2).structure(), [pareto], [0.5, 1.0, 1.0]) == 1.5
    two = SampleTime(np.array([1.0, 3.0]))  # both fast: 1; one: 2, it does both; none: 3
    assert distribution(Chunks(((0, 1), (1, 0))), [two]).mean() == pytest.approx(2.0)
    assert ring_size(partial(n=6, d=3).structure()) == 6
    assert ring_size(partial(n=6, d=3, placement="frc").structure()) == 3
    assert ring_size(partial(n=6, d=3, order="sorted").structure()) is None


@pytest.mark.night
def test_what_cannot_be_asked():
    chunks = partial(n=4, d=2).structure()
    many = partial(n=40, d=8, order="random").structure()
    assert "never answer have no exact law" in refusal(distribution, chunks, [UNIT], answers=0.5)
    assert "chunks behind a port" in refusal(distribution, chunks, [UNIT], receive=0.1)
    assert "too many ways" in refusal(distribution, many, [UNIT])


# ---- batches that are answered for at once


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


# ---- blocks of coordinates


PLOTS = Exponential(mean=1000.0, shift=50.0).time()
KNOWN = [
    (10, 2.5513, 2.6113, 2.3387, 1.6633),
    (20, 3.1375, 3.1541, 2.8215, 2.0780),
    (30, 3.6278, 3.6203, 3.2554, 2.4638),
]


@pytest.mark.night
@pytest.mark.parametrize(("n", "inverse", "mean", "optimal", "bound"), KNOWN)
def test_shares_of_rules_take_what_was_computed_elsewhere(n, inverse, mean, optimal, bound):
    """In 2e4 coordinates and 1e7 seconds; the optimum was known from above alone."""
    found = {}
    for rule in ("mean of 1/x", "1/mean", "optimal"):
        system = block(n=n, blocks=rule).for_time(PLOTS)
        found[rule] = distribution(system.structure(), [PLOTS]).mean() * 2e4 / 1e7
    assert found["mean of 1/x"] == pytest.approx(inverse, abs=6e-5)
    assert found["1/mean"] == pytest.approx(mean, abs=6e-5)
    assert bound < found["optimal"] < optimal + 5e-5


def test_one_block_is_a_gradient_code_and_none_vanishes_with_its_share():
    for s in range(4):
        one = block(n=4, blocks=[float(i == s) for i in range(4)])
        code = gradient_code(n=4, s=s)
        assert one.burden() == code.share()
        times = np.random.default_rng(s).exponential(size=(4, 50))
        wanted = (s + 1) * Evaluator(code.structure()).done(times)
        assert Evaluator(one.structure()).done(times) == pytest.approx(wanted)
    mean = distribution(block(n=4, blocks=SHARES[0]).structure(), [UNIT]).mean()
    assert mean == pytest.approx(79 / 48, rel=1e-11)
    # τ is continuous in the shares: a tiny block is waited for less than those before it
    tiny = distribution(block(n=4, blocks=(0, 3, 1e-9, 1)).structure(), [UNIT]).mean()
    none = distribution(block(n=4, blocks=(0, 3, 0, 1)).structure(), [UNIT]).mean()
    assert tiny == pytest.approx(none, rel=1e-8)


def test_whole_coordinates_are_largest_remainders():
    system = block(n=3, blocks=(0.5, 0.3, 0.2), coordinates=7)  # 3.5, 2.1, 1.4
    assert (7 * system.shares_of_blocks()).round(9).tolist() == [4, 2, 1]
    assert system.facts()["tolerance"] == 0
    assert block(n=3, blocks=(0, 1, 1)).facts()["tolerance"] == 1


def test_what_is_needed_in_the_end_and_what_is_worked():
    system = block(n=4, blocks=(0, 3, 0, 1))
    # three of four workers must answer
    wanted = 0.9**4 + 4 * 0.1 * 0.9**3
    assert decodable(system.structure(), Iid(p=0.1)) == pytest.approx(wanted)
    scenario = Scenario(system, (Deterministic(value=4.0),))
    times = np.ones((4, 1))
    done = scenario.evaluator.done(times)
    assert done.tolist() == [2.5] and scenario.structure.worked(times, done).tolist() == [10.0]
    assert scenario.burden == 2.5 / 4


def test_what_rules_cannot_do():
    assert "must be settled by for_time" in refusal(block(n=3, blocks="optimal").structure)
    for rule, time, said in (
        ("optimal", None, "one law of latency"),
        ("mean of 1/x", UNIT, "as near to 0"),
        ("1/mean", Pareto(shape=0.9, scale=1.0).time(), "some are infinite"),
    ):
        assert said in refusal(block(n=3, blocks=rule).for_time, time)
    uniform = Uniform(low=1.0, high=2.0).time()
    law = distribution(gradient_code(n=1, s=0).structure(), [uniform])
    assert law.mean_of_inverse() == pytest.approx(math.log(2), rel=1e-10)
