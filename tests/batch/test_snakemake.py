"""The handbook's rules, run by Snakemake: a shard that is stopped is tried again and goes on."""

import os
import signal

import pytest

from batch.recipes import content, recipes
from batch.shell import sampling
from conftest import program

pytestmark = pytest.mark.night


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
