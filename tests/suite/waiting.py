"""Waiting for what another process or thread does: for as long as a busy machine takes."""

import itertools
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")

#: Seconds after which what a test waits for is taken to hang; nothing passes or fails by less.
HUNG = 300.0


def until(condition: Callable[[], T], what: str, pause: float = 0.01) -> T:
    """Wait until a condition holds, and return what it gives; ``what`` is said where it hangs."""
    end = time.monotonic() + HUNG
    while not (found := condition()):
        if time.monotonic() > end:
            pytest.fail(f"{what}, after {HUNG:g} s")
        time.sleep(pause)
    return found


def hears(process: int, number: int) -> bool:
    """Whether a process has a handler of a signal, as Linux says."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False
    return bool(int(re.findall(r"SigCgt:\s*(\w+)", status)[0], 16) >> (number - 1) & 1)


def state_of(process: int) -> str:
    """The state of a process as Linux says, that of a zombie where it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def children(process: int) -> dict[int, str]:
    """Processes that a process has started, and these in turn, with their commands."""
    found = {}
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            found[child] = b" ".join(words).decode()
            found |= children(child)
    return found


def after(calls: int) -> Callable[[], str | None]:
    """Return an interruption that comes when it was asked for so many times."""
    count = itertools.count(1)
    return lambda: "SIGTERM" if next(count) >= calls else None
