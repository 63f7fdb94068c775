"""One file from a stranger, given to the command in a process of its own."""

import contextlib
import io
import os
import pickle
import re
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SECONDS = 25  # of processor time, of one command: expressions alone may take 20
BYTES = 10**9  # of memory, of one command
#: What the command may exit with: anything but 70, a bug, or a signal.
CODES = (0, 1, 2, 74, 75)
#: Codes that a terminal would act on; tabs and ends of lines are text.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass
class Tally:
    """How files of one kind fared.

    ``refused``: of which a sentence was said, and nothing else happened; ``dirty``: what went
    wrong, and with which file.
    """

    kind: str
    tried: int = 0
    refused: int = 0
    dirty: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return it as a line of a table."""
        clean = self.tried - len(self.dirty)
        return f"{self.kind:10}{self.tried:8}{clean:8}{self.refused:9}{len(self.dirty):7}"


def attempt(commands: Sequence[Sequence[str]], folder: Path) -> tuple[list[int], str]:
    """Run commands in a process of its own; return their exit codes, and what went wrong.

    ``commands``: the words after ``fastgc``; ``folder``: where they run. Returns (codes, wrong):
    ``wrong`` is empty where nothing did.
    """
    codes = []
    for words in commands:
        code, wrong = _alone(lambda words=words: _command(words, folder))  # type: ignore[misc]
        codes.append(code)
        if wrong:
            return codes, f"fastgc {' '.join(words)}: {wrong}"
    return codes, ""


def _command(words: Sequence[str], folder: Path) -> tuple[int, str]:
    from fastgc.cli import main

    os.chdir(folder)
    os.environ["FASTGC_LOG"] = "none"
    sys.argv = ["fastgc", *words]
    out, err = io.StringIO(), io.StringIO()
    code = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main.main()
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    except BaseException:
        err.write(traceback.format_exc())
    said = out.getvalue() + err.getvalue()
    if "Traceback" in said:
        return code, "traceback: " + " | ".join(said.strip().splitlines()[-4:])
    if "Warning" in err.getvalue():
        return code, f"a warning: {err.getvalue()[:300]}"
    if code not in CODES:
        return code, f"exit code {code}: {err.getvalue()[:300]}"
    if CONTROL.search(said):
        return code, f"control characters: {said[:300]!r}"
    if code == 2 and not err.getvalue().strip():
        return code, "refused without a sentence"
    return code, ""


def _alone(work: Callable[[], tuple[int, str]]) -> tuple[int, str]:
    """Do work in a copy of this process, with bounds on time and memory."""
    # a copy begins with what this process holds
    addressed, held = map(int, Path("/proc/self/statm").read_text().split()[:2])
    before = held * resource.getpagesize() // 1024
    most = addressed * resource.getpagesize() + 4 * BYTES
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            found = work()
            with open(writer, "wb") as stream:
                pickle.dump(found, stream)
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as stream:
        image = stream.read()
    _, status, used = os.wait4(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return -1, f"more than {SECONDS} s of processor time"
        return -1, f"killed by {signal.Signals(number).name}"
    if not image:
        return -1, "left without a word"
    code, wrong = pickle.loads(image)
    if not wrong and 1024 * (used.ru_maxrss - before) > BYTES:
        wrong = f"{(used.ru_maxrss - before) // 1024} MB of memory"
    return code, wrong
