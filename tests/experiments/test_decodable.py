"""The probability that a round is ever done, where a trial has several rounds."""

import math
from fractions import Fraction

import numpy as np
import pytest

import fastgc
from fastgc.experiments.completion.measures import Block, Setting, make


def rows_of(decodable):
    """Rows that rounds (L, T), done or not, become."""
    iterations, trials = decodable.shape
    setting = Setting(iterations, (), (), math.inf, may_fail=True, load=1.0)
    measure = make("decodable", setting)
    cells = np.zeros(measure.cells)
    measure.add(Block(np.where(decodable, 1.0, math.inf)), cells, [], [])
    return list(measure.rows(trials, [Fraction(float(cell)) for cell in cells], []))


@pytest.mark.parametrize("iterations", [1, 2, 7])
def test_mean_and_standard_error_by_definition(iterations):
    """Rounds of one trial go together; the standard error is that of the trials' shares."""
    random = np.random.default_rng(iterations)
    trials = 500
    probability = random.choice([0.3, 0.95], size=trials)
    decodable = random.random((iterations, trials)) < probability
    [(statistic, index, found)] = rows_of(decodable)
    share = decodable.mean(axis=0)
    assert (statistic, index) == ("mean", None)
    assert found.value == pytest.approx(share.mean(), rel=1e-12)
    assert found.standard_error == pytest.approx(share.std(ddof=1) / math.sqrt(trials), rel=1e-9)


SLOW = {"model": "two-class", "p_slow": 0.3, "p_straggle_slow": 0.7, "p_straggle_active": 0.05}


@pytest.mark.night
def test_standard_errors_are_what_seeds_differ_by():
    """Of 200 seeds: the spread of the estimates is the standard error, within 25 %.

    A standard deviation of 200 values is off by 5 %: by 25 % once in 10⁶.
    """
    table = {
        "kind": "completion",
        "system": {"family": "gradient-code", "n": 6, "s": 2},
        "latency": {"distribution": "exponential", "mean": 1.0},
        "stragglers": SLOW,
        "iterations": 8,
        "measure": ["decodable"],
        "method": "monte-carlo",
    }
    found = [
        fastgc.run(table, trials=200, seed=seed, threads=1)["experiment1"]["decodable"].mean
        for seed in range(200)
    ]
    spread = np.std([each.value for each in found], ddof=1)
    claimed = math.sqrt(np.mean([each.standard_error**2 for each in found]))
    assert claimed == pytest.approx(spread, rel=0.25)
