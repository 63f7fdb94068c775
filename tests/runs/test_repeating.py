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


@pytest.mark.night
@pytest.mark.parametrize("asked", [200_000, 70_000])
def test_a_shard_is_repeated_as_that_shard(tmp_path, asked):
    for own in (0, 1):
        path, again = tmp_path / f"{own}.h5", tmp_path / f"again{own}.h5"
        fastgc.run(
            POINTS | {"stop": {"trials": asked}}, out=path, batch=fastgc.Batch(shard=(own, 2))
        )
        fastgc.run(path, out=again)
        assert trials(again) == trials(path) and store.load(again).shard == (own, 2)
        assert fastgc.open(again).rows() == fastgc.open(path).rows()
    with pytest.raises(FastgcError, match=r"0\.h5: holds shard 0/2; leave the shard out"):
        fastgc.run(tmp_path / "0.h5", batch=fastgc.Batch(shard=(1, 2)))
    fastgc.merge([tmp_path / "again0.h5", tmp_path / "again1.h5"], out=tmp_path / "m.h5")
    fastgc.run(tmp_path / "m.h5", out=tmp_path / "whole.h5")
    assert fastgc.open(tmp_path / "m.h5").rows() == fastgc.open(tmp_path / "whole.h5").rows()


def test_an_unfinished_run_is_repeated_as_far_as_it_went(tmp_path):
    long = POINTS | {"stop": {"trials": 10**9}}
    found = fastgc.run(long, out=tmp_path / "a.h5", batch=fastgc.Batch(max_seconds=0))
    assert not found.complete
    again = fastgc.run(found.path, out=tmp_path / "b.h5")
    rows = [row for row in again.rows() if row["trials"]]
    assert rows == [row for row in found.rows() if row["trials"]]


def test_other_versions_are_named(kept, tmp_path):
    stored = store.load(kept)
    for change, said in (
        ({"stream_version": 0}, "was sampled with stream version 0, this fastgc has"),
        ({"fastgc": "0.0.1"}, "was made by fastgc 0.0.1, this is"),
    ):
        other = tmp_path / "other.h5"
        old = dataclasses.replace(stored, provenance=stored.provenance | change)
        store.save(other, old)
        with pytest.warns(FastgcWarning, match=said):
            fastgc.run(other)


@pytest.mark.night
def test_what_no_run_can_repeat_is_refused(tmp_path):
    fastgc.validate("agc.lemma1.printed", out=tmp_path / "v.h5", trials=1000)
    with pytest.raises(FastgcError, match=r"holds a validation; .* \(agc\.lemma1\.printed\)"):
        fastgc.run(tmp_path / "v.h5")
    with pytest.raises(FastgcError, match=r"v\.h5 is a file of results; give claims or a file"):
        fastgc.validate(str(tmp_path / "v.h5"))
    for own in (0, 2):
        fastgc.run(
            POINTS | {"stop": {"trials": 9000}},
            out=tmp_path / f"{own}.h5",
            batch=fastgc.Batch(shard=(own, 3)),
        )
    fastgc.merge([tmp_path / "0.h5", tmp_path / "2.h5"], out=tmp_path / "part.h5", partial=True)
    with pytest.raises(FastgcError, match="merged without shard 1/3"):
        fastgc.run(tmp_path / "part.h5")
