"""The command ``fastgc claims``: how many there are, frozen for a release, and what has changed."""

from __future__ import annotations

from pathlib import Path

import click

from fastgc.cli.log import logged
from fastgc.cli.terminal import DIFFERS, DONE, echo, table_width


@click.command(short_help="Count the claims, freeze them, or say what has changed.")
@click.option("--freeze", is_flag=True, help="Write claims-YYYY.MM.json: the register as it is.")
@click.option(
    "-o",
    "--out",
    "folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path(),
    metavar="FOLDER",
    help="Where --freeze writes it.  [default: this folder]",
)
@click.option(
    "--since",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Say what was added, corrected and withdrawn since FILE was frozen, and why.",
)
@logged
def claims(freeze: bool, folder: Path, since: Path | None) -> int:
    """Count the claims that come with fastgc, by group and category.

    With --freeze they are written to a file with their theories, cases, expected verdicts and
    hashes. With --since the exit code is 1 if a claim was corrected or withdrawn without a reason.
    """
    from fastgc.report.listings import changes, counted_claims
    from fastgc.study.claims.papers import register
    from fastgc.validation import frozen

    if since is not None:
        found = frozen.compare(frozen.read(since), frozen.freeze())
        echo(changes(found, table_width()))
        return DIFFERS if found.unexplained else DONE
    if freeze:
        echo(f"wrote {frozen.write(folder, frozen.freeze())}")
        return DONE
    echo(counted_claims(register(), table_width()))
    return DONE
