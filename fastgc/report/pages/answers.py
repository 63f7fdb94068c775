"""The answer of a study in words, made of its rows: no more than their intervals say."""

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence

from fastgc.registry.numbers import counted
from fastgc.report import wording
from fastgc.report.document import Number
from fastgc.report.sweeps import best, number_key
from fastgc.report.wording import Data
from fastgc.results.rows import CLOSED_FORM, EXACT, MONTE_CARLO, Row, growth

#: To which exact values are good: what differs by less is the same.
EXACT_TO = 1e-9
_MORE_IS_BETTER = ("exact", "decodable", "reached")
#: So many ratios that come and go are reported one by one.
_FEW = 3
#: Partitions of the code by experiment and point.
Partitions = Mapping[tuple[str, str], int]


def partitions_of(rows: Sequence[Row]) -> dict[tuple[str, str], int]:
    """Return how many partitions the code of each point has, where errors are measured."""
    return {
        (row.experiment, json.dumps(row.point, sort_keys=True)): row.partitions
        for row in rows
        if row.partitions is not None
    }


def number_of(row: Data, partitions: Partitions) -> int | None:
    """Return how many partitions the code behind a row has, where that is known."""
    return partitions.get((row["experiment"], _place(row)))


def below(left: Data, right: Data) -> bool:
    """Return whether one interval lies below the other, and not only by rounding."""
    if left["high"] is None or right["low"] is None or alike(left, right):
        return False
    return bool(left["high"] < right["low"])


def alike(left: Data, right: Data) -> bool:
    """Return whether two values are the same, but for what the last digits of exact ones say."""
    exact = left["trials"] is None and right["trials"] is None
    return math.isclose(left["value"], right["value"], rel_tol=EXACT_TO if exact else 0.0)


def all_of(points: int) -> str:
    """Return a number of points in words."""
    return "both" if points == 2 else f"all {points}"


