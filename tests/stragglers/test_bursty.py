"""The bursty model: its patterns are bursty and go as far as they may; recordings are tested."""

import itertools

import numpy as np
import pytest

import fastgc
from fastgc.stragglers.bursty import Bursty, least_bursty
from suite.checks import every
from twins.sequences import bursty, goes_on

MODELS = [(1, 2, 2), (2, 3, 3), (2, 5, 1), (3, 3, 4), (1, 4, 0), (2, 2, 6)]


@pytest.mark.parametrize(("burst", "window", "distinct"), MODELS)
def test_patterns_are_bursty_and_nobody_else_could_straggle(burst, window, distinct):
    draws = np.random.default_rng(1).random((60, 12, 6))
    model = Bursty(p=0.4, burst=burst, window=window, distinct=distinct)
    straggled = 0
    for own, alive in zip(draws, model.histories(draws, np.empty((60, 6))), strict=True):
        history = [set(np.flatnonzero(~row).tolist()) for row in alive]
        straggled += sum(map(len, history))
        assert bursty(history, burst, window, distinct)
        for r, late in enumerate(history):
            would = set(np.flatnonzero(own[r] < 0.4).tolist())
            assert late <= would
            for worker in would - late:
                assert not goes_on(history[:r], late | {worker}, burst, window, distinct)
    assert (straggled > 0) is (distinct > 0)


def test_workers_are_alike():
    draws = np.random.default_rng(2).random((4000, 9, 5))
    model = Bursty(p=0.5, burst=1, window=2, distinct=2)
    shares = (~model.histories(draws, np.empty((4000, 5)))).mean(axis=1)
    each, errors = shares.mean(axis=0), shares.std(axis=0) / 4000**0.5
    assert np.all(np.abs(each - each.mean()) < 4 * errors)


@pytest.mark.parametrize("window", [1, 2, 3, 5])
def test_the_least_model_of_a_recording(window):
    rng = np.random.default_rng(window)
    for _ in range(30):
        recorded = rng.random((9, 4)) < 0.2
        history = [set(np.flatnonzero(row).tolist()) for row in recorded]
        fits = {
            pair
            for pair in itertools.product(range(1, window + 1), range(5))
            if bursty(history, pair[0], window, pair[1])
        }
        least = least_bursty(recorded, window)
        assert least in fits
        assert every(burst >= least[0] and distinct >= least[1] for burst, distinct in fits)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"window": 1}, "window: must be at least burst"),
        ({"distinct": 7}, "distinct: must be at most n=6"),
        ({"burst": 0}, "burst: "),
        ({"p": 1.5}, "p: "),
    ],
)
def test_mistakes(more, sentence):
    table = {"model": "bursty", "p": 0.1, "burst": 2, "window": 3, "distinct": 2} | more
    with pytest.raises(fastgc.FastgcError, match=sentence):
        fastgc.run({"code": {"family": "uncoded", "n": 6}, "stragglers": table}, trials=64)
