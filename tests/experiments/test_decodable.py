"""The probability that a round is ever done, where a trial has several rounds."""

import math
from fractions import Fraction

import numpy as np
import pytest

from fastgc.experiments.completion.measures import Block, Setting, make


@pytest.mark.parametrize("iterations", [1, 2, 7])
def test_mean_and_standard_error_by_definition(iterations):
    """Rounds of one trial go together; the standard error is that of the trials' shares."""
    random = np.random.default_rng(iterations)
    trials = 500
    probability = random.choice([0.3, 0.95], size=trials)
    decodable = random.random((iterations, trials)) < probability
    measure = make("decodable", Setting(iterations, (), (), math.inf, may_fail=True, load=1.0))
    cells = np.zeros(measure.cells)
    measure.add(Block(np.where(decodable, 1.0, math.inf)), cells, [], [])
    sums = [Fraction(float(cell)) for cell in cells]
    [(statistic, index, found)] = measure.rows(trials, sums, [])
    share = decodable.mean(axis=0)
    assert (statistic, index) == ("mean", None)
    assert found.value == pytest.approx(share.mean(), rel=1e-12)
    assert found.standard_error == pytest.approx(share.std(ddof=1) / math.sqrt(trials), rel=1e-9)
