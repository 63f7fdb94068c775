"""The commands: each parses, makes one call of the library, and prints.

Everything heavy is imported inside the commands, so that ``fastgc --help`` is immediate.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fastgc.cli import completion
from fastgc.cli.arguments import (
    SEED,
    TRIALS,
    Count,
    as_json_option,
    column_option,
    every_row,
    in_form,
    number_or_text,
    point_of,
    shard_of,
    slices_option,
    to_file,
    trace_of,
    workers,
)
from fastgc.cli.cluster import advise, design
from fastgc.cli.first_steps import demo
from fastgc.cli.help import START, Sections, handbook
from fastgc.cli.log import logged
from fastgc.cli.lookups import claims as claims_command
from fastgc.cli.lookups import inspect, listed, studies, theory
from fastgc.cli.machines import audit, compile_command, merge
from fastgc.cli.measure import measure
from fastgc.cli.meter import Meter, working
from fastgc.cli.pages import errata, reproduce
from fastgc.cli.pages import report as report_command
from fastgc.cli.search import search
from fastgc.cli.show import plot, show
from fastgc.cli.terminal import BUG, DIFFERS, DONE, MISTAKE, echo, table_width, text_width
from fastgc.cli.trace import trace as traces
from fastgc.errors import FastgcError, StoppedError
from fastgc.version import __version__

if TYPE_CHECKING:
    from fastgc.registry.activity import Step
    from fastgc.results.verdicts import Verdict


@click.group(
    cls=Sections,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="fastgc")
@click.pass_context
def cli(context: click.Context) -> int:
    """Measure decoding errors of gradient codes, and check theorems against them."""
    if context.invoked_subcommand is None:
        echo(START, err=True, nl=False)
        return MISTAKE
    return DONE


for each in (
    *(
        advise,
        audit,
        claims_command,
        compile_command,
        demo,
        design,
        errata,
        handbook,
        inspect,
        merge,
    ),
    *(measure, plot, report_command, reproduce, search, show, studies, theory, traces),
):
    cli.add_command(each)


_checkpoint_seconds = click.option(
    "--checkpoint-seconds",
    type=float,
    metavar="S",
    help="With -o: seconds between checkpoints; the first is earlier.  [default: 30 or more]",
)


@cli.command(short_help="Run a study.")
@click.argument("study", shell_complete=completion.studies)
@to_file("Result file (HDF5).")
@click.option("--trials", type=TRIALS, help="Most trials of each point.")
@click.option("--seed", type=SEED, help="Replace the study's seed.")
@workers
@click.option(
    "--method",
    type=click.Choice(["auto", "exact", "monte-carlo", "both", "rare"]),
    help="Method for every experiment.",
)
@click.option(
    "--shard", metavar="i/N", help="Sample every N-th block of trials, from block i, 0 ≤ i < N."
)
@click.option("--max-seconds", type=click.FloatRange(0), help="Stop after this time; resumable.")
@_checkpoint_seconds
@click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change the study, like experiment.frc.code.d=4.",
)
@every_row
@logged
@click.option(
    "--dry-run",
    "dry",
    is_flag=True,
    help="Estimate the cost and run nothing: trials, core-hours, memory, file.",
)
@click.option("--json", "as_json", is_flag=True, help="With --dry-run: as JSON.")
def run(
    study: str,
    out: Path | None,
    executor: str | None,
    shard: str | None,
    max_seconds: float | None,
    every: bool,
    dry: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Run STUDY, a TOML file or a packaged study like agc/main.

    The same command again continues an interrupted run, and leaves a complete one as it is;
    with more trials it extends it.
    """
    options |= {"out": out, "shard": shard_of(shard)}
    if as_json and not dry:
        raise click.BadParameter("belongs to --dry-run", param_hint="'--json'")
    if dry:
        with Meter(study) as meter:
            from fastgc import report
            from fastgc.runs import dry_run

            cost = dry_run.dry_run(study, progress=meter.show, **options).as_dict()
        echo(report.as_json(cost) if as_json else report.dry_run(cost))
        return DONE
    if max_seconds is not None and max_seconds != max_seconds:
        raise click.BadParameter("must be a number of seconds", param_hint="'--max-seconds'")
    with working(study, out, executor) as (meter, asked, where):
        from fastgc import report
        from fastgc.experiments.decoding import auditing
        from fastgc.runs import run as runs

        def show(step: "Step") -> None:
            table.title = step.begun["title"]
            meter.show(step)

        with report.StreamedTable(meter.say, table_width(), every=every) as table:
            result = runs.run(
                study,
                executor=where,
                max_seconds=max_seconds,
                progress=show,
                found=table.add,
                interrupted=asked.reason,
                **options,
            )
    rule, path = result.stopped_by, result.path
    facts: dict[str, Any] = {"stopped_by": rule, "complete": result.complete}
    facts["file"] = None if path is None else str(path)
    if not result.complete:
        goes_on = f"kept in {path}; the same command goes on"
        nothing = "nothing was kept; name a file with -o to be able to go on"
        said = f"stopped early by {rule}: {nothing if path is None else goes_on}"
        return meter.finish(asked.exit_code, said, **facts)
    done = "done: no point needed samples" if rule == "enumeration" else f"done: stopped by {rule}"
    done += "" if path is None else f"; kept in {path}"
    if any(auditing.failed(row.estimate.note) for row in result.entries):
        return meter.finish(DIFFERS, f"{done}; decoding failed its audit", **facts)
    return meter.finish(DONE, done, **facts)


