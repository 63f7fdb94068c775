"""Order statistics drawn themselves: against scipy, exact means, and workers drawn one by one."""

import math

import numpy as np
import pytest
from scipy import special, stats

from fastgc.draws.streams import Trials
from fastgc.latency import Empirical, Exponential, Gamma
from fastgc.latency.draws import Draws
from fastgc.systems import CodedReduce
from fastgc.systems.timing.group_structures import Layers, Replicated
from fastgc.systems.timing.laws import distribution
from fastgc.systems.timing.order_draws import fused, steps_between
from fastgc.systems.timing.rounds import Evaluator
from fastgc.systems.timing.stars import Flat, Ring, Tree
from fastgc_kernels.draw import spacings, strips
from suite.checks import close
from suite.laws import INVERTIBLE

UNIT = Exponential(mean=1.0)
PLACES = [(1, 1), (2, 1), (2, 2), (12, 9), (20, 16), (100, 1), (100, 80), (100, 100), (10**6, 10)]


def batch(groups=400, iterations=1, first=0, stream="s"):
    return Trials(7, stream, first, groups, iterations)


def order_draws(n, places, law, batch):
    """Order statistics of the times of n workers, (iterations, places, trials)."""
    out = np.empty((batch.iterations, len(places), batch.trials))
    own = law.kind, law.params, batch.key("order"), np.uint64(batch.first)
    spacings.each(steps_between(n, places), *own, out)
    return out


def compiled(law, load=1.0):
    return law.time(load).compiled()


def regular(n, layers, need):
    return CodedReduce(n=n, layers=layers, s=n - need).structure()


# ---- strips


@pytest.mark.parametrize(("n", "k"), PLACES)
def test_strips_cover_the_density_and_no_more_than_they_say(n, k):
    table = np.empty((strips.ROWS, strips.STRIPS))
    strips.lay(n, k, table)
    used = table[strips.WIDTH] > 0
    assert used.sum() > 0.99 * strips.STRIPS
    lower, width = table[strips.LOWER, used], table[strips.WIDTH, used]
    height = np.exp(table[strips.HEIGHT, used])
    order = np.argsort(lower)
    upper = lower + width
    assert lower.min() == 0 and upper.max() == 1
    assert lower[order][1:] == pytest.approx(upper[order][:-1], abs=3e-16)
    assert width * height == close(np.full(used.sum(), width[0] * height[0]), rel=1e-8)
    for share in (1e-6, 0.3, 0.999999):
        x = lower + share * width
        inside = (x > 0) & (x < 1)
        mode = (n - k) / (n - 1) if n > 1 else 0.5
        level = special.xlogy(n - k, x / max(mode, 1e-300)) if n > k else 0.0
        if k > 1:
            level = level + (k - 1) * (np.log1p(-np.where(inside, x, 0)) - math.log1p(-mode))
        density = np.exp(np.where(inside, level, 0.0))
        assert (density <= height * (1 + 1e-8))[inside].all()
        assert (density >= table[strips.SURE, used] * height * (1 - 1e-8))[inside].all()


@pytest.mark.parametrize(("n", "k"), PLACES)
def test_one_order_statistic_is_beta(n, k):
    e = order_draws(n, [k], compiled(UNIT), batch(1600)).ravel()
    # 102 400 numbers, 9 tests: a false alarm once in 1100 changes of the stream
    assert stats.kstest(np.exp(-e), stats.beta(n - k + 1, k).cdf).pvalue > 1e-4


def test_points_that_must_be_looked_at_twice():
    # a coarse look at the tails, where most strips are not all under the density
    v = np.exp(-order_draws(20, [16], compiled(UNIT), batch(16384)).ravel())
    law = stats.beta(5, 16)
    for level in (1e-5, 1e-4, 1e-3):
        for share in ((v < law.ppf(level)).mean(), (v > law.isf(level)).mean()):
            assert abs(share - level) < 5 * math.sqrt(level / v.size)


def test_several_order_statistics():
    places = [2, 50, 80, 81, 100]
    found = order_draws(100, places, compiled(UNIT), batch(1024, 2))
    assert found.shape == (2, 5, 65536)
    harmonic = np.cumsum(1 / np.arange(100, 0, -1.0))[np.array(places) - 1]
    square = np.cumsum(1 / np.arange(100, 0, -1.0) ** 2)[np.array(places) - 1]
    rows = found.transpose(1, 0, 2).reshape(5, -1)
    assert (np.diff(rows, axis=0) > 0).all()
    # 5 standard errors
    assert np.abs(rows.mean(axis=1) - harmonic).max() < 5 * math.sqrt(square[-1] / rows.shape[1])
    expected = np.minimum.outer(square, square)
    error = np.sqrt(2 * np.outer(square, square) / rows.shape[1])
    assert (np.abs(np.cov(rows) - expected) < 5 * error).all()


