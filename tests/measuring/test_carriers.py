"""Ranks, workers of Dask and actors of Ray carry what processes carry."""

import json
import re
import secrets
import sys
import tomllib
from importlib import import_module
from importlib.util import find_spec
from itertools import product

import numpy as np
import pytest

import fastgc
from conftest import ROOT, missing, program, ran
from fastgc.measuring.carrier import Answer, Carrier, Lost, Order
from fastgc.measuring.dask import Dask
from fastgc.measuring.faults import Faults
from fastgc.measuring.processes import Processes
from fastgc.measuring.ranks import Ranks
from fastgc.measuring.ray import Ray
from fastgc.measuring.worker import GradientPiece, ProductPiece
from suite.checks import every, refusal
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


def carrier_of(name):
    """A carrier's class; the tests are skipped, or fail, where its package is not installed."""
    package = {"dask": "distributed"}.get(name, name)
    if find_spec(package) is None:
        missing(f"the package {package}")
    module = import_module(f"fastgc.measuring.{name}")
    return getattr(module, name.capitalize())


@pytest.fixture(scope="module", autouse=True)
def no_token_in_the_home_folder():
    """Ray would write one, which its clusters of the same user ask for from then on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex())
        yield


@pytest.fixture(scope="module")
def rays():
    """A cluster of Ray with cores for two measurements at once: each start takes seconds."""
    if find_spec("ray") is None:
        missing("the package ray")
    import ray

    ray.init(address="local", num_cpus=4, include_dashboard=False, log_to_driver=False)
    yield ray
    assert ray.is_initialized()  # measurements leave it open
    ray.shutdown()


@pytest.fixture(scope="module", params=["dask", "ray"])
def cluster(request):
    if request.param == "ray":
        request.getfixturevalue("rays")
    blocks = [np.stack([np.full((2, 3), j + 2.0 * part) for part in range(2)]) for j in range(2)]
    with carrier_of(request.param)(list(map(ProductPiece, blocks))) as carrier:
        yield carrier


def events(carrier, count):
    found = []

    def all_came():
        found.extend(carrier.wait(1.0))
        return len(found) >= count

    until(all_came, "answers are missing")
    return found


def gradients(function, held, size):
    return GradientPiece(function, [held], np.ones(1), 1, size)


@pytest.mark.night
def test_workers_answer_part_by_part(cluster):
    for number in range(2):
        for j in range(2):
            cluster.order(j, Order(number, np.array([1.0, 2.0, number])))
        found = events(cluster, 4)
        assert every(isinstance(event, Answer) and event.round == number for event in found)
        assert sorted((event.worker, event.part) for event in found) == [
            *product(range(2), repeat=2)
        ]
        for event in found:
            assert event.values.tolist() == [(event.worker + 2 * event.part) * (3.0 + number)] * 2


def test_a_worker_leaves_off_and_goes_on(cluster):
    cluster.order(0, Order(7, np.ones(3), seconds=(1e9, 0.0)))
    cluster.cancel(0)
    [event] = events(cluster, 1)
    assert (event.round, event.values) == (7, None)
    cluster.order(0, Order(8, np.ones(3)))
    assert every(event.values is not None for event in events(cluster, 2))


@pytest.mark.night
def test_a_worker_that_is_killed_is_lost_also_where_another_takes_its_place(cluster):
    cluster.order(1, Order(9, np.ones(3), seconds=(1e9, 0.0)))
    cluster.kill(1)
    [event] = events(cluster, 1)
    assert isinstance(event, Lost)
    assert event.worker == 1 and cluster.names[1] in event.why
    if cluster.NAME == "dask":  # a nanny starts another one
        until(lambda: len(set(cluster._client.nthreads()) - {cluster.names[1]}) == 2, "no other")
    cluster.order(0, Order(10, np.ones(3)))
    assert [event.worker for event in events(cluster, 2)] == [0, 0]


@pytest.mark.night
def test_another_cluster_beside_it_takes_no_port_of_it():
    pieces = [ProductPiece(np.ones((1, 2, 3)))]
    with carrier_of("dask")(pieces) as one, carrier_of("dask")(pieces) as other:
        assert one.names != other.names


@pytest.mark.night
@pytest.mark.parametrize("name", ["dask", "ray"])
def test_large_parameters_are_sent_and_mistakes_told(name, request):
    if name == "ray":
        request.getfixturevalue("rays")
    many = 1_500_000  # more than Dask sends without a warning
    pieces = [gradients(np.multiply, 2.0, many), gradients(np.dot, np.ones(5), many)]
    with carrier_of(name)(pieces) as carrier:
        carrier.order(0, Order(0, np.ones(many)))
        [event] = events(carrier, 1)
        assert np.array_equal(event.values, np.full(many, 2.0))
        carrier.order(1, Order(1, np.ones(many)))
        said = refusal(events, carrier, 1)
    assert said.startswith("gradient: raised ValueError: shapes (1500000,) and (5,) not aligned")
    assert said.endswith(f", at {carrier.names[1]}")


@pytest.mark.parametrize(
    ("executor", "said"),
    [
        ("ray:127.0.0.1:1", 'no cluster of Ray answers at "127.0.0.1:1"'),
        ("mpi:there", "processes, mpi, dask, dask:ADDRESS, ray, ray:ADDRESS (got 'mpi:there')"),
    ],
)
def test_clusters_that_are_not_there_are_refused(executor, said, tmp_path):
    carrier_of("ray")
    (tmp_path / "s.toml").write_text(STUDY, encoding="utf-8")
    assert said in refusal(fastgc.measure, tmp_path / "s.toml", executor=executor)


def test_an_extra_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    said = refusal(fastgc.measure, tomllib.loads(STUDY), executor="ray")
    assert "pip install 'fastgc-sim[ray]'" in said


def test_the_handbook_says_what_carriers_can():
    text = (ROOT / "fastgc" / "handbook" / "measure.md").read_text(encoding="utf-8")
    [table] = re.findall(r"^\| workers \| command.*?\n\n", text, re.DOTALL | re.MULTILINE)
    said = [
        [each.strip() for each in row.split("|")[3:6]] for row in table.strip().splitlines()[2:]
    ]
    for kind, own in zip((Processes, Ranks, Dask, Ray), said, strict=True):
        can = kind.kill is not Carrier.kill, kind.pause is not Carrier.pause, kind.JOINS
        assert own == ["yes" if each else "no" for each in can], kind


@pytest.mark.parametrize(
    ("kind", "faults", "said"),
    [
        (Ranks, Faults(kill=[(0, 0)]), "kill: mpi does not kill workers; take processes"),
        (Ranks, Faults(mtbf=9.0), "kill: mpi does not kill workers; take processes"),
        (Ray, Faults(pause=[(0, 0, 1.0)]), "pause: ray does not pause workers; take processes"),
    ],
)
def test_what_a_carrier_cannot_do_is_refused(kind, faults, said):
    faults.require(1, 1)
    assert refusal(faults.require_of, kind.__new__(kind)) == said


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


TREES = """
import fastgc

