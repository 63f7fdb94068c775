"""The commands ``errata``, ``reproduce`` and ``report``: pages on papers, studies and files."""

import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

import click

from fastgc.cli import completion
from fastgc.cli.arguments import SEED, TRIALS, in_form, joined, to_file, workers
from fastgc.cli.log import listening, logged
from fastgc.cli.meter import Meter, working
from fastgc.cli.terminal import BUG, DIFFERS, DONE, echo, table_width, text_width

if TYPE_CHECKING:
    from fastgc.report.document import Document
    from fastgc.report.forms import Form

ALL = "all"
_SECTIONS = ("confirmed", "errata", "not_reproducible", "undecided", "added")


@click.command(short_help="Print a paper's confirmed statements and its errata.")
@click.argument("paper", required=False, shell_complete=completion.papers)
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Take the verdicts that validate -o kept, instead of measuring.",
)
@in_form("html", help="One HTML page that stands alone.")
@in_form("latex", help="LaTeX with booktabs and siunitx.")
@in_form("markdown", help="Markdown.")
@in_form("json", help="Plain data, with every case.")
@to_file("HDF5 file of measurements.")
@click.option("--trials", type=TRIALS, help="Most trials of each experiment.")
@click.option("--seed", type=SEED, help="Seed.  [default: 1]")
@workers
@click.option(
    "--method", type=click.Choice(["both", "exact", "monte-carlo"]), help="As for validate."
)
@logged
def errata(
    paper: str | None,
    folder: Path | None,
    source: Path | None,
    form: Literal["html", "latex", "markdown", "json"] | None,
    **measuring: Any,
) -> int:
    """Print the confirmed statements of PAPER, and each erratum with its correction.

    fastgc errata all --html FOLDER writes a site: a page on each paper, and a front page. Without
    PAPER, the papers are listed with the numbers of their claims.
    """
    if paper is None:
        from fastgc.report.listings import counted_claims
        from fastgc.study.claims.papers import register

        echo(counted_claims(register(), table_width()))
        return DONE
    is_site = paper == ALL
    if is_site != (folder is not None) or (is_site and form != "html"):
        said = "a site is `fastgc errata all --html FOLDER`; one paper is printed, without a folder"
        raise click.UsageError(said)
    given = {key: value for key, value in measuring.items() if value is not None}
    if source is not None and given:
        names = ", ".join(f"--{key}" for key in given)
        raise click.BadParameter(f"nothing is measured; leave out {names}", param_hint="'--from'")
    with working(paper, given.get("out"), given.get("executor")) as (meter, asked, where):
        from fastgc import report
        from fastgc.report import forms
        from fastgc.report.pages import errata as pages
        from fastgc.report.text import as_text
        from fastgc.validation.errata import errata as found
        from fastgc.validation.errata import site

        more: dict[str, Any] = {"source": source, "progress": meter.show} | given
        more |= {"interrupted": asked.reason} | ({} if where is None else {"executor": where})
        if folder is not None:
            of_all = site(folder, **more)
            return _ended(meter, of_all, f"wrote {len(of_all) + 1} pages into {folder}")
        page = found(paper, **more)
    if form == "json":
        echo(report.as_json(page))
    elif form is not None:
        echo(forms.printed(pages.document(page), form))
    else:
        echo(as_text(pages.document(page), text_width()))
    return _ended(meter, [page])


def _ended(meter: Meter, pages: Sequence[dict[str, Any]], done: str = "") -> int:
    """End with the exit code of these pages."""
    bugs = [each for page in pages for each in page["disagreements"]]
    if bugs:
        meter.note("\n".join(bugs))
        return meter.finish(BUG)
    fine = all(entry["as_expected"] for page in pages for key in _SECTIONS for entry in page[key])
    return meter.finish(DONE if fine else DIFFERS, done)


def forms(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say in which form it prints a page."""
    html = in_form("html", help="One HTML file.  [default]")
    markdown = in_form("markdown", help="Markdown.")
    return html(markdown(in_form("latex", help="LaTeX: booktabs and siunitx.")(command)))


def put(document: "Document", out: Path | None, form: "Form | None") -> str:
    """Print a page, or write it to a file; return what was done, in words."""
    from fastgc.report import forms as printing

    if out is None:
        echo(printing.printed(document, form or "html"))
        return ""
    files = printing.save(document, out, form)
    beside = f" and {len(files) - 1} pictures beside it" if len(files) > 1 else ""
    return f"wrote {out}{beside}"


@click.command(short_help="Measure a paper or study beside what is printed.")
@click.argument("paper", metavar="PAPER|STUDY", shell_complete=completion.papers)
@to_file("The page: .html, .md or .tex.  [default: in brief, on standard output]", "PAGE")
@click.option(
    "--keep",
    "folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Keep measurements there.  [default: PAGE's name without its end; else nowhere]",
)
@click.option("--trials", type=TRIALS, help="Most trials of each point.")
@workers
@forms
@logged
def reproduce(
    paper: str,
    out: Path | None,
    folder: Path | None,
    executor: str | None,
    form: "Form | None",
    **options: Any,
) -> int:
    """Measure a paper, or a study, and show printed numbers beside the measured ones.

    PAPER is a name like agc, or all: its packaged studies are run and its claims judged. STUDY is a
    packaged study like codedreduce/simulation, or a file. What was measured is kept beside the
    page: the same command again goes on where it was stopped, and measures nothing twice.
    """
    with ExitStack() as stack:
        where = stack.enter_context(joined(executor))
        own, meter = stack.enter_context(ExitStack()), Meter()
        asked = stack.enter_context(listening())
        from fastgc.report.forms import form_of
        from fastgc.report.pages import in_brief
        from fastgc.report.text import as_text
        from fastgc.validation import reproduce as reproducing

        def begin(name: str, file: Path) -> None:
            nonlocal meter
            own.close()  # what the meter before it showed is done
            meter = own.enter_context(Meter(name, file))

        if out is not None and form is None:
            form = form_of(out)
        kept = folder or (out and out.with_suffix(""))
        place = kept or Path(stack.enter_context(TemporaryDirectory()))
        found = reproducing.reproduce(
            paper,
            place,
            executor=where,
            watching=reproducing.Watching(begin, lambda step: meter.show(step), asked.reason),
            command=shlex.join(["fastgc", *sys.argv[1:]]),
            **options,
        )
        if out is None and form is None:
            echo(as_text(in_brief(found.document)))
        said = put(found.document, out, form) if out or form else ""
    facts: dict[str, Any] = {"claims": len(found.verdicts)}
    facts |= {name: str(each) for name, each in (("page", out), ("kept", kept)) if each}
    if found.disagreements:
        meter.note("\n".join(found.disagreements))
        return meter.finish(BUG, said, **facts)
    if found.stopped_by is not None:
        also = f"{said}; the same command goes on" if kept else "nothing is kept"
        early = f"stopped early by {found.stopped_by}: {also}"
        return meter.finish(asked.exit_code, early, stopped_by=found.stopped_by, **facts)
    fine = all(verdict.as_expected for verdict in found.verdicts)
    where_kept = (
        f"measurements kept in {kept}" if kept else "nothing is kept; -o or --keep keeps it"
    )
    said = "; ".join(filter(None, (said, where_kept)))
    return meter.finish(DONE if fine else DIFFERS, said, **facts)


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
