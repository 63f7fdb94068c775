"""What a result is to readers: tables, sentences and pictures, and a page of these.

`text` prints them on a terminal, `html` in a browser or a notebook, and `latex` tables alone.
"""

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from fastgc.registry.display import shown
from fastgc.statistics.number_text import failures, number

MOST_LINES = 100  # of a table in a notebook
_MOST_DIGITS = 15  # of an end of an interval: of further ones rounding takes some


@dataclass(frozen=True)
class Number:
    """A number with its standard error, if it has one; ``before`` is a sign like ``≥``.

    A probability near 1 is printed ``by_failures``.
    """

    value: float | None
    standard_error: float | None = None
    before: str = ""
    by_failures: bool = False

    def __str__(self) -> str:
        if self.by_failures and self.value is not None:
            return f"{self.before} {failures(self.value, self.standard_error)}".strip()
        return f"{self.before} {number(self.value, self.standard_error)}".strip()


@dataclass(frozen=True)
class Interval:
    """An interval; an end that is not known is None."""

    low: float | None
    high: float | None

    @property
    def ends(self) -> tuple[str, str]:
        """Both ends as text, rounded outwards to three digits of the interval's width."""
        if self.low is None or self.high is None or not 0 < self.high - self.low < math.inf:
            return _end(self.low), _end(self.high)
        power = math.floor(math.log10(max(abs(self.low), abs(self.high))))
        power = 0 if -4 <= power < 9 else power
        digits = max(0, 2 - math.floor(math.log10(self.high - self.low)) + power)
        if digits > _MOST_DIGITS:
            return _end(self.low, _MOST_DIGITS), _end(self.high, _MOST_DIGITS)
        step = 10.0 ** (digits - power)
        low = math.floor(self.low * step) / 10**digits
        high = math.ceil(self.high * step) / 10**digits
        exponent = f"e{power}" if power else ""
        return f"{low:.{digits}f}{exponent}", f"{high:.{digits}f}{exponent}"

    def __str__(self) -> str:
        return "[{}, {}]".format(*self.ends)


def _end(value: float | None, digits: int = 6) -> str:
    if value is None:
        return "…"
    return f"{value:.{digits}g}".replace("inf", "∞")


#: What stands in a cell of a table.
Cell = str | Number | Interval


@dataclass(frozen=True)
class Paragraph:
    """Sentences after a ``head`` in bold; ``links`` behind them lead from words to a ``name``."""

    text: str
    head: str = ""
    name: str = ""
    links: Mapping[str, str] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.text)}</p>"


def paragraphs(*said: tuple[str, str]) -> list[Paragraph]:
    """Return a paragraph for each text with its head, where there is a text."""
    return [Paragraph(text, head) for text, head in said if text]


@dataclass(frozen=True)
class Code:
    """Text to be copied as it stands."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table with a caption; the first ``heads`` cells of a row name it."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    heads: int = 1

    def csv(self) -> str:
        """Return it as CSV, each cell as it is printed."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([self.columns, *self.rows])
        return out.getvalue().rstrip("\n")

    def _repr_html_(self) -> str:
        """Return what notebooks show: of so many lines that one can scroll past it."""
        caption = self.caption
        if len(self.rows) > MOST_LINES:
            caption += f" (the first {MOST_LINES} of {len(self.rows)} lines; rows() has all)"
        made = shown("html").table(self.columns, self.rows[:MOST_LINES], caption, heads=self.heads)
        return str(made)


@dataclass(frozen=True)
class Items:
    """A list of sentences; of those that are short a terminal shows what one line holds."""

    texts: Sequence[str]
    is_short: bool = False


@dataclass(frozen=True)
class Figure:
    """A picture of `fastgc.report.pictures`, which says in words what is seen."""

    picture: Any


@dataclass(frozen=True)
class Section:
    """Blocks below a heading; ``name`` can be linked to, and is unique on its page."""

    name: str
    title: str
    blocks: "Sequence[Block]"
    is_listed: bool = False  # whether contents list its own sections, too


Block = Paragraph | Code | Table | Items | Figure | Section


@dataclass(frozen=True)
class Document:
    """A page: its title, what stands below it, and sections."""

    title: str
    lead: Sequence[str]
    sections: Sequence[Section]
    contents: bool = False  # whether it begins with a list of its sections

    def tables(self) -> list[Table]:
        """Return all tables of the page, in their order."""
        return [table for each in self.sections for table in _tables(each)]


def _tables(section: Section) -> Iterator[Table]:
    for block in section.blocks:
        if isinstance(block, Section):
            for table in _tables(block):
                yield replace(table, caption=f"{block.title}: {table.caption}")
        elif isinstance(block, Table):
            yield block
