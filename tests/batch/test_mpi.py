"""``--executor mpi`` under a real mpiexec: the handbook's line, signals, and a rank that dies."""

import os
import signal
import time

import pytest

from batch.recipes import content, recipes
from batch.shell import at_work, runs, sampling
from conftest import EARLY
from suite.waiting import until

pytestmark = pytest.mark.night

RUN = ["mpiexec", "-n", "3", "fastgc", "run", "study.toml", "-o", "all.h5", "--executor", "mpi"]
#: The first checkpoint comes soon: then all ranks are at work.
SOON = [*RUN[:3], *EARLY, *RUN[4:]]
LONG = [*SOON, "--trials", "1000000000"]


def test_the_recipe(shell, alone):
    [recipe] = recipes("MPI")
    assert recipe.split() == RUN
    done = shell.run("bash", "-ec", recipe)
    assert done.code == 0, done.err
    assert done.err.count("done: stopped by trials") == 1, "only one rank speaks"
    assert content(shell.folder / "all.h5") == alone


def test_a_rank_that_is_killed_ends_the_job_and_the_same_command_goes_on(shell, alone):
    process = shell.start(*SOON)
    first = sampling(shell.folder, "all.h5")
    at_work(shell, process, "all.h5.part")
    ranks = runs(shell.folder, "all.h5")
    assert len(ranks) == 3
    os.kill(next(rank for rank in ranks if rank != first), signal.SIGKILL)
    assert shell.end(process).code != 0
    assert runs(shell.folder, "all.h5") == []
    kept = content(shell.folder / "all.h5.part")
    assert not kept[0] and kept[2][0][2] > 0
    done = shell.run(*SOON)
    assert done.code == 0, done.err
    assert content(shell.folder / "all.h5") == alone


def test_a_signal_to_mpiexec_stops_the_run(shell):
    process = shell.start(*LONG)
    at_work(shell, process, "all.h5.part")
    process.send_signal(signal.SIGTERM)
    done = shell.end(process)
    assert done.code == 75, done.err
    assert done.err.count("stopped early") == 1 and "Traceback" not in done.err
    assert not content(shell.folder / "all.h5.part")[0]
    assert runs(shell.folder, "all.h5") == []


@pytest.mark.parametrize("wait", [0.0, 0.4])
def test_signals_at_any_moment_leave_nobody_waiting(shell, wait):
    """Ranks that have met hear signals only when the first one answers for them."""
    process = shell.start(*LONG)
    until(lambda: len(runs(shell.folder, "all.h5")) >= 3, "no three ranks")
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    done = shell.end(process)
    assert done.code != 0, done.err
    assert runs(shell.folder, "all.h5") == []


def test_a_mistake_is_said_once_and_without_mpiexec_it_works_alone(shell):
    done = shell.run("mpiexec", "-n", "3", "fastgc", "run", "study", "--executor", "mpi")
    assert done.code == 2 and done.err.count("no such file and no packaged study") == 1
    done = shell.run("fastgc", "run", "study.toml", "--trials", "100000", "--executor", "mpi")
    assert done.code == 0, done.err


def test_a_program_of_ones_own(shell, alone):
    """The first rank runs it; where all do, each says what to do, and no rank waits."""
    (shell.folder / "night.py").write_text(
        'import fastgc\n\nif __name__ == "__main__":\n'
        '    fastgc.run("study.toml", out="all.h5", batch=fastgc.runs.Batch(executor="mpi"))\n'
    )
    done = shell.run("mpiexec", "-n", "3", "python", "night.py")
    assert done.code != 0
    assert "python -m mpi4py.futures, which lets the others serve it" in done.err
    done = shell.run("mpiexec", "-n", "3", "python", "-m", "mpi4py.futures", "night.py")
    assert done.code == 0, done.err
    assert content(shell.folder / "all.h5") == alone