@cli.command(short_help="Test the claims of theorems.")
@click.argument("claims", nargs=-1, shell_complete=completion.claims)
@click.option("--paper", help="All claims of one paper.", shell_complete=completion.papers)
@click.option("--list", "only_listed", is_flag=True, help="Only list the claims, one per line.")
@click.option("--trace", metavar="FILE", help="Test agc's straggler model on recorded times.")
@click.option("--threshold", help='With --trace: late beyond this time; by default "1.5 median".')
@column_option
@slices_option
@to_file("HDF5 file of measurements.")
@click.option("--trials", type=TRIALS, help="Most trials of each experiment.")
@click.option("--seed", type=SEED, default=1, show_default=True)
@workers
@click.option(
    "--method",
    type=click.Choice(["both", "exact", "monte-carlo"]),
    default="both",
    show_default=True,
    help="Exact values checked by samples (both), exact values alone, or samples alone.",
)
@_checkpoint_seconds
@in_form("json", help="Verdicts as JSON, with every case.")
@in_form("brief", help="One line per verdict.")
@click.option("--why", is_flag=True, help="Below each verdict, the checks that it passed or lacks.")
@click.option("--strict", is_flag=True, help="Exit with 1 also if a claim is undecided.")
@in_form("latex", help="A table with every case as LaTeX: booktabs, siunitx.")
@in_form("markdown", help="A table with every case as Markdown.")
@logged
def validate(
    claims: tuple[str, ...],
    paper: str | None,
    only_listed: bool,
    trace: str | None,
    threshold: str | None,
    columns: tuple[str, ...],
    slices: str | None,
    out: Path | None,
    trials: int | None,
    executor: str | None,
    form: str | None,
    why: bool,
    strict: bool,
    **measuring: Any,
) -> int:
    """Test CLAIMS against measurements: ids or beginnings of ids; by default all of them.

    CLAIMS may also be TOML files with [[claim]] tables. Each verdict is printed when it is reached;
    undecided claims, with the reasons, come last.
    """
    if only_listed:
        return listed(claims, paper, form)
    beside = {"paper": paper, "trials": trials, "out": out}
    for key, value in beside.items() if trace is not None else ():
        if value is not None:
            raise FastgcError(f"{key}: must be left out with a trace (got {value})")
    if trace is None and threshold is not None:
        raise FastgcError("threshold: belongs to a trace; give trace too, or leave it out")
    subject = " ".join(claims) or trace or (f"paper {paper}" if paper else "all claims")
    with working(subject, out, executor) as (meter, asked, where):
        from fastgc import report
        from fastgc.registry.activity import Batch
        from fastgc.results.verdicts import UNDECIDED, Verdicts
        from fastgc.traces import claims as on_trace
        from fastgc.validation.measuring import DEFAULT_TRIALS
        from fastgc.validation.multiple_testing import disagreements
        from fastgc.validation.validate import validate as measure

        so_far: list[Verdict] = []

        def fallen(verdict: "Verdict") -> None:
            so_far.append(verdict)
            if form is None:
                meter.say(report.verdict(verdict, text_width()))
                if why:
                    meter.say(report.checks(verdict, text_width()))

        try:
            if trace is not None:
                found = Verdicts(
                    on_trace.validate(
                        trace_of(trace, columns, slices) or trace,
                        number_or_text(threshold),
                        claims=claims,
                        seed=measuring["seed"],
                        interrupted=asked.reason,
                    )
                )
                for verdict in found:
                    fallen(verdict)
            else:
                batch = Batch(
                    executor=where,
                    checkpoint_seconds=measuring.pop("checkpoint_seconds"),
                    progress=meter.show,
                    found=fallen,
                    interrupted=asked.reason,
                )
                found = measure(
                    claims,
                    paper=paper,
                    out=out,
                    trials=trials or DEFAULT_TRIALS,
                    batch=batch,
                    **measuring,
                )
        except StoppedError:
            if form == "brief" and so_far:
                meter.say(report.brief(so_far, table_width()))
            raise
    if form == "json":
        echo(report.as_json(report.verdict_rows(found)))
    elif form == "brief":
        echo(report.brief(found, table_width()))
    elif form == "latex" or form == "markdown":
        from fastgc.report import forms

        echo(forms.of_verdicts(found, form))
    else:
        echo("\n" + report.summary(found, text_width()))
    if bugs := disagreements(found):
        meter.note(report.disagreements(bugs))
        return meter.finish(BUG)
    is_open = strict and any(verdict.verdict == UNDECIDED for verdict in found)
    code = DIFFERS if is_open or not all(verdict.as_expected for verdict in found) else DONE
    return meter.finish_judging(code, len(found))