def compared(
    firsts: Sequence[Sequence[Data]],
    kinds: dict[str, str],
    partitions: Partitions,
    jobs: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Yield a sentence on experiments that measure the same at the same points, on the same job.

    Errors of codes that have not as many partitions are compared per partition. ``firsts`` has of
    each experiment the rows of one number, one a point.
    """
    groups: dict[str, list[Sequence[Data]]] = {}
    for rows in firsts:
        keys = ("quantity", "statistic", "index")
        job = (jobs or {}).get(rows[0]["experiment"])
        shared = [[rows[0][key] for key in keys], sorted(map(_place, rows)), job]
        groups.setdefault(json.dumps(shared), []).append(rows)
    for group in groups.values():
        if len(group) > 1:
            names = [rows[0]["experiment"] for rows in group]
            among = "" if len(group) == len(firsts) else f"Of {wording.listed(names, len(names))}: "
            what = wording.row_quantity(group[0][0], kinds[names[0]])
            counts = sorted({number_of(row, partitions) or 0 for rows in group for row in rows})
            power = growth(group[0][0]["quantity"], group[0][0]["statistic"])
            if not _differ(group, partitions) or power == 0:
                yield from _best(group, what, among)
            elif power is None:
                have = f"codes have {wording.listed(map(str, counts), len(counts))} partitions"
                yield f"{among}{what} is not compared, for the {have}."
            else:
                each = [[_divided(row, power, partitions) for row in rows] for rows in group]
                divided = "per partition" if power == 1 else f"÷ k^{power:g}, of k partitions"
                yield from _best(each, f"{what} {divided}", among)


def _differ(group: Sequence[Sequence[Data]], partitions: Partitions) -> bool:
    """Whether codes have another number of partitions somewhere at the same point."""
    found: dict[str, set[int | None]] = {}
    for row in itertools.chain(*group):
        found.setdefault(_place(row), set()).add(number_of(row, partitions))
    return any(len(numbers) > 1 and None not in numbers for numbers in found.values())


def _divided(row: Data, power: float, partitions: Partitions) -> Data:
    """A row divided by what it grows with, where its value is known."""
    scale = float(number_of(row, partitions) or 1) ** power
    keys = ("value", "low", "high")
    return row | {key: None if row[key] is None else row[key] / scale for key in keys}


def _best(group: Sequence[Sequence[Data]], what: str, among: str) -> Iterator[str]:
    """Who is the first at each point, and at how many of them that is certain."""
    most = group[0][0]["quantity"] in _MORE_IS_BETTER
    sure, wins = 0, list[str]()
    for place in map(_place, group[0]):
        there = [row for rows in group for row in rows if _place(row) == place]
        if any(row["value"] is None for row in there):
            continue
        first = (max if most else min)(there, key=lambda row: row["value"])
        ties = [row for row in there if alike(row, first)]
        others = [row for row in there if row not in ties]
        wins.append(wording.listed((row["experiment"] for row in ties), len(ties)))
        sure += all(below(row, first) if most else below(first, row) for row in others)
    if wins:
        counts = {name: wins.count(name) for name in dict.fromkeys(wins)}
        who = f"{wins[0]} at {all_of(len(wins))} points"
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


def _place(row: Data) -> str:
    return json.dumps(row["point"], sort_keys=True)


#: Standard errors beyond which a sample and an exact value cannot both be right.
_IMPOSSIBLE = 6.0


def answers(
    rows: Sequence[Data],
    kinds: dict[str, str],
    partitions: Partitions | None = None,
    jobs: Mapping[str, str] | None = None,
) -> list[str]:
    """Return sentences on the first number of every experiment, and on how these compare.

    ``kinds`` has the kind of each experiment by its name, and ``partitions`` is as `partitions_of`
    gives it. ``jobs`` has the laws and the work of each experiment: what differs is not compared.
    """
    counts = partitions or {}
    ratios = [row for row in rows if row["experiment"] not in kinds]
    own = [row for row in rows if row["experiment"] in kinds]
    firsts = [first for name in kinds if (first := _first(own, name))]
    said = [_range(found, kinds[found[0]["experiment"]], counts) for found in firsts]
    said += _ratios(best(ratios), counts)
    said += compared(firsts, kinds, counts, jobs)
    return [*said, *_agreement(rows)]


def _first(rows: Sequence[Data], name: str) -> list[Data]:
    """What an experiment is about: its first measure, in the end where it has several numbers."""
    mine = [row for row in rows if row["experiment"] == name and row["method"] != CLOSED_FORM]
    mine = [row for row in mine if row["quantity"] == mine[0]["quantity"]]
    statistic = "mean" if any(row["statistic"] == "mean" for row in mine) else None
    mine = [row for row in mine if row["statistic"] == (statistic or mine[0]["statistic"])]
    if not mine:
        return []
    last = mine[-1]["index"]
    if isinstance(last, int):
        last = max(row["index"] for row in mine if isinstance(row["index"], int))
    return best(row for row in mine if row["index"] == last)


def _range(rows: Sequence[Data], kind: str, partitions: Partitions) -> str:
    """One number, or how it goes over the points, whose codes may differ in their partitions."""
    name, what = rows[0]["experiment"], wording.row_quantity(rows[0], kind)
    known = [row for row in rows if row["value"] is not None]
    if len(rows) == 1 or not known:
        where = f" at {wording.swept(rows[0]['point'])}" if rows[0]["point"] else ""
        return f"{name}: {what} is {wording.row_value(rows[0])}{where}."
    unknown = len(rows) - len(known)
    end = f"; it is not known at {unknown} of {len(rows)} points." if unknown else "."
    if len(known) == 1:
        return f"{name}: {what} is {_at(known[0])}{end}"
    course = _course(known)
    if course is not None:
        verb, first, last = course
        of = _partitions(first, last, partitions)
        return f"{name}: {what} {verb} from {_at(first)} to {_at(last)}{of}{end}"
    least, most = (pick(known, key=lambda row: row["value"]) for pick in (min, max))
    if alike(least, most):
        where = f"{len(known)}" if unknown else all_of(len(known))
        return f"{name}: {what} is {wording.row_value(least)} at {where} points{end}"
    of = _partitions(least, most, partitions)
    return f"{name}: {what} lies between {_at(least)} and {_at(most)}{of}{end}"


def _partitions(first: Data, second: Data, partitions: Partitions) -> str:
    """How many partitions the codes of two numbers have, where that decides what they mean."""
    one, other = number_of(first, partitions), number_of(second, partitions)
    if one == other or growth(first["quantity"], first["statistic"]) == 0:
        return ""
    return f"; of {one} and {other} partitions"


def _at(row: Data) -> str:
    return f"{wording.row_value(row)} at {wording.swept(row['point'])}"


def _course(rows: Sequence[Data]) -> tuple[str, Data, Data] | None:
    """Whether it certainly rises or falls with the only key that is swept, and its two ends."""
    keys = {tuple(row["point"]) for row in rows}
    if len(keys) != 1 or len(next(iter(keys))) != 1:
        return None
    [[key]] = keys
    values = [row["point"][key] for row in rows]
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        return None
    order = sorted(rows, key=lambda row: row["point"][key])
    pairs = list(itertools.pairwise(order))
    if all(below(left, right) for left, right in pairs):
        return "rises", order[0], order[-1]
    if all(below(right, left) for left, right in pairs):
        return "falls", order[0], order[-1]
    return None


def _ratios(rows: Sequence[Data], partitions: Partitions) -> Iterator[str]:
    """How every ratio goes over points where it certainly is not 1; else, or of a few, each."""
    for name in dict.fromkeys(row["experiment"] for row in rows):
        own = [row for row in rows if row["experiment"] == name]
        known = all(row["value"] is not None and not _may_be_one(row) for row in own)
        course = _course(own) if known and len(own) > 1 else None
        if course is None and known and len(own) > _FEW:
            least, most = (pick(own, key=lambda row: row["value"]) for pick in (min, max))
            yield f"{_of_what(least, partitions)} lies between {_at(least)} and {_at(most)}."
        elif course is None:
            for row in own:
                where = f" at {wording.swept(row['point'])}" if row["point"] else ""
                seen = "; no difference is seen" if _may_be_one(row) else ""
                yield f"{_of_what(row, partitions)}: {wording.row_value(row)}{where}{seen}."
        else:
            verb, first, last = course
            yield f"{_of_what(first, partitions)} {verb} from {_at(first)} to {_at(last)}."


def _of_what(row: Data, partitions: Partitions) -> str:
    """Which ratio it is; the names of its two experiments may have slashes of their own."""
    parts, known = row["experiment"].split("/"), {name for name, _ in partitions}
    pairs = [("/".join(parts[:i]), "/".join(parts[i:])) for i in range(1, len(parts))]
    first, second = ([pair for pair in pairs if known.issuperset(pair)] or pairs)[0]
    of = _partitions(row | {"experiment": first}, row | {"experiment": second}, partitions)
    return f"{wording.row_quantity(row)} of {first} over that of {second}{of.replace(';', ',')}"


def _may_be_one(row: Data) -> bool:
    low, high = row["low"], row["high"]
    return low is not None and high is not None and low <= 1 <= high


def _agreement(rows: Sequence[Data]) -> Iterator[str]:
    """How often a sampled interval holds the value that is known exactly, too."""
    known = {number_key(row): row for row in rows if row["method"] == CLOSED_FORM}
    known |= {number_key(row): row for row in rows if row["method"] == EXACT}
    inside, away, total = 0, [], 0
    for row in rows:
        exact = known.get(number_key(row))
        error = row["standard_error"]
        if row["method"] != MONTE_CARLO or not error or exact is None or exact["value"] is None:
            continue
        if row["low"] is None or row["high"] is None:
            continue
        total += 1
        inside += row["low"] <= exact["value"] <= row["high"]
        if abs(row["value"] - exact["value"]) > _IMPOSSIBLE * error:
            away.append((row, exact))
    if total:
        numbers, have = counted(total, "sampled numbers"), "has" if inside == 1 else "have"
        yield (
            f"Of {numbers} known exactly as well, {inside} {have} that value in the 95 % interval; "
            "by chance one in twenty has not."
        )
    for row, exact in away:
        sampled = Number(row["value"], row["standard_error"])
        yield (
            f"{row['experiment']}: {wording.row_quantity(row)} is {Number(exact['value'])} exactly "
            f"and {sampled} sampled, which hardly are both right; see `fastgc show --audit`."
        )
