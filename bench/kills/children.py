"""Children that are forked from a process where everything is loaded and compiled, to be killed."""

import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.kills import judge
from bench.kills.scenes import Scene, small
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

    def wait(self) -> tuple[int | None, str]:
        """Wait for its end; return its exit code, None where SIGKILL ended it, and its stderr."""
        code = os.waitstatus_to_exitcode(os.waitpid(self.number, 0)[1])
        with self._said as said:
            said.seek(0)
            return None if code == -signal.SIGKILL else code, said.read().decode().strip()


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
    """Call something in a child of its own, with small blocks: its exit code and stderr."""
    with small():
        child = Child(call)
    return child.wait()


def resumed(scene: Scene, folder: Path, whole: Any) -> list[str]:
    """Let a child go on to the end; what is wrong if it does not, or with what it leaves."""
    code, said = ended(lambda: scene.call(folder))
    return judge.finished(folder, scene, whole) if code == 0 else [f"ends with {code}: {said}"]
