"""Accumulators against the definitions, and spreads of 1e-9 of the mean, which keep digits."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fastgc import experiments
from fastgc.engine.units import Unit
from fastgc.experiments.accumulators import Count, EveryValue, Exceedances, Pooled, Portion, Ratio
from fastgc.experiments.decoding.measures.base import Levels, Scale
from fastgc.experiments.table import Point
from fastgc_kernels.tally.sums import HISTOGRAM_BINS
from suite.checks import close, every

TRIALS = 200
BLOCKS = (slice(0, 120), slice(120, TRIALS))


def some(*shape):
    return np.random.default_rng(len(shape)).gamma(2.0, size=shape)


def summed(cells, fill):
    """Exact sums of the cells of both blocks, each filled on its own."""
    total = [Fraction(0)] * cells
    for block in BLOCKS:
        own = np.zeros(cells)
        fill(block, own)
        total = [a + Fraction(b) for a, b in zip(total, own.tolist(), strict=True)]
    return total


def found(accumulator, fill, *more):
    sums = summed(accumulator.cells, fill)
    return dict(accumulator.estimates(TRIALS, sums, *more))


@pytest.mark.parametrize("iterations", [1, 4])
def test_pooled(iterations):
    values = some(iterations, TRIALS)
    pooled = Pooled(most=50.0)
    estimates = found(pooled, lambda own, out: pooled.add(EveryValue(values[:, own].copy()), out))
    means, squares = values.mean(axis=0), (values**2).mean(axis=0)
    assert estimates["mean"].value == pytest.approx(values.mean())
    assert estimates["mean"].most == 50.0
    assert estimates["variance"].value == pytest.approx(values.var())
    slope = squares - 2 * means.mean() * means
    error = slope.std(ddof=1) / TRIALS**0.5
    assert estimates["variance"].standard_error == pytest.approx(error)


def test_shares_counts_and_exceedances():
    values = some(4, TRIALS)
    happens = values > 1.5
    share, otherwise = Portion(4), Portion(4, otherwise=True)
    count = happens.sum(axis=0).astype(float)
    error = count.std(ddof=1) / 4 / TRIALS**0.5
    for accumulator, expected in ((share, happens.mean()), (otherwise, 1 - happens.mean())):
        [(_, estimate)] = accumulator.estimates(
            TRIALS, summed(2, lambda own, out: share.add(count[own], out))
        )
        assert estimate.value == pytest.approx(expected) and estimate.proportion
        assert estimate.standard_error == pytest.approx(error)
    [(_, estimate)] = Count().estimates(TRIALS, [Fraction(int(happens[0].sum()))])
    assert estimate.value == pytest.approx(happens[0].mean())
    above = Exceedances([0.5, 1.0], shift=0.5)
    estimates = found(above, lambda own, out: above.add(EveryValue(values[:, own].copy()), out))
    assert list(estimates) == ["P(>0.5)", "P(>1.0)"]
    assert estimates["P(>0.5)"].value == pytest.approx((values > 1.0).mean())
    assert estimates["P(>1.0)"].value == pytest.approx(happens.mean())
    assert estimates["P(>1.0)"].standard_error == pytest.approx(error)


def test_ratios():
    a, c = some(2, TRIALS)
    c = np.floor(c + 1)
    ratio = Ratio()
    own = summed(ratio.cells, lambda block, out: ratio.add(a[block], c[block], out))
    beside = [sum(map(Fraction, (c**power).tolist())) for power in (1, 2)]
    [(_, estimate)] = ratio.estimates(TRIALS, [*beside, *own])
    assert estimate.value == pytest.approx(a.sum() / c.sum())
    deviation = a - a.sum() / c.sum() * c
    error = (deviation**2).sum() ** 0.5 / c.sum()
    assert estimate.standard_error == pytest.approx(error, rel=0.01)


def tallied(values):
    powers, pooled, above = np.empty(4), np.empty(7), np.empty(2)
    bins, extremes = np.zeros(HISTOGRAM_BINS, np.int64), np.array([np.inf, -np.inf, 0.0, 0.0])
    values.powers(powers)
    values.pooled(pooled)
    values.above(1.5, above)
    values.histogram(bins, extremes)
    return powers, pooled, above, bins, extremes


def test_counted_levels_are_the_distribution_of_their_values():
    scale = Scale(np.array([0.0, 0.5, 1.5, 2.0, 8.0]))  # powers of 2 and sums of few: no rounding
    counts = np.array([3, 20, 7, 5, 0])
    values = np.random.default_rng(1).permutation(np.repeat(scale.values, counts))
    known, counted = EveryValue(values.reshape(1, -1)), Levels(scale, counts)
    for one, other in zip(tallied(known), tallied(counted), strict=True):
        np.testing.assert_array_equal(one, other)


# ---- small spreads, whichever process samples a block


SIGMA = 1e-9
NUMBERS = range(4)


def slight(n):
    """A matrix whose columns are nearly orthogonal to all-ones, each a little differently."""
    rows = np.zeros((2 * n, n))
    for j in range(n):
        rows[2 * j, j], rows[2 * j + 1, j] = 1.0, -1.0 + 1e-4 * (j + 1) / n
    return rows.tolist()


TIME = {
    "kind": "completion",
    "system": {"family": "k-of-n", "n": 5, "k": 3},
    "latency": {"distribution": "lognormal", "mu": 1.0, "sigma": SIGMA},
    "method": "monte-carlo",
}
MAY_FAIL = TIME | {"stragglers": {"model": "iid", "p": 0.3}}
WAITING = TIME | {
    "system": {"family": "gradient-code", "n": 5, "s": 1},
    "port": {"receive": 1.0},
    "measure": ("time", "waiting"),
}
NORM = {
    "code": {"family": "matrix", "rows": tuple(map(tuple, slight(20)))},
    "stragglers": {"model": "iid", "p": 0.3},
    "measure": ("norm",),
    "method": "monte-carlo",
    "variance_reduction": False,
}


def moments(values):
    """Mean, variance and standard errors of trials (T, L) in exact arithmetic; NaN is no value."""
    cells = [[Fraction(float(x)) for x in row if math.isfinite(x)] for row in values]
    every = [x for row in cells for x in row]
    mean = sum(every) / len(every)
    a = [sum(x - mean for x in row) for row in cells]
    spread = sum(each * each for each in a)
    square = sum((x - mean) ** 2 for x in every)
    return mean, square / len(every), math.sqrt(spread) / len(every)


def unit_of(study, iterations, seed=7):
    table = experiments.kinds()[study.get("kind", "decoding")].model_validate(
        study | {"iterations": iterations}
    )
    return Unit([Point("here", {}, table)], seed, "stream")


@pytest.mark.parametrize("iterations", [1, 3])
@pytest.mark.parametrize("study", [TIME, MAY_FAIL, WAITING, NORM], ids=str)
def test_a_small_spread_keeps_its_digits(study, iterations):
    unit = unit_of(study, iterations)
    run = unit.run(NUMBERS, 640, keep=True)
    blocks = [each for [each] in run.samples]
    values = np.concatenate([block["error" if "code" in study else "time"] for block in blocks])
    values = np.sqrt(values) if "code" in study else values
    mean, variance, error = moments(values)
    assert 0 < math.sqrt(variance) < 1e-7 * mean
    rows = {(name, what): estimate for _, name, what, _, estimate in unit.rows(run.tally)}
    name = unit.points[0].table.measure[0]
    assert rows[name, "mean"].value == pytest.approx(float(mean), rel=4e-16)
    assert rows[name, "mean"].standard_error == close(error, rel=1e-3)
    assert rows[name, "variance"].value == close(float(variance), rel=1e-3)
    if name == "time" and "port" in study:
        assert rows["waiting", "variance"].value == close(float(variance), rel=1e-3)


TRAINING = {
    "kind": "training",
    "problem": {"model": "linear", "data": "synthetic", "samples": 30, "features": 3},
    "optimizer": {"method": "gradient-descent", "step": 0.1},
    "latency": {"distribution": "exponential", "mean": 1.0},
    "target_loss": 0.4,
    "measure": ("time", "time_to_loss"),
}
CODED = TRAINING | {
    "code": {"family": "frc", "n": 6, "d": 2},
    "system": {"family": "gradient-code", "n": 6, "s": 2},
}
SELECTED = TRAINING | {"selection": {"method": "g-cada", "workers": 6, "groups": 3, "c": 0.3}}


@pytest.mark.parametrize("study", [TIME, MAY_FAIL, NORM, CODED, SELECTED], ids=str)
def test_shards_have_the_same_bits(study):
    """Each part is sampled by an experiment of its own, as in another process, the last first."""
    whole = unit_of(study, 2)
    tally = whole.run(NUMBERS, 640).tally
    *others, last = (unit_of(study, 2).run([block], 640).tally for block in reversed(NUMBERS))
    for other in others:
        last.merge(other)
    assert np.array_equal(last.sums.limbs(), tally.sums.limbs())
    assert [str(row) for row in whole.rows(last)] == [str(row) for row in whole.rows(tally)]


def test_without_any_trial_there_is_nothing():
    unit = unit_of(TIME, 1)
    assert every(row[-1].value is None for row in unit.rows(unit.fresh().tally))
