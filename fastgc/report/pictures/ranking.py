"""A design's ranking: the systems from the best down, with the intervals of their times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastgc.report.pictures import dots, scales, words
from fastgc.report.pictures.legends import height, legend
from fastgc.report.pictures.numbers import Number
from fastgc.report.pictures.picture import COLUMN, Picture
from fastgc.results.ranking import Ranking
from fastgc.results.rows import EXACT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KIND = "ranking"
#: What the best one is certain of, by the scope of a ranking.
_OF = {"law": "under this law", "cluster": "on this recording", "recording": "on this recording"}
#: So many systems are shown, the best.
MOST = 30


def picture(found: Ranking) -> Picture:
    """Return the picture of a ranking."""
    shown = found[:MOST]
    entries = []
    for choice in shown:
        exact = choice.method == EXACT
        look = 0 if exact else 1
        number = Number(0.0, choice.value, choice.low, choice.high)
        entries.append(dots.Dot(choice.name, number, look, group="exact" if exact else "sampled"))
    goal = words.statistic("completion time", found.goal)

    def draw(axes: Axes) -> None:
        dots.draw(axes, entries)
        known = [choice.value for choice in shown]
        scales.of_values(axes, known, "x")
        axes.set_xlabel(words.with_unit(goal, "seconds"))
        if len(names) > 1:
            legend(axes)

    sure = "certainly" if found.separated else "not certainly"
    said = [
        f"{goal} of {len(shown)} systems, the best first",
        f"{_OF[found.scope]} {found[0].name} is {sure} the best of all that were looked at",
        f"bars are {100 * found.confidence:g} % intervals",
    ]
    names = list(dict.fromkeys(entry.group for entry in entries))
    size = COLUMN, dots.height(entries) + height(names)
    return Picture(KIND, "ranking of systems", " ".join(map(words.sentence, said)), draw, size)
