"""Pictures of a measurement: rounds against their prediction, workers against the law, losses."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from fastgc.report.measurement import labels
from fastgc.report.pictures import heat_map, scales
from fastgc.report.pictures.looks import BAND, GREY, looks
from fastgc.report.pictures.picture import HEIGHT, Axes, Picture
from fastgc.results.measurements import Measurement, by_parts

PANELS, ROUNDS, QUANTILES, LOSSES, CLOCK = "panels", "rounds", "quantiles", "losses", "clock"
TIMES = "trace"
#: Of three columns of panels, in inches.
_WIDTH = 9.6
_LAW, _SAME = "simulated, by the law alone", "simulated, same late workers"
_OWN = "predicted by own seconds"


def of_measurement(found: Measurement) -> list[Picture]:
    """Return the pictures of a measurement, all side by side first; none of what it has not."""
    facts = {each["comparison"]: each["facts"] for each in found.verdicts}
    said = {
        each["comparison"]: f"{each['comparison']} {each['verdict']}: " for each in found.verdicts
    }
    columns = [
        _rounds(found, said.get("structure", "")),
        _quantiles(facts.get("law", {}).get("quantiles", []), said.get("law", "")),
        _losses(found, facts.get("learning", {}), said.get("learning", "")),
    ]
    columns = [own for own in columns if own]
    every = [each for own in columns for each in own]
    return [_panels(columns), *every, *_times(found)] if columns else []


def _times(found: Measurement) -> list[Picture]:
    """The workers' own seconds, round by round, with those that straggled."""
    late = found.facts.get("straggling")
    if late is None:
        return []
    own = found.recording
    whole = own[np.isfinite(own).all(axis=1)]
    names = [
        {"worker": name, "straggled": share}
        for name, share in zip(found.workers, late["shares"], strict=True)
    ]
    data = {
        "workers": len(names),
        "rounds": len(whole),
        "threshold": late["threshold"],
        "straggled": float(np.mean(late["shares"])),
        "each": names,
        "trace": "workers",
    }
    return [heat_map.of_recording(data, whole.tolist())]


def _panels(columns: Sequence[Sequence[Picture]]) -> Picture:
    """All pictures side by side, in columns."""

    def draw(axes: Axes) -> None:
        axes.set_axis_off()
        place: Any = axes.get_subplotspec()
        cells = place.subgridspec(1, len(columns))
        for i, own in enumerate(columns):
            rows = cells[i].subgridspec(len(own), 1)
            for j, picture in enumerate(own):
                inner = axes.figure.add_subplot(rows[j])
                picture.draw(inner)
                inner.set_title(picture.title, loc="left", fontsize=8)

    every = [each for own in columns for each in own]
    said = " ".join(f"{_about(each).capitalize()}: {each.caption}" for each in every)
    size = _WIDTH * len(columns) / 3, 1.5 * HEIGHT
    return Picture(PANELS, "predicted and measured", said, draw, size)


def _about(picture: Picture) -> str:
    """Return what a picture shows, without the verdict."""
    return picture.title.rpartition(": ")[2]


def _line(axes: Axes, *values: Any) -> None:
    """Draw where what was measured equals what was predicted."""
    ends = [min(map(np.min, values)), max(map(np.max, values))]
    axes.plot(ends, ends, color=GREY, linewidth=0.9, zorder=0)


def _rounds(found: Measurement, before: str) -> list[Picture]:
    both = np.isfinite(found.predicted) & np.isfinite(found.measured)
    if not both.any():
        return []
    x, y = 1e3 * found.predicted[both], 1e3 * found.measured[both]

    def draw(axes: Axes) -> None:
        _line(axes, x, y)
        axes.plot(x, y, **next(looks()) | {"linestyle": "", "markersize": 2.4})
        axes.set_xlabel("predicted by workers' own seconds (ms)")
        axes.set_ylabel("measured (ms)")

    said = "each mark is a round; on the line it lasts as long as its workers' own seconds say"
    return [scales.made(ROUNDS, f"{before}time of a round", [said], draw)]


