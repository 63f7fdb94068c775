"""What to do about the stragglers of a recording: a verdict, why, what next, and the remedies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from fastgc.report.document import Cell, Interval, Table
from fastgc.report.ranking import WIDTH, number
from fastgc.report.sweeps import as_text
from fastgc.report.text import wrapped
from fastgc.results.ranking import written


def advice(found: Mapping[str, Any]) -> str:
    """Return what `fastgc.advise` found, from its plain data."""
    said = [("Verdict", found["verdict"])]
    said += [("Why", " ".join(found["why"]))] if found["why"] else []
    said.append(("Next", found["next"]))
    lines = [f"{found['trace']}: {found['workers']} workers, {found['rounds']} rounds", ""]
    for head, text in said:
        lines += [*wrapped(f"{head}: {text}", WIDTH), ""]
    for rate in found["rates"]:
        made = _table(found, rate)
        lines += [*wrapped(made.caption, WIDTH), *as_text(made, WIDTH), ""]
    lines += [line for said in _notes(found) for line in wrapped(said, WIDTH)]
    return "\n".join(lines).rstrip()


def _table(found: Mapping[str, Any], rate: float) -> Table:
    unit = found["unit"]
    costs = f"all of the work costs {rate:.4g} {unit} a round"
    if not found["rate_known"]:
        costs = "load costs nothing" if rate == 0 else f"all of the time is load: {costs}"
    rows = []
    for each in found["remedies"]:
        if each["rate"] == rate:
            gain = each["gain"]
            rows.append(
                (
                    written({k: each["system"][k] for k in each["system"] if k != "basis"}),
                    each["gradient"],
                    number(each["time"]["value"], 4),
                    number(gain["value"], 3),
                    "" if gain["low"] == gain["high"] == 1 else _ends(gain),
                    number(each["worker_seconds"], 4),
                )
            )
    heads = ("remedy", "gradient", "time", "gain", "95 % interval", f"worker-{unit}")
    return Table(f"Remedies if {costs}", heads, rows, 2)


def _ends(figure: Mapping[str, float | None]) -> Cell:
    high = figure["high"]
    return Interval(figure["low"], math.inf if high is None else high)


def _notes(found: Mapping[str, Any]) -> list[str]:
    """Return the break-even, and what the tables leave out."""
    if not found["remedies"]:
        return []
    notes = [_break_even(found)] if found["break_even"] else []
    notes.append(
        "time: mean of a round; gain: how many times as long uncoded work takes. Both are of rows "
        "that the remedy was not chosen on, those of stale gradients of all rows."
    )
    said = {
        "fresh": "fresh: exact, of the mini-batches of who answered (--fresh counts it as exact)",
        "lost": "lost: a share of the gradient, of the same workers where they are always late",
        "stale": "stale: time does not show what the loss pays for it",
    }
    there = {each["gradient"] for each in found["remedies"]}
    return [*notes, *(f"{text}." for gradient, text in said.items() if gradient in there)]


def _break_even(found: Mapping[str, Any]) -> str:
    even, unit = found["break_even"], found["unit"]
    now = "now: unknown; record at two loads"
    if found["rate_known"]:
        now = f"now: {found['rates'][len(found['rates']) // 2]:.3g}"
    if even["value"] == 0:
        return "Break-even: codes never pay here, even if load costs nothing."
    if even["value"] >= even["highest"]:
        return f"Break-even: codes pay up to {even['highest']:.3g} {unit} at least ({now})."
    return (
        f"Break-even: codes pay while all of the work costs less than {even['value']:.3g} "
        f"[{even['low']:.3g}, {even['high']:.3g}] {unit} a round ({now})."
    )
