"""What a recording shows: numbers against NumPy's, what is beyond chance, ragged tables."""

import json

import numpy as np
import pytest

import fastgc
from bench.trace_coverage import chains
from fastgc import report
from fastgc.traces import dependence
from suite.recordings import written


def text_of(shown):
    return report.recording(shown.as_dict())


@pytest.fixture(scope="module")
def times():
    rng = np.random.default_rng(1)
    late = rng.random((120, 5)) < np.array([0.0, 0.05, 0.3, 0.3, 0.6])
    late[:, 3] = np.where(rng.random(120) < 0.7, late[:, 2], late[:, 3])
    return (rng.gamma(20.0, 0.05, (120, 5)) + 4 * late).round(6)


@pytest.fixture(scope="module")
def shown(times, tmp_path_factory):
    path = written(times, tmp_path_factory.mktemp("t") / "t.csv")
    return fastgc.traces.show(path, threshold=3.0)


def test_rows_are_numpys(shown, times):
    for row, own in zip(shown.rows(), times.T, strict=True):
        assert row["quantile(0.5)"] == np.median(own) and row["maximum"] == own.max()
        assert row["straggled"] == np.mean(own > 3.0)
        assert row["low"] <= row["straggled"] <= row["high"]
        ranks = np.argsort(np.argsort(own)).astype(float)
        centred = ranks - ranks.mean()
        lag = (centred[1:] * centred[:-1]).sum() / (centred**2).sum()
        assert row["lag"] == pytest.approx(lag)


def test_pairs_are_numpys_correlations(shown, times):
    ranks = np.argsort(np.argsort(times, axis=0), axis=0)
    first = shown.pairs.strongest[0]
    assert first[:2] == (2, 3)
    assert first[2] == pytest.approx(np.corrcoef(ranks[:, 2], ranks[:, 3])[0, 1], abs=1e-9)
    assert shown.pairs.compared == 10
    text = text_of(shown)
    assert max(map(len, text.splitlines())) <= 80 and "w2 and w3" in text
    json.dumps(shown.as_dict(), allow_nan=False)
    # two groups of workers that are the same are beyond chance
    found = dependence.pairs(np.random.default_rng(4).random((60, 2)).repeat(8, axis=1), 1)
    assert (found.beyond, found.compared) == (56, 120) and found.bound < 0.6


def test_memory_is_found_worker_by_worker():
    rng = np.random.default_rng(2)
    late = np.concatenate(
        [rng.random((200, 3)) < 0.3, chains(rng, 1, 200, 0.1, 0.8)], axis=1
    ).astype(float)
    found = dependence.memory(late, 4, 1)
    assert found.beyond == (3,) and found.p_value < 0.01 and len(found.lags) == 4
    assert found.per_worker[3] == pytest.approx(0.7, abs=0.15)


@pytest.mark.night
def test_independent_workers_are_seldom_called_dependent(monkeypatch):
    """Nor those with a memory: each series is turned as a whole, so that it counts for no pair."""
    monkeypatch.setattr(dependence, "SHUFFLES", 99)
    flagged = [0, 0, 0]
    for seed in range(200):
        series = np.random.default_rng(seed).random((40, 6))
        flagged[0] += bool(dependence.memory(series, 1, seed).beyond)
        flagged[1] += bool(dependence.pairs(series, seed).beyond)
        late = chains(np.random.default_rng(seed), 4, 150, 0.05, 0.95).astype(float)
        flagged[2] += bool(dependence.pairs(late, seed).beyond)
    # 10 of 200 expected; more than 25 by chance less than once in 10⁴
    assert max(flagged) <= 25 and min(flagged) >= 1


def test_a_mean_beyond_all_shuffles_takes_their_normal_law():
    shuffled = np.random.default_rng(0).normal(0, 1, 499)
    assert dependence.mean_p_value(shuffled, 8.0) < 1e-10
    assert dependence.mean_p_value(shuffled, 0.0) > 0.5
    assert dependence.mean_p_value(np.zeros(499), 0.0) == 1.0


@pytest.mark.night
def test_a_worker_that_changes_for_good_is_named(tmp_path):
    changed = np.random.default_rng(4).gamma(50.0, 0.02, (300, 4))
    changed[219:, 1] += 4
    shown = fastgc.traces.show(written(changed, tmp_path / "t.csv"))
    [said] = shown.warnings
    assert said == (
        "worker w1 changed at row 219 (late in 0 of 219 rows, in all of the next 81): cut there, "
        "or replace the worker"
    )
    text = text_of(shown)
    assert "Worker w1 changed at row 219" in text.splitlines()[1]
    assert "late and its interval are those after the change" in text
    assert max(map(len, text.splitlines())) <= 80
    row = shown.rows()[1]
    assert row["since"] == 219 and row["straggled"] == 1.0 and row["low"] > 0.95
    fitted = fastgc.traces.fit(tmp_path / "t.csv", replications=0)
    assert fitted.rounds == 81 and fitted.warnings[0] == said
    assert "fitted to the 81 rows after row 219" in fitted.toml
    alone = fastgc.traces.fit(written(changed[219:], tmp_path / "u.csv"), 1.6, replications=0)
    assert alone.warnings == () and alone.latency == fitted.latency
    still = fastgc.traces.show(written(changed[:219], tmp_path / "v.csv"))
    assert still.warnings == () and still.rows()[1]["since"] == 0


@pytest.mark.parametrize("slow, said", [(1.004, 0), (1.03, 1)])
def test_a_change_by_less_than_a_hundredth_is_none(tmp_path, slow, said):
    """Smoothed times hold one value for long: ranks tell 747 from 744, and it does not matter."""
    held = np.repeat(np.random.default_rng(6).normal(747, 0.2, (160, 3)), 3, axis=0)
    held[240:, 1] *= slow
    assert len(fastgc.traces.show(written(held, tmp_path / "t.csv")).warnings) == said


def test_where_medians_agree_a_change_is_told_by_the_means(tmp_path):
    changed = np.random.default_rng(7).gamma(9e4, 1 / 9e4, (400, 3))
    changed[200:, 2] *= 1 + 9 * (np.arange(200) % 5 < 2)
    [said] = fastgc.traces.show(written(changed, tmp_path / "t.csv"), "20 median").warnings
    assert "worker w2 changed at row 20" in said and "(mean 0.99" in said


@pytest.mark.night
def test_all_workers_that_change_at_once_are_one_change(tmp_path):
    """Another batch size makes all of them slow: nobody is to be replaced."""
    changed = np.random.default_rng(5).gamma(900.0, 0.01, (200, 6))
    changed[120:] *= 1.5
    [said] = fastgc.traces.show(written(changed, tmp_path / "t.csv")).warnings
    assert "all workers changed at row 120, perhaps with the batch size or the load" in said
    assert said.endswith("over the next 80): cut there") and "replace" not in said


@pytest.mark.night
def test_of_very_many_rounds_the_last_are_compared(tmp_path):
    """The others count for all else: a worker that is late early on, in pairs with another."""
    times = np.random.default_rng(2).gamma(20.0, 0.05, (6000, 2))
    times[:1500:3] += 3.0
    path = written(times, tmp_path / "t.csv")
    found = fastgc.traces.show(path)
    recent = fastgc.traces.show(written(times[-4096:], tmp_path / "last.csv"), found.threshold)
    assert found.pairs.mean == recent.pairs.mean < 0.1
    assert found.memory.p_value == recent.memory.p_value
    data = found.as_dict()
    assert data["compared"] == 4096 and data["straggled"] > 0.08
    assert "Correlations are those of the last 4096 rounds." in text_of(found)
