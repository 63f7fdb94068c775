"""The words of a picture: of its axes with their units, of its curves, and of what is seen."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastgc.registry.number_types import spaced
from fastgc.report import wording
from fastgc.results.rows import CONFIDENCE, Row, growth


def with_unit(words: str, unit: str | None) -> str:
    """Return the label of an axis: what it shows, and in which unit."""
    own = wording.unit(unit)
    return f"{words} ({own})" if own else words


def upright(label: str) -> str:
    """Return the label of an axis that goes up, in lines that are not too long for it."""
    return textwrap.fill(label.replace(" − ", "\u00a0−\u00a0"), 30)


def settings(values: Sequence[Any]) -> list[str]:
    """Return the values of a swept key: of a table its tag, where others have another one."""
    brief = [
        next((str(value[tag]) for tag in wording.TAGS if tag in value), wording.setting(value))
        if isinstance(value, Mapping)
        else wording.setting(value)
        for value in values
    ]
    return [
        said if brief.count(said) == 1 else wording.setting(value)
        for said, value in zip(brief, values, strict=True)
    ]


def cut(name: str, most: int) -> str:
    """Return a name of at most so many letters; in its middle it says less than at its ends."""
    return name if len(name) <= most else f"{name[: most // 2]}…{name[len(name) - most // 2 + 1 :]}"


def of(names: Iterable[str], lead: str = ", for ", most: int = 6) -> str:
    """Return what curves or rows there are as the end of a sentence; nothing without names."""
    known = wording.listed(filter(None, names), most)
    return f"{lead}{known}" if known else ""


def sampled(shapes: str, rows: Iterable[Row]) -> list[str]:
    """Return the sentence on what shows intervals, and of how many trials, where rows have any."""
    known = sorted({row.estimate.trials for row in rows if row.estimate.trials})
    ends = " to ".join(dict.fromkeys(map(spaced, known[:1] + known[-1:])))
    return [f"{shapes} are {100 * CONFIDENCE:g} % intervals of {ends} trials"] * bool(known)


def partitions(rows: Sequence[Row]) -> list[str]:
    """Return what is to be said where errors of codes with other numbers of partitions meet."""
    different = sorted({row.partitions for row in rows if row.partitions is not None})
    if len(different) < 2 or not growth(rows[0].quantity, "mean"):
        return []
    have = f"codes have {wording.listed(map(str, different))} partitions"
    return [f"{have}: errors compare only per partition, as error_per_partition gives them"]


def sentence(words: str) -> str:
    """Return words with a capital at the beginning and a full stop in the end."""
    return words[:1].upper() + words[1:] + ("" if words.endswith(".") else ".")


#: What keys of studies are called on axes, and the last parts of such keys.
_AXES = {
    "iterations": "iterations of a trial",
    "latency": "law of the times",
    "shuffle": "shuffling",
    "stragglers": "straggler model",
    "stragglers.deadline": "deadline",
    "stragglers.p": "straggler probability p",
    "stragglers.stragglers": "number of stragglers s",
    "system.k": "answers needed k",
    "code.k": "number of partitions k",
    "latency.mean": "mean time of a worker",
    "latency.shift": "least time of a worker",
    "d": "replication d",
    "n": "number of workers n",
    "s": "stragglers survived s",
}


def axis(key: str) -> str:
    """Return what a swept key is called on an axis: words and a symbol."""
    above, _, last = key.rpartition(".")
    known = _AXES.get(key) or (_AXES.get(last) if above in ("code", "system") else None)
    return known or wording.plain(f"{last} of the {above.replace('.', ' ')}" if above else last)


#: Keys of studies that are in seconds.
_SECONDS = {f"latency.{key}" for key in ("mean", "shift", "scale", "value", "low", "high", "rate")}
_SECONDS |= {"stragglers.deadline", "system.deadline", "system.after", "port.receive"}


def unit_of(key: str) -> str | None:
    """Return the unit of a key of studies, like ``latency.mean``; None where it has none."""
    return "seconds" if key in _SECONDS else None
