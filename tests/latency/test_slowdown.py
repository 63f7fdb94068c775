"""What stragglers cost a recording: replaced times, by hand; intervals; times behind barriers."""

import json
import math

import numpy as np
import pytest

import fastgc
from bench import made_up
from fastgc import report
from fastgc.errors import StudyError
from fastgc.latency.recording import of_groups, of_rounds, spread
from fastgc.latency.slowdown import slowdown
from suite.checks import every
from suite.recordings import written


def replaced(times, workers):
    """The matrix in which the others' mean of each round stands for some workers."""
    found = times.copy()
    for row in found:
        row[workers] = np.mean([row[j] for j in range(row.size) if j not in workers])
    return found


def ratio(times):
    return np.mean([max(row) for row in times]) / np.mean(times)


@pytest.fixture(scope="module")
def times():
    found = np.random.default_rng(3).gamma(3.0, 1.0, (200, 40))
    found[:, 7] *= 3.0
    found[50:, 9] *= 2.5
    return found


def test_the_numbers_are_those_of_replaced_times(times):
    found = slowdown(times)
    s = ratio(times)
    assert found.S.value == pytest.approx(s)
    for w in (0, 7, 39):
        assert found.S_w[w].value == pytest.approx(ratio(replaced(times, [w])))
    assert found.slowest == (7, 9) and set(found.ranked[:2]) == {7, 9}
    rest = ratio(replaced(times, [7, 9]))
    assert found.M_W.value == pytest.approx((s - rest) / (s - 1))
    balanced = ratio(times / times.mean(axis=0))
    assert found.balanced.value == pytest.approx((balanced - 1) / (s - 1))
    for each in (found.S, found.M_W, found.balanced, *found.S_w):
        assert each.low < each.value < each.high


def test_of_two_workers_only_what_can_differ_is_shown(tmp_path):
    rows = np.ones((40, 2))
    rows[::7, 1] = 30.0
    text = report.recording(fastgc.traces.show(written(rows, tmp_path / "t.csv")).as_dict())
    assert "S_w" not in text and "M_W" not in text and "work balanced" in text
    assert len(text.partition("  S ")[2].split()[0].partition(".")[2]) >= 2


def test_one_slow_worker_explains_all_and_balance_cures_it():
    found = slowdown(np.tile([1.0, 1.0, 1.0, 5.0], (20, 1)))
    assert found.S.value == 2.5 and found.M_W.value == 1.0
    assert found.balanced.value == pytest.approx(0.0, abs=1e-12)
    assert found.always == (3,) and found.M_always == found.M_W
    found = slowdown(np.full((10, 3), 2.0))  # equal workers leave nothing to explain
    assert found.S.value == 1.0 and found.M_W is None and found.balanced is None


@pytest.mark.parametrize("factors", [(1.5, 1.5), (1.4, 1.6), (1.5, 1.45, 1.5)])
def test_workers_who_are_slow_together_are_named(tmp_path, factors):
    times = np.random.default_rng(5).gamma(400, 1 / 400, (32, 8))
    times[:, -len(factors) :] *= factors
    found = slowdown(times)
    assert sorted(found.together) == list(range(8 - len(factors), 8)) == sorted(found.slow)
    assert found.M_together.low > 0.75 and found.M_W.value < 0.45
    for each in (found.S, found.M_W, found.balanced, found.M_together, *found.S_w):
        assert np.isfinite([each.low, each.high]).all() and each.high <= 8
    shown = report.recording(fastgc.traces.show(written(times, tmp_path / "t.csv")).as_dict())
    who = {2: ("w6", "w7"), 3: ("w5", "w6", "w7")}[len(factors)]
    assert every(name in shown for name in who)
    costs = " ".join(shown.partition("What waiting")[2].partition("Correlation")[0].split())
    assert "who are slow together" in costs and "∞" not in costs
    assert not any(f"w{j}" in costs for j in range(8 - len(factors)))  # no fast worker
    assert ("nothing that these rounds show" in costs) == (found.M_W.low <= 0)


def test_workers_alike_are_not_slow_together():
    for seed in range(20):
        times = np.random.default_rng(seed).exponential(1.0, (32, 8))
        assert slowdown(times).together == slowdown(times).always == ()
    one = np.ones((32, 8))
    one[:, 3] = 4.0
    assert slowdown(one).together == () and slowdown(one).slow == (3,)


@pytest.mark.night
@pytest.mark.parametrize(("many", "seeds", "least"), [(100, 120, 105), (6000, 40, 33)])
def test_intervals_hold_the_truth(many, seeds, least):
    """Independent exponential times; fewer hits have probability .0003 and .0007 at 95 %."""
    n = 6
    harmonic = [sum(1 / i for i in range(1, k + 1)) for k in (n - 1, n)]
    hits = {"S": 0, "S_w": 0, "balanced": 0}
    for seed in range(seeds):
        found = slowdown(np.random.default_rng(seed).exponential(size=(many, n)), seed)
        hits["S"] += found.S.low <= harmonic[1] <= found.S.high
        hits["S_w"] += found.S_w[0].low <= harmonic[0] <= found.S_w[0].high
        hits["balanced"] += found.balanced.low <= 1.0 <= found.balanced.high
    assert min(hits.values()) >= least, hits


@pytest.mark.parametrize("times", [np.ones((1, 3)), np.ones((5, 1)), np.zeros((5, 3))])
def test_too_little_is_refused(times):
    with pytest.raises(fastgc.FastgcError, match="at least 2 rounds of 2 workers"):
        slowdown(times)


def test_few_rounds_leave_an_interval_to_its_bounds(tmp_path):
    times = np.ones((4, 3))
    times[3, 2] = 9.0
    shown = fastgc.traces.show(written(times, tmp_path / "t.csv")).as_dict()
    assert shown["S"]["high"] == 3  # no round takes longer than all of its times together
    assert "S    1.80 [1.32, not bounded]" in report.recording(shown)


def test_times_behind_a_barrier_tell_nothing(times, tmp_path):
    rounds = np.repeat(times.max(axis=1, keepdims=True), 5, axis=1)
    shown = fastgc.traces.show(written(rounds, tmp_path / "t.csv")).as_dict()
    assert shown["warnings"] and "S" not in shown and "M_W" not in shown


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
    rng, found = np.random.default_rng(7), []
    for least in (5, 30) * 20:
        times = made_up.SOUND[kind](rng, int(rng.integers(least, 300)), int(rng.integers(2, 65)))
        names = [f"w{j}" for j in range(2 * times.shape[1])]
        assert of_rounds(times) is None and of_groups(times, names) is None
        if least == 30:
            behind = made_up.waited(rng, times)
            assert of_rounds(behind) is not None and spread(behind) < 0.1
            groups = np.hstack([behind, made_up.waited(rng, times[::-1])])
            found.append(of_groups(groups, names) is not None)
    assert np.mean(found) > 0.9


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
