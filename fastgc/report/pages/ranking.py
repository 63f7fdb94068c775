"""The page on a search for the best system."""

from __future__ import annotations

import math
from collections.abc import Sequence

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
from fastgc.report.pages import method
from fastgc.report.pages.drawn import drawn
from fastgc.results.ranking import Choice, Ranking


def of_ranking(found: Ranking, study: str, title: str = "") -> Document:
    """Return the page on a ranking; ``study`` is the text of what was asked."""
    pictures = drawn(found)
    return Document(
        title or "Which system is best",
        [],
        [
            *sections(found),
            *([Section("pictures", "Pictures", pictures)] if pictures else []),
            Section("numbers", "The numbers", [*tables(found)]),
            method.repeat(["fastgc design study.toml"], study),
        ],
    )


def sections(found: Ranking) -> list[Section]:
    """Return the question and the answer."""
    percent = f"{100 * found.confidence:g} %"
    first = found[0]
    sure = f"certainly, at {percent}," if found.separated else "not certainly"
    said: list[Block] = [
        Paragraph(f"{first.name}: the {found.goal} of its time is {_value(first)}."),
        Paragraph(f"It is {sure} the best of all that were looked at."),
    ]
    if found.notes:
        said.append(Items(found.notes))
    question = (
        f"Which system has the least {found.goal} of its completion time? "
        f"{len(found)} are listed, the best first."
    )
    return [
        Section("asked", "What was asked", [Paragraph(question)]),
        Section("answer", "The answer", said),
    ]


def tables(found: Ranking) -> list[Table]:
    """Return the ranking, and load against time."""
    interval = f"{100 * found.confidence:g} % interval"
    heads = ("system", found.goal, interval, "load", "messages", "method", "remark")
    rows = [(*_line(choice), choice.note) for choice in found]
    front = [(choice.name, _number(choice), Number(_short(choice.load))) for choice in found.front]
    return [
        Table("The systems, the best first", heads, rows),
        Table(
            "Load against time: the fastest for each load", ("system", found.goal, "load"), front
        ),
    ]


def _line(choice: Choice) -> Sequence[Cell]:
    return (
        choice.name,
        _number(choice),
        "" if _is_exact(choice) else Interval(choice.low, choice.high),
        Number(_short(choice.load)),
        Number(_short(choice.messages)),
        choice.method,
    )


def _is_exact(choice: Choice) -> bool:
    return choice.low == choice.high == choice.value


def _number(choice: Choice) -> Cell:
    return Number(float(f"{choice.value:.6g}")) if math.isfinite(choice.value) else "infinite"


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _value(choice: Choice) -> str:
    if _is_exact(choice):
        return f"{_number(choice)} (exact)"
    return f"{_number(choice)}, interval {Interval(choice.low, choice.high)}"
