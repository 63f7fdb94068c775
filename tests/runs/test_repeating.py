"""A file of results is a study: it can be measured again, with the same trials."""

import dataclasses

import pytest

import fastgc
from fastgc.errors import FastgcError, FastgcWarning
from fastgc.results import store
from suite.studies import groups, ring

SWEPT = ring(20, 0.1, sweep={"stragglers.p": [0.01, 0.3]})
POINTS = {
    "stop": {"trials": 300_000, "relative_error": 0.02},
    "experiment": [SWEPT, groups(4, 0.1, method="auto")],
}


def trials(path):
    return [unit.trials for unit in store.load(path).units]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    path = tmp_path_factory.mktemp("kept") / "a.h5"
    fastgc.run(POINTS, out=path)
    assert len(set(trials(path))) == 2, "precision stops the points after different trials"
    return path


@pytest.mark.night
def test_the_same_rows_come_again(kept, tmp_path, command):
    again = tmp_path / "again.h5"
    code, _, _ = command("run", kept, "-o", again)
    assert code == 0
    assert trials(again) == trials(kept)
    assert fastgc.open(again).rows() == fastgc.open(kept).rows()
    assert store.load(again).study == store.load(kept).study
    assert command("show", again, "--csv")[1] == command("show", kept, "--csv")[1]
    before = again.read_bytes()
    assert command("run", again, "-o", again)[0] == 0
    assert again.read_bytes() == before, "there is nothing left to do"


def test_other_options_make_it_the_study_of_the_file(kept, tmp_path):
    fewer = fastgc.run(kept, trials=1000)
    assert {row["trials"] for row in fewer.rows()} == {1000, None}
    assert fastgc.replay(kept, trial=3, experiment="groups")["experiment"] == "groups"
    assert fastgc.run(kept, seed=2).rows() != fastgc.open(kept).rows()


def test_another_stream_version_is_named(kept, tmp_path):
    stored, other = store.load(kept), tmp_path / "other.h5"
    old = dataclasses.replace(stored, provenance=stored.provenance | {"stream_version": 0})
    store.save(other, old)
    with pytest.warns(FastgcWarning, match="was sampled with stream version 0, this fastgc has"):
        fastgc.run(other)


def test_verdicts_are_no_study(tmp_path):
    fastgc.validate("agc.lemma1.printed", out=tmp_path / "v.h5", trials=1000)
    with pytest.raises(FastgcError, match=r"holds a validation; `fastgc validate`"):
        fastgc.run(tmp_path / "v.h5")
    with pytest.raises(FastgcError, match=r"v\.h5 is a file of results; give claims or a file"):
        fastgc.validate(str(tmp_path / "v.h5"))
