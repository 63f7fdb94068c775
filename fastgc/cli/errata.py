"""The command ``fastgc errata``: the page on a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from fastgc.cli import completion
from fastgc.cli.arguments import SEED, TRIALS, in_form, workers
from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.terminal import BUG, DIFFERS, DONE, echo, text_width


@click.command(short_help="Print a paper's confirmed statements and its errata.")
@click.argument("paper", shell_complete=completion.papers)
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
@click.option("-o", "--out", type=click.Path(path_type=Path), help="HDF5 file of measurements.")
@click.option("--trials", type=TRIALS, help="Most trials of each experiment.")
@click.option("--seed", type=SEED, help="Seed.  [default: 1]")
@workers
@click.option(
    "--method", type=click.Choice(["both", "exact", "monte-carlo"]), help="As for validate."
)
@logged
def errata(
    paper: str,
    source: Path | None,
    form: Literal["html", "latex", "markdown", "json"] | None,
    out: Path | None,
    trials: int | None,
    seed: int | None,
    threads: int | None,
    executor: str | None,
    method: str | None,
) -> int:
    """Print the confirmed statements of PAPER, and each erratum with its correction."""
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

        page = found(
            paper,
            source=source,
            progress=meter.step,
            interrupted=asked.reason,
            **given | ({} if where is None else {"executor": where}),
        )
    if form == "json":
        echo(report.as_json(page))
    elif form is not None:
        echo(forms.printed(pages.document(page), form))
    else:
        echo(as_text(pages.document(page), text_width()))
    if page["disagreements"]:
        meter.note("\n".join(page["disagreements"]))
        return meter.finish(BUG)
    sections = (
        page["confirmed"],
        page["errata"],
        page["not_reproducible"],
        page["undecided"],
        page["added"],
    )
    fine = all(entry["as_expected"] for entries in sections for entry in entries)
    return meter.finish(DONE if fine else DIFFERS)
