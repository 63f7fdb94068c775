"""Laws of latency: both tails against many digits, quantiles, loads, and what is refused."""

import math

import mpmath
import numpy as np
import pytest

from fastgc import registry
from fastgc.latency import (
    Bimodal,
    Deterministic,
    Empirical,
    Exponential,
    Gamma,
    Lognormal,
    Pareto,
    Uniform,
    Weibull,
)
from fastgc.registry.complaints import check, lines
from suite.checks import close, refusal
from suite.laws import END, LAWS, START, SURVIVAL

#: Digits of numbers that tests compare with: 1 less a tail keeps 20 of them down to 1e-60.
mpmath.mp.dps = 80
F = mpmath.mpf
WORST = {"gamma, 0.5": 1e-12, "gamma, 30": 1e-11, "lognormal": 1e-12}


@pytest.mark.parametrize("name", LAWS)
def test_tails_to_many_digits(name):
    survival, start = SURVIVAL[name], START[name]
    time = LAWS[name].time()
    middle = float(time.quantile(0.5))
    points = [start + (middle - start) * x for x in (0.01, 0.5, 1.0, 1.5, 1.99)]
    points += [x for x in (8.0, 15.0, 25.0, 40.0) if x < END[name]]
    tolerance = WORST.get(name, 1e-13)
    for t in points:
        above = survival(F(t))
        # a shift is subtracted first: what is left of t has its rounding
        slack = tolerance + 4e-16 * 40 / max(t - start, 1e-3)
        assert float(time.survival(t)) == pytest.approx(float(above), rel=slack, abs=0)
        assert float(time.cdf(t)) == pytest.approx(float(1 - above), rel=slack, abs=0)


@pytest.mark.parametrize("name", LAWS)
def test_outside_the_support_and_at_the_ends_of_quantiles(name):
    time, start, end = LAWS[name].time(), START[name], END[name]
    before = [-1.0, 0.0, start * (1 - 1e-9) if start else -1e-9, -math.inf]
    assert (time.survival(before) == 1).all() and (time.cdf(before) == 0).all()
    assert (time.survival([end, end + 1]) == 0).all() and (time.cdf([end, end + 1]) == 1).all()
    assert time.survival(math.inf) == 0 and time.cdf(math.inf) == 1
    assert time.quantile(0.0) == time.upper_quantile(1.0) == start
    assert time.quantile(1.0) == time.upper_quantile(0.0) == end


@pytest.mark.parametrize("name", LAWS)
def test_quantiles_invert_their_tail(name):
    time = LAWS[name].time()
    levels = np.array([1e-12, 1e-6, 0.01, 0.3, 0.5, 0.9, 0.999])
    assert time.cdf(time.quantile(levels)) == pytest.approx(levels, rel=1e-3, abs=0)
    assert time.cdf(time.quantile(levels[2:])) == pytest.approx(levels[2:], rel=1e-12)
    assert time.survival(time.upper_quantile(levels)) == close(levels, rel=1e-3)
    assert time.survival(time.upper_quantile(levels[2:])) == pytest.approx(levels[2:], rel=1e-12)
    assert time.quantile(levels) == close(time.upper_quantile(1 - levels), rel=1e-3)


@pytest.mark.parametrize("name", LAWS)
def test_means_are_integrals_of_the_survival_function(name):
    survival, start, end = SURVIVAL[name], START[name], END[name]
    edges = [start, end] if end < math.inf else [start, 4, 10, 100, 1e4, mpmath.inf]
    with mpmath.workdps(15):
        integral = start + mpmath.quad(lambda t: survival(F(t)), edges)
    assert LAWS[name].time().mean() == pytest.approx(float(integral), rel=1e-6)


def test_infinite_and_overflowing_means():
    assert Pareto(shape=1.0, scale=2.0).time().mean() == math.inf
    assert Pareto(shape=0.5, scale=2.0).time(3.0).mean() == math.inf
    assert Weibull(shape=1e-3, scale=1.0).time().mean() == math.inf
    assert Lognormal(mu=0.0, sigma=40.0).time().mean() == math.inf
    light = Exponential(mean=1.0)
    heavy = Pareto(shape=0.5, scale=2.0)
    assert Bimodal(p_slow=0.1, fast=light, slow=heavy).time().mean() == math.inf
    assert Bimodal(p_slow=0.0, fast=light, slow=heavy).time().mean() == 1.0
    assert Weibull(shape=1e-3, scale=1.0).time().survival(1e300) < 1


# ---- loads


@pytest.mark.parametrize("name", LAWS)
def test_server_dependent_loads_stretch_time_and_one_is_one_in_every_scaling(name):
    law = LAWS[name]
    t = np.array([0.3, 0.6, 1.0, 2.0, 4.0, 9.0, 20.0])
    plain, stretched = law.time(), law.time(2.5)
    assert stretched.survival(2.5 * t) == close(plain.survival(t), rel=1e-12)
    assert stretched.quantile(0.3) == pytest.approx(2.5 * plain.quantile(0.3), rel=1e-14)
    assert stretched.mean() == pytest.approx(2.5 * plain.mean())
    for scaling in ("data-dependent", "additive"):
        assert law.time(1.0, scaling).survival(t) == close(plain.survival(t))


def test_data_dependent_loads_stretch_the_shift_alone():
    law = Exponential(mean=2.0, shift=0.5)
    time = law.time(3.0, "data-dependent")
    assert time.survival(4.5) == pytest.approx(math.exp(-1.5), rel=1e-15)
    assert time.mean() == 3.5
    mixed = Bimodal(p_slow=0.25, fast=law, slow=Deterministic(value=9.0))
    time = mixed.time(3.0, "data-dependent")
    assert time.survival(4.5) == pytest.approx(0.75 * math.exp(-1.5) + 0.25, rel=1e-15)
    # one that is all rest does not feel the load
    assert Uniform(low=1.0, high=3.0).time(5.0, "data-dependent").cdf(2.0) == 0.5


