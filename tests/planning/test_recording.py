"""What `design` says of a cluster from a recording of it: intervals, gains and certainty."""

import json
import re

import numpy as np
import pytest

import fastgc
from fastgc import report
from fastgc.draws.streams import uniforms
from fastgc.report import html, pages
from fastgc.statistics.resampling import Resampling, block_length
from suite.checks import every
from suite.recordings import replayed
from twins import resampling as slow


def recording(folder, rows, name="times.csv"):
    return replayed(rows, folder / name)


def cluster(rows, workers=6, slow_share=0.05, seed=1):
    rng = np.random.default_rng(seed)
    times = 1 + 0.1 * rng.random((rows, workers))
    return times * np.where(rng.random((rows, workers)) < slow_share, 10, 1)


def done(times, s):
    """When a gradient code is done in each row."""
    n = times.shape[1]
    return (s + 1) / n * np.sort(times, axis=1)[:, n - 1 - s]


@pytest.mark.night
def test_intervals_are_those_of_the_twin(tmp_path):
    times = cluster(40)
    table = {"workers": 6, "schemes": ["gradient-code"], "latency": recording(tmp_path, times)}
    found = fastgc.design(table | {"seed": 3})
    best = done(times, found[0].system["s"])
    decides = block_length(done(times, 0) - best * (done(times, 0).mean() / best.mean()))
    assert found.scope == "cluster" and f"40 rows in blocks of {decides}" in found.verdict
    for choice in found:
        series = done(times, choice.system["s"])
        length = block_length(series)
        blocks = Resampling.blocks_of(40, length)
        numbers = uniforms(3, "design rows", blocks * 2000).tolist()
        assert choice.value == pytest.approx(series.mean())
        expected = slow.mean_interval(series.tolist(), length, numbers, 0.95)
        assert (choice.low, choice.high) == pytest.approx(expected, rel=1e-9)
    again = fastgc.design(table | {"seed": 3})
    assert again == found and fastgc.design(table | {"seed": 4})[0].low != found[0].low


@pytest.mark.night
def test_one_count_of_blocks_for_both_commands_and_no_interval_that_rows_do_not_bound(tmp_path):
    """All workers drift together by 1 %: nothing of that decides between systems."""
    rng = np.random.default_rng(4)
    walk = np.cumsum(rng.normal(0, 0.003, 32))[:, np.newaxis]
    times = 10 * (1 + walk + 0.003 * rng.normal(size=(32, 8)))
    times[:, 6:] *= 1.6
    law = recording(tmp_path, times)
    found = fastgc.design({"workers": 8, "schemes": ["uncoded", "coded-reduce"], "latency": law})
    assert found.separated and found.scope == "cluster"
    first = found[0]
    assert 1.19 < first.gain_low < first.gain < first.gain_high < 1.23
    assert first.high == np.inf and "not known" in report.remedies(found)
    said = re.search(r"blocks of (\d+) rounds", " ".join(fastgc.advise(law["file"]).why))
    assert f"32 rows in blocks of {said[1] if said else 1})" in found.verdict


def test_gains_are_paired(tmp_path):
    # all workers of a row are slow together: times vary by ten, ratios hardly at all
    rng = np.random.default_rng(2)
    times = (1 + 0.01 * rng.random((60, 4))) * rng.choice([1.0, 10.0], size=(60, 1))
    law = recording(tmp_path, times) | {"barrier": "ignore"}  # so alike that it could be one
    found = fastgc.design({"workers": 4, "schemes": ["gradient-code"], "latency": law})
    [plain] = [choice for choice in found if choice.system["s"] == 0]
    [coded] = [choice for choice in found if choice.system["s"] == 1]
    assert plain.gain == plain.gain_low == plain.gain_high == 1
    assert coded.gain == pytest.approx(done(times, 0).mean() / done(times, 1).mean())
    assert coded.gain_low <= coded.gain <= coded.gain_high
    assert coded.gain_high - coded.gain_low < 0.01 * coded.gain
    assert coded.high / coded.low > 1.3


