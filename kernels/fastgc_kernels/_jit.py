"""The one place that names ``numba.njit``: every kernel is compiled with these options.

``error_model="numpy"`` keeps loops free of division checks; there is no ``fastmath``, so that every
processor gives the same bits. The on-disk cache lives in a folder named by a hash of all kernel
sources: Numba alone keys a cached kernel on its own file and would go on using it after a helper
in another file has changed.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def source_digest() -> str:
    """Hash of all kernel sources and of what compiles them."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _cache_folder() -> str | None:
    """First writable place for compiled kernels, or None where there is none."""
    roots = []
    if os.environ.get("NUMBA_CACHE_DIR"):
        roots.append(Path(os.environ["NUMBA_CACHE_DIR"]))
    elif os.environ.get("XDG_CACHE_HOME"):
        roots.append(Path(os.environ["XDG_CACHE_HOME"]) / "fastgc")
    else:
        try:
            roots.append(Path.home() / ".cache" / "fastgc")
        except RuntimeError:
            return None
    for root in roots:
        folder = root / source_digest()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return str(folder)
        except OSError:
            continue
    return None


CACHE_FOLDER = _cache_folder()


def jit(function: Function) -> Function:
    """Compile a kernel: cached on disk, free of the GIL, bits the same on every processor."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = CACHE_FOLDER or ""
    try:
        compiled: Function = numba.njit(
            error_model="numpy", nogil=True, cache=CACHE_FOLDER is not None
        )(function)
    finally:
        numba.config.CACHE_DIR = before
    return compiled


def inline(function: Function) -> Function:
    """Compile a small helper so that it is inlined before vectorisation."""
    compiled: Function = numba.njit(error_model="numpy", inline="always")(function)
    return compiled
