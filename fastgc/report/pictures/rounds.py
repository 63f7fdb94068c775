"""Pictures of a measurement: rounds against their prediction, workers against the law, losses."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fastgc.report.pictures import scales
from fastgc.report.pictures.looks import GREY, looks
from fastgc.report.pictures.picture import Picture
from fastgc.results.measurements import Measurement

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROUNDS, QUANTILES, LOSSES = "rounds", "quantiles", "losses"
#: Quantiles that are drawn against each other, at most.
_MOST = 200


def of_measurement(found: Measurement) -> list[Picture]:
    """Return the pictures of a measurement; none of what it has not."""
    arrays = found.arrays
    pictures = []
    both = np.isfinite(found.predicted) & np.isfinite(found.measured)
    if both.any():
        said = ["each mark is a round; on the line it lasted as its workers' own seconds say"]
        pictures.append(
            _pairs(ROUNDS, "rounds", said, 1e3 * found.predicted[both], 1e3 * found.measured[both])
        )
    own, injected = (array[np.isfinite(array)] for array in (found.recording, arrays["injected"]))
    if own.size and injected.size:
        levels = (np.arange(min(_MOST, own.size)) + 0.5) / min(_MOST, own.size)
        said = ["quantiles of the seconds that workers measured, over those that were injected"]
        both_ = (1e3 * np.quantile(each, levels) for each in (injected, own))
        pictures.append(_pairs(QUANTILES, "workers' own seconds", said, *both_))
    if np.isfinite(arrays["loss"]).any():
        pictures.append(_losses(found))
    return pictures


def _pairs(
    kind: str, title: str, said: list[str], x: NDArray[np.float64], y: NDArray[np.float64]
) -> Picture:
    look = next(looks())

    def draw(axes: "Axes") -> None:
        ends = [min(x.min(), y.min()), max(x.max(), y.max())]
        axes.plot(ends, ends, color=GREY, linewidth=0.9)
        axes.plot(x, y, **look | {"linestyle": "", "markersize": 2.4})
        axes.set_xlabel("predicted (ms)" if kind == ROUNDS else "injected (ms)")
        axes.set_ylabel("measured (ms)")

    return scales.made(kind, title, said, draw)


def _losses(found: Measurement) -> Picture:
    """Losses against the clock, as it was and as it was predicted."""
    loss, names = found.arrays["loss"], ("measured", "predicted")

    def draw(axes: "Axes") -> None:
        for seconds, look, name in zip((found.measured, found.predicted), looks(), names):  # noqa: B905
            clock = np.concatenate([[0.0], np.cumsum(seconds)])
            axes.plot(clock, loss, label=name, **look | {"marker": ""})
        axes.set_xlabel("time of rounds (s)")
        axes.set_ylabel("loss")

    said = ["mean loss after each round, over the time that rounds took, and were predicted to"]
    return scales.made(LOSSES, "losses against the clock", said, draw, names)
