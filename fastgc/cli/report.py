"""The command ``fastgc report``: a page on what files hold."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fastgc.cli import completion
from fastgc.cli.arguments import in_form, to_file
from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.terminal import DONE, echo

if TYPE_CHECKING:
    from fastgc.report.document import Document
    from fastgc.report.forms import Form


def forms(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say in which form it prints a page."""
    options = [
        in_form("html", help="One HTML file.  [default]"),
        in_form("markdown", help="Markdown."),
        in_form("latex", help="LaTeX: booktabs and siunitx."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def put(document: "Document", out: Path | None, form: "Form | None") -> str:
    """Print a page, or write it to a file; return what was done, in words."""
    from fastgc.report import forms as printing

    if out is None:
        echo(printing.printed(document, form or "html"))
        return ""
    files = printing.save(document, out, form)
    beside = f" and {len(files) - 1} pictures beside it" if len(files) > 1 else ""
    return f"wrote {out}{beside}"


@click.command(short_help="Write a page on result files.")
@click.argument(
    "sources", nargs=-1, required=True, metavar="FILE...", shell_complete=completion.studies
)
@to_file("The page: .html, .md or .tex.  [default: standard output]", "PAGE")
@forms
@logged
def report(sources: tuple[str, ...], out: Path | None, form: "Form | None") -> int:
    """Write a page on result files: question, answer, pictures, tables, commands.

    FILE is an output of run, validate or measure -o, or a study with a table [design], whose
    systems are then ranked. Several files make one page.
    """
    with working(", ".join(sources)) as (meter, asked, _):
        from fastgc.report.forms import form_of
        from fastgc.validation.reports import page

        if out is not None and form is None:
            form = form_of(out)
        made = page(sources, progress=meter.show, interrupted=asked.reason)
        said = put(made, out, form)
    return meter.finish(DONE, said)
