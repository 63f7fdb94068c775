"""Times behind a barrier are seen, refused and said; workers' own times never are."""

import json
import math

import numpy as np
import pytest

import fastgc
from bench import made_up
from fastgc import report
from fastgc.errors import StudyError
from fastgc.latency.recording import OWN, of_rounds, spread
from suite.recordings import written

OF_ROUNDS = "these are times of the round, not of workers"


def own_times(rounds=60, n=6, seed=1):
    rng = np.random.default_rng(seed)
    return 0.3 * np.where(rng.random((rounds, n)) < 0.03, 4, 1) + 0.01 * rng.random((rounds, n))


def waited(times, seed=2):
    """What every worker sees behind a barrier: the slowest one's time, and a clock's noise."""
    noise = np.random.default_rng(seed).normal(size=times.shape)
    return times.max(axis=1, keepdims=True) + 0.0005 * noise


def law(folder, times, name="times.csv", **more):
    file = str(written(times, folder / name))
    return {"distribution": "empirical", "file": file, "order": "rows"} | more


def test_the_statistic_is_the_one_said():
    times = own_times(20, 3)
    off = [[times[t, j] - times[:, j].mean() for j in range(3)] for t in range(20)]
    means = [sum(row) / 3 for row in off]
    within = sum((x - m) ** 2 for row, m in zip(off, means, strict=True) for x in row)
    expected = math.sqrt(within / (19 * 2) / (sum(m * m for m in means) / 19))
    assert spread(times) == pytest.approx(expected, rel=1e-12)
    assert spread(times * 1000 + np.array([0.0, 5.0, -7.0])) == pytest.approx(expected, rel=1e-9)


def test_what_says_nothing_is_not_refused():
    assert spread(own_times(1, 4)) is None and spread(own_times(9, 1)) is None
    assert spread(np.full((9, 4), 0.1)) is None and of_rounds(np.full((9, 4), 0.1)) is None
    # every worker is always as slow: nothing differs but the workers
    assert spread(np.tile([0.1, 0.2, 0.7], (9, 1))) is None
    swapped = np.array([[1.0, 2.0], [2.0, 1.0]] * 5)
    assert spread(swapped) == math.inf and of_rounds(swapped) is None
    # two rounds of two workers may be alike by chance
    assert of_rounds(np.array([[1.0, 1.0], [1.5, 1.51]])) is None


@pytest.mark.parametrize(
    "kind", ["shifted exponential", "slow workers", "bursts", "batches differ"]
)
def test_made_up_recordings_are_distinguished(kind):
    rng = np.random.default_rng(7)
    for least in (5, 30) * 20:
        times = made_up.SOUND[kind](rng, int(rng.integers(least, 300)), int(rng.integers(2, 65)))
        assert of_rounds(times) is None
        if least == 30:
            behind = made_up.waited(rng, times)
            assert of_rounds(behind) is not None and spread(behind) < 0.1


def test_own_times_that_differ_least_are_seldom_refused():
    """Of 2000 recordings of 5 rounds and 3 workers some 2 are, and most behind a barrier."""
    rng = np.random.default_rng(3)
    shape = (2000, 5, 3)
    rounds = rng.normal(size=(2000, 5, 1))
    own = rounds * math.sqrt(1 - OWN**2 / 3) + OWN * rng.normal(size=shape)
    refused = sum(of_rounds(times) is not None for times in own)
    assert refused <= 12  # more by chance less than once in 10⁴
    barrier = rounds + 0.005 * rng.normal(size=shape)
    assert sum(of_rounds(times) is not None for times in barrier) > 1900


def test_design_refuses_times_of_rounds(tmp_path):
    table = {"workers": 6, "schemes": ["uncoded", "gradient-code"]}
    own = fastgc.design(table | {"latency": law(tmp_path, own_times())})
    assert own.separated
    behind = law(tmp_path, waited(own_times()))
    with pytest.raises(StudyError, match=OF_ROUNDS) as refused:
        fastgc.design(table | {"latency": behind})
    assert 'barrier = "ignore"' in str(refused.value) and "times.csv" in str(refused.value)
    with pytest.raises(StudyError, match=OF_ROUNDS):
        fastgc.design(table | {"latency": behind | {"order": "pooled"}})
    ignored = fastgc.design(table | {"latency": behind | {"barrier": "ignore"}})
    assert ignored[0].system["family"] in ("uncoded", "gradient-code")


def test_recordings_at_other_loads_are_refused_too(tmp_path):
    other = law(tmp_path, 1 + waited(own_times()), "more.csv")["file"]
    given = law(
        tmp_path, own_times(), recorded_load=1 / 6, fit=[{"file": other, "recorded_load": 0.5}]
    )
    table = {"workers": 6, "scaling": "recorded", "latency": given}
    with pytest.raises(StudyError, match=f"more.csv: {OF_ROUNDS}"):
        fastgc.design(table)


@pytest.mark.night
def test_show_and_fit_say_it(tmp_path):
    behind = law(tmp_path, waited(own_times()))["file"]
    shown = fastgc.traces.show(behind)
    text = report.recording(shown.as_dict())
    assert text.splitlines()[1].startswith("These are times of the round, not of workers")
    assert max(map(len, text.splitlines())) <= 80
    fitted = fastgc.traces.fit(behind, replications=0)
    assert OF_ROUNDS in fitted.toml and fitted.warnings == shown.warnings
    assert "These are times of the round" in report.fit(fitted.as_dict())
    json.dumps([shown.as_dict(), fitted.as_dict()], allow_nan=False)
    sound = law(tmp_path, own_times())["file"]
    assert fastgc.traces.show(sound).warnings == ()
    assert fastgc.traces.fit(sound, replications=0).warnings == ()