def test_what_equals_uncoded_work_is_the_best_in_whatever_order_schemes_come(tmp_path):
    table = {"workers": 6, "work": 6, "latency": recording(tmp_path, cluster(60, slow_share=0))}
    for schemes in (["uncoded", "gradient-code"], ["gradient-code", "uncoded"], ["gradient-code"]):
        found = fastgc.design(table | {"schemes": schemes})
        assert found[0].gain_low == 1 > found[1].gain_high and found.separated


def test_at_which_load_times_were_recorded_is_asked(tmp_path):
    times = cluster(40)
    law = recording(tmp_path, times)
    table = {"workers": 6, "schemes": ["uncoded"], "latency": law}
    silent, said = fastgc.design(table), fastgc.design(table | {"work": 6})
    assert [each for each in silent.warnings if "1/6 of it, give work = 6" in each]
    assert said.warnings == said.notes == silent.notes == ()
    assert said[0].value == pytest.approx(times.max(axis=1).mean())
    known = law | {"recorded_load": 1 / 6, "rate": 0.5}
    assert fastgc.design(table | {"latency": known, "scaling": "recorded"}).warnings == ()
    drawn = {"distribution": "exponential", "mean": 1.0}
    assert fastgc.design(table | {"latency": drawn}).warnings == ()


@pytest.mark.night
def test_few_rows_do_not_speak_for_a_high_quantile(tmp_path):
    law = recording(tmp_path, cluster(20))
    table = {"workers": 6, "latency": law, "goal": "quantile(0.99)"}
    found = fastgc.design(table)
    assert found.scope == "recording" and not found.separated
    assert "of this recording" in found.verdict
    assert "quantile(0.99) needs some 368 independent rows, and it has 20" in found.verdict
    assert found[0].high == np.inf and found.rows()[0]["high"] is None
    assert "bounded]" in report.remedies(found)
    whole = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert whole["scope"] == "recording" and len(whole["systems"]) >= len(found)
    enough = fastgc.design(table | {"latency": recording(tmp_path, cluster(500))})
    assert enough.scope == "cluster" and enough[0].high < np.inf


def test_dependent_rows_and_rows_that_do_not_tell_say_so(tmp_path):
    rng = np.random.default_rng(3)
    times = 1 + 0.01 * rng.random((60, 4))
    times[:, 0] *= np.repeat(rng.choice([1.0, 3.0], size=6), 10)  # ten rows alike
    found = fastgc.design({"workers": 4, "latency": recording(tmp_path, times)})
    assert found.scope == "recording" and "independent blocks of" in found.verdict
    # s = 1 and s = 2 take the same time but for the noise
    times = np.sort(rng.random((50, 3)), axis=1) * 0.01 + np.array([1 / 3, 1 / 2, 1.0])
    table = {"workers": 3, "schemes": ["uncoded", "gradient-code"]}
    found = fastgc.design(table | {"latency": recording(tmp_path, times)})
    assert found.scope == "cluster" and not found.separated
    assert "do not tell it from" in found.verdict


@pytest.mark.night
def test_how_often_a_wrong_system_is_certain(tmp_path):
    """Of 60 recordings of 30 rows at most 5 % may be certain of one that is not the best."""
    truth = {s: done(cluster(20_000, seed=99), s).mean() for s in range(6)}
    best = min(truth, key=truth.get)
    wrong = certain = 0
    for seed in range(60):
        law = recording(tmp_path, cluster(30, seed=seed), f"{seed}.csv")
        table = {"workers": 6, "schemes": ["gradient-code"], "latency": law}
        found = fastgc.design(table, threads=1)
        certain += found.separated
        wrong += found.separated and found[0].system["s"] != best
    assert wrong <= 6 and certain > 0


@pytest.mark.parametrize(("order", "assumed"), [
    ("pooled", "if its workers are alike and independent of each other"),
    ("workers", "if its workers are independent of each other"),
])  # fmt: skip
def test_a_law_made_of_a_recording_is_of_the_recording(tmp_path, order, assumed):
    law = recording(tmp_path, cluster(30)) | {"order": order}
    found = fastgc.design({"workers": 6, "schemes": ["gradient-code"], "latency": law})
    assert found.scope == "recording" and not found.separated
    assert f"best of this recording {assumed}" in found.verdict
    for text in (report.remedies(found), html.as_html(pages.of_ranking(found))):
        assert "certainly" not in text and "as recorded" in text
        assert text.count("exact") == 1  # the gain of uncoded work itself


