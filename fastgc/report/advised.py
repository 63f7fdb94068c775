"""What to do about the stragglers of a recording: a verdict, why, what next, and the remedies."""

import math
from collections.abc import Mapping
from typing import Any

from fastgc.registry.numbers import counted
from fastgc.report.document import Cell, Interval, Table
from fastgc.report.ranking import WIDTH, number
from fastgc.report.text import table as as_text
from fastgc.report.text import wrapped
from fastgc.results.advised import at_cost, briefly, called, in_unit, placement

Data = Mapping[str, Any]

_UNCODED = ("uncoded", "leave-out", "balanced", "spare")


def advice(found: Data) -> str:
    """Return what `fastgc.advise` found, from its plain data."""
    lines = [*wrapped(f"{found['trace']}: {subject(found)}", WIDTH), ""]
    for head, text in said(found):
        lines += [*wrapped(f"{head}: {text}", WIDTH), ""]
    for made in tables(found):
        lines += [*wrapped(made.caption, WIDTH), *as_text(made, WIDTH), ""]
    lines += [line for each in notes(found) for line in wrapped(each, WIDTH)]
    return "\n".join(lines).rstrip()


def subject(found: Data) -> str:
    """Return how large the recording is, and what its times are in."""
    size = f"{counted(found['workers'], 'workers')}, {counted(found['rounds'], 'rounds')}"
    if found["unit"] is not None:
        return f"{size}, in {found['unit']}"
    return f"{size}; the file does not name its unit (--unit)"


def said(found: Data) -> list[tuple[str, str]]:
    """Return the verdict, why, what may mislead, and what to do next."""
    why = [("Why", " ".join(found["why"]))] if found["why"] else []
    beware = [("Beware", f"{each}.") for each in found["warnings"]]
    return [("Verdict", found["verdict"]), *why, *beware, ("Next", found["next"])]


def tables(found: Data) -> list[Table]:
    """Return which remedy is for which cost of load, where that differs, and all remedies."""
    costs = [_by_cost(found)] if found["ranges"] else []
    return [*costs, *(_table(found, rate) for rate in found["rates"])]


def _by_cost(found: Data) -> Table:
    rows = []
    for each in found["ranges"]:
        start, end = each["gains"]
        ends = (number(each[end]["value"], 3) for end in ("low", "high"))
        rows.append((briefly(each["system"]), *ends, _gain(start), _gain(end)))
    unit = "" if found["unit"] is None else f", {found['unit']} a round"
    caption = f"What is best, by what all of the work costs{unit}"
    heads = ("remedy", "from", "to", "gain, lower end", "gain, upper end")
    return Table(caption, heads, rows, 1)


def _table(found: Data, rate: float) -> Table:
    caption = at_cost(rate, found["unit"], known=found["rate_known"])
    rows = []
    for each in found["remedies"]:
        if each["rate"] == rate:
            gain, gradient = each["gain"], str(each["gradient"])
            if each["lost"]:  # how much of it is
                gradient = f"{100 * each['lost']['mean']:.2g} % lost"
            rows.append(
                (
                    briefly(each["system"]),
                    gradient,
                    number(each["time"]["value"], 4),
                    number(gain["value"], 3),
                    _ends(gain),
                    number(each["worker_time"], 4),
                )
            )
    work = "worker-time" if found["unit"] is None else f"worker-{found['unit']}"
    return Table(
        f"I{caption[1:]}", ("remedy", "gradient", "time", "gain", "95 % interval", work), rows, 2
    )


def _gain(figure: Data) -> str:
    ends = str(_ends(figure))
    return f"{figure['value']:.3g} {ends}".strip()


def _ends(figure: Data) -> Cell:
    low, high = figure["low"], figure["high"]
    if low == high == 1:
        return ""
    if high is None:
        return f"[{math.floor(1000 * low) / 1000:g}, ∞]" if low else "not known"
    return Interval(low, high)


def notes(found: Data) -> list[str]:
    """Return the break-even, and what heads and words of the tables mean."""
    if not found["remedies"]:
        return []
    said = [_break_even(found)] if found["break_even"] else []
    said += [
        "What all of the work costs: the time that one worker needs for the whole work of a round, "
        "beyond what it needs for none.",
        "Time: mean of a round. Gain: how many times as long a round of uncoded work takes. Both "
        "are of rounds that the remedy was not chosen on, those of stale gradients of all rounds. "
        "Intervals are for the mean of rounds like these in the long run: few next rounds scatter "
        "more.",
    ]
    meaning = {
        "fresh": "Fresh: the gradient of mini-batches that workers draw in every round, of those "
        "who answered (--fresh: as good as the exact one).",
        "stale": "Stale: what the loss pays for it, times do not show.",
    }
    there = {each["gradient"] for each in found["remedies"]}
    said += [text for gradient, text in meaning.items() if gradient in there]
    least = found["rates"][0]
    lost = [each for each in found["remedies"] if each["lost"] and each["rate"] == least]
    named = [found["system"], *(each["system"] for each in found["ranges"])]
    placed = [
        f"Copies: {placement(each['workers'], each['system'])}."
        for each in found["remedies"]
        if each["rate"] == least and each["workers"] and each["system"] in named
    ]
    return [*said, *placed, *(f"Lost: {_lost(each)}" for each in lost)]


def _lost(each: Data) -> str:
    lost, name = each["lost"], briefly(each["system"])
    if not lost["mean"]:
        return f"{name} loses nothing of the gradient."
    return (
        f"{name} loses {number(100 * lost['mean'], 2)} % of the gradient, and the part of "
        f"{called(lost['worker'])} in {number(100 * lost['most'], 2)} % of the rounds."
    )


def _break_even(found: Data) -> str:
    even, unit = found["break_even"], in_unit(found["unit"])
    now = "now: unknown; record at two loads"
    if found["rate_known"]:
        now = f"now: {number(found['rates'][len(found['rates']) // 2], 3)}"
    if even["value"] == 0:
        return "Break-even: codes never pay here, even if more work takes no more time."
    if even["value"] >= even["highest"]:
        return f"Break-even: codes pay up to {number(even['highest'], 3)}{unit} at least ({now})."
    value, low, high = (number(even[key], 3) for key in ("value", "low", "high"))
    said = (
        f"Break-even: codes pay while all of the work costs less than {value} [{low}, {high}]"
        f"{unit} a round ({now})."
    )
    plain = [each for each in found["ranges"] if each["system"]["family"] in _UNCODED]
    start = plain[0]["low"]["value"] if plain else even["value"]
    if 0 < start < 0.95 * even["value"]:
        said += (
            f" The verdict names none from {number(start, 3)} on: between these costs the best "
            "code is faster, but little."
        )
    return said
