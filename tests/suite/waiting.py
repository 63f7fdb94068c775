"""Waiting for what another process or thread does: for as long as a busy machine takes."""

import itertools
import time
from collections.abc import Callable
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


def after(calls: int) -> Callable[[], str | None]:
    """Return an interruption that comes when it was asked for so many times."""
    count = itertools.count(1)
    return lambda: "SIGTERM" if next(count) >= calls else None
