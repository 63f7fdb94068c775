"""What recorded times show, and models fitted to them, as text for 80 columns."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fastgc.report.templating import render
from fastgc.report.text import columns, distinct
from fastgc.report.wording import listed
from fastgc.statistics.number_text import number

WIDTH = 80
MOST_WORKERS = 40  # that the tables name; of more, those that straggle most
_LONGEST_NAME = 20
_MOST_DIGITS = 7  # after the point of an interval's ends
_LAGS = 5  # that are printed
_MOST_REPLACED = 3  # workers, of those whose replacement would save most


def recording(found: Mapping[str, Any]) -> str:
    """Return what a recording shows."""
    many, each, pairs = found["workers"], found["each"], found["pairs"]
    table = [["", "median", "99 %", "max", "late", "95 % interval", "lag 1"]]
    for j in sorted(sorted(range(many), key=lambda j: -each[j]["straggled"])[:MOST_WORKERS]):
        row = each[j]
        times = [f"{row[key]:.4g}" for key in ("quantile(0.5)", "quantile(0.99)", "maximum")]
        late = [f"{row['straggled']:.3f}", f"[{row['low']:.3f}, {row['high']:.3f}]"]
        table.append([_name(row["worker"]), *times, *late, _correlation(row["lag"])])
    names = list(map(_name, found["memory"]["beyond"]))
    listed = f" ({', '.join(names[:5])}{' …' * (len(names) > 5)})" if names else ""
    strongest = (
        f"{' and '.join(map(_name, pair['workers']))} {pair['correlation']:.2f}"
        for pair in pairs["strongest"][:3]
    )
    return render(
        "recording.txt",
        **found,
        table="\n".join(columns(table)),
        most_workers=MOST_WORKERS,
        costs="\n".join(_costs(found)) if "S" in found else "",
        lags=" ".join(map(_correlation, found["memory"]["lags"][:_LAGS])),
        beyond=f"{len(names)}{listed}",
        strongest="; ".join(strongest),
        **{"p": _p, "correlation": _correlation},
    )


def _costs(found: Mapping[str, Any]) -> list[str]:
    many = found["workers"]

    def with_interval(of: Mapping[str, float | None]) -> str:
        low, high, value = of["low"], of["high"], of["value"]
        if low is None or high is None:
            return f"{value:.3g} (not bounded by so few rounds)"
        ends = _interval(low, high, 2)
        digits = len(ends.partition(",")[0].partition(".")[2])
        if high >= many:  # a round never takes longer than that
            ends = f"[{low:.{digits}f}, not bounded]"
        return f"{value:.{digits}f} {ends}"

    what = "a round that waits for all, in mean times of a worker"
    table = [["S", with_interval(found["S"]), what]]
    several = len(found["S_w"]) > 2  # of two, either as fast as the other leaves nothing
    slow = [each for each in found["S_w"] if several and each["worker"] in found["slow"]]
    for each in [each for each in slow if each["value"] < found["S"]["value"]][:_MOST_REPLACED]:
        said = f"S with {_name(each['worker'])} as fast as the others are on average"
        table.append(["S_w", with_interval(each), said])
    share, explained = "share of S − 1 that", found["M_W"]
    if several and explained is not None:  # then it is known what is left, too
        names = [_name(each) for each in found["slowest"]]
        who = f"the {len(names)} slowest workers explain"
        if len(names) == 1:
            who = f"the slowest worker, {names[0]}, explains"
        who += ": nothing that these rounds show" * ((explained["low"] or 0.0) <= 0)
        table.append(["M_W", with_interval(explained), f"{share} {who}"])
    if found["together"]:
        who = f"{listed([_name(each) for each in found['together']])} explain"
        said = f"{share} {who}, who are slow together"
        table.append(["", with_interval(found["M_together"]), said])
    if explained is not None:
        left = f"{share} is left with the work balanced"
        table.append(["", with_interval(found["balanced"]), left])
    return columns(table, 2, WIDTH)


def fit(found: Mapping[str, Any]) -> str:
    """Return what `fastgc.traces.fit` found, from its plain data."""
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
    return render(
        "fit.txt",
        **found,
        laws=_ranked(found["latency"], with_distance=True),
        models=found["stragglers"] and _ranked(found["stragglers"], with_distance=False),
        parameters="\n".join(columns(table, indent=2)),
        notes=notes,
        p=_p,
    )


def _ranked(found: Sequence[Mapping[str, Any]], *, with_distance: bool) -> str:
    best = found[0]["aic"]
    table = [["", "AIC", "parameters", *["distance"] * with_distance, "p of fit"]]
    for each in found:
        p = "–" if each["p_value"] is None else _p(each["p_value"])
        far = "–" if each["distance"] is None else f"{each['distance']:.3f}"
        beyond = f"{best:.1f}" if each is found[0] else f"+ {each['aic'] - best:.1f}"
        table.append([each["name"], beyond, str(each["free"]), *[far] * with_distance, p])
    return "\n".join(columns(table, indent=2))


def _interval(low: float, high: float | None, least: int = 0) -> str:
    # with two digits of its width, and so many after the point at least
    if high is None:
        return f"[{low:.5g}, ∞)"
    digits = max(least, 1 - math.floor(math.log10(high - low))) if high > low else -1
    form = f".{digits}f" if 0 <= digits <= _MOST_DIGITS else ".5g"
    return f"[{low:{form}}, {high:{form}}]"


def _name(worker: str) -> str:
    # addresses differ at their ends
    return worker if len(worker) <= _LONGEST_NAME else f"…{worker[1 - _LONGEST_NAME :]}"


def _correlation(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _p(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"
