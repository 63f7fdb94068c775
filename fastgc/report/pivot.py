"""One number of every point as a table: experiments and swept keys against one swept key."""

import re
from collections.abc import Sequence
from typing import Any

from fastgc.errors import FastgcError
from fastgc.registry.complaints import nearest, show
from fastgc.report import latex, markdown, wording
from fastgc.report.columns import distinct
from fastgc.report.document import Cell, Number
from fastgc.report.export import Rows, as_csv_table
from fastgc.report.sweeps import EXPERIMENT, as_text, best, table

_NUMBER = re.compile(r"(?P<quantity>\w+)(\[(?P<index>[^\]]*)\])?(\.(?P<statistic>.+))?")


def pivot(
    rows: Rows,
    what: str,
    across: str | None = None,
    width: int | None = None,
    form: str | None = None,
    digits: int | None = None,
) -> str:
    """Return a table of one number: exact where that is known, else sampled.

    * ``rows``: as `Result.rows` has them.
    * ``what``: quantity and statistic, like ``error.mean``, ``survivors[3]`` or
      ``time.quantile(0.99)``; without a statistic the mean.
    * ``across``: the swept key whose values are the columns, or "experiment"; by default the last
      key with several.
    * ``width``: columns of the terminal.
    * ``form`` ({"latex", "markdown", "csv"}): in place of text for the terminal.
    * ``digits``: of every number; a sampled one has its standard error where that reaches them.

    Raises FastgcError if there is no such number or key.
    """
    wanted = _wanted(rows, what)
    key = _across(wanted, across)
    experiments = distinct(row[EXPERIMENT] for row in wanted)
    others = distinct(name for row in wanted for name in row["point"] if name != key)
    values = [row["point"].get(name) for row in wanted for name in others]
    is_of_numbers = (
        form is not None
        and key == EXPERIMENT
        and len(others) == 1
        and all(isinstance(each, int | float) for each in values)
    )

    of_points = None
    if is_of_numbers and form == "latex":  # a paper's table, not data; all points stay apart
        shown = {str(Number(float(each), digits=digits)) for each in values}
        of_points = digits if len(shown) == len(set(map(float, values))) else None

    def line(row: dict[str, Any]) -> tuple[Cell]:
        if is_of_numbers:
            return (Number(float(row["point"][others[0]]), digits=of_points),)
        return (_name(row, key, experiments),)

    head = others[0] if is_of_numbers else what
    head = head.rpartition(".")[2] if is_of_numbers and form == "latex" else head
    made = table(wanted, [head], line, lambda row: _head(row, key), digits=digits)
    if form == "latex":
        return f"% \\usepackage{{booktabs,siunitx}}\n{latex.table(made.columns, made.rows)}"
    if form == "markdown":
        return markdown.table(made.columns, made.rows)
    if form == "csv":
        return as_csv_table([made.columns, *made.rows])
    methods = ", ".join(distinct(row["method"] for row in best(wanted)))
    return "\n".join([*as_text(made, width), "", f"{methods}; intervals: fastgc show --rows"])


def _wanted(rows: Rows, what: str) -> list[dict[str, Any]]:
    """The rows of a number."""
    match = _NUMBER.fullmatch(what)
    quantities = distinct(row["quantity"] for row in rows)
    if match is None or match["quantity"] not in quantities:
        has = [row["quantity"] for row in rows if row["statistic"] == what]
        near = f"; write {has[0]}.{what}" if has else nearest(what.partition(".")[0], quantities)
        near = near or f"; there is {', '.join(quantities)}"
        raise FastgcError(f"pivot: {show(what)} was not measured{near}")
    own = [row for row in rows if row["quantity"] == match["quantity"]]
    statistic = match["statistic"] or "mean"
    statistics = distinct(row["statistic"] for row in own)
    if statistic not in statistics:
        near = nearest(statistic, statistics) or f"; there is {', '.join(statistics)}"
        raise FastgcError(f"pivot: {match['quantity']} has no {statistic}{near}")
    own = [row for row in own if row["statistic"] == statistic]
    index = match["index"]
    found = [row for row in own if (None if row["index"] is None else str(row["index"])) == index]
    if not found:
        known = distinct(str(row["index"]) for row in own if row["index"] is not None)
        said = f"has the indices {known[0]} to {known[-1]}" if known else "has no index"
        example = f", like {match['quantity']}[{known[-1]}].{statistic}" if known else ""
        raise FastgcError(f"pivot: {match['quantity']} {said}; say which{example}")
    return found


def _across(rows: Rows, asked: str | None) -> str | None:
    """The key whose values are columns; None where nothing is swept."""
    keys = distinct(key for row in rows for key in row["point"])
    if asked == EXPERIMENT:
        return asked
    if asked is not None and asked not in keys:
        near = nearest(asked, keys) or f"; swept are {', '.join(keys) or 'none'}"
        raise FastgcError(f"across: {show(asked)} is not swept{near}")
    several = [key for key in keys if len(distinct(_head(row, key) for row in rows)) > 1]
    return asked or (several or keys or [None])[-1]


def _head(row: dict[str, Any], key: str | None) -> str:
    if key == EXPERIMENT:
        return str(row["experiment"])
    return wording.point({key: row["point"][key]}) if key and key in row["point"] else ""


def _name(row: dict[str, Any], key: str | None, experiments: Sequence[str]) -> str:
    """What a line is of: the experiment, where there are several, and the other keys."""
    others = wording.point({name: each for name, each in row["point"].items() if name != key})
    if key == EXPERIMENT:
        return others
    named = [row["experiment"]] if len(experiments) > 1 or not others else []
    return " ".join([*named, others]).strip()
