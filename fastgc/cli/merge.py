"""The command ``fastgc merge``: one file of the shards of a run."""

from __future__ import annotations

from pathlib import Path

import click

from fastgc.cli.exits import DONE
from fastgc.cli.log import logged
from fastgc.cli.meter import Meter
from fastgc.cli.terminal import echo, table_width


@click.command(short_help="Make one file of the shards of a run.")
@click.argument(
    "shards", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SHARD..."
)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), required=True, help="HDF5 file of them all."
)
@click.option(
    "--partial",
    is_flag=True,
    help="Merge without shards that are missing or with shorter ones; every row says so.",
)
@logged
def merge(shards: tuple[Path, ...], out: Path, partial: bool) -> int:
    """Merge the files of all shards of one run: SHARD is what run --shard i/N -o SHARD wrote.

    The merged file equals that of one process with the same trials, and run goes on from it. The
    precision that the study asks for, which stops no shard, is reported.
    """
    with Meter(f"{len(shards)} shards", out) as meter:
        from fastgc import report
        from fastgc.runs import merge as merging
        from fastgc.runs.precision import summary

        found = merging.merge(shards, out, partial=partial, progress=meter.shards)
    echo(report.results(found.rows(), found.title, table_width()))
    for line in summary(found.precision):
        meter.note(line)
    return meter.finish(DONE, f"done: merged {len(shards)} shards; kept in {found.path}")
