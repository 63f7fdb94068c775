"""A line of dots for each thing: experiments, the systems of a ranking, verdicts, compared."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fastgc.report import wording
from fastgc.report.pictures import parts, scales, words
from fastgc.report.pictures.curves import curves
from fastgc.report.pictures.looks import BLACK, BLUE, GREY, VERMILION, Look, looks
from fastgc.report.pictures.parts import CLOSED_FORM, Number
from fastgc.report.pictures.picture import LINE, Axes, Picture
from fastgc.results.ranking import Ranking
from fastgc.results.rows import EXACT, Row
from fastgc.results.verdicts import CONFIRMED, LOOSE, REFUTED, UNDECIDED, Finding, Verdict
from fastgc.theory.papers.claim import NOT_REPRODUCIBLE

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
LOOKS: dict[str, Look] = {
    CONFIRMED: {"color": BLUE, "marker": "o"},
    LOOSE: {"color": BLUE, "marker": "D"},
    REFUTED: {"color": VERMILION, "marker": "X"},
    UNDECIDED: {"color": GREY, "marker": "s"},
    NOT_REPRODUCIBLE: {"color": GREY, "marker": "v"},
}
_SIGNS = {"=": "=", "<=": "≤", ">=": "≥", "<": "<", ">": ">"}
#: How numbers were found, by whether they are exact.
_GROUPS = {True: "exact", False: "sampled"}
_HOLLOW = (LOOSE, UNDECIDED, NOT_REPRODUCIBLE)


class Dot(NamedTuple):
    """A name with what is drawn beside it: a mark for a number, a stroke for a closed form.

    ``group`` is what the legend calls marks of its look, by default one of the style's;
    ``printed`` are numbers of a paper in its place.
    """

    name: str
    number: Number | None
    group: str
    look: Look | None = None
    theory: float | None = None
    printed: tuple[float, ...] = ()


def of_rows(rows: Sequence[Row]) -> list[Picture]:
    """Return the pictures of rows of one quantity, none of which has an index."""
    label = words.quantity(rows[0])
    found = curves(rows)
    shared, dots = found[0].shared, []
    for curve in found:
        form = curve.theory[0].estimate.value if curve.theory else None
        for row in curve.rows or curve.theory:
            number = parts.of_estimate(row.estimate)
            is_exact = number is None or row.estimate.trials is None
            name, group = curve.label or row.experiment, _GROUPS[is_exact]
            dots.append(Dot(name, number, group, theory=form, printed=row.printed or ()))
    said = words.sampled("bars", rows)
    said += ["strokes are closed forms"] * any(dot.theory is not None for dot in dots)
    said += ["stars are what the paper prints"] * any(dot.printed for dot in dots)
    said += words.partitions((row.partitions for row in rows), rows[0].quantity)
    axis = words.with_unit(label, rows[0].unit)
    pictures = []
    for first, last, page in _pages(len(dots), MOST):
        of = words.of((dot.name for dot in dots[first:last]), shared, " of ", most=12)
        title, all_said = f"{label}, compared{page}", [f"{label}{of}{page}", *said]
        pictures.append(dotted(COMPARISON, title, all_said, dots[first:last], axis, shared))
    return pictures


def of_ranking(found: Ranking) -> Picture:
    """Return the picture of a ranking."""
    shown = found[:MOST_SYSTEMS]
    numbers = [Number(0.0, each.value, each.low, each.high) for each in shown]
    groups = [_GROUPS[each.method == EXACT] for each in shown]
    dots = list(map(Dot, (each.name for each in shown), numbers, groups))
    goal, unit = words.goal(found)
    left_out = len(found) - len(shown)
    sure = "certainly" if found.separated else "not certainly"
    said = [
        f"{goal} of {len(shown)} systems, the best first"
        + f"; {left_out} slower ones are left out" * (left_out > 0),
        f"{_OF[found.scope]} {found[0].name} is {sure} the best of all that were looked at",
    ]
    if any(number.is_uncertain for number in numbers):
        said.append(f"bars are {100 * found.confidence:g} % intervals")
    label = words.with_unit(goal, unit)
    return dotted(RANKING, "ranking of systems", said, dots, label)


def of_verdicts(verdicts: Sequence[Verdict]) -> list[Picture]:
    """Return the pictures of verdicts: one, or several where they are many."""
    papers = {verdict.claim.partition(".")[0] for verdict in verdicts}
    paper = papers.pop() if len(papers) == 1 else ""
    pictures = []
    for first, last, page in _pages(len(verdicts), MOST_CLAIMS):
        own = verdicts[first:last]
        title = (f"verdicts on {paper}" if paper else "verdicts") + page
        refuted = [verdict.claim for verdict in own if verdict.verdict == REFUTED]
        said = [f"{title}: {wording.counts(own)}"]
        said += [f"refuted: {wording.listed(refuted, most=12)}"] * bool(refuted)
        said.append(
            "marks show by what share of the larger of both the deciding case differs from what "
            "is claimed, with its family-wise interval"
        )
        names = [f"{v.claim.removeprefix(f'{paper}.')} {_SIGNS[v.relation]}" for v in own]
        numbers = [deviation(wording.deciding(verdict)) for verdict in own]
        kinds = [verdict.verdict for verdict in own]
        dots = list(map(Dot, names, numbers, kinds, map(LOOKS.get, kinds)))
        pictures.append(dotted(FOREST, title, said, dots, "measured − claimed (relative)"))
    return pictures


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


def _pages(many: int, most: int) -> Iterator[tuple[int, int, str]]:
    """Yield the first and last row of each picture, and which of how many it is, if of several."""
    pages = math.ceil(many / most)
    size = math.ceil(many / pages)
    for page in range(pages):
        yield page * size, (page + 1) * size, f", {page + 1} of {pages}" * (pages > 1)


def dotted(
    kind: str, title: str, said: Sequence[str], dots: Sequence[Dot], label: str, shared: str = ""
) -> Picture:
    """Return the picture of names and their marks, the first at the top."""
    numbers = [dot.number for dot in dots if dot.number is not None]
    ends = [*numbers, *(Number(0.0, x, x, x) for dot in dots for x in dot.printed)]
    legend = list(dict.fromkeys(dot.group for dot in dots))
    legend += [CLOSED_FORM] * any(dot.theory is not None for dot in dots)
    legend += [parts.PRINTED] * any(dot.printed for dot in dots)
    legend += [parts.LIMIT] * any(number.is_limit for number in numbers)
    names = [dot.name for dot in dots]
    brief = [words.brief(name, names, LONGEST) for name in names]

    def draw(axes: Axes) -> None:
        if kind == FOREST:
            _by_share(axes)
        else:
            axes.locator_params(axis="x", nbins=5)
            scales.of_numbers(axes, ends, "x")
        styles = dict(zip((_GROUPS[True], _GROUPS[False]), looks(), strict=False))
        for place, dot in enumerate(dots):
            _mark(axes, place, dot, dot.look or styles[dot.group])
        axes.set_yticks(range(len(dots)), brief)
        axes.set_ylim(max(2.5, len(dots) - 0.5), -0.5)
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(label)
        axes.set_ylabel(shared)

    names_shown = legend if len(legend) > 1 or kind == FOREST else []
    height = 0.62 + LINE * 1.12 * max(3, len(dots))
    return scales.made(kind, title, said, draw, names_shown, height=height)


def _mark(axes: Axes, place: int, dot: Dot, look: Look) -> None:
    if dot.number is not None:
        hollow = dot.group in _HOLLOW
        own = [dot.number._replace(x=place)]
        parts.marks(axes, own, look, dot.group, hollow=hollow, across=True)
    else:
        middle: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "fontsize": 6}
        middle |= {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1}}
        axes.text(0.5, place, "no number", color=GREY, ha="center", va="center", **middle)
    if dot.theory is not None and math.isfinite(dot.theory):
        stroke: dict[str, Any] = {"marker": "|", "markersize": 8, "linestyle": ""}
        axes.plot([dot.theory], [place], color=BLACK, label=CLOSED_FORM, zorder=4, **stroke)
    parts.printed(axes, [(each, place) for each in dot.printed])


def _by_share(axes: Axes) -> None:
    """Let the axis below show shares of either sign, small ones linearly."""
    axes.axvline(0.0, color=BLACK, linewidth=0.8, zorder=1)
    axes.set_xscale("symlog", linthresh=NEAR, linscale=0.6)
    axes.set_xlim(-2.5, 2.5)  # of other signs, they differ by up to 2
    shares = ["0" if share == 0 else f"{100 * share:+g} %".replace("-", "−") for share in TICKS]
    axes.set_xticks(TICKS, shares)
    axes.set_xticks([-0.1, 0.1], minor=True)
    axes.tick_params(axis="both", labelsize=6)
