"""The answer of a study in words, made of its rows: no more than their intervals say."""

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence

from fastgc.report import wording
from fastgc.report.tables import best
from fastgc.report.wording import Data
from fastgc.results.frames import grouped
from fastgc.results.rows import CLOSED_FORM, growth

#: To which exact values are good: what differs by less is the same.
EXACT_TO = 1e-9
_MORE_IS_BETTER = ("exact", "decodable", "reached")


def answers(
    rows: Sequence[Data], kinds: Mapping[str, str], jobs: Mapping[str, str] | None = None
) -> list[str]:
    """Return sentences on the first number of every experiment, and on how these compare.

    ``kinds`` has the kind of each experiment by its name, those that are not there are ratios of
    two; ``jobs`` has the laws and the work of each: what differs is not compared. Rows may say how
    many ``partitions`` their code has.
    """
    firsts = []
    for name in dict.fromkeys([*kinds, *(row["experiment"] for row in rows)]):
        # its first measure, in the end where it has several numbers
        mine = [row for row in rows if row["experiment"] == name and row["method"] != CLOSED_FORM]
        mine = [row for row in mine if row["quantity"] == mine[0]["quantity"]]
        has_mean = any(row["statistic"] == "mean" for row in mine)
        which = "mean" if has_mean else mine[0]["statistic"] if mine else ""
        mine = [row for row in mine if row["statistic"] == which]
        if mine:
            last = mine[-1]["index"]
            if isinstance(last, int):
                last = max(row["index"] for row in mine if isinstance(row["index"], int))
            firsts.append(best(row for row in mine if row["index"] == last))
    said = [_range(found, kinds.get(found[0]["experiment"], "")) for found in firsts]
    own = [found for found in firsts if found[0]["experiment"] in kinds]
    return [*said, *_compared(own, kinds, jobs or {})]


def _named(row: Data, kind: str) -> str:
    return wording.named(row["quantity"], row["statistic"], row["index"], kind)


def _place(row: Data) -> str:
    return json.dumps(row["point"], sort_keys=True)


def _below(left: Data, right: Data) -> bool:
    if left["high"] is None or right["low"] is None or _alike(left, right):
        return False
    return bool(left["high"] < right["low"])


def _alike(left: Data, right: Data) -> bool:
    exact = left["trials"] is None and right["trials"] is None
    return math.isclose(left["value"], right["value"], rel_tol=EXACT_TO if exact else 0.0)


def _all_of(points: int) -> str:
    return "both" if points == 2 else f"all {points}"


def _grows(row: Data) -> bool:
    return growth(row["quantity"], row["statistic"]) != 0


def _range(rows: Sequence[Data], kind: str) -> str:
    def at(row: Data) -> str:
        where = f" at {wording.swept(row['point'])}" if row["point"] else ""
        return wording.row_value(row) + where

    first, what = rows[0], f"{rows[0]['experiment']}: {_named(rows[0], kind)}"
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
    if verb == "lies between" and _alike(one, other):
        where = f"{len(known)}" if unknown else _all_of(len(known))
        return f"{what} is {wording.row_value(one)} at {where} points{end}"
    of, counts = "", [each.get("partitions") for each in (one, other)]
    if counts[0] != counts[1] and _grows(one):
        of = f"; of {counts[0]} and {counts[1]} partitions"
    joint = "and" if verb == "lies between" else "to"
    return f"{what} {verb} {at(one)} {joint} {at(other)}{of}{end}"


def _course(rows: Sequence[Data]) -> tuple[str, Data, Data]:
    """Whether it certainly rises or falls with the only key that is swept, and its ends."""
    keys = {key for row in rows for key in row["point"]}
    if len(keys) == 1 and all(row["point"] for row in rows):
        [key] = keys
        values = [row["point"][key] for row in rows]
        if all(isinstance(each, int | float) and not isinstance(each, bool) for each in values):
            order = sorted(rows, key=lambda row: row["point"][key])
            pairs = list(itertools.pairwise(order))
            if all(_below(left, right) for left, right in pairs):
                return "rises from", order[0], order[-1]
            if all(_below(right, left) for left, right in pairs):
                return "falls from", order[0], order[-1]
    least, most = (pick(rows, key=lambda row: row["value"]) for pick in (min, max))
    return "lies between", least, most


def _compared(
    firsts: Sequence[Sequence[Data]], kinds: Mapping[str, str], jobs: Mapping[str, str]
) -> Iterator[str]:
    # what is measured at the same points, on the same job
    def measured(rows: Sequence[Data]) -> str:
        number = [rows[0][key] for key in ("quantity", "statistic", "index")]
        return json.dumps([number, sorted(map(_place, rows)), jobs.get(rows[0]["experiment"])])

    for group in grouped(firsts, measured).values():
        if len(group) < 2:
            continue
        names = [rows[0]["experiment"] for rows in group]
        among = "" if len(group) == len(firsts) else f"Of {wording.listed(names, len(names))}: "
        what = _named(group[0][0], kinds[names[0]])
        counts: dict[str, set[int]] = {}
        for row in itertools.chain(*group):
            if row.get("partitions") is not None:
                counts.setdefault(_place(row), set()).add(row["partitions"])
        if _grows(group[0][0]) and any(len(each) > 1 for each in counts.values()):
            several = sorted(set().union(*counts.values()))
            have = f"{wording.listed(map(str, several), len(several))} partitions"
            yield f"{among}{what} is not compared, for the codes have {have}."
        else:
            yield from _best(group, what, among)


def _best(group: Sequence[Sequence[Data]], what: str, among: str) -> Iterator[str]:
    most = group[0][0]["quantity"] in _MORE_IS_BETTER
    sure, wins = 0, list[str]()
    for place in map(_place, group[0]):
        there = [row for rows in group for row in rows if _place(row) == place]
        if any(row["value"] is None for row in there):
            continue
        first = (max if most else min)(there, key=lambda row: row["value"])
        ties = [row for row in there if _alike(row, first)]
        others = [row for row in there if row not in ties]
        wins.append(wording.listed((row["experiment"] for row in ties), len(ties)))
        sure += all(_below(row, first) if most else _below(first, row) for row in others)
    if not wins:
        return
    counts = {name: wins.count(name) for name in dict.fromkeys(wins)}
    who = f"{wins[0]} at {_all_of(len(wins))} points"
    if len(counts) > 1:
        parts = ", ".join(f"{name} at {count}" for name, count in counts.items())
        who = f"{parts} of {len(wins)} points"
    elif len(wins) == 1:
        who = wins[0]
    left = "" if len(wins) == len(group[0]) else ", where all are known"
    certain = f"no other interval reaches so {'high' if most else 'low'}"
    if not sure:
        certain = "but intervals overlap"
    elif sure < len(wins):
        certain = f"at {sure} of them {certain}"
    said = f"{among}{'largest' if most else 'least'} {what}: {who}{left}; {certain}."
    yield said[0].upper() + said[1:]
