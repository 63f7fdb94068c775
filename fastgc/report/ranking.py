"""A ranking of systems: its tables and sentences, for pages and notebooks, and as text."""

import math
from collections.abc import Sequence

from fastgc.registry.numbers import counted
from fastgc.report.document import Cell, Interval, Number, Table
from fastgc.report.text import table as as_text
from fastgc.report.text import wrapped
from fastgc.results.ranking import Choice, Ranking, written
from fastgc.statistics.estimates import normal_quantile

WIDTH = 80
#: Times outside are shown in thousands, thousandths, millionths … of the unit.
_SMALLEST, _LARGEST = 1e-2, 1e5
_GRADIENT = {"exact": "exact", "fresh": "fresh", "lost": "a share lost", "stale": "stale"}


def design(found: Ranking) -> str:
    """Return the systems in order, what they cost, the least time for each load, and notes."""
    times, costs, front = (
        [*wrapped(each.caption, WIDTH), *as_text(each, WIDTH), ""] for each in tables(found)
    )
    below = [line for said in remarks(found) for line in wrapped(said, WIDTH)]
    return "\n".join([*times, *wrapped(found.statement, WIDTH), "", *costs, *front, *below])


def tables(found: Ranking) -> list[Table]:
    """Return the times, what they cost, and load against time."""
    interval = f"{100 * found.confidence:g} % interval"
    exactly = "exact law" if found.scope == "law" else "recording"
    scale = 10.0 ** (power := _power([choice.value for choice in found]))
    unit = f"in {f'1e{power} ' * bool(power)}{found.unit}"
    unit += " of the recording" * (found.unit == "units")
    unlike = len({each.gradient for each in found}) > 1
    heads = ("", "system", *(["gradient"] if unlike else []))
    times, costs = [], []
    for place, each in enumerate(found, 1):
        head = str(place), each.name, *([_GRADIENT[each.gradient]] if unlike else [])
        gains = gain(each), known_gain(found, each)
        times.append((*head, number(each.value / scale), known(found, each, scale), *gains))
        used = number(each.load, 4), _worked(each, found.confidence), number(each.messages, 4)
        how = exactly if each.trials is None else counted(each.trials, "trials")
        costs.append((*head[:2], *used, how))
    is_of_rows = found.scope == "recording"
    means = "the rows of the recording" if is_of_rows else "some trials, where trials differ"
    front = [(each.name, number(each.load, 4), number(each.value / scale)) for each in found.front]
    if all(each.gain is None for each in found):
        said = "gains are not known: uncoded work cannot be timed, or takes infinitely long too"
    else:
        said = "gain: how many times as long uncoded work on all workers takes"
    name = f"{found.goal[0].upper()}{found.goal[1:]} of the completion time"
    return [
        Table(
            f"{name}, {unit}; {said}",
            (*heads, "time", interval, "gain", interval),
            times,
            len(heads),
        ),
        Table(
            f"What they cost until done, all workers together; means over {means}",
            ("", "system", "load", f"worker-{found.unit}", "messages", "time from"),
            costs,
            2,
        ),
        Table(
            "Load against time: the fastest for each load",
            ("system", "load", "time"),
            front,
        ),
    ]


def _worked(choice: Choice, confidence: float) -> Cell:
    """Return the seconds of work, with the standard error of a mean of trials."""
    if choice.worked_low == choice.worked_high or not math.isfinite(choice.worked_high):
        return number(choice.worked, 4)
    error = (choice.worked_high - choice.worked) / normal_quantile(confidence)
    return Number(choice.worked, error)


def remarks(found: Ranking) -> list[str]:
    """Return sentences on what was looked at, on single systems and on the whole."""
    counts = ", ".join(f"{count} {scheme}" for scheme, count in found.looked_at.items())
    said = [f"{counted(sum(found.looked_at.values()), 'systems')} looked at: {counts}."]
    for scheme, reason in found.left_out.items():
        verb = "" if reason.startswith(("codes ", "needs ")) else "does not fit: "
        said.append(f"Not looked at: {scheme}, which {verb}{reason}.")
    noted: dict[str, list[str]] = {}
    for place, choice in enumerate(found, 1):
        if choice.also:
            said.append(f"{place} is the same as {', '.join(map(written, choice.also))}.")
        if choice.note:
            noted.setdefault(choice.note, []).append(str(place))
    said += [f"{', '.join(places)}: {note}." for note, places in noted.items()]
    return [*said, *(f"{note[0].upper()}{note[1:]}." for note in found.notes)]


def _power(values: Sequence[float]) -> int:
    """The power of ten, a multiple of 3, in whose multiples times are short."""
    finite = [value for value in values if 0 < value < math.inf]
    if not finite or (min(finite) >= _SMALLEST and max(finite) < _LARGEST):
        return 0
    return 3 * math.floor(math.log10(min(finite)) / 3)


def known(found: Ranking, choice: Choice, scale: float = 1.0) -> Cell:
    """Return the interval of a time, that it is exact, or that rows bound it on no side."""
    if choice.low <= 0 and choice.high == math.inf > choice.value:
        return "not known"
    if choice.low == choice.high == choice.value:
        return found.certainty
    return Interval(choice.low / scale, choice.high / scale)


def gain(choice: Choice) -> Cell:
    """Return how many times as long uncoded work takes."""
    return "–" if choice.gain is None else number(choice.gain, 4)


def known_gain(found: Ranking, choice: Choice) -> Cell:
    """Return the interval of a gain, or how it is known."""
    if choice.gain is None:
        return ""
    low, high = choice.gain_low, choice.gain_high
    if low is None or high is None or (low <= 0 and high == math.inf):
        return "not known"
    if low == high:
        return "exact" if choice.gain == 1 else found.certainty
    return Interval(low, high)


def number(value: float, digits: int = 6) -> Cell:
    """Return a number with so many digits."""
    return Number(float(f"{value:.{digits}g}")) if math.isfinite(value) else "infinite"
