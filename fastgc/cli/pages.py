"""The command ``errata``: what of a paper holds, its corrections, and its page."""

import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from fastgc.cli import arguments, completion
from fastgc.cli.arguments import in_form
from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.terminal import BUG, DIFFERS, DONE, echo, table_width, text_width

if TYPE_CHECKING:
    from fastgc.report.document import Document

_SECTIONS = ("confirmed", "errata", "not_reproducible", "undecided", "added")


@click.command(short_help="Print a paper's confirmed statements and its errata.")
@click.argument("paper", required=False, shell_complete=completion.papers)
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Take the verdicts that validate -o kept, instead of measuring.",
)
@in_form("html", help="One HTML page with the paper's packaged studies and their pictures, too.")
@in_form("latex")
@in_form("json")
@arguments.to_file("The page, .html; what was measured is kept beside it.", "PAGE")
@arguments.trials
@arguments.seed
@arguments.workers
@arguments.method("both", "exact", "monte-carlo")
@logged
def errata(
    paper: str | None,
    source: Path | None,
    form: str | None,
    out: Path | None,
    executor: str | None,
    **measuring: Any,
) -> int:
    """Print the confirmed statements of PAPER, and each erratum with its correction.

    Without PAPER the papers are listed, with how many claims there are. With -o PAGE the same
    command goes on where it was stopped.
    """
    given = {key: value for key, value in measuring.items() if value is not None}
    if paper is None:
        return _counts(given or source or form or out or executor)
    if source is not None and (given or executor):
        names = ", ".join(f"--{key}" for key in (*given, *(["executor"] if executor else [])))
        raise click.BadParameter(f"nothing is measured; leave out {names}", param_hint="'--from'")
    if out is not None and form not in (None, "html"):
        raise click.BadParameter(f"is an HTML page; leave out --{form}", param_hint="'--out'")
    with ExitStack() as stack:
        meter, asked, where = stack.enter_context(working(paper, out, executor))
        from fastgc import report
        from fastgc.errors import StoppedError
        from fastgc.registry.activity import Batch
        from fastgc.report import latex, pages
        from fastgc.report.text import as_text
        from fastgc.validation import reports as found

        pages.require_html(out)
        batch = Batch(executor=where, progress=meter.show, interrupted=asked.reason)
        if source is None and (form == "html" or out is not None):
            kept = out and out.with_suffix("")
            place = kept or stack.enter_context(TemporaryDirectory())
            command = shlex.join(["fastgc", *sys.argv[1:]])
            try:
                made, judged = found.reproduce(paper, place, batch=batch, command=command, **given)
            except StoppedError as early:
                said = str(early).partition(":")[0]
                nothing = "nothing was kept; name a page with -o to be able to go on"
                raise early if kept else StoppedError(f"{said}: {nothing}") from None
            said = put(made, out) + (f"; measurements kept in {kept}" if kept else "")
            fine = all(verdict.as_expected for verdict in judged)
            return _ended(meter, found.contradictions(judged), fine, said)
        page = found.errata(paper, source=source, batch=batch, **given)
        document = pages.of_page(page)
        said = ""
        if form == "html" or out is not None:
            said = put(document, out)
        elif form == "json":
            echo(report.as_json(page))
        elif form == "latex":
            echo(latex.tables(document.tables()))
        else:
            echo(as_text(document, text_width()))
        fine = all(entry["as_expected"] for key in _SECTIONS for entry in page[key])
        return _ended(meter, page["disagreements"], fine, said)


def _counts(given: Any) -> int:
    """Print how many claims and sources there are."""
    if given:
        raise click.UsageError("name a PAPER; without one the papers are only listed")
    from fastgc import theory
    from fastgc.report.listings import counted_claims
    from fastgc.study.claims.papers import register

    echo(counted_claims(register(), table_width()))
    echo(f"\npapers with errata: {', '.join(theory.paper_names())}")
    return DONE


def _ended(meter: Any, bugs: Sequence[str], fine: bool, done: str) -> int:
    if bugs:
        meter.note("\n".join(bugs))
        return int(meter.finish(BUG))
    return int(meter.finish(DONE if fine else DIFFERS, done))


def put(document: "Document", out: Path | None) -> str:
    """Print a page, or write it to a file; return what was done, in words."""
    from fastgc.report import pages
    from fastgc.report.html import as_html

    if out is None:
        echo(as_html(document))
        return ""
    pages.save(document, out)
    return f"wrote {out}"
