"""Tables for people: numbers with their uncertainty, one row a road."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fastgc.results import EXACT
from fastgc.verdicts import TRACE, UNDECIDED, Verdict, of_claim

if TYPE_CHECKING:
    from fastgc.planning import Ranking

Rows = Sequence[dict[str, Any]]

#: Of vector measures longer than this a table has a few entries, from the first to the last, and
#: of their variances the last alone; ``--json`` and ``--csv`` have everything.
LONGEST_VECTOR = 24
STEPS = 10


def number(value: float | None, standard_error: float | None = None) -> str:
    """A number with its standard error in the last digits: ``0.48807(30)``.

    >>> number(0.488072, 0.000303)
    '0.48807(30)'
    >>> number(0.488072)
    '0.488072'
    >>> number(1.82e15, 1.4e15)
    '1.8(14)e15'
    """
    if value is None:
        return "–"
    if not standard_error or not math.isfinite(standard_error):
        return f"{value:.9g}"
    if abs(value) >= 1e12:
        power = math.floor(math.log10(abs(value)))
        return f"{number(value / 10.0**power, standard_error / 10.0**power)}e{power}"
    digits = 1 - math.floor(math.log10(standard_error))
    if digits <= 0:
        return f"{value:.0f}({standard_error:.0f})"
    if digits > 15:
        return f"{value:.9g}"
    last = round(standard_error * 10**digits)
    if last == 100:  # 0.0996 is 0.10, not 0.100
        digits, last = digits - 1, 10
    return f"{value:.{digits}f}({last})"


def results(rows: Rows, title: str = "") -> str:
    """Table of a result, one block a point."""
    if not rows:
        return "no results yet"
    lines = [title, ""] if title else []
    for experiment, point in _distinct((row["experiment"], row["point"]) for row in rows):
        mine = [r for r in rows if r["experiment"] == experiment and r["point"] == point]
        swept = "  ".join(f"{key}={_plain(value)}" for key, value in point.items())
        lines.append(f"{experiment}  {swept}".rstrip())
        table = []
        for quantity, statistic in _distinct((r["quantity"], r["statistic"]) for r in mine):
            own = [r for r in mine if (r["quantity"], r["statistic"]) == (quantity, statistic)]
            own.sort(key=lambda row: -1 if row["index"] is None else row["index"])
            table += _entries(quantity, statistic, own)
        lines += _columns(table, indent=2)
        lines.append("")
    return "\n".join(lines).rstrip()


def kept_verdicts(rows: Rows) -> str:
    """Table of a validation's rows, a line a case; a claim is named at its first."""
    table = [["claim", "point", "relation", "theory", "measured", "verdict"]]
    before = None
    for row in rows:
        table.append(
            [
                "" if row["claim"] == before else row["claim"],
                ", ".join(f"{key}={_plain(value)}" for key, value in row["point"].items()),
                row["relation"],
                f"{row['theory']:.6g}",
                number(row["value"], row["standard_error"]),
                row["verdict"],
            ]
        )
        before = row["claim"]
    by_claim: dict[str, list[str]] = {}
    for row in rows:
        by_claim.setdefault(row["claim"], []).append(row["verdict"])
    said = _counts([of_claim(verdicts) for verdicts in by_claim.values()])
    return "\n".join([*_columns(table), "", f"{len(by_claim)} claims: {said}."])


def _entries(quantity: str, statistic: str, rows: Rows) -> list[list[str]]:
    """One line a row; a name is printed where it changes."""
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
            remark = f"{row['trials']:,} trials".replace(",", " ") + (remark and f", {remark}")
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
    """All rows, or of a long vector those of a few indices from the first to the last."""
    places = sorted({row["index"] for row in rows if isinstance(row["index"], int)})
    if len(places) <= LONGEST_VECTOR:
        return rows
    last = len(places) - 1
    kept = {places[last]} | {places[round(step * last / steps)] for step in range(steps)}
    return [row for row in rows if row["index"] in kept]


def verdicts(found: Sequence[Verdict]) -> str:
    """Table of verdicts; what is undecided comes last, in words."""
    table = [["claim", "relation", "theory", "measured", "verdict", ""]]
    for verdict in found:
        mark = "" if verdict.as_expected else f"expected: {verdict.expected}"
        table.append(
            [
                verdict.claim,
                verdict.relation,
                f"{verdict.theory:.6g}",
                number(verdict.value, verdict.standard_error),
                verdict.verdict,
                mark,
            ]
        )
    lines = _columns(table)
    said = _counts([verdict.verdict for verdict in found])
    traced = bool(found) and all(verdict.method == TRACE for verdict in found)
    judged = "no verdict is expected of a recorded trace" if traced else _contradictions(found)
    if traced:
        facts = ", ".join(f"{key} {value}" for key, value in found[0].point.items())
        lines = [facts, "", *lines]
    lines += ["", f"{len(found)} claims: {said}; {judged}."]
    for verdict in found:
        if verdict.method == TRACE:
            lines.append(_seen(verdict))
        elif verdict.verdict == UNDECIDED:
            open_cases = [f for f in verdict.findings if f.verdict == UNDECIDED]
            needed = max((f.trials_needed or 0 for f in open_cases), default=0)
            more = f"; about {needed:,} trials would do".replace(",", " ") if needed else ""
            lines.append(
                f"{verdict.claim} is undecided at {len(open_cases)} of "
                f"{len(verdict.findings)} points{more}."
            )
    return "\n".join(lines)


