"""Each kernel is compiled once for all processes that run the suite side by side.

A process that is about to compile a kernel takes a lock in its name, and finds it compiled where
another had the lock before.
"""

import time
from typing import Any

try:
    import fcntl
except ImportError:  # no Unix: processes compile for themselves what they do not find
    fcntl = None  # type: ignore[assignment]

#: Seconds after which a lock is taken for one that nothing will release.
HUNG = 120.0


def compile_once() -> None:
    """Let one process compile a kernel while others that need it wait."""
    from fastgc_kernels import _compiling

    cache = _compiling.SafeCache
    if fcntl is None or cache is None or hasattr(cache, "_lock"):  # a conftest may be read twice
        return
    _compiling.SafeCache = _locked(cache)


def _locked(cache: type[Any]) -> type[Any]:
    """A cache of compiled functions that holds a lock from a miss to the saving."""

    class Locked(cache):  # type: ignore[misc]
        _lock: Any = None

        def load_overload(self, signature: Any, target_context: Any) -> Any:
            found = super().load_overload(signature, target_context)
            if found is None and self._lock is None and self._take():
                found = super().load_overload(signature, target_context)
                if found is not None:
                    self._release()
            return found

        def save_overload(self, signature: Any, data: Any) -> None:
            super().save_overload(signature, data)
            self._release()

        def _take(self) -> bool:
            path = f"{self._cache_file._index_path}.lock"
            try:
                lock = open(path, "ab")  # noqa: SIM115
            except OSError:  # nowhere to write, or the folder has been removed
                return False
            until = time.monotonic() + HUNG
            while time.monotonic() < until:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    time.sleep(0.05)
                else:
                    self._lock = lock
                    return True
            lock.close()
            return False

        def _release(self) -> None:
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    return Locked
