"""Stragglers in runs: bit for bit, by their moments, and exactly."""

import numpy as np
import pytest

import fastgc
from fastgc.draws.streams import Batch
from fastgc.stragglers import Iid, Markov
from suite.checks import refusal
from twins import chains as twin
from twins.least_squares import unpack

SEED, STREAM = 5, "a stream"


def made(after_ok, after_straggle):
    return Markov(p_straggle_after_ok=after_ok, p_straggle_after_straggle=after_straggle)


# ---- draws


def steps(n):
    return tuple((j + 1) / (n + 1) for j in range(n))


@pytest.mark.parametrize(("n", "after_ok", "after_straggle", "groups", "trials"), [
    *((n, 0.05, 0.7, 2, (0, 63, 64, 100)) for n in (1, 2, 5)),
    *((n, steps(n), steps(n)[::-1], 2, (0, 63, 64, 100)) for n in (1, 2, 5)),
    *((n, 0.05, 0.7, 2, (5,)) for n in (64, 65)),
    *((n, steps(n), steps(n)[::-1], 2, (5,)) for n in (64, 65)),
    # chunks of chains cross from one worker to the next
    (3, (0.1, 0.5, 1 / 3), (0.9, 0.25, 0.6), 45, (0, 64 * 31 + 5, 64 * 32, 64 * 44 + 63)),
    # after 40 equal digits only the last ones tell 1/2 and p apart: both sides of a rare tie
    (2, 0.5 + 2.0**-41, 0.5, 1, range(0, 64, 7)),
])  # fmt: skip
def test_bit_for_bit(n, after_ok, after_straggle, groups, trials):
    batch = Batch(SEED, STREAM, 192, groups, 4)
    found = unpack(made(after_ok, after_straggle).draw(n, batch), n)
    each = [list(np.broadcast_to(p, n)) for p in (after_ok, after_straggle)]
    for trial in trials:
        assert found[:, trial].tolist() == twin.chain(SEED, STREAM, 192 + trial, 4, *each)


@pytest.mark.parametrize("p", [0.0, 0.25, 1.0])
def test_without_memory_it_is_iid(p):
    batch = Batch(SEED, STREAM, 64, 3, 4)
    assert (made(p, p).draw(7, batch).planes == Iid(p=p).draw(7, batch).planes).all()


def test_certain_changes():
    n, batch = 66, Batch(SEED, STREAM, 0, 2, 5)
    turning = unpack(made(1.0, 0.0).draw(n, batch), n)
    assert (turning[1:] != turning[:-1]).all() and 0.4 < turning[0].mean() < 0.6
    assert not unpack(made(0.5, 1.0).draw(n, batch), n).any()
    assert unpack(made(0.0, 0.5).draw(n, batch), n).all()
    mixed = unpack(made((1.0, 0.3), (0.4, 1.0)).draw(2, batch), 2)
    survived = mixed[:-1, :, 0]
    assert not (survived & mixed[1:, :, 0]).any() and not mixed[:, :, 1].any()


# ---- the exact method


@pytest.mark.parametrize("lag", [1, 2, 3])
def test_lagged_over_every_path(lag):
    n = 2
    after_ok, after_straggle = [0.1, 0.6], [0.7, 0.25]
    first, second = np.random.default_rng(lag).normal(size=(2, 1 << n))
    found = made(tuple(after_ok), tuple(after_straggle)).lagged(n, first, second, lag)
    expected = twin.expectation(n, after_ok, after_straggle, first, second, lag)
    assert found == pytest.approx(expected, rel=1e-13)


def test_distant_iterations_are_independent():
    model = made(0.1, 0.7)
    first, second = np.random.default_rng(0).normal(size=(2, 8))
    law = model.distribution(3)
    expected = (law @ first) * (law @ second)
    for lag in (60, 81, 200):
        assert model.lagged(3, first, second, lag) == pytest.approx(expected, rel=1e-12)


# ---- bad input

NEVER = "must be less than 1 where p_straggle_after_ok is 0"


@pytest.mark.parametrize("change, sentence", [
    ({"p_straggle_after_ok": 1.5}, "p_straggle_after_ok: must be at most 1 (got 1.5)"),
    ({"p_straggle_after_straggle": -0.1}, "must be at least 0 (got -0.1)"),
    ({"p_straggle_after_ok": [0.1] * 3}, "one number or one per worker (got 3 for n=4)"),
    ({"p_straggle_after_ok": 0, "p_straggle_after_straggle": 1}, f"{NEVER}: a worker would"),
    ({"p_straggle_after_ok": [0.1, 0.2, 0, 0.1], "p_straggle_after_straggle": 1},
     f"{NEVER}: worker 2 would"),
    ({"p": 0.1}, "stragglers.p: unknown key"),
])  # fmt: skip
def test_bad_input(change, sentence):
    stragglers = {"model": "markov", "p_straggle_after_ok": 0.1, "p_straggle_after_straggle": 0.7}
    table = {"code": {"family": "frc", "n": 4, "d": 2}, "stragglers": stragglers | change}
    assert sentence in refusal(fastgc.run, table)
