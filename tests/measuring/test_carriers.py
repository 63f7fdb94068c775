"""Ranks and workers of Dask carry what processes carry."""

import json

import numpy as np
import pytest

import fastgc
from conftest import program, ran
from fastgc.measuring.carrier import Answer, Order
from fastgc.measuring.worker import ProductPiece
from suite.waiting import until

STUDY = """
[[experiment]]
kind = "completion"
system = { family = "gradient-code", n = 3, s = 1 }
latency = { distribution = "exponential", mean = 0.006 }
[measure]
rounds = 8
problem = { model = "logistic", samples = 30, features = 3 }
"""


@pytest.fixture(scope="module")
def dask():
    pytest.importorskip("distributed")
    from fastgc.measuring.dask import Dask

    with Dask([ProductPiece(np.full((1, 2, 3), float(j))) for j in range(2)]) as carrier:
        yield carrier


def events(carrier, count):
    found = []

    def all_came():
        found.extend(carrier.wait(1.0))
        return len(found) >= count

    until(all_came, "answers are missing")
    return found


def test_another_cluster_beside_it_takes_no_port_of_it(dask):
    with type(dask)([ProductPiece(np.ones((2, 3)))]) as other:
        assert len(other.names) == 1 and other.names[0] not in dask.names


def test_workers_of_dask_answer(dask):
    for number in range(2):
        for j in range(2):
            dask.order(j, Order(number, np.array([1.0, 2.0, number])))
        for event in events(dask, 2):
            assert isinstance(event, Answer) and event.round == number
            assert event.values.tolist() == [event.worker * (3.0 + number)] * 2


def test_workers_of_dask_leave_off(dask):
    dask.order(0, Order(7, np.ones(3), seconds=(1e9,)))
    dask.cancel(0)
    [event] = events(dask, 1)
    assert (event.round, event.values) == (7, None)
    dask.order(0, Order(8, np.ones(3)))
    assert events(dask, 1)[0].values is not None


@pytest.mark.parametrize(
    ("options", "more"),
    [("--between-rounds drain --executor mpi", ""), ("--between-rounds cancel", 'carrier = "mpi"')],
)
def test_ranks_measure(tmp_path, tools, options, more):
    program("mpiexec")
    study = STUDY.replace("[measure]", f"[measure]\n{more}")
    (tmp_path / "s.toml").write_text(study, encoding="utf-8")
    command = "mpiexec -n 4 fastgc measure s.toml -o m.h5 --json"
    done = ran(*command.split(), *options.split(), cwd=tmp_path, env=tools)
    assert done.returncode in (0, 1), done.stderr  # 1: not on a busy machine
    found = json.loads(done.stdout)
    assert found["workers"] == ["rank1", "rank2", "rank3"]
    assert max(row["error"] for row in found["rounds"]) < 1e-24
    assert fastgc.open(tmp_path / "m.h5").complete


@pytest.mark.parametrize(
    ("ranks", "said"), [(1, "a job of one rank has no worker"), (3, "3 workers need 4 ranks")]
)
def test_too_few_ranks_are_refused(tmp_path, tools, ranks, said):
    program("mpiexec")
    (tmp_path / "s.toml").write_text(STUDY, encoding="utf-8")
    command = f"mpiexec -n {ranks} fastgc measure s.toml --executor mpi"
    done = ran(*command.split(), cwd=tmp_path, env=tools)
    assert done.returncode == 2
    assert done.stderr.count(said) == 1 and "Traceback" not in done.stderr
