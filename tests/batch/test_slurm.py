"""The handbook's recipes for Slurm, run by a Slurm of one node, and for Snakemake."""

import os
import re
import signal
import time

import pytest

from batch.recipes import content, recipes
from batch.shell import sampling
from conftest import program
from suite.waiting import HUNG, until

pytestmark = pytest.mark.night


def states(queue):
    listed = queue.run("squeue", "--noheader", "--array", "--format=%i %T %r").out
    return {line.split()[0]: line.split()[1:] for line in listed.splitlines()}


def wait(queue, slurm):
    """Wait for the queue to be empty; return all states that were seen."""
    seen, end = [], time.monotonic() + HUNG
    while now := states(queue):
        if not seen or now != seen[-1]:
            seen.append(now)
        if time.monotonic() > end:
            pytest.fail(f"{seen}\n{outputs(queue)}\n{slurm.logs()}")
        time.sleep(0.1)
    return seen


def outputs(queue):
    files = sorted(queue.folder.glob("slurm-*.out"))
    return "\n".join(f"{path.name}:\n{path.read_text()}" for path in files)


def test_an_array_is_requeued_and_merged(queue, slurm, alone):
    script, submit = recipes("Slurm")
    (queue.folder / "shards.sh").write_text(script)
    done = queue.run("bash", "-ec", f"{submit}echo $array")
    assert done.code == 0, done.err
    # a task that starts before the merge is submitted takes the number that follows the array's
    [merge] = re.findall("Submitted batch job ([0-9]+)", done.out)
    array = done.out.split()[-1]
    # what Slurm does before the limit, sooner; of the last task, whose own id is the array's, too
    last = sampling(queue.folder, "s_2.h5")
    assert queue.run("scancel", "--signal=TERM", f"{array}_2").code == 0
    seen = wait(queue, slurm)
    said = outputs(queue)
    assert not os.path.exists(f"/proc/{last}")
    assert "stopped early by SIGTERM" in said
    assert [f"{array}_2", "PENDING", "BeginTime"] in [
        [name, *state] for now in seen for name, state in now.items()
    ], seen
    # no other task was requeued, and nothing was merged before the last one was done
    for now in seen:
        for task in (0, 1):
            assert now.get(f"{array}_{task}", ["", ""])[1] != "BeginTime"
        if any(name.startswith(f"{array}_") for name in now):
            assert now[merge] == ["PENDING", "Dependency"]
    assert said.count("done: merged 3 shards") == 1, said
    assert content(queue.folder / "all.h5") == alone


def test_ranks_that_srun_starts(queue, slurm, alone):
    [recipe] = recipes("MPI")
    command = recipe.replace("mpiexec -n 3", "srun --mpi=pmi2 --ntasks=3")
    assert command != recipe
    done = queue.run("bash", "-ec", command)
    assert done.code == 0, done.err + slurm.logs()
    assert content(queue.folder / "all.h5") == alone
    # without PMI they do not know each other, and would all do the same
    done = queue.run("bash", "-ec", command.replace("--mpi=pmi2 ", ""))
    assert done.code == 2
    assert "3 ranks were started, and none sees another" in done.err


def test_dask_in_the_queue(queue, slurm, alone):
    _, script = recipes("Dask")
    (queue.folder / "night.py").write_text(script)
    process = queue.start("python", "night.py")

    def running():
        assert process.poll() is None, queue.end(process).err
        return any("RUNNING" in state for state in states(queue).values())

    until(running, "no job runs", pause=0.1)
    done = queue.end(process)
    assert done.code == 0, done.err + outputs(queue)
    assert content(queue.folder / "all.h5") == alone
    assert wait(queue, slurm) is not None


# ---- Snakemake: a shard that is stopped is tried again and goes on


def test_the_recipe(shell, alone):
    snakemake = program("snakemake")
    [rules] = recipes("Snakemake")
    (shell.folder / "Snakefile").write_text(rules)
    process = shell.start(snakemake, "--cores", "4")
    os.kill(sampling(shell.folder, "s_1.h5"), signal.SIGTERM)
    done = shell.end(process)
    assert done.code == 0, done.err
    assert "stopped early by SIGTERM: kept in s_1.h5.part; the same command goes on" in done.err
    assert done.err.count("done: merged 3 shards") == 1
    assert content(shell.folder / "all.h5") == alone
    again = shell.run(snakemake, "--cores", "4")
    assert again.code == 0 and "Nothing to be done" in again.err
