"""Children that are forked from a process where everything is loaded and compiled, to be killed."""

import os
import signal
import sys
import tempfile
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
