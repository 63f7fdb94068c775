"""`scaling = "recorded"`: what was recorded at one load, moved to another."""

import itertools
import json

import numpy as np
import pytest

import fastgc
from fastgc.draws.streams import Trials
from fastgc.errors import StudyError
from fastgc.latency import Empirical, Exponential
from fastgc.latency.draws import Draws
from fastgc.latency.empirical import fitted
from suite import recordings
from suite.checks import close, refusal

TIMES = 2 + np.random.default_rng(1).gamma(2.0, size=(40, 4)).round(3)


def written(folder, times, name="one.csv"):
    return str(recordings.written(times, folder / name))


@pytest.fixture
def law(tmp_path):
    recorded = {"file": written(tmp_path, TIMES), "recorded_load": 0.5, "rate": 3.0}
    return {"distribution": "empirical", "order": "rows"} | recorded


# ---- times


@pytest.mark.parametrize("order", ["rows", "replay", "workers", "pooled"])
def test_drawn_times_are_recorded_ones_moved(law, order):
    made = Empirical(**law | {"order": order})
    batch = Trials(seed=1, stream="s", first=0, groups=4, iterations=3)
    plain = Draws([Empirical(file=law["file"], order=order)], 4, 1.0).times(batch)
    for loads in ([0.75], [0.5, 0.6, 1.0, 2.0]):
        found = Draws([made], 4, loads if loads[1:] else loads[0], "recorded").times(batch)
        moved = 3.0 * (np.array(loads) - 0.5)[np.newaxis, :, np.newaxis]
        assert found == pytest.approx(plain + moved, rel=1e-14)


def test_the_law_is_that_of_moved_times(law):
    own = Empirical(**law | {"order": "workers"}).of_worker(2)
    time = own.time(1.5, "recorded")
    assert time.mean() == pytest.approx(TIMES[:, 2].mean() + 3.0)
    assert time.survival(6.5) == np.mean(TIMES[:, 2] + 3.0 > 6.5)
    assert own.time(0.0, "recorded").mean() == 0.0  # nothing to do


MOVED = TIMES + 3.0 * (2.0 * 0.5 - 0.5)  # to 2 units of work, of which each worker has half


def test_completion_is_that_of_moved_rows(law):
    system = {"family": "gradient-code", "n": 4, "s": 1}
    table = {"kind": "completion", "system": system, "latency": law}
    table |= {"scaling": "recorded", "work": 2.0}
    done = np.sort(MOVED, axis=1)[:, 2].mean()
    assert fastgc.run(table)["experiment1"]["time"].mean.value == pytest.approx(done)
    sampled = fastgc.run(table | {"method": "monte-carlo"}, trials=20_000)["experiment1"]["time"]
    assert abs(sampled.mean.value - done) < 4.5 * sampled.mean.standard_error


def late(latency, **more):
    """A decoding study of workers who are late."""
    stragglers = {"model": "deadline", "deadline": 5.0, "latency": latency} | more
    return {"kind": "decoding", "code": {"family": "frc", "n": 4, "d": 2}, "stragglers": stragglers}


def test_deadlines_see_moved_times(law):
    table = late(law | {"order": "workers"}, scaling="recorded", work=2.0)
    rows = fastgc.run(table | {"measure": ["survivors"], "method": "exact"}).rows()
    [none] = [r for r in rows if r["index"] == 0 and r["method"] == "exact"]
    assert none["value"] == pytest.approx((MOVED > 5.0).mean(axis=0).prod())


# ---- the rate


def test_a_rate_is_the_slope_of_the_means():
    rng = np.random.default_rng(2)
    loads = [1.0, 0.0, 0.5]
    recordings = [(load, load * 2 + rng.gamma(2.0, size=(200, 5)).round(6)) for load in loads]
    rate = fitted(recordings)
    means = [rows.mean() for _, rows in recordings]
    assert rate.value == pytest.approx(np.polyfit(loads, means, 1)[0])
    weights = np.array([0.5, -0.5, 0.0]) / 0.5
    assert rate.own == pytest.approx(weights[0])
    two = fitted(recordings[:2])
    assert 0.7 < two.error / (np.sqrt(2) * np.sqrt(2.0 / 1000)) < 1.4
    assert two.rest < two.error and rate.rest < rate.error


