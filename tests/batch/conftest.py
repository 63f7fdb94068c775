"""What the tests of batch systems share: a study, what one process makes of it, and a queue."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import fastgc
from batch.recipes import STUDY, content
from batch.shell import Shell
from bench import slurm as single_node
from conftest import COMMAND, environment, missing, program


@pytest.fixture(scope="session")
def alone(tmp_path_factory):
    """What one process makes of the study."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "study.toml").write_text(STUDY)
    fastgc.run(folder / "study.toml", out=folder / "all.h5")
    return content(folder / "all.h5")


@pytest.fixture(scope="session")
def tools(tmp_path_factory):
    """The environment in which a shell finds fastgc, dask, mpiexec and python."""
    folder = tmp_path_factory.mktemp("bin")
    own = {"fastgc": COMMAND, "dask": [sys.executable, "-m", "dask"], "python": [sys.executable]}
    for name, command in own.items():
        words = " ".join(f"'{word}'" for word in command)
        (folder / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (folder / name).chmod(0o755)
    path = [str(folder), str(Path(sys.executable).parent), os.environ["PATH"]]
    scratch = str(tmp_path_factory.mktemp("dask"))
    return environment(PATH=os.pathsep.join(path), DASK_TEMPORARY_DIRECTORY=scratch)


@pytest.fixture
def shell(tmp_path, tools):
    """A folder with the study, and the commands in it."""
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
