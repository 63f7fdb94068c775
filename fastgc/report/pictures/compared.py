"""A line of dots for each thing: experiments, the systems of a ranking, verdicts, compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fastgc.report.pictures import dots, numbers, scales, words
from fastgc.report.pictures.curves import curves
from fastgc.report.pictures.legends import height, legend
from fastgc.report.pictures.parts import CLOSED_FORM
from fastgc.report.pictures.picture import COLUMN, Picture
from fastgc.results.rows import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
import math

from fastgc.report import wording
from fastgc.report.pictures.looks import BLACK, BLUE, GREY, VERMILION, Look
from fastgc.report.pictures.numbers import Number
from fastgc.results.ranking import Ranking
from fastgc.results.rows import EXACT
from fastgc.results.verdicts import CONFIRMED, LOOSE, REFUTED, UNDECIDED, Finding, Verdict
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE

COMPARISON = "comparison"
_EXACT, _SAMPLED = "exact", "sampled"
_LOOKS = {_EXACT: 0, _SAMPLED: 1}


def of_rows(rows: Sequence[Row]) -> Picture:
    """Return the picture of rows of one quantity, none of which has an index."""
    label = words.quantity(rows[0])
    entries = []
    for curve in curves(rows):
        theory = [row.estimate.value for row in curve.theory]
        for row in curve.rows or curve.theory:
            number = numbers.of_estimate(row.estimate)
            sampled = number is not None and row.estimate.trials is not None
            group = _SAMPLED if sampled else _EXACT
            form = theory[0] if theory else None
            name = curve.label or row.experiment
            entries.append(dots.Dot(name, number, _LOOKS[group], group=group, theory=form))
    formed = any(entry.theory is not None for entry in entries)
    names = [*dict.fromkeys(entry.group for entry in entries), *[CLOSED_FORM] * formed]

    def draw(axes: Axes) -> None:
        dots.draw(axes, entries)
        known = [entry.number for entry in entries if entry.number is not None]
        scales.of_values(axes, [end for number in known for end in number[1:]], "x")
        axes.set_xlabel(words.with_unit(label, rows[0].unit))
        if len(names) > 1:
            legend(axes, [CLOSED_FORM])

    of = words.listed((entry.name for entry in entries), most=12)
    said = [f"{label} of {of}"]
    if trials := words.trials(rows):
        said.append(f"bars are {numbers.INTERVAL} of {trials}")
    if formed:
        said.append("strokes are closed forms")
    said += words.partitions((row.partitions for row in rows), rows[0].quantity)
    caption = " ".join(map(words.sentence, said))
    size = COLUMN, dots.height(entries) + height(names)
    return Picture(COMPARISON, f"{label}, compared", caption, draw, size)


RANKING = "ranking"
#: What the best one is certain of, by the scope of a ranking.
_OF = {"law": "under this law", "cluster": "on this recording", "recording": "on this recording"}
#: So many systems are shown, the best.
MOST_SYSTEMS = 30


def of_ranking(found: Ranking) -> Picture:
    """Return the picture of a ranking."""
    shown = found[:MOST_SYSTEMS]
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
    return Picture(RANKING, "ranking of systems", " ".join(map(words.sentence, said)), draw, size)


FOREST = "forest"
#: A picture has at most so many claims; more are dealt out to several.
MOST = 45
#: Deviations below this share are shown on a linear axis.
NEAR = 1e-3
TICKS = (-1.0, -0.01, 0.0, 0.01, 1.0)
LOOKS = {
    CONFIRMED: Look(BLUE, "-", "o"),
    LOOSE: Look(BLUE, "-", "D"),
    REFUTED: Look(VERMILION, "-", "X"),
    UNDECIDED: Look(GREY, "-", "s"),
    NOT_REPRODUCIBLE: Look(GREY, "-", "v"),
}
_SIGNS = {"=": "=", "<=": "≤", ">=": "≥", "<": "<", ">": ">"}
_HOLLOW = (LOOSE, UNDECIDED, NOT_REPRODUCIBLE)


def of_verdicts(verdicts: Sequence[Verdict]) -> list[Picture]:
    """Return the pictures of verdicts: one, or several where they are many."""
    pages = math.ceil(len(verdicts) / MOST)
    size = math.ceil(len(verdicts) / pages)
    return [
        _picture(verdicts[first : first + size], page, pages)
        for page, first in enumerate(range(0, len(verdicts), size), 1)
    ]


def deviation(finding: Finding) -> Number | None:
    """Return by what share of the larger of both a measurement differs from the claim.

    Where the claim is 0, it is in units of the measure's scale; None where one of both is not
    finite.
    """
    value, theory = finding.estimate.value, finding.case.theory
    if value is None or not math.isfinite(value) or not math.isfinite(theory):
        return None
    scale = max(abs(theory), abs(value)) if theory else max(finding.case.scale, abs(value))
    half = finding.half_width if math.isfinite(finding.half_width) else 0.0
    if scale == 0:
        return Number(0.0, 0.0, 0.0, 0.0)
    low, high = (value - half - theory) / scale, (value + half - theory) / scale
    return Number(0.0, (value - theory) / scale, low, high)


def _picture(verdicts: Sequence[Verdict], page: int, pages: int) -> Picture:
    entries = []
    papers = {verdict.claim.partition(".")[0] for verdict in verdicts}
    paper = papers.pop() if len(papers) == 1 else ""
    for verdict in verdicts:
        look = LOOKS[verdict.verdict]
        number = deviation(wording.deciding(verdict))
        hollow = verdict.verdict in _HOLLOW
        name = f"{verdict.claim.removeprefix(f'{paper}.')} {_SIGNS[verdict.relation]}"
        entries.append(dots.Dot(name, number, look, hollow, verdict.verdict))

    def draw(axes: Axes) -> None:
        axes.axvline(0.0, color=BLACK, linewidth=0.8, zorder=1)
        dots.draw(axes, entries)
        axes.set_xscale("symlog", linthresh=NEAR, linscale=0.6)
        axes.set_xlim(-2.5, 2.5)  # of other signs, they differ by up to 2
        axes.set_xticks(TICKS, [_percent(each) for each in TICKS])
        axes.set_xticks([-0.1, 0.1], minor=True)
        axes.set_xlabel("measured − claimed")
        axes.tick_params(axis="both", labelsize=6)
        legend(axes)

    of = f"verdicts on {paper}" if paper else "verdicts"
    title = of + (f", {page} of {pages}" if pages > 1 else "")
    said = [f"{title}: {wording.counts(verdicts)}"]
    refuted = [verdict.claim for verdict in verdicts if verdict.verdict == REFUTED]
    if refuted:
        said.append(f"refuted: {words.listed(refuted, most=12)}")
    said.append(
        "marks show by what share of the larger of both the deciding case differs from what is "
        "claimed, with its family-wise interval"
    )
    caption = " ".join(map(words.sentence, said))
    names = [entry.group for entry in entries]
    return Picture(FOREST, title, caption, draw, (COLUMN, dots.height(entries) + height(names)))


def _percent(share: float) -> str:
    return "0" if share == 0 else f"{100 * share:+g} %".replace("-", "−")
