"""The command ``fastgc plot``: the picture of what a file holds."""

from pathlib import Path
from typing import Any

import click

from fastgc.cli import completion
from fastgc.cli.arguments import to_file
from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.terminal import DONE, echo

_SCALES = "[linear|log|symlog|logit]"


@click.command()
@click.argument("file", type=click.Path(path_type=Path), shell_complete=completion.studies)
@to_file(
    "The picture: .svg, .png or .pdf.  [default: FILE's name with .svg, in this folder]", "PICTURE"
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    help="What to draw, if FILE has numbers for it: sweep, index, iterations, clock, loads, "
    "heat-map, tail, distribution or comparison; may be repeated.  "
    "[default: what suits FILE best]",
)
@click.option(
    "--experiment", "experiments", multiple=True, help="Draw only this one; may be repeated."
)
@click.option(
    "--quantity", help="Like exact, survivors[3] or 'time quantile(0.99)'.  [default: FILE's first]"
)
@click.option("--xlabel", help="Label of the x axis, like 'straggler probability $p$'.")
@click.option("--ylabel", help="Label of the y axis.")
@click.option("--xlim", metavar="A,B", help="Ends of the x axis, like 0.01,0.5.")
@click.option("--ylim", metavar="A,B", help="Ends of the y axis.")
@click.option("--xscale", metavar=_SCALES, help="Scale of the x axis.")
@click.option(
    "--yscale",
    metavar=_SCALES,
    help="Scale of the y axis; linear also draws probabilities near 1 as they are, not as 1 − P.",
)
@click.option("--width", type=float, help="Width in inches.  [default: 3.4]")
@logged
def plot(
    file: Path,
    out: Path | None,
    kinds: tuple[str, ...],
    experiments: tuple[str, ...],
    quantity: str | None,
    **axes: Any,
) -> int:
    """Draw the picture of FILE, and describe it.

    FILE is an output of run -o. The other pictures that FILE allows are listed.
    """
    place = Path(f"{file.stem}.svg") if out is None else out
    with working(file, place) as (meter, _, _):
        from fastgc.report import pictures
        from fastgc.validation.reports import result_of

        pictures.require(place)
        frame = pictures.Frame(**axes)
        plain = frame.yscale == "linear"
        found = pictures.of(result_of(file), experiment=experiments, quantity=quantity, plain=plain)
        shown = pictures.chosen(found, kinds)
        pictures.save([frame.on(each) for each in shown], place)
        for picture in shown:
            echo(picture.caption)
        rest = [each.kind for each in found if each not in shown]
        if rest:
            meter.note(f"other pictures, by --kind: {', '.join(dict.fromkeys(rest))}")
    return meter.finish(DONE, f"drew {place}", file=str(place))
