"""What is computed anew, as text: an audit, a replayed trial."""

from typing import Any

from fastgc.registry.numbers import counted, spaced
from fastgc.report.text import columns
from fastgc.results.frames import column as plain


def audit(found: dict[str, Any]) -> str:
    """Return an audit, as its ``as_dict`` gives it, as text: what was checked comes first."""
    units = found["units"]
    table = [["unit", "checked", "of blocks", "sums", "differences"]]
    for unit in units:
        sums = "compared" if unit["sums_compared"] else "–"
        counts = spaced(unit["checked"]), spaced(unit["blocks"])
        table.append([unit["name"], *counts, sums, spaced(unit["differences"])])
    lines = [
        f"{found['path']}: {spaced(found['checked'])} of {spaced(found['blocks'])} blocks of "
        f"{counted(len(units), 'units')} sampled again (seed {found['seed']})",
        *(columns(table, 2) if units else []),
        f"{spaced(found['rows_compared'])} of {counted(found['rows'], 'rows')} computed anew",
    ]
    if found["missed"] is not None:
        lines.append(
            "had one of these blocks been forged, this audit would have missed it with "
            f"probability {found['missed']:.6g} at most"
        )
    lines += [f"not checked: {sentence}" for sentence in found["unchecked"]]
    differences = found["differences"]
    for each in differences:
        where = each["unit"]
        if each["block"] is not None:
            first, last = each["trials"]
            where += f", block {each['block']} (trials {first} to {last})"
        lines.append(f"DIFFERS: {where}: {each['what']}")
    if differences:
        return "\n".join([*lines, f"failed: {counted(len(differences), 'differences')}"])
    end = "nothing differs" if found["passed"] else "failed: nothing could be checked"
    return "\n".join([*lines, end])


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
