"""The command ``fastgc atlas``: which remedy for stragglers wins where."""

import shlex
from pathlib import Path
from typing import Any

import click

from fastgc.cli.arguments import (
    SEED,
    column_option,
    in_form,
    load_of_file,
    slices_option,
    to_file,
    trace_of,
)
from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.terminal import DIFFERS, DONE, echo


@click.command(short_help="Map which remedy for stragglers wins where.")
@click.argument("folder", required=False)
@column_option
@slices_option
@click.option(
    "--fit",
    multiple=True,
    metavar="FILE:LOAD",
    help="A recording of FOLDER, and the share of the work that each worker had.",
)
@click.option(
    "--seed", type=SEED, default=1, show_default=True, help="Of the rows that are drawn again."
)
@to_file("Write a page: .html, .md or .tex.", "PAGE")
@in_form("json", help="As JSON.")
@in_form("csv", help="All numbers as CSV.")
@logged
def atlas(
    folder: str | None,
    columns: tuple[str, ...],
    slices: str | None,
    fit: tuple[str, ...],
    seed: int,
    out: Path | None,
    form: str | None,
) -> int:
    """Map which remedy for stragglers wins, by recordings and by what load costs.

    FOLDER holds recordings of each worker's own times; without it the map is of laws. Exit code 1:
    no recording of FOLDER can tell.
    """
    others = [load_of_file(each) for each in fit]
    named: dict[str, Any] = trace_of(folder or "", columns, slices) or {}
    if folder is None and (columns or slices or fit):
        raise click.UsageError("--column, --slices and --fit belong to a FOLDER")
    with working(folder or "laws", out) as (meter, asked, _):
        from fastgc.planning.atlas import atlas as charted
        from fastgc.report import atlas as shown
        from fastgc.report import export, forms

        if out is not None:
            forms.form_of(out)
        found = charted(
            folder,
            columns={key: named[key] for key in named if key != "file"},
            fit=others,
            seed=seed,
            progress=meter.parts("recordings" if folder else "laws"),
            interrupted=asked.reason,
        )
    data = found.as_dict()
    if form == "json":
        echo(export.as_json(data))
    elif form == "csv":
        echo(export.as_csv_table(shown.records(data)))
    elif out is None:
        echo(shown.atlas(data))
    said = ""
    if out is not None:
        options = [*(f"--column {shlex.quote(each)}" for each in columns)]
        options += [f"--slices {shlex.quote(slices)}"] if slices else []
        options += [f"--fit {shlex.quote(each)}" for each in fit]
        options += [f"--seed {seed}"] if seed != 1 else []
        place = [shlex.quote(folder)] if folder else []
        command = " ".join(["fastgc atlas", *place, *options, "-o", shlex.quote(out.name)])
        forms.save(shown.page(data, command), out)
        said = f"wrote {out}"
    return meter.finish(DONE if found.subjects else DIFFERS, said)
