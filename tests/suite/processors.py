"""Kinds of processors: those whose code runs here, and what vector code gives on each."""

import sys

from llvmlite import binding

from bench.bits import plain
from conftest import ROOT, environment, ran

_NEEDS = {"nehalem": "sse4.2", "x86-64-v3": "avx2", "x86-64-v4": "avx512vl"}
_HERE = binding.get_host_cpu_features()
#: Kinds whose code runs on this machine.
KINDS = [kind for kind, needed in _NEEDS.items() if _HERE.get(needed)]


def digest_of(module: str, kind: str | None = None) -> str:
    """What ``digest`` of a module of tests/kernels returns with code for a kind of processor."""
    changes = plain() | {"NUMBA_CPU_NAME": kind} if kind else {}
    program = (
        "from fastgc_kernels import _jit; _jit.FALLBACKS.wanted = False\n"
        f"from {module} import digest; print(digest())"
    )
    own = environment(**changes)
    own["PYTHONPATH"] += f":{ROOT / 'tests'}:{ROOT / 'tests' / 'kernels'}"
    done = ran(sys.executable, "-c", program, env=own)
    assert done.returncode == 0, done.stderr
    return str(done.stdout.strip())
