"""What a run would cost, and what is computed anew of it: dry runs, audits, replayed trials."""

from typing import Any

from fastgc.registry.number_types import counted, spaced
from fastgc.report.templating import render
from fastgc.report.text import columns, wrapped
from fastgc.results.frames import column as plain

MOST_POINTS = 40
HOUR = 3600.0
SIZES = ((1e12, 1e12, "TB"), (1e9, 1e9, "GB"), (1e6, 1e6, "MB"), (1e3, 1e3, "kB"), (1.0, 1.0, "B"))
CORE_TIMES = ((HOUR / 10, HOUR, "core-h"), (0.0, 1.0, "core-s"))
TIMES = ((2 * HOUR, HOUR, "h"), (120.0, 60.0, "min"), (0.0, 1.0, "s"))

Data = dict[str, Any]
Entries = list[tuple[str, str]]


def dry_run(found: Data) -> str:
    """Return a dry run, as its ``as_dict`` gives it, as text 80 columns wide."""
    own, shards = found["shard"]
    said, pilot = "nothing is written", found["pilot"]
    if pilot["trials"]:
        said += f"; pilot of {spaced(pilot['trials'])} trials in {pilot['core_seconds']:.2g} core-s"
    said += f"; shard {own}/{shards} alone" if shards > 1 else ""
    lines = [f"{found['study']}: {found['title']}".rstrip(": "), *wrapped(said, 80), ""]
    shown: set[int] = set()
    for point in found["points"][:MOST_POINTS]:
        swept = ", ".join(f"{key}={plain(value)}" for key, value in point["point"].items())
        lines += wrapped(f"{point['experiment']} {swept}".strip(), 80)
        for own in point["methods"]:
            lines += _entries(_method(own, found["sampled"], shown))
    if len(found["points"]) > MOST_POINTS:
        lines.append(f"and {len(found['points']) - MOST_POINTS} more points: --json has them")
    parts, memory, wall = found["core_seconds"], found["memory_bytes"], found["seconds"]
    enough = "; this machine is enough" * (shards == 1 and wall["high"] < HOUR)
    cores = counted(found["threads"], "idle cores")
    total = [
        ("core time", time(parts["all"])),
        ("  sampling", time(parts["sampling"])),
        ("  exact", time(parts["exact"])),
        ("start-up", f"{parts['start_up']:.3g} core-s more for every process"),
        ("wall time", f"{_ranged(wall, TIMES)} on {cores}{enough}"),
        ("memory", "unknown" if memory is None else f"{size(memory)} a process"),
    ]
    return "\n".join([*lines, "", "total", *_entries(total)])


def _method(own: Data, sampled: list[Data], shown: set[int]) -> Entries:
    name = own["method"]
    if name == "closed-form":
        return [(name, counted(own["values"], "values"))]
    if name != "monte-carlo":
        what = {0: "search for the worst", 1: "law of the time"}.get(own["patterns"])
        what = "rare events" if name == "rare" else what or f"{spaced(own['patterns'])} patterns"
        tried = "" if own["tried"] else ", not tried"
        return [(name, f"{what}; {time(own['core_seconds'])}{tried}")]
    if own["sampled"] in shown:
        return [(name, "on the trials of the others")]
    shown.add(own["sampled"])
    unit = sampled[own["sampled"]]
    trials, needed = unit["trials"], unit["needed"]
    said = [f"{spaced(int(trials['value']))} trials, stopped by {unit['stopped_by']}"]
    if trials["low"] < trials["high"]:
        said[0] += f"; may be {spaced(int(trials['low']))} to {spaced(int(trials['high']))}"
    if needed is not None:
        said.append(f"precision needs about {_ranged(needed, ((0.0, 1.0, 'trials'),))}")
    said += [each for each in (own["why_not_exact"], time(unit["core_seconds"])) if each]
    return [(name if place == 0 else "", each) for place, each in enumerate(said)]


def time(seconds: Data) -> str:
    """Return processor time with its range."""
    return _ranged(seconds, CORE_TIMES)


def size(count: Data) -> str:
    """Return bytes in the unit that suits them, with their range."""
    return _ranged(count, SIZES)


def _ranged(found: Data, units: tuple[tuple[float, float, str], ...]) -> str:
    _, unit, name = next((each for each in units if found["value"] >= each[0]), units[-1])
    scaled = (found[key] / unit for key in ("value", "low", "high"))
    value, low, high = (f"{n:.3g}" if n < 999.5 else spaced(int(float(f"{n:.3g}"))) for n in scaled)
    return f"{value} {name}" + (f" ({low} to {high})" if low != high else "")


def _entries(entries: Entries) -> list[str]:
    lines = []
    for label, said in entries:
        first, *more = wrapped(said, 80, 15, 15)
        lines += [f"  {label:13}{first[15:]}", *more]
    return lines


def audit(found: Data) -> str:
    """Return an audit, as its ``as_dict`` gives it, as text: what was checked comes first."""
    table = [["unit", "checked", "of blocks", "sums", "differences"]]
    for unit in found["units"]:
        sums = "compared" if unit["sums_compared"] else "–"
        counts = spaced(unit["checked"]), spaced(unit["blocks"])
        table.append([unit["name"], *counts, sums, spaced(unit["differences"])])
    return render("audit.txt", table="\n".join(columns(table, 2)), **found)


def trial(found: Data) -> str:
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
