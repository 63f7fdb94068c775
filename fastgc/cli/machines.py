"""The commands merge, audit and compile: work on many machines."""

from pathlib import Path
from typing import Any

import click

from fastgc.cli import completion
from fastgc.cli.arguments import SEED, Count, as_json_option, to_file, workers
from fastgc.cli.log import logged
from fastgc.cli.meter import Meter, working
from fastgc.cli.terminal import DIFFERS, DONE, echo, table_width


@click.command(short_help="Merge the shards of a run into one file.")
@click.argument(
    "shards", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SHARD..."
)
@to_file("Merged file (HDF5).", required=True)
@click.option(
    "--partial", is_flag=True, help="Allow missing and shorter shards; a note in every row says so."
)
@logged
def merge(shards: tuple[Path, ...], out: Path, partial: bool) -> int:
    """Merge the shards of a run, the files SHARD that run --shard i/N -o SHARD wrote.

    The merged file equals that of one process with the same trials, and run can continue it. The
    study's precision rule does not stop shards; merge reports the precision that they reach.
    """
    with Meter(f"{len(shards)} files", out) as meter:
        from fastgc import report
        from fastgc.runs import merge as merging
        from fastgc.runs.precision import summary

        found = merging.merge(shards, out, partial=partial, progress=meter.show)
    everything = "fastgc show --rows prints"
    echo(report.results(found.rows(), found.title, table_width(), everything=everything))
    for line in summary(found.precision):
        meter.note(line)
    return meter.finish(DONE, f"done: merged {len(shards)} shards; kept in {found.path}")


@click.command(short_help="Recompute some blocks of a file, and compare them.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="S",
    help="Share of blocks, at least one of each unit; 1 checks sums, too.  [default: 0.001]",
)
@click.option("--seed", type=SEED, help="Choose the same blocks as an earlier audit.")
@workers
@as_json_option
@logged
def audit(
    file: Path, share: float | None, executor: str | None, as_json: bool, **options: Any
) -> int:
    """Sample randomly chosen blocks of FILE again, and compare them with FILE.

    FILE is one that run or validate wrote. The exit code is 1 if anything differs, or if FILE has
    blocks and none of them could be sampled again.
    """
    with working(file, executor=executor) as (meter, asked, where):
        from fastgc import report
        from fastgc.validation.audit import DEFAULT_SHARE
        from fastgc.validation.audit import audit as audited

        found = audited(
            file,
            share=DEFAULT_SHARE if share is None else share,
            executor=where,
            progress=meter.show,
            interrupted=asked.reason,
            **options,
        )
    from fastgc.registry.numbers import counted

    data = found.as_dict()
    echo(report.as_json(data) if as_json else report.audit(data))
    code = DONE if found.passed else DIFFERS
    said = ""
    if found.stopped_by is not None and not found.differences:
        code, said = asked.exit_code, f"stopped early by {found.stopped_by}"
    facts = {"passed": found.passed, "stopped_by": found.stopped_by}
    in_log = f"done: {counted(found.checked, 'blocks')} sampled again"
    return meter.finish(code, said, in_log, blocks=found.checked, **facts)


@click.command("compile", short_help="Compile kernels before they are needed.")
@click.argument("studies", nargs=-1, metavar="[STUDY]...", shell_complete=completion.studies)
@click.option("--all", "everything", is_flag=True, help="Compile all kernels of fastgc.")
@click.option("--processes", type=Count(1), help="Parallel compilations.  [default: cores]")
@click.option(
    "--cpu",
    metavar="NAME",
    help="Compile for this LLVM processor name (x86-64-v3, generic), from now on.",
)
@logged
def compile_command(
    studies: tuple[str, ...], everything: bool, processes: int | None, cpu: str | None
) -> int:
    """Compile the kernels that each STUDY calls, and save them for later runs.

    They lie in NUMBA_CACHE_DIR, or in ~/.cache/fastgc. With --cpu the folder can be carried to
    other machines: with the same fastgc they compile nothing.
    """
    if everything == bool(studies):
        raise click.UsageError("Name studies, or give --all.")
    with Meter("kernels", None) as meter:
        from fastgc.engine.executors import surroundings
        from fastgc.runs.compiling import compile_kernels

        found = compile_kernels(
            None if everything else studies,
            processes=processes or surroundings.available_cores(),
            processor=cpu,
            progress=meter.show,
        )
    said = f"done: {found.kernels} kernels, {found.size / 1e6:.1f} MB, in {found.folder}"
    return meter.finish(DONE, said)
