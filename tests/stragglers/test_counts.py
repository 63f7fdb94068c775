"""The law of the number of survivors, against all patterns."""

import numpy as np
import pytest
from scipy import stats

from fastgc.stragglers import Iid, Markov, TwoClass, Uniform
from fastgc.stragglers.counts import MOST_KINDS, independent, together
from fastgc.stragglers.trace import Replay, Rows
from twins import reductions as twin

MODELS = [
    Iid(p=0.3),
    Iid(p=(0.0, 1.0, 0.3, 0.3, 0.7, 0.01)),
    Markov(p_straggle_after_ok=0.1, p_straggle_after_straggle=0.8),
    TwoClass(p_slow=0.3, p_straggle_slow=0.8, p_straggle_active=0.05),
    TwoClass(slow=(1, 4), p_straggle_slow=0.8, p_straggle_active=0.05),
    TwoClass(slow=2, p_straggle_slow=0.8, p_straggle_active=0.05),
    TwoClass(slow=0, p_straggle_slow=0.8, p_straggle_active=0.05),
    TwoClass(slow=6, p_straggle_slow=0.8, p_straggle_active=0.05),
    Uniform(stragglers=2),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_number_of_survivors_has_the_law_of_the_patterns(model):
    n = 6
    expected = np.zeros(n + 1)
    np.add.at(expected, [k.bit_count() for k in range(1 << n)], model.distribution(n))
    np.testing.assert_allclose(model.survivor_counts(n), expected, rtol=1e-12, atol=1e-15)


def test_recorded_rows():
    survived = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]], bool)
    for law in (Rows(3, survived.tobytes()), Replay(3, survived.tobytes())):
        assert law.survivor_counts(3).tolist() == [0.0, 0.5, 0.25, 0.25]


@pytest.mark.parametrize("model", [m for m in MODELS if m.independent(6) is not None], ids=str)
def test_independent_workers(model):
    probabilities = model.independent(6)
    np.testing.assert_allclose(
        model.survivor_counts(6), twin.survivor_counts(probabilities), atol=1e-15
    )


@pytest.mark.parametrize(("n", "p"), [(1, 0.2), (1000, 0.3), (20_000, 1e-4), (100_000, 0.999)])
def test_many_workers(n, p):
    found = independent(np.full(n, p))
    expected = stats.binom.pmf(np.arange(n + 1), n, 1 - p)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-30)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


def test_no_workers_and_too_many_kinds():
    assert independent(np.empty(0)).tolist() == [1.0]
    assert independent(np.linspace(0.1, 0.2, MOST_KINDS + 1)) is None
    assert together(None, np.ones(1)) is None
    assert TwoClass(slow=1, p_straggle_slow=0.5, p_straggle_active=0.1).independent(3) is None
