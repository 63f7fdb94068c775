"""``fastgc trace record`` on ranks of MPI: one column each, whole rounds."""

import signal

import pytest

from batch.shell import at_work, runs
from fastgc.latency.traces import parse

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
