"""Auditing a run's file: honest ones pass, and what was forged is found as often as is said."""

import json
import math
import random
import shutil
import tomllib

import numpy as np
import pytest

import fastgc
from fastgc.draws import streams
from fastgc.results import store
from fastgc.runs import Batch, audit
from fastgc.runs.audits import UnitAudit
from fastgc.runs.plan import Plan
from fastgc.statistics.tallies import Tally
from fastgc.training import problems, scikit
from fastgc.training.data import RawData
from suite.checks import every, refusal
from suite.studies import descent, groups, ring
from suite.waiting import after

BLOCK = 64
RING = ring(6, method="both", quantiles=[0.5], sweep={"stragglers.p": [0.1, 0.3]})
STUDY = {"seed": 3, "experiment": [RING, groups()]}
GROUPS = {"seed": 3, "experiment": STUDY["experiment"][1:]}


@pytest.fixture(autouse=True)
def blocks_of_64(monkeypatch):
    monkeypatch.setattr(streams, "LARGEST_BLOCK", BLOCK)


@pytest.fixture
def path(tmp_path):
    name = tmp_path / "a.h5"
    fastgc.run(STUDY, trials=20 * BLOCK + 7, out=name)
    return name


def forge(path, change, fitting=False):
    """Write a file again, with what a forger makes of it, and rows and a checksum that fit."""
    stored = store.load(path)
    change(stored)
    if fitting:
        known = {unit.key: unit for unit in stored.units}
        plan = Plan.of(fastgc.Study.parse(tomllib.loads(stored.study)), known)
        rows = plan.rows([known[unit.key] for unit in plan.units])
        stored.rows[:] = [row.as_dict() for row in rows]
    store.save(path, stored)


def more(tally):
    tally.sums.add(np.eye(1, len(tally.sums)))


def rewritten(old, new):
    return lambda stored: setattr(stored, "study", stored.study.replace(old, new))


@pytest.mark.night
@pytest.mark.parametrize("share", [0.001, 0.3, 1])
def test_an_honest_file_passes_with_any_threads(path, share):
    found = [audit(path, share=share, seed=5, threads=t).as_dict() for t in (1, 2, 5)]
    assert found[0] == found[1] == found[2]
    assert found[0]["passed"] and found[0]["differences"] == []
    assert found[0]["blocks"] == 63
    assert [unit["checked"] for unit in found[0]["units"]] == [max(1, math.ceil(21 * share))] * 3
    assert found[0]["rows_compared"] == found[0]["rows"] == len(fastgc.open(path).rows())
    assert every(unit["sums_compared"] == (share == 1) for unit in found[0]["units"])
    assert any(said.startswith("the sums of 3 units") for said in found[0]["unchecked"]) == (
        share < 1
    )
    json.dumps(found[0], allow_nan=False)
    assert audit(path).seed != audit(path).seed, "seeds are not foreseen"


@pytest.mark.night
def test_shards_extended_and_unfinished_files_are_audited(tmp_path):
    path = tmp_path / "a.h5"
    for i in range(3):
        fastgc.run(STUDY, trials=20 * BLOCK + 7, batch=Batch(shard=(i, 3)), out=path)
        assert audit(path, share=1).passed
        forge(path, lambda stored: stored.units[0].digests.__setitem__(2, 1))
        [found] = audit(path, share=1).differences
        first = (i + 6) * BLOCK
        assert (found.block, found.trials) == (i + 6, (first, first + BLOCK - 1))
        path.unlink()
    early = fastgc.run(
        STUDY, trials=2000 * BLOCK, out=path, threads=1, batch=Batch(interrupted=after(5))
    )
    found = audit(early.path, share=1)
    assert not early.complete and found.passed and found.checked == found.blocks > 0
    path = tmp_path / "extended.h5"
    for trials in (5 * BLOCK + 9, 11 * BLOCK + 40):
        fastgc.run(GROUPS, trials=trials, out=path)
    fastgc.run(GROUPS | {"stop": {"trials": 10**6, "relative_error": 0.02}}, out=path)
    found = audit(path, share=1)
    assert found.passed and found.checked > 12


