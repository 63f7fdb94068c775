"""The commands ``show`` and ``plot``: what a file holds, and the picture of it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fastgc.cli import completion
from fastgc.cli.arguments import every_row, in_form, to_file
from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.terminal import DONE, echo, table_width, text_width

if TYPE_CHECKING:
    from fastgc.results.measurements import Measurement
    from fastgc.results.stored import StoredRun


@click.command(short_help="Print the rows or verdicts that a file holds.")
@click.argument("file", type=click.Path(path_type=Path))
@in_form("json", help="Rows as JSON.")
@in_form("csv", help="Rows as CSV.")
@in_form("brief", help="One line per verdict.")
@every_row
@click.option("--pivot", metavar="NUMBER", help="A table of one number, like error.mean.")
@click.option("--across", metavar="KEY", help="With --pivot: swept key, or experiment, of columns.")
@click.option("--digits", type=click.IntRange(1, 17), help="With --pivot: digits of each number.")
@in_form("markdown", help="Tables as Markdown.")
@in_form("latex", help="Tables as LaTeX: booktabs, siunitx.")
def show(
    file: Path,
    form: str | None,
    every: bool,
    pivot: str | None,
    across: str | None,
    digits: int | None,
) -> int:
    """Print what FILE holds: the rows of a run, or the verdicts of a validation."""
    for name, given in (("across", across), ("digits", digits)):
        if given is not None and pivot is None:
            raise click.BadParameter("belongs to --pivot", param_hint=f"'--{name}'")
    for name, used in (("rows", every), (str(form), form in ("json", "brief"))):
        if pivot is not None and used:
            said = f"makes one table, as text, CSV, Markdown or LaTeX; leave --{name} out"
            raise click.BadParameter(said, param_hint="'--pivot'")
    from fastgc.results import measurements, store

    found = store.existing(file)
    measured = measurements.load(found)
    if measured is not None:
        return _show_measurement(measured, form)
    stored = store.load(found)
    if pivot is None:
        echo(_text(stored, form, every))
    else:
        from fastgc import report

        echo(report.pivot(stored.rows, pivot, across, table_width(), form, digits))
    if found != file:
        echo(f"{file} is not there yet: this is {found}, its unfinished run", err=True)
    if not stored.complete and form in (None, "brief"):
        echo("this run is not complete; the same command goes on", err=True)
    if stored.origin is not None:
        echo(stored.origin, err=True)
    return DONE


def _show_measurement(found: "Measurement", form: str | None) -> int:
    """Print a measurement: its comparisons, or a row a round."""
    from fastgc import report

    if form not in (None, "json", "csv"):
        said = f"--{form} is not for measurements; leave it out, or take --json or --csv"
        raise click.BadParameter(said)
    if form is None:
        echo(report.measurement(found))
        if found.facts["ended"] in (None, "asked"):
            echo("this measurement is not complete; the same command goes on", err=True)
    else:
        echo(report.as_json(found.rounds) if form == "json" else report.as_csv(found.rounds))
    return DONE


def _text(stored: "StoredRun", form: str | None, every: bool) -> str:
    """What a file holds, as it is asked for."""
    from fastgc import report
    from fastgc.results.rows import with_all_keys
    from fastgc.results.verdicts import verdict_of

    verdicts = [verdict_of(data) for data in stored.verdicts]
    rows = list(map(with_all_keys, stored.rows))
    if form == "json":
        return report.as_json(report.verdict_rows(verdicts) if verdicts else rows)
    if form == "csv":
        return report.as_csv(rows)
    if form == "markdown" or form == "latex":
        from fastgc.report import forms

        if verdicts:
            return forms.of_verdicts(verdicts, form)
        return forms.of_rows(stored.rows, form, every=every)
    if verdicts:
        if form == "brief":
            return report.brief(verdicts, table_width())
        return report.verdicts(verdicts, text_width())
    return report.results(stored.rows, width=table_width(), every=every)


@click.command()
@click.argument("file", type=click.Path(path_type=Path), shell_complete=completion.studies)
@to_file(
    "The picture: .svg, .png or .pdf.  [default: FILE's name with .svg, in this folder]", "PICTURE"
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    help="What to draw, if FILE has numbers for it: sweep, index, iterations, clock, loads, "
    "heat-map, tail, distribution or comparison; may be repeated.  "
    "[default: what suits FILE best]",
)
@click.option(
    "--experiment", "experiments", multiple=True, help="Draw only this one; may be repeated."
)
@click.option(
    "--quantity", help="Like exact, survivors[3] or 'time quantile(0.99)'.  [default: FILE's first]"
)
@click.option("--plain", is_flag=True, help="Draw probabilities near 1 as they are, not as 1 − P.")
@logged
def plot(
    file: Path,
    out: Path | None,
    kinds: tuple[str, ...],
    experiments: tuple[str, ...],
    quantity: str | None,
    plain: bool,
) -> int:
    """Draw the picture of FILE, and describe it.

    FILE is an output of run -o. The other pictures that FILE allows are listed.
    """
    place = Path(f"{file.stem}.svg") if out is None else out
    with working(file, place) as (meter, _, _):
        from fastgc.report import pictures
        from fastgc.validation.reports import result_of

        pictures.require(place)
        found = pictures.of(result_of(file), experiment=experiments, quantity=quantity, plain=plain)
        shown = pictures.chosen(found, kinds)
        pictures.save(shown, place)
        for picture in shown:
            echo(picture.caption)
        rest = [each.kind for each in found if each not in shown]
        if rest:
            meter.note(f"other pictures, by --kind: {', '.join(dict.fromkeys(rest))}")
    return meter.finish(DONE, f"drew {place}", file=str(place))
