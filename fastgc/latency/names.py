"""What names say: units of times, columns of long tables, stages of pipelines."""

import fnmatch
import re
from collections.abc import Mapping, Sequence
from typing import Any

from fastgc.errors import LongTableError

_UNITS = {
    "seconds": ("s", "sec", "secs"),
    "milliseconds": ("ms", "msec"),
    "microseconds": ("us", "µs"),
}
_UNIT = re.compile(r"(?:^|.*[^A-Za-zµ])([A-Za-zµ]+)[\])]?", re.DOTALL)

_MARK = re.compile(r"#[ \t]*unit:[ \t]*(\S[^\r\n]{0,30})")
_BRACKETED = re.compile(r"(.*\S)\s*[\[(][^\[\]()]*[\])]", re.DOTALL)


def unit_of(column: str) -> str | None:
    """Return the unit that the name of a column ends in; None where it ends in none."""
    match = _UNIT.fullmatch(column.strip().lower())
    last = match[1] if match else ""
    return next((unit for unit, own in _UNITS.items() if last == unit or last in own), None)


def units_of(text: str, workers: Sequence[str], value: str | None) -> frozenset[str | None]:
    """Return units of a recording: of a wide table, of each worker's column; None: unknown."""
    marked = _MARK.match(text)
    if marked is not None:
        return frozenset([marked[1].strip()])
    # a worker's name may end in a word like "us" that is no unit
    bracketed = [worker if _BRACKETED.fullmatch(worker) else "" for worker in workers]
    return frozenset(map(unit_of, bracketed if value is None else [value]))


def without_unit(workers: Sequence[str]) -> tuple[str, ...]:
    """Return workers' names without the units of their columns, where these stay different."""
    matches = [(worker, _BRACKETED.fullmatch(worker)) for worker in workers]
    found = tuple(own[1] if own and unit_of(worker) else worker for worker, own in matches)
    return found if len(set(found)) == len(found) else tuple(workers)


# ---- Tables with a line for each measurement, known by names of columns or by whole numbers


ANY = "COLUMN"  # stands for the name of a column
_WHO = re.compile(
    "(?:global[_ ]?|local[_ ]?)?(?:device|gpu|host|machine|node|pid|process|rank|server|worker)"
    "(?:[_ ]?(?:id|idx|index|name|no|number))?"
)
_WHEN = re.compile(
    "(?:global[_ ]?|train[_ ]?)?(?:batch|epoch|index|it|iter|iteration|round|step)"
    "(?:[_ ]?(?:id|idx|index|no|number))?"
)
_HOW_LONG = re.compile("(?:.*[^a-z])?(?:ms|ns|s|us|.*(?:dur|elapsed|latency|sec|time).*)[])]?")


def refuse_long(name: str, columns: Sequence[str], labels: Mapping[int, Sequence[Any]]) -> None:
    """Refuse a table whose columns say who, perhaps when, and how long: they must be named.

    ``labels`` are the cells of the columns that hold whole numbers or words alone, by their places.
    A column says who by a name like rank or gpu, with values that come again, beside one that says
    when or how long.
    """
    lowered = [column.lower() for column in columns]
    many = {j: len(set(own)) for j, own in labels.items()}
    whens = [j for j in many if _WHEN.fullmatch(lowered[j])]
    lengths = [j for j, column in enumerate(lowered) if j not in whens and _HOW_LONG.match(column)]
    again = [j for j in many if _WHO.fullmatch(lowered[j]) and many[j] < len(labels[j])]
    who = max(again, key=many.__getitem__, default=None)
    if "worker" in lowered:
        who = lowered.index("worker")
    elif who is None or not (whens or set(lengths) - {who}):
        return
    rest = [j for j, column in enumerate(columns) if column and j not in (who, *whens)]
    given = {"worker": columns[who]}
    if len(whens) == 1:
        given["iteration"] = columns[whens[0]]
    value = rest if len(rest) == 1 else [j for j in rest if j in lengths]
    given["value"] = columns[value[0]] if len(value) == 1 else ANY
    choice = ", ".join(columns[j] for j in rest)
    said = f", {ANY} one of {choice}" if len(value) != 1 and rest else ""
    raise LongTableError(f"{name} looks like a long table", given, said)


#: Of a worker that is a stage of a pipeline: which.
_STAGE = re.compile(r"(?:pp|stage)[_-]?(\d+)", re.IGNORECASE)


def of_stages(names: Sequence[str]) -> str | None:
    """Return a warning if workers are called by stages of a pipeline, like pp0dp1 and pp1dp1."""
    found = [_STAGE.search(name) for name in names]
    stages = [match and match[1] for match in found]
    if len(set(stages)) < 2 or None in stages or (first := found[0]) is None:
        return None
    own = [name for name, stage in zip(names, stages, strict=True) if stage == stages[0]]
    tried = (f"{first[0]}*", f"*{first[0]}", f"*{first[0]}*")
    one = next((e for e in tried if fnmatch.filter(names, e) == own), f"*{first[0]}[!0-9]*")
    said = "by their names its workers are stages of a pipeline, which do different work"
    return f"{said}; keep those of one: `--workers '{one}'`, in Python the key workers"
