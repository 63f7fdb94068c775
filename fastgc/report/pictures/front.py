"""Load against time: what redundancy buys, and which systems none beats on both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastgc.report.pictures import numbers, parts, scales, words
from fastgc.report.pictures.curves import curves, is_number, swept
from fastgc.report.pictures.legends import height, legend
from fastgc.report.pictures.looks import GREY, looks
from fastgc.report.pictures.picture import COLUMN, HEIGHT, Picture
from fastgc.results.ranking import Ranking
from fastgc.results.rows import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KIND = "front"
FRONT = "fastest for its load"
_LOAD = "load (share of the data a worker holds)"


@dataclass(frozen=True)
class Group:
    """Systems that look alike: a name, and (load, time) of each."""

    label: str
    systems: list[numbers.Number]


def of_rows(rows: Sequence[Row], times: Sequence[Row]) -> Picture | None:
    """Return the picture of systems of which load and time are known; None where there is none.

    ``times`` are the rows of one statistic of the time, ``rows`` all rows.
    """
    loads = {
        _place(row): row.estimate.value
        for row in rows
        if row.quantity == "load" and row.statistic == "mean" and row.estimate.value is not None
    }
    groups = []
    for curve in curves(times, _numeric_keys(times)):
        own = [row for row in curve.rows or curve.theory if _place(row) in loads]
        found = numbers.of_rows(own, lambda row: loads[_place(row)] or 0.0)
        known = [number for number in found if math.isfinite(number.value)]
        if known:
            groups.append(Group(curve.label, known))
    if sum(len(group.systems) for group in groups) < 2:
        return None
    label = words.with_unit(words.quantity(times[0]), times[0].unit)
    return _picture(groups, label, words.trials(times))


def of_ranking(found: Ranking) -> Picture | None:
    """Return the picture of the systems of a ranking; None where there is one load alone."""
    by_scheme: dict[str, list[numbers.Number]] = {}
    for choice in [*found, *(each for each in found.front if each not in found.choices)]:
        if math.isfinite(choice.value):
            number = numbers.Number(choice.load, choice.value, choice.low, choice.high)
            by_scheme.setdefault(str(choice.system["family"]), []).append(number)
    groups = [Group(name, sorted(own)) for name, own in by_scheme.items()]
    if len({number.x for group in groups for number in group.systems}) < 2:
        return None
    goal = words.statistic("completion time", found.goal)
    return _picture(groups, words.with_unit(goal, "seconds"), "")


def least(systems: Sequence[numbers.Number]) -> list[numbers.Number]:
    """Return the systems by rising load, without those that a lighter one equals or beats."""
    found: list[numbers.Number] = []
    for system in sorted(systems, key=lambda each: (each.x, each.value)):
        if system.value < (found[-1].value if found else math.inf):
            found.append(system)
    return found


def _picture(groups: Sequence[Group], label: str, sampled: str) -> Picture:
    every = [system for group in groups for system in group.systems]
    front = least(every)

    def draw(axes: Axes) -> None:
        x = [*(system.x for system in front), max(system.x for system in every)]
        y = [*(system.value for system in front), front[-1].value]
        axes.plot(x, y, drawstyle="steps-post", color=GREY, linewidth=0.9, label=FRONT)
        for group, look in zip(groups, looks(), strict=False):
            parts.marks(axes, group.systems, look, group.label)
        scales.of_values(axes, [end for system in every for end in system[1:]])
        scales.of_values(axes, [system.x for system in every], "x")
        axes.set_xlabel(_LOAD)
        axes.set_ylabel(label)
        legend(axes, [FRONT])

    names = [group.label for group in groups]
    on_front = [group.label for group in groups if any(s in front for s in group.systems)]
    said = [
        f"{label} against load, for {words.listed(names)}",
        f"the grey steps join the systems that no lighter one equals or beats: "
        f"{words.listed(on_front)}",
    ]
    if any(system.is_uncertain for system in every):
        said.append(f"bars are {numbers.INTERVAL}" + (f" of {sampled}" if sampled else ""))
    caption = " ".join(map(words.sentence, said))
    size = COLUMN, HEIGHT + height([*names, FRONT])
    return Picture(KIND, "load against time", caption, draw, size)


def _place(row: Row) -> tuple[str, str]:
    return row.experiment, str(sorted(row.point.items(), key=str))


def _numeric_keys(rows: Sequence[Row]) -> list[str]:
    """Keys swept over numbers: systems that differ in them alone look alike."""
    points = [row.point for row in rows]
    return [
        key
        for key in swept(points)
        if all(is_number(point[key]) for point in points if key in point)
    ]
