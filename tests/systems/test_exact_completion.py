"""Exact laws of completion times against enumeration, closed forms and high precision."""

import itertools
import math

import numpy as np
import pytest

from fastgc.latency import Exponential, Lognormal, Pareto, Uniform
from fastgc.latency.time import Certain, Mixture, Time
from fastgc.systems import CodedReduce
from fastgc.systems.timing.group_structures import Layers, Replicated
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.laws.structure_law import decodable, decodable_sets
from fastgc.systems.timing.stars import Flat, Ring, Tree
from suite.checks import close, refusal
from suite.laws import LAWS
from twins.completion import FEW, FEW_LEVELS, MANY, MANY_LEVELS, completion, enumerate_law

UNIT = Exponential(mean=1.0).time()


def regular(n, layers, s):
    return CodedReduce(n=n, layers=layers, s=s).structure()


#: master — nodes 1, 2, 3; node 1 — leaves 4, 5; node 2 — leaf 6; node 3 is a leaf
IRREGULAR = Tree((0, 0, 0, 1, 1, 2), (2, 1, 1, 0, 0, 0, 0))


STRUCTURES = [
    Flat(6, 4), Flat(6, 6), Flat(6, 1), Replicated(6, 2, 3), Replicated(6, 3, 1), Ring(6),
    Layers(6, (5, 3, 1)), Layers(6, (1, 4, 0, 2)), Layers(6, (4,)), regular(2, 2, 1), IRREGULAR,
]  # fmt: skip
UNLIKE = [FEW, MANY, FEW, FEW, MANY, MANY]
UNLIKE_LEVELS = [FEW_LEVELS if law is FEW else MANY_LEVELS for law in UNLIKE]


PORTS = [(0.0, "start"), (0.35, "start"), (0.35, "after-own")]
WITH_PORTS = [(structure, port) for structure in STRUCTURES[:3] for port in PORTS[:2]]
WITH_PORTS += [(structure, PORTS[0]) for structure in STRUCTURES[3:8]]
WITH_PORTS += [(structure, PORTS[1]) for structure in (Ring(6), Layers(6, (4,)))]
WITH_PORTS += [(structure, port) for structure in STRUCTURES[-2:] for port in PORTS]


@pytest.mark.parametrize(("structure", "port"), WITH_PORTS, ids=str)
@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize("answers", [1.0, (1.0, 0.5, 0.9, 0.9, 1.0, 0.25)])
def test_laws_agree_with_enumeration_of_all_outcomes(structure, alike, answers, port):
    receive, opens = port
    times = [FEW] * 6 if alike else UNLIKE
    levels = [FEW_LEVELS] * 6 if alike else UNLIKE_LEVELS
    each = np.broadcast_to(answers, (6,)).tolist()
    probabilities = enumerate_law(structure, levels, each, receive, opens)
    law = distribution(structure, times, receive, opens, answers)
    total = sum(p for time, p in probabilities.items() if time < math.inf)
    assert law.decodable == pytest.approx(total, rel=1e-12)
    values = sorted(time for time in probabilities if time < math.inf)
    weights = np.array([probabilities[time] for time in values]) / total
    mean = weights @ values
    assert law.mean() == pytest.approx(mean, rel=1e-12)
    assert law.variance() == pytest.approx(weights @ (np.array(values) - mean) ** 2, rel=1e-9)
    assert law.minimum == pytest.approx(values[0])
    assert law.maximum == pytest.approx(values[-1])
    middles = 0.5 * (np.array(values) + np.append(values[1:], values[-1] + 1))
    np.testing.assert_allclose(law.cdf(middles), np.cumsum(weights), rtol=1e-11)
    after = [weights[i + 1 :].sum() for i in range(len(values))]
    np.testing.assert_allclose(law.survival(middles), after, rtol=1e-11, atol=1e-300)
    for level in (0.2, 0.5, 0.9):
        quantile = values[int(np.searchsorted(np.cumsum(weights), level - 1e-12))]
        assert law.quantile(level) == pytest.approx(quantile)
        assert law.upper_quantile(1 - level) == pytest.approx(quantile)


