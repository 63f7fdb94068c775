"""``--executor dask`` on real clusters: the recipe, workers that die or are strangers."""

import os
import shutil
import signal
import textwrap

import pytest

import fastgc
from batch.recipes import content, recipes
from batch.shell import at_work, sampling
from conftest import ROOT
from fastgc.engine.executors import dask
from fastgc.errors import FastgcError
from suite.waiting import HUNG, until

pytestmark = pytest.mark.night

RUN = ["fastgc", "run", "study.toml", "-o", "all.h5", "--executor"]

#: Has the first worker that samples killed, in the middle of it.
KILLER = textwrap.dedent("""
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
""")

#: A place where fastgc is not installed.
WITHOUT = "import sys\nsys.modules['fastgc'] = None\n"


def begin(shell, *options, python="python", file="dask.json", **changes):
    """Start a worker of the scheduler that writes this file."""
    command = [python, "-m", "dask", "worker", "--scheduler-file", file, "--nthreads", "1"]
    return shell.start(*command, "--no-dashboard", *options, **changes)


@pytest.fixture
def scheduler(shell):
    """A scheduler that writes dask.json."""
    file = ["--scheduler-file", "dask.json", "--port", "0", "--no-dashboard"]
    return shell.start("dask", "scheduler", *file)


def workers(count, shell):
    """Wait until the scheduler has so many workers; return its address."""
    distributed = pytest.importorskip("distributed")
    file = shell.folder / "dask.json"
    until(file.exists, "no scheduler")
    with distributed.Client(scheduler_file=str(file), timeout=HUNG) as client:
        client.wait_for_workers(count, timeout=HUNG)
        return client.scheduler.address


def test_the_recipe(shell, alone):
    recipe, _ = recipes("Dask")
    done = shell.run("bash", "-c", recipe)
    assert "done: stopped by trials" in done.err, done.err
    assert content(shell.folder / "all.h5") == alone


def test_a_killed_worker_changes_nothing(shell, alone):
    (shell.folder / "killer.py").write_text(KILLER)
    done = shell.run(
        *RUN,
        "dask",
        DASK_DISTRIBUTED__WORKER__PRELOAD=f'["{shell.folder / "killer.py"}"]',
        KILLED=str(shell.folder / "killed"),
    )
    assert done.code == 0, done.err
    assert (shell.folder / "killed").is_dir()
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


def test_a_worker_with_another_fastgc_is_refused(shell, scheduler):
    older = shell.folder / "older"
    for source in ("fastgc", "kernels/fastgc_kernels"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / source, older / source.rpartition("/")[2], ignore=ignored)
    for file in ("fastgc/version.py", "fastgc_kernels/__init__.py"):
        text = (older / file).read_text()
        changed = text.replace(f'"{fastgc.__version__}"', '"0.0.9"')
        assert changed != text
        (older / file).write_text(changed)
    begin(shell, PYTHONPATH=str(older))
    address = workers(1, shell)
    done = shell.run(*RUN, f"dask:{address}")
    assert done.code == 2, done.err
    [said] = done.err.splitlines()
    assert said.startswith("fastgc: executor: a worker has fastgc 0.0.9, stream version ")
    assert f"was sent fastgc {fastgc.__version__}, " in said


def test_a_worker_without_fastgc_is_refused(shell, scheduler):
    (shell.folder / "without.py").write_text(WITHOUT)
    begin(shell, "--preload", "without.py", "--no-nanny")
    address = workers(1, shell)
    with pytest.raises(FastgcError, match="there is no fastgc where Dask runs tcp"):
        fastgc.run(shell.folder / "study.toml", executor=f"dask:{address}")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nothing.json", "what://is.this:1"])
def test_nobody_answers(shell, monkeypatch, address):
    monkeypatch.setattr(dask, "CONNECT_SECONDS", 1.0)
    with pytest.raises(FastgcError, match=f'no scheduler of Dask answers at "{address}"'):
        fastgc.run(shell.folder / "study.toml", executor=f"dask:{address}")


def test_a_cluster_that_cannot_be_started(shell, monkeypatch):
    distributed = pytest.importorskip("distributed")

    def refuse(**_):
        raise RuntimeError("no more\nprocesses")

    monkeypatch.setattr(distributed, "LocalCluster", refuse)
    with pytest.raises(FastgcError, match=r"no cluster .* can be started here \(no more processes"):
        fastgc.run(shell.folder / "study.toml", executor="dask")


def test_no_workers_are_reported(caplog):
    class Client:
        counts = iter([{}, {"a": 2, "b": 1}, {}, {}])

        def nthreads(self):
            return next(self.counts)

    count = dask._Workers(Client())
    seen = []
    for _ in range(4):
        count._next = 0.0
        seen.append(count())
    assert seen == [0, 3, 0, 0]
    assert [record.message for record in caplog.records] == [
        "the cluster has no workers; waiting until there are some"
    ] * 2
