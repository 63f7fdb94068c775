"""The command ``fastgc theory``: closed forms by name."""

from __future__ import annotations

import click

from fastgc.cli import completion
from fastgc.cli.exits import DONE
from fastgc.cli.terminal import echo, table_width


@click.command(short_help="Evaluate a closed form, or list all of them.")
@click.argument("name", required=False, shell_complete=completion.formulas)
@click.argument(
    "arguments", nargs=-1, metavar="[KEY=VALUE]...", shell_complete=completion.arguments
)
def theory(name: str | None, arguments: tuple[str, ...]) -> int:
    """Evaluate the closed form NAME, like agc.frc_mean_error n=8 d=2 survivors=5.

    Without arguments it is described; without a name, or with that of a paper, formulas are listed
    with their arguments, those in brackets may be left out.
    """
    from fastgc import report
    from fastgc.theory import by_name

    if name is None or (not arguments and name in by_name.papers()):
        echo(report.formulas(by_name.formulas(name), table_width()))
    elif not arguments:
        echo(report.formula(name, by_name.formula(name)))
    else:
        echo(report.as_json(by_name.evaluate(name, arguments)))
    return DONE
