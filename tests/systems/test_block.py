"""Block-coordinate codes: rounds event by event, the law in rationals, shares found by rules."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.experiments.completion.scenario import Scenario
from fastgc.latency import Deterministic, Exponential, Pareto, Uniform
from fastgc.stragglers.iid import Iid
from fastgc.systems import block, gradient_code
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.laws.structure_law import decodable
from fastgc.systems.timing.rounds import Evaluator
from fastgc.theory import literature
from suite.checks import refusal

UNIT = Exponential(mean=1.0).time()
PLOTS = Exponential(mean=1000.0, shift=50.0).time()
SHARES = [(0, 3, 0, 1), (1, 0, 0, 0), (0, 0, 0, 2), (1, 2, 3, 4), (5, 0, 1, 0)]


def simulate(shares, times):
    """Time and messages of one round: every worker sends block after block."""
    n = len(times)
    events, missing = [], {}
    for i, share in enumerate(shares):
        if share:
            missing[i] = n - i
    for own in times:
        clock = 0.0
        for i in missing:
            clock += (i + 1) * shares[i] / sum(shares) * own
            events.append((clock, i))
    for messages, (now, i) in enumerate(sorted(events), 1):
        missing[i] -= 1
        if max(missing.values()) <= 0:
            return now, messages
    raise AssertionError


@pytest.mark.parametrize("shares", SHARES, ids=str)
def test_rounds_are_those_of_a_simulation(shares):
    times = np.random.default_rng(1).exponential(size=(4, 100))
    found = Evaluator(block(n=4, blocks=shares).structure()).counted(times)
    for t in range(100):
        wanted = simulate(shares, times[:, t].tolist())
        assert (found[0][t], found[1][t]) == pytest.approx(wanted, rel=1e-12)


def exact_mean(shares):
    """E max c_i X_(n−i) of unit exponentials, in rationals.

    P(T > t) is a sum over the ways in which workers' times lie between the thresholds t/c_i, each
    a polynomial in exponentials, whose integral is rational.
    """
    n, whole, total, ends = len(shares), sum(shares), Fraction(0), []
    for i, share in enumerate(shares):
        total += Fraction((i + 1) * share, whole)
        if share:
            ends.append((1 / total, n - i))  # at least n − i times up to t/c_i
    ends.reverse()
    cuts = [Fraction(0), *(end for end, _ in ends)]
    mean = Fraction(0)
    for places in itertools.product(range(len(cuts)), repeat=n):
        if all(sum(p <= j for p in places) >= need for j, (_, need) in enumerate(ends)):
            continue
        terms = {Fraction(0): Fraction(1)}
        for place in places:  # P(between cuts) = e^(−low t) − e^(−high t)
            low = cuts[place]
            high = cuts[place + 1] if place + 1 < len(cuts) else None
            after = {}
            for exponent, factor in terms.items():
                for more, sign in ((low, 1), (high, -1)):
                    if more is not None:
                        key = exponent + more
                        after[key] = after.get(key, 0) + sign * factor
            terms = after
        mean += sum(factor / exponent for exponent, factor in terms.items() if factor)
    return mean


@pytest.mark.parametrize("shares", SHARES, ids=str)
def test_the_mean_is_that_in_rationals(shares):
    wanted = exact_mean(shares)
    law = distribution(block(n=4, blocks=shares).structure(), [UNIT])
    assert law.mean() == pytest.approx(float(wanted), rel=1e-11)
    assert literature.blocks_mean(4, shares) == pytest.approx(float(wanted), rel=1e-8)
    if shares == SHARES[0]:
        assert 4 * wanted == Fraction(79, 12)


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


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"n": 3, "blocks": (1, 2)}, "must have n=3 numbers"),
        ({"n": 2, "blocks": (0, 0)}, "more than 0"),
        ({"n": 200, "blocks": "1/mean"}, "a rule needs n ≤ 100"),
        ({"n": 2, "blocks": "one"}, "1/mean"),
    ],
)
def test_mistakes_are_said(keys, sentence):
    with pytest.raises(FastgcError, match=sentence):
        block(**keys)


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
    port = {
        "kind": "completion",
        "system": {"family": "block", "n": 3, "blocks": "1/mean"},
        "latency": {"distribution": "exponential", "mean": 1.0},
        "port": {"receive": 0.1},
    }
    assert "must be 0 with blocks" in refusal(fastgc.run, port)
