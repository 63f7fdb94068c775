"""The command ``demo``: a look in seconds."""

import click

from fastgc.cli.log import logged
from fastgc.cli.meter import working
from fastgc.cli.terminal import DIFFERS, DONE, echo, text_width

#: Statements of all five papers, known exactly by kernels that compile in seconds; what is right
#: stands before what is not.
CLAIMS = (
    "agc.theorem1.printed",
    "agc.frc-1.976.corrected",
    "agc.frc-1.976.printed",
    "binary.algorithm2.corrected",
    "binary.algorithm2.printed",
    "codedreduce.theorem1.load.printed",
    "hierarchical.decoding.printed",
    "gcada.group-order.largest.printed",
)


@click.command(short_help="Judge eight statements of five papers, in seconds.")
@logged
def demo() -> int:
    """Judge eight statements of five papers, each measured exactly, in some seconds.

    Each verdict is printed when it is reached, with the statement in fastgc's words. To test all
    claims of a paper, also on samples: fastgc validate --paper agc.
    """
    echo("Eight statements of five papers, each measured exactly:\n")
    with working("eight statements") as (meter, asked, _):
        from fastgc import report
        from fastgc.registry.activity import Batch
        from fastgc.validation.validate import validate as measure

        found = measure(
            CLAIMS,
            method="exact",
            batch=Batch(
                progress=meter.show,
                found=lambda verdict: meter.say(report.verdict(verdict, text_width()) + "\n"),
                interrupted=asked.reason,
            ),
        )
    echo(report.summary(found, text_width()))
    code = DONE if all(verdict.as_expected for verdict in found) else DIFFERS
    return meter.finish_judging(code, len(found))
