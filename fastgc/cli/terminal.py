"""What is printed, how wide the terminal is, and the exit codes."""

import os
import re
import shutil
import sys
from collections.abc import Callable
from typing import Any

import click

DONE, DIFFERS, MISTAKE, BUG, FAILED, RESUMABLE, INTERRUPTED = 0, 1, 2, 70, 74, 75, 130


#: What a terminal would act on, and what turns the direction of text: names and notes come from
#: files, and files from strangers.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def echo(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text of any origin: codes for the terminal are shown as in JSON."""
    click.echo(clean(str(text)), err=err, nl=nl)


def emit(form: str | None, **ways: Callable[[], Any]) -> None:
    """Print a result in a form, without one as ``text``: what the way to it returns.

    That is data for ``json``, tables for ``latex`` and a page for ``html``.
    """
    found = ways[form or "text"]()
    if form == "json":
        from fastgc.results.frames import as_json

        found = as_json(found)
    elif form == "latex":
        from fastgc.report import latex

        found = latex.tables(found)
    elif form == "html":
        from fastgc.report.html import as_html

        found = as_html(found)
    echo(found)


def clean(text: str) -> str:
    """Return text with codes for the terminal escaped, as JSON would do it."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def open_streams() -> None:
    """Let what is printed go nowhere where the standard streams are closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def table_width() -> int | None:
    """Return the columns that a table may take: ``COLUMNS``, or those of the terminal.

    None where there is no terminal: a file, or a program that reads on, gets lines whole.
    """
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        return shutil.get_terminal_size().columns or None
    return None


def text_width() -> int:
    """Return the columns that sentences take: those of the terminal, else 80."""
    return shutil.get_terminal_size().columns