def _quantiles(found: Sequence[Mapping[str, Any]], before: str) -> list[Picture]:
    if not found:
        return []
    law, own = (1e3 * np.array([each[key] for each in found]) for key in ("law", "own"))
    ends = [
        1e3 * np.array([each["own"] if each[key] is None else each[key] for each in found])
        for key in ("low", "high")
    ]

    def draw(axes: Axes) -> None:
        look = next(looks())
        _line(axes, law, *ends)
        axes.vlines(law, ends[0], ends[1], color=look["color"], linewidth=0.9)
        axes.plot(law, own, **look | {"linestyle": "", "markersize": 2.4})
        axes.set_xlabel("by the study's law (ms)")
        axes.set_ylabel("measured by workers (ms)")

    said = (
        "each mark is a quantile (1 %, 5 %, 10 % … 99 %) of workers' own seconds, with its 95 % "
        "interval; on the line it is that of the law"
    )
    return [scales.made(QUANTILES, f"{before}a worker's own seconds", [said], draw)]


def _losses(found: Measurement, learning: Mapping[str, Any], before: str) -> list[Picture]:
    """Losses against rounds and against the clock, as they were and as they were simulated."""
    if not np.isfinite(found.arrays["loss"]).any():
        return []
    sizes, law = found.sizes, found.facts.get("curves")
    loss = by_parts(found.arrays["loss"], sizes, 1)
    measured, predicted = (by_parts(each, sizes) for each in (found.measured, found.predicted))
    solid, dashed, dotted = (each | {"marker": ""} for each, _ in zip(looks(), range(3)))  # noqa: B905

    def by_rounds(axes: Axes) -> None:
        _band(axes, law, "steps", color=GREY, alpha=0.35, label=_LAW)
        for own in loss:
            axes.plot(own, label="measured", **solid)
        if len(loss) == 1 and "steps" in learning:
            axes.plot(learning["steps"], learning["simulated"], label=_SAME, **dotted)
        _finish(axes, "rounds")

    def by_clock(axes: Axes) -> None:
        _band(axes, law, "seconds", color=GREY, alpha=0.35, label=_LAW)
        for each in zip(loss, measured, predicted, strict=True):
            for name, look, seconds in ("measured", solid, each[1]), (_OWN, dashed, each[2]):
                axes.plot(np.append(0.0, np.cumsum(seconds)), each[0], label=name, **look)
        _finish(axes, "time of rounds (s)")

    band = [] if law is None else [f"{100 * law['band']:.0f} % of simulated runs are in the band"]
    said = ["mean loss after each round", *band]
    clock = ["the same over the time that rounds took, or take by the workers' own seconds"]
    return [
        scales.made(LOSSES, f"{before}loss by round", said, by_rounds),
        scales.made(CLOCK, "loss by the clock", clock, by_clock),
    ]


def of_measurements(made: Sequence[Measurement]) -> list[Picture]:
    """Losses of several systems on the same axes, by round and by the clock; none without any."""
    own = [each for each in made if np.isfinite(each.arrays["loss"]).any()]
    if not own:
        return []
    names = labels(own)

    def draw(axes: Axes, x: str) -> None:
        for look, name, each in zip(looks(), names, own, strict=False):
            _band(axes, each.facts.get("curves"), x, color=look["color"], alpha=BAND)
            sizes = each.sizes
            parts = by_parts(each.arrays["loss"], sizes, 1), by_parts(each.measured, sizes)
            for loss, seconds in zip(*parts, strict=True):
                at = np.append(0.0, np.cumsum(seconds)) if x == "seconds" else np.arange(len(loss))
                axes.plot(at, loss, label=name, **look | {"marker": ""})
        _finish(axes, "time of rounds (s)" if x == "seconds" else "rounds")

    said = "mean loss of each system as measured; nine of ten runs that are simulated by its law"
    each = scales.made(
        LOSSES, "loss by round", [f"{said} are in its band"], partial(draw, x="steps")
    )
    clock = scales.made(
        CLOCK, "loss by the clock", ["the same over the time of rounds"], partial(draw, x="seconds")
    )
    return [each, clock]


def _band(axes: Axes, law: Mapping[str, Any] | None, x: str, **look: Any) -> None:
    """Draw between what losses simulated runs are, over steps or mean seconds."""
    if law is not None:
        low, high = (np.array(law[key], float) for key in ("low", "high"))
        axes.fill_between(law[x], low, high, linewidth=0, **look)


def _finish(axes: Axes, xlabel: str) -> None:
    axes.set(xlabel=xlabel, ylabel="loss")
    handles, names = axes.get_legend_handles_labels()
    once = dict(zip(names, handles, strict=True))
    axes.legend(once.values(), once.keys(), loc="upper right")
