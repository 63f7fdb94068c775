"""The page on a search for the best system."""

from __future__ import annotations

import math
from collections.abc import Iterator

from fastgc.report.document import (
    Block,
    Cell,
    Document,
    Interval,
    Items,
    Number,
    Paragraph,
    Section,
    Table,
)
from fastgc.report.pages import parts
from fastgc.report.pages.parts import drawn
from fastgc.results.ranking import Choice, Ranking, written
from fastgc.version import __version__


def of_ranking(found: Ranking, study: str, title: str = "") -> Document:
    """Return the page on a ranking; ``study`` is the text of what was asked."""
    pictures = drawn(found)
    return Document(
        title or "Which system is best",
        [f"Ranked with fastgc {__version__}."],
        [
            *sections(found),
            *([Section("pictures", "Pictures", pictures)] if pictures else []),
            Section("numbers", "The numbers", [*tables(found), *_remarks(found)]),
            parts.repeat(["fastgc design study.toml"], study),
        ],
    )


def sections(found: Ranking) -> list[Section]:
    """Return the question and the answer."""
    counts = ", ".join(f"{count} {scheme}" for scheme, count in found.looked_at.items())
    asked: list[Block] = [
        *map(Paragraph, found.assumed),
        Paragraph(f"Which system has the least {found.goal} of its completion time?"),
        Paragraph(f"Looked at: {counts}."),
    ]
    if found.left_out:
        left_out = [f"{scheme}: {reason}." for scheme, reason in found.left_out.items()]
        asked += [Paragraph("Not looked at:"), Items(left_out)]
    first = found[0]
    said = f"{first.name}: the {found.goal} of its time is {_value(found, first)}."
    answer: list[Block] = [Paragraph(said), Paragraph(found.statement)]
    if first.gain is not None:
        answer.append(Paragraph(f"Uncoded work takes {_gain(found, first)} as long."))
    if found.notes:
        answer.append(Items([f"{note}." for note in found.notes]))
    return [
        Section("asked", "What was asked", asked),
        Section("answer", "The answer", answer),
    ]


def tables(found: Ranking) -> list[Table]:
    """Return the times, what they cost, and load against time."""
    interval = f"{100 * found.confidence:g} % interval"
    exactly = "exact" if found.scope == "law" else "recording"
    times = [
        (
            c.name,
            _number(c.value),
            _interval(found, c),
            _factor(c.gain),
            _gain_interval(found, c),
        )
        for c in found
    ]
    costs = [
        (
            c.name,
            *(_short(value) for value in (c.load, c.worked, c.messages)),
            exactly if c.trials is None else f"{c.trials} trials",
        )
        for c in found
    ]
    front = [(c.name, _short(c.load), _number(c.value)) for c in found.front]
    return [
        Table(
            f"{found.goal} of the completion time, in {found.unit}; gain: how many times as long "
            "uncoded work takes".capitalize(),
            ("system", "time", interval, "gain", interval),
            times,
        ),
        Table(
            "What they cost until done, all workers together",
            ("system", "load", f"worker-{found.unit}", "messages", "known by"),
            costs,
        ),
        Table("Load against time: the fastest for each load", ("system", "load", "time"), front),
    ]


def _remarks(found: Ranking) -> Iterator[Block]:
    """What there is to say of single systems."""
    said = []
    for choice in found:
        if choice.also:
            said.append(f"{choice.name} is the same as {', '.join(map(written, choice.also))}.")
        if choice.note:
            said.append(f"{choice.name}: {choice.note}.")
    if said:
        yield Items(said)


def _is_exact(choice: Choice) -> bool:
    return choice.low == choice.high == choice.value


def _interval(found: Ranking, choice: Choice) -> Cell:
    return found.certainty if _is_exact(choice) else Interval(choice.low, choice.high)


def _gain_interval(found: Ranking, choice: Choice) -> Cell:
    if choice.gain is None:
        return ""
    if choice.gain_low is None or choice.gain_high is None:
        return "not known"
    if choice.gain_low == choice.gain_high:
        return "exact" if choice.gain == 1 else found.certainty
    return Interval(choice.gain_low, choice.gain_high)


def _number(value: float) -> Cell:
    return Number(float(f"{value:.6g}")) if math.isfinite(value) else "infinite"


def _factor(value: float | None) -> Cell:
    return "–" if value is None else _short(value)


def _short(value: float) -> Cell:
    return Number(float(f"{value:.4g}")) if math.isfinite(value) else "infinite"


def _value(found: Ranking, choice: Choice) -> str:
    said = f"{_number(choice.value)} {found.unit}"
    if _is_exact(choice):
        return f"{said}, {'as recorded' if found.scope == 'recording' else 'exactly'}"
    return f"{said}, interval {_interval(found, choice)}"


def _gain(found: Ranking, choice: Choice) -> str:
    """How many times as long uncoded work takes, and how sure that is."""
    interval = _gain_interval(found, choice)
    behind = f", interval {interval}" if isinstance(interval, Interval) else ""
    return f"{_factor(choice.gain)} times{behind}"