@pytest.mark.parametrize("law", INVERTIBLE.values(), ids=str)
def test_order_statistics_of_any_law(law):
    for places in ([3], [1, 3, 7]):
        found = order_draws(7, places, compiled(law, 2.0), batch(1600))
        for row, k in zip(found[0], places, strict=True):
            share = law.time(2.0).cdf(row)
            # 20 tests: once in 500
            assert stats.kstest(share, stats.beta(k, 8 - k).cdf).pvalue > 1e-4


def test_order_statistics_of_values(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n4,10\n1,20\n")
    law = compiled(Empirical(file=str(tmp_path / "t.csv")), 2.0)
    found, counts = np.unique(order_draws(3, [2], law, batch(1600)), return_counts=True)
    assert found.tolist() == [2, 8, 20, 40]
    u = np.arange(5) / 4
    shares = np.diff(3 * u**2 - 2 * u**3)
    assert np.abs(counts / counts.sum() - shares).max() < 5 * 0.5 / math.sqrt(102400)


# ---- systems

SYSTEMS = [
    (Flat(30, 24), 0.0, "start"), (Flat(5, 5), 0.0, "start"), (Flat(20, 15), 0.05, "start"),
    (Flat(3, 1), 1.0, "start"), (Ring(7), 0.1, "start"), (Ring(1), 0.1, "start"),
    (Replicated(12, 3, 3), 0.0, "start"), (Replicated(12, 4, 3), 0.0, "start"),
    (Layers(10, (9, 8, 6, 5)), 0.0, "start"), (Layers(10, (3, 9, 0, 3, 2)), 0.0, "start"),
    (Layers(4, (4, 4, 4)), 0.0, "start"), (Layers(6, (6, 1), ends=(0.5, 6.0)), 0.0, "start"),
    (regular(5, 1, 3), 0.2, "after-own"),
    (regular(5, 2, 3), 0.0, "start"), (regular(5, 2, 3), 0.05, "start"),
    (regular(4, 2, 4), 0.2, "after-own"), (regular(3, 3, 2), 0.0, "after-own"),
    (regular(3, 3, 2), 0.3, "start"), (regular(2, 4, 1), 0.3, "after-own"),
    (regular(1, 3, 1), 0.3, "after-own"),
]  # fmt: skip


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda each: f"{str(each[0])[:40]} {each[1]}")
def test_same_distribution_as_workers_one_by_one(system):
    structure, receive, opens = system
    for law in (INVERTIBLE["exponential"], INVERTIBLE["lognormal"]):
        drawn = fused(structure, compiled(law), receive, opens)(batch(200, 1, stream="one"))
        times = Draws([law], structure.workers).times(batch(200, 1, stream="other"))[0]
        slow = Evaluator(structure, receive, opens).done(times)
        # 38 tests: a false alarm once in 260 changes of the stream
        assert stats.ks_2samp(drawn.ravel(), slow).pvalue > 1e-4


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda each: f"{str(each[0])[:40]} {each[1]}")
def test_a_trial_does_not_depend_on_its_batch(system):
    structure, receive, opens = system
    draw = fused(structure, compiled(INVERTIBLE["weibull, light"]), receive, opens)
    whole = draw(batch(20, 3))
    for first, groups, iterations in ((0, 3, 2), (64 * 7, 13, 3), (64 * 19, 1, 1)):
        part = draw(batch(groups, iterations, first=64 * (first // 64)))
        assert (part == whole[:iterations, first : first + 64 * groups]).all()


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda each: f"{str(each[0])[:40]} {each[1]}")
def test_means_are_those_of_the_exact_law(system):
    structure, receive, opens = system
    found = fused(structure, compiled(INVERTIBLE["exponential"]), receive, opens)(batch(3000))
    exact = distribution(structure, [INVERTIBLE["exponential"].time()], receive, opens)
    # 19 tests: a false alarm once in 800 changes of the stream
    assert abs(found.mean() - exact.mean()) < 4 * found.std() / math.sqrt(found.size) + 1e-9


def test_each_layer_that_may_be_the_last_is_a_control_and_no_order_statistic_of_itself():
    draw = fused(Layers(10, (3, 9, 0, 3, 2)), compiled(UNIT))
    assert draw.controls == ((5.0, Flat(10, 2)), (4.0, Flat(10, 3)), (2.0, Flat(10, 9)))
    for structure in (Flat(30, 24), Ring(7), Replicated(12, 3, 3), Layers(4, (4,) * 3)):
        draw = fused(structure, compiled(UNIT))
        assert (draw.controls, draw.beside, draw.weighted) == ((), None, None)


# ---- where workers must be drawn


def test_no_short_cut():
    irregular = Tree((0, 0, 1, 1, 1), (1, 2, 0, 0, 0, 0))
    law = compiled(UNIT)
    assert fused(irregular, law) is None
    assert fused(Layers(3, (2, 1), fresh=True), law) is None
    assert fused(Layers(3, (2, 1)), law, receive=0.1) is None
    assert fused(Replicated(4, 2, 2), law, receive=0.1) is None
    assert fused(Flat(3, 2), compiled(Gamma(shape=2.0, scale=1.0))) is None
    assert fused(Tree((0,), (1, 0), (2000, 3, 1000)), law, 0.1) is None
