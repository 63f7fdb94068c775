"""What a run may be given: objects where a study has tables, and files of results."""

import dataclasses

import pytest

import fastgc
from fastgc.errors import FastgcError, FastgcWarning
from fastgc.results import store
from fastgc.study.study import Study
from suite.studies import groups, ring

STRAGGLERS = {"model": "iid", "p": 0.2}


def table(family, **keys):
    return {"family": family, **keys}


made = fastgc.codes
CODES = [
    (made.frc(n=4, d=2), table("frc", n=4, d=2)),
    (made.graph(edges=[[0, 1], [1, 2]]), table("graph", edges=[[0, 1], [1, 2]])),
    (
        made.bernoulli(n=4, density=0.5, seed="trial"),
        table("bernoulli", n=4, seed="trial", density=0.5),
    ),
    (made.matrix(rows=[[1, 0.5], [0, 2]]), table("matrix", rows=[[1.0, 0.5], [0.0, 2.0]])),
]


@pytest.mark.parametrize(("code", "table"), CODES, ids=lambda value: "")
def test_a_code_stands_for_the_table_that_makes_it(code, table):
    objects = Study.parse({"code": code, "stragglers": STRAGGLERS})
    tables = Study.parse({"code": table, "stragglers": STRAGGLERS})
    assert objects.identity() == tables.identity(), "the same trials"
    assert objects.text() == tables.text()
    assert Study.parse({"code": code.as_table(), "stragglers": STRAGGLERS}).points()


def test_a_run_of_keys_is_a_run_of_that_experiment(tmp_path):
    keys = {"measure": ["error", "exact"], "sweep": {"stragglers.p": [0.1, 0.2]}}
    objects = {"code": CODES[0][0], "stragglers": fastgc.stragglers.Iid(p=0.2)} | keys
    how = {"method": "monte-carlo", "seed": 7}
    found = fastgc.run(**objects, **how, trials=1e3, out=tmp_path / "a.h5")
    same = fastgc.run({"code": CODES[0][1], "stragglers": STRAGGLERS} | keys, **how, trials=1000)
    assert found.rows() == same.rows() == fastgc.open(tmp_path / "a.h5").rows()


def test_objects_stand_anywhere_in_a_study():
    codes = [fastgc.codes.frc(n=4, d=2), fastgc.codes.circulant(n=4, d=2)]
    found = fastgc.run(
        {
            "experiment": [
                {"name": "swept", "code": codes[0], "stragglers": STRAGGLERS,
                 "sweep": {"code": codes}},
                {"name": "time", "kind": "completion",
                 "system": {"family": "gradient-code", "n": 4, "s": 1},
                 "latency": fastgc.latency.Exponential(mean=2.0)},
            ]
        }
    )  # fmt: skip
    points = [row["point"] for row in found.rows() if row["experiment"] == "swept"]
    assert {"code": {"family": "circulant", "n": 4, "d": 2}} in points
    assert found["time"]["time"].mean.value == pytest.approx(2 * (1 / 4 + 1 / 3 + 1 / 2) * 0.5)


@pytest.mark.parametrize(("arguments", "keys", "said"), [
    ([], {}, "run: give a study, or an experiment by its keys"),
    (["agc/main"], {"code": 1}, "keys of an experiment, like code, go without a study"),
    ([], {"code": object(), "stragglers": STRAGGLERS}, "code: must be a table, a list, text"),
    ([], {"code": CODES[0][0], "straglers": STRAGGLERS}, "did you mean 'stragglers'"),
])  # fmt: skip
def test_what_a_call_lacks_or_does_not_know(arguments, keys, said):
    with pytest.raises(FastgcError, match=said):
        fastgc.run(*arguments, **keys)


# ---- a file of results is a study: it can be measured again, with the same trials


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
    assert fastgc.runs.replay(kept, trial=3, experiment="groups")["experiment"] == "groups"
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
