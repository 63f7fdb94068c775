"""Which of a result's numbers a picture shows: asked for in words, or the first of the study."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from fastgc.errors import FastgcError
from fastgc.report.pictures.descent import is_curve
from fastgc.results.rows import Row

_ASKED = re.compile(r"(?P<quantity>[\w-]+)(\[(?P<index>[^\]]*)\])?(\s+(?P<statistic>.+))?")


def of_experiments(rows: Sequence[Row], experiments: Sequence[str]) -> list[Row]:
    """Return the rows of these experiments; of all, if none is named.

    Raises
    ------
    FastgcError
        If there is no such experiment.
    """
    known = list(dict.fromkeys(row.experiment for row in rows))
    for name in experiments:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            said = f"; did you mean {near[0]!r}?" if near else f"; there is {', '.join(known[:8])}"
            raise FastgcError(f"experiment: there is no {name!r}{said}")
    return [row for row in rows if not experiments or row.experiment in experiments]


def of_quantity(rows: Sequence[Row], asked: str) -> list[Row]:
    """Return the rows that are asked for, like ``error`` or ``survivors[3]`` or ``time P(>2.0)``.

    Raises
    ------
    FastgcError
        If there are none.
    """
    found = _ASKED.fullmatch(asked.strip())
    names = dict.fromkeys(row.quantity for row in rows)
    if found is None or found["quantity"] not in names:
        has = [row.quantity for row in rows if row.statistic == asked.strip()]
        near = f"write {has[0]} {asked.strip()}" if has else f"there is {', '.join(names)}"
        raise FastgcError(f"quantity: {asked!r} was not measured; {near}")
    own = [row for row in rows if row.quantity == found["quantity"]]
    index, statistic = found["index"], found["statistic"] or "mean"
    kept = [row for row in own if _fits(row, statistic, index)]
    if not kept and found["statistic"] is None:  # a ratio, an extreme
        kept = [row for row in own if _fits(row, own[0].statistic, index)]
    if not kept:
        have = ", ".join(dict.fromkeys(row.statistic for row in own))
        places = [str(row.index) for row in own if row.index is not None]
        also = f", with an index like [{places[-1]}]" if places else ""
        raise FastgcError(
            f"quantity: there is no {asked!r}; of {own[0].quantity} there is {have}{also}"
        )
    return kept


def _fits(row: Row, statistic: str, index: str | None) -> bool:
    return row.statistic == statistic and (index is None or str(row.index) == index)


def first(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the first measure; nothing where there are curves of training alone."""
    own = [row for row in rows if not is_curve(row)]
    return of_quantity(own, own[0].quantity) if own else []
