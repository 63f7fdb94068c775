"""Relays between workers and master: every set of workers, and messages one by one."""

import itertools
import math

import numpy as np
import pytest

import fastgc
from bench import schemes
from fastgc.errors import FastgcError
from fastgc.latency import Exponential
from fastgc.stragglers.iid import Iid
from fastgc.stragglers.uniform import Uniform
from fastgc.systems import gradient_code, relays
from fastgc.systems.timing.decodability import decodable
from fastgc.systems.timing.evaluator import Evaluator
from fastgc.systems.timing.laws import distribution

UNIT = Exponential(mean=1.0).time()
CASES = [
    relays(n=12, relays=3, s=1, s_relays=1),
    relays(n=9, relays=3, s=2),
    relays(n=8, relays=4, s=0, s_relays=2),
    relays(n=6, relays=6, s=0, s_relays=1),
    relays(n=5, relays=1, s=2),
]


def port(arrivals, need, receive):
    """When so many messages have been received one at a time, in order of arrival."""
    clock = 0.0
    for arrival in sorted(arrivals)[:need]:
        clock = max(clock, arrival) + receive
    return clock


def simulated(system, times, receive):
    """When the master has the gradient, node by node."""
    size = system.n // system.relays
    groups = [times[j : j + size] for j in range(0, system.n, size)]
    passed = [port(own, size - system.s, receive) for own in groups]
    return port(passed, system.relays - system.s_relays, receive)


def enough(system, late):
    """Whether the gradient is there without these workers."""
    size = system.n // system.relays
    counts = [sum(late[j : j + size]) for j in range(0, system.n, size)]
    return sum(count > system.s for count in counts) <= system.s_relays


@pytest.mark.parametrize("receive", [0.0, 0.3])
@pytest.mark.parametrize("system", CASES, ids=str)
def test_rounds_are_those_of_a_simulation(system, receive):
    times = np.random.default_rng(1).exponential(size=(system.n, 200))
    evaluator = Evaluator(system.structure(), receive)
    wanted = [simulated(system, times[:, t].tolist(), receive) for t in range(200)]
    assert evaluator.done(times) == pytest.approx(wanted, rel=1e-12)
    assert evaluator.counted(times)[0] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("system", CASES, ids=str)
def test_the_law_is_a_sum_over_all_sets_of_workers(system):
    found = distribution(system.structure(), [UNIT])
    sets = [own for own in itertools.product((0, 1), repeat=system.n) if enough(system, own)]

    def known(q):
        late = (sum(own) for own in sets)
        return math.fsum(q**many * (1 - q) ** (system.n - many) for many in late)

    for t in (0.4, 1.0, 3.0):
        assert float(found.cdf(t)) == pytest.approx(known(math.exp(-t)), rel=1e-10)
    assert decodable(system.structure(), Iid(p=0.2)) == pytest.approx(known(0.2), rel=1e-10)
    for s in range(system.n + 1):
        share = sum(sum(own) == s for own in sets) / math.comb(system.n, s)
        assert decodable(system.structure(), Uniform(stragglers=s)) == pytest.approx(share)
    survived = (
        min(
            sum(own)
            for own in itertools.product((0, 1), repeat=system.n)
            if not enough(system, own)
        )
        - 1
    )
    assert system.facts()["tolerance"] == survived


@pytest.mark.parametrize("receive", [0.0, 0.2])
def test_the_law_behind_ports_is_that_of_rounds(receive):
    system = CASES[0]
    times = np.random.default_rng(7).exponential(size=(12, 60_000))
    done = Evaluator(system.structure(), receive).done(times)
    law = distribution(system.structure(), [UNIT], receive)
    assert abs(done.mean() - law.mean()) < 4.5 * done.std() / math.sqrt(done.size)
    for t in (1.3, 1.8):
        p = float(law.survival(t))
        assert abs(np.mean(done > t) - p) < 4.5 * math.sqrt(p * (1 - p) / done.size)


def test_relays_are_never_later_than_one_code_with_their_load():
    two, one = CASES[0], gradient_code(n=12, s=3)
    assert two.share() == one.share()
    times = np.random.default_rng(3).exponential(size=(12, 500))
    early = Evaluator(two.structure()).done(times)
    assert (early <= Evaluator(one.structure()).done(times)).all()


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"n": 10, "relays": 3, "s": 0}, "relays must divide n"),
        ({"n": 12, "relays": 3, "s": 4}, "s must be less than the workers of a relay"),
        ({"n": 12, "relays": 3, "s": 1, "s_relays": 3}, "s_relays must be less than relays=3"),
        ({"n": 12, "relays": 13, "s": 1}, "at most n"),
    ],
)
def test_mistakes_are_said(keys, said):
    with pytest.raises(FastgcError, match=said):
        relays(**keys)


@pytest.mark.night
def test_a_ranking_looks_at_relays_where_they_are_told():
    design = {
        "workers": 12,
        "relays": 3,
        "schemes": ["relays", "gradient-code"],
        "latency": {"distribution": "exponential", "shift": 0.5, "mean": 0.5},
        "port": {"receive": 0.1},
    }
    found = fastgc.design({"design": design})
    families = {row["system"]["family"] for row in found.rows()}
    assert families == {"relays", "gradient-code"}
    with pytest.raises(FastgcError, match="relays"):
        fastgc.design({"design": design | {"schemes": ["gradient-code"]}})


@pytest.mark.night
def test_the_bench_of_schemes_compares_and_can_fail(capsys, monkeypatch):
    assert schemes.main(["relays"]) == 0
    assert capsys.readouterr().out.startswith("relays: 300 values")
    monkeypatch.setattr(schemes, "exponential", lambda t: -np.expm1(-1.001 * t))
    assert schemes.main(["relays"]) == 1
