"""Load against time: what redundancy buys, and which systems none beats on both."""

import math
from collections.abc import Mapping, Sequence

from fastgc.report.pictures import parts, scales, words
from fastgc.report.pictures.curves import curves, is_number, place_of, swept
from fastgc.report.pictures.looks import GREY, looks
from fastgc.report.pictures.picture import Axes, Picture
from fastgc.results.ranking import Ranking
from fastgc.results.rows import Row

KIND = "front"
_LOAD = "load (share of the data a worker holds)"
#: Systems that look alike, by name: load and time of each.
Groups = Mapping[str, Sequence[parts.Number]]


def of_rows(rows: Sequence[Row], times: Sequence[Row]) -> Picture | None:
    """Return the picture of systems of which load and time are known; None where there is none.

    ``times`` are the rows of one statistic of the time, ``rows`` all rows.
    """
    loads = {
        place_of(row): row.estimate.value
        for row in rows
        if row.quantity == "load" and row.statistic == "mean" and row.estimate.value is not None
    }
    points = [row.point for row in times]
    # systems that differ in numbers alone look alike
    numeric = [
        key for key in swept(points) if all(is_number(each[key]) for each in points if key in each)
    ]
    found, groups = curves(times, numeric), {}
    for curve in found:
        own = [row for row in curve.rows or curve.theory if place_of(row) in loads]
        every = parts.of_rows(own, lambda row: loads[place_of(row)])
        if known := [number for number in every if math.isfinite(number.value)]:
            groups[curve.label] = known
    if sum(map(len, groups.values())) < 2:
        return None
    label = words.with_unit(words.quantity(times[0]), times[0].unit)
    return _picture(groups, label, words.sampled("bars", times), found[0].shared)


def of_ranking(found: Ranking) -> Picture | None:
    """Return the picture of the systems of a ranking; None where there is one load alone."""
    groups: dict[str, list[parts.Number]] = {}
    for choice in [*found, *(each for each in found.front if each not in found.choices)]:
        if math.isfinite(choice.value):
            number = parts.Number(choice.load, choice.value, choice.low, choice.high)
            groups.setdefault(str(choice.system["family"]), []).append(number)
    if len({number.x for own in groups.values() for number in own}) < 2:
        return None
    said = [f"bars are {100 * found.confidence:g} % intervals"]
    return _picture(groups, words.with_unit(*words.goal(found)), said)


def least(systems: Sequence[parts.Number]) -> list[parts.Number]:
    """Return the systems by rising load, without those that a lighter one equals or beats."""
    found: list[parts.Number] = []
    for system in sorted(systems, key=lambda each: (each.x, each.value)):
        if system.value < (found[-1].value if found else math.inf):
            found.append(system)
    return found


def _picture(groups: Groups, label: str, sampled: Sequence[str], shared: str = "") -> Picture:
    every = [system for own in groups.values() for system in own]
    front = least(every)

    def draw(axes: Axes) -> None:
        scales.of_numbers(axes, every)
        scales.of_values(axes, [system.x for system in every], "x")
        x = [*(system.x for system in front), max(system.x for system in every)]
        y = [*(system.value for system in front), front[-1].value]
        axes.plot(x, y, drawstyle="steps-post", color=GREY, linewidth=0.9, label=parts.FRONT)
        for (name, own), look in zip(groups.items(), looks(), strict=False):
            parts.marks(axes, sorted(own), look, name)
        axes.set_xlabel(_LOAD)
        axes.set_ylabel(label)

    on_front = [name for name, own in groups.items() if any(s in front for s in own)]
    said = [
        f"{label} against load{words.of(groups, shared)}",
        "the grey steps join the systems that no lighter one equals or beats"
        f"{words.of(on_front, lead=': ')}",
        *(sampled if any(system.is_uncertain for system in every) else ()),
    ]
    names = [*groups, parts.FRONT]
    return scales.made(KIND, "load against time", said, draw, names, shared)