def test_the_time_at_no_load_is_that_of_the_line_and_its_error_covers():
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(400):
        rows = [5.0 + 3.0 * load + rng.normal(0.0, 0.5, (40, 4)) for load in (0.25, 0.5)]
        means = [own.mean() for own in rows]
        rate = fitted(list(zip((0.25, 0.5), rows, strict=True)))
        value, error = rate.at_no_load(means[0], 0.25)
        assert value == pytest.approx(2 * means[0] - means[1])
        inside += abs(value - 5.0) < 1.96 * error
    assert 360 <= inside <= 395  # .95; with the error of the slope alone 328


@pytest.mark.parametrize(("loads", "differ"), [
    ((0, 1), 0.0), *itertools.product([(0, 0.5, 1), (0, 0.2, 0.4, 0.6, 1)], [0.0, 0.3]),
])  # fmt: skip
def test_errors_cover_and_count_that_recordings_differ(loads, differ):
    """Of three and five that do some .5 would hold without it; two cannot tell."""
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(200):
        moved = [(x, x + differ * rng.normal() + rng.gamma(1.0, size=(40, 3))) for x in loads]
        rate = fitted(moved)
        held += abs(rate.value - 1.0) < 1.96 * rate.error
    assert held >= 182


def test_a_line_that_is_not_straight_is_said():
    rng = np.random.default_rng(8)

    def rate(bend):
        means = {0.0: 0.0, 0.5: 0.5 + bend, 1.0: 1.0}
        return fitted([(x, m + 0.1 * rng.random((60, 4))) for x, m in means.items()])

    bent = rate(-0.2)
    assert bent.curved and bent.p_value < 1e-6 and "do not lie on a straight line" in bent.straight
    straight = [rate(0.0) for _ in range(100)]
    assert sum(each.curved for each in straight) <= 5  # 1 expected
    assert "do not contradict a straight line" in straight[0].straight
    two = fitted([(0.0, 0.1 * rng.random((60, 4))), (1.0, 1 + 0.1 * rng.random((60, 4)))])
    assert two.p_value is None and "record a third" in two.straight and not two.curved
    exact = [(x, np.full((3, 2), x * x)) for x in (0.0, 1.0, 2.0)]
    assert fitted(exact).p_value == 0.0 and fitted(exact).curved


# ---- design


def design(latency, **more):
    table = {"workers": 4, "schemes": ["gradient-code"], "scaling": "recorded", "latency": latency}
    return fastgc.design(table | more)


def test_design_does_not_take_the_base_for_load(law):
    found = design(law | {"recorded_load": 0.25})
    for choice in found:
        s = choice.system["s"]
        assert choice.value == close(np.sort(TIMES, axis=1)[:, 3 - s].mean() + 3.0 * s / 4)


def test_design_says_what_it_knows_of_the_line(law, tmp_path):
    del law["rate"]
    law |= {"recorded_load": 0.25}
    seen = {
        load: written(tmp_path, TIMES + 3 * load + extra, f"{load}.csv")
        for load, extra in ((0.5, 0.0), (0.6, 0.0), (0.75, 5.0))
    }
    fits = {load: {"file": file, "recorded_load": load} for load, file in seen.items()}
    tails = "tails do not grow with the load"
    two = design(law | {"fit": [fits[0.5]]})
    assert two.warnings == () and any("record a third" in note for note in two.notes)
    assert any(note.startswith(tails) for note in two.notes)
    bent = design(law | {"fit": [fits[0.5], fits[0.75]]})
    assert "do not lie on a straight line" in bent.warnings[0] and "one.csv" in bent.warnings[0]
    assert len(bent.notes) == 1 and bent.notes[0].startswith(tails)
    given = design(law | {"rate": 3.0})
    assert [note.startswith(tails) for note in given.notes] == [True]


@pytest.mark.night
def test_the_error_of_the_rate_is_in_the_intervals(law, tmp_path):
    rng = np.random.default_rng(5)
    quiet = 5 + np.arange(4.0) + 1e-9 * rng.random((40, 4))
    base = law | {"file": written(tmp_path, quiet), "recorded_load": 0.25, "rate_error": 0.1}
    for goal in ("mean", "quantile(0.5)"):
        for choice in design(base, goal=goal):
            half = 1.96 * 0.1 * choice.system["s"] / 4
            assert choice.high - choice.value == pytest.approx(half, rel=0.06, abs=1e-6)
            assert choice.value - choice.low == pytest.approx(half, rel=0.06, abs=1e-6)
        [exact] = [c for c in design(base | {"rate_error": 0.0}, goal=goal) if c.system["s"] == 3]
        assert exact.high - exact.low < 1e-6


