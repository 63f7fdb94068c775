"""The commands ``fastgc trace record``, ``show`` and ``fit``: workers' times on a cluster."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from fastgc.cli.arguments import (
    SEED,
    as_json_option,
    column_option,
    number_or_text,
    to_file,
    trace_of,
)
from fastgc.cli.log import logged, logged_as_set
from fastgc.cli.meter import working
from fastgc.cli.terminal import DONE, echo


@click.group(short_help="Record workers' times, and fit models.")
def trace() -> None:
    """Record workers' times, inspect the recording, and fit the papers' models."""


@trace.command()
@to_file("CSV file, a new one.", required=True)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Number of processes.  [default: number of cores]",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Number of repetitions per worker.",
)
@click.option(
    "--work",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="Gradients of a piece of work.",
)
@logged
def record(out: Path, **pieces: Any) -> int:
    """Time a fixed piece of work on processes repeatedly, and store the seconds.

    All workers begin a round together, and each stays the same from the first round to the last.
    OUT gets a column for each worker and a line for each round; an interrupted recording keeps its
    complete rounds.
    """
    with working(out, out) as (meter, asked, _):
        from fastgc import traces

        found = traces.record(out, progress=meter.show, interrupted=asked.reason, **pieces)
    fastest = "" if found.seconds is None else f" ({1000 * found.seconds:.3g} ms at best)"
    many = len(found.workers)
    echo(
        f"{many} {'worker' if many == 1 else 'workers'}, {found.rounds} rounds in {found.path}; "
        f"a piece of work is {found.work} gradients{fastest}"
    )
    if found.stopped_by is not None:
        said = f"stopped early by {found.stopped_by}: {found.rounds} rounds are kept in {out}"
        return meter.finish(asked.exit_code, said, rounds=found.rounds)
    return meter.finish(DONE, in_log=f"done: {found.rounds} rounds", rounds=found.rounds)


def _of_a_trace(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command what says which recording it is of, and how to read it."""
    for option in (
        as_json_option,
        click.option(
            "--seed", type=SEED, default=1, show_default=True, help="Of permutations and samples."
        ),
        column_option,
        click.option(
            "--threshold",
            help="Late beyond this time, in the unit of FILE, or a multiple.  "
            '[default: "1.5 median"]',
        ),
        click.argument("file"),
    ):
        command = option(command)
    return command


@trace.command()
@_of_a_trace
@click.option("--unit", help="What times are in.  [default: what FILE says]")
@logged_as_set
def show(
    file: str, threshold: str | None, columns: tuple[str, ...], as_json: bool, **options: Any
) -> int:
    """Summarize recorded times: those of each worker, who is late, and correlations.

    FILE is a table, wide (a column for each worker, a line for each round) or long (a line for each
    measurement): csv, .jsonl or .parquet; or a folder in which each rank has recorded its own.
    """
    with working(file) as (meter, asked, _):
        from fastgc import report, traces

        source, limit = trace_of(file, columns), number_or_text(threshold)
        found = traces.show(source, limit, interrupted=asked.reason, **options)
    data = found.as_dict()
    echo(report.as_json(data) if as_json else report.recording(data))
    return meter.finish(DONE, in_log=f"done: {data['rounds']} rounds of {data['workers']} workers")


@trace.command()
@_of_a_trace
@click.option("--toml", is_flag=True, help="Print only the study.")
@logged_as_set
def fit(
    file: str,
    threshold: str | None,
    columns: tuple[str, ...],
    seed: int,
    as_json: bool,
    toml: bool,
) -> int:
    """Fit latency laws and models of stragglers to recorded times, by maximum likelihood.

    It says which laws fit and where independence fails, and prints a study for fastgc run.
    """
    with working(file) as (meter, asked, _):
        from fastgc import report, traces

        found = traces.fit(
            trace_of(file, columns),
            number_or_text(threshold),
            seed=seed,
            progress=meter.show,
            interrupted=asked.reason,
        )
    if as_json:
        echo(report.as_json(found.as_dict()))
    elif toml:
        echo(found.toml, nl=False)
    else:
        echo(f"{report.fit(found.as_dict())}\n\nA study of it (--toml prints it alone):\n")
        echo(found.toml, nl=False)
    return meter.finish(DONE, in_log=f"done: {len(found.latency)} laws fitted")