for family, n, more in (("coded-reduce", 2, {"layers": 2, "s": 1}), ("ring-all-reduce", 6, {})) * 2:
    problem = {"model": "linear", "samples": 12, "features": 20_000}
    found = fastgc.measure({
        "kind": "completion",
        "system": {"family": family, "n": n, **more},
        "latency": {"distribution": "exponential", "mean": 0.01},
        "measure": {"rounds": 6, "between_rounds": "cancel", "problem": problem},
    }, executor="mpi")
    late = sum(len(row["late"]) for row in found.rounds)
    print(family, late > 0, max(row["error"] for row in found.rounds) < 1e-20)
"""


def test_trees_and_rings_of_ranks(tmp_path, tools):
    """Messages are longer than what MPI keeps itself, and late children's are never waited for."""
    program("mpiexec")
    (tmp_path / "trees.py").write_text(TREES, encoding="utf-8")
    command = "mpiexec -n 7 python -m fastgc.measuring trees.py"
    done = ran(*command.split(), cwd=tmp_path, env=tools)
    assert done.returncode == 0, done.stderr
    said = ["coded-reduce True True", "ring-all-reduce False True"]
    assert done.stdout.splitlines() == said * 2


PARTS = """
import sys

import fastgc

if __name__ == "__main__":
    law = {"distribution": "exponential", "mean": 0.01}
    problem = {"model": "linear", "samples": 40, "features": 9}
    for system in (
        {"family": "block", "n": 3, "blocks": [1, 0, 2]},
        {"family": "batches", "n": 3, "d": 2},
        {"family": "sr-sgc", "n": 3, "burst": 1, "window": 2, "distinct": 2},
        {"family": "m-sgc", "n": 3, "burst": 1, "window": 2, "distinct": 1},
    ):
        kind = {"kind": "sequence", "jobs": 8} if "burst" in system else {"kind": "completion"}
        how = {"rounds": 9, "between_rounds": "cancel", "problem": problem}
        study = {**kind, "system": system, "latency": law, "measure": how}
        found = fastgc.measure(study, executor=sys.argv[1])
        errors = [row["error"] for row in found.rounds if row["error"] is not None]
        print(system["family"], len(errors) > 0 and max(errors) < 1e-24)
"""


@pytest.mark.night
@pytest.mark.parametrize("name", ["mpi", "dask"])
def test_parts_and_sequences_are_carried(name, tmp_path, tools):
    if name == "dask":
        carrier_of(name)
    else:
        program("mpiexec")
    (tmp_path / "parts.py").write_text(PARTS, encoding="utf-8")
    command = {
        "mpi": "mpiexec -n 4 python -m fastgc.measuring parts.py mpi",
        "dask": "python parts.py dask",
    }
    done = ran(*command[name].split(), cwd=tmp_path, env=tools)
    assert done.returncode == 0, done.stderr
    said = [f"{family} True" for family in ("block", "batches", "sr-sgc", "m-sgc")]
    assert done.stdout.splitlines() == said


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


@pytest.mark.night
@pytest.mark.parametrize("name", ["dask", "ray"])
def test_a_cluster_is_started_and_measures(name, fastgc_command, tmp_path):
    carrier_of(name)
    (tmp_path / "s.toml").write_text(STUDY, encoding="utf-8")
    options = "-o", "m.h5", "--executor", name, "--kill", "2@4", "--json"
    done = fastgc_command("measure", "s.toml", *options)
    assert done.returncode in (0, 1), done.stderr  # 1: not on a busy machine
    found = json.loads(done.stdout)
    assert len(set(found["workers"])) == 3
    assert max(row["error"] for row in found["rounds"]) < 1e-24
    [(number, worker, why)] = fastgc.open(tmp_path / "m.h5").facts["lost"]
    assert (number >= 4, worker) == (True, 2) and found["workers"][2] in why
