"""Loss against time: the course of training under the first systems of a ranking."""

import math

from fastgc.report.pictures import parts, scales, words
from fastgc.report.pictures.against import CLOCK, DECADES
from fastgc.report.pictures.looks import looks
from fastgc.report.pictures.picture import Axes, Picture
from fastgc.results.ranking import Ranking, written


def of_ranking(found: Ranking) -> Picture | None:
    """Return the picture of the losses of a ranking; None where its goal is not training."""
    curves = {
        written(each.system): [
            parts.Number(*point)
            for point in zip(each.seconds, each.loss, each.low, each.high, strict=True)
            if math.isfinite(point[1])
        ]
        for each in found.curves
    }
    every = [number for own in curves.values() for number in own]
    if not every:
        return None

    def draw(axes: Axes) -> None:
        scales.of_numbers(axes, every, decades=DECADES)
        for turn, ((name, own), look) in enumerate(zip(curves.items(), looks(), strict=False)):
            parts.line(axes, own, look, name, turn)
        axes.set_xlim(left=0.0)
        axes.set_xlabel(f"time ({found.unit})")
        axes.set_ylabel("mean loss")

    said = [
        f"mean loss against time, in training under {words.of(curves, '', '')}",
        f"bands are pointwise {100 * found.confidence:g} % intervals",
        "a curve ends where a run of its system is over",
    ]
    return scales.made(CLOCK, "loss against time", said, draw, list(curves))
