"""The answer of a study in words, made of its rows: no more than their intervals say."""

import itertools
import math
from collections.abc import Mapping, Sequence

from fastgc.report import wording
from fastgc.report.tables import best
from fastgc.report.wording import Data
from fastgc.results.frames import grouped
from fastgc.results.rows import CLOSED_FORM, growth

#: To which exact values are good: what differs by less is the same.
EXACT_TO = 1e-9


def answers(rows: Sequence[Data], kinds: Mapping[str, str]) -> list[str]:
    """Return a sentence on the first number of every experiment, and of every ratio.

    ``kinds`` has the kind of each experiment by its name. Rows may say how many ``partitions``
    their code has.
    """
    measured = [row for row in rows if row["method"] != CLOSED_FORM]
    by_experiment = grouped(measured, lambda row: row["experiment"])
    sentences = []
    for name in sorted(by_experiment, key=lambda name: name not in kinds):
        # its first measure, in the end where it has several numbers
        own = by_experiment[name]
        own = [row for row in own if row["quantity"] == own[0]["quantity"]]
        has_mean = any(row["statistic"] == "mean" for row in own)
        statistic = "mean" if has_mean else own[0]["statistic"]
        own = [row for row in own if row["statistic"] == statistic]
        last = own[-1]["index"]
        if isinstance(last, int):
            last = max(row["index"] for row in own if isinstance(row["index"], int))
        firsts = best(row for row in own if row["index"] == last)
        sentences.append(_answer(firsts, kinds.get(name, "")))
    return sentences


def _answer(rows: Sequence[Data], kind: str) -> str:
    def at(row: Data) -> str:
        where = f" at {wording.swept(row['point'])}" if row["point"] else ""
        return wording.row_value(row) + where

    first = rows[0]
    number = wording.named(first["quantity"], first["statistic"], first["index"], kind)
    what = f"{first['experiment']}: {number}"
    known = [row for row in rows if row["value"] is not None]
    if len(rows) == 1 or not known:
        ends = first["low"], first["high"]
        alike = first["statistic"] == "ratio" and None not in ends and ends[0] <= 1 <= ends[1]
        return f"{what} is {at(first)}{'; no difference is seen' * alike}."
    unknown = len(rows) - len(known)
    end = f"; it is not known at {unknown} of {len(rows)} points." if unknown else "."
    if len(known) == 1:
        return f"{what} is {at(known[0])}{end}"
    verb, one, other = _course(known)
    if verb == "lies between" and _are_alike(one, other):
        where = f"{'' if unknown else 'all '}{len(known)}"
        where = "both" if where == "all 2" else where
        return f"{what} is {wording.row_value(one)} at {where} points{end}"
    of, counts = "", [row.get("partitions") for row in (one, other)]
    if counts[0] != counts[1] and growth(one["quantity"], one["statistic"]) != 0:
        of = f"; of {counts[0]} and {counts[1]} partitions"
    joint = "and" if verb == "lies between" else "to"
    return f"{what} {verb} {at(one)} {joint} {at(other)}{of}{end}"


def _are_alike(left: Data, right: Data) -> bool:
    exact = left["trials"] is None and right["trials"] is None
    return math.isclose(left["value"], right["value"], rel_tol=EXACT_TO if exact else 0.0)


def _course(rows: Sequence[Data]) -> tuple[str, Data, Data]:
    """Whether it certainly rises or falls with the only key that is swept, and its ends."""

    def rises(order: Sequence[Data]) -> bool:
        return all(
            None not in (left["high"], right["low"])
            and left["high"] < right["low"]
            and not _are_alike(left, right)
            for left, right in itertools.pairwise(order)
        )

    keys = {key for row in rows for key in row["point"]}
    if len(keys) == 1 and all(row["point"] for row in rows):
        [key] = keys
        values = [row["point"][key] for row in rows]
        if all(isinstance(each, int | float) and not isinstance(each, bool) for each in values):
            order = sorted(rows, key=lambda row: row["point"][key])
            if rises(order):
                return "rises from", order[0], order[-1]
            if rises(order[::-1]):
                return "falls from", order[0], order[-1]
    least, most = (pick(rows, key=lambda row: row["value"]) for pick in (min, max))
    return "lies between", least, most
