"""The commands ``show`` and ``plot``: what a file holds, and the picture of it."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fastgc.cli import completion
from fastgc.cli.arguments import every_row, in_form, to_file
from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.pages import put
from fastgc.cli.terminal import DONE, echo, table_width, text_width

if TYPE_CHECKING:
    from fastgc.results.measurements import Measurement
    from fastgc.results.stored import StoredRun


@click.command(short_help="Print the rows or verdicts that a file holds.")
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path)
)
@in_form("json", help="Rows as JSON.")
@in_form("csv", help="Rows as CSV.")
@in_form("latex", help="Tables as LaTeX: booktabs, siunitx.")
@in_form("html", help="One page of all files: question, answer, pictures, tables, commands.")
@to_file("With --html: the page, .html.  [default: standard output]", "PAGE")
@every_row
@click.option("--pivot", metavar="NUMBER", help="A table of one number, like error.mean.")
@logged
def show(
    files: tuple[Path, ...], form: str | None, out: Path | None, every: bool, pivot: str | None
) -> int:
    """Print what FILE holds: the rows of a run, or the verdicts of a validation.

    FILE is an output of run, validate or measure -o. With --html it may be a study with a table
    [design], too, whose systems are then ranked, and there may be several.
    """
    for name, used in (("rows", every), (str(form), form in ("json", "html"))):
        if pivot is not None and used:
            said = f"makes one table, as text, CSV or LaTeX; leave --{name} out"
            raise click.BadParameter(said, param_hint="'--pivot'")
    if form == "html":
        return _page(files, out)
    if out is not None:
        raise click.BadParameter("belongs to --html", param_hint="'--out'")
    if len(files) > 1:
        raise click.UsageError("give one FILE; only --html makes a page of several")
    from fastgc.results import measurements, store

    found = store.existing(files[0])
    measured = measurements.load(found)
    if measured is not None:
        return _show_measurement(measured, form)
    stored = store.load(found)
    echo(_text(stored, form, every, pivot))
    if found != files[0]:
        echo(f"{files[0]} is not there yet: this is {found}, its unfinished run", err=True)
    if not stored.complete and form is None:
        echo("this run is not complete; the same command goes on", err=True)
    if stored.origin is not None:
        echo(stored.origin, err=True)
    return DONE


def _page(files: tuple[Path, ...], out: Path | None) -> int:
    """Write the page on files."""
    with working(", ".join(map(str, files)), out) as (meter, asked, _):
        from fastgc.report.pages import require_html
        from fastgc.validation.reports import page

        require_html(out)
        said = put(page(files, progress=meter.show, interrupted=asked.reason), out)
    return meter.finish(DONE, said)


def _show_measurement(found: "Measurement", form: str | None) -> int:
    """Print a measurement: its comparisons, or a row a round."""
    from fastgc import report

    if form == "latex":
        raise click.BadParameter("--latex is not for measurements; take --json, --csv or --html")
    if form is None:
        echo(report.measurement(found))
        if found.facts["ended"] in (None, "asked"):
            echo("this measurement is not complete; the same command goes on", err=True)
    else:
        echo(report.as_json(found.rounds) if form == "json" else report.as_csv(found.rounds))
    return DONE


def _text(stored: "StoredRun", form: str | None, every: bool, pivot: str | None) -> str:
    """What a file holds, as it is asked for."""
    from fastgc import report
    from fastgc.report import latex, tables
    from fastgc.results.rows import with_all_keys
    from fastgc.results.verdicts import verdict_of

    if pivot is not None:
        made = report.pivot(stored.rows, pivot)
        if form == "csv":
            return made.csv()
        return latex.tables([made]) if form == "latex" else tables.as_lines(made, table_width())
    verdicts = [verdict_of(data) for data in stored.verdicts]
    rows = list(map(with_all_keys, stored.rows))
    if form == "json":
        return report.as_json(report.verdict_rows(verdicts) if verdicts else rows)
    if form == "csv":
        return report.as_csv(rows)
    if form == "latex":
        cases = [report.case_table(verdicts)] if verdicts else tables.of_rows(rows, every=every)
        return latex.tables(cases)
    if verdicts:
        return report.verdicts(verdicts, text_width())
    return report.results(rows, width=table_width(), every=every)


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
    "heat-map, tail or comparison; may be repeated.  "
    "[default: what suits FILE best]",
)
@click.option(
    "--experiment", "experiments", multiple=True, help="Draw only this one; may be repeated."
)
@click.option(
    "--quantity", help="Like exact, survivors[3] or 'time quantile(0.99)'.  [default: FILE's first]"
)
@logged
def plot(
    file: Path,
    out: Path | None,
    kinds: tuple[str, ...],
    experiments: tuple[str, ...],
    quantity: str | None,
) -> int:
    """Draw the picture of FILE, and describe it.

    FILE is an output of run -o. The other pictures that FILE allows are listed.
    """
    place = Path(f"{file.stem}.svg") if out is None else out
    with working(file, place) as (meter, _, _):
        from fastgc.report import pictures
        from fastgc.validation.reports import result_of

        pictures.require(place)
        found = pictures.of(result_of(file), experiment=experiments, quantity=quantity)
        shown = pictures.chosen(found, kinds)
        pictures.save(shown, place)
        for picture in shown:
            echo(picture.caption)
        rest = [each.kind for each in found if each not in shown]
        if rest:
            meter.note(f"other pictures, by --kind: {', '.join(dict.fromkeys(rest))}")
    return meter.finish(DONE, f"drew {place}", file=str(place))
