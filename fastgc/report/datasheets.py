"""What there is to say of codes: the datasheet of one, what a search found, what is known."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastgc.registry.number_types import broken_by, counted
from fastgc.report import text
from fastgc.report.document import Cell, Number, Table
from fastgc.report.latex import tables
from fastgc.report.ranking import number
from fastgc.report.text import columns, wrapped
from fastgc.statistics.shares import NORMAL

#: Letters of a fraction that is shown.
_SHORT = 40
#: Rivals that are shown.
_SHOWN = 8


def datasheet(sheet: dict[str, Any], *, latex: bool = False, width: int | None = None) -> str:
    """Return the datasheet of a code as text of a width, if there is one, or as a LaTeX table."""
    made = by_stragglers(sheet)
    if latex:
        return tables([made])
    breaking, guaranteed = sheet["breaking"], sheet["guaranteed_tolerance"]
    tolerance = "never exact"
    if sheet["tolerance"] >= 0:
        tolerance = "" if sheet["tolerance_is_exact"] else "at most "
        tolerance += counted(sheet["tolerance"], "stragglers")
        tolerance += broken_by(breaking)
    mean, condition = sheet["mean_error"], sheet["condition"]
    errors = "" if mean is None else f"mean error {mean:.9g}, "
    errors += f"lower bound {sheet['bound']:.9g} for this replication"
    sets = [line["worst_set"] or () for line in sheet["lines"]]
    worst = [" ".join(map(str, each)) for each in sets if 0 < len(each) <= 8]
    facts = [
        ["workers n, partitions k", f"{sheet['n']}, {sheet['k']}"],
        ["loads", _range(sheet["loads"])],
        ["replication", _range(sheet["replication"])],
        ["tolerance", tolerance],
        ["guaranteed", "nothing" if guaranteed is None else str(guaranteed)],
        ["condition number", "–" if condition is None else f"{condition:.6g}"],
        ["drawn", sheet["draw"]],
        ["caution", sheet["doubt"]],
        ["unevenness", "–" if sheet["unevenness"] is None else f"{sheet['unevenness']:.6g}"],
        ["kernel", sheet["kernel"]],
        [f"iid p={sheet['p']:g}", errors],
        ["worst sets", "; ".join(worst)],
    ]
    if not made.rows:
        facts.append(["errors", "of so many workers only by --stragglers S, as they take long"])
    lines = [sheet["name"], *columns([fact for fact in facts if fact[1]], 2, width)]
    if made.rows:
        table = text.table(made, width and width - 2)
        lines += ["", *(f"  {line}".rstrip() for line in table)]
    return "\n".join(lines)


def by_stragglers(sheet: dict[str, Any]) -> Table:
    """Return a table with a line for each number of stragglers."""

    def cell(value: Any, error: Any = None, *, before: str = "", digits: int = 6) -> Cell:
        if error and value in (0.0, 1.0):  # all that were sampled are alike: as rows of a run
            low, high = (0.0, NORMAL * error) if not value else (1.0 - NORMAL * error, 1.0)
            return f"{value:g} [{low:.6g}, {high:.6g}]"
        if value is not None and not error:
            value = float(f"{value:.{digits}g}")
        return Number(value, error, before)

    heads = "stragglers", "mean error", "worst", "at most", "P(exact)", "amplification"
    rows: list[list[Cell]] = []
    for line in sheet["lines"]:
        is_exact, zero = line["worst_is_exact"], Number(0.0)
        is_zero = is_exact and line["worst_set"] is None
        worst = cell(line["worst_error"], before="" if is_exact else "≥")
        rows.append(
            [
                Number(line["stragglers"]),
                zero if is_zero else cell(*line["mean_error"], digits=9),
                zero if is_zero else worst,
                zero if is_zero and line["at_most"] < 1e-9 else cell(line["at_most"]),
                cell(*line["exact"], digits=9),
                cell(*line["amplification"], digits=9),
                cell(line["bound"]),
                "–" if line["frc"] is None else cell(line["frc"]),
            ]
        )
    return Table(sheet["name"], (*heads, "lower bound", "frc"), rows)


def _range(ends: Sequence[int]) -> str:
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def searched(found: Mapping[str, Any], width: int = text.NARROWEST) -> str:
    """Return the best matrix of a search, its rivals, and how it was found, as text."""
    made = rivals(found)
    said = f"{found['statement'][0].upper()}{found['statement'][1:]}."
    lines = [*wrapped(said, width), "", *text.table(made, width)]
    more = len(found["compared"]) + 1 - len(made.rows)
    if more > 0:
        lines.append(f"… and {more} worse")
    exact = f" = {found['exact']}" if len(found["exact"] or "") in range(1, _SHORT) else ""
    ways = {"steps": "", "seconds": "; its seconds were over before its steps"}
    ended = ways.get(found["ended"], f"; stopped early by {found['ended']}")
    how = f"Values by {found['method']}{exact}; {found['steps']} changes tried{ended}."
    return "\n".join([*lines, "", *wrapped(how, width)])


def rivals(found: Mapping[str, Any]) -> Table:
    """Return the best matrix and what it was compared with, the best first."""
    first = {"name": found["by"], "value": found["value"], "standing": "the best found"}
    rows: list[tuple[Cell, ...]] = []
    for each in [first, *found["compared"]][: 1 + _SHOWN]:
        kind = "" if each is first else "family" if each["family"] else "found"
        rows.append((each["name"], number(each["value"]), each["standing"], kind))
    goal = found["problem"].get("goal", "mean")
    return Table(f"{found['statement']}.", ("matrix", goal, "stands", "is"), rows)
