"""``fastgc validate --list``: claims, a line each."""

from __future__ import annotations

from fastgc.cli.exits import DONE
from fastgc.cli.terminal import echo, table_width


def listed(ids: tuple[str, ...], paper: str | None, form: str | None) -> int:
    """Print the claims that would be measured, without measuring them."""
    from fastgc import report
    from fastgc.validation.validate import select

    found = select(ids, paper)
    if form == "json":
        echo(report.as_json(report.claim_rows(found)))
    else:
        echo(report.claims(found, table_width()))
    return DONE