@pytest.mark.night
def test_a_forged_block_is_found_whenever_it_is_drawn(path):
    place, share, seen = 13, 0.3, set()
    forge(path, lambda stored: stored.units[1].digests.__setitem__(place, 12345))
    subjects = [UnitAudit("", (), unit) for unit in store.load(path).units]
    for seed in range(10):
        draws = random.Random(seed)
        for subject in subjects:
            subject.draw(share, draws)
        found = audit(path, share=share, seed=seed)
        assert found.missed == pytest.approx(1 - 7 / 21)
        assert found.passed == (place not in subjects[1].drawn)
        seen.add(found.passed)
        for difference in found.differences:
            assert (difference.unit, difference.block) == ("ring stragglers.p=0.3", place)
            assert difference.trials == (place * BLOCK, place * BLOCK + BLOCK - 1)
    assert seen == {False, True}


def moved(tally):
    counts = tally.histograms[0].counts
    counts[min(counts)] -= 1
    counts[max(counts)] += 1


#: No row of the study says what this changes.
HIDDEN = [lambda stored: moved(stored.units[1].tally)]


@pytest.mark.parametrize(("share", "count"), [(0.001, 1), (0.3, 7)])
def test_every_place_is_drawn_as_often_as_any_other(path, share, count):
    """20 blocks and a partial one: a forger would choose a place that is never looked at."""
    subject, seeds, times = UnitAudit("", (), store.load(path).units[0]), 2000, np.zeros(21)
    for seed in range(seeds):
        subject.draw(share, random.Random(seed))
        assert len(set(subject.drawn)) == len(subject.drawn) == count
        times[subject.drawn] += 1
    expected = seeds * count / 21
    assert (np.abs(times - expected) < 4.5 * math.sqrt(expected * (1 - count / 21))).all()


@pytest.mark.night
@pytest.mark.parametrize(("change", "what", "block"), [
    (lambda stored: more(stored.units[1].tally), "the sums over all full blocks", None),
    (HIDDEN[0], "the sums over all full blocks", None),
    (lambda stored: more(stored.units[2].partial), "the sums of this last, partial block", 20),
])  # fmt: skip
def test_forged_sums_are_found_when_all_blocks_are_added_up(path, change, what, block):
    """With rows that follow from them; without, rows differ at once."""
    forge(path, change)
    stale = [each.what for each in audit(path).differences]
    assert any("computed anew" in said for said in stale) == (change not in HIDDEN)
    forge(path, lambda stored: None, fitting=True)
    assert any(said.startswith("the sums of 3") for said in audit(path, share=0.1).unchecked)
    [difference] = audit(path, share=1).differences
    assert difference.what == f"{what} are not what sampling again gives"
    assert difference.block == block
    assert difference.trials == (None if block is None else (20 * BLOCK, 20 * BLOCK + 6))


def falsified(method):
    def change(stored):
        row = next(row for row in stored.rows if row["method"] == method and row["value"])
        row["value"] *= 1.001

    return change


@pytest.mark.night
@pytest.mark.parametrize(("change", "says"), [
    *((falsified(method), "value is") for method in ("monte-carlo", "exact", "closed-form")),
    (lambda stored: stored.rows.pop(), "the file has no row"),
    (lambda stored: stored.rows.append(stored.rows[0] | {"quantity": "wonder"}), "wonder"),
])  # fmt: skip
def test_forged_rows_are_found(path, change, says):
    forge(path, change)
    [difference] = audit(path).differences
    assert says in difference.what


@pytest.mark.night
@pytest.mark.parametrize(("change", "says"), [
    (lambda unit: setattr(unit.tally, "trials", 99), "says other numbers of trials"),
    (lambda unit: setattr(unit.partial, "trials", 99), "says other numbers of trials"),
    (lambda unit: unit.__dict__.update(tally=Tally.empty(1, 1), partial=None),
     "its tally is not of this form"),
    (lambda unit: setattr(unit, "key", "another"), "the file has no tally of it"),
])  # fmt: skip
def test_what_cannot_be_is_found(path, change, says):
    forge(path, lambda stored: change(stored.units[0]))
    found = audit(path)
    assert not found.passed and any(says in each.what for each in found.differences)


@pytest.mark.night
def test_a_study_that_the_tallies_are_not_of(path):
    forge(path, rewritten("0.3", "0.25"))
    said = [each.what for each in audit(path).differences]
    assert any("the study in the file is not the one" in what for what in said)
    assert "ring stragglers.p=0.25: the file has no tally of it" in said


