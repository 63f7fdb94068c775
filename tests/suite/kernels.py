"""Each kernel is compiled once for all processes that run the suite side by side.

What the day layer needs is compiled first, on all cores. A process that is about to compile another
kernel takes a lock in its name, and finds it compiled where another had the lock before.
"""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # no Unix: processes compile for themselves what they do not find
    fcntl = None  # type: ignore[assignment]

#: Seconds after which a lock is taken for one that nothing will release.
HUNG = 120.0


#: Compiles the kernels of small studies of all that fastgc has, but for those that only tests of
#: the night run.
PROGRAM = """
from fastgc.engine.executors.surroundings import available_cores
from fastgc.runs import compiling
from suite.kernels import compile_once
if __name__ == "__main__":
    compile_once()
    every, of_night = compiling.examples(), ("adversarial",)
    compiling.examples = lambda: {
        name: text for name, text in every.items() if not name.endswith(of_night)
    }
    print(compiling.compile_kernels(processes=available_cores()).kernels, "kernels compiled")
"""


def compile_for_the_day(say: Callable[[str], object]) -> None:
    """Compile on all cores what the tests of the day need, unless it has been done before.

    In processes that end then: a compiler stays in the memory of the process that loaded it.
    """
    from fastgc_kernels import _sources

    folder = Path(os.environ["NUMBA_CACHE_DIR"])
    processor = {name: os.environ[name] for name in sorted(os.environ) if name.startswith("NUMBA_")}
    key = repr((_sources.source_digest(), sys.version, processor))
    done = folder / f"day-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    if done.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    say("compiling kernels on all cores; the next runs find them")
    tests = Path(__file__).parents[1]
    own = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, (tests.parent, tests.parent / "kernels", tests)))
    }
    file = folder / "compile.py"  # processes that are spawned read it again
    file.write_text(PROGRAM)
    finished = subprocess.run([sys.executable, file], env=own, capture_output=True, text=True)
    if finished.returncode == 0:
        say(finished.stdout.strip())
        done.touch()
    else:  # the tests that need the kernels will say what is wrong
        say(finished.stderr.strip())


def compile_once() -> None:
    """Let one process compile a kernel while others that need it wait."""
    from fastgc_kernels import _compiling

    cache = _compiling.SafeCache
    if fcntl is None or hasattr(cache, "_lock"):  # a conftest may be read twice
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
            path = f"{self.cache_path}/{self._base}.lock"
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
