"""The words of a picture: of its axes with their units, of its curves, and of what is seen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastgc import registry
from fastgc.registry import documented
from fastgc.registry.numbers import spaced
from fastgc.results.rows import Row, growth

_TAGS = ("family", "model", "distribution", "method")
_UNITS = {"seconds": "s", "seconds^2": "s²"}
_PROBABILITIES = ("exact", "decodable", "reached", "diverged")


def quantity(row: Row) -> str:
    """Return what a row is a number of, in words: ``mean error``, ``P(time > 4)``."""
    name = plain(row.quantity)
    if row.index is not None:
        name += f"[{row.index}]"
    return statistic(name, row.statistic)


def plain(name: str) -> str:
    """Return the name of a measure as words."""
    return name.replace("_", " ")


def statistic(name: str, which: str) -> str:
    """Return a statistic of what has this name, in words."""
    if which.startswith("P(>"):
        return f"P({name} > {float(which[3:-1]):g})"
    if which.startswith("quantile("):
        level = float(which[9:-1])
        return f"median {name}" if level == 0.5 else f"{100 * level:g} % quantile of {name}"
    if which != "mean":
        return f"{which} of {name}"
    if name.split("[")[0] in _PROBABILITIES:
        return f"P({name})"
    if name.startswith("survivors["):
        return f"P({name[10:-1]} survivors)"
    return name if name.startswith("mean ") else f"mean {name}"


def with_unit(words: str, unit: str | None) -> str:
    """Return the label of an axis: what it shows, and in which unit."""
    if unit in (None, "1"):
        return words
    return f"{words} ({_UNITS.get(str(unit), str(unit).replace('^2', '²'))})"


def setting(value: Any) -> str:
    """Return the value of a swept key in a few words: of a table its tag."""
    if isinstance(value, Mapping):
        return next((str(value[tag]) for tag in _TAGS if tag in value), json.dumps(value))
    if isinstance(value, list):
        return "[" + ", ".join(map(setting, value)) + "]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def settings(values: Sequence[Any]) -> list[str]:
    """Return the values of a swept key in a few words each, all of them different.

    >>> settings([{"model": "iid", "p": 0.1}, {"model": "iid", "p": 0.2}])
    ['iid p=0.1', 'iid p=0.2']
    """
    said = [setting(value) for value in values]
    return [
        _apart(value, values) if said.count(text) > 1 else text
        for value, text in zip(values, said, strict=True)
    ]


def _apart(value: Any, others: Sequence[Any]) -> str:
    """Return a table with those of its keys in which the others differ from it."""
    if not isinstance(value, Mapping):
        return json.dumps(value)
    own = [
        f"{key}={setting(each)}"
        for key, each in value.items()
        if any(isinstance(other, Mapping) and other.get(key) != each for other in others)
        and key not in _TAGS
    ]
    return " ".join([setting(value), *own])


def listed(names: Iterable[str], most: int = 6) -> str:
    """Return names in a sentence: ``a, b and c``; of many the first and how many more."""
    known = list(dict.fromkeys(names))
    if len(known) > most:
        known = [*known[: most - 1], f"{len(known) - most + 1} more"]
    return " and ".join(filter(None, [", ".join(known[:-1]), known[-1] if known else ""]))


def trials(rows: Iterable[Row]) -> str:
    """Return from how many trials the rows are, or nothing where none is sampled."""
    known = sorted({row.estimate.trials for row in rows if row.estimate.trials})
    return f"{span(known)} trials" if known else ""


def span(counts: Sequence[int]) -> str:
    """Return rising counts as one number, or as the first and the last."""
    ends = [spaced(counts[0]), spaced(counts[-1])]
    return " to ".join(dict.fromkeys(ends))


def partitions(counts: Iterable[int | None], quantity: str) -> list[str]:
    """Return what is to be said where errors of codes with other numbers of partitions meet."""
    different = sorted({count for count in counts if count is not None})
    if len(different) < 2 or not growth(quantity, "mean"):
        return []
    return [
        f"codes have {listed(map(str, different))} partitions: errors compare only per partition, "
        "as error_per_partition gives them"
    ]


def sentence(words: str) -> str:
    """Return words with a capital at the beginning and a full stop in the end."""
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")


_SECONDS = re.compile(r"\b(^Seconds|in seconds)\b")


#: What keys of studies are called on axes.
_AXES = {
    "stragglers.p": "straggler probability p",
    "stragglers.stragglers": "number of stragglers s",
    "code.d": "replication d",
    "code.n": "number of workers n",
}


def axis(key: str) -> str:
    """Return the label of the axis of a swept key: words and a symbol, else the key; its unit.

    >>> axis("stragglers.p"), axis("latency.mean")
    ('straggler probability p', 'latency.mean (s)')
    """
    return with_unit(_AXES.get(key, key), unit_of(key))


def unit_of(key: str) -> str | None:
    """Return the unit of a key of studies, like ``latency.mean``; None where it has none.

    >>> unit_of("latency.mean"), unit_of("stragglers.deadline"), unit_of("stragglers.p")
    ('seconds', 'seconds', None)
    """
    *above, last = key.split(".")
    room = above[-1] if above else ""
    if room == "port" and last == "receive":  # no member of a room
        return "seconds"
    if room not in registry.ROOMS:
        return None
    said = [documented.keys(member).get(last) for member in registry.members(room).values()]
    known = [text for text in said if text is not None]
    return "seconds" if known and all(map(_SECONDS.search, known)) else None
