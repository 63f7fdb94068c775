"""A line of dots for each thing: experiments, the systems of a ranking, verdicts, compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from fastgc.report import wording
from fastgc.report.pictures import parts, scales, words
from fastgc.report.pictures.curves import curves
from fastgc.report.pictures.looks import BLACK, BLUE, GREY, VERMILION, Look, looks
from fastgc.report.pictures.parts import CLOSED_FORM, Number
from fastgc.report.pictures.picture import LINE, Picture, made
from fastgc.results.ranking import Ranking
from fastgc.results.rows import EXACT, Row
from fastgc.results.verdicts import CONFIRMED, LOOSE, REFUTED, UNDECIDED, Finding, Verdict
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COMPARISON, RANKING, FOREST = "comparison", "ranking", "forest"
#: A picture compares at most so many rows; more are a sweep, or are dealt out to several pictures.
MOST = 20
#: So many systems are shown, the best, and so many claims in a picture.
MOST_SYSTEMS, MOST_CLAIMS = 30, 45
#: Letters of a name that are shown.
LONGEST = 34
#: What the best one is certain of, by the scope of a ranking.
_OF = {"law": "under this law", "cluster": "on this recording", "recording": "on this recording"}
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


@dataclass(frozen=True)
class Dot:
    """A name with what is drawn beside it.

    Attributes
    ----------
    name : str
    number : Number or None
        Its value and interval; x plays no part. None where there is none.
    group : str
        What the legend calls marks of this look.
    look : Look or None
        By default one of the style's, by whether the group is of exact numbers.
    hollow : bool
        Whether the mark is not filled.
    theory : float or None
        A closed form, drawn as a stroke.
    """

    name: str
    number: Number | None
    group: str
    look: Look | None = None
    hollow: bool = False
    theory: float | None = None


def _group(is_exact: bool) -> str:
    return "exact" if is_exact else "sampled"


def _height(dots: Sequence[Dot]) -> float:
    """Return the height that so many names and the axis below them take, in inches."""
    return 0.62 + LINE * 1.12 * max(3, len(dots))


def _draw(axes: Axes, dots: Sequence[Dot]) -> None:
    """Draw the names and their marks, the first at the top."""
    styles = dict(zip((_group(True), _group(False)), islice(looks(), 2), strict=True))
    for place, dot in enumerate(dots):
        if dot.number is not None:
            own = [dot.number._replace(x=place)]
            look = dot.look or styles[dot.group]
            parts.marks(axes, own, look, dot.group, hollow=dot.hollow, across=True)
        else:
            middle: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "fontsize": 6}
            axes.text(0.5, place, "no number", color=GREY, ha="center", va="center", **middle)
        if dot.theory is not None and math.isfinite(dot.theory):
            line: dict[str, Any] = {"marker": "|", "markersize": 8, "linestyle": ""}
            axes.plot([dot.theory], [place], color=BLACK, label=CLOSED_FORM, zorder=4, **line)
    names = [dot.name for dot in dots]
    said = [
        words.brief(name, names[:place] + names[place + 1 :], LONGEST)
        for place, name in enumerate(names)
    ]
    axes.set_yticks(range(len(dots)), said)
    axes.set_ylim(max(2.5, len(dots) - 0.5), -0.5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def _dealt(dots: Sequence[Dot], most: int) -> Iterator[tuple[Sequence[Dot], str]]:
    """Yield the rows of each picture, and which picture of how many it is, if there are several."""
    pages = math.ceil(len(dots) / most)
    size = math.ceil(len(dots) / pages)
    for page in range(pages):
        yield dots[page * size : (page + 1) * size], f", {page + 1} of {pages}" * (pages > 1)


def of_rows(rows: Sequence[Row]) -> list[Picture]:
    """Return the pictures of rows of one quantity, none of which has an index."""
    label = words.quantity(rows[0])
    found = curves(rows)
    dots = []
    for curve in found:
        theory = [row.estimate.value for row in curve.theory]
        for row in curve.rows or curve.theory:
            number = parts.of_estimate(row.estimate)
            group = _group(number is None or row.estimate.trials is None)
            form = theory[0] if theory else None
            dots.append(Dot(curve.label or row.experiment, number, group, theory=form))
    said = words.sampled("bars", rows)
    said += ["strokes are closed forms"] * any(dot.theory is not None for dot in dots)
    said += words.partitions((row.partitions for row in rows), rows[0].quantity)
    axis = words.with_unit(label, rows[0].unit)
    return [
        _comparison(own, f"{label}{page}", axis, found[0].shared, said)
        for own, page in _dealt(dots, MOST)
    ]


def _comparison(
    dots: Sequence[Dot], label: str, axis: str, shared: str, said: Sequence[str]
) -> Picture:
    numbers = [dot.number for dot in dots if dot.number is not None]
    names = list(dict.fromkeys(dot.group for dot in dots))
    names += [CLOSED_FORM] * any(dot.theory is not None for dot in dots)
    names += [parts.LIMIT] * any(number.is_limit for number in numbers)

    def draw(axes: Axes) -> None:
        axes.locator_params(axis="x", nbins=5)
        scales.of_numbers(axes, numbers, "x")
        _draw(axes, dots)
        axes.set_xlabel(axis)
        axes.set_ylabel(shared)
        if len(names) > 1:
            scales.legend(axes)

    of = words.of((dot.name for dot in dots), shared, " of ", most=12)
    height = _height(dots)
    return made(COMPARISON, f"{label}, compared", [f"{label}{of}", *said], draw, names, height)


def of_ranking(found: Ranking) -> Picture:
    """Return the picture of a ranking."""
    shown = found[:MOST_SYSTEMS]
    dots = [
        Dot(each.name, Number(0.0, each.value, each.low, each.high), _group(each.method == EXACT))
        for each in shown
    ]
    goal = words.statistic("completion time", found.goal)
    names = list(dict.fromkeys(dot.group for dot in dots))

    def draw(axes: Axes) -> None:
        axes.locator_params(axis="x", nbins=5)
        scales.of_values(axes, [choice.value for choice in shown], "x")
        _draw(axes, dots)
        axes.set_xlabel(words.with_unit(goal, "seconds"))
        if len(names) > 1:
            scales.legend(axes)

    sure = "certainly" if found.separated else "not certainly"
    left_out = len(found) - len(shown)
    said = [
        f"{goal} of {len(shown)} systems, the best first"
        + f"; {left_out} slower ones are left out" * (left_out > 0),
        f"{_OF[found.scope]} {found[0].name} is {sure} the best of all that were looked at",
        f"bars are {100 * found.confidence:g} % intervals",
    ]
    return made(RANKING, "ranking of systems", said, draw, names, _height(dots))


def of_verdicts(verdicts: Sequence[Verdict]) -> list[Picture]:
    """Return the pictures of verdicts: one, or several where they are many."""
    papers = {verdict.claim.partition(".")[0] for verdict in verdicts}
    paper = papers.pop() if len(papers) == 1 else ""
    dots = []
    for verdict in verdicts:
        name = f"{verdict.claim.removeprefix(f'{paper}.')} {_SIGNS[verdict.relation]}"
        number, kind = deviation(wording.deciding(verdict)), verdict.verdict
        dots.append(Dot(name, number, kind, LOOKS[kind], kind in _HOLLOW))
    of = f"verdicts on {paper}" if paper else "verdicts"
    rest = iter(verdicts)
    return [
        _forest(own, list(islice(rest, len(own))), of + page)
        for own, page in _dealt(dots, MOST_CLAIMS)
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


def _forest(dots: Sequence[Dot], verdicts: Sequence[Verdict], title: str) -> Picture:
    def draw(axes: Axes) -> None:
        axes.axvline(0.0, color=BLACK, linewidth=0.8, zorder=1)
        _draw(axes, dots)
        axes.set_xscale("symlog", linthresh=NEAR, linscale=0.6)
        axes.set_xlim(-2.5, 2.5)  # of other signs, they differ by up to 2
        axes.set_xticks(TICKS, [_percent(each) for each in TICKS])
        axes.set_xticks([-0.1, 0.1], minor=True)
        axes.set_xlabel("measured − claimed (relative)")
        axes.tick_params(axis="both", labelsize=6)
        scales.legend(axes)

    refuted = [verdict.claim for verdict in verdicts if verdict.verdict == REFUTED]
    said = [f"{title}: {wording.counts(verdicts)}"]
    said += [f"refuted: {words.listed(refuted, most=12)}"] * bool(refuted)
    said.append(
        "marks show by what share of the larger of both the deciding case differs from what is "
        "claimed, with its family-wise interval"
    )
    return made(FOREST, title, said, draw, [dot.group for dot in dots], _height(dots))


def _percent(share: float) -> str:
    return "0" if share == 0 else f"{100 * share:+g} %".replace("-", "−")
