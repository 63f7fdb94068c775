"""Pictures of an advice: what remedies gain, up to what cost of load codes pay, who is slow."""

import math

from fastgc.latency.slowdown import Figure, Slowdown
from fastgc.report.advised import at_cost
from fastgc.report.pictures import parts, scales, words
from fastgc.report.pictures.compared import Dot, dotted
from fastgc.report.pictures.looks import BAND, GREY, looks
from fastgc.report.pictures.parts import Number
from fastgc.report.pictures.picture import Axes, Picture
from fastgc.results.advised import Advice, BreakEven, Remedy, briefly, in_unit

REMEDIES, BREAK_EVEN, WORKERS = "remedies", "break-even", "workers"
#: Workers that are shown, those that cost most.
MOST = 20
_GROUPS = {
    "exact": "exact gradient",
    "fresh": "of fresh mini-batches",
    "lost": "a share lost",
    "stale": "stale",
}


def of_advice(found: Advice) -> list[Picture]:
    """Return the pictures of an advice; none where the recording was refused."""
    pictures = [_gains(found, rate) for rate in found.rates]
    if found.break_even is not None:
        pictures.append(_curves(found.break_even, found.unit))
    if found.slowdown is not None:
        pictures.append(_workers(found.slowdown, found.names))
    return pictures


def _number(found: Figure) -> Number:
    """Ends that so few rounds do not bound are drawn at the value."""
    ends = (end if math.isfinite(end) else found.value for end in (found.low, found.high))
    return Number(0.0, found.value, *ends)


def _gains(found: Advice, rate: float) -> Picture:
    own = [each for each in found.remedies if each.rate == rate]
    styles = dict(zip(_GROUPS, looks(), strict=False))

    def dot(each: Remedy) -> Dot:
        return Dot(
            briefly(each.system), _number(each.gain), _GROUPS[each.gradient], styles[each.gradient]
        )

    costs = at_cost(rate, found.unit, known=found.rate_known)
    title = f"gain of remedies {costs}"
    said = [
        f"how many times as long a round of uncoded work takes, {costs}",
        "bars are 95 % intervals, of rounds that the remedies were not chosen on",
    ]
    return dotted(REMEDIES, title, said, [dot(each) for each in own], "gain: time uncoded ÷ time")


def _curves(even: BreakEven, unit: str | None) -> Picture:
    names = ("best code", "best without a code")
    lines = [
        [Number(each[0], each[place], each[place], each[place]) for each in even.curve]
        for place in (1, 2)
    ]
    pays = 0 < even.value < even.highest

    def draw(axes: Axes) -> None:
        for own, look, name in zip(lines, looks(), names, strict=False):
            parts.line(axes, own, look | {"marker": ""}, name)
        if pays:
            axes.axvspan(even.low, even.high, color=GREY, alpha=BAND, linewidth=0)
            axes.axvline(even.value, color=GREY, linewidth=0.9)
        axes.set_xlabel(words.with_unit("cost of all of the work, a round", unit or ""))
        axes.set_ylabel(words.with_unit("mean time of a round", unit or ""))

    said = ["mean time of a round with the best code and the best without, by what load costs"]
    if pays:
        said.append(
            f"codes pay up to the grey line, {even.value:.3g} [{even.low:.3g}, {even.high:.3g}]"
            f"{in_unit(unit)}"
        )
    return scales.made(BREAK_EVEN, "up to what cost of load codes pay", said, draw, names)


def _workers(found: Slowdown, names: tuple[str, ...]) -> Picture:
    shown = found.ranked[:MOST]
    dots = [Dot(names[w], _number(found.S_w[w]), "sampled") for w in shown]
    left_out = len(names) - len(shown)
    said = [
        f"S is {found.S.value:.3g} with all workers; marks show what it would be if one of them "
        "took what the others do on average, those first that cost most",
        "bars are 95 % intervals" + f"; {left_out} more workers are not shown" * (left_out > 0),
    ]
    return dotted(WORKERS, "who is slow", said, dots, "S were it like the others")
