"""Ranks carry what processes carry."""

import json
import re

import pytest

import fastgc
from conftest import ROOT, program, ran
from fastgc.measuring.carrier import Carrier
from fastgc.measuring.faults import Faults
from fastgc.measuring.processes import Processes
from fastgc.measuring.ranks import Ranks
from suite.checks import refusal

STUDY = """
[[experiment]]
kind = "completion"
system = { family = "gradient-code", n = 3, s = 1 }
latency = { distribution = "exponential", mean = 0.006 }
[measure]
rounds = 8
problem = { model = "logistic", samples = 30, features = 3 }
"""


def test_the_handbook_says_what_carriers_can():
    text = (ROOT / "fastgc" / "handbook" / "measure.md").read_text(encoding="utf-8")
    [table] = re.findall(r"^\| workers \| command.*?\n\n", text, re.DOTALL | re.MULTILINE)
    said = [
        [each.strip() for each in row.split("|")[3:5]] for row in table.strip().splitlines()[2:]
    ]
    for kind, own in zip((Processes, Ranks), said, strict=True):
        can = kind.kill is not Carrier.kill, kind.pause is not Carrier.pause
        assert own == ["yes" if each else "no" for each in can], kind


@pytest.mark.parametrize(
    ("kind", "faults", "said"),
    [
        (Ranks, Faults(kill=[(0, 0)]), "kill: mpi does not kill workers; take processes"),
        (Ranks, Faults(mtbf=9.0), "kill: mpi does not kill workers; take processes"),
        (Ranks, Faults(pause=[(0, 0, 1.0)]), "pause: mpi does not pause workers; take processes"),
    ],
)
def test_what_a_carrier_cannot_do_is_refused(kind, faults, said):
    faults.require(1, 1)
    assert refusal(faults.require_of, kind.__new__(kind)) == said


@pytest.mark.night
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

for _ in range(2):
    problem = {"model": "linear", "samples": 12, "features": 20_000}
    found = fastgc.measure({
        "kind": "completion",
        "system": {"family": "coded-reduce", "n": 2, "layers": 2, "s": 1},
        "latency": {"distribution": "exponential", "mean": 0.01},
        "measure": {"rounds": 6, "between_rounds": "cancel", "problem": problem},
    }, executor="mpi")
    late = sum(len(row["late"]) for row in found.rounds)
    print(late > 0, max(row["error"] for row in found.rounds) < 1e-20)
"""


@pytest.mark.night
def test_trees_of_ranks(tmp_path, tools):
    """Messages are longer than what MPI keeps itself, and late children's are never waited for."""
    program("mpiexec")
    (tmp_path / "trees.py").write_text(TREES, encoding="utf-8")
    command = "mpiexec -n 7 python -m fastgc.measuring trees.py"
    done = ran(*command.split(), cwd=tmp_path, env=tools)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["True True"] * 2


@pytest.mark.night
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
