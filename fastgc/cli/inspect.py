"""The command ``fastgc inspect``: the datasheet of a code."""

from __future__ import annotations

import click

from fastgc.cli import completion
from fastgc.cli.exits import DONE
from fastgc.cli.terminal import echo, table_width


@click.command(short_help="Print the datasheet of a code, or of your own matrix.")
@click.argument("code", shell_complete=completion.codes)
@click.argument("arguments", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=completion.keys)
@click.option(
    "-p",
    "p",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="Probability to straggle for the comparison with the bound.",
)
@click.option(
    "--stragglers", metavar="S", help="Numbers of stragglers to look at: 3, 2,5, 0..6 or 0..n."
)
@click.option("--json", "form", flag_value="json", help="As JSON.")
@click.option("--latex", "form", flag_value="latex", help="As a LaTeX table.")
def inspect(
    code: str, arguments: tuple[str, ...], p: float, stragglers: str | None, form: str | None
) -> int:
    """Print the datasheet of CODE: a matrix file, or a family like binary n=11 s=3."""
    from fastgc import report
    from fastgc.decoding import inspection

    made = inspection.code_from(code, arguments)
    sheet = inspection.inspect(made, p, stragglers)
    if form == "json":
        echo(report.as_json(sheet.as_dict()))
    else:
        echo(report.datasheet(sheet.as_dict(), latex=form == "latex", width=table_width()))
    return DONE
