"""What a test leaves behind fails that test: open files, threads, processes, unclosed objects.

Python closes a forgotten file when it collects garbage, with a warning that the suite turns into an
error of whichever test is running then. Here garbage is collected after a test that has more open
than before it, so that the warning is its own.
"""

import gc
import os
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

FILES, TASKS = Path("/proc/self/fd"), Path("/proc/self/task")
#: Threads and processes that are kept for all that comes: those of progress bars and of clusters,
#: the tracker of shared memory, the queue of the session.
KEPT_THREADS = ("TMonitor", "asyncio_", "Dask-Offload", "IO loop")
#: Files of no concern: devices, and what libraries keep open of their own, like fonts.
KEPT_FILES = ("/dev/", "/proc/", "/memfd:", "/usr/share/fonts/", sys.prefix)
KEPT_PROCESSES = ("resource_tracker", "forkserver", "munged", "slurmctld", "slurmd")
#: Seconds that a thread or process has to end after its test.
PATIENCE = 2.0


def open_files() -> set[tuple[str, str]]:
    """Numbers and paths of the files that this process has open, where that can be seen."""
    found = set()
    for number in os.listdir(FILES) if FILES.exists() else ():
        try:
            path = os.readlink(FILES / number)
        except OSError:  # closed since
            continue
        if path.startswith("/") and not path.startswith(KEPT_FILES):
            found.add((number, path))
    return found


def threads() -> set[threading.Thread]:
    """Threads of this process but those that stay."""
    return {each for each in threading.enumerate() if not _is_kept(each)}


def _is_kept(thread: threading.Thread) -> bool:
    return type(thread).__name__ in KEPT_THREADS or thread.name.startswith(KEPT_THREADS)


def processes() -> set[str]:
    """Process numbers of the children of this process but those that stay."""
    found: set[str] = set()
    for task in TASKS.iterdir() if TASKS.exists() else ():
        try:
            found |= set((task / "children").read_text().split())
        except OSError:  # the thread has ended
            continue
    return {
        number for number in found if not any(word in _command(number) for word in KEPT_PROCESSES)
    }


def _command(process: str) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""


class Before:
    """What there was before a test."""

    def __init__(self) -> None:
        self.files, self.threads, self.processes = open_files(), threads(), processes()

    def allow(self, earlier: "Before") -> None:
        """Take what is open now and was not earlier as meant: a fixture keeps it for many tests."""
        now = Before()
        self.files |= now.files - earlier.files
        self.threads |= now.threads - earlier.threads
        self.processes |= now.processes - earlier.processes

    def compare(self) -> None:
        """Fail if more is there now, once garbage has been collected and what ends has ended."""
        if not self._left():
            return
        left = _collected()
        until = time.monotonic() + PATIENCE
        while self._left() and time.monotonic() < until:
            time.sleep(0.02)
        left += self._left()
        if left:
            pytest.fail("this test leaves open: " + ", ".join(left), pytrace=False)

    def _left(self) -> list[str]:
        return [
            *_named("file", (path for _, path in open_files() - self.files)),
            *_named("thread", (each.name for each in threads() - self.threads)),
            *_named("process", (_command(each) or each for each in processes() - self.processes)),
        ]


def _collected() -> list[str]:
    """Collect garbage; what it warns of, like a file that nobody closed."""
    found: list[str] = []
    before = sys.unraisablehook
    sys.unraisablehook = lambda unraisable: found.append(str(unraisable.exc_value))
    try:
        gc.collect()
    finally:
        sys.unraisablehook = before
    return found


def _named(kind: str, names: Iterable[str]) -> list[str]:
    return [f"the {kind} {name}" for name in sorted(names)]
