"""Codes and other members as objects where a study has tables."""

import numpy as np
import pytest

import fastgc
from fastgc.errors import FastgcError
from fastgc.study.study import Study

STRAGGLERS = {"model": "iid", "p": 0.2}
CODES = [
    (fastgc.codes.frc(n=4, d=2), {"family": "frc", "n": 4, "d": 2}),
    (fastgc.codes.binary(n=5, s=1), {"family": "binary", "n": 5, "s": 1}),
    (fastgc.codes.graph(name="petersen"), {"family": "graph", "name": "petersen"}),
    (
        fastgc.codes.graph(edges=[[0, 1], [1, 2], [2, 0]]),
        {"family": "graph", "edges": [[0, 1], [1, 2], [2, 0]]},
    ),
    (
        fastgc.codes.bernoulli(n=4, density=0.5, seed=3),
        {"family": "bernoulli", "n": 4, "seed": 3, "density": 0.5},
    ),
    (
        fastgc.codes.bernoulli(n=4, density=0.5, seed="trial"),
        {"family": "bernoulli", "n": 4, "seed": "trial", "density": 0.5},
    ),
    (fastgc.codes.code_of(np.eye(3)), {"family": "matrix", "rows": np.eye(3).tolist()}),
    (
        fastgc.codes.matrix(rows=[[1, 0.5], [0, 2]]),
        {"family": "matrix", "rows": [[1.0, 0.5], [0.0, 2.0]]},
    ),
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
    code = fastgc.codes.frc(n=4, d=2)
    found = fastgc.run(
        code=code,
        stragglers=fastgc.stragglers.Iid(p=0.2),
        **keys,
        method="monte-carlo",
        trials=1e3,
        seed=7,
        out=tmp_path / "a.h5",
    )
    table = {"code": {"family": "frc", "n": 4, "d": 2}, "stragglers": STRAGGLERS} | keys
    same = fastgc.run(table, method="monte-carlo", trials=1000, seed=7)
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


def test_what_a_call_lacks_or_does_not_know():
    for arguments, keys, said in (
        ([], {}, "run: give a study, or an experiment by its keys"),
        (["agc/main"], {"thread": 1}, "there is no option 'thread'; did you mean 'threads'"),
        (["agc/main"], {"code": 1}, "keys of an experiment go without a study"),
        ([], {"code": object(), "stragglers": STRAGGLERS}, "code: must be a table, a list, text"),
        ([], {"code": CODES[0][0], "straglers": STRAGGLERS}, "did you mean 'stragglers'"),
    ):
        with pytest.raises(FastgcError) as caught:
            fastgc.run(*arguments, **keys)
        assert said in str(caught.value)
