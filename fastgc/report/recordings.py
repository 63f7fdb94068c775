"""What recorded times show, and models fitted to them, as text for 80 columns."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastgc.registry.number_types import counted
from fastgc.report.text import columns, distinct, wrapped
from fastgc.report.wording import listed
from fastgc.statistics.number_text import number

WIDTH = 80
MOST_WORKERS = 40  # that the tables name; of more, those that straggle most
_LONGEST_NAME = 20
_MOST_DIGITS = 7  # after the point of an interval's ends
_SINCE = "of workers that changed, late and its interval are those after the change"
_LAGS = 5  # that are printed
_MOST_REPLACED = 3  # workers, of those whose replacement would save most


def recording(found: Mapping[str, Any]) -> str:
    """Return what a recording shows."""
    many, share = found["workers"], f"{100 * found['straggled']:.3g} %"
    unit = f" {found['unit']} (" if found["unit"] else " (unit unknown; "
    lines = [
        f"{found['trace']}: {counted(many, 'workers')}, {found['rounds']} complete rounds",
        f"late: longer than {found['threshold']:.6g}{unit}{share} of all times)",
        "",
    ]
    lines[1:1] = _warnings(found)
    if any(row["since"] for row in found["each"]):
        lines.insert(-1, _SINCE)
    order = sorted(range(many), key=lambda j: -found["each"][j]["straggled"])
    places = sorted(order[:MOST_WORKERS])
    table = [["", "median", "99 %", "max", "late", "95 % interval", "lag 1"]]
    for j in places:
        row = found["each"][j]
        times = [f"{row[key]:.4g}" for key in ("quantile(0.5)", "quantile(0.99)", "maximum")]
        interval = f"[{row['low']:.3f}, {row['high']:.3f}]"
        share = f"{row['straggled']:.3f}"
        table.append([_name(row["worker"]), *times, share, interval, _correlation(row["lag"])])
    lines += columns(table)
    left = many - len(places)
    if left:
        lines.append(f"… {left} more workers, late less often; --json has them")
    lines += ["", *_costs(found)]
    if found["compared"] < found["rounds"]:
        lines += [f"Correlations are those of the last {found['compared']} rounds."]
    return "\n".join([*lines, *_correlations(found)])


def _warnings(found: Mapping[str, Any]) -> list[str]:
    said = [f"{each[0].upper()}{each[1:]}." for each in found["warnings"]]
    return [line for each in said for line in wrapped(each, WIDTH)]


def _costs(found: Mapping[str, Any]) -> list[str]:
    if "S" not in found:
        return []
    what = "a round that waits for all, in mean times of a worker"
    table = [["S", _with_interval(found["S"]), what]]
    several = len(found["S_w"]) > 2  # of two, either as fast as the other leaves nothing
    slow = [each for each in found["S_w"] if several and each["worker"] in found["slow"]]
    for each in [each for each in slow if each["value"] < found["S"]["value"]][:_MOST_REPLACED]:
        said = f"S with {_name(each['worker'])} as fast as the others are on average"
        table.append(["S_w", _with_interval(each), said])
    if several and found["M_W"] is not None:  # then it is known what is left, too
        names = [_name(each) for each in found["slowest"]]
        who = f"the {len(names)} slowest workers explain"
        if len(names) == 1:
            who = f"the slowest worker, {names[0]}, explains"
        said = f"share of S − 1 that {who}"
        if (found["M_W"]["low"] or 0.0) <= 0:
            said += ": nothing that these rounds show"
        table.append(["M_W", _with_interval(found["M_W"]), said])
    if found["together"]:
        who = listed([_name(each) for each in found["together"]])
        said = f"share of S − 1 that {who} explain, who are slow together"
        table.append(["", _with_interval(found["M_together"]), said])
    if found["M_W"] is not None:
        left = "share of S − 1 that is left with the work balanced"
        table.append(["", _with_interval(found["balanced"]), left])
    head = "What waiting for the slowest costs, with 95 % intervals:"
    return [*wrapped(head, WIDTH), *columns(table, 2, WIDTH), ""]


def _with_interval(found: Mapping[str, float | None]) -> str:
    low, high, value = found["low"], found["high"], found["value"]
    if low is None or high is None:
        return f"{value:.3g} (not bounded by so few rounds)"
    ends = _interval(low, high, 2)
    digits = len(ends.partition(",")[0].partition(".")[2])
    return f"{value:.{digits}f} {ends}"


def _correlations(found: Mapping[str, Any]) -> list[str]:
    memory, pairs = found["memory"], found["pairs"]
    if not memory["lags"]:
        return ["Times never change."]
    lags = " ".join(map(_correlation, memory["lags"][:_LAGS]))
    beyond = memory["beyond"]
    names = f" ({', '.join(map(_name, beyond[:5]))}{' …' * (len(beyond) > 5)})" if beyond else ""
    lines = [
        "Correlation of times with later rounds, at lags 1, 2, …, mean over workers:",
        f"  {lags} … (p {_p(memory['p_value'])} at lag 1)",
        *wrapped(
            f"workers beyond chance, |r| > {memory['bound']:.2f} at lag 1: {len(beyond)}{names}",
            WIDTH,
            2,
        ),
    ]
    if pairs["compared"]:
        strongest = "; ".join(
            f"{' and '.join(map(_name, each['workers']))} {each['correlation']:.2f}"
            for each in pairs["strongest"][:3]
        )
        lines += [
            "",
            "Correlation of times between workers in the same round:",
            f"  mean {_correlation(pairs['mean'])} (p {_p(pairs['p_value'])})",
            f"  pairs beyond chance, |r| > {pairs['bound']:.2f}: {pairs['beyond']} of "
            f"{pairs['compared']}",
            *wrapped(f"strongest: {strongest}", WIDTH, 2),
        ]
    return lines


def fit(found: Mapping[str, Any]) -> str:
    """Return what `fastgc.traces.fit` found, from its plain data."""
    many = found["workers"]
    lines = [
        f"{found['trace']}: {counted(many, 'workers')}, {found['rounds']} complete rounds, "
        f"{found['times']} times",
        *_warnings(found),
        "",
        "Laws of latency, fitted to all times as if independent, the best first:",
    ]
    lines += _ranked(found["latency"], with_distance=True)
    for name, why in found["left_out"].items():
        lines.append(f"  {name} does not fit: {why}")
    if found["stragglers"]:
        lines += ["", f"Who is late (more than {found['threshold']:.6g}), the best model first:"]
        lines += _ranked(found["stragglers"], with_distance=False)
    else:
        said = f"All times, or none, are above {found['threshold']:.6g}: choose a --threshold "
        said += f"between {found['least']:.6g} and {found['most']:.6g} to fit models of who is late"
        lines += ["", *wrapped(said, WIDTH)]
    lines += ["", "Maximum likelihood, with standard errors and 95 % intervals:"]
    fitted = [*found["latency"], *found["stragglers"]]
    notes = distinct(own["note"] for each in fitted for own in each["parameters"] if own["note"])
    table = []
    for each in fitted:
        for place, own in enumerate(each["parameters"]):
            error = own["standard_error"]
            value = number(own["value"], error) if error else f"{own['value']:.6g}"
            mark = f"({notes.index(own['note']) + 1})" if own["note"] else ""
            interval = _interval(own["low"], own["high"])
            table.append([each["name"] * (place == 0), own["name"], value, interval, mark])
    lines += columns(table, indent=2) + [f"  ({i}) {note}" for i, note in enumerate(notes, 1)]
    lines += ["", "What the fits assume (probability 1 % that a true one is contradicted):"]
    for each in found["independence"]:
        verdict = "CONTRADICTED" if each["fails"] else "not contradicted"
        value = "" if each["value"] is None else f" {each['value']:.3g}"
        lines.append(f"  {each['of']}: {verdict},{value} (p {_p(each['p_value'])})")
        lines += wrapped(each["remark"], WIDTH, 4, 4)
    return "\n".join(lines)


def _ranked(found: Sequence[Mapping[str, Any]], *, with_distance: bool) -> list[str]:
    best = found[0]["aic"]
    table = [["", "AIC", "parameters", *["distance"] * with_distance, "p of fit"]]
    for each in found:
        p = "–" if each["p_value"] is None else _p(each["p_value"])
        far = "–" if each["distance"] is None else f"{each['distance']:.3f}"
        beyond = f"{best:.1f}" if each is found[0] else f"+ {each['aic'] - best:.1f}"
        table.append([each["name"], beyond, str(each["free"]), *[far] * with_distance, p])
    return columns(table, indent=2)


def _interval(low: float, high: float | None, least: int = 0) -> str:
    # with two digits of its width, and so many after the point at least
    if high is None:
        return f"[{low:.5g}, ∞)"
    digits = max(least, 1 - math.floor(math.log10(high - low))) if high > low else -1
    if not 0 <= digits <= _MOST_DIGITS:
        return f"[{low:.5g}, {high:.5g}]"
    return f"[{low:.{digits}f}, {high:.{digits}f}]"


def _name(worker: str) -> str:
    if len(worker) <= _LONGEST_NAME:
        return worker
    return f"…{worker[1 - _LONGEST_NAME :]}"  # addresses differ at their ends


def _correlation(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _p(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"
