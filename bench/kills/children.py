"""Children that are forked from a process where everything is loaded and compiled, to be killed."""

import mmap
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from bench.kills.scenes import Call, small
from fastgc.errors import FastgcError, StorageError


class Child:
    """A forked process that calls something and ends."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115
        sys.stdout.flush()
        self.number = os.fork()
        if self.number == 0:
            code = 70
            try:
                os.dup2(self._said.fileno(), 2)
                code = _exit_code(call)
            finally:
                os._exit(code)

    def kill_after(self, seconds: float) -> int | None:
        """Kill it, unless it ends before; return its exit code, None where it was killed."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            number, status = os.waitpid(self.number, os.WNOHANG)
            if number:
                return self._code(status)
            time.sleep(min(left, 0.002))
        os.kill(self.number, signal.SIGKILL)
        return self.wait()

    def wait(self) -> int | None:
        """Wait for its end; return its exit code, None where SIGKILL ended it."""
        return self._code(os.waitpid(self.number, 0)[1])

    def said(self) -> str:
        """What it wrote to stderr."""
        self._said.seek(0)
        return self._said.read().decode(errors="replace").strip()

    def close(self) -> None:
        """Forget what it said."""
        self._said.close()

    @staticmethod
    def _code(status: int) -> int | None:
        code = os.waitstatus_to_exitcode(status)
        return None if code == -signal.SIGKILL else code


def _exit_code(call: Callable[[], object]) -> int:
    """Do as the command does: a mistake is a sentence."""
    try:
        call()
    except FastgcError as error:
        print(error, file=sys.stderr, flush=True)
        return 74 if isinstance(error, StorageError) else 2
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        return 70
    return 0


def ended(call: Callable[[], object]) -> tuple[int | None, str]:
    """Call something in a child of its own, with small blocks: its exit code and stderr.

    The code is negative for a signal.
    """
    with small():
        child = Child(call)
    code, said = child.wait(), child.said()
    child.close()
    return code, said


def resumed(call: Call, folder: Path) -> list[str]:
    """Let a child go on to the end; what is wrong if it does not."""
    code, said = ended(lambda: call(folder))
    return [] if code == 0 else [f"ends with {code}: {said}"]


class Marks:
    """Bytes that a child sets and its parent reads after the kill."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._bytes = mmap.mmap(-1, len(names))
        self._place = {name: i for i, name in enumerate(names)}

    def clear(self) -> None:
        """Take all away."""
        self._bytes[:] = bytes(len(self._place))

    def around(self, name: str, function: Callable[..., object]) -> Callable[..., object]:
        """Return the function that is marked while it is under way."""

        def marked(*arguments: object, **more: object) -> object:
            self._bytes[self._place[name]] += 1
            try:
                return function(*arguments, **more)
            finally:
                self._bytes[self._place[name]] -= 1

        return marked

    def under_way(self) -> set[str]:
        """Names of the functions that a child was in."""
        return {name for name, i in self._place.items() if self._bytes[i]}
