"""Stand-ins give the bits of their kernels."""

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from conftest import environment
from fastgc_kernels._jit import Kernel
from fastgc_kernels.stand_ins.complete import tree
from fastgc_kernels.stand_ins.complete.tree import MOST_STEPS
from stand_ins.cases import kernel_of, names
from stand_ins.rows import NAMES, rows
from suite.waiting import HUNG


def in_its_own_process(module, *arguments, **changes):
    """What a module of this package prints where nothing is compiled yet."""
    done = subprocess.run(
        [sys.executable, "-m", f"stand_ins.{module}", *arguments],
        cwd=Path(__file__).parents[1],
        env=environment(**changes),
        capture_output=True,
        text=True,
        timeout=HUNG,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return done.stdout


def test_every_stand_in_gives_the_bits_of_its_kernel():
    """On full and empty patterns, one and several words, matrices of full and of lower rank."""
    assert in_its_own_process("cases").endswith("cases\n")


def test_studies_have_the_same_rows_with_stand_ins():
    first = in_its_own_process("rows").splitlines()
    assert len(first) > 20
    assert [line for name in NAMES for line in (name, *rows(name))] == first


def test_studies_have_the_same_rows_where_nothing_may_be_compiled():
    """Kernels without a stand-in run as they are written, and so do their helpers."""
    names = "latency lognormal", "coded-reduce port"
    found = in_its_own_process("rows", *names, NUMBA_DISABLE_JIT="1").splitlines()
    assert [line for name in names for line in (name, *rows(name))] == found


def test_what_fails_inside_numba_is_shown(monkeypatch):
    def broken(name):
        raise AttributeError("module 'coverage' has no attribute 'types'")

    monkeypatch.setattr("fastgc_kernels._jit.import_module", broken)
    kernel = Kernel(lambda x: x, "compiled")
    with pytest.raises(ImportError, match="coverage"):
        kernel.dispatcher(1)
    with pytest.raises(ImportError, match="coverage"):
        _ = kernel.signatures


def test_a_stand_in_has_the_arguments_of_its_kernel():
    for name in names():
        kernel, (home, _, own) = kernel_of(name), name.rpartition(".")
        stand_in = getattr(import_module(f"fastgc_kernels.stand_ins.{home}"), own)
        given = list(inspect.signature(stand_in).parameters)
        assert given == list(inspect.signature(kernel.py_func).parameters), name


def test_a_large_tree_is_left_to_its_kernel():
    """Each step of a network is some calls of NumPy, however few trials there are."""
    for steps, expected in ((MOST_STEPS // 2, None), (MOST_STEPS // 2 + 1, NotImplemented)):
        done, network = np.full(1, -1.0), np.zeros((steps, 2), np.int32)
        # the master waits for worker 1, who waits for worker 2
        nodes, offsets, need = np.array([1, 2]), np.array([0, 1, 2, 2]), np.array([1, 1, 0])
        kind, starts = np.zeros(3, np.int64), np.array([0, steps])
        given = tree.completion(
            np.array([[1.0], [2.0]]), offsets, nodes, need, kind, starts, network,
            0.0, False, done, np.empty((0, 1)),
        )  # fmt: skip
        assert given is expected
        assert done[0] == (2.0 if expected is None else -1.0)
