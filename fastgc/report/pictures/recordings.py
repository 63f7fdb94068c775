"""A recording: how long each worker took in each round, and who was late."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fastgc.report.pictures.looks import VERMILION
from fastgc.report.pictures.picture import COLUMN, HEIGHT, Picture, made, matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 2 * COLUMN
ROW = 0.14  # inches a worker
_MOST_NAMES = 40
_HIGHEST = 6.0  # inches
_STEPS = 4  # of the colours' scale


def picture(found: Mapping[str, Any], times: Sequence[Sequence[float]]) -> Picture:
    """Return a map of times: a line a worker, a column a round, the late ones marked.

    Parameters
    ----------
    found : mapping
        What `fastgc.traces.show` found, as plain data.
    times : sequence of sequences of float
        Round by round, in the recording's unit.
    """
    many, rounds, limit = found["workers"], found["rounds"], found["threshold"]
    rows = np.transpose(times)
    smallest, largest = rows.min(), rows.max()
    worst = max(found["each"], key=lambda row: row["straggled"])
    said = [
        f"times of {many} workers over {rounds} rounds, from {smallest:.4g} to {largest:.4g} on a "
        f"logarithmic scale of colours; dots mark the {100 * found['straggled']:.3g} % that are "
        f"above {limit:.4g}",
        f"most often late is {worst['worker']}, in {100 * worst['straggled']:.3g} % of the rounds",
    ]

    def draw(axes: Axes) -> None:
        colours = matplotlib("colors")
        by_decades = 0 < smallest < largest
        image = axes.imshow(
            rows,
            aspect="auto",
            interpolation="nearest",
            norm=(colours.LogNorm if by_decades else colours.Normalize)(smallest, largest),
            extent=(0.5, rounds + 0.5, many - 0.5, -0.5),
        )
        workers, late = np.nonzero(rows > limit)
        if len(late):
            axes.plot(late + 1, workers, ".", color=VERMILION, markersize=2.5, label="late")
        axes.grid(False)
        axes.set_xlabel("round")
        if many <= _MOST_NAMES:
            axes.set_yticks(range(many), [row["worker"] for row in found["each"]])
        else:
            axes.set_ylabel("worker")
        bar = axes.figure.colorbar(image, ax=axes, pad=0.01)
        bar.set_label("time, as recorded")
        if by_decades:
            ticks = np.geomspace(smallest, largest, _STEPS + 1).tolist()
            bar.set_ticks(ticks, labels=[f"{tick:.3g}" for tick in ticks])
        bar.ax.minorticks_off()

    height = min(_HIGHEST, max(HEIGHT, 0.9 + ROW * many))
    drawn = made("trace", f"Times of {found['trace']}", said, draw, height=height)
    return replace(drawn, size=(WIDTH, height))
