"""What the tests of batch systems share: a study, what one process makes of it, and a queue."""

import os
import sys

import pytest

import fastgc
from batch.recipes import STUDY, content
from batch.shell import Shell
from bench import slurm as single_node
from conftest import missing, program


@pytest.fixture(scope="session")
def alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone")
    (folder / "study.toml").write_text(STUDY)
    fastgc.run(folder / "study.toml", out=folder / "all.h5")
    return content(folder / "all.h5")


@pytest.fixture
def shell(tmp_path, tools):
    if sys.platform != "linux":  # processes are found in /proc
        missing("Linux")
    (tmp_path / "study.toml").write_text(STUDY)
    shell = Shell(tmp_path, tools)
    yield shell
    shell.close()


@pytest.fixture(scope="session")
def slurm():
    """A Slurm of one node; tests that need it say why where there is none."""
    for name in single_node.PROGRAMS:
        program(name)
    try:
        with single_node.running() as running:
            yield running
    except single_node.SlurmError as problem:
        missing(f"a Slurm that starts ({problem})")


@pytest.fixture
def queue(shell, slurm):
    shell.env = shell.env | slurm.environment
    yield shell
    shell.run("scancel", f"--user={os.getuid()}")
