"""The command ``fastgc compile``: kernels compiled before they are needed."""

from __future__ import annotations

import click

from fastgc.cli import completion
from fastgc.cli.arguments import Count
from fastgc.cli.exits import DONE
from fastgc.cli.log import logged
from fastgc.cli.meter import Meter


@click.command("compile", short_help="Compile kernels before they are needed.")
@click.argument("studies", nargs=-1, metavar="[STUDY]...", shell_complete=completion.studies)
@click.option("--all", "everything", is_flag=True, help="Those of all that fastgc comes with.")
@click.option("--processes", type=Count(1), help="How many compile at a time.  [default: cores]")
@click.option(
    "--cpu",
    metavar="NAME",
    help="Compile for such processors, as LLVM names them (x86-64-v3, generic), from now on.",
)
@logged
def compile_command(
    studies: tuple[str, ...], everything: bool, processes: int | None, cpu: str | None
) -> int:
    """Compile the kernels that each STUDY calls, and keep them for the runs to come.

    They lie in NUMBA_CACHE_DIR, or in ~/.cache/fastgc. With --cpu the folder can be carried to
    other machines: with the same fastgc they compile nothing.
    """
    if everything == bool(studies):
        raise click.UsageError("Name studies, or give --all.")
    with Meter("kernels", None) as meter:
        from fastgc.engine.executors import cores
        from fastgc.runs.compiling import compile_kernels

        found = compile_kernels(
            None if everything else studies,
            processes=processes or cores.available_cores(),
            processor=cpu,
            progress=meter.runs,
        )
    said = f"done: {found.kernels} kernels, {found.size / 1e6:.1f} MB, in {found.folder}"
    return meter.finish(DONE, said)
