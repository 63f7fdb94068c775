"""The page on a search for the best system."""

from __future__ import annotations

from fastgc.report import ranking
from fastgc.report.document import Block, Document, Interval, Items, Paragraph, Section
from fastgc.report.pages import parts
from fastgc.report.pages.parts import drawn
from fastgc.results.ranking import Choice, Ranking
from fastgc.version import __version__


def of_ranking(found: Ranking, study: str, title: str = "") -> Document:
    """Return the page on a ranking; ``study`` is the text of what was asked."""
    pictures = drawn(found)
    first = found[0]
    asked = [*found.assumed, f"Which system has the least {found.goal} of its completion time?"]
    said = [f"{first.name}: the {found.goal} of its time is {_value(found, first)}."]
    said.append(found.statement)
    if first.gain is not None:
        interval = ranking.known_gain(found, first)
        behind = f", interval {interval}" if isinstance(interval, Interval) else ""
        said.append(f"Uncoded work takes {ranking.gain(first)} times{behind} as long.")
    numbers: list[Block] = [*ranking.tables(found), Items(ranking.remarks(found))]
    return Document(
        title or "Which system is best",
        [f"Ranked with fastgc {__version__}."],
        [
            Section("asked", "What was asked", [*map(Paragraph, asked)]),
            Section("answer", "The answer", [*map(Paragraph, said)]),
            *([Section("pictures", "Pictures", pictures)] if pictures else []),
            Section("numbers", "The numbers", numbers),
            parts.repeat(["fastgc design study.toml"], study),
        ],
    )


def _value(found: Ranking, choice: Choice) -> str:
    said = f"{ranking.number(choice.value)} {found.unit}"
    interval = ranking.known(found, choice)
    if isinstance(interval, Interval):
        return f"{said}, interval {interval}"
    return f"{said}, {'as recorded' if found.scope == 'recording' else 'exactly'}"
