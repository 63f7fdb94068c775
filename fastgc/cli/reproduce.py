"""The command ``fastgc reproduce``: a paper's studies and claims, measured, as one page."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fastgc.cli import completion
from fastgc.cli.arguments import TRIALS, joined, workers
from fastgc.cli.log import logged
from fastgc.cli.meter import Meter
from fastgc.cli.report import forms, put
from fastgc.cli.signals import listening
from fastgc.cli.terminal import BUG, DIFFERS, DONE

if TYPE_CHECKING:
    from fastgc.report.forms import Form


class _Meters:
    """A meter for each part, one after the other."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._own = stack.enter_context(ExitStack())
        self.meter = Meter()

    def begin(self, name: str, file: Path) -> None:
        """Begin with a part: what the meter before it showed is done."""
        self._own.close()
        self._own = self._stack.enter_context(ExitStack())
        self.meter = self._own.enter_context(Meter(name, file))

    def show(self, progress: Any) -> None:
        """Show how far a run is."""
        self.meter.show(progress)

    def step(self, step: Any) -> None:
        """Show how far a validation is."""
        self.meter.step(step)


@click.command(short_help="Measure a whole paper, and write a page on it.")
@click.argument("paper", shell_complete=completion.papers)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="PAGE",
    help="The page: .html, .md or .tex.",
)
@click.option(
    "--keep",
    "folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Keep measurements there.  [default: PAGE's name without its end]",
)
@click.option("--trials", type=TRIALS, help="Most trials of each point.")
@workers
@forms
@logged
def reproduce(
    paper: str,
    out: Path,
    folder: Path | None,
    trials: int | None,
    threads: int | None,
    executor: str | None,
    form: Form | None,
) -> int:
    """Run the packaged studies of PAPER, judge its claims, and write a page on both.

    PAPER is a name like agc, or all. What was measured is kept: the same command again goes on
    where it was stopped, and measures nothing twice.
    """
    with ExitStack() as stack:
        where = stack.enter_context(joined(executor))
        meters = _Meters(stack)
        asked = stack.enter_context(listening())
        from fastgc.report.forms import form_of
        from fastgc.validation import reproduce as reproducing

        if form is None:
            form = form_of(out)
        kept = folder or out.with_suffix("")
        found = reproducing.reproduce(
            paper,
            kept,
            trials=trials,
            threads=threads,
            executor=where,
            watching=reproducing.Watching(meters.begin, meters.show, meters.step, asked.reason),
            command=shlex.join(["fastgc", *sys.argv[1:]]),
        )
        said = put(found.document, out, form)
    meter = meters.meter
    facts: dict[str, Any] = {"page": str(out), "kept": str(kept), "claims": len(found.verdicts)}
    if found.disagreements:
        meter.note("\n".join(found.disagreements))
        return meter.finish(BUG, said, **facts)
    if found.stopped_by is not None:
        early = f"stopped early by {found.stopped_by}: {said}; the same command goes on"
        return meter.finish(asked.exit_code, early, stopped_by=found.stopped_by, **facts)
    fine = all(verdict.as_expected for verdict in found.verdicts)
    return meter.finish(DONE if fine else DIFFERS, f"{said}; measurements kept in {kept}", **facts)
