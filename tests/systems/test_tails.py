"""Tails of completion times, from one half to 1e-70: exact laws, and union sampling."""

from functools import partial

import mpmath
import numpy as np
import pytest

import fastgc
from fastgc.draws.streams import key
from fastgc.errors import FastgcError
from fastgc.latency import Bimodal, Deterministic, Exponential, Uniform
from fastgc.latency.empirical import SampleTime
from fastgc.systems.timing.group_structures import Layers, Replicated
from fastgc.systems.timing.laws import CompletionLaw, distribution, tail
from fastgc.systems.timing.laws.structure_law import LawRequest, evaluation_of
from fastgc.systems.timing.laws.tail import Union
from fastgc.systems.timing.stars import Flat, Ring, Tree
from fastgc_kernels.complete import crossing
from suite.checks import close, refusal
from suite.laws import END, LAWS, START, SURVIVAL
from twins import tails as slow

UNIT = Exponential(mean=1.0).time()
LEVELS = (0.4, 1e-6, 1e-12, 1e-30, 1e-70)


def unlike(n, sigma=0.5, seed=1):
    """Exponential laws whose means are lognormal."""
    means = np.exp(np.random.default_rng(seed).normal(0.0, sigma, n)).round(12)
    return [Exponential(mean=float(mean)).time() for mean in means]


