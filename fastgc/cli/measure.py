"""The command ``fastgc measure``: run a scheme for real, and hold it against its prediction."""

from pathlib import Path
from typing import Any

import click

from fastgc.cli import completion
from fastgc.cli.arguments import SEED, in_form, to_file
from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.terminal import DIFFERS, DONE, echo


@click.command(short_help="Run a scheme for real, and compare with its prediction.")
@click.argument("study", shell_complete=completion.studies)
@to_file("Result file (HDF5).")
@click.option("--rounds", type=click.IntRange(1), help="How many.  [default: the study's, or 100]")
@click.option(
    "--inject",
    type=click.Choice(["sleep", "spin", "none"]),
    help="How workers spend times drawn from the study's law.  [default: the study's, or sleep]",
)
@click.option(
    "--recording",
    type=click.Path(path_type=Path),
    help="CSV file for the workers' own seconds, as of `fastgc trace record`.",
)
@click.option("--kill", multiple=True, metavar="W@R", help="Kill worker W in round R, from 0.")
@click.option("--pause", multiple=True, metavar="W@R:S", help="Stop a worker for S seconds.")
@click.option("--slow", multiple=True, metavar="W:F", help="Let worker W take F times as long.")
@click.option("--seed", type=SEED, help="In place of the study's seed, of injected times.")
@click.option("--exact", is_flag=True, help="End at the first round that is not decoded exactly.")
@in_form("json", help="As JSON: verdicts, and a row a round.")
@in_form("html", help="One HTML page that stands alone.")
@logged
def measure(
    study: str,
    out: Path | None,
    recording: Path | None,
    kill: tuple[str, ...],
    pause: tuple[str, ...],
    slow: tuple[str, ...],
    seed: int | None,
    exact: bool,
    form: str | None,
    **options: Any,
) -> int:
    """Run a study's system on real workers, and compare each round with its prediction.

    STUDY has completion experiments, or training experiments with a system, whose points are run
    one after the other. The table [measure] says how. Exit code 1: a comparison did not hold, or
    with --exact a round was not decoded exactly.
    """
    with working(study, out) as (meter, asked, _):
        from fastgc import report
        from fastgc.measuring import measurement, plans
        from fastgc.measuring.faults import faults
        from fastgc.registry.activity import Batch
        from fastgc.results.measurements import require_new
        from fastgc.study.measure import parse
        from fastgc.study.study import Study

        read = Study.parse(study, seed=seed)
        total = len(read.points())
        asked.ending = "with the round under way, which is left"
        asked.lost = "what was measured is lost"
        if recording is not None and recording == out:
            raise click.UsageError("-o and --recording name the same file; name two")
        recordings = [_numbered(recording, place + 1, total) for place in range(total)]
        for path in recordings:
            if path is not None:
                require_new(path)
        made = []
        for place in range(1, total + 1):
            plan = plans.of_study(parse(read, place, exact=exact or None, **options))
            found = measurement.run(
                plan,
                faults(kill, pause, slow),
                _numbered(out, place, total),
                Batch(progress=meter.show, interrupted=asked.reason),
            )
            made.append(found)
            if found.facts["ended"] == "asked":
                break
    if form == "html":
        from fastgc.report import html, pages

        echo(html.as_html(pages.of_measurements(made)))
    elif form == "json":
        data = [found.as_dict() for found in made]
        echo(report.as_json(data[0] if total == 1 else data))
    else:
        echo("\n\n".join(map(report.measurement, made)))
    for path, each in zip(recordings, made, strict=False):
        if path is not None and len(each.measured):
            each.save_recording(path)
    whole = sum(len(each.measured) for each in made)
    if found.facts["ended"] == "asked":
        kept = f" are kept in {found.path}" if found.path is not None else ""
        said = f"stopped early by {found.facts['why']}: {len(found.measured)} rounds{kept}"
        return meter.finish(asked.exit_code, said, rounds=whole)
    differs = any(
        each.facts["ended"] == "inexact"
        or any(own["verdict"] == "did not hold" for own in each.verdicts)
        for each in made
    )
    return meter.finish(DIFFERS if differs else DONE, in_log=f"done: {whole} rounds", rounds=whole)


def _numbered(path: Path | None, place: int, many: int) -> Any:
    """Return the file of one of several points."""
    if path is None or many == 1:
        return path
    return path.with_name(f"{path.stem}-{place}{path.suffix}")
