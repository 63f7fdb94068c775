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
    lines = [f"{found['study']}: {found['title']}".rstrip(": "), *_how(found), ""]
    for name, entries in _places(found)[:MOST_POINTS]:
        lines += _wrapped(name, "", "  ")
        for label, said in entries:
            lines += _wrapped(said, f"  {label:13}", " " * 15)
    left = len(_places(found)) - MOST_POINTS
    if left > 0:
        lines.append(f"and {left} more: --json has them")
    lines += ["", "total"]
    for label, said in _all(found):
        lines += _wrapped(said, f"  {label:13}", " " * 15)
    if found["batch"] is not None:
        lines += ["", *_queue(found)]
    return "\n".join(lines)


def _how(found: Data) -> list[str]:
    """What was tried."""
    sampled = found["sampled"]
    own, shards = found["shard"]
    said = "nothing is written"
    if sampled:
        trials = sum(each["pilot"]["trials"] for each in sampled)
        seconds = sum(each["pilot"]["core_seconds"] for each in sampled)
        said += f"; pilot of {spaced(trials)} trials in {seconds:.2g} core-s"
    if shards > 1:
        said += f"; shard {own}/{shards} alone"
    return _wrapped(said, "", "")


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
            why = own["why_not_exact"]
            if len(unit["points"]) > 1:
                if own["sampled"] in together:
                    name = ""  # stands with the first of them
                    continue
                together.add(own["sampled"])
                name = f"{unit['name']}: {_names(unit)}"
            entries += _sampled(unit, why)
        if name and entries:
            places.append((name, entries))
    return places


def _names(unit: Data) -> str:
    return ", ".join(dict.fromkeys(point["experiment"] for point in unit["points"]))


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
    trials = unit["trials"]
    said = f"{spaced(trials['value'])} trials, stopped by {unit['stopped_by']}"
    if trials["low"] < trials["high"]:
        said += f"; may be {spaced(trials['low'])} to {spaced(trials['high'])}"
    entries = [("monte-carlo", said)]
    if unit["needed"] is not None:
        entries.append(("", f"precision needs {_count(unit['needed'])}"))
    if why:
        entries.append(("", why))
    cost = time(unit["core_seconds"])
    return [*entries, ("", cost)]


def _count(needed: Data) -> str:
    """About how many trials, with a width that is rounded up."""
    value, high = needed["value"], needed["high"]
    width = max(1, -int(-100 * (high - value) // value))
    return f"about {_short(value)} trials, ± {width} %"


def _all(found: Data) -> list[tuple[str, str]]:
    parts = found["core_seconds"]
    files, threads = size(found["file_bytes"]), found["threads"]
    return [
        ("core time", time(parts["all"])),
        ("  sampling", time(parts["sampling"])),
        ("  exact", time(parts["exact"])),
        ("  file", time(parts["keeping"])),
        ("start-up", f"{time(parts['start_up'])} more for every process"),
        ("wall time", f"{_clock(found['seconds'])} on {threads} idle core{'s' * (threads > 1)}"),
        ("memory", f"{size(found['memory_bytes'])} a process"),
        ("file", files),
    ]


def _queue(found: Data) -> list[str]:
    batch = found["batch"]
    lines = ["Slurm"]
    if batch["merge"] is not None and batch["trials"] is not None:
        lines += _wrapped("precision stops no shard: they get the trials it needs", "  ", "  ")
    lines += [f"  {line}" for line in batch["submit"].splitlines()]
    return lines if batch["merge"] is None else [*lines, f"  {batch['merge']}"]


def time(seconds: Data) -> str:
    """Return processor time with its range.

    >>> time({"value": 12.34, "low": 10.0, "high": 15.5})
    '12.3 core-s (10 to 15.5)'
    >>> time({"value": 36000.0, "low": 30000.0, "high": 43200.0})
    '10 core-h (8.33 to 12)'
    """
    unit, name = (HOUR, "core-h") if seconds["value"] >= HOUR / 10 else (1.0, "core-s")
    return _ranged(seconds, unit, name)


def _clock(seconds: Data) -> str:
    for unit, name in ((HOUR, "h"), (60.0, "min")):
        if seconds["value"] >= 2 * unit:
            return _ranged(seconds, unit, name)
    return _ranged(seconds, 1.0, "s")


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
