"""What a recording shows: numbers against NumPy's, what is beyond chance, ragged tables."""

import json

import numpy as np
import pytest

import fastgc
from bench.trace_coverage import chains
from fastgc import report
from fastgc.report import pictures
from fastgc.report.pictures import recordings
from fastgc.traces import dependence


def written(times, path):
    lines = [",".join(f"w{j}" for j in range(times.shape[1]))]
    path.write_text("\n".join(lines + [",".join(map(repr, row)) for row in times.tolist()]))
    return path


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
        assert row["time_lag"] == pytest.approx(lag)
    assert shown.rows()[0]["straggling_lag"] is None


def test_pairs_are_numpys_correlations(shown, times):
    late = times > 3.0
    first = shown.straggling_pairs.strongest[0]
    assert first[:2] == (2, 3)
    assert first[2] == pytest.approx(np.corrcoef(late[:, 2], late[:, 3])[0, 1])
    assert shown.straggling_pairs.beyond == 1
    assert shown.time_pairs.compared == 10 and shown.time_pairs.strongest[0][:2] == (2, 3)


def test_memory_is_found_worker_by_worker():
    rng = np.random.default_rng(2)
    late = np.concatenate(
        [rng.random((200, 3)) < 0.3, chains(rng, 1, 200, 0.1, 0.8)], axis=1
    ).astype(float)
    found = dependence.memory(late, 4, 1)
    assert found.beyond == (3,) and found.p_value < 0.01 and len(found.lags) == 4
    assert found.of_workers[3] == pytest.approx(0.7, abs=0.15)


def test_independent_workers_are_seldom_called_dependent(monkeypatch):
    monkeypatch.setattr(dependence, "SHUFFLES", 99)
    flagged = [0, 0]
    for seed in range(200):
        series = np.random.default_rng(seed).random((40, 6))
        flagged[0] += bool(dependence.memory(series, 1, seed).beyond)
        flagged[1] += bool(dependence.pairs(series, None, seed).beyond)
    # 10 of 200 expected; more than 25 by chance less than once in 10⁴
    assert max(flagged) <= 25 and min(flagged) >= 1


def test_workers_with_memory_are_not_taken_for_dependent_ones(monkeypatch):
    """Each worker's series is turned as a whole, so what it remembers counts for no pair."""
    monkeypatch.setattr(dependence, "SHUFFLES", 99)
    flagged = 0
    for seed in range(100):
        late = chains(np.random.default_rng(seed), 4, 150, 0.05, 0.95).astype(float)
        hits = late.sum(axis=0)
        flagged += bool(dependence.pairs(late, np.minimum(hits, 150 - hits), seed).beyond)
    assert flagged <= 16  # 5 expected; more by chance once in 10⁴


def test_pairs_that_cannot_meet_are_not_compared():
    late = np.zeros((50, 3))
    late[3, 0] = late[3, 1] = 1
    found = dependence.pairs(late, late.sum(axis=0), 1)
    assert found.compared == 0 and found.strongest == ()


def test_a_mean_beyond_all_shuffles_takes_their_normal_law():
    shuffled = np.random.default_rng(0).normal(0, 1, 499)
    assert dependence._two_sided(shuffled, 8.0) < 1e-10
    assert dependence._two_sided(shuffled, 0.0) > 0.5
    assert dependence._two_sided(np.zeros(499), 0.0) == 1.0


def test_long_and_ragged_tables(tmp_path):
    lines = ["who,round,s"]
    for t in range(1, 30):
        lines += [f"a,{t},{1 + t % 3}"] + ([f"b,{t},{2 + t % 5}"] if t != 7 else [])
    (tmp_path / "long.csv").write_text("\n".join(lines))
    trace = {
        "file": str(tmp_path / "long.csv"),
        "worker": "who",
        "iteration": "round",
        "value": "s",
    }
    found = fastgc.traces.show(trace)
    assert len(found.times) == 28 and found.recorded == (29, 28)
    assert [tuple(row) for row in found.times[5:8]] == [(1, 3), (3, 5), (1, 6)]


def test_text_fits_a_terminal(shown):
    text = report.recording(shown.as_dict(), shown.straggled.tolist())
    assert max(map(len, text.splitlines())) <= 80
    assert "w2 and w3" in text and "a sign is 2 rounds" in text
    strip = next(line for line in text.splitlines() if line.startswith("w0  ·"))
    assert set(strip[4:]) == {"·"} and len(strip[4:]) == 60
    json.dumps(shown.as_dict(), allow_nan=False)


def test_many_workers_with_long_names(tmp_path):
    rng = np.random.default_rng(3)
    times = rng.gamma(2.0, 1.0, (12, 60)).round(6)
    path = tmp_path / "t.csv"
    names = ",".join(f"tcp://host-of-a-rack-{j}.example:40000" for j in range(60))
    path.write_text("\n".join([names] + [",".join(map(repr, row)) for row in times.tolist()]))
    found = fastgc.traces.show(path)
    text = report.recording(found.as_dict(), found.straggled.tolist())
    assert "20 more workers" in text and max(map(len, text.splitlines())) <= 80


def test_the_picture_has_a_line_a_worker_and_marks_the_late(shown, times):
    picture = recordings.picture(shown.as_dict(), shown.times.tolist())
    assert (
        "5 workers over 120 rounds" in picture.caption
        and "Most often late is w4" in picture.caption
    )
    axes, bar = pictures.figure(picture).axes
    [image] = axes.images
    assert np.array_equal(np.asarray(image.get_array()), times.T)
    assert [text.get_text() for text in axes.get_yticklabels()] == ["w0", "w1", "w2", "w3", "w4"]
    [dots] = axes.lines
    rounds, workers = dots.get_data()
    assert {(int(i) - 1, int(j)) for i, j in zip(rounds, workers, strict=True)} == set(
        map(tuple, np.argwhere(times > 3.0).tolist())
    )
    assert bar.get_ylabel() == "time, as recorded" and len(bar.get_yticks()) == 5


def test_a_clock_is_no_duration(times, tmp_path):
    clock = fastgc.traces.show(written(np.cumsum(times, axis=0), tmp_path / "c.csv"))
    assert clock.rising and "no worker's time ever falls" in text_of(clock)
    taken = fastgc.traces.show(written(times, tmp_path / "t.csv"))
    assert not taken.rising and "ever falls" not in text_of(taken)
    few = fastgc.traces.show(written(np.cumsum(times[:9], axis=0), tmp_path / "f.csv"))
    assert not few.rising


def text_of(shown):
    return report.recording(shown.as_dict(), shown.straggled.tolist())
