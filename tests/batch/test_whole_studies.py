"""Every packaged study of several experiments, whole, on every executor: the same rows."""

import json
from pathlib import Path

import pytest

from batch import whole
from conftest import program

pytestmark = pytest.mark.night


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What threads make of every study."""
    names = whole.several()
    assert len(names) > 25
    return whole.rows("threads", names, tmp_path_factory.mktemp("alone"))


def test_on_processes(tmp_path, alone):
    assert whole.rows("processes", alone, tmp_path) == alone


def test_on_dask(tmp_path, alone):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = f"dask:{cluster.scheduler_address}"
        assert whole.rows(address, alone, tmp_path) == alone


def test_on_mpi(shell, alone):
    program("mpiexec")
    ranks = ["mpiexec", "-n", "3", "python", "-m", "mpi4py.futures"]
    done = shell.run(*ranks, str(Path(whole.__file__)), "mpi", str(shell.folder / "rows.json"))
    assert done.code == 0, done.err
    assert json.loads((shell.folder / "rows.json").read_text()) == alone