def _seen(verdict: Verdict) -> str:
    """What a recorded trace shows of a statement, and what it would take to decide it."""
    [finding] = verdict.findings
    needed = finding.trials_needed
    number_needed = f"{needed or 0:,}".replace(",", " ")
    more = f"; about {number_needed} iterations would decide" if needed else ""
    return f"{verdict.claim}: p = {finding.p_value:.2g}; {finding.remark}{more}."


def _counts(verdicts: Sequence[str]) -> str:
    return ", ".join(f"{verdicts.count(name)} {name}" for name in sorted(set(verdicts)))


def _contradictions(found: Sequence[Verdict]) -> str:
    wrong = sum(not verdict.as_expected for verdict in found)
    if wrong:
        return f"{wrong} differ from what was expected"
    if any(verdict.verdict == UNDECIDED for verdict in found):
        return "none contradicts the expected one, but not all are decided"
    return "every verdict is the expected one"


def verdict_rows(found: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Verdicts as plain data, with every case."""
    return [
        {
            "claim": v.claim,
            "statement": v.statement,
            "citation": v.citation,
            "relation": v.relation,
            "theory": v.theory,
            "value": v.value,
            "standard_error": v.standard_error,
            "verdict": v.verdict,
            "expected": v.expected,
            "method": v.method,
            "point": v.point,
            "cases": [
                {
                    "point": dict(f.case.point),
                    "theory": f.case.theory,
                    "value": f.estimate.value,
                    "standard_error": f.estimate.standard_error,
                    "half_width": f.half_width if math.isfinite(f.half_width) else None,
                    "trials": f.estimate.trials,
                    "verdict": f.verdict,
                    "trials_needed": f.trials_needed,
                }
                | ({"p_value": f.p_value, "remark": f.remark} if f.method == TRACE else {})
                for f in v.findings
            ],
        }
        for v in found
    ]


def trial(found: dict[str, Any]) -> str:
    """One trial, a line an iteration."""
    swept = "  ".join(f"{key}={_plain(value)}" for key, value in found["point"].items())
    head = f"{found['experiment']}  {swept}".rstrip()
    lines = {"completion": _rounds, "training": _curves}.get(found["kind"], _patterns)
    table = lines(found["iterations"])
    return "\n".join([f"{head}, trial {found['trial']}, seed {found['seed']}", *_columns(table, 2)])


def _patterns(iterations: Rows) -> list[list[str]]:
    """The iterations of a decoding trial."""
    table = [["iteration", "error", "exact", "stragglers", "not accessed"]]
    for place, row in enumerate(iterations):
        table.append(
            [
                str(place),
                f"{row['error']:.9g}",
                "yes" if row["exact"] else "no",
                _listed(row["stragglers"]),
                _listed(row["not_accessed"]),
            ]
        )
    return table


def _rounds(iterations: Rows) -> list[list[str]]:
    """The iterations of a completion trial; a few times of workers, the earliest first."""
    table = [["iteration", "time", "stragglers", "earliest workers"]]
    for place, row in enumerate(iterations):
        earliest = "–"
        if row["workers"] is not None:
            firsts = [w[0] if isinstance(w, list) else w for w in row["workers"]]
            order = sorted((t, j) for j, t in enumerate(firsts) if t is not None)[:6]
            earliest = "  ".join(f"{j}: {t:.6g}" for t, j in order) or "–"
        time = "never" if row["time"] is None else f"{row['time']:.9g}"
        table.append([str(place), time, _listed(row["stragglers"]), earliest])
    return table


def _curves(iterations: Rows) -> list[list[str]]:
    """A training run: every curve so many iterations after its start."""
    names = [name for name in iterations[0] if name != "stragglers"]
    straggling = "stragglers" in iterations[0]
    table = [["iterations", *names, *(["next stragglers"] if straggling else [])]]
    for place, row in enumerate(iterations):
        values = [row.get(name) for name in names]
        table.append([str(place), *("–" if v is None else f"{v:.9g}" for v in values)])
        if straggling:
            table[-1].append(_listed(row.get("stragglers")))
    return table


def _listed(workers: Sequence[int] | None) -> str:
    return " ".join(map(str, workers or ())) or "–"


def datasheet(sheet: dict[str, Any], *, latex: bool = False) -> str:
    """Datasheet of a code, as text or as a LaTeX table."""
    table = [["stragglers", "mean error", "worst", "P(exact)", "amplification", "bound", "frc"]]
    for line in sheet["lines"]:
        at_least = "" if line["worst_is_exact"] else r"$\ge$ " if latex else "≥ "
        table.append(
            [
                str(line["stragglers"]),
                number(*line["mean_error"]),
                f"{at_least}{line['worst_error']:.6g}",
                number(*line["exact"]),
                number(*line["amplification"]),
                f"{line['bound']:.6g}",
                "–" if line["frc"] is None else f"{line['frc']:.6g}",
            ]
        )
    if latex:
        return _latex(table)
    breaking = sheet["breaking"]
    broken = "" if breaking is None else f", broken by {' '.join(map(str, breaking))}"
    guaranteed = sheet["guaranteed_tolerance"]
    at_most = "" if sheet["tolerance_is_exact"] else "at most "
    tolerance = f"{at_most}{sheet['tolerance']} stragglers"
    mean = sheet["mean_error"]
    facts = [
        ["workers n, partitions k", f"{sheet['n']}, {sheet['k']}"],
        ["loads", _range(sheet["loads"])],
        ["replication", _range(sheet["replication"])],
        ["tolerance", tolerance + broken if sheet["tolerance"] >= 0 else "never exact"],
        ["guaranteed", "nothing" if guaranteed is None else str(guaranteed)],
        ["condition number", f"{sheet['condition']:.6g}"],
        ["unevenness", "–" if sheet["unevenness"] is None else f"{sheet['unevenness']:.6g}"],
        ["kernel", sheet["kernel"] + (f"; {sheet['note']}" if sheet["note"] else "")],
        [
            f"iid p={sheet['p']:g}",
            ("" if mean is None else f"mean error {mean:.9g}, ")
            + f"at least {sheet['bound']:.9g} with this replication",
        ],
    ]
    return "\n".join([sheet["name"], *_columns(facts, 2), "", *_columns(table, 2)])


def _range(ends: Sequence[int]) -> str:
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _latex(table: Sequence[Sequence[str]]) -> str:
    """A tabular environment; its first row is the heading."""
    rows = [" & ".join(cell.replace("–", "--") for cell in row) + r" \\" for row in table]
    columns = "r" * len(table[0])
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\hline",
            rows[0],
            r"\hline",
            *rows[1:],
            r"\hline",
            r"\end{tabular}",
        ]
    )


def definitions(found: dict[str, str]) -> str:
    """Names with what they mean."""
    return "\n".join(_columns([[name, text] for name, text in found.items()]))


def as_json(data: Any) -> str:
    """JSON text without NaN."""
    return json.dumps(data, indent=1, allow_nan=False, ensure_ascii=False)


def as_csv(rows: Rows) -> str:
    """Rows as CSV, a column for every swept key."""
    keys = [key for key in dict.fromkeys(key for row in rows for key in row["point"])]
    names = [name for name in rows[0] if name != "point"] if rows else []
    names = list(dict.fromkeys([*names, "note"]))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*names, *keys])
    for row in rows:
        cells = [row.get(name) for name in names]
        writer.writerow(cells + [_plain(row["point"].get(key)) for key in keys])
    return out.getvalue().rstrip("\n")


def _plain(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value


def _distinct(items: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for item in items:
        if item not in found:
            found.append(item)
    return found


def _columns(table: Sequence[Sequence[str]], indent: int = 0) -> list[str]:
    """Align columns on the left."""
    if not table:
        return []
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    return [
        " " * indent
        + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def design(found: Ranking) -> str:
    """Systems in order, the least time for each load, and what else there is to say."""
    percent = f"{100 * found.confidence:g} %"
    table = [["", "system", found.goal, f"{percent} interval", "load", "messages", "method", ""]]
    for place, choice in enumerate(found, 1):
        table.append(
            [
                str(place),
                choice.name,
                _seconds(choice.value),
                "" if choice.method == EXACT else f"[{choice.low:.6g}, {choice.high:.6g}]",
                f"{choice.load:.4g}",
                f"{choice.messages:.4g}",
                choice.method,
                choice.note,
            ]
        )
    sure = f"certainly, at {percent}," if found.separated else "not certainly"
    lines = [*_columns(table), "", f"The first is {sure} the best of all that were looked at."]
    lines += ["", "load against time: the fastest for each load"]
    entries = [["load", found.goal, "system"]]
    for choice in found.front:
        entries.append([f"{choice.load:.4g}", _seconds(choice.value), choice.name])
    lines += _columns(entries, indent=2)
    if found.notes:
        lines += ["", *found.notes]
    return "\n".join(lines)


def _seconds(value: float) -> str:
    return f"{value:.6g}" if math.isfinite(value) else "infinite"
