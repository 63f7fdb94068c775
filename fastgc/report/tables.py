"""Tables of results, with a block for each point and a line for each road to a number."""

from __future__ import annotations

from fastgc.registry.counts import spaced
from fastgc.report.columns import columns, distinct
from fastgc.report.export import Rows, plain
from fastgc.report.numbers import number

#: A measure with more entries than this is shown by a few of them, from the first to the last, its
#: variance by the last alone; ``--json`` and ``--csv`` have everything.
LONGEST_VECTOR = 24
STEPS = 10


def results(rows: Rows, title: str = "") -> str:
    """Return the table of a result, with a block for each point."""
    if not rows:
        return "no results yet"
    lines = [title, ""] if title else []
    for experiment, point in distinct((row["experiment"], row["point"]) for row in rows):
        mine = [r for r in rows if r["experiment"] == experiment and r["point"] == point]
        swept = "  ".join(f"{key}={plain(value)}" for key, value in point.items())
        lines.append(f"{experiment}  {swept}".rstrip())
        table = []
        for quantity, statistic in distinct((r["quantity"], r["statistic"]) for r in mine):
            own = [r for r in mine if (r["quantity"], r["statistic"]) == (quantity, statistic)]
            own.sort(key=lambda row: -1 if row["index"] is None else row["index"])
            table += _entries(quantity, statistic, own)
        lines += columns(table, indent=2)
        lines.append("")
    return "\n".join(lines).rstrip()


def _entries(quantity: str, statistic: str, rows: Rows) -> list[list[str]]:
    """Return a line for each row; a name is printed where it changes."""
    entries = []
    before = None
    shown = _spread(rows, STEPS if statistic != "variance" else 0)
    for row in shown:
        place = "" if row["index"] is None else f"[{row['index']}]"
        label = f"{quantity}{place} {statistic}"
        interval = ""
        ends = row["low"], row["high"]
        if row["trials"] is not None and ends != (None, None):
            low, high = ("…" if end is None else f"{end:.6g}" for end in ends)
            interval = f"[{low}, {high}]"
        remark = row.get("note", "")
        if row["trials"]:
            remark = f"{spaced(row['trials'])} trials" + (remark and f", {remark}")
        elif row["method"] == "closed-form" and row["claim"]:
            remark = str(row["claim"])
        entries.append(
            [
                "" if label == before else label,
                row["method"],
                number(row["value"], row["standard_error"]),
                interval,
                remark,
            ]
        )
        before = label
    if len(shown) < len(rows):
        left = len({row["index"] for row in rows}) - len({row["index"] for row in shown})
        entries.append([f"… {left} more entries: --csv", "", "", "", ""])
    return entries


def _spread(rows: Rows, steps: int) -> Rows:
    """Return all rows, or those of a few indices where a measure has very many."""
    places = sorted({row["index"] for row in rows if isinstance(row["index"], int)})
    if len(places) <= LONGEST_VECTOR:
        return rows
    last = len(places) - 1
    kept = {places[last]} | {places[round(step * last / steps)] for step in range(steps)}
    return [row for row in rows if row["index"] in kept]


def definitions(found: dict[str, str]) -> str:
    """Return names with their meanings, a line each."""
    return "\n".join(columns([[name, text] for name, text in found.items()]))
