"""The suite runs side by side, and compiles a kernel once."""

import subprocess
import sys

import pytest

from conftest import ROOT, environment
from suite.waiting import HUNG

#: Prints how often this process has compiled a kernel, and what the kernel gives.
PROGRAM = """
import sys
import numpy as np
from fastgc_kernels._jit import compile_at_once
from suite.kernels import compile_once
compile_at_once()
compile_once()
from fastgc_kernels.draw import philox
print("here", flush=True)
sys.stdin.readline()
words = np.empty((1, 4), np.uint64)
philox.words(np.zeros((1, 4), np.uint64), np.uint64(0), words)
print(sum(philox.words.stats.cache_misses.values()), words[0, 0])
"""


@pytest.mark.night
def test_one_of_several_processes_compiles_a_kernel(tmp_path) -> None:
    env = environment(NUMBA_CACHE_DIR=str(tmp_path))
    env["PYTHONPATH"] += f":{ROOT / 'tests'}"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    ranks = [subprocess.Popen([sys.executable, "-c", PROGRAM], env=env, **pipes) for _ in range(3)]
    for rank in ranks:  # all are there before one of them begins
        assert rank.stdout.readline() == "here\n"
    for rank in ranks:
        rank.stdin.write("go\n")
        rank.stdin.flush()
    found = [rank.communicate(timeout=HUNG)[0].split() for rank in ranks]
    assert {word for _, word in found} == {str(0x6627E8D5)}
    assert sorted(misses for misses, _ in found) == ["0", "0", "1"]
