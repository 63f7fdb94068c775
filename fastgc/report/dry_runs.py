"""A dry run as text, 80 columns wide: point by point, then all together."""

import textwrap
from typing import Any

from fastgc.registry.numbers import spaced
from fastgc.results.frames import column as plain

WIDTH = 80
MOST_POINTS = 40
HOUR = 3600.0

Data = dict[str, Any]


def dry_run(found: Data) -> str:
    """Return a dry run, as its ``as_dict`` gives it, as text."""
    sampled, (own, shards), batch = found["sampled"], found["shard"], found["batch"]
    said = "nothing is written"
    if sampled:
        trials = sum(each["pilot"]["trials"] for each in sampled)
        seconds = sum(each["pilot"]["core_seconds"] for each in sampled)
        said += f"; pilot of {spaced(trials)} trials in {seconds:.2g} core-s"
    if shards > 1:
        said += f"; shard {own}/{shards} alone"
    lines = [f"{found['study']}: {found['title']}".rstrip(": "), *_wrapped(said, "", ""), ""]
    places = _places(found)
    for name, entries in places[:MOST_POINTS]:
        lines += [*_wrapped(name, "", "  "), *_entries(entries)]
    if len(places) > MOST_POINTS:
        lines.append(f"and {len(places) - MOST_POINTS} more: --json has them")
    parts, threads, seconds = found["core_seconds"], found["threads"], found["seconds"]
    units = ((HOUR, "h"), (60.0, "min"), (0.0, "s"))
    unit, name = next(each for each in units if seconds["value"] >= 2 * each[0])
    clock = _ranged(seconds, unit or 1.0, name)
    total = [
        ("core time", time(parts["all"])),
        ("  sampling", time(parts["sampling"])),
        ("  exact", time(parts["exact"])),
        ("  file", time(parts["keeping"])),
        ("start-up", f"{time(parts['start_up'])} more for every process"),
        ("wall time", f"{clock} on {threads} idle core{'s' * (threads > 1)}"),
        ("memory", f"{size(found['memory_bytes'])} a process"),
        ("file", size(found["file_bytes"])),
    ]
    lines += ["", "total", *_entries(total)]
    if batch is not None:
        lines += ["", "Slurm"]
        if batch["merge"] is not None and batch["trials"] is not None:
            note = "precision stops no shard: they get the trials it needs"
            lines += _wrapped(note, "  ", "  ")
        lines += [f"  {line}" for line in batch["submit"].splitlines()]
        lines += [] if batch["merge"] is None else [f"  {batch['merge']}"]
    return "\n".join(lines)


def _places(found: Data) -> list[tuple[str, list[tuple[str, str]]]]:
    """Name and lines of every point; those on common random numbers come as one."""
    places, together = [], set()
    for point in found["points"]:
        swept = ", ".join(f"{key}={plain(value)}" for key, value in point["point"].items())
        name = f"{point['experiment']} {swept}".strip()
        entries = []
        for own in point["roads"]:
            if "sampled" not in own:
                entries.append((own["method"], _known(own)))
                continue
            unit = found["sampled"][own["sampled"]]
            if len(unit["points"]) > 1:
                if own["sampled"] in together:
                    name = ""  # stands with the first of them
                    continue
                together.add(own["sampled"])
                names = dict.fromkeys(point["experiment"] for point in unit["points"])
                name = f"{unit['name']}: {', '.join(names)}"
            entries += _sampled(unit, own["why_not_exact"])
        if name and entries:
            places.append((name, entries))
    return places


def _known(own: Data) -> str:
    """A method that needs no sampling."""
    if own["method"] == "closed-form":
        return f"{own['values']} value{'s' * (own['values'] != 1)}"
    what = {0: "search for the worst", 1: "law of the time"}.get(own["patterns"])
    what = "rare events" if own["method"] == "rare" else what
    said = f"{what or spaced(own['patterns']) + ' patterns'}; {time(own['core_seconds'])}"
    return said if own["tried"] else f"{said}, not tried"


def _sampled(unit: Data, why: str | None) -> list[tuple[str, str]]:
    """How a point is sampled: until when, and for how much."""
    trials, needed = unit["trials"], unit["needed"]
    said = f"{spaced(trials['value'])} trials, stopped by {unit['stopped_by']}"
    if trials["low"] < trials["high"]:
        said += f"; may be {spaced(trials['low'])} to {spaced(trials['high'])}"
    entries = [said]
    if needed is not None:
        value = needed["value"]
        width = max(1, -int(-100 * (needed["high"] - value) // value))  # rounded up
        entries.append(f"precision needs about {_short(value)} trials, ± {width} %")
    entries += [why] if why else []
    entries.append(time(unit["core_seconds"]))
    return [("" if place else "monte-carlo", said) for place, said in enumerate(entries)]


def time(seconds: Data) -> str:
    """Return processor time with its range.

    >>> time({"value": 12.34, "low": 10.0, "high": 15.5})
    '12.3 core-s (10 to 15.5)'
    >>> time({"value": 36000.0, "low": 30000.0, "high": 43200.0})
    '10 core-h (8.33 to 12)'
    """
    unit, name = (HOUR, "core-h") if seconds["value"] >= HOUR / 10 else (1.0, "core-s")
    return _ranged(seconds, unit, name)


def _ranged(seconds: Data, unit: float, name: str) -> str:
    value, low, high = (_short(seconds[key] / unit) for key in ("value", "low", "high"))
    return f"{value} {name}" + (f" ({low} to {high})" if low != high else "")


def _short(value: float) -> str:
    """A number with three digits that count."""
    return f"{value:.3g}" if value < 999.5 else spaced(int(float(f"{value:.3g}")))


def size(count: int | None) -> str:
    """Return bytes in the unit that suits them.

    >>> size(209_000), size(3_500_000_000), size(None)
    ('209 kB', '3.5 GB', 'an unknown amount')
    """
    if count is None:
        return "an unknown amount"
    value, units = float(count), ["B", "kB", "MB", "GB", "TB"]
    while value >= 999.5 and len(units) > 1:
        value /= 1000
        units.pop(0)
    return f"{_short(value)} {units[0]}"


def _wrapped(said: str, first: str, others: str) -> list[str]:
    return textwrap.wrap(
        said, WIDTH, initial_indent=first, subsequent_indent=others, break_on_hyphens=False
    )


def _entries(entries: list[tuple[str, str]]) -> list[str]:
    return [line for label, said in entries for line in _wrapped(said, f"  {label:13}", " " * 15)]
