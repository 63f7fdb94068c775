"""Stand-ins give the bits of their kernels."""

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from conftest import environment
from stand_ins.cases import kernel_of, names


def test_every_stand_in_gives_the_bits_of_its_kernel():
    """On full and empty patterns, one and several words, matrices of full and of lower rank."""
    done = subprocess.run(
        [sys.executable, "-m", "stand_ins.cases"],
        cwd=Path(__file__).parents[1],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


MIXED = """
import numpy as np
from fastgc_kernels.draw import patterns, philox

counters = np.arange(8, dtype=np.uint64).reshape(2, 4)
first, second, compiled = (np.empty((2, 4), np.uint64) for _ in range(3))
philox.words(counters, np.uint64(5), first)
philox.philox.dispatcher(*map(np.uint64, range(6)))  # as another kernel's compilation does
philox.words(counters, np.uint64(5), second)
assert len(philox.philox.dispatcher.signatures) == 1, "it was compiled for the stand-in's arrays"
assert isinstance(philox.words, type(philox.philox)), "not by its stand-in any more"
philox.words.dispatcher(counters, np.uint64(5), compiled)
assert np.array_equal(first, second) and np.array_equal(first, compiled)
"""


def test_a_stand_in_whose_helpers_are_compiled_meanwhile():
    done = subprocess.run(
        [sys.executable, "-c", MIXED], env=environment(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr


def test_a_stand_in_has_the_arguments_of_its_kernel():
    for name in names():
        kernel, (home, _, own) = kernel_of(name), name.rpartition(".")
        stand_in = getattr(import_module(f"fastgc_kernels.stand_ins.{home}"), own)
        given = list(inspect.signature(stand_in).parameters)
        assert given == list(inspect.signature(kernel.py_func).parameters), name