@pytest.mark.parametrize("law", LAWS.values(), ids=str)
def test_one_worker_is_its_own_law(law):
    time = law.time()
    completion_law = distribution(Flat(1, 1), [time])
    assert completion_law.mean() == pytest.approx(time.mean(), rel=1e-10)
    for u in (0.01, 0.5, 0.999):
        assert completion_law.quantile(u) == close(float(time.quantile(u)), rel=1e-12)
    assert completion_law.quantile(0.0) == time.quantile(0.0)
    assert completion_law.quantile(1.0) == time.quantile(1.0)
    t = float(time.upper_quantile(1e-30))
    assert completion_law.survival(t) == close(float(time.survival(t)), rel=1e-12)


def test_pareto_moments_are_finite_where_enough_workers_are_slow_at_once():
    def law(n, k, shape, **more):
        return distribution(Flat(n, k), [Pareto(shape=shape, scale=1.0).time()], **more)

    def moment(n, k, shape, order):
        """E X_(k)^order by ratios of gamma functions."""
        logs = [n + 1, n - k + 1 - order / shape, n - k + 1, n + 1 - order / shape]
        signs = (1, 1, -1, -1)
        return math.exp(sum(s * math.lgamma(a) for s, a in zip(signs, logs, strict=True)))

    assert law(10, 10, 1.0).mean() == math.inf
    assert law(10, 9, 0.5).mean() == math.inf
    assert law(10, 10, 1.0).quantile(0.5) == pytest.approx(1 / (1 - 0.5**0.1), rel=1e-12)
    for n, k, shape in ((10, 9, 0.55), (10, 10, 1.05), (10, 5, 0.25), (10, 8, 0.7)):
        found = law(n, k, shape)
        assert found.mean() == pytest.approx(moment(n, k, shape, 1), rel=1e-9)
    found = law(10, 8, 0.7)
    expected = moment(10, 8, 0.7, 2) - moment(10, 8, 0.7, 1) ** 2
    assert found.variance() == pytest.approx(expected, rel=1e-8)
    assert law(10, 9, 0.6).variance() == math.inf
    # the other worker may be missing for good, and then one slow worker is enough
    assert law(2, 1, 0.8, answers=0.5).mean() == math.inf
    assert law(2, 1, 0.8).mean() < math.inf


def test_tail_index_of_structures():
    law = [Pareto(shape=0.4, scale=1.0).time()]
    assert distribution(Replicated(6, 2, 3), law).tail_index == pytest.approx(0.8)
    assert distribution(Replicated(6, 2, 2), law).tail_index == pytest.approx(1.6)
    assert distribution(Layers(6, (4, 3)), law).tail_index == pytest.approx(1.2)
    assert distribution(Ring(6), law, 0.1).tail_index == pytest.approx(0.4)
    # own work delays an inner node as much as its children do
    assert distribution(regular(3, 2, 1), law, 0.1).tail_index == pytest.approx(0.8)


def test_a_users_law_keeps_its_tail():
    known = Pareto(shape=2.0, scale=1.0).time()

    class Own(Time):
        survival, cdf = staticmethod(known.survival), staticmethod(known.cdf)
        quantile = staticmethod(known.quantile)
        upper_quantile, mean = staticmethod(known.upper_quantile), staticmethod(known.mean)

    law = distribution(Flat(1, 1), [Own()])
    assert law.tail_index == pytest.approx(2.0)
    assert law.mean() == pytest.approx(2.0, rel=1e-9)
    assert law.variance() == math.inf


