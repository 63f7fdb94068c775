"""The command ``fastgc design``: the best system for a cluster."""

import textwrap
from typing import Any

import click

from fastgc.cli import completion
from fastgc.cli.arguments import in_form, workers
from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.terminal import DONE, echo

WIDTH = 80


@click.command(short_help="Rank all systems that fit a cluster.")
@click.argument("study", shell_complete=completion.studies)
@workers
@in_form("json", help="The whole ranking as JSON.")
@in_form("markdown", help="Tables as Markdown.")
@in_form("latex", help="Tables as LaTeX: booktabs, siunitx.")
@logged
def design(study: str, threads: int | None, executor: str | None, form: str | None) -> int:
    """Rank all systems that fit a cluster by their completion time.

    STUDY is a TOML file with a table [design]; `fastgc help own-cluster` shows one. The best system
    of each scheme is printed as soon as it is known, the ranking with intervals at the end.
    """
    with working(study, executor=executor) as (meter, asked, where):
        from fastgc import planning, report
        from fastgc.results.ranking import written

        def tell(system: dict[str, Any], value: float) -> None:
            if form is None:
                meter.say(f"{system['family']}: {value:.6g} at best, by {written(system)}")

        def suppose(said: str) -> None:
            (meter.say if form is None else meter.note)(textwrap.fill(said, WIDTH))

        found = planning.design(
            study,
            threads=threads,
            executor=where,
            progress=meter.show,
            found=tell,
            assumed=suppose,
            interrupted=asked.reason,
        )
    if form == "markdown" or form == "latex":
        from fastgc.report import forms

        echo(forms.of_ranking(found, form))
    else:
        echo(report.as_json(found.data()) if form else f"\n{report.design(found)}")
    return meter.finish(DONE, in_log=f"done: {len(found)} systems ranked")