@pytest.mark.parametrize(("head", "more", "unit"), [
    ("w0,w1,w2", {}, "units"), ("# unit: seconds\nw0,w1,w2", {}, "seconds"),
    ("a [ms],b [ms],c [ms]", {}, "milliseconds"),
    ("a [ms],b [ms],c [ms]", {"unit": "fortnights"}, "fortnights"),
    ("w0,w1,w2", {"unit": "seconds"}, "seconds"),
])  # fmt: skip
def test_the_unit_is_that_of_the_recording_unless_it_is_given(tmp_path, head, more, unit):
    law, path = recording(tmp_path, cluster(30, workers=3)), tmp_path / "times.csv"
    path.write_text("\n".join([head, *path.read_text().splitlines()[1:]]))
    found = fastgc.design({"workers": 3, "schemes": ["gradient-code"], "latency": law, **more})
    assert found.unit == unit == found.as_dict()["unit"]
    text = " ".join(report.remedies(found).split())
    where = f"in {unit}{' of the recording' * (unit == 'units')};"
    assert where in text and f"worker-{unit}" in text


def test_equal_quantiles_do_not_make_equal_systems(tmp_path):
    times = np.array([[2.0, 2.2, 2.4, 9.0], [2.0, 2.4, 2.2, 9.0]])
    table = {"workers": 4, "schemes": ["gradient-code", "replication"], "goal": "quantile(0.9)"}
    found = fastgc.design(table | {"latency": recording(tmp_path, times)})
    pairs = {"family": "replication", "n": 4, "d": 2}
    [coded] = [c for c in found if c.system == {"family": "gradient-code", "n": 4, "s": 1}]
    [groups] = [c for c in found if c.system == pairs]
    assert coded.value == groups.value and pairs not in coded.also
    assert coded in found[:2] and groups in found[:2]


@pytest.mark.parametrize("goal", ["mean", "quantile(0.5)"])
def test_one_row_says_nothing_and_rows_that_are_all_alike_do(tmp_path, goal):
    alike = recording(tmp_path, np.tile([1.0, 2.0, 4.0], (40, 1)))
    found = fastgc.design({"workers": 3, "latency": alike, "schemes": ["gradient-code"]})
    assert every(choice.low == choice.high == choice.value for choice in found)
    assert found.scope == "cluster"
    law = recording(tmp_path, np.array([[1.0, 2.0, 4.0]]))
    found = fastgc.design({"workers": 3, "latency": law, "goal": goal})
    assert found.scope == "recording" and (found[0].low, found[0].high) == (0.0, np.inf)
    assert found[1].gain_low in (None, 1.0)
    if goal == "mean":
        assert "it has 1 row, and 30 are needed" in found.verdict


def changed(rows=300, after=219, workers=6, seed=5):
    """A cluster in which worker 4 is never late before some row, and always after it."""
    times = 23 + 3 * np.random.default_rng(seed).random((rows, workers))
    times[after:, 4] *= 14
    return times.round(3)


@pytest.mark.night
def test_what_is_said_after_a_change_is_of_the_part_that_goes_on(tmp_path):
    times = changed()
    table = {"workers": 6, "work": 6, "schemes": ["uncoded", "gradient-code"]}
    found = fastgc.design(table | {"latency": recording(tmp_path, times)})
    [said] = found.warnings
    assert "times.csv: worker w4 changed at row 219" in said
    assert "late in 0 of 219 rows, in all of the next 81" in said
    assert "cut there, or replace the worker" in said and "81 rows after row 219" in said
    part = fastgc.design(table | {"latency": recording(tmp_path, times[219:], "part.csv")})
    assert part.warnings == () and found.choices == part.choices
    assert found[0].system["s"] == 1 and "(81 rows in blocks of" in found.verdict
    for choice in found:  # no time is less than the least there is, or as long as the cluster
        assert times.min() <= choice.low <= choice.high < 15 * 26 * 6


