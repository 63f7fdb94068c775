"""Codes and other members as objects where a study has tables."""

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.study.study import Study

STRAGGLERS = {"model": "iid", "p": 0.2}


def table(family, **keys):
    return {"family": family, **keys}


made = fastgc.codes
CODES = [
    (made.frc(n=4, d=2), table("frc", n=4, d=2)),
    (made.binary(n=5, s=1), table("binary", n=5, s=1)),
    (made.graph(name="petersen"), table("graph", name="petersen")),
    (made.graph(edges=[[0, 1], [1, 2]]), table("graph", edges=[[0, 1], [1, 2]])),
    *(
        (made.bernoulli(n=4, density=0.5, seed=s), table("bernoulli", n=4, seed=s, density=0.5))
        for s in (3, "trial")
    ),
    (made.code_of(np.eye(3)), table("matrix", rows=np.eye(3).tolist())),
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


@pytest.mark.parametrize(
    ("arguments", "keys", "said"),
    [
        ([], {}, "run: give a study, or an experiment by its keys"),
        (["agc/main"], {"thread": 1}, "there is no option 'thread'; did you mean 'threads'"),
        (["agc/main"], {"code": 1}, "keys of an experiment go without a study"),
        ([], {"code": object(), "stragglers": STRAGGLERS}, "code: must be a table, a list, text"),
        ([], {"code": CODES[0][0], "straglers": STRAGGLERS}, "did you mean 'stragglers'"),
    ],
)
def test_what_a_call_lacks_or_does_not_know(arguments, keys, said):
    with pytest.raises(FastgcError, match=said):
        fastgc.run(*arguments, **keys)
