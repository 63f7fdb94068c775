"""The datasheet of a code, as text and as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fastgc.report.columns import columns, fitting
from fastgc.statistics.numbers import number

#: Columns that a narrow terminal does without, that which is missed least first.
_DISPENSABLE = ("frc", "bound", "amplification")
#: P(exact) and its standard error where every pattern is exact: what error is left is rounding.
_ALWAYS = (1.0, None), (1.0, 0.0)


def datasheet(sheet: dict[str, Any], *, latex: bool = False, width: int | None = None) -> str:
    """Return the datasheet of a code, as text or as a LaTeX table.

    Parameters
    ----------
    sheet : dict
    latex : bool
    width : int, optional
        Columns of the terminal; without it lines are as long as they are.
    """
    table = by_stragglers(sheet, latex=latex)
    if latex:
        return _latex(table)
    facts = properties(sheet)
    table, left_out = fitting(table, width, _DISPENSABLE, 2)
    lines = [sheet["name"], *columns(facts, 2, width), "", *columns(table, 2, width)]
    if left_out:
        lines.append(f"  (no room for {' and '.join(reversed(left_out))}: --json has all)")
    return "\n".join(lines)


def by_stragglers(sheet: dict[str, Any], *, latex: bool = False) -> list[list[str]]:
    """Return a row of texts for each number of stragglers, below the heads."""
    table = [
        [
            "stragglers",
            "mean error",
            "worst",
            "at most",
            "P(exact)",
            "amplification",
            "bound",
            "frc",
        ]
    ]
    for line in sheet["lines"]:
        at_least = "" if line["worst_is_exact"] else r"$\ge$ " if latex else "≥ "
        is_zero = line["worst_is_exact"] and tuple(line["exact"]) in _ALWAYS
        table.append(
            [
                str(line["stragglers"]),
                "0" if is_zero else number(*line["mean_error"]),
                "0" if is_zero else f"{at_least}{line['worst_error']:.6g}",
                "0" if is_zero and line["at_most"] < 1e-9 else f"{line['at_most']:.6g}",
                number(*line["exact"]),
                number(*line["amplification"]),
                f"{line['bound']:.6g}",
                "–" if line["frc"] is None else f"{line['frc']:.6g}",
            ]
        )
    return table


def properties(sheet: dict[str, Any]) -> list[list[str]]:
    """Return what there is to say of the code as a whole, in pairs of texts."""
    breaking = sheet["breaking"]
    broken = "" if breaking is None else f", broken by {' '.join(map(str, breaking))}"
    guaranteed = sheet["guaranteed_tolerance"]
    at_most = "" if sheet["tolerance_is_exact"] else "at most "
    tolerance = f"{at_most}{sheet['tolerance']} stragglers"
    mean = sheet["mean_error"]
    return [
        ["workers n, partitions k", f"{sheet['n']}, {sheet['k']}"],
        ["loads", _range(sheet["loads"])],
        ["replication", _range(sheet["replication"])],
        ["tolerance", tolerance + broken if sheet["tolerance"] >= 0 else "never exact"],
        ["guaranteed", "nothing" if guaranteed is None else str(guaranteed)],
        ["condition number", f"{sheet['condition']:.6g}"],
        *([["caution", sheet["doubt"]]] if sheet["doubt"] else []),
        ["unevenness", "–" if sheet["unevenness"] is None else f"{sheet['unevenness']:.6g}"],
        ["kernel", sheet["kernel"] + (f"; {sheet['note']}" if sheet["note"] else "")],
        [
            f"iid p={sheet['p']:g}",
            ("" if mean is None else f"mean error {mean:.9g}, ")
            + f"at least {sheet['bound']:.9g} with this replication",
        ],
    ]


def _range(ends: Sequence[int]) -> str:
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _latex(table: Sequence[Sequence[str]]) -> str:
    """Return a tabular environment whose first row is the heading."""
    rows = [" & ".join(map(_typeset, row)) + r" \\" for row in table]
    columns = "r" * len(table[0])
    return "\n".join(
        [
            r"% \usepackage{booktabs,siunitx} in the preamble",
            rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _typeset(cell: str) -> str:
    """A cell with its number as siunitx takes it."""
    found = re.fullmatch(r"(\$\\ge\$ )?(-?[\d.]+(?:\(\d+\))?(?:e[-+]?\d+)?)", cell)
    if found is None:
        return cell.replace("–", "--")
    return rf"{found[1] or ''}\num{{{found[2]}}}"
