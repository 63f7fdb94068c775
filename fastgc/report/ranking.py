"""What `fastgc design` and `fastgc advise` rank, and what `fastgc measure` found of one system."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fastgc import registry
from fastgc.registry.number_types import counted
from fastgc.report.document import Cell, Interval, Number, Table
from fastgc.report.text import table as as_text
from fastgc.report.text import wrapped
from fastgc.results.measurements import Measurement
from fastgc.results.remedies import COPIES, Ranking, Remedy, at_cost, written
from fastgc.systems.system import System

if TYPE_CHECKING:
    from fastgc.report.pictures import Picture

WIDTH = 80
_EXACT = 1e-9  # a decoding error that rounding leaves
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
    interval, work = f"{100 * found.confidence:g} % interval", f"worker-{found.unit or 'time'}"
    rows = []
    for place, each in enumerate(own, 1):
        gradient = f"{number(100 * each.lost['mean'], 2)} % lost" if each.lost else each.gradient
        time = number(each.value, 4 if found.trace else 6)
        known = _known(found.certainty, each.value, each.low, each.high)
        low, high = each.gain_low, each.gain_high
        gain: Cell = "–" if each.gain is None else number(each.gain, 4)
        if each.gain is None or (low == high == 1 and found.trace):
            certain: Cell = ""
        elif low is None or high is None:
            certain = "not known"
        else:
            how = "exact" if each.gain == 1 else found.certainty
            certain = _known(how, each.gain, low, high)
        worked = number(each.worked, 4)
        rows.append((str(place), each.name, gradient, time, known, gain, certain, worked))
    heads = ["", "system", "gradient", "time", interval, "gain", interval, work]
    kept = [1, 2, 3, 5, 6, 7] if found.trace else [0, 1, 2, 3, 4, 5, 6]
    if not found.trace and {each.gradient for each in found} == {"exact"}:
        kept.remove(2)
    shown = [[row[place] for place in kept] for row in rows]
    return Table(caption, [heads[place] for place in kept], shown, kept.index(3))


def notes(found: Ranking) -> list[str]:
    """Return sentences on what was looked at, on single systems and on the whole."""
    told, even = [], found.break_even
    if found.trace and len(found):
        unit, now = "" if found.unit is None else f" {found.unit}", "unknown; record at two loads"
        if found.rate_known:
            now = str(number(found.rates[len(found.rates) // 2], 3))
        if even is not None and even.value == 0:
            told = ["Break-even: codes never pay here, even if more work takes no more time."]
        elif even is not None and even.value >= even.highest:
            most = f"up to {number(even.highest, 3)}{unit} at least"
            told = [f"Break-even: codes pay {most} (now: {now})."]
        elif even is not None:
            value, low, high = (number(end, 3) for end in (even.value, even.low, even.high))
            less = f"less than {value} [{low}, {high}]{unit} a round"
            told = [f"Break-even: codes pay while all of the work costs {less} (now: {now})."]
        told += _ADVICE
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
    placed = []
    for each in (remedy for remedy in own if remedy.places):
        names = [f"worker {name}" if name.isdigit() else name for name in each.places]
        order = "workers take its places in the order " + ", ".join(names)
        if size := each.system.get(COPIES.get(each.system["family"], ""), 0):
            groups = (" and ".join(names[i : i + size]) for i in range(0, len(names), size))
            order = f"copies of one part are on {'; '.join(groups)}"
        placed.append(f"{each.name}: {order} (dealt by mean times).")
    told += dict.fromkeys(placed)
    return [*told, *(f"{note[0].upper()}{note[1:]}." for note in found.notes)]


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
    # what share of a round the best remedy saves, in %, and its interval
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


def _known(certainty: str, value: float, low: float, high: float) -> Cell:
    if low <= 0 and high == math.inf > value:
        return "not known"
    return certainty if low == high else Interval(low, high)


def number(value: float, digits: int = 6) -> Cell:
    """Return a number with so many digits."""
    return Number(float(f"{value:.{digits}g}")) if math.isfinite(value) else "infinite"


def measurement(found: Measurement) -> str:
    """Return a measurement as text: the comparisons, and what rounds took."""
    lines = [*wrapped(measured(found), WIDTH), *wrapped(f"work: {found.facts['work']}", WIDTH), ""]
    for each in found.verdicts:
        head = f"{each['comparison'].capitalize()} {each['verdict']}"
        lines += [*wrapped(f"{head}: {each['sentence']}", WIDTH), ""]
    if len(found.measured):
        lines += [*as_text(rounds(found), WIDTH), ""]
    for head, text in further(found):
        lines += [*wrapped(f"{head}: {text}", WIDTH), ""]
    for said in remarks(found):
        lines += wrapped(said, WIDTH)
    return "\n".join(lines).rstrip()


def measured(found: Measurement) -> str:
    """Return the experiment, if it has a name, and the system, on how many workers of what kind."""
    name, point = found.facts["experiment"], found.facts["point"] or {}
    own = [] if name.startswith("experiment") else [name]
    named = ", ".join([*own, *(f"{key} = {value}" for key, value in point.items())])
    said = ": ".join(filter(None, [named, written(found.facts["system"])]))
    return f"{said} on {len(found.workers)} workers ({found.facts['carrier']})"


def further(found: Measurement) -> list[tuple[str, str]]:
    """Return with heads the decoding error, and the keys of a study of what was measured."""
    said, errors = [], found.arrays["decoding_error"]
    if len(errors) and errors.max() > _EXACT:
        mean = number(float(errors.mean()), 3)
        said.append(("Decoding error", f"{mean} partitions a round on average"))
    if np.isfinite(found.recording).all(axis=1).any():
        kind: Any = registry.members("system").get(found.facts["system"]["family"], System)
        order = "replay" if kind.LOOKS_BACK else "rows"
        file = f'"{"OUT.h5" if found.path is None else found.path.name}"'
        work = 1 / found.arrays["share"][0].max()  # so that a load is 1, which is what was recorded
        law = f'{{ distribution = "empirical", file = {file}, order = "{order}" }}'
        kept = " (-o OUT.h5 keeps it)" if found.path is None else ""
        keys = f"latency = {law} and work = {work:.6g}{kept}"
        said.append(("Next", f"{keys} simulate what was measured"))
    return said


def remarks(found: Measurement) -> list[str]:
    """Return who was lost, which rounds got too few answers, and why it ended."""
    facts, many = found.facts, len(found.measured)
    said = [
        f"round {number_}: worker {worker} was lost ({why})"
        for number_, worker, why in facts["lost"]
    ]
    short = int(np.isinf(found.arrays["over"]).sum())
    if short:
        said.append(
            f"{short} of {many} rounds got too few answers, and were decoded from what was there"
        )
    if facts["ended"] not in (None, "done"):
        said.append(f"ended after {many} rounds: {facts['why']}")
    return said


def rounds(found: Measurement) -> Table:
    """Mean and quantiles of rounds, measured and predicted, and of the workers' own seconds."""
    arrays = found.arrays
    parts = arrays["own"].shape[1] // len(found.workers)
    worked = np.repeat(arrays["share"] > 0, parts, axis=1)
    series: dict[str, Any] = {
        "rounds, measured": arrays["measured"],
        "rounds, predicted": arrays["predicted"],
        "workers' own seconds": arrays["own"][worked],
        "injected": arrays["injected"][worked],
    }
    rows = []
    for name, values in series.items():
        known = values[np.isfinite(values)]
        if known.size:
            figures = [known.mean(), *np.quantile(known, [0.5, 0.9, 0.99])]
            rows.append((name, *(number(float(each), 4) for each in figures)))
    many = len(arrays["measured"])
    heads = ("seconds", "mean", "median", "90 %", "99 %")
    return Table(f"What {many} rounds took", heads, rows, 1)