def test_a_rate_moves_with_the_recording_that_it_is_fitted_to(law, tmp_path):
    # at load 0.25 the other recording says it all: what is uncertain of this one cancels
    rng = np.random.default_rng(6)
    here = 20 + rng.normal(size=(60, 1)).round(6) + np.zeros((60, 4))
    there = 5 + 1e-9 * rng.random((60, 4))
    del law["rate"]
    law |= {
        "file": written(tmp_path, here),
        "barrier": "ignore",  # all workers alike
        "recorded_load": 1.0,
        "fit": [{"file": written(tmp_path, there, "two.csv"), "recorded_load": 0.25}],
    }
    ends = {c.system["s"]: (c.value, c.high - c.low) for c in design(law)}
    assert ends[0][0] == pytest.approx(5.0) and ends[0][1] < 1e-6
    assert ends[1][1] > 0.05


# ---- mistakes


@pytest.mark.parametrize(("change", "sentence"), [
    ({"recorded_load": None}, "is not known without recorded_load; give both"),
    ({"rate": None}, "is not known without rate, or fit with recordings at other loads"),
    ({"rate": -1.0}, "rate: must be at least 0"),
    ({"recorded_load": -1.0}, "recorded_load: must be at least 0"),
    ({"rate": None, "recorded_load": None, "rate_error": 1.0}, "rate_error belongs to rate"),
    ({"fit": []}, "fit: must"),
    ({"fit": [{"file": "FILE"}]}, "fit[0].recorded_load: missing"),
    ({"fit": [{"file": "FILE", "recorded_load": 0}]}, "give either rate or fit (got both)"),
    ({"rate": None, "fit": [{"file": "FILE", "recorded_load": 0.5}]},
     "fit: a rate needs recordings at two loads or more (got 0.5 only)"),
    ({"rate": None, "fit": [{"file": "none.csv", "recorded_load": 0.0}]}, "none.csv"),
    ({"recorded_load": 4.0}, 'scaling "recorded" gives a load of 0.25 a negative time: the'),
])  # fmt: skip
def test_mistakes(law, change, sentence):
    text = json.dumps({k: v for k, v in (law | change).items() if v is not None})
    assert sentence in refusal(design, json.loads(text.replace("FILE", law["file"])))


@pytest.mark.parametrize("factor", [1000, 0.001])
@pytest.mark.parametrize("load", [0.25, 0.75])
def test_other_units_are_no_rate(law, tmp_path, factor, load):
    def given(times):
        file = written(tmp_path, times, "two.csv")
        return law | {"rate": None, "fit": [{"file": file, "recorded_load": load}]}

    with pytest.raises(StudyError, match=f"at {load / 0.5:g} times the load .* both in one unit"):
        design(given(TIMES * factor))
    assert design(given(TIMES * load / 0.5))


def test_scaling_and_law_must_fit(law):
    needed = 'scaling "recorded" needs times'
    exponential = {"distribution": "exponential", "mean": 1.0}
    bare = {key: law[key] for key in ("distribution", "file", "order")}
    idle = "recorded_load: says nothing"
    assert f"{idle} with scaling" in refusal(design, law, scaling="server-dependent")
    assert f"scaling: {needed}" in refusal(design, exponential)
    assert f"scaling: {needed}" in refusal(design, bare)
    assert needed in refusal(Exponential(mean=1.0).time, 1.0, "recorded")
    assert idle in refusal(fastgc.run, late(law | {"order": "pooled"}))


def test_files_and_identity(law, tmp_path):
    other = written(tmp_path, TIMES - 1, "two.csv")
    given = {key: value for key, value in law.items() if key != "rate"}
    found = Empirical(**given, fit=({"file": other, "recorded_load": 0.25},))
    assert set(found.files()) == {law["file"], other}
    assert found.slope.value == pytest.approx(4.0)
    assert found.identity()["rate"] == pytest.approx(4.0)
    plain = Empirical(file=law["file"], order="rows")
    assert set(plain.identity()) == {"distribution", "order", "sha256"}