@pytest.mark.parametrize("t", [2.0, 5.0, 60.0])
def test_additive_loads_add_up(t):
    erlang = Exponential(mean=0.5, shift=0.25).time(4, "additive")
    x = F(t - 1.0) * 2
    exact = mpmath.exp(-x) * sum(x**i / mpmath.factorial(i) for i in range(4))
    assert float(erlang.survival(t)) == close(float(exact), rel=1e-12)
    assert erlang.mean() == 3.0
    total = Gamma(shape=0.5, scale=2.0).time(3, "additive")
    assert total.mean() == 3.0
    exact = mpmath.gammainc(F(1.5), F(t) / 2, regularized=True)
    assert float(total.survival(t)) == close(float(exact), rel=1e-12)
    assert Deterministic(value=1.5).time(4.0, "additive").survival([5.9, 6.0]).tolist() == [1, 0]


@pytest.mark.parametrize(
    "law", [Uniform(low=1.0, high=3.0), Weibull(shape=2.0, scale=1.0), LAWS["bimodal"]]
)
def test_sums_that_are_not_known_are_refused(law):
    said = refusal(law.time, 2, "additive")
    assert f"sum of 2 independent {law.distribution} times" in said
    said = refusal(Exponential(mean=1.0).time, 1.5, "additive")
    assert "needs an integer load (got 1.5)" in said


# ---- jumps


def test_bimodal_of_two_certain_times():
    law = Bimodal(p_slow=0.25, fast=Deterministic(value=1.0), slow=Deterministic(value=5.0))
    time = law.time()
    assert time.quantile([0.0, 0.5, 0.75, 0.7500001, 1.0]).tolist() == [1, 1, 1, 5, 5]
    assert time.upper_quantile([1.0, 0.25, 0.2499, 0.0]).tolist() == [1, 1, 5, 5]
    assert time.mean() == 2.0 and time.survival([1.0, 4.9, 5.0]).tolist() == [0.25, 0.25, 0]
    always = law.model_copy(update={"p_slow": 1.0}).time()
    assert always.quantile([0.0, 0.5]).tolist() == [5, 5]


@pytest.fixture
def recorded(tmp_path):
    def make(**more):
        (tmp_path / "t.csv").write_text("a,b\n4,10\n1,20\n4,30\n2,\n")
        return Empirical(file=str(tmp_path / "t.csv"), **more)

    return make


def test_empirical(recorded):
    time = recorded().time()
    values = [1, 2, 4, 4, 10, 20, 30]
    for t in (0, 1, 3.9, 4, 15, 30, 31):
        above = sum(x > t for x in values) / 7
        assert time.survival(t) == above and time.cdf(t) == pytest.approx(1 - above)
    for level in (0.0, 0.01, 1 / 7, 0.2, 3 / 7, 0.5, 6 / 7, 0.99, 1.0):
        assert time.quantile(level) == min(x for x in values if time.cdf(x) >= level)
        assert time.upper_quantile(level) == min(x for x in values if time.survival(x) <= level)
    assert time.mean() == pytest.approx(71 / 7)
    assert recorded().time(2.0).survival(8.0) == 3 / 7


def test_empirical_by_worker(recorded):
    law = recorded(order="workers")
    assert law.of_worker(0).time().mean() == 11 / 4 and law.of_worker(1).time().mean() == 20
    assert recorded(order="rows").of_worker(0).time().mean() == 3  # rows end with worker b
    pooled = recorded()
    assert pooled.of_worker(1) is pooled
    assert pooled.complaints(7) == [] and law.complaints(2) == []
    assert law.complaints(3)[0][0] == "file"
    both = Bimodal(p_slow=0.5, fast=law, slow=Deterministic(value=7.0))
    assert both.of_worker(1).time().mean() == 13.5
    assert both.complaints(3)[0][0] == "fast" and list(both.files()) == list(law.files())
    assert both.identity()["fast"] == law.identity()
    plain = Bimodal(p_slow=0.5, fast=Exponential(mean=1.0), slow=Deterministic(value=7.0))
    assert plain.of_worker(3) is plain


# ---- bad input


@pytest.mark.parametrize(("name", "keys", "sentence"), [
    ("exponential", {}, "mean: missing"),
    ("exponential", {"mean": 0}, "mean: must be more than 0 (got 0)"),
    ("exponential", {"mean": math.inf}, "mean: must be finite"),
    ("exponential", {"mean": 1, "shift": -1}, "shift: must be at least 0"),
    ("exponential", {"rate": 1, "mean": 1}, "rate: unknown key"),
    ("weibull", {"shape": -2, "scale": 1}, "shape: must be more than 0"),
    ("pareto", {"shape": 1, "scale": 0}, "scale: must be more than 0"),
    ("gamma", {"shape": "a", "scale": 1}, "shape: must be a number"),
    ("uniform", {"low": 2, "high": 2}, "high: must be more than low = 2.0"),
    ("uniform", {"low": -1, "high": 2}, "low: must be at least 0"),
    ("lognormal", {"mu": 0, "sigma": 0}, "sigma: must be more than 0"),
    ("deterministic", {"value": -1}, "value: must be at least 0"),
    ("empirical", {"file": "none.csv"}, "file: there is no file"),
])  # fmt: skip
def test_impossible_parameters(name, keys, sentence):
    member, complaints = check(registry.members("latency")[name], {"distribution": name} | keys)
    (line,) = lines(complaints)
    assert member is None and line.startswith(sentence)
