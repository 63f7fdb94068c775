"""The commands ``show`` and ``plot``: what a file holds, whether it is right, and its picture."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fastgc.cli import arguments, completion
from fastgc.cli.arguments import Integer, in_form
from fastgc.cli.log import working
from fastgc.cli.terminal import DIFFERS, DONE, echo, emit, table_width, text_width

if TYPE_CHECKING:
    from fastgc.report.document import Document


KIND = "Which pictures, of those that are listed; may be repeated.  [default: what suits best]"
QUANTITY = "Like exact, survivors[3] or 'time quantile(0.99)'.  [default: FILE's first]"
AUDIT = "Sample one block in N again, and compare; 1: all, and their sums.  [default: 1000]"
REPLAY = "Draw a trial of FILE or study again."
#: What else may be given with what a file is asked for.
GO_WITH = {
    "audit": ("seed", "json"),
    "replay": ("seed", "json", "experiment", "point"),
    "pivot": ("csv", "latex"),
    "html": ("out",),
    "": ("rows", "json", "csv", "latex"),
}


@click.command(short_help="Print what a file holds, check it, or repeat one of its trials.")
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", shell_complete=completion.studies
)
@in_form("json")
@in_form("csv")
@in_form("latex")
@in_form("html", help="One page of all files: question, answer, pictures, tables, commands.")
@arguments.to_file("With --html: the page.  [default: standard output]", "PAGE")
@arguments.every_row
@click.option("--pivot", metavar="NUMBER", help="A table of one number, like error.mean.")
@click.option(
    "--audit", type=Integer(1), is_flag=False, flag_value="1000", metavar="[N]", help=AUDIT
)
@click.option("--replay", type=Integer(0), metavar="TRIAL", help=REPLAY)
@click.option("--experiment", metavar="NAME", help="With --replay: whose trial, of several.")
@click.option("--point", multiple=True, metavar="KEY=VALUE", help="With --replay: which.")
@arguments.seed
def show(files: tuple[str, ...], form: str | None, **options: Any) -> int:
    """Print what FILE holds: the rows of a run, or the verdicts of a validation.

    FILE is an output of run, validate or measure -o. With --html it may be a study with a table
    [design], too, whose systems are then ranked, and there may be several. With --audit the exit
    code is 1 if anything differs, or if FILE has blocks and none of them could be sampled again.
    """
    given = {name: x for name, x in options.items() if x not in (None, ()) and x is not False}
    given |= {} if form is None else {form: True}
    asked = next((name for name in GO_WITH if name in given), "")
    for name in given:
        if name not in (asked, *GO_WITH[asked]):
            of = " or ".join(f"--{each}" for each, own in GO_WITH.items() if name in own)
            said = f"does not go with --{asked}" if asked else f"belongs to {of}"
            raise click.BadParameter(said, param_hint=f"'--{name}'")
    if asked == "html":
        with working(", ".join(files), out := options["out"]) as (meter, stop, _):
            from fastgc.report.pages import require_html
            from fastgc.validation.reports import page

            require_html(out)
            made = page(list(map(Path, files)), progress=meter.show, interrupted=stop.reason)
            said = put(made, out)
        return meter.finish(DONE, said)
    if len(files) > 1:
        raise click.UsageError("give one FILE; only --html makes a page of several")
    [file] = files
    if asked == "audit":
        return _audit(file, options["audit"], options["seed"], form)
    if asked == "replay":
        from fastgc import report
        from fastgc.runs import run

        point = dict(map(arguments.read_point, options["point"]))
        own = {key: options[key] for key in ("experiment", "seed")}
        trial = run.replay(file, trial=options["replay"], point=point, **own)
        echo(report.as_json(trial) if form else report.trial(trial))
        return DONE
    return _show(Path(file), form, options["rows"], options["pivot"])


def _audit(file: str, one_in: int, seed: int | None, form: str | None) -> int:
    with working(file) as (meter, asked, batch):
        from fastgc import report
        from fastgc.registry.number_types import counted
        from fastgc.runs.audits import audit

        found = audit(file, share=1 / one_in, seed=seed, batch=batch())
    data = found.as_dict()
    echo(report.as_json(data) if form else report.audit(data))
    code, said = DONE if found.passed else DIFFERS, ""
    if found.stopped_by is not None and not found.differences:
        code, said = asked.exit_code, f"stopped early by {found.stopped_by}"
    facts = {"passed": found.passed, "stopped_by": found.stopped_by}
    in_log = f"done: {counted(found.checked, 'blocks')} sampled again"
    return meter.finish(code, said, in_log, blocks=found.checked, **facts)


def _show(file: Path, form: str | None, every: bool, pivot: str | None) -> int:
    from fastgc import report
    from fastgc.report import tables
    from fastgc.report.text import as_lines
    from fastgc.results import measurements, store
    from fastgc.results.rows import with_all_keys
    from fastgc.results.verdict_data import verdict_of

    found = store.existing(file)
    if (measured := measurements.load(found)) is not None:
        if form == "latex":
            said = "--latex is not for measurements; take --json, --csv or --html"
            raise click.BadParameter(said)
        emit(
            form,
            json=lambda: measured.rounds,
            csv=lambda: report.as_csv(measured.rounds),
            text=lambda: report.measurement(measured),
        )
        if form is None and measured.facts["ended"] in (None, "asked"):
            echo("this measurement is not complete; the same command goes on", err=True)
        return DONE
    stored = store.load(found)
    verdicts = [verdict_of(data) for data in stored.verdicts]
    rows = list(map(with_all_keys, stored.rows))
    if pivot is not None:
        made = report.pivot(stored.rows, pivot)
        emit(form, latex=lambda: [made], csv=made.csv, text=lambda: as_lines([made], table_width()))
    elif verdicts:
        emit(
            form,
            json=lambda: report.verdict_rows(verdicts),
            csv=lambda: report.as_csv(rows),
            latex=lambda: [report.case_table(verdicts)],
            text=lambda: report.verdicts(verdicts, text_width()),
        )
    else:
        emit(
            form,
            json=lambda: rows,
            csv=lambda: report.as_csv(rows),
            latex=lambda: tables.row_tables(rows, every=every),
            text=lambda: report.results(rows, width=table_width(), every=every),
        )
    if found != file:
        echo(f"{file} is not there yet: this is {found}, its unfinished run", err=True)
    if not stored.complete and form is None:
        echo("this run is not complete; the same command goes on", err=True)
    if stored.origin is not None:
        echo(stored.origin, err=True)
    return DONE


def put(document: "Document", out: Path | None) -> str:
    """Print a page, or write it to a file; return what was done, in words."""
    from fastgc.report import pages
    from fastgc.report.html import as_html

    if out is None:
        echo(as_html(document))
        return ""
    pages.save(document, out)
    return f"wrote {out}"


@click.command()
@click.argument("file", type=click.Path(path_type=Path), shell_complete=completion.studies)
@arguments.to_file(
    "The picture: .svg, .png or .pdf.  [default: FILE's name with .svg, in this folder]", "PICTURE"
)
@click.option("--kind", multiple=True, help=KIND)
@click.option("--experiment", multiple=True, help="Draw only this one; may be repeated.")
@click.option("--quantity", help=QUANTITY)
def plot(file: Path, out: Path | None, kind: tuple[str, ...], **which: Any) -> int:
    """Draw the picture of FILE, and describe it.

    FILE is an output of run -o. The other pictures that FILE allows are listed.
    """
    place = Path(f"{file.stem}.svg") if out is None else out
    with working(file, place) as (meter, _, _):
        from fastgc.report import pictures
        from fastgc.results import store
        from fastgc.validation.reports import result_of

        pictures.require(None if file.is_dir() else place)  # which is refused as what it is
        found = pictures.of(result_of(file), **which)
        shown = pictures.chosen(found, kind)
        pictures.save(shown, place)
        for picture in shown:
            echo(picture.caption)
        if (origin := store.load(store.existing(file)).origin) is not None:
            meter.note(origin)
        rest = [each.kind for each in found if each not in shown]
        if rest:
            meter.note(f"other pictures, by --kind: {', '.join(dict.fromkeys(rest))}")
    return meter.finish(DONE, f"drew {place}", file=str(place))
