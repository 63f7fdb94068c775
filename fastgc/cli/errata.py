"""The command ``fastgc errata``: the page on a paper."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click

from fastgc.cli import completion
from fastgc.cli.arguments import SEED, TRIALS, in_form, to_file, workers
from fastgc.cli.log import logged
from fastgc.cli.meter import Meter, working
from fastgc.cli.terminal import BUG, DIFFERS, DONE, echo, text_width

ALL = "all"
_SECTIONS = ("confirmed", "errata", "not_reproducible", "undecided", "added")


@click.command(short_help="Print a paper's confirmed statements and its errata.")
@click.argument("paper", shell_complete=completion.papers)
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
    paper: str,
    folder: Path | None,
    source: Path | None,
    form: Literal["html", "latex", "markdown", "json"] | None,
    out: Path | None,
    trials: int | None,
    seed: int | None,
    threads: int | None,
    executor: str | None,
    method: str | None,
) -> int:
    """Print the confirmed statements of PAPER, and each erratum with its correction.

    fastgc errata all --html FOLDER writes a site: a page on each paper, and a front page.
    """
    is_site = paper == ALL
    if is_site != (folder is not None) or (is_site and form != "html"):
        said = "a site is `fastgc errata all --html FOLDER`; one paper is printed, without a folder"
        raise click.UsageError(said)
    measuring = dict(
        out=out, trials=trials, seed=seed, threads=threads, executor=executor, method=method
    )
    given: dict[str, Any] = {key: value for key, value in measuring.items() if value is not None}
    if source is not None and given:
        names = ", ".join(f"--{key}" for key in given)
        raise click.BadParameter(f"nothing is measured; leave out {names}", param_hint="'--from'")
    with working(paper, out, executor) as (meter, asked, where):
        from fastgc import report
        from fastgc.report import forms
        from fastgc.report.pages import errata as pages
        from fastgc.report.text import as_text
        from fastgc.validation.errata import errata as found
        from fastgc.validation.errata import site

        more = given | ({} if where is None else {"executor": where})
        if folder is not None:
            pages_of_all = site(
                folder, source=source, progress=meter.show, interrupted=asked.reason, **more
            )
            return _ended(meter, pages_of_all, f"wrote {len(pages_of_all) + 1} pages into {folder}")
        page = found(paper, source=source, progress=meter.show, interrupted=asked.reason, **more)
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
