"""Commands that a test starts, and runs that they have started somewhere."""

import contextlib
import os
import signal
import subprocess
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import IO

import pytest

from conftest import COMMAND
from suite.waiting import HUNG, hears, until


class Shell:
    """Runs commands in a folder; none outlives the test, and none is waited for without end."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder, self.env = folder, env
        self._files = contextlib.ExitStack()
        self._said: dict[subprocess.Popen, tuple[IO[str], IO[str]]] = {}

    def start(self, *command: str, **changes: str) -> subprocess.Popen:
        out, err = (self._file() for _ in range(2))
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.env | changes,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        self._said[process] = out, err
        return process

    def end(self, process: subprocess.Popen) -> SimpleNamespace:
        try:
            process.wait(HUNG)
        except subprocess.TimeoutExpired:
            said = "\n".join(self._texts(process))
            pytest.fail(f"after {HUNG:g} s {process.args} has not ended:\n{said}")
        out, err = self._texts(process)
        return SimpleNamespace(code=process.returncode, out=out, err=err)

    def run(self, *command: str, **changes: str) -> SimpleNamespace:
        return self.end(self.start(*command, **changes))

    def _file(self) -> IO[str]:
        return self._files.enter_context(tempfile.TemporaryFile("w+"))

    def _texts(self, process: subprocess.Popen) -> list[str]:
        files = self._said[process]
        for file in files:
            file.seek(0)
        return [file.read() for file in files]

    def close(self) -> None:
        for process in self._said:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._files.close()


def runs(folder: Path, word: str) -> list[int]:
    """Processes of fastgc in a folder, of any parent, that were given this word."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_text().split("\0")
            is_here = (path.parent / "cwd").samefile(folder)
        except (OSError, UnicodeDecodeError):
            continue
        is_ours = any(COMMAND[-1] in each for each in words) and "mpiexec" not in words[0]
        if is_here and word in words and is_ours:
            found.append(int(path.parent.name))
    return sorted(found)


def sampling(folder: Path, word: str) -> int:
    """Wait until such a run answers SIGUSR1, which only a run hears; return its process."""

    def listening() -> list[int]:
        return [process for process in runs(folder, word) if hears(process, signal.SIGUSR1)]

    return until(listening, f"no run with {word} listens")[0]


def at_work(shell: Shell, process: subprocess.Popen, file: str, size: int = 0) -> None:
    """Wait until a command has ended, or a file has more than so many bytes."""
    path = shell.folder / file

    def is_there() -> bool:
        return process.poll() is not None or (path.exists() and path.stat().st_size > size)

    until(is_there, "nothing is kept")
