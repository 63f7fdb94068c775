"""Spreads of 1e-9 of the mean keep their digits, whichever process samples a block."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fastgc import experiments
from fastgc.engine.units import Unit
from fastgc.experiments.table import Point
from suite.checks import close, every

SIGMA = 1e-9
BLOCKS = range(4)


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
    run = unit.run(BLOCKS, 640, keep=True)
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
    tally = whole.run(BLOCKS, 640).tally
    *others, last = (unit_of(study, 2).run([block], 640).tally for block in reversed(BLOCKS))
    for other in others:
        last.merge(other)
    assert np.array_equal(last.sums.limbs(), tally.sums.limbs())
    assert [str(row) for row in whole.rows(last)] == [str(row) for row in whole.rows(tally)]


def test_without_any_trial_there_is_nothing():
    unit = unit_of(TIME, 1)
    assert every(row[-1].value is None for row in unit.rows(unit.fresh().tally))
