"""Statements judged again on what a finished validation measured."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

import fastgc
from fastgc.results import store
from fastgc.results.verdicts import data_of
from fastgc.validation import measuring, validate
from fastgc.validation.multiple_testing import PendingVerdicts

IDS = ["song-choi.least", "binary.algorithm2.corrected", "li-bcc.fewest", "tandon.load"]
TRIALS = 100_000


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """An exact, a finite, a sampled and a worst case, and their file."""
    path = tmp_path_factory.mktemp("kept") / "a.h5"
    return path, fastgc.validate(IDS, out=path, trials=TRIALS)


@pytest.fixture
def nothing_is_measured(monkeypatch):
    def refuse(*_):
        raise AssertionError("measured again")

    monkeypatch.setattr(measuring, "measure_finite", refuse)
    monkeypatch.setattr(measuring.Measuring, "exactly", refuse)
    monkeypatch.setattr(measuring.Measuring, "sampled", refuse)


@pytest.mark.night
def test_a_finished_file_is_judged_again_without_a_measurement(finished, nothing_is_measured):
    path, before = finished
    image = path.read_bytes()
    again = fastgc.validate(IDS, out=path, trials=TRIALS)
    assert [data_of(each) for each in again] == [data_of(each) for each in before]
    assert path.read_bytes() == image


@pytest.mark.night
def test_a_theory_that_changed_is_judged_on_what_was_measured(finished, nothing_is_measured):
    [true] = validate.select("song-choi.least")
    cases = tuple(replace(case, theory=1.02 * case.theory) for case in true.cases)
    known = validate.kept_evidence(store.load(finished[0]), [true], validate.how("both", TRIALS))
    pairs = {id(new): known[id(old)] for new, old in zip(cases, true.cases, strict=True)}
    wrong, pool = replace(true, make=lambda: cases), SimpleNamespace(workers=1)
    found = measuring.measure([wrong], pool, measuring.Options(TRIALS), kept=pairs)
    assert PendingVerdicts([wrong], 0.01).finish(found)[0].verdict == "refuted"


@pytest.mark.night
def test_what_was_measured_otherwise_or_for_others_does_not_count(finished):
    run, claims = store.load(finished[0]), validate.select(IDS)
    usual, kept = validate.how("both", TRIALS), validate.kept_evidence
    assert len(kept(run, claims, usual)) == sum(len(claim.cases) for claim in claims)
    for way in ({"method": "exact"}, {"trials": TRIALS + 1}, {"build": "another"}):
        assert kept(run, claims, usual | way) == {}
    assert kept(None, claims, usual) == {}
    assert kept(run, [replace(claims[0], id="mine.song")], usual) == {}


def test_the_build_is_known_by_every_source(tmp_path, monkeypatch):
    before = validate.build()
    (tmp_path / "__init__.py").write_text("# another fastgc")
    validate.build.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(validate.fastgc, "__file__", str(tmp_path / "__init__.py"))
        another = validate.build()
    validate.build.cache_clear()
    assert another != before


def test_what_is_left_is_measured_beside_what_is_kept(finished, tmp_path, monkeypatch):
    path, before = finished
    copy = tmp_path / "b.h5"
    copy.write_bytes(path.read_bytes())
    usual = validate.kept_evidence
    left = {id(case) for claim in validate.select(IDS[2:3]) for case in claim.cases}

    def some(*given):
        return {case: each for case, each in usual(*given).items() if case not in left}

    monkeypatch.setattr(validate, "kept_evidence", some)
    steps = []
    again = fastgc.validate(IDS, out=copy, trials=TRIALS, progress=steps.append)
    assert [data_of(each) for each in again] == [data_of(each) for each in before]
    assert steps[-1].done == steps[-1].total > 0
