"""Remedies in their order: tables and sentences of `fastgc design` and `fastgc advise`."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fastgc.registry.numbers import counted
from fastgc.report.document import Cell, Interval, Number, Table
from fastgc.report.text import table as as_text
from fastgc.report.text import wrapped
from fastgc.results.ranking import COPIES, Ranking, Remedy, at_cost, written

if TYPE_CHECKING:
    from fastgc.report.pictures import Picture

WIDTH = 80
_ADVICE = (
    "What all of the work costs: the time that one worker needs for the whole work of a round, "
    "beyond what it needs for none.",
    "Time: mean of a round. Gain: how many times as long a round of uncoded work takes. Both are "
    "of rounds that the remedy was not chosen on, those of stale gradients of all rounds. Fresh, "
    "lost and stale gradients are other ones: times do not show what the loss pays for them.",
)
_SURE = {
    "remedy": "certain",
    "nothing": "certain",
    "load": "if load costs most",
    "slow": "of who is slow",
    "unsure": "rows do not tell",
    "refused": "refused",
}


def remedies(found: Ranking) -> str:
    """Return a ranking as text."""
    lines = [*wrapped(subject(found), WIDTH), ""] if found.trace else []
    for head, text in said(found):
        lines += [*wrapped(f"{head}: {text}", WIDTH), ""]
    for each in tables(found):
        lines += [*wrapped(each.caption, WIDTH), *as_text(each, WIDTH), ""]
    lines += [line for each in notes(found) for line in wrapped(each, WIDTH)]
    return "\n".join(lines).rstrip()


def subject(found: Ranking) -> str:
    """Return how large the recording is, and what its times are in."""
    size = f"{counted(len(found.workers), 'workers')}, {counted(found.rounds, 'rounds')}"
    unit = f", in {found.unit}" if found.unit else "; the file does not name its unit (--unit)"
    return f"{found.trace}: {size}{unit}"


def said(found: Ranking) -> list[tuple[str, str]]:
    """Return what may mislead, the verdict, why, and what to do next."""
    parts = [("Beware", f"{each.removesuffix('.')}.") for each in found.warnings]
    parts.append(("Verdict" if found.trace else "How sure it is", found.verdict))
    parts += [("Why", " ".join(found.why))] if found.why else []
    return [*parts, *([("Next", found.next)] if found.next else [])]


def tables(found: Ranking) -> list[Table]:
    """Return the remedies with their times, for each cost of load, and what they cost."""
    if found.trace:
        captions = [at_cost(rate, found.unit, known=found.rate_known) for rate in found.rates]
        own = [[each for each in found if each.rate == rate] for rate in found.rates]
        return [_times(found, each, f"I{at[1:]}") for at, each in zip(captions, own, strict=True)]
    unit = f"in {found.unit}{' of the recording' * (found.unit == 'units')}"
    gains = "gain: how many times as long uncoded work on all workers takes"
    if all(each.gain is None for each in found):
        gains = "gains are not known: uncoded work cannot be timed, or takes infinitely long too"
    name = f"{found.goal[0].upper()}{found.goal[1:]} of the completion time"
    rows = "the rows of the recording" if found.scope == "recording" else "some trials"
    exactly = "exact law" if found.scope == "law" else "recording"
    costs = []
    for place, each in enumerate(found, 1):
        numbers = [number(value, 4) for value in (each.load, each.worked, each.messages)]
        how = exactly if each.trials is None else counted(each.trials, "trials")
        costs.append([str(place), each.name, *numbers, how])
    heads = ("", "system", "load", f"worker-{found.unit}", "messages", "time from")
    caption = f"What they cost until done, all workers together; means over {rows}"
    return [_times(found, found, f"{name}, {unit}; {gains}"), Table(caption, heads, costs, 2)]


def _times(found: Ranking, own: Sequence[Remedy], caption: str) -> Table:
    """Return remedies with their times and gains; those of an advice with what workers do."""
    interval, work = f"{100 * found.confidence:g} % interval", f"worker-{found.unit or 'time'}"
    rows = []
    for place, each in enumerate(own, 1):
        gradient = f"{100 * each.lost['mean']:.2g} % lost" if each.lost else each.gradient
        time = number(each.value, 4 if found.trace else 6)
        known = _known(found.certainty, each.value, each.low, each.high)
        gained = gain(each), gain_known(found, each), number(each.worked, 4)
        rows.append((str(place), each.name, gradient, time, known, *gained))
    heads = ["", "system", "gradient", "time", interval, "gain", interval, work]
    kept = [1, 2, 3, 5, 6, 7] if found.trace else [0, 1, 2, 3, 4, 5, 6]
    if not found.trace and {each.gradient for each in found} == {"exact"}:
        kept.remove(2)
    shown = [[row[place] for place in kept] for row in rows]
    return Table(caption, [heads[place] for place in kept], shown, kept.index(3))


def notes(found: Ranking) -> list[str]:
    """Return sentences on what was looked at, on single systems and on the whole."""
    told = []
    if found.trace and len(found):
        told = [*_break_even(found), *_ADVICE]
    elif len(found):
        counts = ", ".join(f"{count} {scheme}" for scheme, count in found.looked_at.items())
        told = [f"{counted(sum(found.looked_at.values()), 'systems')} looked at: {counts}."]
    noted: dict[str, list[str]] = {}
    for place, each in enumerate(found, 1):
        if each.also:
            told.append(f"{place} is the same as {', '.join(map(written, each.also))}.")
        if each.note:
            noted.setdefault(each.note, []).append(str(place))
    told += [f"{', '.join(places)}: {note}." for note, places in noted.items()]
    named = [found.system, *(each.system for each in found.ranges)] if found.trace else []
    own = [each for each in found if each.system in named] if found.trace else found[:1]
    told += dict.fromkeys(f"{each.name}: {_placed(each)}." for each in own if each.places)
    return [*told, *(f"{note[0].upper()}{note[1:]}." for note in found.notes)]


def _placed(each: Remedy) -> str:
    """Return which workers hold copies of one part, or take the places of a system in turn."""
    names = [f"worker {name}" if name.isdigit() else name for name in each.places]
    size = each.system.get(COPIES.get(each.system["family"], ""), 0)
    order = "workers take its places in the order " + ", ".join(names)
    if size:
        groups = (" and ".join(names[i : i + size]) for i in range(0, len(names), size))
        order = f"copies of one part are on {'; '.join(groups)}"
    return f"{order} (dealt by mean times)"


def _break_even(found: Ranking) -> list[str]:
    even, unit = found.break_even, "" if found.unit is None else f" {found.unit}"
    if even is None:
        return []
    now = "now: unknown; record at two loads"
    if found.rate_known:
        now = f"now: {number(found.rates[len(found.rates) // 2], 3)}"
    if even.value == 0:
        return ["Break-even: codes never pay here, even if more work takes no more time."]
    if even.value >= even.highest:
        return [f"Break-even: codes pay up to {number(even.highest, 3)}{unit} at least ({now})."]
    value, low, high = (number(end, 3) for end in (even.value, even.low, even.high))
    return [
        f"Break-even: codes pay while all of the work costs less than {value} [{low}, {high}]"
        f"{unit} a round ({now})."
    ]


# ---- a folder of recordings


def folder(found: Sequence[Ranking]) -> str:
    """Return a line for each recording as text."""
    made = side_by_side(found)
    return "\n".join([*wrapped(made.caption, WIDTH), *as_text(made, WIDTH)])


def side_by_side(found: Sequence[Ranking]) -> Table:
    """Return a table with a line for each recording: the best remedy, what it saves, how sure."""
    rows = []
    for each in found:
        best, saved = each.best, _saved(each)
        shown = ["–", ""]
        if best is not None and saved is not None:
            shown = [best.name, "{:.3g} % [{:.3g}, {:.3g}]".format(*saved)]
        rows.append([each.trace, *shown, _SURE[each.kind]])
    heads = ("recording", "best remedy", "saves", "how sure")
    return Table("What is best in each recording, and how much of a round it saves", heads, rows, 1)


def _saved(found: Ranking) -> tuple[float, float, float] | None:
    """Return what share of a round the best remedy saves, in %, and its interval."""
    best = found.best
    if best is None or not best.gain or not best.gain_low or best.gain_high is None:
        return None
    value, low, high = (100 - 100 / end for end in (best.gain, best.gain_low, best.gain_high))
    return value, low, high


def picture(found: Sequence[Ranking]) -> "Picture":
    """Return the picture of what the best remedy saves in each recording."""
    from fastgc.report.pictures.picture import BLACK, BLUE, COLUMN, LINE, Axes, Picture

    known = [(each, saved) for each in found if (saved := _saved(each)) is not None]
    names = [f"{each.trace}: {each.best and each.best.name}" for each, _ in known]

    def draw(axes: Axes) -> None:
        for place, (_, (value, low, high)) in enumerate(known):
            ends = [[value - low], [high - value]]
            axes.errorbar([value], [place], xerr=ends, fmt="o", color=BLUE, capsize=1.8)
        axes.set_yticks(range(len(known)), names)
        axes.set_ylim(len(known) - 0.5, -0.5)
        axes.axvline(0.0, color=BLACK, linewidth=0.6)
        axes.set_xlabel("time of a round that is saved, %")

    return Picture(
        "comparison",
        "What the best remedy saves",
        "The share of a round that the best remedy of each recording saves, with its interval.",
        draw,
        (2 * COLUMN, 0.8 + 1.3 * LINE * max(3, len(known))),
    )


# ---- numbers


def gain(remedy: Remedy) -> Cell:
    """Return how many times as long uncoded work takes."""
    return "–" if remedy.gain is None else number(remedy.gain, 4)


def gain_known(found: Ranking, remedy: Remedy) -> Cell:
    """Return the interval of a gain, or how it is known."""
    low, high = remedy.gain_low, remedy.gain_high
    if remedy.gain is None or (low == high == 1 and found.trace):
        return ""
    if low is None or high is None:
        return "not known"
    return _known("exact" if remedy.gain == 1 else found.certainty, remedy.gain, low, high)


def _known(certainty: str, value: float, low: float, high: float) -> Cell:
    """Return an interval, that the value is exact, or that rows bound it on no side."""
    if low <= 0 and high == math.inf > value:
        return "not known"
    return certainty if low == high else Interval(low, high)


def number(value: float, digits: int = 6) -> Cell:
    """Return a number with so many digits."""
    return Number(float(f"{value:.{digits}g}")) if math.isfinite(value) else "infinite"
