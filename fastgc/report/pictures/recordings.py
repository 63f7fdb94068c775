"""A recording: how long each worker took in each round, and who was late."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fastgc.report.pictures.looks import VERMILION
from fastgc.report.pictures.picture import COLUMN, HEIGHT, Picture, matplotlib

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
    worst = max(found["each"], key=lambda row: row["straggled"])
    caption = (
        f"Times of {many} workers over {rounds} rounds, from {min(map(min, times)):.4g} to "
        f"{max(map(max, times)):.4g} on a logarithmic scale of colours; dots mark the "
        f"{100 * found['straggled']:.3g} % that are above {limit:.4g}. Most often late is "
        f"{worst['worker']}, in {100 * worst['straggled']:.3g} % of the rounds."
    )
    height = min(_HIGHEST, max(HEIGHT, 0.9 + ROW * many))

    def draw(axes: Axes) -> None:
        _draw(axes, found, times)

    return Picture("trace", f"Times of {found['trace']}", caption, draw, (WIDTH, height))


def _draw(axes: Axes, found: Mapping[str, Any], times: Sequence[Sequence[float]]) -> None:
    colours = matplotlib("colors")
    rows = [[row[j] for row in times] for j in range(found["workers"])]
    smallest = min(time for row in rows for time in row)
    largest = max(time for row in rows for time in row)
    scale = colours.LogNorm if 0 < smallest < largest else colours.Normalize
    norm = scale(smallest, largest)
    image = axes.imshow(
        rows,
        aspect="auto",
        interpolation="nearest",
        norm=norm,
        extent=(0.5, found["rounds"] + 0.5, found["workers"] - 0.5, -0.5),
    )
    late = [
        (i + 1, j)
        for j, row in enumerate(rows)
        for i, time in enumerate(row)
        if time > found["threshold"]
    ]
    if late:
        axes.plot(*zip(*late, strict=True), ".", color=VERMILION, markersize=2.5, label="late")
    axes.grid(False)
    axes.set_xlabel("round")
    if found["workers"] <= _MOST_NAMES:
        axes.set_yticks(range(found["workers"]), [row["worker"] for row in found["each"]])
    else:
        axes.set_ylabel("worker")
    bar = axes.figure.colorbar(image, ax=axes, pad=0.01)
    bar.set_label("time, as recorded")
    if 0 < smallest < largest:
        ticks = [smallest * (largest / smallest) ** (i / _STEPS) for i in range(_STEPS + 1)]
        bar.set_ticks(ticks, labels=[f"{tick:.3g}" for tick in ticks])
    bar.ax.minorticks_off()
