"""The datasheet of a code, as text and as LaTeX."""

from collections.abc import Sequence
from typing import Any

from fastgc.registry.numbers import counted
from fastgc.report.columns import columns, fitting
from fastgc.report.document import Cell, Number
from fastgc.report.latex import table

#: Columns that a narrow terminal does without, that which is missed least first.
_DISPENSABLE = ("frc", "lower bound", "amplification")
#: P(exact) and its standard error where every pattern is exact: what error is left is rounding.
_ALWAYS = (1.0, None), (1.0, 0.0)


def datasheet(sheet: dict[str, Any], *, latex: bool = False, width: int | None = None) -> str:
    """Return the datasheet of a code as text of a width, if there is one, or as a LaTeX table."""
    heads, *cells = by_stragglers(sheet)
    if latex:
        return f"% \\usepackage{{booktabs,siunitx}} in the preamble\n{table(heads, cells)}"
    facts = properties(sheet)
    if not cells:
        facts.append(["errors", "of so many workers only by --stragglers S, as they take long"])
        return "\n".join([sheet["name"], *columns(facts, 2, width)])
    texts = [list(map(str, row)) for row in (heads, *cells)]
    shown, left_out = fitting(texts, width, _DISPENSABLE, 2)
    lines = [sheet["name"], *columns(facts, 2, width), "", *columns(shown, 2, width)]
    if left_out:
        lines.append(f"  (no room for {', '.join(reversed(left_out))}: --json has all)")
    return "\n".join(lines)


def by_stragglers(sheet: dict[str, Any]) -> list[list[Any]]:
    """Return a row of cells for each number of stragglers, below the heads."""
    heads = "stragglers", "mean error", "worst", "at most", "P(exact)", "amplification"
    found: list[list[Cell]] = [[*heads, "lower bound", "frc"]]
    for line in sheet["lines"]:
        is_exact = line["worst_is_exact"]
        at_least = "" if is_exact else "≥"
        is_zero = is_exact and tuple(line["exact"]) in _ALWAYS
        found.append(
            [
                Number(line["stragglers"]),
                Number(0.0) if is_zero else _number(*line["mean_error"], digits=9),
                Number(0.0) if is_zero else _number(line["worst_error"], before=at_least),
                Number(0.0) if is_zero and line["at_most"] < 1e-9 else _number(line["at_most"]),
                _number(*line["exact"], digits=9),
                _number(*line["amplification"], digits=9),
                _number(line["bound"]),
                "–" if line["frc"] is None else _number(line["frc"]),
            ]
        )
    return found


def _number(
    value: float | None, error: float | None = None, *, before: str = "", digits: int = 6
) -> Number:
    if value is not None and not error:
        value = float(f"{value:.{digits}g}")
    return Number(value, error, before)


def properties(sheet: dict[str, Any]) -> list[list[str]]:
    """Return what there is to say of the code as a whole, in pairs of texts."""
    breaking = sheet["breaking"]
    broken = "" if breaking is None else f", broken by {' '.join(map(str, breaking))}"
    guaranteed = sheet["guaranteed_tolerance"]
    at_most = "" if sheet["tolerance_is_exact"] else "at most "
    tolerance = at_most + counted(sheet["tolerance"], "stragglers")
    mean, condition = sheet["mean_error"], sheet["condition"]
    return [
        ["workers n, partitions k", f"{sheet['n']}, {sheet['k']}"],
        ["loads", _range(sheet["loads"])],
        ["replication", _range(sheet["replication"])],
        ["tolerance", tolerance + broken if sheet["tolerance"] >= 0 else "never exact"],
        ["guaranteed", "nothing" if guaranteed is None else str(guaranteed)],
        ["condition number", "–" if condition is None else f"{condition:.6g}"],
        *([["caution", sheet["doubt"]]] if sheet["doubt"] else []),
        ["unevenness", "–" if sheet["unevenness"] is None else f"{sheet['unevenness']:.6g}"],
        ["kernel", sheet["kernel"] + (f"; {sheet['note']}" if sheet["note"] else "")],
        [
            f"iid p={sheet['p']:g}",
            ("" if mean is None else f"mean error {mean:.9g}, ")
            + f"lower bound {sheet['bound']:.9g} for this replication",
        ],
    ]


def _range(ends: Sequence[int]) -> str:
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
