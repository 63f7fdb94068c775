"""Printed numbers beside the measured ones: the kind of agreement, a table, and the count."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fastgc.registry.number_types import counted
from fastgc.report import wording
from fastgc.report.document import Block, Cell, Number, Paragraph, Table
from fastgc.results.frames import grouped
from fastgc.results.rows import CONFIDENCE, Row
from fastgc.study import printed_numbers
from fastgc.study.printed_numbers import PrintedTable

DIGITS, INTERVAL, OFF, NONE = "to its digits", "within the interval", "off", "not measured"
_ELSEWHERE = " *"  # measured, for want of what the number rests on, in another setting
_ROUNDING = 1e-9  # of half a unit of the last digit, and of the number


@dataclass(frozen=True)
class PrintedComparison:
    """A printed number and what was measured in its place.

    ``value`` is None where nothing was; ``low`` and ``high`` are the ends of its 95 % interval,
    those of a sum of numbers being the sums of theirs. ``unit`` is that of the rows.
    """

    table: PrintedTable
    value: float | None
    low: float
    high: float
    standard_error: float | None
    unit: str | None

    @property
    def number(self) -> printed_numbers.PrintedNumber:
        """The printed number."""
        return self.table.number

    @property
    def agreement(self) -> str:
        """How both agree: one of `DIGITS`, `INTERVAL`, `OFF` and `NONE`."""
        if self.value is None:
            return NONE
        reach = self.number.half * (1 + _ROUNDING) + _ROUNDING * abs(self.number.value)
        least, most = self.number.value - reach, self.number.value + reach
        if least <= self.low and self.high <= most:
            return DIGITS
        return INTERVAL if self.low <= most and self.high >= least else OFF

    @property
    def said(self) -> str:
        """The agreement in words."""
        said, own = self.agreement, self.number.value
        if said == OFF:
            value = self.value or 0.0
            share = (value - own) / abs(own) if own else 0.0
            by = f"{1 + share:.2g} times" if abs(share) >= 1 else f"{100 * share:+.2g} %"
            said = f"off by {by if own else f'{value:.2g}'}"
        return said + _ELSEWHERE * bool(self.number.missing and self.value is not None)


def beside(tables: Iterable[PrintedTable], rows: Sequence[Row]) -> list[PrintedComparison]:
    """Return each printed number beside what was measured in its place."""
    found = []
    for table in tables:
        own = [row.estimate for row in table.rows(rows)]
        known = [(each.value, *each.interval(CONFIDENCE)) for each in own if each.value is not None]
        if not known or len(known) < len(own):
            found.append(PrintedComparison(table, None, math.nan, math.nan, None, None))
            continue
        # ends and errors of a sum: the sums, which hold however the numbers depend on each other
        value = math.fsum(each for each, _, _ in known)
        low = math.fsum(each if end is None else end for each, end, _ in known)
        high = math.fsum(each if end is None else end for each, _, end in known)
        error = math.fsum(each.standard_error or 0.0 for each in own)
        value, low, high, error = (table.factor * each for each in (value, low, high, error))
        unit = table.rows(rows)[0].unit if table.factor == 1 else None
        found.append(PrintedComparison(table, value, low, high, error or None, unit))
    return found


def blocks(found: Sequence[PrintedComparison]) -> list[Block]:
    """Return the table of printed numbers, and what is missing to compute some as a paper did."""
    if not found:
        return []
    rows: list[Sequence[Cell]] = []
    often = Counter(map(_key, found))
    for each in found:
        number, unit, half = each.number, wording.unit(each.unit), each.number.half
        written = f"{number.value:g}"
        if half:
            written = f"{number.value:.{max(0, round(-math.log10(2 * half)))}f}"
        measured: Cell = "–"
        if each.value is not None:
            measured = Number(each.value, each.standard_error)
            measured = f"{measured} {unit}" if unit else measured
        by = f", by {each.table.experiment}" if often[_key(each)] > 1 else ""
        rows.append((number.place, number.what + by, written, measured, each.said))
    heads = ("place", "what", "printed", "measured", "agreement")
    made: list[Block] = [Table("Printed numbers beside the measured ones", heads, rows, 2)]
    numbers = [each.number for each in found if each.number.missing]
    for why, own in grouped(numbers, lambda number: number.missing).items():
        said, places = f"{why[0].upper()}{why[1:]}.", wording.listed(each.place for each in own)
        where = f"{_ELSEWHERE.strip()} In a setting of fastgc's own: {places}"
        made.append(Paragraph(said, where))
    return made


def counts(found: Sequence[PrintedComparison]) -> str:
    """Return the sentence on how many printed numbers were reproduced, within what.

    A number that several studies measure counts once: as in those that measure it in the paper's
    setting, if there are any, and of these where it agrees least.
    """

    def rank(each: PrintedComparison) -> tuple[bool, bool, int]:
        kinds = (NONE, DIGITS, INTERVAL, OFF)
        return each.agreement != NONE, not each.number.missing, kinds.index(each.agreement)

    def by_kind(some: Sequence[PrintedComparison]) -> str:
        kinds = Counter(each.agreement for each in some)
        return ", ".join(f"{kinds[kind]} {kind}" for kind in (DIGITS, INTERVAL, OFF) if kinds[kind])

    worst = [max(alike, key=rank) for alike in grouped(found, _key).values()]
    known = [each for each in worst if each.agreement != NONE]
    as_printed = [each for each in known if not each.number.missing]
    other = [each for each in known if each.number.missing]
    many = counted(len(as_printed), "printed numbers")
    said = [f"{many}: {by_kind(as_printed)}."] if as_printed else []
    if other:
        what = f"{len(other)} in a setting of fastgc's own, for what they rest on is not to be had"
        said.append(f"{what}: {by_kind(other)}.")
    left = len(worst) - len(known)
    return " ".join([*said, *[f"{left} not measured."] * bool(left)])


def _key(each: PrintedComparison) -> tuple[str, str, float]:
    return each.number.place, each.number.what, each.number.value
