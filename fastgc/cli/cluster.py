"""The commands ``advise`` and ``design``: what to do about stragglers, and the best system."""

import textwrap
from typing import Any

import click

from fastgc.cli import completion
from fastgc.cli.arguments import (
    SEED,
    column_option,
    in_form,
    load_of_file,
    trace_of,
    workers,
)
from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.terminal import DIFFERS, DONE, echo

WIDTH = 80


@click.command(short_help="Say what to do about the stragglers of a recording.")
@click.argument("trace")
@column_option
@click.option(
    "--load",
    type=float,
    metavar="L",
    help="The share of the work that each worker had when recorded.  [default: 1/workers]",
)
@click.option(
    "--rate",
    type=click.FloatRange(0),
    metavar="R",
    help="What all of the work costs, in the unit of the recording, where that is known.",
)
@click.option(
    "--fit",
    multiple=True,
    metavar="FILE:LOAD",
    help="Instead of --rate: a recording of the same workers at another load.",
)
@click.option(
    "--fresh",
    is_flag=True,
    help="Every worker may draw mini-batches of its own, so that spare workers count.",
)
@click.option(
    "--unit", help="What times are in.  [default: what names of columns say, like time_ms]"
)
@click.option(
    "--groups",
    metavar="PATTERN|STAGES",
    help="Workers are stages of pipelines, called so: pp{stage}dp{rank}; or come stage by stage.",
)
@click.option(
    "--seed", type=SEED, default=1, show_default=True, help="Of the rows that are drawn again."
)
@in_form("json", help="As JSON.")
@in_form("html", help="One HTML page that stands alone.")
@logged
def advise(
    trace: str,
    columns: tuple[str, ...],
    fit: tuple[str, ...],
    form: str | None,
    **options: Any,
) -> int:
    """Say what to do about stragglers: a verdict, why, and what to do next.

    TRACE is a recording of each worker's own times, as for `fastgc trace show`. Exit code 0: it
    says what to do, perhaps depending on what load costs; 1: it cannot tell, and says why; 2: the
    recording cannot be read.
    """
    others = [load_of_file(each) for each in fit]
    if others and options["rate"] is not None:
        raise click.UsageError("give either --rate or --fit")
    with working(trace) as (meter, asked, _):
        from fastgc import report
        from fastgc.planning.advice import advise as advised

        found = advised(
            trace_of(trace, columns),
            fit=others,
            interrupted=asked.reason,
            **options,
        )
    if form == "html":
        from fastgc.report import forms, pages

        echo(forms.printed(pages.of_advice(found), "html"))
    else:
        data = found.as_dict()
        echo(report.as_json(data) if form else report.advice(data))
    return meter.finish(DONE if found.decided else DIFFERS, in_log=f"done: {found.kind}")


@click.command(short_help="Rank all systems that fit a cluster.")
@click.argument("study", shell_complete=completion.studies)
@workers
@in_form("json", help="The whole ranking as JSON.")
@in_form("markdown", help="Tables as Markdown.")
@in_form("latex", help="Tables as LaTeX: booktabs, siunitx.")
@logged
def design(study: str, threads: int | None, executor: str | None, form: str | None) -> int:
    """Rank all systems that fit a cluster by their completion time.

    STUDY is a TOML file with a table [design]; `fastgc help own-cluster` shows one. The best system
    of each scheme is printed as soon as it is known, the ranking with intervals at the end.
    """
    with working(study, executor=executor) as (meter, asked, where):
        from fastgc import planning, report
        from fastgc.results.ranking import written

        def tell(system: dict[str, Any], value: float) -> None:
            if form is None:
                meter.say(f"{system['family']}: {value:.6g} at best, by {written(system)}")

        def suppose(said: str) -> None:
            (meter.say if form is None else meter.note)(textwrap.fill(said, WIDTH))

        found = planning.design(
            study,
            threads=threads,
            executor=where,
            progress=meter.show,
            found=tell,
            assumed=suppose,
            interrupted=asked.reason,
        )
    if form == "markdown" or form == "latex":
        from fastgc.report import forms

        echo(forms.of_ranking(found, form))
    else:
        echo(report.as_json(found.data()) if form else f"\n{report.design(found)}")
    return meter.finish(DONE, in_log=f"done: {len(found)} systems ranked")
