"""``--executor dask`` on real clusters: the recipe, workers that die or are strangers."""

import os
import signal
from types import SimpleNamespace

import pytest

import fastgc
from batch.recipes import content, recipes
from batch.shell import at_work, sampling
from fastgc.engine.executors import clusters
from fastgc.errors import FastgcError
from suite.waiting import HUNG, until

pytestmark = pytest.mark.night

RUN = ["fastgc", "run", "study.toml", "-o", "all.h5", "--executor"]

#: Has the first worker that samples killed, in the middle of it.
KILLER = """
import os, signal, threading, time

def wait(worker):
    while not worker.state.executing_count:
        time.sleep(0.001)
    try:
        os.mkdir(os.environ["KILLED"])
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)

def dask_setup(worker):
    threading.Thread(target=wait, args=(worker,), daemon=True).start()
"""


@pytest.fixture
def refused(shell):
    """What a run says whose only worker was started so; its scheduler writes dask.json."""
    distributed, file = pytest.importorskip("distributed"), shell.folder / "dask.json"
    own = ["--scheduler-file", "dask.json", "--no-dashboard"]

    def run(*options, **changes):
        shell.start("dask", "scheduler", *own, "--port", "0")
        shell.start("python", "-m", "dask", "worker", *own, "--nthreads", "1", *options, **changes)
        until(file.exists, "no scheduler")
        with distributed.Client(scheduler_file=str(file), timeout=HUNG) as client:
            client.wait_for_workers(1, timeout=HUNG)
            address = client.scheduler.address
        done = shell.run(*RUN, f"dask:{address}")
        assert done.code == 2, done.err
        [said] = done.err.splitlines()
        return said

    return run


def test_the_recipe(shell, alone):
    recipe, _ = recipes("Dask")
    done = shell.run("bash", "-c", recipe)
    assert "done: stopped by trials" in done.err, done.err
    assert content(shell.folder / "all.h5") == alone


def test_a_killed_worker_changes_nothing(shell, alone):
    (shell.folder / "killer.py").write_text(KILLER)
    preload = f'["{shell.folder / "killer.py"}"]'
    killed = shell.folder / "killed"
    done = shell.run(*RUN, "dask", DASK_DISTRIBUTED__WORKER__PRELOAD=preload, KILLED=str(killed))
    assert done.code == 0, done.err
    assert killed.is_dir()
    assert done.err.splitlines() == ["done: stopped by trials; kept in all.h5"], "no log of Dask"
    assert content(shell.folder / "all.h5") == alone


def test_a_signal_to_all_processes_stops_the_run(shell):
    """As Ctrl-C at a terminal does, and Slurm."""
    process = shell.start(*RUN, "dask", "--threads", "1", "--trials", "1000000000")
    sampling(shell.folder, "all.h5")
    at_work(shell, process, "all.h5.part")
    os.killpg(process.pid, signal.SIGINT)
    done = shell.end(process)
    assert done.code == 130, done.err
    said = done.err.splitlines()
    assert said[0].startswith("stopping when"), done.err
    assert said[1:] == ["stopped early by SIGINT: kept in all.h5.part; the same command goes on"]

    def is_gone():
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return True
        return False

    until(is_gone, "processes are left over")


def test_a_worker_without_fastgc_is_refused(shell, refused):
    (shell.folder / "without.py").write_text("import sys\nsys.modules['fastgc'] = None\n")
    said = refused("--preload", "without.py", "--no-nanny")
    assert "there is no fastgc where Dask runs tcp" in said


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nothing.json", "what://is.this:1"])
def test_nobody_answers(shell, monkeypatch, address):
    monkeypatch.setattr(clusters, "CONNECT_SECONDS", 1.0)
    with pytest.raises(FastgcError, match=f'no scheduler of Dask answers at "{address}"'):
        fastgc.run(shell.folder / "study.toml", batch=fastgc.runs.Batch(executor=f"dask:{address}"))


def test_no_workers_are_reported(caplog):
    counts = iter([{}, {"a": 2, "b": 1}, {}, {}])
    count = clusters.Workers(SimpleNamespace(nthreads=lambda: next(counts)))
    seen = []
    for _ in range(4):
        count._next = 0.0
        seen.append(count())
    assert seen == [0, 3, 0, 0]
    assert [record.message for record in caplog.records] == [
        "the cluster has no workers; waiting until there are some"
    ] * 2
