"""Progress on stderr: a bar on a terminal, lines of text or JSON in a log."""

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

import click

from fastgc.cli.arguments import joined
from fastgc.cli.log import (
    BAR,
    FINISHED,
    JSON,
    PROGRESS,
    STARTED,
    TEXT,
    Asked,
    Log,
    current,
    listening,
)
from fastgc.cli.terminal import clean, echo
from fastgc.errors import StoppedError

if TYPE_CHECKING:
    from fastgc.registry.activity import Step

#: How often a bar is asked what it waits for.
WAITING_SECONDS = 1.0


class _Remarks(logging.Handler):
    """Writes what the library remarks, such as a worker's death, to the log."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._to = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write a remark."""
        self._to.note(f"fastgc: {record.getMessage()}")


class Meter:
    """Progress of a command on stderr, in the form of its log.

    ``subject`` is what the command works on, and ``out`` the file where it keeps what it finds.
    Lines of a log come from a thread of their own, so that one comes in time even where a long
    computation says nothing.
    """

    def __init__(self, subject: object = "", out: object = None) -> None:
        self._log = current()
        self._subject = str(subject)
        self._out = None if out is None else str(out)
        self._bar: Any = None
        self._shown = ""
        self._is_bar = self._log.form == BAR
        self._seen: tuple[float, Step] | None = None
        self._reported = (time.monotonic(), 0)
        self._ended = threading.Event()
        self._drawing = threading.Lock()
        self._clock: threading.Thread | None = None
        self._remarks = _Remarks(self._log)

    def __enter__(self) -> "Meter":
        logging.getLogger("fastgc").addHandler(self._remarks)
        if self._is_bar:
            click.echo("fastgc: loading kernels …\r", err=True, nl=False)
            self._start(self._wait)
        return self

    def __exit__(self, *error: object) -> None:
        logging.getLogger("fastgc").removeHandler(self._remarks)
        self._ended.set()
        if self._clock is not None:
            self._clock.join()
        if self._bar is not None:
            self._bar.close()
        elif self._is_bar:
            click.echo(" " * 80 + "\r", err=True, nl=False)

    def show(self, step: "Step") -> None:
        """Show how far the command is."""
        is_first, self._seen = self._seen is None, (time.monotonic(), step)
        if self._is_bar:
            with self._drawing:
                self._draw(step)
        elif is_first and self._log.form in (TEXT, JSON):
            self._begin(step)

    def say(self, text: str) -> None:
        """Print on stdout what is known already, above the bar."""
        if self._bar is not None:
            self._bar.clear()
        elif self._is_bar:
            click.echo(" " * 40 + "\r", err=True, nl=False)
        echo(text)
        if self._bar is not None:
            self._bar.refresh()

    def note(self, text: str) -> None:
        """Write sentences on what was found to the log."""
        self._log.note(text)

    def finish(self, code: int, sentence: str = "", in_log: str = "done", **facts: Any) -> int:
        """Say how the command ended, with its trials and seconds; return the exit code.

        Without a ``sentence`` for everybody, only a log says so, in the words of ``in_log``.
        """
        from fastgc.registry.activity import duration

        done = None if self._seen is None else self._seen[1]
        values: dict[str, Any] = {"exit_code": code, "file": self._out}
        took = [duration(self._log.seconds)]
        if done is not None and done.trials is not None:
            from fastgc.registry.numbers import spaced

            values["trials"] = done.trials
            took.insert(0, f"{spaced(done.trials)} trials")
        values |= facts
        if self._log.form in (TEXT, JSON):
            words = sentence or in_log
            self._log.tell(FINISHED, f"{words} ({', '.join(took)})", message=words, **values)
        elif sentence:
            self._log.note(f"{sentence} ({', '.join(took)})" if self._is_bar else sentence)
        return code

    def finish_judging(self, code: int, claims: int) -> int:
        """As `finish`, of a command that has judged so many claims."""
        from fastgc.registry.numbers import counted

        return self.finish(code, in_log=f"done: {counted(claims, 'claims')} judged", claims=claims)

    def _begin(self, now: "Step") -> None:
        """Say what runs, where and into which file; from now on lines come."""
        from fastgc.registry.numbers import counted, spaced
        from fastgc.version import __version__

        begun = now.begun
        said = [counted(now.total, now.what)] if now.total else []
        if "points" in begun:
            exact = begun["exact"]
            said = [counted(begun["points"] - exact, "points")]
            said = [f"{said[0]} to sample, {spaced(exact)} exactly"] if exact else said
        if now.claims is not None:
            said = [counted(now.claims, "claims")]
        if begun.get("cores"):
            said.append(counted(begun["cores"], "cores"))
        if self._out is not None:
            said.append(f"kept in {self._out}")
        elif begun:
            said.append("results are not saved")
        if now.before:
            said.append(f"going on from {spaced(now.before)} trials")
        title = f"{begun['title']}: " if begun.get("title") else ""
        sentence = f"fastgc {self._log.command} {self._subject}: {title}{', '.join(said)}"
        facts: dict[str, Any] = {"version": __version__, "subject": self._subject}
        facts["file"] = self._out
        facts |= begun
        context = click.get_current_context(silent=True)
        if context is not None and "executor" in context.params:
            facts["executor"] = context.params["executor"] or "threads"
            if facts["executor"] != "threads":
                said.append(f"executor {facts['executor']}")
        facts |= {"what": now.what, "total": now.total}
        if now.claims is not None:
            facts["claims"] = now.claims
        if now.trials is not None:
            facts |= {"trials": now.before, "goal": now.goal}
        self._log.tell(STARTED, sentence, **facts)
        self._reported = time.monotonic(), now.counted
        self._start(self._tick)

    def _start(self, what: Callable[[], None]) -> None:
        self._clock = threading.Thread(target=what, name="fastgc log", daemon=True)
        self._clock.start()

    def _wait(self) -> None:
        """Say beside the bar what it waits for."""
        from fastgc.runs.progress import waits_for

        while not self._ended.wait(WAITING_SECONDS):
            waiting = waits_for()
            with self._drawing:
                if self._bar is not None and waiting:
                    self._bar.set_postfix_str(waiting)
                elif self._bar is None and waiting:
                    click.echo(f"fastgc: {clean(waiting):70}\r", err=True, nl=False)

    def _tick(self) -> None:
        """Tell how far it is, again and again."""
        from fastgc.runs.progress import waits_for

        while not self._ended.wait(min(self._log.every, threading.TIMEOUT_MAX)):
            assert self._seen is not None
            at, now = self._seen
            time_, count = time.monotonic(), now.counted
            before, self._reported = self._reported, (time_, count)
            rate = (count - before[1]) / max(time_ - before[0], 1e-9)
            now = now.now(time_ - at, None if rate else waits_for())
            each = "trials" if now.trials is not None else now.what
            shown = rate if each in ("trials", "blocks") else None
            self._log.tell(PROGRESS, now.line(shown), **now.as_dict(), rate=round(rate, 3))

    def _draw(self, now: "Step") -> None:
        label = now.label()
        if not label:  # nothing is in hand yet, or any more
            return
        done, goal, before = (now.done, now.total, 0) if now.own is None else now.own
        unit = now.what if now.own is None else "trials"
        if self._bar is None or done < self._bar.n or (now.own and label != self._shown):
            from tqdm import tqdm

            if self._bar is not None:
                self._bar.close()
            self._bar = tqdm(
                total=goal,
                initial=before,
                file=sys.stderr,
                leave=False,
                dynamic_ncols=True,
                unit=f" {unit}",
                unit_scale=True,
                bar_format="{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} "
                "[{rate_fmt}{postfix}]",
            )
            self._shown = label
        self._bar.total = goal
        self._bar.set_description_str(clean(label), refresh=False)
        said = []
        if now.estimate is not None and now.estimate.value is not None:
            from fastgc.statistics.numbers import number

            said.append(number(now.estimate.value, now.estimate.standard_error))
        if now.own is None and now.trials:
            said.append(f"{now.trials / 1e6:.0f}M trials")
        said += [now.time_left()] if now.eta is not None else []
        self._bar.set_postfix_str(", ".join(said), refresh=False)
        if done > self._bar.n:
            self._bar.update(done - self._bar.n)
        else:
            self._bar.refresh()


@contextlib.contextmanager
def working(
    subject: object, out: object = None, executor: str | None = None
) -> Iterator[tuple[Meter, Asked, str | Executor | None]]:
    """Show how far a command is, note signals, and end it in order where one of them stops it.

    Hands over the meter, which signal asked to stop, and where work runs.
    """
    with joined(executor) as where, Meter(subject, out) as meter, listening() as asked:
        try:
            yield meter, asked, where
        except StoppedError as early:
            code = meter.finish(asked.exit_code, str(early), stopped_by=asked.reason())
            raise click.exceptions.Exit(code) from None
