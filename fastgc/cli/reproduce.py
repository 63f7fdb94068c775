"""The command ``fastgc reproduce``: a paper's studies and claims, or one study, as one page."""

import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from fastgc.cli import completion
from fastgc.cli.arguments import TRIALS, joined, to_file, workers
from fastgc.cli.log import logged
from fastgc.cli.meter import Meter
from fastgc.cli.report import forms, put
from fastgc.cli.signals import listening
from fastgc.cli.terminal import BUG, DIFFERS, DONE, echo

if TYPE_CHECKING:
    from fastgc.report.forms import Form


@click.command(short_help="Measure a paper or study beside what is printed.")
@click.argument("paper", metavar="PAPER|STUDY", shell_complete=completion.papers_and_studies)
@to_file("The page: .html, .md or .tex.  [default: in brief, on standard output]", "PAGE")
@click.option(
    "--keep",
    "folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Keep measurements there.  [default: PAGE's name without its end; else nowhere]",
)
@click.option("--trials", type=TRIALS, help="Most trials of each point.")
@workers
@forms
@logged
def reproduce(
    paper: str,
    out: Path | None,
    folder: Path | None,
    trials: int | None,
    threads: int | None,
    executor: str | None,
    form: "Form | None",
) -> int:
    """Measure a paper, or a study, and show printed numbers beside the measured ones.

    PAPER is a name like agc, or all: its packaged studies are run and its claims judged. STUDY is a
    packaged study like codedreduce/simulation, or a file. What was measured is kept beside the
    page: the same command again goes on where it was stopped, and measures nothing twice.
    """
    with ExitStack() as stack:
        where = stack.enter_context(joined(executor))
        own, meter = stack.enter_context(ExitStack()), Meter()
        asked = stack.enter_context(listening())
        from fastgc.report.forms import form_of
        from fastgc.report.pages import in_brief
        from fastgc.report.text import as_text
        from fastgc.validation import reproduce as reproducing

        def begin(name: str, file: Path) -> None:
            nonlocal meter
            own.close()  # what the meter before it showed is done
            meter = own.enter_context(Meter(name, file))

        if out is not None and form is None:
            form = form_of(out)
        kept = folder or (out and out.with_suffix(""))
        place = kept or Path(stack.enter_context(TemporaryDirectory()))
        found = reproducing.reproduce(
            paper,
            place,
            trials=trials,
            threads=threads,
            executor=where,
            watching=reproducing.Watching(begin, lambda step: meter.show(step), asked.reason),
            command=shlex.join(["fastgc", *sys.argv[1:]]),
        )
        if out is None and form is None:
            echo(as_text(in_brief(found.document)))
        said = put(found.document, out, form) if out or form else ""
    facts: dict[str, Any] = {"claims": len(found.verdicts)}
    facts |= {name: str(each) for name, each in (("page", out), ("kept", kept)) if each}
    if found.disagreements:
        meter.note("\n".join(found.disagreements))
        return meter.finish(BUG, said, **facts)
    if found.stopped_by is not None:
        also = f"{said}; the same command goes on" if kept else "nothing is kept"
        early = f"stopped early by {found.stopped_by}: {also}"
        return meter.finish(asked.exit_code, early, stopped_by=found.stopped_by, **facts)
    fine = all(verdict.as_expected for verdict in found.verdicts)
    where_kept = (
        f"measurements kept in {kept}" if kept else "nothing is kept; -o or --keep keeps it"
    )
    said = "; ".join(filter(None, (said, where_kept)))
    return meter.finish(DONE if fine else DIFFERS, said, **facts)
