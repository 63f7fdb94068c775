"""Straggler models and shuffles: bit for bit against plain integers, by frequencies, exactly."""

import itertools
import re

import numpy as np
import pytest
from scipy import stats

import fastgc
from fastgc.draws.streams import Trials
from fastgc.stragglers import Iid, Markov, Trace, TwoClass, Uniform
from fastgc.stragglers.pattern_law import MOST_KINDS, PatternLaw, number_of_survivors
from fastgc.stragglers.stragglers import BlockLaw
from fastgc.stragglers.trace import Replay, Rows
from suite import recordings
from suite.checks import refusal
from twins import chains, engine, sampling
from twins.agreement import agreeing
from twins.least_squares import unpack

CLASSES = {"model": "two-class", "p_straggle_slow": 0.8, "p_straggle_active": 0.1}
SEED, STREAM = 5, "a stream"


def shares(n):
    return tuple((j + 1) / (n + 1) for j in range(n))


def forms(n):
    steps = list(shares(n))
    return {
        "iid": {"model": "iid", "p": 0.3},
        "iid, one p each": {"model": "iid", "p": steps},
        "uniform": {"model": "uniform", "stragglers": n // 3},
        "p_slow": CLASSES | {"p_slow": 0.3},
        "p_slow, one each": CLASSES | {"p_slow": steps},
        "slow count": CLASSES | {"slow": (n + 1) // 2},
        "slow list": CLASSES | {"slow": sorted({0, n - 1})},
    }


def made(form):
    cls = {"iid": Iid, "uniform": Uniform, "two-class": TwoClass}[form["model"]]
    return cls(**{key: tuple(x) if isinstance(x, list) else x for key, x in form.items()})


def drawn(form, n, batch, shuffle="none"):
    """Booleans (iterations, trials, n)."""
    return unpack(made(form).draw(n, batch).shuffled(shuffle), n)


@pytest.mark.parametrize("shuffle", ["none", "random", "cyclic"])
@pytest.mark.parametrize("form", forms(2))
@pytest.mark.parametrize("n", [1, 5, 65])
def test_bit_for_bit(n, form, shuffle):
    stragglers = forms(n)[form]
    assert made(stragglers).complaints(n) == []
    batch = Trials(SEED, STREAM, 192, 2, 3)
    found = drawn(stragglers, n, batch, shuffle)
    trials = (0, 63, 64, 100) if n < 65 else (5,)
    for trial, iteration in itertools.product(trials, range(3)):
        expected = sampling.columns(stragglers, shuffle, n, SEED, STREAM, 192 + trial, iteration)
        assert found[iteration, trial].tolist() == expected


def test_a_part_of_a_block_is_cut_out_of_the_whole(monkeypatch):
    model, whole, part = Iid(p=0.4), Trials(5, "s", 256, 4, 2), Trials(5, "s", 384, 1, 2)
    asked, draw = [], Iid.draw
    monkeypatch.setattr(Iid, "draw", lambda own, n, b: asked.append(b) or draw(own, n, b))
    found = BlockLaw(model, trials=256).draw(3, part)
    assert asked == [whole] and found.batch == part
    assert (found.planes == draw(model, 3, whole).planes.reshape(3, 2, 4)[:, :, 2]).all()


def law_of(stragglers, n, slow):
    law = np.zeros(2**n)
    for left, probability in engine.pattern_law(stragglers, n, slow).items():
        law[sum(1 << j for j in range(n) if left[j])] += float(probability)
    return law


@pytest.mark.parametrize("form", forms(4))
def test_frequencies_of_patterns(form):
    n, groups = 4, 1024
    rows = drawn(forms(n)[form], n, Trials(SEED, STREAM, 0, groups, 1))[0]
    counts = np.bincount(rows @ (1 << np.arange(n)), minlength=2**n)
    expected = 64 * groups * made(forms(n)[form]).distribution(n)
    likely = expected > 0
    assert (counts[~likely] == 0).all()
    # chi-square with at most 15 degrees of freedom, level 1e-6: seven forms, 7e-6
    assert ((counts - expected)[likely] ** 2 / expected[likely]).sum() < 56.5


@pytest.mark.parametrize("form", forms(5))
def test_exact_laws(form):
    n = 5
    stragglers = forms(n)[form]
    states = engine.hidden_states(stragglers, n)
    truth = sum(float(weight) * law_of(stragglers, n, slow) for weight, slow in states)
    model = made(stragglers)
    np.testing.assert_allclose(model.distribution(n), truth, rtol=1e-12, atol=1e-16)
    values = np.random.default_rng(1).random(2**n)
    weights, means = model.conditional_means(n, values)
    assert weights.sum() == pytest.approx(1)
    assert weights @ means == pytest.approx(truth @ values, rel=1e-12)


@pytest.mark.parametrize(("model", "field", "said"), [
    (Iid(p=(0.1, 0.2)), "p", "2 for n=3"), (Uniform(stragglers=4), "stragglers", "at most n=3.*4"),
    (TwoClass(p_straggle_slow=0.5, p_straggle_active=0.5), "p_slow", "neither"),
    (TwoClass(p_slow=0.1, slow=1, p_straggle_slow=0.5, p_straggle_active=0.5), "p_slow", "both"),
    (TwoClass(p_slow=(0.1,), p_straggle_slow=0.5, p_straggle_active=0.5), "p_slow", "1 for n=3"),
    (TwoClass(slow=(0, 0), p_straggle_slow=0.5, p_straggle_active=0.5), "slow", "once each"),
    (TwoClass(slow=(3,), p_straggle_slow=0.5, p_straggle_active=0.5), "slow", "0 to 2 once"),
])  # fmt: skip
def test_what_does_not_fit_the_code(model, field, said):
    [(place, sentence)] = model.complaints(3)
    assert place == field
    assert re.search(said, sentence)


def test_each_workers_own_probability_lies_between_0_and_1():
    check = PatternLaw.CHECKS["independent"]
    assert check(None, np.array([0.0, 1.0]), 2) is None
    for wrong in ([0.5, 1.5], [-0.5, 0.5], [0.5]):
        said = check(None, np.array(wrong), 2)
        assert said == "each worker's probability to straggle, a float64 array (2,)"


# ---- every model, whatever it draws from


def recorded(folder, n, rounds):
    times = recordings.slow_together(rounds, n)
    return str(recordings.written(times, folder / "trace.csv"))


CHAIN = {"model": "markov", "p_straggle_after_ok": 0.15, "p_straggle_after_straggle": 0.75}
LATE = {"distribution": "exponential", "mean": 2.0, "shift": 0.5}
MEASURES = ["error", "mean_error", "exact", "survivors", "not_accessed"]


@pytest.mark.parametrize(("stragglers", "shuffle"), [
    *itertools.product([CHAIN, "replay", "rows", "pooled"], ["none", "cyclic", "random"]),
    ({"model": "deadline", "deadline": 1.0, "latency": LATE}, "none"),
], ids=lambda given: given.get("model", given) if isinstance(given, dict) else given)  # fmt: skip
@pytest.mark.parametrize(
    "code", [{"family": "frc", "n": 6, "d": 2}, {"family": "binary", "n": 5, "s": 1}]
)
def test_monte_carlo_agrees_with_the_exact_method(tmp_path, code, stragglers, shuffle):
    if isinstance(stragglers, str):
        trace = {"model": "trace", "file": recorded(tmp_path, code["n"], 23), "order": stragglers}
        stragglers = trace | {"threshold": "1.5 median"}
    study = {"code": code, "stragglers": stragglers, "shuffle": shuffle, "iterations": 4}
    result = fastgc.run(study | {"method": "both", "measure": MEASURES}, trials=40_000)
    assert agreeing(result, 4.5) > 10


@pytest.mark.parametrize("n", [3, 70])
@pytest.mark.parametrize("kind", ["markov", "replay", "rows"])
def test_a_trial_does_not_depend_on_its_batch(tmp_path, n, kind):
    model = Markov(p_straggle_after_ok=0.1, p_straggle_after_straggle=0.6)
    if kind != "markov":
        model = Trace(file=recorded(tmp_path, n, 11), threshold=1.0, order=kind).bind(None)
    whole = unpack(model.draw(n, Trials(1, "s", 0, 6, 3)), n)
    for first, groups in ((0, 1), (64, 2), (192, 3)):
        part = unpack(model.draw(n, Trials(1, "s", first, groups, 3)), n)
        assert (part == whole[:, first : first + 64 * groups]).all()
    assert (unpack(model.draw(n, Trials(1, "s", 0, 6, 5)), n)[:3] == whole).all()


# ---- the law of the number of survivors, against all patterns

MODELS = [
    Iid(p=0.3), Iid(p=(0.0, 1.0, 0.3, 0.3, 0.7, 0.01)),
    Markov(p_straggle_after_ok=0.1, p_straggle_after_straggle=0.8),
    TwoClass(p_slow=0.3, p_straggle_slow=0.8, p_straggle_active=0.05),
    TwoClass(slow=(1, 4), p_straggle_slow=0.8, p_straggle_active=0.05),
    TwoClass(slow=2, p_straggle_slow=0.8, p_straggle_active=0.05),
    TwoClass(slow=0, p_straggle_slow=0.8, p_straggle_active=0.05),
    TwoClass(slow=6, p_straggle_slow=0.8, p_straggle_active=0.05), Uniform(stragglers=2),
]  # fmt: skip


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


@pytest.mark.parametrize(("n", "p"), [(1, 0.2), (1000, 0.3), (20_000, 1e-4), (100_000, 0.999)])
def test_many_workers(n, p):
    found = number_of_survivors(np.full(n, p))
    expected = stats.binom.pmf(np.arange(n + 1), n, 1 - p)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-30)
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


def test_no_workers_and_too_many_kinds():
    assert number_of_survivors(np.empty(0)).tolist() == [1.0]
    assert number_of_survivors(np.linspace(0.1, 0.2, MOST_KINDS + 1)) is None
    assert TwoClass(slow=1, p_straggle_slow=0.5, p_straggle_active=0.1).independent(3) is None


# ---- stragglers in runs


def chain(after_ok, after_straggle):
    return Markov(p_straggle_after_ok=after_ok, p_straggle_after_straggle=after_straggle)


@pytest.mark.parametrize(("n", "after_ok", "after_straggle", "groups", "trials"), [
    *((n, 0.05, 0.7, 2, (0, 63, 64, 100)) for n in (1, 2, 5)),
    *((n, shares(n), shares(n)[::-1], 2, (0, 63, 64, 100)) for n in (1, 2, 5)),
    *((n, 0.05, 0.7, 2, (5,)) for n in (64, 65)),
    # what always or never changes
    (5, (1.0, 0.5, 0.0, 1.0, 0.3), (0.0, 1.0, 0.5, 0.4, 1.0), 2, range(0, 128, 9)),
    *((n, shares(n), shares(n)[::-1], 2, (5,)) for n in (64, 65)),
    # chunks of chains cross from one worker to the next
    (3, (0.1, 0.5, 1 / 3), (0.9, 0.25, 0.6), 45, (0, 64 * 31 + 5, 64 * 32, 64 * 44 + 63)),
    # after 40 equal digits only the last ones tell 1/2 and p apart: both sides of a rare tie
    (2, 0.5 + 2.0**-41, 0.5, 1, range(0, 64, 7)),
])  # fmt: skip
def test_chains_bit_for_bit(n, after_ok, after_straggle, groups, trials):
    batch = Trials(SEED, STREAM, 192, groups, 4)
    found = unpack(chain(after_ok, after_straggle).draw(n, batch), n)
    each = [np.broadcast_to(p, n).tolist() for p in (after_ok, after_straggle)]
    for trial in trials:
        assert found[:, trial].tolist() == chains.chain(SEED, STREAM, 192 + trial, 4, *each)


# ---- the exact method


@pytest.mark.parametrize("lag", [1, 2, 3])
def test_lagged_over_every_path(lag):
    n = 2
    after_ok, after_straggle = [0.1, 0.6], [0.7, 0.25]
    first, second = np.random.default_rng(lag).normal(size=(2, 1 << n))
    found = chain(tuple(after_ok), tuple(after_straggle)).lagged(n, first, second, lag)
    expected = chains.expectation(n, after_ok, after_straggle, first, second, lag)
    assert found == pytest.approx(expected, rel=1e-13)


def test_distant_iterations_are_independent():
    model = chain(0.1, 0.7)
    first, second = np.random.default_rng(0).normal(size=(2, 8))
    law = model.distribution(3)
    expected = (law @ first) * (law @ second)
    for lag in (60, 81, 200):
        assert model.lagged(3, first, second, lag) == pytest.approx(expected, rel=1e-12)


# ---- bad input

NEVER = "must be less than 1 where p_straggle_after_ok is 0"


@pytest.mark.parametrize("change, sentence", [
    ({"p_straggle_after_ok": 1.5}, "p_straggle_after_ok: must be at most 1 (got 1.5)"),
    ({"p_straggle_after_ok": [0.1] * 3}, "one number or one per worker (got 3 for n=4)"),
    ({"p_straggle_after_ok": 0, "p_straggle_after_straggle": 1}, f"{NEVER}: a worker would"),
    ({"p_straggle_after_ok": [0.1, 0.2, 0, 0.1], "p_straggle_after_straggle": 1},
     f"{NEVER}: worker 2 would"),
])  # fmt: skip
def test_chains_that_are_none(change, sentence):
    stragglers = {"model": "markov", "p_straggle_after_ok": 0.1, "p_straggle_after_straggle": 0.7}
    table = {"code": {"family": "frc", "n": 4, "d": 2}, "stragglers": stragglers | change}
    assert sentence in refusal(fastgc.run, table)
