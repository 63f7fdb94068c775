"""What commands write to stderr, a bar on a terminal, else lines of text or JSON; and signals."""

import contextlib
import json
import logging
import math
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fastgc.cli.arguments import joined
from fastgc.cli.terminal import INTERRUPTED, RESUMABLE, clean, echo
from fastgc.errors import StoppedError

if TYPE_CHECKING:
    from fastgc.registry.activity import Batch, Step

LOG_SECONDS = 30.0
WAITING_SECONDS = 1.0  # a bar is asked so often what it waits for
ECHO_SECONDS = 0.5  # a wrapper may hand on the Ctrl-C that the terminal has sent to us too
BAR, TEXT, JSON, NONE = FORMS = ("bar", "text", "json", "none")
FAILED, FINISHED, NOTE = "failed", "finished", "note"
PROGRESS, STARTED, STOPPING = "progress", "started", "stopping"
BAR_FORM = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{rate_fmt}{postfix}]"

Command = TypeVar("Command", bound=Callable[..., Any])


class Log(logging.Handler):
    """What a command writes to stderr: a bar, or a line every so many seconds.

    ``form`` is None before the command line was read, and in commands that have no log: they only
    say what goes wrong. Lines come from a thread of their own, so that one comes in time even where
    a long computation says nothing. What the library remarks, such as a worker's death, comes too.
    """

    def __init__(self, form: str | None = None, command: str = "") -> None:
        super().__init__()
        self.form, self.command, self.every = form, command, LOG_SECONDS
        self._began = time.monotonic()
        self._subject, self._out = "", ""
        self._bar: Any = None
        self._seen: tuple[float, Step] | None = None
        self._reported = (0.0, 0)
        self._ended = threading.Event()
        self._clock = threading.Thread(target=self._tick, name="fastgc log", daemon=True)

    @contextlib.contextmanager
    def following(self, subject: object, out: object = None) -> Iterator["Log"]:
        """Show how far the work on ``subject`` is, the results of which are kept in ``out``.

        Of a command without the option of its log, it is the log that $FASTGC_LOG asks for.
        """
        if self.form is None:
            _take_form(click.get_current_context(), None, None)
        self._subject, self._out = str(subject), "" if out is None else str(out)
        logging.getLogger("fastgc").addHandler(self)
        if self.form == BAR:
            from tqdm import tqdm

            self._bar = tqdm(
                desc="fastgc: loading kernels …",
                file=sys.stderr,
                leave=False,
                dynamic_ncols=True,
                unit_scale=True,
                bar_format="{desc}{postfix}",
            )
            self._clock.start()
        try:
            yield self
        finally:
            logging.getLogger("fastgc").removeHandler(self)
            self._ended.set()
            if self._clock.is_alive():
                self._clock.join()
            if self._bar is not None:
                self._bar.close()

    def emit(self, record: logging.LogRecord) -> None:
        """Write a remark of the library."""
        self.note(f"fastgc: {record.getMessage()}")

    def show(self, step: "Step") -> None:
        """Show how far the command is."""
        is_first, self._seen = self._seen is None, (time.monotonic(), step)
        if self._bar is not None:
            self._draw(step)
        elif is_first and self.form in (TEXT, JSON):
            self._begin(step)

    def say(self, text: str) -> None:
        """Print on stdout what is known already, above the bar."""
        if self._bar is not None:
            self._bar.clear()
        echo(text)
        if self._bar is not None:
            self._bar.refresh()

    def note(self, text: str) -> None:
        """Write sentences that are no progress and say of no failure how it ended."""
        self._write(self.as_json(NOTE, message=text) if self.form == JSON else text)

    def finish(self, code: int, sentence: str = "", in_log: str = "done", **facts: Any) -> int:
        """Say how the command ended, with its trials and seconds; return the exit code.

        Without a ``sentence`` for everybody, only a log says so, in the words of ``in_log``.
        """
        from fastgc.registry.activity import duration
        from fastgc.registry.number_types import spaced

        values: dict[str, Any] = {"exit_code": code, "file": self._out or None}
        took = duration(time.monotonic() - self._began)
        if self._seen is not None and (trials := self._seen[1].trials) is not None:
            values["trials"] = trials
            took = f"{spaced(trials)} trials, {took}"
        if self.form in (TEXT, JSON):
            words = sentence or in_log
            self.tell(FINISHED, f"{words} ({took})", message=words, **values | facts)
        elif sentence:
            self.note(f"{sentence} ({took})" if self.form == BAR else sentence)
        return code

    def fail(self, lines: Sequence[str], code: int, **facts: Any) -> None:
        """Write what went wrong: a sentence a line, in JSON one event with all of them."""
        form = self.form
        if form is None:  # perhaps the command line could not be read
            asked = re.findall(r"--log[ =](\w+)", " ".join(sys.argv))
            form = asked[-1] if asked else os.environ.get("FASTGC_LOG")
        if form == JSON:
            self._write(self.as_json(FAILED, message="; ".join(lines), exit_code=code, **facts))
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

    def tell(self, event: str, sentence: str, **facts: Any) -> None:
        """Write an event: its facts as JSON, or its sentence with a time stamp."""
        stamped = f"{datetime.now():%F %T} {sentence}"
        self._write(self.as_json(event, **facts) if self.form == JSON else stamped)

    def as_json(self, event: str, **facts: Any) -> str:
        """Return an event as one line of JSON; what is no finite number is null."""
        always = {
            "event": event,
            "time": datetime.now().astimezone().isoformat(timespec="seconds"),
            "seconds": round(time.monotonic() - self._began, 3),
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

    def _begin(self, now: "Step") -> None:
        # what runs, where and into which file; from now on lines come
        from fastgc.registry.number_types import counted, spaced
        from fastgc.version import __version__

        begun, params = now.begun, click.get_current_context().params
        facts: dict[str, Any] = {
            "version": __version__,
            "subject": self._subject,
            "file": self._out or None,
        }
        facts |= begun | {"what": now.what, "total": now.total}
        if "executor" in params:
            facts["executor"] = params["executor"] or "threads"
        said = [counted(now.total, now.what)] if now.total else []
        if now.claims is not None:
            facts["claims"], said = now.claims, [counted(now.claims, "claims")]
        elif exact := begun.get("exact"):
            sampled = counted(begun["points"] - exact, "points")
            said = [f"{sampled} to sample, {spaced(exact)} exactly"]
        elif "points" in begun:
            said = [counted(begun["points"], "points")]
        if (shard := params.get("shard")) is not None:
            facts["shard"] = shard
            said.append(f"shard {shard}")
        if "cores" in begun:
            said.append(counted(begun["cores"], "cores"))
        if self._out or begun:
            said.append(f"kept in {self._out}" if self._out else "results are not saved")
        if now.before:
            said.append(f"going on from {spaced(now.before)} trials")
        if now.trials is not None:
            facts |= {"trials": now.before, "goal": now.goal}
        title = f"{begun['title']}: " if begun.get("title") else ""
        sentence = f"fastgc {self.command} {self._subject}: {title}{', '.join(said)}"
        self.tell(STARTED, sentence, **facts)
        self._reported = time.monotonic(), now.done if now.trials is None else now.trials
        self._clock.start()

    def _tick(self) -> None:
        from fastgc.runs.progress import waits_for

        every = min(self.every, threading.TIMEOUT_MAX)
        while not self._ended.wait(every if self._bar is None else WAITING_SECONDS):
            waiting = waits_for()
            if self._bar is None:
                self._tell(waiting)
            elif waiting:
                self._bar.set_postfix_str(clean(waiting))

    def _tell(self, waiting: str) -> None:
        assert self._seen is not None
        at, now = self._seen
        then, count = self._reported
        self._reported = time.monotonic(), now.done if now.trials is None else now.trials
        more = self._reported[1] - count
        rate = more / max(self._reported[0] - then, 1e-9)
        if not more:  # how long a wait lasts is not known
            now = replace(now, eta=now.eta if now.until else None, waiting=waiting)
        if now.eta is not None:
            now = replace(now, eta=max(0.0, now.eta - (self._reported[0] - at)))
        is_fast = now.trials is not None or now.what == "blocks"
        line = now.line(rate if is_fast else None)
        self.tell(PROGRESS, line, **now.as_dict(), rate=round(rate, 3))

    def _draw(self, now: "Step") -> None:
        bar, label = self._bar, now.label()
        if not label:  # nothing is in hand yet, or any more
            return
        done, goal, before, unit = now.done, now.total, 0, now.what
        if now.goal is not None and now.trials is not None:
            done, goal, before, unit = now.trials, now.goal, now.before, "trials"
        said = []
        if now.estimate is not None and now.estimate.value is not None:
            from fastgc.statistics.number_text import number

            said.append(number(now.estimate.value, now.estimate.standard_error))
        if now.goal is None and now.trials:
            said.append(f"{now.trials / 1e6:.0f}M trials")
        said += filter(None, [now.time_left()])
        bar.set_description_str(clean(label), refresh=False)
        if bar.unit != f" {unit}":
            bar.bar_format, bar.unit, bar.initial = BAR_FORM, f" {unit}", before
            bar.reset(goal)
        bar.total, bar.n = goal, done
        bar.set_postfix_str(", ".join(said))


@contextlib.contextmanager
def working(
    subject: object, out: object = None, executor: str | None = None
) -> Iterator[tuple[Log, "StopRequest", Callable[..., "Batch"]]]:
    """Show how far a command is, note signals, and end it in order where one of them stops it.

    Hands over the log, which signal asked to stop, and what makes the `Batch` of the work.
    """
    with joined(executor) as where, current().following(subject, out) as log, listening() as asked:

        def batch(**more: Any) -> "Batch":
            from fastgc.registry.activity import Batch

            usual = {"executor": where, "progress": log.show, "interrupted": asked.reason}
            return Batch(**usual | more)

        try:
            yield log, asked, batch
        except StoppedError as early:
            code = log.finish(asked.exit_code, str(early), stopped_by=asked.reason())
            raise click.exceptions.Exit(code) from None


def logged(command: Command) -> Command:
    """Give a command the option of its log; who runs in it finds the log with `current`."""
    option = click.option(
        "--log",
        type=click.Choice(FORMS),
        expose_value=False,
        callback=_take_form,
        help="Progress on stderr: a bar (on a terminal), lines of text (elsewhere) or of JSON, or "
        "none.  [default: $FASTGC_LOG, else bar or text]",
    )
    return option(command)


def current() -> Log:
    """Return the log of the command that runs; outside of any, one of its own."""
    context = click.get_current_context(silent=True)
    found = None if context is None else context.find_object(Log)
    return found or Log()


def _take_form(context: click.Context, _: click.Parameter | None, form: str | None) -> None:
    log = context.ensure_object(Log)
    form = form or os.environ.get("FASTGC_LOG")
    if form and form not in FORMS:
        raise click.UsageError(f"FASTGC_LOG: must be one of {', '.join(FORMS)} (got {form})")
    log.form = form or (BAR if sys.stderr.isatty() else TEXT)
    log.command = context.info_name or ""
    every = os.environ.get("FASTGC_LOG_SECONDS", log.every)
    try:
        log.every = float(every)
    except ValueError:
        log.every = math.nan
    if not 0 < log.every < math.inf:
        raise click.UsageError(f"FASTGC_LOG_SECONDS: must be above 0 (got {every})")


# ---- Signals


class StopRequest:
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
                self.signal, name = number, signal.Signals(number).name
                said = f"left at once by {name}: {self.lost}"
                current().from_handler(FAILED, said, signal=name, exit_code=self.exit_code)
                os._exit(self.exit_code)  # an orderly end would wait for threads
            return
        if self.signal is not None and not urgent:
            return
        self.signal, self.at = number, time.monotonic()
        again = "Ctrl-C again" if number == signal.SIGINT else "a second SIGTERM"
        said = f"stopping {self.ending}" + (f"; {again} leaves at once" if urgent else "")
        current().from_handler(STOPPING, said, signal=signal.Signals(number).name)

    def reason(self) -> str | None:
        """Return the name of the signal that asked to stop, or None."""
        return None if self.signal is None else signal.Signals(self.signal).name

    @property
    def exit_code(self) -> int:
        """Exit code of a run that this signal stopped early."""
        return INTERRUPTED if self.signal == signal.SIGINT else RESUMABLE


@contextlib.contextmanager
def listening() -> Iterator[StopRequest]:
    """Note signals while the block runs, so that it can ask whether to stop."""
    asked = StopRequest()
    names = [name for name in ("SIGINT", "SIGTERM", "SIGUSR1") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), asked.hear) for name in names}
    try:
        yield asked
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)
