"""``fastgc trace record`` on ranks of MPI and workers of Dask: one column each, whole rounds."""

import os
import signal

import pytest

from batch.shell import at_work, runs
from fastgc.latency.traces import parse
from suite.waiting import HUNG, until

pytestmark = pytest.mark.night

RECORD = ["fastgc", "trace", "record", "-o", "t.csv", "--work", "3", "--executor"]
RANKS = ["mpiexec", "-n", "3", *RECORD, "mpi"]


def recorded(shell):
    return parse((shell.folder / "t.csv").read_text(), "t.csv")


def test_every_rank_but_the_first_is_a_worker(shell):
    done = shell.run(*RANKS, "--rounds", "8")
    assert done.code == 0, done.err
    assert recorded(shell).workers == ("rank1", "rank2") and recorded(shell).rows.shape == (8, 2)


def test_ranks_that_are_stopped_keep_whole_rounds(shell):
    process = shell.start(*RANKS, "--rounds", "1000000")
    at_work(shell, process, "t.csv", 200)
    process.send_signal(signal.SIGINT)
    done = shell.end(process)
    assert done.code == 130, done.err
    assert f"{len(recorded(shell).rows)} rounds are kept in t.csv" in done.err
    assert runs(shell.folder, "t.csv") == []


def test_a_lost_worker_of_dask_ends_the_recording(shell):
    distributed = pytest.importorskip("distributed")
    own = ["--scheduler-file", "dask.json"]
    shell.start("dask", "scheduler", *own, "--port", "0", "--no-dashboard")
    for _ in range(2):
        shell.start(
            "python", "-m", "dask", "worker", *own, "--nthreads", "1", "--no-dashboard",
            "--no-nanny",
        )  # fmt: skip
    file = shell.folder / "dask.json"
    until(file.exists, "no scheduler")
    with distributed.Client(scheduler_file=str(file), timeout=HUNG) as client:
        client.wait_for_workers(2, timeout=HUNG)
        pids = client.run(os.getpid)
        process = shell.start(*RECORD, "dask:dask.json", "--rounds", "1000000")
        at_work(shell, process, "t.csv", 200)
        assert recorded(shell).workers == tuple(sorted(pids))
        os.kill(pids[sorted(pids)[1]], signal.SIGKILL)
        done = shell.end(process)
    assert done.code == 74, done.err
    assert f"{len(recorded(shell).rows)} rounds are kept" in done.err and "was lost" in done.err
