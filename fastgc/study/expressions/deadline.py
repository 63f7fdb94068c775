"""How long the expressions of a file may take: processor seconds, counted while they are evaluated.

Steps bound the arithmetic of an expression; a closed form is one step, whatever it costs.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from fastgc.errors import FastgcError, StoppedError

SECONDS = 20.0
_LOOK_SECONDS = 0.2  # of processor time between two looks at the clock


class _OverError(BaseException):
    """The time is over, or a signal asks to stop: no handler of errors on the way may keep it."""


class Deadline:
    """Processor seconds that expressions share, those of the thread that evaluates them.

    Parameters
    ----------
    seconds : float
    interrupted : callable
        Asked while expressions are evaluated; a text it returns stops them.
    """

    def __init__(
        self,
        seconds: float = SECONDS,
        interrupted: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._seconds = seconds
        self._interrupted = interrupted
        self._spent = 0.0
        self._begun: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        running = 0.0 if self._begun is None else time.thread_time() - self._begun
        return self._spent + running >= self._seconds

    def look(self) -> None:
        """Leave the evaluation if the time is over or a signal asks to stop."""
        if self._begun is not None and (self.is_over or self._interrupted() is not None):
            raise _OverError

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Evaluate within: a call that takes long is stopped too, in the main thread.

        Raises
        ------
        FastgcError
            If the time is over.
        StoppedError
            If a signal asks to stop.
        """
        self._begun = time.thread_time()
        try:
            with self._looking():
                yield
                self.look()
        except _OverError:
            reason = self._interrupted()
            if reason is not None:
                raise StoppedError(f"stopped early by {reason}: nothing was measured yet") from None
            raise FastgcError(
                f"takes too long: all expressions of a file have {self._seconds:g} s of processor "
                "time; take fewer points or smaller numbers"
            ) from None
        finally:
            self._spent += time.thread_time() - self._begun
            self._begun = None

    @contextlib.contextmanager
    def _looking(self) -> Iterator[None]:
        """Look now and then, in the midst of a closed form too; only a main thread hears clocks."""
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or not hasattr(signal, "setitimer"):
            yield
            return

        def look(number: int, frame: Any) -> None:
            self.look()

        before = signal.signal(signal.SIGVTALRM, look)
        signal.setitimer(signal.ITIMER_VIRTUAL, _LOOK_SECONDS, _LOOK_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