@pytest.mark.night
def test_what_cannot_be_sampled_again_is_said(path, tmp_path):
    plug_in = shutil.copy(path, tmp_path / "plug-in.h5")
    forge(path, lambda stored: stored.provenance.update(stream_version=99))
    found = audit(path, share=1)
    assert (found.checked, found.passed, found.differences, found.missed) == (0, False, [], None)
    assert any("sampled with stream version 99, this" in said for said in found.unchecked)
    assert found.rows_compared == found.rows
    forge(plug_in, rewritten('family = "frc"', 'family = "gone"'))
    found = audit(plug_in, share=1)
    assert (found.passed, found.checked, found.blocks, found.differences) == (False, 0, 63, [])
    assert every("gone" in unit.obstacle for unit in found.units)
    said = {sentence.split(":")[0] for sentence in found.unchecked}
    assert said == {"63 blocks of ring and 2 more", f"{found.rows} rows"}


ORDER = sorted(range(1, 40), key=lambda i: 17 * i % 41)
TIMES = "a,b,c,d\n" + "\n".join(f"{i},{i % 3},{i % 5},{i % 7}" for i in ORDER) + "\n"
TRACE = {
    "code": {"family": "frc", "n": 4, "d": 2},
    "stragglers": {"model": "trace", "file": "times.csv", "threshold": "1.1 median"},
    "method": "both",
}


@pytest.mark.night
def test_of_a_trace_the_copy_in_the_file_counts(here):
    times, path = here / "times.csv", here / "a.h5"
    times.write_text(TIMES)
    fastgc.run(TRACE, trials=10 * BLOCK, out=path)
    times.write_text(TIMES.replace("7,1,2", "7,1,3"))
    assert audit(path, share=1).passed
    times.unlink()
    assert audit(path, share=1).passed
    forge(path, rewritten("7,1,2", "7,1,3"))
    found = audit(path)
    assert not found.passed and any("no tally of it" in each.what for each in found.differences)


def test_data_that_are_not_here(tmp_path, monkeypatch):
    rows = np.arange(1797 * 64.0).reshape(-1, 64) % 17
    monkeypatch.setattr(scikit, "installed", lambda: True)
    monkeypatch.setattr(scikit, "read", lambda name: RawData(name, rows, rows[:, 1] % 10))
    study = descent(4, 24, 3, 3)
    study["problem"] = {"model": "linear", "data": "digits", "samples": 24}
    path = tmp_path / "a.h5"
    fastgc.run(study, trials=200, out=path)
    assert audit(path).passed
    monkeypatch.setattr(scikit, "installed", lambda: False)
    monkeypatch.setattr(scikit, "read", scikit.require)
    monkeypatch.setattr(problems, "_loaded", {})
    found = audit(path)
    assert (found.checked, found.passed, found.differences) == (0, False, [])
    assert any("scikit-learn" in said for said in found.unchecked), found.unchecked


def test_an_audit_that_is_stopped_says_what_it_has_seen(tmp_path):
    path, steps = tmp_path / "a.h5", []
    fastgc.run(GROUPS, trials=3000 * BLOCK, out=path)
    found = audit(
        path, share=1, threads=1, batch=Batch(progress=steps.append, interrupted=lambda: "SIGINT")
    )
    assert found.stopped_by == "SIGINT" and 0 < found.checked < 3000
    assert found.missed == pytest.approx(1 - found.checked / 3000)
    assert (steps[-1].done, steps[-1].total) == (found.checked, 3000)


@pytest.mark.parametrize(("more", "says"), [
    ({"share": 0}, "share: must be more than 0 and at most 1 (got 0)"),
    ({"share": 1.5}, "share: must be"), ({"share": math.nan}, "share: must be"),
    ({"threads": 0}, "threads: must be at least 1"),
    ({"seed": -1}, "seed: must be at least 0"), ({"seed": 2**64}, "seed: must be at least 0"),
])  # fmt: skip
def test_mistakes(path, more, says):
    assert refusal(audit, path, **more).startswith(says)


def test_verdicts_are_measured_again_instead(tmp_path):
    fastgc.validate("agc.lemma1.printed", trials=1000, out=tmp_path / "v.h5")
    assert "`fastgc validate` of the same claims" in refusal(audit, tmp_path / "v.h5")
