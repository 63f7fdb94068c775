"""The commands of a cluster: ``trace`` and ``measure``, ``advise`` and ``design``."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from fastgc.cli import arguments, completion
from fastgc.cli.arguments import SEED, as_json_option, count, in_form, of_recording, to_file
from fastgc.cli.log import logged, working
from fastgc.cli.terminal import DIFFERS, DONE, echo, emit


@click.group(short_help="Record workers' times, and fit models.")
def trace() -> None:
    """Record workers' times, inspect the recording, and fit the papers' models."""


@trace.command()
@to_file("CSV file, a new one.", required=True)
@count("--workers", "Number of processes.  [default: number of cores]")
@count("--rounds", "Number of repetitions per worker.", 100)
@count("--work", "Gradients of a piece of work.", 500)
@logged
def record(out: Path, **pieces: Any) -> int:
    """Time a fixed piece of work on processes repeatedly, and store the seconds.

    All workers begin a round together, and each stays the same from the first round to the last.
    OUT gets a column for each worker and a line for each round; an interrupted recording keeps its
    complete rounds.
    """
    with working(out, out) as (meter, asked, _):
        from fastgc.registry.number_types import counted
        from fastgc.traces import record_processes

        found = record_processes(out, progress=meter.show, interrupted=asked.reason, **pieces)
    fastest = "" if found.seconds is None else f" ({1000 * found.seconds:.3g} ms at best)"
    size = f"{counted(len(found.workers), 'workers')}, {found.rounds} rounds in {found.path}"
    echo(f"{size}; a piece of work is {found.work} gradients{fastest}")
    code, said = DONE, ""
    if found.stopped_by is not None:
        code = asked.exit_code
        said = f"stopped early by {found.stopped_by}: {found.rounds} rounds are kept in {out}"
    return meter.finish(code, said, f"done: {found.rounds} rounds", rounds=found.rounds)


def _trace_options(command: Callable[..., Any]) -> Callable[..., Any]:
    late = 'Late beyond this time, in the unit of FILE, or a multiple.  [default: "1.5 median"]'
    drawn = "Of permutations and samples."
    for option in (
        as_json_option,
        click.option("--seed", type=SEED, default=1, show_default=True, help=drawn),
        of_recording,
        click.option("--threshold", help=late),
        click.argument("file"),
    ):
        command = option(command)
    return command


@trace.command()
@_trace_options
@click.option("--unit", help="What times are in.  [default: what FILE says]")
def show(as_json: bool, **options: Any) -> int:
    """Summarize recorded times: those of each worker, who is late, and correlations.

    FILE is a table, wide (a column for each worker, a line for each round) or long (a line for each
    measurement): csv, .jsonl or .parquet; or a folder in which each rank has recorded its own.
    """
    with working(options["file"]) as (meter, asked, _):
        from fastgc import report, traces

        source, limit = _recording(options)
        data = traces.show(source, limit, interrupted=asked.reason, **options).as_dict()
    echo(report.as_json(data) if as_json else report.recording(data))
    return meter.finish(DONE, in_log=f"done: {data['rounds']} rounds of {data['workers']} workers")


def _recording(options: dict[str, Any]) -> tuple[Any, float | str | None]:
    # the file with its columns, and the threshold, a number or a text, of the options left
    source = arguments.read_trace(*map(options.pop, ("file", "columns", "workers")))
    limit = options.pop("threshold")
    with contextlib.suppress(ValueError, TypeError):
        limit = float(limit)
    return source, limit


@trace.command()
@_trace_options
@click.option("--toml", is_flag=True, help="Print only the study.")
def fit(as_json: bool, toml: bool, **options: Any) -> int:
    """Fit latency laws and models of stragglers to recorded times, by maximum likelihood.

    It says which laws fit and where independence fails, and prints a study for fastgc run.
    """
    with working(options["file"]) as (meter, asked, _):
        from fastgc import report, traces

        source, limit = _recording(options)
        found = traces.fit(source, limit, progress=meter.show, interrupted=asked.reason, **options)
    if as_json:
        echo(report.as_json(found.as_dict()))
    else:
        if not toml:
            echo(f"{report.fit(found.as_dict())}\n\nA study of it (--toml prints it alone):\n")
        echo(found.toml, nl=False)
    return meter.finish(DONE, in_log=f"done: {len(found.latency)} laws fitted")


_SPENT = "How workers spend times drawn from the study's law.  [default: the study's, or sleep]"


@click.command(short_help="Run a scheme for real, and compare with its prediction.")
@click.argument("study", shell_complete=completion.studies)
@to_file("Result file (HDF5).")
@count("--rounds", "How many.  [default: the study's, or 100]")
@click.option("--inject", type=click.Choice(["sleep", "spin", "none"]), help=_SPENT)
@click.option("--recording", type=click.Path(path_type=Path), help="CSV of workers' own seconds.")
@click.option("--kill", multiple=True, metavar="W@R", help="Kill worker W in round R, from 0.")
@click.option("--pause", multiple=True, metavar="W@R:S", help="Stop a worker for S seconds.")
@click.option("--slow", multiple=True, metavar="W:F", help="Let worker W take F times as long.")
@click.option("--seed", type=SEED, help="In place of the study's seed, of injected times.")
@click.option("--exact", is_flag=True, help="End at the first round that is not decoded exactly.")
@in_form("json", help="As JSON: verdicts, and a row a round.")
@in_form("html")
@logged
def measure(
    study: str, out: Path | None, recording: Path | None, form: str | None, **options: Any
) -> int:
    """Run a study's system on real workers, and compare each round with its prediction.

    STUDY has completion experiments, or training experiments with a system, whose points are run
    one after the other. The table [measure] says how. Exit code 1: a comparison did not hold, or
    with --exact a round was not decoded exactly.
    """
    with working(study, out) as (meter, asked, batch):
        from fastgc import report
        from fastgc.measuring import measurement, plans
        from fastgc.measuring.faults import faults
        from fastgc.report import pages
        from fastgc.results.measurements import require_new
        from fastgc.study.measure import parse
        from fastgc.study.study import Study

        read = Study.parse(study, seed=options.pop("seed"))
        exact = options.pop("exact") or None
        broken = [options.pop(key) for key in ("kill", "pause", "slow")]
        total = len(read.points())
        asked.ending = "with the round under way, which is left"
        asked.lost = "what was measured is lost"
        if recording is not None and recording == out:
            raise click.UsageError("-o and --recording name the same file; name two")
        recordings = [_numbered(recording, place, total) for place in range(1, total + 1)]
        for path in filter(None, recordings):
            require_new(path)
        made = []
        for place in range(1, total + 1):
            plan = plans.from_study(parse(read, place, exact=exact, **options))
            own = _numbered(out, place, total)
            found = measurement.run(plan, faults(*broken), own, batch())
            made.append(found)
            if found.facts["ended"] == "asked":
                break
    emit(
        form,
        html=lambda: pages.of_measurements(made),
        json=lambda: made[0].as_dict() if total == 1 else [each.as_dict() for each in made],
        text=lambda: "\n\n".join(map(report.measurement, made)),
    )
    for path, each in zip(recordings, made, strict=False):
        if path is not None and len(each.measured):
            each.save_recording(path)
    whole = sum(len(each.measured) for each in made)
    if found.facts["ended"] == "asked":
        kept = f" are kept in {found.path}" if found.path is not None else ""
        said = f"stopped early by {found.facts['why']}: {len(found.measured)} rounds{kept}"
        return meter.finish(asked.exit_code, said, rounds=whole)
    verdicts = [own["verdict"] for each in made for own in each.verdicts]
    ended = [each.facts["ended"] for each in made]
    code = DIFFERS if "inexact" in ended or "did not hold" in verdicts else DONE
    return meter.finish(code, in_log=f"done: {whole} rounds", rounds=whole)


def _numbered(path: Path | None, place: int, many: int) -> Any:
    if path is None or many == 1:
        return path
    return path.with_name(f"{path.stem}-{place}{path.suffix}")


@click.command(short_help="Say what to do about the stragglers of a recording.")
@click.argument("trace", metavar="RECORDING|FOLDER")
@of_recording
@click.option("--load", type=float, metavar="L", help="A worker's share of work.  [default: 1/n]")
@click.option("--rate", type=click.FloatRange(0), metavar="R", help="What all of the work costs.")
@click.option("--fit", multiple=True, metavar="FILE:LOAD", help="Or a recording at another load.")
@click.option(
    "--fresh", is_flag=True, help="Each may draw its own mini-batches: spare workers count."
)
@click.option("--unit", help="What times are in.  [default: what columns say, like time_ms]")
@in_form("json")
@in_form("html")
@logged
def advise(trace: str, fit: tuple[str, ...], form: str | None, **options: Any) -> int:
    """Say what to do about stragglers: a verdict, why, and what to do next.

    A recording holds each worker's own times, as for `fastgc trace show`: a table, or a folder with
    a file for each rank. Of a folder of recordings each gets a line. Exit code 0: it says what to
    do, perhaps depending on what load costs; 1: it cannot tell, and says why; 2: a recording cannot
    be read.
    """
    others = [arguments.read_load(each) for each in fit]
    kept = [options.pop(key) for key in ("columns", "workers")]
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
        from fastgc.report import pages
        from fastgc.results.remedies import Ranking

        found = []
        for path in paths:
            source = arguments.read_trace(path, *kept)
            try:
                found.append(advised(source, fit=others, interrupted=asked.reason, **options))
            except FastgcError as problem:
                if isinstance(problem, StoppedError) or len(paths) == 1:
                    raise
                meter.note(f"left out: {problem}")
                said, name = f"Left out: {problem}.", Path(path).name
                found.append(Ranking((), "refused", said, None, trace=name))
        if not any(each.workers for each in found):
            raise click.UsageError(f"{trace}: has no recording that can be read")
    emit(
        form,
        html=lambda: pages.recordings_page(found) if folder else pages.of_ranking(found[0]),
        json=lambda: [each.as_dict() for each in found] if folder else found[0].as_dict(),
        text=lambda: report.folder(found) if folder else report.remedies(found[0]),
    )
    decided = any(each.decided for each in found)
    kinds = ", ".join(each.kind for each in found)
    return meter.finish(DONE if decided else DIFFERS, in_log=f"done: {kinds}")


@click.command(short_help="Rank all systems that fit a cluster.")
@click.argument("study", shell_complete=completion.studies)
@count("--threads", "Threads; no number depends on it.")
@in_form("json", help="The whole ranking as JSON.")
@in_form("latex", help="Tables as LaTeX: booktabs, siunitx.")
@in_form("html")
@logged
def design(study: str, threads: int | None, form: str | None) -> int:
    """Rank all systems that fit a cluster by their completion time.

    STUDY is a TOML file with a table [design]; `fastgc help own-cluster` shows one.
    """
    with working(study) as (meter, asked, _):
        from fastgc import planning, report
        from fastgc.report import pages, ranking
        from fastgc.study.source import Source

        found = planning.design(
            study, threads=threads, progress=meter.show, interrupted=asked.reason
        )

    def page() -> Any:
        source = Source.of(study)
        return pages.of_ranking(found, source.text or "", str(source.data.get("title", "")))

    emit(
        form,
        html=page,
        latex=lambda: ranking.tables(found),
        json=found.as_dict,
        text=lambda: report.remedies(found),
    )
    return meter.finish(DONE, in_log=f"done: {len(found)} systems ranked")
