"""The commands ``advise`` and ``design``: what to do about stragglers, and the best system."""

from pathlib import Path
from typing import Any

import click

from fastgc.cli import completion
from fastgc.cli.arguments import column_option, in_form, load_of_file, trace_of
from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.terminal import DIFFERS, DONE, echo


@click.command(short_help="Say what to do about the stragglers of a recording.")
@click.argument("trace", metavar="RECORDING|FOLDER")
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
@in_form("json", help="As JSON.")
@in_form("html", help="One HTML page that stands alone.")
@logged
def advise(
    trace: str, columns: tuple[str, ...], fit: tuple[str, ...], form: str | None, **options: Any
) -> int:
    """Say what to do about stragglers: a verdict, why, and what to do next.

    A recording holds each worker's own times, as for `fastgc trace show`: a table, or a folder with
    a file for each rank. Of a folder of recordings each gets a line. Exit code 0: it says what to
    do, perhaps depending on what load costs; 1: it cannot tell, and says why; 2: a recording cannot
    be read.
    """
    others = [load_of_file(each) for each in fit]
    if others and options["rate"] is not None:
        raise click.UsageError("give either --rate or --fit")
    from fastgc.latency.trace_tables import ranks_in

    folder = Path(trace).is_dir() and not ranks_in(Path(trace))
    paths = sorted(map(str, Path(trace).glob("*.csv"))) if folder else [trace]
    if not paths:
        raise click.UsageError(f"{trace}: has no recording (*.csv)")
    with working(trace) as (meter, asked, _):
        from fastgc import report
        from fastgc.errors import FastgcError, StoppedError
        from fastgc.planning.advice import advise as advised

        found = []
        for path in paths:
            source = trace_of(path, columns)
            try:
                found.append(advised(source, fit=others, interrupted=asked.reason, **options))
            except FastgcError as problem:
                if isinstance(problem, StoppedError) or len(paths) == 1:
                    raise
                meter.note(f"left out: {problem}")
        if not found:
            raise click.UsageError(f"{trace}: has no recording that can be read")
    if form == "html":
        from fastgc.report import html, pages

        page = pages.of_recordings(found) if folder else pages.of_ranking(found[0])
        echo(html.as_html(page))
    elif form == "json":
        data = [each.as_dict() for each in found]
        echo(report.as_json(data if folder else data[0]))
    else:
        echo(report.folder(found) if folder else report.remedies(found[0]))
    decided = any(each.decided for each in found)
    kinds = ", ".join(each.kind for each in found)
    return meter.finish(DONE if decided else DIFFERS, in_log=f"done: {kinds}")


@click.command(short_help="Rank all systems that fit a cluster.")
@click.argument("study", shell_complete=completion.studies)
@click.option("--threads", type=click.IntRange(1), help="Threads; no number depends on it.")
@in_form("json", help="The whole ranking as JSON.")
@in_form("latex", help="Tables as LaTeX: booktabs, siunitx.")
@in_form("html", help="One HTML page that stands alone.")
@logged
def design(study: str, threads: int | None, form: str | None) -> int:
    """Rank all systems that fit a cluster by their completion time.

    STUDY is a TOML file with a table [design]; `fastgc help own-cluster` shows one.
    """
    with working(study) as (meter, asked, _):
        from fastgc import planning, report
        from fastgc.report import html, latex, pages, ranking

        found = planning.design(
            study, threads=threads, progress=meter.show, interrupted=asked.reason
        )
    if form == "html":
        from fastgc.study.source import Source

        source = Source.of(study)
        title = str(source.data.get("title", ""))
        echo(html.as_html(pages.of_ranking(found, source.text or "", title)))
    elif form == "latex":
        echo(latex.tables(ranking.tables(found)))
    else:
        echo(report.as_json(found.as_dict()) if form else report.remedies(found))
    return meter.finish(DONE, in_log=f"done: {len(found)} systems ranked")
