"""Signals that ask a run to stop."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from typing import Any

from fastgc.cli.log import FAILED, STOPPING, current
from fastgc.cli.terminal import INTERRUPTED, RESUMABLE

ECHO_SECONDS = 0.5  # a wrapper may hand on the Ctrl-C that the terminal has sent to us too


class Asked:
    """Which signal asked to stop, and when.

    Nothing is raised here: a signal handler runs wherever the interpreter is, perhaps in a callback
    that swallows exceptions.
    """

    signal: int | None = None
    at = 0.0
    #: When a run ends that is asked to, and what is lost where it is left at once.
    ending = "when the blocks under way are done"
    lost = "the blocks under way are lost; with -o the same command goes on"

    def hear(self, number: int, _: Any) -> None:
        """Note a signal and print what it does; at a second one, leave the process."""
        urgent = number in (signal.SIGINT, signal.SIGTERM)
        if self.signal in (signal.SIGINT, signal.SIGTERM):
            if urgent and time.monotonic() - self.at >= ECHO_SECONDS:
                _leave_at_once(number, self.lost)
            return
        if self.signal is not None and not urgent:
            return
        self.signal, self.at = number, time.monotonic()
        again = "Ctrl-C again" if number == signal.SIGINT else "a second SIGTERM"
        rest = f"; {again} leaves at once" if urgent else ""
        said = f"stopping {self.ending}{rest}"
        current().from_handler(STOPPING, said, signal=signal.Signals(number).name)

    def reason(self) -> str | None:
        """Return the name of the signal that asked to stop, or None."""
        return None if self.signal is None else signal.Signals(self.signal).name

    @property
    def exit_code(self) -> int:
        """Exit code of a run that this signal stopped early."""
        return INTERRUPTED if self.signal == signal.SIGINT else RESUMABLE


def _leave_at_once(number: int, lost: str) -> None:
    """Leave the process without waiting for threads, as an orderly end would."""
    name = signal.Signals(number).name
    code = INTERRUPTED if number == signal.SIGINT else RESUMABLE
    said = f"left at once by {name}: {lost}"
    current().from_handler(FAILED, said, signal=name, exit_code=code)
    os._exit(code)


@contextlib.contextmanager
def listening() -> Iterator[Asked]:
    """Note signals while the block runs, so that it can ask whether to stop."""
    asked = Asked()
    names = [name for name in ("SIGINT", "SIGTERM", "SIGUSR1") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), asked.hear) for name in names}
    try:
        yield asked
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)
