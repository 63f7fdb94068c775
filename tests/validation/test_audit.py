"""Auditing a validation's file: its units come from its cases, its rows from its tallies."""

import copy
import json

import numpy as np
import pytest

import fastgc
from fastgc.errors import StoppedError
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

    def change(stored):
        finding, row = findings(stored, "monte-carlo")[0]
        finding["estimate"]["value"] = row["value"] = row["value"] * 1.01

    forge(path, change)
    assert not fastgc.audit(path).passed


@pytest.mark.night
def test_a_forged_digest_is_found(path):
    forge(path, lambda stored: stored.units[0].digests.__setitem__(2, 7))
    [difference] = fastgc.audit(path, share=1).differences
    assert difference.block == 2 and difference.points[0]["experiment"] in CLAIMS


@pytest.mark.night
def test_a_forged_sum_is_found(path):
    def add(stored):
        stored.units[0].tally.sums.add(np.full((1, len(stored.units[0].tally.sums)), 4.0))

    forge(path, add)
    found = fastgc.audit(path, share=1)
    assert any("sums over all full blocks" in each.what for each in found.differences)
    assert any("computed anew" in each.what for each in found.differences)


@pytest.mark.night
@pytest.mark.parametrize("method", ["exact", "enumeration"])
@pytest.mark.parametrize("both", [True, False])
def test_a_forged_value_is_found(path, method, both):
    def change(stored):
        finding, row = findings(stored, method)[0]
        finding["estimate"]["value"] *= 1.001
        if both:
            row["value"] = finding["estimate"]["value"]

    forge(path, change)
    found = fastgc.audit(path)
    assert not found.passed and method in found.differences[0].what


@pytest.mark.night
def test_a_forged_theory_is_found(path):
    def change(stored):
        finding, row = findings(stored, "exact")[0]
        finding["case"]["theory"] = row["theory"] = row["theory"] * 1.001

    forge(path, change)
    [difference] = fastgc.audit(path).differences
    assert "theory is" in difference.what
    forge(path, lambda stored: stored.provenance.update(fastgc=__version__ + ".post1"))
    found = fastgc.audit(path)
    assert found.passed and any("another version" in said for said in found.unchecked)


@pytest.mark.night
def test_cases_that_the_tallies_are_not_of(path):
    def change(stored):
        finding, _ = findings(stored, "exact")[0]
        finding["case"]["experiment"]["stragglers"] = {"model": "iid", "p": 0.123}

    forge(path, change)
    found = fastgc.audit(path)
    assert any("no case in the file has such a tally" in each.what for each in found.differences)


@pytest.mark.night
def test_a_row_too_few_is_found(path):
    forge(path, lambda stored: stored.rows.pop())
    assert "rows of" in fastgc.audit(path).differences[0].what


@pytest.mark.night
def test_another_stream_version_cannot_be_sampled_again(path):
    forge(path, lambda stored: stored.provenance.update(stream_version=99))
    found = fastgc.audit(path)
    assert not found.passed and found.checked == 0 and found.differences == []
    assert found.rows_compared == found.rows


@pytest.mark.night
def test_a_part_that_is_not_installed_is_said(path):
    def change(stored):
        for verdict in stored.verdicts:
            for finding in verdict["findings"]:
                if "code" in finding["case"]["experiment"]:
                    finding["case"] = copy.deepcopy(finding["case"])
                    finding["case"]["experiment"]["code"]["family"] = "gone"

    forge(path, change)
    forge(path, lambda stored: stored.provenance.update(fastgc="9.9"))
    found = fastgc.audit(path)
    assert not found.passed and found.checked == 0
    assert any("'gone'" in said for said in found.unchecked)


@pytest.mark.night
def test_a_validation_that_was_stopped_is_audited_by_the_ids_in_its_file(tmp_path):
    path = tmp_path / "a.h5"
    asked = iter(range(10**9))
    with pytest.raises(StoppedError):
        fastgc.validate(
            CLAIMS[0],
            trials=2**24,
            threads=1,
            out=path,
            method="monte-carlo",
            interrupted=lambda: "SIGTERM" if next(asked) > 20 else None,
        )
    found = fastgc.audit(tmp_path / "a.h5.part", share=0.1)
    assert found.passed and found.checked > 0
    assert "verdicts: the file has none yet" in found.unchecked


@pytest.mark.night
def test_claims_of_ones_own_are_audited_by_the_cases_in_the_file(tmp_path):
    study = tmp_path / "my.toml"
    study.write_text("""
[[claim]]
id = "mine.mean"
statement = "The mean error of replication."
theory = "n * p**d"
quantity = "error"
[claim.experiment]
code = { family = "frc", n = 6, d = 2 }
stragglers = { model = "iid", p = 0.1 }
sweep = { "stragglers.p" = [0.1, 0.3] }
""")
    path = tmp_path / "a.h5"
    fastgc.validate(study, trials=5000, out=path, method="monte-carlo")
    study.unlink()
    found = fastgc.audit(path, share=1)
    assert found.passed and found.checked == found.blocks == 2
