"""The command ``fastgc audit``: a file's blocks, sampled again."""

from __future__ import annotations

from pathlib import Path

import click

from fastgc.cli.arguments import SEED
from fastgc.cli.exits import DIFFERS, DONE
from fastgc.cli.log import logged
from fastgc.cli.meter import Meter
from fastgc.cli.signals import listening
from fastgc.cli.terminal import echo
from fastgc.cli.workers import joined, workers


@click.command(short_help="Sample blocks of a file again, and compare them.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="S",
    help="Of every unit's blocks, at least one; with 1 the sums as well.  [default: 0.001]",
)
@click.option("--seed", type=SEED, help="Draw the blocks of an audit before again.")
@workers
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@logged
def audit(
    file: Path,
    share: float | None,
    seed: int | None,
    threads: int | None,
    executor: str | None,
    as_json: bool,
) -> int:
    """Sample some blocks of FILE again, drawn at random, and compare them with what it says.

    FILE is one that run or validate wrote. Exits with 1 if anything differs, or if it has blocks
    and none of them could be sampled again.
    """
    with joined(executor) as where, Meter(file) as meter, listening() as asked:
        from fastgc import report
        from fastgc.runs.audit import DEFAULT_SHARE
        from fastgc.validation.audit import audit as audited

        found = audited(
            file,
            share=DEFAULT_SHARE if share is None else share,
            seed=seed,
            threads=threads,
            executor=where,
            progress=meter.blocks,
            interrupted=asked.reason,
        )
    from fastgc.registry.counts import counted

    data = found.as_dict()
    echo(report.as_json(data) if as_json else report.audit(data))
    code = DONE if found.passed else DIFFERS
    said = ""
    if found.stopped_by is not None and not found.differences:
        code, said = asked.exit_code, f"stopped early by {found.stopped_by}"
    facts = {"passed": found.passed, "stopped_by": found.stopped_by}
    in_log = f"done: {counted(found.checked, 'blocks')} sampled again"
    return meter.finish(code, said, in_log, blocks=found.checked, **facts)