@cli.command(short_help="Print versions and paths, for bug reports.")
@as_json_option
def info(as_json: bool) -> int:
    """Print versions, places and what fastgc knows: for bug reports."""
    from fastgc import report
    from fastgc.report.listings import installation

    found = installation()
    if as_json:
        echo(report.as_json(found))
    else:
        width = max(len(key) for key in found)
        for key, value in found.items():
            text = ", ".join(value) if isinstance(value, list) else value
            echo(f"{key:{width}}  {text}")
    return DONE


@cli.command(short_help="Draw one trial of a study again, and show it.")
@click.argument("study", shell_complete=completion.studies)
@click.option("--trial", type=Count(0), required=True, help="Number of the trial, from 0.")
@click.option("--experiment", help="Its name, where the study has several.")
@click.option("--point", "points", multiple=True, metavar="KEY=VALUE", help="A swept key's value.")
@click.option("--seed", type=SEED, help="Replace the study's seed.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="As for run.")
@as_json_option
def replay(study: str, points: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Draw one trial of STUDY again, and print what happened in it."""
    from fastgc import report
    from fastgc.runs import replay as replays

    found = replays.replay(study, point=dict(map(point_of, points)), **options)
    echo(report.as_json(found) if as_json else report.trial(found))
    return DONE


@cli.command(short_help="Print the JSON Schema of a study.")
def schema() -> int:
    """Print the JSON Schema of a study."""
    from fastgc import report
    from fastgc.study.schema import schema as made

    echo(report.as_json(made()))
    return DONE
