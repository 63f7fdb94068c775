"""Progress on stderr: a bar on a terminal, lines of text or JSON in a log."""

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from fastgc.cli.arguments import joined
from fastgc.cli.log import BAR, FINISHED, JSON, PROGRESS, STARTED, TEXT, Asked, current, listening
from fastgc.cli.terminal import clean, echo
from fastgc.errors import StoppedError

if TYPE_CHECKING:
    from fastgc.registry.activity import Step

#: How often a bar is asked what it waits for.
WAITING_SECONDS = 1.0
BAR_FORM = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{rate_fmt}{postfix}]"


class Meter(logging.Handler):
    """Progress of a command on stderr, in the form of its log.

    ``subject`` is what the command works on, and ``out`` the file where it keeps what it finds.
    Lines of a log come from a thread of their own, so that one comes in time even where a long
    computation says nothing. What the library remarks, such as a worker's death, comes as well.
    """

    def __init__(self, subject: object = "", out: object = None) -> None:
        super().__init__()
        self._log = current()
        self._subject, self._out = str(subject), None if out is None else str(out)
        self._bar: Any = None
        self._seen: tuple[float, Step] | None = None
        self._reported = (0.0, 0)
        self._ended = threading.Event()
        self._clock = threading.Thread(target=self._tick, name="fastgc log", daemon=True)

    def __enter__(self) -> "Meter":
        logging.getLogger("fastgc").addHandler(self)
        if self._log.form == BAR:
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
        return self

    def __exit__(self, *error: object) -> None:
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
        elif is_first and self._log.form in (TEXT, JSON):
            self._begin(step)

    def say(self, text: str) -> None:
        """Print on stdout what is known already, above the bar."""
        if self._bar is not None:
            self._bar.clear()
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
        from fastgc.registry.numbers import spaced

        values: dict[str, Any] = {"exit_code": code, "file": self._out}
        took = duration(self._log.seconds)
        if self._seen is not None and (trials := self._seen[1].trials) is not None:
            values["trials"] = trials
            took = f"{spaced(trials)} trials, {took}"
        if self._log.form in (TEXT, JSON):
            words = sentence or in_log
            self._log.tell(FINISHED, f"{words} ({took})", message=words, **values | facts)
        elif sentence:
            self._log.note(f"{sentence} ({took})" if self._log.form == BAR else sentence)
        return code

    def _begin(self, now: "Step") -> None:
        """Say what runs, where and into which file; from now on lines come."""
        from fastgc.registry.numbers import counted, spaced
        from fastgc.version import __version__

        begun, params = now.begun, click.get_current_context().params
        facts = {"version": __version__, "subject": self._subject, "file": self._out, **begun}
        facts |= {"what": now.what, "total": now.total}
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
        if "cores" in begun:
            said.append(counted(begun["cores"], "cores"))
        if self._out is not None or begun:
            said.append("results are not saved" if self._out is None else f"kept in {self._out}")
        if now.before:
            said.append(f"going on from {spaced(now.before)} trials")
        if now.trials is not None:
            facts |= {"trials": now.before, "goal": now.goal}
        title = f"{begun['title']}: " if begun.get("title") else ""
        sentence = f"fastgc {self._log.command} {self._subject}: {title}{', '.join(said)}"
        self._log.tell(STARTED, sentence, **facts)
        self._reported = time.monotonic(), now.done if now.trials is None else now.trials
        self._clock.start()

    def _tick(self) -> None:
        """Tell how far it is, or in the bar what it waits for, again and again."""
        from fastgc.runs.progress import waits_for

        every = min(self._log.every, threading.TIMEOUT_MAX)
        while not self._ended.wait(every if self._bar is None else WAITING_SECONDS):
            waiting = waits_for()
            if self._bar is None:
                self._tell(waiting)
            elif waiting:
                self._bar.set_postfix_str(clean(waiting))

    def _tell(self, waiting: str) -> None:
        """Write a line of the log; how long a wait lasts is not known."""
        assert self._seen is not None
        at, now = self._seen
        then, count = self._reported
        self._reported = time.monotonic(), now.done if now.trials is None else now.trials
        more = self._reported[1] - count
        rate = more / max(self._reported[0] - then, 1e-9)
        if not more:
            now = replace(now, eta=None, waiting=waiting)
        elif now.eta is not None:
            now = replace(now, eta=max(0.0, now.eta - (self._reported[0] - at)))
        is_fast = now.trials is not None or now.what == "blocks"
        self._log.tell(
            PROGRESS, now.line(rate if is_fast else None), **now.as_dict(), rate=round(rate, 3)
        )

    def _draw(self, now: "Step") -> None:
        bar, label = self._bar, now.label()
        if not label:  # nothing is in hand yet, or any more
            return
        done, goal, before, unit = now.done, now.total, 0, now.what
        if now.goal is not None and now.trials is not None:
            done, goal, before, unit = now.trials, now.goal, now.before, "trials"
        said = []
        if now.estimate is not None and now.estimate.value is not None:
            from fastgc.statistics.numbers import number

            said.append(number(now.estimate.value, now.estimate.standard_error))
        if now.goal is None and now.trials:
            said.append(f"{now.trials / 1e6:.0f}M trials")
        if now.eta is not None:
            said.append(now.time_left())
        bar.set_description_str(clean(label), refresh=False)
        if bar.unit != f" {unit}":
            bar.bar_format, bar.unit, bar.initial = BAR_FORM, f" {unit}", before
            bar.reset(goal)
        bar.total, bar.n = goal, done
        bar.set_postfix_str(", ".join(said))


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
