"""The command ``fastgc studies``: what comes packaged."""

from __future__ import annotations

import click

from fastgc.cli import completion
from fastgc.cli.exits import DONE
from fastgc.cli.terminal import echo, table_width


@click.command(short_help="List the packaged studies, or print one.")
@click.argument("name", required=False, shell_complete=completion.packaged_studies)
def studies(name: str | None) -> int:
    """List the packaged studies with their titles; or print NAME, to be saved and changed."""
    from fastgc import report
    from fastgc.study import packaged_texts

    if name is None:
        echo(report.definitions(packaged_texts.titles(), table_width()))
    else:
        echo(packaged_texts.text(name).rstrip("\n"))
    return DONE
