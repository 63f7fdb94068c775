"""What ``fastgc run --dry-run`` prints: what the run would take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from fastgc.cli.meter import Meter
from fastgc.cli.terminal import DONE, echo


def dry_run_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of a dry run to the command ``run``."""
    as_json = click.option("--json", "as_json", is_flag=True, help="With --dry-run: as JSON.")
    dry = click.option(
        "--dry-run",
        "dry",
        is_flag=True,
        help="Only say what it would take: trials, core-hours, memory, file size.",
    )
    return dry(as_json(command))


def cost_estimate(study: str, options: Mapping[str, Any], *, dry: bool, as_json: bool) -> int:
    """Print what a run of STUDY with these options of `fastgc.dry_run` would take."""
    if not dry:
        raise click.BadParameter("belongs to --dry-run", param_hint="'--json'")
    with Meter(study) as meter:
        from fastgc import report
        from fastgc.runs import dry_run

        found = dry_run.dry_run(study, **options, progress=meter.search).as_dict()
    echo(report.as_json(found) if as_json else report.dry_run(found))
    return DONE
