"""A ranking of systems as text, at most 80 columns wide."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence

from fastgc.report.columns import columns
from fastgc.results.ranking import Choice, Ranking, written

WIDTH = 80
#: Columns of a system's name, at least; longer ones go on in the next line.
_NAME = 18
#: Times outside are shown in thousands, thousandths, millionths … of the unit.
_SMALLEST, _LARGEST = 1e-2, 1e5

Rows = list[tuple[str, Choice, list[str]]]


def design(found: Ranking) -> str:
    """Return the systems in order, what they cost, the least time for each load, and notes."""
    interval = f"{100 * found.confidence:g} % interval"
    power = _power([choice.value for choice in found])
    scale = 10.0**power
    unit = f"1e{power} {found.unit}" if power else found.unit
    exactly = "exact" if found.scope == "law" else "recording"
    times: Rows = []
    costs: Rows = []
    for place, choice in enumerate(found, 1):
        cells = [_number(choice.value / scale), _interval(found, choice, scale)]
        cells += _gain(found, choice)
        times.append((str(place), choice, cells))
        how = exactly if choice.trials is None else f"{choice.trials} trials"
        cells = [f"{choice.load:.4g}", f"{choice.worked:.4g}", f"{choice.messages:.4g}", how]
        costs.append((str(place), choice, cells))
    front: Rows = [
        ("", choice, [f"{choice.load:.4g}", _number(choice.value / scale)])
        for choice in found.front
    ]
    return "\n".join(
        [
            *_wrapped(f"{found.goal} of the completion time, in {unit}"),
            *_table(["time", interval, "gain", interval], times),
            "",
            *_wrapped(found.statement),
            "",
            *_gains(found),
            "",
            "what they cost until done, all workers together",
            *_table(["load", f"worker-{found.unit}", "messages", "known by"], costs),
            "",
            "load against time: the fastest for each load",
            *_table(["load", "time"], front),
            "",
            *_looked_at(found),
            *_remarks(found),
        ]
    )


def _power(values: Sequence[float]) -> int:
    """The power of ten, a multiple of 3, in whose multiples times are short."""
    finite = [value for value in values if 0 < value < math.inf]
    if not finite or (min(finite) >= _SMALLEST and max(finite) < _LARGEST):
        return 0
    return 3 * math.floor(math.log10(min(finite)) / 3)


def _table(head: Sequence[str], rows: Rows) -> list[str]:
    """Lines of a table whose names fit what the other columns leave of the width."""
    cells = [list(head), *(own for _, _, own in rows)]
    room = WIDTH - 4 - sum(2 + max(map(len, column)) for column in zip(*cells, strict=True))
    table = [["", "system", *head]]
    for place, choice, own in rows:
        first, *more = _name(choice.name, max(_NAME, room))
        table.append([place, first, *own])
        table += [["", name, *[""] * len(own)] for name in more]
    return columns(table)


def _name(text: str, room: int) -> list[str]:
    """A name in lines of so many columns, broken after blanks and commas."""
    lines = [""]
    for piece in re.findall(r"[^ ,]+[ ,]?", text):
        if len((lines[-1] + piece).rstrip()) > room and lines[-1].strip():
            lines.append("  ")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


def _interval(found: Ranking, choice: Choice, scale: float) -> str:
    if choice.low == choice.high == choice.value:
        return found.certainty
    return f"[{_end(choice.low / scale)}, {_end(choice.high / scale)}]"


def _gain(found: Ranking, choice: Choice) -> list[str]:
    if choice.gain is None:
        return ["–", ""]
    gain, low, high = choice.gain, choice.gain_low, choice.gain_high
    if low is None or high is None:
        return [_end(gain), "not known"]
    if low == high:
        return [_end(gain), "exact" if gain == 1 else found.certainty]
    return [_end(gain), f"[{_end(low)}, {_end(high)}]"]


def _gains(found: Ranking) -> list[str]:
    if all(choice.gain is None for choice in found):
        return ["Gains are not known: uncoded work cannot be timed, or takes infinitely long too."]
    return _wrapped("gain: how many times as long uncoded work on all workers takes.")


def _looked_at(found: Ranking) -> list[str]:
    counts = ", ".join(f"{count} {scheme}" for scheme, count in found.looked_at.items())
    total = sum(found.looked_at.values())
    lines = _wrapped(f"{total} {'system' if total == 1 else 'systems'} looked at: {counts}.")
    for scheme, reason in found.left_out.items():
        lines += _wrapped(f"not looked at: {scheme}, which {_verbal(reason)}.")
    return lines


def _remarks(found: Ranking) -> list[str]:
    lines = []
    noted: dict[str, list[str]] = {}
    for place, choice in enumerate(found, 1):
        if choice.also:
            equal = ", ".join(map(written, choice.also))
            lines += _wrapped(f"{place} is the same as {equal}.")
        if choice.note:
            noted.setdefault(choice.note, []).append(str(place))
    for note, places in noted.items():
        lines += _wrapped(f"{', '.join(places)}: {note}.")
    for note in found.notes:
        lines += _wrapped(f"{note}.")
    return lines


def _verbal(reason: str) -> str:
    return reason if reason.startswith(("codes ", "needs ")) else f"does not fit: {reason}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False)


def _number(value: float) -> str:
    return f"{value:.6g}" if math.isfinite(value) else "infinite"


def _end(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "∞"
