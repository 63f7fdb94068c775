"""What `fastgc design` and `fastgc advise` rank, and what `fastgc measure` found of one system."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from fastgc import registry
from fastgc.registry.number_types import counted
from fastgc.report.document import Block, Cell, Interval, Items, Number, Paragraph, Table
from fastgc.report.text import as_lines
from fastgc.results.measurements import Measurement
from fastgc.results.remedies import COPIES, Ranking, Remedy, at_cost, written
from fastgc.systems.system import System

WIDTH = 80
_EXACT = 1e-9  # a decoding error that rounding leaves
_ADVICE = (
    "What all of the work costs: the time that one worker needs for the whole work of a round, "
    "beyond what it needs for none. Codes help while, by all rounds, one is the fastest exact way.",
    "Time: mean of a round. Gain: how many times as long a round of uncoded work takes. Both are "
    "of rounds that the remedy was not chosen on, those of stale gradients of all rounds. Fresh, "
    "lost and stale gradients are other ones: times do not show what the loss pays for them.",
)
#: How sure it is what the remedy saves, where one is named.
_SURE = {"remedy": "certain", "nothing": "certain", "load": "if load costs most"}


def remedies(found: Ranking) -> str:
    """Return a ranking as text."""
    head = [Paragraph(subject(found))] if found.trace else []
    return as_lines([*head, *answer(found), *numbers(found)], WIDTH).rstrip()


def subject(found: Ranking) -> str:
    """Return how large the recording is, what its times are in, and what brackets hold."""
    size = f"{counted(len(found.workers), 'workers')}, {counted(found.rounds, 'rounds')}"
    unit = f", in {found.unit}" if found.unit else "; the file does not name its unit (--unit)"
    ends = "; […] is a 95 % interval" if "[" in " ".join((found.verdict, *found.why)) else ""
    return f"{found.trace}: {size}{unit}{ends}"


def answer(found: Ranking) -> list[Paragraph]:
    """Return what may mislead, the verdict, why, and what to do next."""
    said = [Paragraph(f"{each.removesuffix('.')}.", "Beware") for each in found.warnings]
    said.append(Paragraph(found.verdict, "Verdict" if found.trace else "How sure it is"))
    said += [Paragraph(" ".join(found.why), "Why")] * bool(found.why)
    return [*said, *[Paragraph(found.next or "", "Next")] * bool(found.next)]


def numbers(found: Ranking) -> list[Block]:
    """Return the tables of a ranking, and what is to be said of them."""
    said = notes(found)
    return [*tables(found), *[Items(said)] * bool(said)]


def tables(found: Ranking) -> list[Table]:
    """Return the remedies with their times, for each cost of load, and what they cost."""
    if found.trace:
        made = [_ranges(found)] if found.ranges else []
        for rate in found.rates:
            caption = at_cost(rate, found.unit, known=found.rate_known)
            own = [each for each in found if each.rate == rate]
            made.append(_times(found, own, f"I{caption[1:]}"))
        return made
    unit = f"in {found.unit}{' of the recording' * (found.unit == 'units')}"
    gains = "gain: how many times as long uncoded work on all workers takes"
    if all(each.gain is None for each in found):
        gains = "gains are not known: uncoded work cannot be timed, or takes infinitely long too"
    name = f"{found.goal[0].upper()}{found.goal[1:]} of the completion time"
    rows = "the rows of the recording" if found.scope == "recording" else "some trials"
    exactly = "exact law" if found.scope == "law" else "recording"
    costs = []
    for place, each in enumerate(found, 1):
        cells = [number(value, 4) for value in (each.load, each.worked, each.messages)]
        how = exactly if each.trials is None else counted(each.trials, "trials")
        costs.append([str(place), each.name, *cells, how])
    heads = ("", "system", "load", f"worker-{found.unit}", "messages", "time from")
    caption = f"What they cost until done, all workers together; means over {rows}"
    return [_times(found, found, f"{name}, {unit}; {gains}"), Table(caption, heads, costs, 2)]


def _ranges(found: Ranking) -> Table:
    """Return what is near the best at which cost, and its gain at both ends."""
    rows = []
    for each in found.ranges:
        ends = ((own.gain or 0.0, own.gain_low, own.gain_high) for own in each.judged)
        gains = (f"{gain:.3g} [{low:.3g}, {high:.3g}]" for gain, low, high in ends)
        gains = (gain.replace("inf", "not bounded") for gain in gains)
        rows.append([each.where, written(each.system), *gains])
    what = "what all of it costs" if found.rate_known else "how much longer twice the work takes"
    heads = ("cost", "system", "gain at lowest", "gain at highest")
    return Table(f"What is near the best, by {what}", heads, rows, 2)


def _times(found: Ranking, own: Sequence[Remedy], caption: str) -> Table:
    def ends(certainty: str, value: float, low: float | None, high: float | None) -> Cell:
        if low is None or high is None or (low <= 0 and high == math.inf > value):
            return "not known"
        if high == math.inf > value:
            return f"[{low:.4g}, not bounded]"
        return certainty if low == high else Interval(low, high)

    interval, work = f"{100 * found.confidence:g} % interval", f"worker-{found.unit or 'time'}"
    heads = ("", "system", "gradient", "time", interval, "gain", interval, work)
    kept = [1, 2, 3, 5, 6, 7] if found.trace else [0, 1, 2, 3, 4, 5, 6]
    if not found.trace and {each.gradient for each in found} == {"exact"}:
        kept.remove(2)
    rows = []
    for place, each in enumerate(own, 1):
        gradient = f"{number(100 * each.lost['mean'], 2)} % lost" if each.lost else each.gradient
        time = number(each.value, 4 if found.trace else 6)
        known = ends(found.certainty, each.value, each.low, each.high)
        gain: Cell = "–" if each.gain is None else number(each.gain, 4)
        certain: Cell = ""
        low, high = each.gain_low, each.gain_high
        if each.gain is not None and not (low == high == 1 and found.trace):
            certain = ends("exact" if each.gain == 1 else found.certainty, each.gain, low, high)
        worked = number(each.worked, 4)
        row = (str(place), each.name, gradient, time, known, gain, certain, worked)
        rows.append([row[i] for i in kept])
    return Table(caption, [heads[i] for i in kept], rows, kept.index(3))


def notes(found: Ranking) -> list[str]:
    """Return sentences on what was looked at, on single systems and on the whole."""
    told: list[str] = []
    own = [f"{note[0].upper()}{note[1:]}." for note in found.notes]
    if found.trace and len(found):
        told, own = [*own, *_ADVICE], []
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
    named = [found.system, *(each.system for each in found.ranges)]
    first = [each for each in found if each.system in named] if found.trace else found[:1]
    placed = []
    for each in (remedy for remedy in first if remedy.places):
        names = [f"worker {name}" if name.isdigit() else name for name in each.places]
        order = "workers take its places in the order " + ", ".join(names)
        if size := each.system.get(COPIES.get(each.system["family"], ""), 0):
            groups = (" and ".join(names[i : i + size]) for i in range(0, len(names), size))
            order = f"copies of one part are on {'; '.join(groups)}"
        placed.append(f"{each.name}: {order} (dealt by mean times).")
    told += dict.fromkeys(placed)
    return [*told, *own]


def folder(found: Sequence[Ranking]) -> str:
    """Return a line for each recording as text."""
    return as_lines([side_by_side(found)], WIDTH)


def side_by_side(found: Sequence[Ranking]) -> Table:
    """Return a table with a line for each recording: the best remedy, what it saves, how sure."""
    rows = []
    for each in found:
        best, saved = each.best, "–"
        systems = [own.system for own in (each.ranges or filter(None, [best]))]
        who = [[each.workers[w] for w in own.get("who", ())] for own in systems]
        said = [f" ({', '.join(own[:4])}{' …' * (len(own) > 4)})" * bool(own) for own in who]
        shown = "; ".join(map(str.__add__, map(written, systems), said))
        if best is not None and best.gain and best.gain_low and best.gain_high is not None:
            ends = (100 - 100 / gain for gain in (best.gain, best.gain_low, best.gain_high))
            saved = "{:.3g} % [{:.3g}, {:.3g}]".format(*ends) + f", {_SURE[each.kind]}"
            end = "not bounded]" if best.gain_high == math.inf else "100]"
            saved = saved.replace("100]", end)
            saved += ", not certain" * (best.gain_low <= 1 and best.system["family"] != "uncoded")
        rows.append([each.trace, shown or each.verdict.partition(". ")[0].removesuffix("."), saved])
    heads = ("recording", "best remedy, from low costs of load to high, or why none", "saves")
    what = "What is best in each recording, and how much of a round it saves"
    left = sum(not each.workers for each in found)
    what += f" ({left} of {len(found)} are left out)" * bool(left)
    return Table(what, heads, rows, 2)


def number(value: float, digits: int = 6) -> Cell:
    """Return a number with so many digits."""
    return Number(float(f"{value:.{digits}g}")) if math.isfinite(value) else "infinite"


def measurement(found: Measurement) -> str:
    """Return a measurement as text: the comparisons, and what rounds took."""
    head = Items([measured(found), f"work: {found.facts['work']}"])
    return as_lines([head, *comparisons(found), *rounds(found)], WIDTH)


def measured(found: Measurement) -> str:
    """Return the experiment, if it has a name, and the system, on how many workers of what kind."""
    name, point = found.facts["experiment"], found.facts["point"] or {}
    own = [] if name.startswith("experiment") else [name]
    named = ", ".join([*own, *(f"{key} = {value}" for key, value in point.items())])
    said = ": ".join(filter(None, [named, written(found.facts["system"])]))
    return f"{said} on {len(found.workers)} workers ({found.facts['carrier']})"


def comparisons(found: Measurement) -> list[Paragraph]:
    """Return what held, the decoding error, and the keys of a study of what was measured."""
    said = [
        Paragraph(each["sentence"], f"{each['comparison'].capitalize()} {each['verdict']}")
        for each in found.verdicts
    ]
    errors = found.arrays["decoding_error"]
    if len(errors) and errors.max() > _EXACT:
        mean = number(float(errors.mean()), 3)
        said.append(Paragraph(f"{mean} partitions a round on average", "Decoding error"))
    if np.isfinite(found.recording).all(axis=1).any():
        kind: Any = registry.members("system").get(found.facts["system"]["family"], System)
        order = "replay" if kind.LOOKS_BACK else "rows"
        file = f'"{"OUT.h5" if found.path is None else found.path.name}"'
        work = 1 / found.arrays["share"][0].max()  # so that a load is 1, which is what was recorded
        law = f'{{ distribution = "empirical", file = {file}, order = "{order}" }}'
        kept = " (-o OUT.h5 keeps it)" if found.path is None else ""
        keys = f"latency = {law} and work = {work:.6g}{kept}"
        said.append(Paragraph(f"{keys} simulate what was measured", "Next"))
    return said


def rounds(found: Measurement) -> list[Block]:
    """Return the times of rounds and workers as a table, and how the measurement went."""
    facts, many = found.facts, len(found.measured)
    said = [f"round {place}: worker {name} was lost ({why})" for place, name, why in facts["lost"]]
    if short := int(np.isinf(found.arrays["over"]).sum()):
        less = "rounds got too few answers, and were decoded from what was there"
        said.append(f"{short} of {many} {less}")
    if facts["ended"] not in (None, "done"):
        said.append(f"ended after {many} rounds: {facts['why']}")
    return [*[times(found)] * bool(many), *[Items(said)] * bool(said)]


def times(found: Measurement) -> Table:
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
    heads = ("seconds", "mean", "median", "90 %", "99 %")
    return Table(f"What {len(arrays['measured'])} rounds took", heads, rows, 1)
