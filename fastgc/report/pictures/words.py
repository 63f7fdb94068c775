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
    whole = list(map(wording.setting, values))
    brief = []
    for value, said in zip(values, whole, strict=True):
        tags = [
            str(value[tag]) for tag in wording.TAGS if isinstance(value, Mapping) and tag in value
        ]
        brief.append(tags[0] if tags else said)
    pairs = zip(brief, whole, strict=True)
    return [said if brief.count(said) == 1 else longer for said, longer in pairs]


def of(names: Iterable[str], lead: str = ", for ", most: int = 6) -> str:
    """Return what curves or rows there are as the end of a sentence; nothing without names."""
    known = wording.listed(filter(None, names), most)
    return f"{lead}{known}" if known else ""


def sampled(shapes: str, rows: Iterable[Row]) -> list[str]:
    """Return the sentence on what shows intervals, and of how many trials, where rows have any.

    Without shapes they are narrower than the lines.
    """
    known = sorted({row.estimate.trials for row in rows if row.estimate.trials})
    ends = " to ".join(dict.fromkeys(map(spaced, known[:1] + known[-1:])))
    said = f"{100 * CONFIDENCE:g} % intervals of {ends} trials"
    return [f"{shapes} are {said}" if shapes else f"{said} are narrower than lines"] * bool(known)


def partitions(rows: Sequence[Row]) -> list[str]:
    """Return what is to be said where errors of codes with other numbers of partitions meet."""
    different = sorted({row.partitions for row in rows if row.partitions is not None})
    if len(different) < 2 or not growth(rows[0].quantity, "mean"):
        return []
    have = f"codes have {wording.listed(map(str, different))} partitions"
    return [f"{have}: errors compare only per partition, as error_per_partition gives them"]


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
