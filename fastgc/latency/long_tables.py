"""Tables with a line for each measurement, known by names of columns or by whole numbers."""

import re
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

from fastgc.errors import LongTableError

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
#: A table that is known by its values has so many lines at least, such a share of the pairs of two
#: columns, and few columns, whose pairs are soon looked at.
_LINES, _FULL, _COLUMNS = 12, 0.8, 8


def refuse_long(name: str, columns: Sequence[str], labels: Mapping[int, Sequence[Any]]) -> None:
    """Refuse a table whose columns say who, perhaps when, and how long: they must be named.

    ``labels`` are the cells of the columns that hold whole numbers or words alone, by their places.
    A column says who by a name like rank or gpu, with values that come again, beside one that says
    when or how long; or two columns of whole numbers have nearly all their pairs, each once.

    >>> refuse_long("t.csv", ["rank", "step", "s"], {0: [0, 1, 0, 1], 1: [0, 0, 1, 1]})
    Traceback (most recent call last):
    ...
    fastgc.errors.LongTableError: t.csv looks like a long table; give worker = "rank", iteration = \
"step", value = "s"
    """
    lowered = [column.lower() for column in columns]
    many = {j: len(set(own)) for j, own in labels.items()}
    whens = [j for j in many if _WHEN.fullmatch(lowered[j])]
    lengths = [j for j, column in enumerate(lowered) if j not in whens and _HOW_LONG.match(column)]
    again = [j for j in many if _WHO.fullmatch(lowered[j]) and many[j] < len(labels[j])]
    who, when = max(again, key=many.__getitem__, default=None), None
    if "worker" in lowered:
        who = lowered.index("worker")
    elif who is None or not (whens or set(lengths) - {who}):
        who, when = _by_values(len(columns), labels, many, whens)
    if who is None:
        return
    if when is None and len(whens) == 1:
        when = whens[0]
    rest = [j for j, column in enumerate(columns) if column and j not in (who, when, *whens)]
    named = [j for j in rest if j in lengths]
    given = {"worker": columns[who]}
    if when is not None:
        given["iteration"] = columns[when]
    value = rest if len(rest) == 1 else named
    given["value"] = columns[value[0]] if len(value) == 1 else ANY
    choice = ", ".join(columns[j] for j in rest)
    said = f", {ANY} one of {choice}" if len(value) != 1 and rest else ""
    raise LongTableError(f"{name} looks like a long table", given, said)


def _by_values(
    count: int, labels: Mapping[int, Sequence[Any]], many: Mapping[int, int], whens: Sequence[int]
) -> tuple[int | None, int | None]:
    """Return who and when, of which a table of so many columns has nearly all pairs, each once."""
    lines = len(next(iter(labels.values()), ()))
    if not 3 <= count <= _COLUMNS or lines < _LINES:
        return None, None
    for who, when in permutations(sorted(many, key=many.__getitem__), 2):
        pairs = many[who] * many[when]
        few = many[who] >= 2 and many[when] >= 2 and _FULL * pairs <= lines <= pairs
        if (
            few
            and who not in whens
            and len(set(zip(labels[who], labels[when], strict=True))) == lines
        ):
            return who, when
    return None, None
