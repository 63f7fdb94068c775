"""What recorded times are in: what a file's first line says, or names of columns end in."""

import re
from collections.abc import Sequence

from fastgc.latency.trace_tables import SECONDS, marked_unit

_UNITS = {
    "seconds": ("s", "sec", "secs"),
    "milliseconds": ("ms", "msec"),
    "microseconds": ("us", "µs"),
}
_UNIT = re.compile(r"(?:^|.*[^A-Za-zµ])([A-Za-zµ]+)[\])]?", re.DOTALL)

_BRACKETED = re.compile(r"(.*\S)\s*[\[(][^\[\]()]*[\])]", re.DOTALL)


def unit_of(column: str) -> str | None:
    """Return the unit that the name of a column ends in; None where it ends in none.

    >>> unit_of("time [ms]"), unit_of("duration_s"), unit_of("seconds"), unit_of("gpus")
    ('milliseconds', 'seconds', 'seconds', None)
    """
    match = _UNIT.fullmatch(column.strip().lower())
    last = match[1] if match else ""
    return next((unit for unit, own in _UNITS.items() if last == unit or last in own), None)


def units_of(
    text: str, workers: Sequence[str], value: str | None, slices: Sequence[str] | None
) -> frozenset[str | None]:
    """Return the units of a recording: of a wide table, of each worker's column; None for unknown.

    >>> units_of("a [ms],b\\n1,2\\n", ["a [ms]", "b"], None, None) == {"milliseconds", None}
    True
    """
    said = SECONDS if slices is not None else marked_unit(text)
    if said:
        return frozenset([said])
    # a worker's name may end in a word like "us" that is no unit
    bracketed = [worker if _BRACKETED.fullmatch(worker) else "" for worker in workers]
    return frozenset(map(unit_of, bracketed if value is None else [value]))


def without_unit(workers: Sequence[str]) -> tuple[str, ...]:
    """Return workers' names without the units of their columns, where these stay different.

    >>> without_unit(["gpu0 [ms]", "gpu1 (ms)", "us"])
    ('gpu0', 'gpu1', 'us')
    """
    matches = [(worker, _BRACKETED.fullmatch(worker)) for worker in workers]
    found = tuple(own[1] if own and unit_of(worker) else worker for worker, own in matches)
    return found if len(set(found)) == len(found) else tuple(workers)
