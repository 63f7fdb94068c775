"""Auditing a validation's file: its units come from its cases, its rows from its tallies."""

import copy
import json

import numpy as np
import pytest

import fastgc
from fastgc.errors import StoppedError
from fastgc.registry.activity import Batch
from fastgc.results import store
from fastgc.version import __version__
from suite.checks import every

CLAIMS = ["agc.theorem1.printed", "agc.lemma1.printed", "agc.remark2.corrected"]
TRIALS = 2**18 + 500


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """A file with exact, enumerated and sampled cases."""
    path = tmp_path_factory.mktemp("kept") / "a.h5"
    fastgc.validate(CLAIMS, trials=TRIALS, out=path)
    return path


@pytest.fixture
def path(honest, tmp_path):
    """A copy that may be forged."""
    copied = tmp_path / "a.h5"
    copied.write_bytes(honest.read_bytes())
    return copied


def forge(path, change):
    stored = store.load(path)
    change(stored)
    store.save(path, stored)


def findings(stored, method):
    """Findings by this method that have a value, as data, each with its row."""
    every = [finding for verdict in stored.verdicts for finding in verdict["findings"]]
    pairs = zip(every, stored.rows, strict=True)
    return [(f, row) for f, row in pairs if f["method"] == method and f["estimate"]["value"]]


@pytest.mark.night
def test_an_honest_file_passes(honest):
    found = fastgc.audit(honest, share=0.3, seed=1)
    assert found.passed and found.rows_compared == found.rows == len(fastgc.open(honest).rows())
    assert found.checked > 0 and found.missed > 0
    assert every(unit.points[0]["experiment"] in CLAIMS for unit in found.units)
    json.dumps(found.as_dict(), allow_nan=False)
    everything = fastgc.audit(honest, share=1, threads=2)
    assert everything.passed and everything.checked == everything.blocks


@pytest.mark.night
def test_samples_alone_are_audited_too(tmp_path):
    path = tmp_path / "a.h5"
    fastgc.validate(CLAIMS[:2], trials=3000, method="monte-carlo", out=path)
    found = fastgc.audit(path)
    assert found.passed and found.rows_compared == found.rows
    forge(path, a_value("monte-carlo"))
    assert not fastgc.audit(path).passed


def a_value(method, both=True):
    """Change a value, in its row as well or not."""

    def change(stored):
        finding, row = findings(stored, method)[0]
        finding["estimate"]["value"] *= 1.001
        if both:
            row["value"] = finding["estimate"]["value"]

    return change


def a_theory(stored):
    finding, row = findings(stored, "exact")[0]
    finding["case"]["theory"] = row["theory"] = row["theory"] * 1.001


def a_sum(stored):
    sums = stored.units[0].tally.sums
    sums.add(np.full((1, len(sums)), 4.0))


def another_case(stored):
    finding, _ = findings(stored, "exact")[0]
    finding["case"]["experiment"]["stragglers"] = {"model": "iid", "p": 0.123}


@pytest.mark.night
@pytest.mark.parametrize(("change", "said"), [
    (lambda stored: stored.units[0].digests.__setitem__(2, 7), ["2"]),
    (a_sum, ["sums over all full blocks", "computed anew"]),
    *((a_value(method, both), [method]) for method in ("exact", "enumeration")
      for both in (True, False)),
    (a_theory, ["theory is"]),
    (another_case, ["no case in the file has such a tally"]),
    (lambda stored: stored.rows.pop(), ["rows of"]),
])  # fmt: skip
def test_what_is_forged_is_found(path, change, said):
    forge(path, change)
    found = fastgc.audit(path, share=1)
    assert not found.passed
    for words in said:
        assert any(words in f"{each.what} {each.block}" for each in found.differences), words
    if said == ["2"]:
        [digest] = found.differences
        assert digest.block == 2 and digest.points[0]["experiment"] in CLAIMS


@pytest.mark.night
def test_theories_of_another_version_are_not_compared(path):
    forge(path, a_theory)
    forge(path, lambda stored: stored.provenance.update(fastgc=__version__ + ".post1"))
    found = fastgc.audit(path)
    assert found.passed and any("another version" in said for said in found.unchecked)


@pytest.mark.night
def test_another_stream_version_cannot_be_sampled_again(path):
    forge(path, lambda stored: stored.provenance.update(stream_version=99))
    found = fastgc.audit(path)
    assert not found.passed and found.checked == 0 and found.differences == []
    assert found.rows_compared == found.rows


@pytest.mark.night
def test_a_part_that_is_not_installed_is_said(path):
    def change(stored):
        stored.provenance.update(fastgc="9.9")
        for verdict in stored.verdicts:
            for finding in verdict["findings"]:
                if "code" in finding["case"]["experiment"]:
                    finding["case"] = copy.deepcopy(finding["case"])
                    finding["case"]["experiment"]["code"]["family"] = "gone"

    forge(path, change)
    found = fastgc.audit(path)
    assert not found.passed and found.checked == 0
    assert any("'gone'" in said for said in found.unchecked)


@pytest.mark.night
def test_a_validation_that_was_stopped_is_audited_by_the_ids_in_its_file(tmp_path):
    left = iter([None] * 21)
    way = {"trials": 2**24, "threads": 1, "method": "monte-carlo"}
    with pytest.raises(StoppedError):
        fastgc.validate(
            CLAIMS[0],
            out=tmp_path / "a.h5",
            batch=Batch(interrupted=lambda: next(left, "SIGTERM")),
            **way,
        )
    found = fastgc.audit(tmp_path / "a.h5.part", share=0.1)
    assert found.passed and found.checked > 0
    assert "verdicts: the file has none yet" in found.unchecked


@pytest.mark.night
def test_claims_of_ones_own_are_audited_by_the_cases_in_the_file(tmp_path):
    frc, iid = {"family": "frc", "n": 6, "d": 2}, {"model": "iid", "p": 0.1}
    own = fastgc.claim(
        id="mine.mean",
        statement="The mean error of replication.",
        theory="n * p**d",
        quantity="error",
        experiment={"code": frc, "stragglers": iid, "sweep": {"stragglers.p": [0.1, 0.3]}},
    )
    fastgc.validate(own, trials=5000, out=tmp_path / "a.h5", method="monte-carlo")
    found = fastgc.audit(tmp_path / "a.h5", share=1)
    assert found.passed and found.checked == found.blocks == 2
