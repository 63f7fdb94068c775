"""The commands ``fastgc new …``: something to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from fastgc.cli.log import logged
from fastgc.cli.terminal import DONE, echo


@click.group()
def new() -> None:
    """Write something to begin with."""


@new.command()
@click.argument("name")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    default=("stragglers",),
    show_default=True,
    help="code, stragglers, latency, system, decoder, measure, claim, or all; repeat it for more.",
)
@click.option(
    "--into",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder that the package's own is made in.  [default: this one]",
)
@logged
def plugin(name: str, kinds: tuple[str, ...], into: Path | None) -> int:
    """Write a package NAME with a model of your own: its file, entry point, tests and a study."""
    from fastgc.registry.template import package

    made = package(name, kinds, into)
    echo(f"wrote {made}; go on with")
    echo(f"  pip install -e {made}")
    echo(f"  pytest {made}")
    echo(f"  fastgc run {made / 'study.toml'}")
    return DONE