def exact_survival(structure, name, receive, t):
    """P(C > t) of workers with one law, as a number of 150 digits less another."""
    with mpmath.workdps(slow.DIGITS):
        t = mpmath.mpf(t)

        def below(at):
            return 1 - (SURVIVAL[name](min(at, END[name])) if at > START[name] else 1)

        if isinstance(structure, Layers):
            deciding = {need: j for j, need in enumerate(structure.k)}
            required = sorted(deciding)
            cdf = [below(t / (deciding[need] + 1)) for need in required]
            return 1 - slow.on_time(structure.n, required, cdf)
        if isinstance(structure, Replicated):
            group = slow.on_time(structure.size, [1], [below(t)])
            return 1 - slow.on_time(structure.n // structure.size, [structure.need], [group])
        if isinstance(structure, Ring):
            shift = mpmath.mpf(2 * (structure.n - 1)) / structure.n * mpmath.mpf(receive)
            return 1 - slow.on_time(structure.n, [structure.n], [below(t - shift)])
        if isinstance(structure, Tree):
            fan, _, need = structure.regular
            lags = [mpmath.mpf(receive) * i for i in range(need, 0, -1)]

            def node(at):
                port = [below(at - lag) for lag in lags]
                return below(at) * slow.on_time(fan, range(1, need + 1), port)

            return 1 - slow.on_time(fan, range(1, need + 1), [node(t - lag) for lag in lags])
        if receive:
            lags = [mpmath.mpf(receive) * i for i in range(structure.need, 0, -1)]
            cdf = [below(t - lag) for lag in lags]
            return 1 - slow.on_time(structure.n, range(1, structure.need + 1), cdf)
        return 1 - slow.on_time(structure.n, [structure.need], [below(t)])


TREE = Tree(
    (0,) * 3 + tuple(j for j in (1, 2, 3) for _ in range(3)), (2, 2, 2, 2, *[0] * 9), (3, 2, 2)
)
CASES = [(name, *star) for star in ((Flat(20, 15), 0.0), (Flat(12, 8), 0.0625)) for name in LAWS]
CASES += [
    ("exponential", Flat(60, 60), 0.0), ("exponential", Flat(60, 1), 0.0),
    ("exponential", Flat(16, 12), 1e-9), ("exponential", Layers(30, (28, 20, 12, 5)), 0.0),
    ("pareto", Layers(12, (11, 8, 5)), 0.0), ("exponential", Replicated(24, 3, 8), 0.0),
    ("lognormal", Replicated(24, 3, 5), 0.0), ("weibull, heavy", Ring(20), 0.25),
    ("exponential", TREE, 0.0625), ("gamma, 0.5", TREE, 0.25),
]  # fmt: skip


@pytest.mark.parametrize(("name", "structure", "receive"), CASES, ids=str)
def test_exact_tails_keep_their_digits_down_to_1e_minus_70(name, structure, receive):
    found = distribution(structure, [LAWS[name].time()], receive)
    for level in LEVELS:
        t = float(found.upper_quantile(level))
        exact = exact_survival(structure, name, receive, t)
        assert float(found.survival(t)) == pytest.approx(float(exact), rel=1e-10, abs=0)
    for level in (1e-3, 1e-9):
        t = float(found.quantile(level))
        with mpmath.workdps(slow.DIGITS):
            exact = 1 - exact_survival(structure, name, receive, t)
        assert float(found.cdf(t)) == close(float(exact), rel=1e-10)


def test_quantiles_near_1_are_those_of_the_tail():
    law = distribution(Flat(100, 80), [UNIT], 0.01)
    for level in (1 - 1e-9, 1 - 1e-12):
        assert float(law.quantile(level)) == float(law.upper_quantile(1 - level))
        assert float(law.survival(law.quantile(level))) == close(1 - level, rel=1e-9)


def test_discrete_laws_have_quantiles_beyond_1e_minus_20():
    slow_one = Bimodal(p_slow=1e-9, fast=Deterministic(value=1.0), slow=Deterministic(value=2.0))
    law = distribution(Flat(4, 1), [slow_one.time()])
    assert float(law.survival(1.0)) == close(1e-36, rel=1e-12)
    assert float(law.upper_quantile(1e-35)) == 1.0
    assert float(law.upper_quantile(1e-37)) == 2.0


def _unlike_arrivals(n, steps, t, never):
    """Laws of unlike times at rising thresholds, each in gaps, as doubles and in mpmath."""
    rates = np.linspace(0.5, 2.0, n)
    ends = t - 0.25 * np.arange(steps, 0, -1)
    with mpmath.workdps(slow.DIGITS):
        answer = 1 - mpmath.mpf(never)
        falling = [
            [mpmath.exp(-mpmath.mpf(rate) * mpmath.mpf(end)) for end in ends] for rate in rates
        ]
        gaps = [
            [answer * (a - b) for a, b in zip([mpmath.mpf(1), *row], row, strict=False)]
            + [answer * row[-1], mpmath.mpf(never)]
            for row in falling
        ]
    masses = np.array([[float(gap) for gap in row[:steps]] for row in gaps])
    late = np.array([[float(answer * a) for a in row] for row in falling])
    return masses, late, gaps


@pytest.mark.parametrize("t", [1.5, 4.0, 20.0, 50.0])
def test_subsets_agree_with_all_outcomes_and_with_classes(t):
    n, required = 5, np.array([1, 3, 4])
    masses, late, gaps = _unlike_arrivals(n, 3, t, 0.0)
    done, after, other, others = (np.empty(1) for _ in range(4))
    crossing.cross_unlike(masses[None], late[None], required, done, after)
    ones = np.ones(n, np.int64)
    crossing.cross(masses[None], late[None], np.zeros(n), ones, required, 4, other, others)
    exact = slow.late_though_complete(required.tolist(), gaps)
    assert after[0] == pytest.approx(float(exact), rel=1e-13, abs=0)
    assert after[0] == pytest.approx(others[0], rel=1e-13, abs=0)
    assert done[0] == pytest.approx(other[0], rel=1e-13)
    assert done[0] + after[0] == pytest.approx(1.0)


def sampled(structure, times, receive=0.0, answers=1.0):
    """What union sampling samples, whether or not the tail is known exactly."""
    return evaluation_of(structure, LawRequest(structure.workers, times, receive, answers=answers))


def above(method, t, seed=1):
    union = Union.late(method, t)
    return union.probability(partial(union.islands, key(seed, "test", "tail")))


UNIONS = [
    (Flat(100, 80), [UNIT], 0.01, 1.0, (2.0, 2.5, 4.0, 8.0)),
    (Flat(12, 9), unlike(12), 0.05, 1.0, (2.0, 4.0, 12.0, 30.0)),
    (Flat(12, 9), unlike(12), 0.05, 0.9, (2.0, 4.0, 12.0, 30.0)),
    (Layers(40, (35, 25, 15)), unlike(2) * 20, 0.0, 1.0, (4.0, 10.0, 30.0)),
    (Layers(40, (35, 25, 15)), unlike(2) * 20, 0.0, 0.97, (4.0, 10.0, 30.0)),
    (Layers(8, (6, 4), fresh=True), unlike(8), 0.0, 1.0, (4.0, 10.0, 30.0)),
    (TREE, unlike(12), 0.05, 1.0, (3.0, 6.0, 15.0)),
]


@pytest.mark.night
@pytest.mark.parametrize(("structure", "times", "receive", "answers", "points"), UNIONS)
def test_union_sampling_agrees_with_exact_laws(structure, times, receive, answers, points):
    """26 draws: beyond 4.5 standard errors one in 5000 such tests would fail by chance."""
    law = distribution(structure, times, receive, answers=answers)
    method = sampled(structure, times, receive, answers)
    for t in points:
        exact, found = float(law.survival(t)), above(method, t)
        assert abs(found.value - exact) <= 4.5 * found.standard_error + 1e-12 * exact
        low, high = found.interval(0.999999)
        assert 0 < low * (1 - 1e-12) <= exact <= high * (1 + 1e-12)
        assert high - low <= 0.03 * found.value
        assert found == above(method, t)


@pytest.mark.night
def test_only_what_is_known_exactly_has_an_exact_tail():
    assert isinstance(tail(Flat(100, 80), unlike(100)), CompletionLaw)
    assert isinstance(tail(Flat(20, 15), unlike(20), 0.01), CompletionLaw)
    assert not isinstance(tail(Flat(40, 30), unlike(40), 0.01), CompletionLaw)
    assert not isinstance(tail(Layers(40, (30, 20)), unlike(40)), CompletionLaw)
    assert "no exact law" in refusal(tail, Layers(40, (30, 20)), unlike(40), 0.01)
    assert "countless additions" in refusal(tail, Flat(5000, 4000), unlike(5000), 0.001)


def test_what_cannot_fail_and_what_must_is_certain():
    times = [Uniform(low=1.0, high=float(high)).time() for high in range(2, 42)]
    method = tail(Flat(40, 30), times, 0.01)
    for t, value in ((1.1, 1.0), (45.0, 0.0)):
        found = above(method, t)
        assert (found.value, found.standard_error, found.interval()) == (value, 0.0, (value, value))


def test_half_widths_are_1_96_standard_errors_and_1_645_beside_a_bound():
    """What samples say is given; which bound is near is decided by the first two islands."""
    times = [Exponential(mean=mean).time() for mean in (1.0, 1.2, 0.8)]
    union = Union.late(sampled(Flat(3, 2), times, 0.5), 2.0)
    total, whole = union.failures.sum(), union.complete
    least = union.failures.max() / total  # of the mean of 1/V
    assert least < 0.8 and union.failures.size == 2

    def probability(share, pilot=None):
        """Two islands, and those that count, whose mean of 1/V is as given."""

        def sampling(first, count):
            alone = 2 * (share if first or pilot is None else pilot) - 1
            return np.tile([0.0, 1024 * alone, 1024 * (1 - alone)], (count, 1))

        return union.probability(sampling)

    middle = probability(0.5 + 0.5 * least)
    low, high = middle.interval()
    assert middle.value - low == close(1.959964 * middle.standard_error, rel=1e-6)
    assert high - middle.value == close(1.959964 * middle.standard_error, rel=1e-6)
    for beside, end in ((least + 1e-6, 1), (1 - 1e-6, 0)):
        near = probability(beside)
        half = abs(near.interval()[end] - near.value)
        assert half == close(1.644854 * near.standard_error, rel=1e-6)
        assert near.interval()[1 - end] == close((1.0, least)[end] * total / whole)
        # beside a bound by chance: what counts says so, not what was looked at first
        far = probability(beside, pilot=0.5 + 0.5 * least)
        half = abs(far.interval()[end] - far.value)
        assert half == close(1.959964 * far.standard_error, rel=1e-6)


@pytest.mark.night
def test_the_mean_has_no_bias_and_the_interval_alone_keeps_to_bounds():
    structure, t = Flat(24, 20), 4.0
    exact = float(distribution(structure, [UNIT], 0.01).survival(t))
    method = sampled(structure, unlike(24, sigma=1e-12), 0.01)
    found = [above(method, t, seed) for seed in range(120)]
    least = Union.late(method, t).least
    values = np.array([each.value for each in found])

    def away(values):
        return (values.mean() - exact) / (values.std(ddof=1) / len(values) ** 0.5)

    assert abs(away(values)) < 3.5
    assert away(np.maximum(values, least)) > 5  # the negative control: clipped, as it was
    ends = np.array([each.interval() for each in found])
    assert (ends[:, 0] >= least * (1 - 1e-12)).all()
    assert ((ends[:, 0] <= exact) & (exact <= ends[:, 1])).mean() > 0.9
    noted = [each.note is not None for each in found]
    assert noted == (values < least).tolist()
    errors = np.array([each.standard_error for each in found])
    assert values.std(ddof=1) == close(np.median(errors), rel=0.25)


@pytest.mark.parametrize("t", [1.6, 2.3, 3.3, 4.2])
def test_times_that_are_attained_are_not_exceeded(t):
    """Recorded times in whole seconds and messages of a tenth: each t is a sum of them."""
    rng = np.random.default_rng(5)
    times = [SampleTime(rng.integers(1, 5, 40).astype(float)) for _ in range(9)]
    law = distribution(Flat(9, 6), times, 0.1)
    a_little = 1e-9
    assert float(law.survival(t)) == float(law.survival(t + a_little))
    assert float(law.survival(t)) < float(law.survival(t - a_little))
    found = above(sampled(Flat(9, 6), times, 0.1), t)
    assert abs(found.value - float(law.survival(t))) <= 4.5 * found.standard_error + 1e-15


# ---- the quadrature


@pytest.mark.parametrize("p", [0.25, 0.125])
def test_a_law_whose_median_is_its_least_time(p):
    late = Bimodal(p_slow=p, fast=Deterministic(value=1.0), slow=Exponential(mean=3.0, shift=1.0))
    found = distribution(Flat(1, 1), [late.time()])
    assert found.quantile(0.5) == 1.0 == found.minimum
    assert found.mean() == close(1.0 + 3.0 * p, 1e-9)
    assert found.variance() == close(p * 18.0 - (3.0 * p) ** 2, 1e-9)


def test_times_without_squares():
    latency = {"distribution": "exponential", "mean": 1e308, "shift": 1e308}
    system = {"family": "coded-reduce", "n": 2, "layers": 2, "s": 1}
    study = {"kind": "completion", "system": system, "latency": latency}
    with pytest.raises(FastgcError, match="their squares are no numbers; take a larger unit"):
        fastgc.run(study | {"port": {"receive": 1e307}}, trials=64, threads=1)
