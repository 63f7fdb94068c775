"""The environment of workers: each has one core, so that its libraries shall use one thread."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


@contextlib.contextmanager
def one_thread_each() -> Iterator[None]:
    """Let libraries that are loaded now, here and in new processes, use one thread.

    What the user has set stays.
    """
    own = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(own, "1"))
    try:
        yield
    finally:
        for name in own:
            os.environ.pop(name, None)
