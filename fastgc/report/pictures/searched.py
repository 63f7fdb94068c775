"""The course of a search for an encoding matrix: the best value against the changes tried."""

from typing import TYPE_CHECKING

from fastgc.report.pictures import parts, scales
from fastgc.report.pictures.looks import GREY, looks
from fastgc.report.pictures.picture import Picture
from fastgc.searching.certificate import NAMES
from fastgc.searching.found import Found

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KIND = "search"
_FAMILY = "best family"


def of_search(found: Found) -> Picture:
    """Return the picture of a search; a grey line is the best family that it was allowed."""
    made = found.certificate
    last = max(1, made["steps"])
    values = {step: value for step, value, _ in made["course"] if value is not None}
    values |= {last: made["value"]}
    course = [parts.Number(step, *(value,) * 3) for step, value in values.items()]
    first = max if found.problem.goal == "exact" else min
    family = first(
        (
            row["value"]
            for row in made["compared"]
            if row["family"] and row["allowed"] and row["value"]
        ),
        default=None,
    )
    look = next(iter(looks()))

    def draw(axes: "Axes") -> None:
        scales.of_numbers(axes, course)
        x, y = [each.x for each in course], [each.value for each in course]
        axes.plot(x, y, drawstyle="steps-post", color=look["color"], label="best so far")
        if family is not None:
            axes.axhline(family, color=GREY, linewidth=0.9, label=_FAMILY)
        axes.set_xlim(0.0, last)
        axes.set_xlabel("changes tried")
        axes.set_ylabel(NAMES[found.problem.goal])

    said = [f"the best value against the changes tried: {made['statement']}"]
    names = ["best so far", *([] if family is None else [_FAMILY])]
    return scales.made(KIND, "course of a search", said, draw, names)
