"""The log on stderr, in one form for all commands, and the signals that ask one to stop."""

import contextlib
import functools
import json
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any, TypeVar, cast

import click

from fastgc.cli.terminal import INTERRUPTED, RESUMABLE, echo

LOG_SECONDS = 30.0
ECHO_SECONDS = 0.5  # a wrapper may hand on the Ctrl-C that the terminal has sent to us too
BAR, TEXT, JSON, NONE = FORMS = ("bar", "text", "json", "none")
FAILED, FINISHED, NOTE = "failed", "finished", "note"
PROGRESS, STARTED, STOPPING = "progress", "started", "stopping"

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass
class Log:
    """What a command writes to stderr: a line every so many seconds.

    ``form`` is None before the command line was read, and in commands that have no log: they only
    say what goes wrong.
    """

    form: str | None = None
    every: float = LOG_SECONDS
    command: str = ""
    _began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Seconds since the command began."""
        return time.monotonic() - self._began

    def tell(self, event: str, sentence: str, **facts: Any) -> None:
        """Write an event: its facts as JSON, or its sentence with a time stamp."""
        stamped = f"{datetime.now():%F %T} {sentence}"
        self._write(self.as_json(event, **facts) if self.form == JSON else stamped)

    def note(self, text: str) -> None:
        """Write sentences that are no progress and say of no failure how it ended."""
        if self.form == JSON:
            self._write(self.as_json(NOTE, message=text))
        else:
            self._write(text)

    def fail(self, lines: Sequence[str], code: int, **facts: Any) -> None:
        """Write what went wrong: a sentence a line, in JSON one event with all of them."""
        if self.form == JSON or (self.form is None and _asks_for_json(sys.argv[1:])):
            said = "; ".join(lines)
            self._write(self.as_json(FAILED, message=said, exit_code=code, **facts))
            return
        for line in lines:
            self._write(f"fastgc: {line}")

    def from_handler(self, event: str, text: str, **facts: Any) -> None:
        """Write an event from inside a signal handler, where buffers may be in use."""
        line = f"{text}\n"
        if self.form == JSON:
            line = self.as_json(event, message=text, **facts) + "\n"
        elif sys.stderr.isatty():
            line = f"\r{text:60}\n"
        with contextlib.suppress(OSError, ValueError):
            os.write(sys.stderr.fileno(), line.encode())

    def as_json(self, event: str, **facts: Any) -> str:
        """Return an event as one line of JSON; what is no finite number is null."""
        always = {
            "event": event,
            "time": datetime.now().astimezone().isoformat(timespec="seconds"),
            "seconds": round(self.seconds, 3),
            "command": self.command,
        }
        values = {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in facts.items()
        }
        return json.dumps(always | values, ensure_ascii=False, allow_nan=False)

    @staticmethod
    def _write(line: str) -> None:
        # the terminal may be gone, and no night's run is lost for that
        with contextlib.suppress(OSError):
            echo(line, err=True)


def logged(command: Command) -> Command:
    """Give a command the option of its log; who runs in it finds the log with `current`."""
    option = click.option(
        "--log",
        type=click.Choice(FORMS),
        envvar="FASTGC_LOG",
        expose_value=False,
        callback=_take_form,
        help="Progress on stderr: a bar (on a terminal), lines of text (elsewhere) or of JSON, or "
        "none.  [default: $FASTGC_LOG, else bar or text]",
    )
    return option(command)


def logged_as_set(command: Command) -> Command:
    """Let a command that seldom takes long keep the log that $FASTGC_LOG asks for."""

    @functools.wraps(command)
    def keep(*words: Any, **options: Any) -> Any:
        form = os.environ.get("FASTGC_LOG")
        if form not in (None, *FORMS):
            raise click.UsageError(f"FASTGC_LOG: must be one of {', '.join(FORMS)} (got {form})")
        _take_form(click.get_current_context(), None, form)
        return command(*words, **options)

    return cast(Command, keep)


def current() -> Log:
    """Return the log of the command that runs; outside of any, one of its own."""
    context = click.get_current_context(silent=True)
    found = None if context is None else context.find_object(Log)
    return found or Log()


def _take_form(context: click.Context, _: click.Parameter | None, form: str | None) -> None:
    log = context.ensure_object(Log)
    log.form = form or (BAR if sys.stderr.isatty() else TEXT)
    log.command = context.info_name or ""
    every = os.environ.get("FASTGC_LOG_SECONDS", log.every)
    try:
        log.every = float(every)
    except ValueError:
        log.every = math.nan
    if not 0 < log.every < math.inf:
        raise click.UsageError(f"FASTGC_LOG_SECONDS: must be above 0 (got {every})")


def _asks_for_json(words: Sequence[str]) -> bool:
    """Whether a command line that could not be read asks for JSON lines."""
    asked = [after for word, after in pairwise(words) if word == "--log"]
    asked += [word.removeprefix("--log=") for word in words if word.startswith("--log=")]
    return (asked[-1] if asked else os.environ.get("FASTGC_LOG")) == JSON


# ---- Signals


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
                self._leave_at_once(number)
            return
        if self.signal is not None and not urgent:
            return
        self.signal, self.at = number, time.monotonic()
        again = "Ctrl-C again" if number == signal.SIGINT else "a second SIGTERM"
        said = f"stopping {self.ending}" + (f"; {again} leaves at once" if urgent else "")
        current().from_handler(STOPPING, said, signal=signal.Signals(number).name)

    def _leave_at_once(self, number: int) -> None:
        """Leave the process without waiting for threads, as an orderly end would."""
        self.signal, name = number, signal.Signals(number).name
        said = f"left at once by {name}: {self.lost}"
        current().from_handler(FAILED, said, signal=name, exit_code=self.exit_code)
        os._exit(self.exit_code)

    def reason(self) -> str | None:
        """Return the name of the signal that asked to stop, or None."""
        return None if self.signal is None else signal.Signals(self.signal).name

    @property
    def exit_code(self) -> int:
        """Exit code of a run that this signal stopped early."""
        return INTERRUPTED if self.signal == signal.SIGINT else RESUMABLE


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
