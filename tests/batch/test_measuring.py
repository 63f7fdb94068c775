"""Measurements on ranks and clusters: the handbook's recipes, programs of one's own, deaths."""

import os
import re
import signal
from pathlib import Path

import pytest

import fastgc
from batch.jobs import outputs, states, wait
from batch.recipes import recipes
from batch.shell import runs
from suite.waiting import until

pytestmark = pytest.mark.night

STUDY = """
[[experiment]]
kind = "completion"
system = { family = "gradient-code", n = 3, s = 1 }
latency = { distribution = "exponential", shift = 0.01, mean = 0.01 }
[measure]
rounds = 200
"""
OWN = """
import sys
import numpy as np
import fastgc
from mpi4py import MPI

def slope(w, part):
    if "fails" in sys.argv and MPI.COMM_WORLD.Get_rank() == 2:
        raise RuntimeError("no licence here")
    return part @ w

if __name__ == "__main__":
    parts = [np.eye(3) * i for i in range(1, 3)]
    for d in (1, 2):
        found = fastgc.measure(
            gradient=slope, parameters=np.ones(3), partitions=parts,
            code=fastgc.codes.frc(n=2, d=d), rounds=4, executor="mpi", between_rounds="cancel",
        )
        print(found.workers, max(row["error"] for row in found.rounds) < 1e-20)
"""
MEASURE = ["mpiexec", "-n", "4", "fastgc", "measure", "study.toml", "-o", "m.h5"]
MEASURE += ["--executor", "mpi"]


@pytest.fixture
def job(shell):
    """The shell, with a study and a program that measure."""
    (shell.folder / "study.toml").write_text(STUDY)
    (shell.folder / "own.py").write_text(OWN)
    return shell


def test_a_program_of_ones_own_measures_again_and_again(job):
    done = job.run("mpiexec", "-n", "4", "python", "-m", "fastgc.measuring", "own.py")
    assert (done.code, done.err) == (0, "")
    assert done.out == "['rank1', 'rank2'] True\n" * 2


def test_an_exception_at_a_rank_is_one_sentence_and_ends_the_job(job):
    done = job.run("mpiexec", "-n", "3", "python", "-m", "fastgc.measuring", "own.py", "fails")
    assert done.code == 2
    said = "gradient: raised RuntimeError: no licence here (own.py, line 9), at rank2"
    assert done.err == f"fastgc: {said}\n"


def test_a_program_that_all_ranks_run_is_told_how_to_be_started(job):
    done = job.run("mpiexec", "-n", "2", "python", "own.py")
    assert done.code != 0
    assert "mpiexec -n N python -m fastgc.measuring PROGRAM" in done.err


def test_what_ranks_cannot_load_is_one_sentence(job):
    text = OWN.replace('if __name__ == "__main__":', 'if __name__ != "__main__":\n    x\nelse:')
    (job.folder / "own.py").write_text(text)
    done = job.run("mpiexec", "-n", "3", "python", "-m", "fastgc.measuring", "own.py")
    assert done.code == 2
    [said] = done.err.splitlines()
    assert "its program cannot be loaded (NameError: name 'x' is not defined), at rank" in said


def kept(part, process=None):
    """Wait until a measurement that runs has kept rounds, or its process has ended."""

    def is_kept():
        is_over = process is not None and process.poll() is not None
        return is_over or (part.exists() and len(fastgc.open(part).measured))

    until(is_kept, "nothing is kept")


def test_ranks_do_not_outlive_what_has_started_them(job):
    process = job.start(*MEASURE, "--rounds", "100000")
    kept(job.folder / "m.h5.part", process)
    *_, last = runs(job.folder, "m.h5")
    status = Path(f"/proc/{last}/status").read_text()
    os.kill(int(status.partition("PPid:")[2].split()[0]), signal.SIGKILL)
    until(lambda: runs(job.folder, "m.h5") == [], "ranks are left over")
    assert job.end(process).code != 0
    assert len(fastgc.open(job.folder / "m.h5.part").measured) > 0


def test_a_rank_that_is_killed_ends_the_job_and_the_same_command_goes_on(job):
    command = *MEASURE, "--rounds", "1000"
    process = job.start(*command)
    part = job.folder / "m.h5.part"
    kept(part, process)
    ranks = runs(job.folder, "m.h5")
    assert len(ranks) == 4
    os.kill(ranks[-1], signal.SIGKILL)
    assert job.end(process).code != 0
    assert runs(job.folder, "m.h5") == []
    before = len(fastgc.open(part).measured)
    done = job.run(*command)
    assert done.code in (0, 1), done.err
    found = fastgc.open(job.folder / "m.h5")
    assert found.complete and len(found.measured) == 1000 > before > 0
    assert max(row["error"] for row in found.rounds) < 1e-20


def test_slurm_requeues_a_measurement_which_goes_on(queue, slurm):
    script, submit = recipes("A cluster with Slurm", "measure")
    (queue.folder / "measure.sh").write_text(script)
    wanted = STUDY.replace("n = 3", "n = 4").replace("200", "800")
    (queue.folder / "study.toml").write_text(wanted)
    part = queue.folder / "study.h5.part"
    done = queue.run("bash", "-ec", submit)
    assert done.code == 0, done.err
    [number] = re.findall("Submitted batch job ([0-9]+)", done.out)
    kept(part)
    before = len(fastgc.open(part).measured)
    # what Slurm does before the limit, sooner
    assert queue.run("scancel", "--signal=TERM", number).code == 0
    seen = wait(queue, slurm)
    said = outputs(queue)
    assert "stopped early by SIGTERM" in said, said
    assert any(now.get(number, [""])[0] == "PENDING" for now in seen[1:]), seen
    found = fastgc.open(queue.folder / "study.h5")
    assert found.complete and len(found.measured) == 800 > before > 0, said
    assert found.workers == ["rank1", "rank2", "rank3", "rank4"]
    assert max(row["error"] for row in found.rounds) < 1e-20
    assert (queue.folder / "study.csv").exists()
    assert states(queue) == {}