def test_all_is_of_the_part_that_goes_on(tmp_path):
    """Rows that follow the basis, and a rate that is fitted."""
    times = changed()
    laws = [recording(tmp_path, times), recording(tmp_path, times[219:], "part.csv")]
    other = recording(tmp_path, 2 * times[219:], "two.csv")["file"]
    fit = {"fit": [{"file": other, "recorded_load": 1 / 3}]}
    for schemes, cost in (({}, {"rate": 5.0}), ({"schemes": ["gradient-code"]}, fit)):
        table = {"workers": 6, "scaling": "recorded", **schemes}
        found, part = (
            fastgc.design(table | {"latency": law | {"recorded_load": 1 / 6} | cost})
            for law in laws
        )
        assert "81 rows after row 219" in found.warnings[0] and found.choices == part.choices


@pytest.mark.night
def test_no_interval_begins_below_what_a_time_can_be(tmp_path):
    """A worker that is late in the second half of few rows: the mean's error exceeds the mean."""
    times = cluster(36, slow_share=0)
    times[24:, 2] = 300
    found = fastgc.design({"workers": 6, "work": 6, "latency": recording(tmp_path, times)})
    assert found.warnings == ()  # too few rows to call it a change
    for choice in found:
        assert 0 <= choice.low <= choice.value <= choice.high
        assert choice.gain_low is None or 0 <= choice.gain_low <= choice.gain <= choice.gain_high


@pytest.mark.night
def test_systems_are_ranked_by_what_they_do_to_the_gradient(tmp_path):
    times = cluster(120, seed=5)
    times[:, 2] *= 4.0
    found = fastgc.design({"workers": 6, "latency": recording(tmp_path, times), "deadline": 1.5})
    classes = [choice.gradient for choice in found]
    assert classes == sorted(classes, key=["exact", "fresh", "lost", "stale"].index)
    assert {"exact", "fresh", "lost", "stale"} == set(classes)
    for one in set(classes):
        values = [choice.value for choice in found if choice.gradient == one]
        assert values == sorted(values)
    assert found[0].system["family"] == "replication"
    assert "with the exact gradient" in found.verdict
    text = " ".join(report.remedies(found).split())
    assert "% lost" in text and "stale" in text
    assert "Spare: the gradient is that of the fresh mini-batches" in text
    assert {row["gradient"] for row in found.rows()} == set(classes)


def test_all_systems_are_judged_on_the_same_rows(tmp_path):
    """Who shares out work by the rows before has none for the first: all leave these out."""
    times = cluster(60)
    table = {"workers": 6, "latency": recording(tmp_path, times)}
    whole = fastgc.design(table | {"schemes": ["uncoded"]})
    both = fastgc.design(table | {"schemes": ["uncoded", "leave-out"], "basis": 12})
    [uncoded] = [choice for choice in both if choice.system["family"] == "uncoded"]
    assert whole[0].value == pytest.approx(done(times, 0).mean())
    assert uncoded.value == pytest.approx(done(times[12:], 0).mean())


@pytest.mark.night
def test_few_rows_say_nothing_of_speeds(tmp_path):
    found = fastgc.design({"workers": 6, "latency": recording(tmp_path, cluster(39))})
    assert not {"leave-out", "balanced"} & {choice.system["family"] for choice in found}
    assert any("leave-out cannot be timed" in note and "40 rows" in note for note in found.notes)
    assert any("is too long for this recording" in note for note in found.notes)


def test_what_is_lost_of_the_gradient_is_said(tmp_path):
    times = cluster(60)
    table = {"workers": 6, "work": 6, "latency": recording(tmp_path, times), "deadline": 1.09}
    found = fastgc.design(table | {"schemes": ["uncoded", "bounded-wait", "drop-late"]})
    assert [c.system["family"] for c in found if c.lost is None] == ["uncoded"]
    for choice in [c for c in found if c.lost]:
        k = choice.system.get("k")
        expected = 1 - k / 6 if k else (times > 1.09).mean()
        assert choice.lost["mean"] == pytest.approx(expected)
        assert f"{100 * expected:.2g} % lost" in report.remedies(found)
    drawn = {"workers": 6, "latency": {"distribution": "exponential", "mean": 1.0}}
    found = fastgc.design(drawn | {"schemes": ["ignore-stragglers"], "stragglers": 2})
    assert "33 % lost" in report.remedies(found)
