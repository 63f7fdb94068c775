"""What a search for an encoding matrix found, from its certificate."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastgc.report.document import Cell, Table
from fastgc.report.ranking import number
from fastgc.report.sweeps import as_text
from fastgc.report.text import wrapped

#: Of a bound: what is nearer is equal to it.
_EQUAL = 1e-9
#: Letters of a fraction that is shown.
_SHORT = 40
#: Rivals that are shown.
_SHOWN = 8


def searched(found: Mapping[str, Any], width: int = 80) -> str:
    """Return the best matrix of a search and its rivals as text."""
    made = rivals(found)
    said = f"{found['statement'][0].upper()}{found['statement'][1:]}."
    lines = [*wrapped(said, width), "", *as_text(made, width)]
    more = len(found["compared"]) + 1 - len(made.rows)
    if more > 0:
        lines.append(f"… and {more} worse")
    return "\n".join([*lines, "", *wrapped(how(found), width)])


def known(cells: Sequence[Mapping[str, Any]], width: int = 80) -> str:
    """Return the best codes that are known for one size, a line each, as text."""
    rows: list[tuple[Cell, ...]] = []
    for cell in cells:
        case = f"mean, p={cell['p']:g}" if "p" in cell else f"worst of {cell['s']} stragglers"
        gap: Cell = "reached"
        if cell["value"] > (cell["bound"] * (1 + _EQUAL) or _EQUAL):
            gap = number(cell["bound"])
        weight = number(cell["weight"], 3) if cell.get("weight") else ""
        family = (number(cell["family"]), cell["family_name"])
        rows.append((case, number(cell["value"]), gap, weight, *family))
    heads = ("error", "best found", "lower bound", "weight", "best family", "which")
    lines = as_text(Table("", heads, rows), width)
    if any(cell.get("weight") for cell in cells):
        said = "weight: the largest that the decoder gives an answer; rounding grows with it"
        lines += ["", *wrapped(said, width)]
    return "\n".join(lines)


def how(found: Mapping[str, Any]) -> str:
    """Return how the values were found, and how the search ended."""
    exact = f" = {found['exact']}" if len(found["exact"] or "") in range(1, _SHORT) else ""
    ways = {"steps": "", "seconds": "; its seconds were over before its steps"}
    ended = ways.get(found["ended"], f"; stopped early by {found['ended']}")
    return f"Values by {found['method']}{exact}; {found['steps']} changes tried{ended}."


def rivals(found: Mapping[str, Any]) -> Table:
    """Return the best matrix and what it was compared with, the best first."""
    first = {"name": found["by"], "value": found["value"], "standing": "the best found"}
    rows: list[tuple[Cell, ...]] = []
    for each in [first, *found["compared"]][: 1 + _SHOWN]:
        kind = "" if each is first else "family" if each["family"] else "found"
        if not each.get("allowed", True):
            kind = "family, other entries"
        rows.append(
            (
                each["name"],
                "never" if each["value"] is None else number(each["value"]),
                each["standing"],
                kind,
            )
        )
    goal = found["problem"].get("goal", "mean")
    return Table("", ("matrix", goal, "stands", "is"), rows)
