"""What is computed anew, as text: an audit, a replayed trial."""

from typing import Any

from fastgc.registry.numbers import counted, spaced
from fastgc.report.columns import columns
from fastgc.report.export import plain

MOST_UNITS = 40
MOST_DIFFERENCES = 100


def audit(found: dict[str, Any]) -> str:
    """Return an audit, as its ``as_dict`` gives it, as text: what was checked comes first."""
    units = found["units"]
    lines = [
        f"{found['path']}: {spaced(found['checked'])} of {spaced(found['blocks'])} blocks of "
        f"{counted(len(units), 'units')} sampled again (seed {found['seed']})"
    ]
    lines += columns(_units(units), 2)
    lines.append(
        f"{spaced(found['rows_compared'])} of {counted(found['rows'], 'rows')} computed anew"
    )
    lines += _probabilities(found)
    lines += [f"not checked: {sentence}" for sentence in found["unchecked"]]
    lines += found["remarks"]
    differences = found["differences"]
    lines += [_difference(each) for each in differences[:MOST_DIFFERENCES]]
    if len(differences) > MOST_DIFFERENCES:
        lines.append(f"and {spaced(len(differences) - MOST_DIFFERENCES)} more differences")
    lines.append(_end(found))
    return "\n".join(lines)


def _units(units: list[dict[str, Any]]) -> list[list[str]]:
    """A line a unit; where there are many, of those that differ and of the first ones."""
    if not units:
        return []
    shown = units
    if len(units) > MOST_UNITS:
        wrong = [unit for unit in units if unit["differences"]]
        shown = (wrong + [unit for unit in units if not unit["differences"]])[:MOST_UNITS]
    table = [["unit", "checked", "of blocks", "sums", "differences"]]
    for unit in shown:
        sums = "compared" if unit["sums_compared"] else "–"
        counts = spaced(unit["checked"]), spaced(unit["blocks"])
        table.append([unit["name"], *counts, sums, spaced(unit["differences"])])
    if len(shown) < len(units):
        table.append([f"and {len(units) - len(shown)} more units", "", "", "", ""])
    return table


def _probabilities(found: dict[str, Any]) -> list[str]:
    """What the audit would have missed."""
    within = [unit for unit in found["units"] if not unit["obstacle"]]
    blocks = sum(unit["blocks"] for unit in within)
    lines = []
    for each in found["missed"]:
        forged, probability = each["forged"], each["probability"]
        share = f" ({100 * forged / blocks:.2g} %)" if forged > 1 else ""
        lines.append(
            f"had {spaced(forged)} of the {counted(blocks, 'blocks')} been forged{share}, this "
            f"audit would have missed {'it' if forged == 1 else 'all of them'} with probability "
            f"{probability:.6g}{' at most' if probability and len(within) > 1 else ''}"
        )
    return lines


def _difference(each: dict[str, Any]) -> str:
    where = each["unit"]
    if each["block"] is not None:
        first, last = each["trials"]
        where += f", block {each['block']} (trials {first} to {last})"
    return f"DIFFERS: {where}: {each['what']}"


def _end(found: dict[str, Any]) -> str:
    differences = len(found["differences"])
    if differences:
        return f"failed: {counted(differences, 'differences')}"
    return "nothing differs" if found["passed"] else "failed: nothing could be checked"


def trial(found: dict[str, Any]) -> str:
    """Return a trial as text, with a line for each iteration and the columns of its kind."""
    from fastgc.experiments import KINDS  # which rows are printed without

    swept = "  ".join(f"{key}={plain(value)}" for key, value in found["point"].items())
    head = f"{found['experiment']}  {swept}".rstrip()
    table = KINDS[found["kind"]].experiment.columns(found["iterations"])
    cells = zip(*(map(_cell, column) for column in table.values()), strict=True)
    lines = columns([list(table), *cells], 2)
    return "\n".join([f"{head}, trial {found['trial']}, seed {found['seed']}", *lines])


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, list | tuple):
        return " ".join(map(_cell, value)) or "–"
    return "–" if value is None else str(value)