def test_fresh_tasks_add_up():
    def law(n, k, time=UNIT):
        return distribution(Layers(n, k, fresh=True), [time])

    assert law(1, (1, 1)).mean() == pytest.approx(2.0, rel=1e-12)  # a sum of two
    assert law(2, (0, 1)).mean() == pytest.approx(1.25, rel=1e-12)  # the earlier of two sums
    assert (law(3, (2, 1), Certain(2.0)).mean(), law(3, (2, 1), Certain(2.0)).variance()) == (4, 0)
    # max of both first tasks and the earlier second one: condition on first tasks
    first, second = 1 - math.exp(-1.3), 1 - math.exp(-1.3) * 2.3
    exact = 2 * second * (first - second) + second**2
    assert law(2, (2, 1)).cdf(1.3) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("arguments", "match"), [
    ((Layers(4, (2, 1)), [UNIT], 0.1), "layers behind a port"),
    ((Layers(4, (2, 1), True), [Lognormal(mu=0.0, sigma=1.0).time()]), "lognormal"),
    ((Flat(4, 2), [UNIT] * 3), "times"),
    ((Flat(4, 2), [UNIT], -1.0), "receive"),
    ((Flat(4, 2), [UNIT], 0.0, "late"), "opens"),
    ((Flat(4, 2), [UNIT], 0.0, "start", 1.5), "answers"),
    ((Flat(4, 2), [UNIT], 0.0, "start", 0.0), "impossible"),
    ((Flat(40, 30), [Exponential(mean=1.0 + j).time() for j in range(40)], 0.1), "additions"),
])  # fmt: skip
def test_what_has_no_exact_method_says_why(arguments, match):
    assert match in refusal(distribution, *arguments)


@pytest.mark.parametrize("structure", [*STRUCTURES, regular(3, 2, 1)], ids=repr)
def test_decodability_counts_all_sets(structure):
    n = structure.workers
    for stragglers in range(0, n + 1, 1 if n < 8 else 5):
        sets, done = list(itertools.combinations(range(n), stragglers)), 0
        for chosen in sets:
            times = [math.inf if j in chosen else 0.0 for j in range(n)]
            done += completion(structure, times)[0] < math.inf
        assert decodable_sets(structure, stragglers) * len(sets) == done


def test_decodability_of_paper_codedreduce():
    from fastgc.stragglers.iid import Iid, Markov, TwoClass
    from fastgc.stragglers.uniform import Uniform as Sets

    tree, star = regular(12, 2, 5), Flat(156, 91)
    assert decodable(tree, Sets(stragglers=65)) == pytest.approx(0.04083, abs=5e-6)
    assert decodable(star, Sets(stragglers=65)) == 1.0
    for p, probability in ((5 / 12, 0.0994), (0.3, 0.710), (0.2, 0.972)):
        assert decodable(tree, Iid(p=p)) == pytest.approx(probability, abs=5e-4)
    assert decodable(star, Iid(p=5 / 12)) == pytest.approx(0.534, abs=5e-4)
    chain = Markov(p_straggle_after_ok=0.15, p_straggle_after_straggle=0.4)
    assert decodable(tree, chain) == pytest.approx(decodable(tree, Iid(p=0.2)), rel=1e-12)
    classes = TwoClass(p_slow=0.5, p_straggle_slow=0.3, p_straggle_active=0.1)
    assert decodable(tree, classes) == pytest.approx(decodable(tree, Iid(p=0.2)), rel=1e-12)
    fixed = TwoClass(slow=(0, 1), p_straggle_slow=1.0, p_straggle_active=0.0)
    assert decodable(Flat(4, 2), fixed) == 1.0 and decodable(Flat(4, 3), fixed) == 0.0
    slow = TwoClass(slow=3, p_straggle_slow=0.3, p_straggle_active=0.1)
    assert "two-class" in refusal(decodable, tree, slow)
    assert "stragglers: must be at most" in refusal(decodable, Flat(4, 2), Sets(stragglers=5))


@pytest.mark.night
def test_an_atom_at_either_end_holds_the_centre():
    for p, value, mean in ((0.3, 0.0, 0.0765), (0.3, 1.0, 0.9235), (0.7, 0.0, 0.3185)):
        mixed = Mixture((p, 1 - p), (Uniform(low=0.0, high=1.0).time(), Certain(value)))
        assert distribution(Flat(3, 2), [mixed]).mean() == pytest.approx(mean, rel=1e-12)


def test_nothing_to_wait_for_is_done_at_once():
    for structure in (Flat(3, 0), Layers(3, (0, 0))):
        law = distribution(structure, [UNIT])
        assert (law.mean(), law.variance(), law.maximum) == (0.0, 0.0, 0.0)
        assert law.survival([-1.0, 0.0]).tolist() == [1.0, 0.0]
