"""A dry run as text, 80 columns wide: point by point, then all together."""

import textwrap
from typing import Any

from fastgc.registry.numbers import counted, spaced
from fastgc.results.frames import column as plain

MOST_POINTS = 40
HOUR = 3600.0
SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
CORE_TIMES = ((HOUR / 10, HOUR, "core-h"), (0.0, 1.0, "core-s"))
TIMES = ((2 * HOUR, HOUR, "h"), (120.0, 60.0, "min"), (0.0, 1.0, "s"))

Data = dict[str, Any]


def dry_run(found: Data) -> str:
    """Return a dry run, as its ``as_dict`` gives it, as text."""
    own, shards = found["shard"]
    said, pilot = "nothing is written", found["pilot"]
    if pilot["trials"]:
        said += f"; pilot of {spaced(pilot['trials'])} trials in {pilot['core_seconds']:.2g} core-s"
    said += f"; shard {own}/{shards} alone" if shards > 1 else ""
    lines = [f"{found['study']}: {found['title']}".rstrip(": "), *textwrap.wrap(said, 80), ""]
    shown: set[int] = set()
    for point in found["points"][:MOST_POINTS]:
        swept = ", ".join(f"{key}={plain(value)}" for key, value in point["point"].items())
        lines += textwrap.wrap(f"{point['experiment']} {swept}".strip(), 80)
        for own in point["methods"]:
            lines += _entries(_method(own, found["sampled"], shown))
    if len(found["points"]) > MOST_POINTS:
        lines.append(f"and {len(found['points']) - MOST_POINTS} more points: --json has them")
    parts, threads = found["core_seconds"], found["threads"]
    memory = found["memory_bytes"]
    total = [
        ("core time", time(parts["all"])),
        ("  sampling", time(parts["sampling"])),
        ("  exact", time(parts["exact"])),
        ("start-up", f"{parts['start_up']:.3g} core-s more for every process"),
        ("wall time", f"{_ranged(found['seconds'], TIMES)} on {counted(threads, 'idle cores')}"),
        ("memory", "unknown" if memory is None else f"{size(memory)} a process"),
        ("file", size(found["file_bytes"])),
    ]
    return "\n".join([*lines, "", "total", *_entries(total)])


def _method(own: Data, sampled: list[Data], shown: set[int]) -> list[tuple[str, str]]:
    """A method of a point: how often, until when, and for how much."""
    name = own["method"]
    if name == "closed-form":
        return [(name, counted(own["values"], "values"))]
    if name != "monte-carlo":
        what = {0: "search for the worst", 1: "law of the time"}.get(own["patterns"])
        what = "rare events" if name == "rare" else what or f"{spaced(own['patterns'])} patterns"
        return [
            (name, f"{what}; {time(own['core_seconds'])}{'' if own['tried'] else ', not tried'}")
        ]
    unit = sampled[own["sampled"]]
    if own["sampled"] in shown:
        return [(name, "on the trials of the others")]
    shown.add(own["sampled"])
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
    return _ranged(count, tuple((unit, unit, name) for unit, name in SIZES))


def _ranged(found: Data, units: tuple[tuple[float, float, str], ...]) -> str:
    """A number with three digits that count, in the first unit that it is large enough for."""
    _, unit, name = next((each for each in units if found["value"] >= each[0]), units[-1])
    scaled = (found[key] / unit for key in ("value", "low", "high"))
    value, low, high = (f"{n:.3g}" if n < 999.5 else spaced(int(float(f"{n:.3g}"))) for n in scaled)
    return f"{value} {name}" + (f" ({low} to {high})" if low != high else "")


def _entries(entries: list[tuple[str, str]]) -> list[str]:
    return [
        line
        for label, said in entries
        for line in textwrap.wrap(
            said,
            80,
            initial_indent=f"  {label:13}",
            subsequent_indent=" " * 15,
            break_on_hyphens=False,
        )
    ]
